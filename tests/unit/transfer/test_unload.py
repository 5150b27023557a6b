from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from typing import Any

import pytest

from mnemopi.errors import StorageError
from mnemopi.ingest import edits
from mnemopi.ingest.prepare import Gate
from mnemopi.model.memory import Identity
from mnemopi.storage.notes import Notes
from mnemopi.storage.store import Store
from mnemopi.transfer import legacy
from mnemopi.transfer.cargo import Cargo, Taken
from mnemopi.transfer.lenient import Lenient
from mnemopi.transfer.unload import unload

NOW = 1_780_000_000_000
Open = Callable[..., Store]
TABLES: dict[str, Any] = {
    "working_memory": [
        {"id": "a", "content": "Ann works at Acme", "timestamp": "2026-03-05T10:00:00Z", "session_id": "s1"},
        {"id": "b", "content": "Ann works at Acme", "timestamp": "2026-03-05T11:00:00Z", "session_id": "s2"},
        {"id": "c", "content": "Bob left", "timestamp": "2026-03-05T12:00:00Z", "recall_count": 3},
    ],
    "episodic_memory": [{"id": "e", "content": "Ann, Acme", "summary_of": "a,b,gone", "timestamp": "2026-03-06"}],
    "scratchpad": [{"id": "n", "content": "scratch", "session_id": "s1", "created_at": "2026-03-05"}],
    "facts": [
        {"subject": "Ann", "predicate": "works_at", "object": "Acme", "source_msg_id": "a"},
        {"subject": "Bob", "predicate": "lives_in", "object": "Rome", "source_msg_id": None},
    ],
    "annotations": [{"memory_id": "a", "kind": "mood", "value": "calm"}],
    "graph_edges": [{"source": "a", "target": "c", "edge_type": "ctx", "weight": 0.5}],
}


def cargo(**tables: Any) -> Cargo:
    return legacy.cargo(TABLES | tables, Lenient(Gate(10_000, "full", UTC), NOW))


def take(store: Store, made: Cargo | None = None, now: int = NOW, **options: Any) -> Taken:
    asked = {"system": "mnemopi", "source": "x.db", "dry_run": False} | options
    return unload(store, made or cargo(), now, **asked)


def told(taken: Taken) -> dict[str, int]:
    return {name: value for name, value in taken.as_dict().items() if isinstance(value, int) and value}


def rows(store: Store) -> dict[str, int]:
    return store.inventory.rows()


def test_all_that_a_source_holds_is_written(opened: Open) -> None:
    store = opened()
    done = told(take(store))
    assert done == {"inserted": 4, "facts": 2, "annotations": 1, "edges": 1, "notes": 1}
    assert store.memories.recall_count("c")[0] == 3
    assert store.episodes.sources("e") == [("a", 1), ("b", 1)]
    assert [note.content for note in Notes(store.connection, store.bank, store.sql).latest("s1", 5)] == ["scratch"]
    assert [event.verb for event in store.journal.history("a")] == ["imported"]


def test_two_ids_with_one_text_stay_two(opened: Open) -> None:
    store = opened()
    take(store)
    assert [store.memories.versions(id)[0].session_id for id in "ab"] == ["s1", "s2"]


def test_a_second_import_changes_nothing(opened: Open) -> None:
    store = opened()
    take(store)
    before = rows(store)
    done = told(take(store, now=NOW + 1000))
    assert done == {"known": 4}
    assert rows(store) == before


def test_a_dry_run_tells_the_same_and_writes_nothing(opened: Open) -> None:
    store = opened()
    before = rows(store)
    dry = take(store, dry_run=True)
    assert rows(store) == before
    assert told(take(store)) | {"dry_run": True} == told(dry)


def test_what_is_here_stays_as_it_is_and_what_was_forgotten_stays_forgotten(opened: Open) -> None:
    store, who = opened(), Identity()
    take(store)
    gate = Gate(10_000, "full", UTC)
    edits.update(store, "a", who, gate, NOW, content="Ann left", importance=None, pinned=None, expected_version=None)
    edits.forget(store, "c", who, NOW)
    done = told(take(store))
    assert (done["known"], done["forgotten"]) == (3, 1)
    assert store.memories.versions("a")[-1].content == "Ann left"
    assert store.memories.versions("c") == []
    assert "facts" not in done, "what a changed memory said is not stated again"


def test_what_a_memory_said_goes_with_it(opened: Open) -> None:
    store = opened()
    take(store)
    edits.forget(store, "a", Identity(), NOW)
    statements = [each for here in store.facts.statements(store.facts.slots("", 10)).values() for each in here]
    assert [each.subject for each in statements] == ["Bob"]


def test_an_error_in_the_middle_leaves_nothing(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    store = opened()
    before = rows(store)

    def fail(*_: object) -> None:
        raise StorageError("the disk went away")

    monkeypatch.setattr(store.graph, "link", fail)
    with pytest.raises(StorageError):
        take(store)
    assert rows(store) == before


def test_the_report_names_what_was_found_and_left(opened: Open) -> None:
    taken = take(opened(), cargo(gists=[{}, {}]))
    assert taken.found["working_memory"] == 3
    assert [(left.table, left.count) for left in taken.left] == [("gists", 2)]
    assert taken.as_dict()["left"][0]["why"]
