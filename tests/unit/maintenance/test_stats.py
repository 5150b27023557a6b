from __future__ import annotations

from typing import Any

from mnemopi.config import Config
from mnemopi.ingest import edits, settle
from mnemopi.maintenance import stats
from mnemopi.model.graph import Annotation, Edge
from mnemopi.storage import schema
from mnemopi.storage.store import Store
from mnemopi.testing import FixedClock, HashingEmbedder

from .conftest import GATE, NOW, WHO, Opened, add, forget

REFERENCE = {"total_memories", "total_sessions", "sources", "last_memory", "database", "mode", "beam"}


class Unloaded(HashingEmbedder):
    """An embedder whose model must not be loaded for a count."""

    def __init__(self) -> None:
        super().__init__()
        del self.dimensions
        self.name = "local:big-model"

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} was asked for")


def test_an_empty_bank_has_the_references_keys_and_no_times(opened: Opened) -> None:
    store = opened()
    told = stats.stats(store, None, NOW)
    assert set(told) >= REFERENCE
    assert told["beam"] == {
        "working_memory": {"total": 0, "count": 0, "last": None},
        "episodic_memory": {"total": 0, "count": 0, "last": None, "vectors": 0, "vec_type": "none"},
        "triples": {"total": 0},
    }
    assert (told["total_memories"], told["sources"], told["last_memory"], told["last_write"]) == (0, {}, None, None)
    assert (told["mode"], told["database"], told["bank"]) == ("beam", str(store.path), "default")
    assert (told["created_at"], told["schema"]) == ("2025-06-15T15:06:40.000Z", len(schema.steps()))
    assert told["embeddings"]["coverage"] == 0.0 and told["embeddings"]["provider"] == "none"


def test_facts_are_counted_by_what_holds_of_them(opened: Opened) -> None:
    store = opened()
    add(store, "The staging port is 5433", timestamp="2025-01-01T00:00:00Z")
    add(store, "The staging port is 5434", "I like green tea", timestamp="2025-02-01T00:00:00Z")
    told = stats.stats(store, None, NOW)
    assert told["facts"] == {"in_force": 2, "ended": 1, "contested": 0, "waiting": 0}
    assert told["beam"]["triples"] == {"total": 2}


def test_annotations_and_links_are_counted(opened: Opened) -> None:
    store = opened()
    assert stats.stats(store, None, NOW)["graph"] == {"annotations": 0, "edges": 0}
    one, two = add(store, "one", "two")
    with store.transaction():
        store.graph.annotate([Annotation(one, "mentions", "Ines", "ines", at=NOW)])
        store.graph.link([Edge(one, two, "follows", 0.5, at=NOW)])
    assert stats.stats(store, None, NOW)["graph"] == {"annotations": 1, "edges": 1}


def test_states_are_counted_apart(opened: Opened) -> None:
    store = opened()
    ids = add(store, "a", "b", source="user", timestamp="2026-01-01T00:00:00Z")
    add(store, "c", "d", session_id="s2", scope="global", pinned=True, timestamp="2025-01-01")
    (gone,) = add(store, "e")
    forget(store, gone, NOW + 1)
    asked: dict[str, Any] = {"importance": None, "pinned": None, "expected_version": None}
    edits.update(store, ids[0], WHO, GATE, NOW + 2, content="changed", **asked)
    edits.invalidate(store, ids[1], WHO, NOW + 3, replacement=None, reason=None)
    told = stats.stats(store, None, NOW + 4)
    assert told["total_memories"] == 4 and told["beam"]["working_memory"]["total"] == 4
    assert told["total_sessions"] == 2
    assert told["sources"] == {"conversation": 2, "user": 2}
    assert told["last_memory"] == "2026-01-01T00:00:00.000Z"
    assert (told["retired_versions"], told["invalid"], told["pinned"], told["global"]) == (2, 1, 2, 2)
    assert told["tombstones"] == 1
    assert (told["last_write"], told["writes_last_day"]) == ("2025-06-15T15:06:40.003Z", 8)
    assert told["bytes"] > store.path.stat().st_size


def test_coverage_tells_how_far_the_current_model_has_come(opened: Opened) -> None:
    store, embedder, clock = opened(), HashingEmbedder(64), FixedClock(NOW)
    add(store, "a", "b", "c", "d")
    before = stats.stats(store, embedder, NOW)["embeddings"]
    assert before == {
        "provider": "testing",
        "model": "hashing-64",
        "dimensions": None,
        "coverage": 0.0,
        "pending": 4,
        "oldest_pending": "2025-06-15T15:06:40.000Z",
        "refused": 0,
        "serving": None,
        "models": {},
    }
    settle.settle(store, embedder, "me", clock, limit=3)
    half = stats.stats(store, embedder, NOW)["embeddings"]
    assert (half["coverage"], half["pending"], half["dimensions"]) == (0.75, 1, 64)
    settle.settle(store, embedder, "me", clock)
    told = stats.stats(store, embedder, NOW)
    assert told["embeddings"]["serving"] == "testing:hashing-64"
    assert told["embeddings"]["models"] == {"testing:hashing-64": 4}
    assert (told["beam"]["episodic_memory"]["vectors"], told["beam"]["episodic_memory"]["vec_type"]) == (4, "float32")


def test_a_version_with_many_passages_counts_once(opened: Opened) -> None:
    store, embedder = opened(), HashingEmbedder(64)
    add(store, "word " * 1000)
    settle.settle(store, embedder, "me", FixedClock(NOW))
    assert store.vectors.models() == {embedder.name: 1}
    assert len(store.vectors.of(embedder.name, [1])) > 1


def test_no_model_is_loaded_for_a_count(opened: Opened) -> None:
    store = opened()
    add(store, "a")
    told = stats.stats(store, Unloaded(), NOW)
    assert told["embeddings"]["dimensions"] is None and told["embeddings"]["pending"] == 1


def test_a_bank_in_memory_has_no_bytes_on_disk() -> None:
    store = Store(":memory:", "default", "default", Config().storage, now=NOW)
    assert stats.stats(store, None, NOW)["bytes"] == 0
    store.close()
