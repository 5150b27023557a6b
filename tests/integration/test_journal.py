"""The journal: who did what to which memory, when and why; as a history, a stream, and a call after the commit."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from mnemopi.engine import Mnemopi
from mnemopi.errors import NotFoundError, UsageError
from mnemopi.model.memory import Event
from mnemopi.testing import FixedClock


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Mnemopi]:
    config = {"storage.backup_dir": str(tmp_path / "backups")}
    with Mnemopi(tmp_path / "m.db", author_id="mara", config=config, no_embeddings=True, clock=clock) as opened:
        yield opened


def verbs(events: Sequence[Event]) -> list[str]:
    return [event.verb for event in events]


# -- history


def test_every_verb_on_a_memory_is_in_its_history(memory: Mnemopi, clock: FixedClock) -> None:
    id = memory.remember("the port is 5432")
    memory.update(id, importance=0.9)
    memory.remember("the port is 5432")
    memory.pin(id)
    memory.validate(id, "attest", validator="jun", reason="looked")
    memory.invalidate(id, reason="moved")
    clock.advance(seconds=1)
    memory.remember("the port is 5432")
    memory.undo(id, reason="it did not")
    memory.forget(id)
    assert [(event.verb, event.actor, event.reason) for event in memory.history(id)] == [
        ("remembered", "mara", None),
        ("updated", "mara", None),
        ("merged", "mara", None),
        ("updated", "mara", None),
        ("attested", "jun", "looked"),
        ("invalidated", "mara", "moved"),
        ("revived", "mara", None),
        ("undone", "mara", "it did not"),
        ("forgot", "mara", None),
    ]
    assert [event.at for event in memory.history(id)] == [clock() - 1000] * 6 + [clock()] * 3


def test_a_fact_has_a_history(memory: Mnemopi, clock: FixedClock) -> None:
    fact = memory.facts.assert_("staging", "port", "5433", reason="saw it")
    clock.advance(hours=1)
    memory.facts.end(fact.id, reason="gone")
    assert [(event.verb, event.actor, event.reason) for event in memory.history(fact.id)] == [
        ("asserted", "mara", "saw it"),
        ("ended", "mara", "gone"),
    ]


def test_an_episode_has_a_history(memory: Mnemopi) -> None:
    ids = [memory.remember(text) for text in ("The harbour is closed", "The crane stands still", "The pilot sleeps")]
    episode = memory.consolidate(ids, "The harbour is closed, the crane stands still and the pilot sleeps.")
    assert len(memory.history(episode)) == 1
    memory.invalidate(episode)
    assert verbs(memory.history(episode))[1:] == ["invalidated"]


def test_what_the_caller_may_not_see_has_no_history(memory: Mnemopi) -> None:
    own = memory.acting_as(session_id="a")
    id, fact = own.remember("mine", scope="session"), own.facts.assert_("staging", "port", "5433", scope="session")
    for hidden in (id, fact.id, "0" * 16):
        with pytest.raises(NotFoundError):
            memory.acting_as(session_id="b").history(hidden)


def test_recalls_are_noted_only_where_the_setting_says_so(tmp_path: Path, memory: Mnemopi) -> None:
    id = memory.remember("the anchor is rusty")
    memory.recall("anchor")
    assert verbs(memory.history(id)) == ["remembered"]
    config = {"journal.recalls": True}
    with Mnemopi(tmp_path / "m.db", author_id="jun", config=config, no_embeddings=True) as noted:
        noted.recall("anchor")
        noted.recall("nothing like it")
        assert [(event.verb, event.actor, event.version) for event in noted.history(id)[1:]] == [("recalled", "jun", 1)]


# -- the stream


def test_the_stream_goes_on_after_the_last_event_that_was_seen(memory: Mnemopi) -> None:
    ids = [memory.remember(f"memory {number}") for number in range(5)]
    seen: list[Event] = []
    while page := memory.events(seen[-1].cursor if seen else None, limit=2):
        assert len(page) <= 2
        seen += page
    assert [event.memory for event in seen] == ids
    memory.pin(ids[0])
    assert verbs(memory.events(seen[-1].cursor)) == ["updated"]


def test_the_stream_is_in_the_order_of_commits_even_where_the_clock_goes_back(
    memory: Mnemopi, clock: FixedClock
) -> None:
    first = memory.remember("first")
    cursor = memory.events()[-1].cursor
    clock.advance(days=-1)
    second = memory.remember("second")
    assert [event.memory for event in memory.events()] == [first, second]
    assert [event.memory for event in memory.events(cursor)] == [second]


def test_what_a_load_brought_stands_before_what_was_done_here(memory: Mnemopi, tmp_path: Path) -> None:
    old = memory.remember("from elsewhere")
    memory.pin(old)
    memory.export(tmp_path / "all.jsonl")
    with Mnemopi(tmp_path / "b.db", no_embeddings=True) as other:
        new = other.remember("from here")
        other.load(tmp_path / "all.jsonl")
        seen: list[Event] = []
        while page := other.events(seen[-1].cursor if seen else None, limit=1):
            seen += page
        assert [(event.verb, event.memory) for event in seen] == [
            ("remembered", old),
            ("updated", old),
            ("remembered", new),
            ("loaded", None),
        ]


def test_after_a_restore_the_stream_begins_anew_with_the_restore(memory: Mnemopi) -> None:
    memory.remember("before")
    made = memory.backup()
    memory.remember("lost")
    cursor = memory.events()[-1].cursor
    memory.restore(made.path)
    assert verbs(memory.events(cursor)) == ["restored"]


def test_events_of_what_the_caller_may_not_see_are_left_out(memory: Mnemopi) -> None:
    memory.acting_as(session_id="a").remember("mine", scope="session")
    memory.remember("everybody's")
    assert len(memory.events()) == 1
    assert len(memory.acting_as(session_id="a").events()) == 2


@pytest.mark.parametrize("after", ["", "abc", "abc:", ":x", 7])
def test_what_is_no_cursor_is_refused(memory: Mnemopi, after: Any) -> None:
    with pytest.raises(UsageError, match="cursor"):
        memory.events(after)


@pytest.mark.parametrize("limit", [0, -1, True, "5"])
def test_a_limit_is_a_whole_number_from_1(memory: Mnemopi, limit: Any) -> None:
    with pytest.raises(UsageError, match="limit"):
        memory.events(limit=limit)


# -- who is told


def test_a_handler_is_told_after_the_commit_and_finds_what_it_is_told_of(memory: Mnemopi, tmp_path: Path) -> None:
    told: list[Event] = []
    there: list[bool] = []

    def handler(events: Sequence[Event]) -> None:
        told.extend(events)
        with Mnemopi(tmp_path / "m.db", no_embeddings=True) as other:
            there.append(all(other.get(str(event.memory)) is not None for event in events))

    memory.subscribe(handler)
    memory.remember_many([{"content": "one"}, {"content": "two"}])
    assert (verbs(told), there) == (["remembered"] * 2, [True])
    assert [event.cursor for event in told] == [event.cursor for event in memory.events()]


def test_a_handler_that_fails_breaks_neither_the_write_nor_the_next_handler(memory: Mnemopi) -> None:
    told: list[Event] = []

    def broken(events: Sequence[Event]) -> None:
        raise RuntimeError("no")

    memory.subscribe(broken)
    memory.subscribe(told.extend)
    id = memory.remember("one")
    assert memory.get(id) is not None and verbs(told) == ["remembered"]


def test_nobody_is_told_of_what_was_not_committed(memory: Mnemopi) -> None:
    told: list[Event] = []
    memory.subscribe(told.extend)
    store = memory.bank._store

    def failing() -> None:
        with store.transaction():
            store.journal.append([Event(1, "remembered", "x")])
            raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        failing()
    memory.remember("one")
    assert [event.memory for event in told] == [event.memory for event in memory.events()] and len(told) == 1


def test_a_handler_that_is_taken_off_hears_no_more(memory: Mnemopi) -> None:
    told: list[Event] = []
    take_off = memory.subscribe(told.extend)
    memory.remember("one")
    take_off()
    memory.remember("two")
    assert len(told) == 1


def test_a_handler_may_write(memory: Mnemopi) -> None:
    def handler(events: Sequence[Event]) -> None:
        for event in events:
            if event.verb == "remembered":
                memory.pin(str(event.memory))

    memory.subscribe(handler)
    id = memory.remember("one")
    assert verbs(memory.history(id)) == ["remembered", "updated"]


def test_each_event_of_many_threads_is_told_once(memory: Mnemopi) -> None:
    told: list[str] = []
    memory.subscribe(lambda events: told.extend(event.cursor for event in events))
    threads = [
        threading.Thread(target=lambda name=name: [memory.remember(f"{name} {number}") for number in range(20)])
        for name in "abcd"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(told) == sorted(event.cursor for event in memory.events()) and len(told) == 80


def test_the_surface_and_a_restored_bank_are_heard_too(memory: Mnemopi) -> None:
    told: list[Event] = []
    memory.subscribe(told.extend)
    memory.surface.remember("Mara wants answers in German", "preference")
    memory.restore(memory.backup().path)
    memory.remember("after")
    assert verbs(told) == ["remembered", "remembered"]


def test_a_handler_is_a_callable(memory: Mnemopi) -> None:
    with pytest.raises(UsageError, match="callable"):
        memory.subscribe("print")  # type: ignore[arg-type]
