"""Memories in the database: put, versioned, found by their texts, and erased with all that hangs on them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemopi.model import nesting
from mnemopi.model.interval import Interval
from mnemopi.model.memory import Identity, Memory, Occurrence
from mnemopi.model.query import Filter
from mnemopi.storage import filters
from mnemopi.storage.memories import Prepared
from mnemopi.storage.rows import note_hash
from mnemopi.storage.store import Store
from mnemopi.text import tokens

NOW = 1_750_000_000_000
Put = Callable[..., Memory]
WHO = Identity("s")
NAMES = st.none() | st.text("abc-", min_size=1, max_size=5)


def asked(**fields: object) -> dict[str, object]:
    return filters.parameters("default", Filter(identity=WHO, **fields), NOW)  # type: ignore[arg-type]


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=40),
    importance=st.floats(0, 1),
    event=st.none() | st.builds(Interval, st.integers(0, 5), st.integers(6, 9), st.sampled_from(["day", "span"])),
    metadata=st.none()
    | st.dictionaries(st.text("ab", max_size=3), st.integers() | st.text("中é\"'", max_size=3), max_size=3),
    position=st.none() | st.integers(0, 2**53),
    author=NAMES,
    channel=NAMES,
    pinned=st.booleans(),
)
def test_a_memory_comes_back_as_it_was_put(
    store: Store,
    content: str,
    importance: float,
    event: Interval | None,
    metadata: dict[str, object] | None,
    position: int | None,
    author: str | None,
    channel: str | None,
    pinned: bool,
) -> None:
    memory = Memory(
        id=f"id{store.memories.last_rowkey() + 1}",
        version=1,
        kind="turn",
        content=content,
        recorded_at=NOW,
        timestamp=NOW - 5,
        session_id="s",
        importance=importance,
        event=event,
        metadata=metadata,
        position=position,
        author_id=author,
        channel_id=channel,
        pinned=pinned,
        external_id="e",
        valid_until=NOW + 1,
    )
    with store.transaction():
        key = store.memories.put([Prepared(memory, tokens.shadow(content))])
    assert store.memories.current(memory.id, WHO) == replace(memory, rowkey=key)
    assert store.memories.get([key]) == {key: replace(memory, rowkey=key)}


def test_row_keys_are_never_given_twice(store: Store, put: Put) -> None:
    last = put("a").rowkey
    with store.transaction():
        store.memories.erase("a", NOW, b"key")
    assert put("b").rowkey == last + 1


def test_only_the_version_in_force_is_found(store: Store, put: Put) -> None:
    old = put("a", "the port is heliotrope")
    with store.transaction():
        told = replace(old, content="the port is vermilion")
        new = store.memories.succeed(old, Prepared(told, tokens.shadow(told.searchable)), NOW + 10)
    assert (new.version, new.recorded_at, store.memories.count()) == (2, NOW + 10, 1)
    assert store.memories.versions("a")[0].retired_at == NOW + 10
    assert store.memories.lexical('"heliotrop"', asked(), 5) == []
    assert [key for key, _ in store.memories.lexical('"vermilion"', asked(), 5)] == [new.rowkey]
    assert [key for key, _ in store.memories.lexical('"heliotrop"', asked(as_of=NOW + 9), 5)] == [old.rowkey]
    assert store.memories.lexical('"heliotrop"', asked(as_of=NOW + 10), 5) == []


def test_the_limit_counts_what_is_admitted_and_nothing_else(store: Store, put: Put) -> None:
    for number in range(30):
        put(f"hidden{number}", "harbour harbour harbour", scope="session", session_id="other")
    mine = put("mine", "a long text in which the harbour is named once among many other words")
    assert [key for key, _ in store.memories.lexical('"harbour"', asked(), 1)] == [mine.rowkey]
    assert store.memories.latest(asked(), 1) == [mine.rowkey]
    assert store.memories.admitted(asked(), 99) == [mine.rowkey]


def test_what_happened_in_a_stretch_comes_before_what_was_said_in_it(store: Store, put: Put) -> None:
    said = put("said", timestamp=NOW)
    happened = put("happened", timestamp=NOW + 10_000, event=Interval(NOW - 5, NOW + 5))
    put("neither", timestamp=NOW + 10_000)
    assert store.memories.within(Interval(NOW - 1, NOW + 1), asked(), 9) == [happened.rowkey, said.rowkey]


def test_frequencies_and_averages_count_every_version(store: Store, put: Put) -> None:
    put("a", "harbour crane")
    put("b", "harbour")
    assert store.memories.frequencies(["harbour", "crane", "ferry"]) == {"harbour": 2, "crane": 1}
    count, average = store.averages()
    assert count == 2 and average > 0


def test_neighbours_are_read_by_their_places(store: Store, put: Put) -> None:
    for position in range(10):
        put(f"t{position}", kind="turn", position=position)
    rows = store.memories.places([("s", 2, 4), ("s", 9, 20), ("t", 0, 9)], asked())
    assert sorted(row.position for row in rows if row.position is not None) == [2, 3, 4, 9]


def test_equal_notes_have_equal_hashes_and_others_do_not(put: Put) -> None:
    one = put("a", scope="session")
    assert note_hash(one) == note_hash(replace(one, id="b", importance=0.9, channel_id="red", source="x"))
    different = [
        replace(one, content="other"),
        replace(one, author_id="ines"),
        replace(one, session_id="t"),
        replace(one, scope="bank"),
        replace(one, kind="episode"),
    ]
    assert len({note_hash(each) for each in [one, *different]}) == 6
    assert note_hash(replace(one, scope="bank")) == note_hash(replace(one, scope="bank", session_id="t"))


def test_occurrences_and_recalls_add_up(store: Store, put: Put) -> None:
    put("a")
    with store.transaction():
        for at in (1, 2):
            store.memories.occur(Occurrence("a", at, "s", "ines"))
    assert [one.at for one in store.memories.occurrences("a")] == [1, 2]
    store.memories.count_recalls({"a": (2, 50)})
    store.memories.count_recalls({"a": (3, 40)})
    assert store.memories.recall_count("a") == (5, 50)


def test_what_was_forgotten_meanwhile_is_not_counted_as_recalled(store: Store, put: Put) -> None:
    put("a")
    put("b")
    with store.transaction():
        store.memories.erase("a", NOW, b"key")
    store.memories.count_recalls({"a": (2, 50), "b": (1, 50)})
    assert store.memories.recall_count("a") == (0, None)
    assert store.memories.recall_count("b") == (1, 50)


def test_authors_are_known_while_something_of_theirs_is_left(store: Store, put: Put) -> None:
    put("a", author_id="ines")
    put("b", author_id="ines")
    put("c", author_id="omar")
    assert store.memories.authors() == ["ines", "omar"]
    with store.transaction():
        store.memories.erase("a", NOW, b"key")
        store.memories.erase("c", NOW, b"key")
    assert store.memories.authors() == ["ines"]


def test_metadata_that_are_deeper_than_is_taken_now_are_read_as_text_from_there_on(store: Store, put: Put) -> None:
    put("old")
    levels = 500
    written = '{"a":' * levels + "{}" + "}" * levels
    store.connection.execute("UPDATE memory SET metadata = :written WHERE id = 'old'", {"written": written})
    kept = store.memories.current("old", WHO)
    assert kept is not None
    read = json.dumps(kept.metadata)
    assert nesting.fits(read)
    assert '{\\"a\\":{}}' in read, "and nothing is lost"
