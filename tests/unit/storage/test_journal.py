"""The bank's own notes: events in their order, single values, and leases that end."""

from __future__ import annotations

from mnemopi.model.memory import Event
from mnemopi.storage.store import Store


def test_events_are_numbered_by_their_writer(store: Store) -> None:
    with store.transaction():
        store.journal.append([Event(1, "remembered", "a", 1), Event(1, "remembered", "b", 1)])
    with store.transaction():
        store.journal.append([Event(2, "updated", "a", 2, "ines", "why")])
    events = store.journal.history("a")
    assert [(event.verb, event.seq) for event in events] == [("remembered", 1), ("updated", 3)]
    assert len({event.writer for event in events}) == 1 and len(events[0].writer) == 16
    assert (events[1].actor, events[1].reason, events[1].version) == ("ines", "why", 2)


def test_two_files_have_two_writers_and_adopt_each_others_events(store: Store) -> None:
    theirs = [Event(1, "remembered", "a", 1, seq=7, writer="ffff")]
    with store.transaction():
        store.journal.append([Event(5, "updated", "a", 2)])
        store.journal.adopt(theirs)
        store.journal.adopt(theirs)
    events = store.journal.history("a")
    assert [(event.at, event.writer == "ffff") for event in events] == [(1, True), (5, False)]


def test_the_last_write_is_known(store: Store) -> None:
    assert store.journal.last_write(0) == (None, 0)
    with store.transaction():
        store.journal.append([Event(at, "remembered", "a", 1) for at in (10, 20, 30)])
    assert store.journal.last_write(10) == (30, 2)


def test_a_value_is_the_last_that_was_set(store: Store) -> None:
    assert store.meta.get("colour") is None
    store.meta.set("colour", "red")
    store.meta.set("colour", "蓝")
    assert store.meta.get("colour") == "蓝"


def test_a_lease_is_its_holders_until_it_ends_or_is_given_back(store: Store) -> None:
    assert store.meta.claim("work", "one", 0, 100)
    assert not store.meta.claim("work", "two", 99, 200)
    assert store.meta.claim("work", "one", 99, 150), "its holder may lengthen it"
    assert not store.meta.claim("work", "two", 149, 200)
    assert store.meta.claim("work", "two", 150, 200)
    store.meta.release("work", "one")
    assert not store.meta.claim("work", "one", 151, 300), "only its holder gives it back"
    store.meta.release("work", "two")
    assert store.meta.claim("work", "one", 151, 300)
