"""The queue of what rules have yet to read: in slices, up to a limit, and one memory before all others."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC

import pytest

from mnemopi.ingest import prepare, remember, unclaimed
from mnemopi.ingest.draft import Draft
from mnemopi.ingest.prepare import Gate
from mnemopi.model.memory import Identity
from mnemopi.storage.store import Store
from tests.unit.ingest.conftest import NOW


@pytest.fixture
def ids(store: Store, gate: Gate) -> list[str]:
    """Memories that state a port each, written at once."""
    later = replace(gate, at_once=False)
    drafts = [Draft(f"The port of shop{number} is {number + 1000}.") for number in range(100)]
    return [*remember.remember(store, [prepare.prepare(each, Identity(), NOW, later) for each in drafts], NOW)]


def objects(store: Store) -> set[str]:
    return {fact.object for id in store.facts.slots("", 1000) for fact in store.facts.live([id])}


def test_work_reads_those_that_wait_longest(store: Store, ids: list[str]) -> None:
    with store.transaction():
        assert unclaimed.work(store, 3, NOW, UTC) == 3
    assert objects(store) == {"1000", "1001", "1002"} and store.unclaimed.count() == 97


def test_catching_up_stops_behind_its_limit_and_else_at_the_end(store: Store, ids: list[str]) -> None:
    unclaimed.catch_up(store, UTC, NOW, 1)
    assert 0 < store.unclaimed.count() < 100
    unclaimed.catch_up(store, UTC, NOW)
    assert store.unclaimed.count() == 0 and len(objects(store)) == 100


def test_one_memory_may_be_read_before_all_others(store: Store, ids: list[str]) -> None:
    unclaimed.first(store, ids[50], UTC, NOW)
    assert objects(store) == {"1050"} and store.unclaimed.count() == 99
    unclaimed.catch_up(store, UTC, NOW)
    assert len(objects(store)) == 100


def test_a_count_may_stop_early(store: Store, ids: list[str]) -> None:
    assert store.unclaimed.count(5) == 5 and store.unclaimed.count() == 100


def test_what_lost_its_memory_waits_for_nothing(store: Store, ids: list[str]) -> None:
    with store.transaction():
        for id in ids:
            store.memories.drop(id)
    unclaimed.catch_up(store, UTC, NOW)
    assert store.unclaimed.count() == 0


def test_a_slice_is_taken_from_the_head_of_the_queue_however_long_that_is(store: Store) -> None:
    """Through the index on memories, each slice would read and sort all that waits: the whole would be quadratic."""
    every = {"bank": "default", "limit": 64, "seq": 1}
    for statement in (store.sql.next_unclaimed, store.sql.end_unclaimed):
        named = {name: value for name, value in every.items() if f":{name}" in statement}
        plan = [row[3] for row in store.connection.all(f"EXPLAIN QUERY PLAN {statement}", named)]
        assert not any("unclaimed_memory" in step or "TEMP B-TREE" in step for step in plan), plan
