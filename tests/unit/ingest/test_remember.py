"""The main path of writing, on a store alone: one batch is one transaction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemopi.ingest import prepare, remember
from mnemopi.ingest.draft import Draft
from mnemopi.ingest.prepare import Gate
from mnemopi.model.memory import Identity, Receipt
from mnemopi.storage.store import Store

NOW = 1_750_000_000_000
Add = Callable[..., list[Receipt]]

DRAFTS = st.builds(
    Draft,
    content=st.sampled_from(["ok", "yes", "the port is 5433"]),
    session_id=st.sampled_from([None, "s", "t"]),
    position=st.sampled_from([None, None, 0, 5]),
    external_id=st.sampled_from([None, None, "e1", "e2"]),
    scope=st.sampled_from(["bank", "session", "global"]),
    importance=st.sampled_from([0.5, 0.2, 0.9]),
    author_id=st.sampled_from([None, "ines"]),
)


def test_a_batch_that_fails_leaves_nothing(store: Store, gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: Any) -> None:
        raise RuntimeError("the last step failed")

    ready = [prepare.prepare(Draft(f"note {number}"), Identity(), NOW, gate) for number in range(5)]
    monkeypatch.setattr(store.journal, "append", broken)
    with pytest.raises(RuntimeError):
        remember.remember(store, ready, NOW)
    assert store.memories.count() == 0
    assert store.integrity() == []


def test_every_write_is_in_the_journal_without_its_text(store: Store, add: Add) -> None:
    (id,) = add("the port is 5433", who=Identity("s", "ines"))
    add("the port is 5433", who=Identity("s", "ines"), importance=0.9)
    events = store.journal.history(id)
    assert [(event.verb, event.version, event.actor) for event in events] == [
        ("remembered", 1, "ines"),
        ("merged", 2, "ines"),
    ]
    assert "5433" not in repr(events)


def test_each_version_has_its_search_row_and_passages(store: Store, add: Add) -> None:
    add("harbour " * 400, "short", "short")
    add("short", importance=0.9)
    indexed, without_row, without_index = store.connection.all(store.sql.count_search)[0]
    assert (indexed, without_row, without_index) == (3, 0, 0)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=st.lists(st.lists(DRAFTS, max_size=8), max_size=4))
def test_however_it_is_batched_the_outcome_is_the_same(
    store_factory: Callable[[], Store], gate: Gate, batches: list[list[Draft]]
) -> None:
    def facts(parts: list[list[Draft]]) -> list[tuple[Any, ...]]:
        store = store_factory()
        receipts: list[Receipt] = []
        for part in parts:
            receipts += remember.remember(store, [prepare.prepare(d, Identity(), NOW, gate) for d in part], NOW)
        places = {id: place for place, id in reversed(list(enumerate(receipts)))}
        told = []
        for receipt in receipts:
            memory = store.memories.current(receipt.id, Identity("s"))
            seen = None if memory is None else (memory.position, memory.importance, memory.version, memory.kind)
            told.append((places[receipt], receipt.outcome, seen, len(store.memories.occurrences(receipt.id))))
        store.close()
        return told

    flat = [draft for batch in batches for draft in batch]
    assert facts(batches) == facts([flat]) == facts([[draft] for draft in flat])


@pytest.fixture
def store_factory() -> Callable[[], Store]:
    from mnemopi.settings import StorageConfig

    return lambda: Store(":memory:", "default", "default", StorageConfig(), now=NOW)
