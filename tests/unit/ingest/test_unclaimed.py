"""The queue of what rules have yet to read: in slices, up to a limit, and one memory before all others."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import UTC
from typing import Any

import pytest

from mnemopi.errors import FullError
from mnemopi.ingest import edits, prepare, remember, unclaimed
from mnemopi.ingest.draft import Draft
from mnemopi.ingest.prepare import Gate
from mnemopi.model.memory import Identity
from mnemopi.settings import StorageConfig
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


def test_a_glance_reads_a_slice_and_catching_up_all(store: Store, ids: list[str]) -> None:
    unclaimed.glance(store, UTC, NOW)
    assert 0 < store.unclaimed.count() < 100
    unclaimed.catch_up(store, UTC, NOW)
    assert store.unclaimed.count() == 0 and len(objects(store)) == 100


def test_a_glance_fails_of_no_full_disk(store: Store, ids: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise FullError("there is no space left")

    monkeypatch.setattr(unclaimed, "work", full)
    unclaimed.glance(store, UTC, NOW)
    assert store.unclaimed.count() == 100


def test_what_another_process_read_and_changed_meanwhile_is_not_read_from_an_old_look(
    store: Store, gate: Gate, ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = store.transaction

    def late(*given: Any, **options: Any) -> Any:
        monkeypatch.setattr(store, "transaction", begin)
        with closing(Store(store.path, "default", "default", StorageConfig(), now=NOW)) as other:
            unclaimed.first(other, ids[7], UTC, NOW)
            said: dict[str, Any] = {"content": "The port of shop7 is 9999.", "importance": None, "pinned": None}
            edits.update(other, ids[7], Identity(), gate, NOW + 1, **said, expected_version=None)
        return begin(*given, **options)

    monkeypatch.setattr(store, "transaction", late)
    unclaimed.first(store, ids[7], UTC, NOW + 2)
    assert objects(store) == {"9999"}


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
