"""Changes to what is stored, on a store alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mnemopi.errors import NotFoundError
from mnemopi.ingest import edits
from mnemopi.ingest.prepare import Gate
from mnemopi.model.memory import Identity, Receipt
from mnemopi.storage.store import Store

NOW = 1_750_000_000_000
WHO = Identity("s", "ines")
Add = Callable[..., list[Receipt]]


def test_an_update_with_the_same_text_keeps_passages_and_vectors(store: Store, add: Add, gate: Gate) -> None:
    (id,) = add("harbour ledger " * 200)
    (first,) = store.memories.versions(id)
    passages = store.vectors.passages(first.rowkey)
    assert len(passages) > 1
    store.vectors.put("model", [(first.rowkey, number, b"\0\0\0\0") for number, _, _ in passages])
    edits.update(store, id, WHO, gate, NOW, content=None, importance=0.9, pinned=None, expected_version=None)
    second = store.memories.versions(id)[-1]
    assert second.rowkey != first.rowkey
    assert store.vectors.passages(second.rowkey) == passages
    assert len(store.vectors.of("model", [second.rowkey])) == len(passages)
    edits.update(store, id, WHO, gate, NOW, content="all new", importance=None, pinned=None, expected_version=None)
    third = store.memories.versions(id)[-1]
    assert store.vectors.passages(third.rowkey) == [] and store.vectors.of("model", [third.rowkey]) == []


def test_an_edit_that_fails_leaves_all_as_it_was(
    store: Store, add: Add, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    (id,) = add("the port is 5433")

    def broken(*arguments: object) -> None:
        raise RuntimeError("the journal is broken")

    with monkeypatch.context() as patch:
        patch.setattr(store.journal, "append", broken)
        for edit in (
            lambda: edits.update(
                store, id, WHO, gate, NOW, content="new", importance=None, pinned=None, expected_version=None
            ),
            lambda: edits.invalidate(store, id, WHO, NOW, replacement=None, reason=None),
            lambda: edits.forget(store, id, WHO, NOW),
        ):
            with pytest.raises(RuntimeError):
                edit()
    (memory,) = store.memories.versions(id)
    assert (memory.content, memory.version, memory.valid_until) == ("the port is 5433", 1, None)
    assert not store.memories.is_buried(id) and not store.is_erasing


def test_forgetting_leaves_a_tombstone_with_a_keyed_mark_and_no_orphans(store: Store, add: Add) -> None:
    (id,), (twin,) = add("the port is 5433", author_id="ines"), add("the port is 5433", author_id="omar")
    (memory,) = store.memories.versions(id)
    store.vectors.put("model", [(memory.rowkey, 0, b"\0\0\0\0")])
    store.memories.count_recalls({str(id): (2, NOW)})
    last = store.vectors.last_seq()
    erasure = edits.forget(store, id, WHO, NOW)
    assert (erasure.id, erasure.status, erasure.versions) == (id, "erased", 1)
    assert store.memories.is_buried(id) and store.memories.is_taken(id)
    ((mark,),) = store.connection.all("SELECT hash FROM tombstone")
    assert len(mark) == 32 and b"5433" not in mark
    assert store.connection.all(store.sql.orphans, {"bank": "default"}) == [(0, 0, 0, 0)]
    assert store.memories.recall_count(id) == (0, None)
    assert store.memories.authors() == ["omar"] and len(store.memories.versions(twin)) == 1
    ((_, rowkey, _, data),) = store.vectors.after("model", last, 10)
    assert (rowkey, data) == (memory.rowkey, None), "readers of the vectors are told"
    with pytest.raises(NotFoundError):
        edits.forget(store, id, WHO, NOW)


def test_what_one_may_not_see_does_not_exist(store: Store, add: Add, gate: Gate) -> None:
    (id,) = add("private", who=Identity("one"), scope="session")
    with pytest.raises(NotFoundError):
        edits.found(store, id, Identity("two"))
    with pytest.raises(NotFoundError):
        edits.invalidate(store, id, Identity("two"), NOW, replacement=None, reason=None)
    (visible,) = add("visible")
    with pytest.raises(NotFoundError):
        edits.invalidate(store, visible, Identity("two"), NOW, replacement=id, reason=None)
    assert edits.found(store, id, Identity("one")).id == id
