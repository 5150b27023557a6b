"""Writing many, on a store alone: what is acknowledged is stored, in order, and nobody waits for the disk in vain."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from mnemopi.errors import StorageError, UsageError
from mnemopi.ingest import bulk, prepare
from mnemopi.ingest import draft as drafts
from mnemopi.ingest.prepare import Gate
from mnemopi.model.memory import Identity, Receipt
from mnemopi.storage.sqlite import SqliteConnection
from mnemopi.storage.store import Store

NOW = 1_750_000_000_000
Many = Callable[..., list[Receipt]]


def numbered(first: int, stop: int) -> Iterator[dict[str, str]]:
    return ({"content": f"note {number}"} for number in range(first, stop))


@pytest.fixture
def many(store: Store, gate: Gate) -> Many:
    def written(items: Iterable[Mapping[str, Any]], size: int = 3, acknowledge: Any = lambda _: None) -> list[Receipt]:
        def ready(item: Mapping[str, Any]) -> prepare.Ready:
            return prepare.prepare(drafts.of(item), Identity(), NOW, gate)

        return bulk.remember_many(bulk.Line(store, lambda: NOW, acknowledge), items, ready, size)

    return written


@pytest.mark.parametrize("items", [None, 5, "text", b"text", {"content": "one alone"}])
def test_items_are_an_iterable_of_mappings_and_nothing_else(many: Many, store: Store, items: Any) -> None:
    with pytest.raises(UsageError, match="iterable of mappings"):
        many(items)
    assert store.inventory.rows()["memory"] == 0


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Commits wait for this event."""
    go, commit = threading.Event(), SqliteConnection._commit

    def late(connection: SqliteConnection) -> None:
        assert go.wait(20)
        commit(connection)

    monkeypatch.setattr(SqliteConnection, "_commit", late)
    return go


def refuse(store: Store) -> None:
    """Let the next commits fail."""
    store.connection._raw().set_commit_hook(lambda: True)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 6, 7])
def test_all_are_stored_and_acknowledged_in_order_batch_by_batch(store: Store, many: Many, count: int) -> None:
    heard: list[Receipt] = []
    receipts = many(numbered(0, count), acknowledge=heard.extend)
    assert heard == receipts
    assert [store.memories.current(id, Identity()).content for id in receipts] == [  # type: ignore[union-attr]
        item["content"] for item in numbered(0, count)
    ]


def test_the_next_batch_is_prepared_while_one_is_committed(store: Store, many: Many, held: threading.Event) -> None:
    def items() -> Iterator[dict[str, str]]:
        yield from numbered(0, 4)
        held.set()  # asked for only because nobody waits for the first commit
        yield from numbered(4, 8)

    assert len(many(items())) == 8
    assert store.memories.count() == 8


def test_a_batch_is_acknowledged_only_when_it_is_stored(store: Store, many: Many, held: threading.Event) -> None:
    heard: list[int] = []

    def acknowledge(receipts: Sequence[Receipt]) -> None:
        assert all(store.memories.current(id, Identity()) for id in receipts)
        heard.append(len(receipts))

    def items() -> Iterator[dict[str, str]]:
        yield from numbered(0, 5)
        assert heard == []
        held.set()
        yield from numbered(5, 6)

    many(items(), acknowledge=acknowledge)
    assert heard == [3, 3]


def test_a_bad_item_is_told_with_what_is_committed_by_then(store: Store, many: Many) -> None:
    heard: list[Receipt] = []
    with pytest.raises(UsageError, match="item 4: content is empty; 3 are committed, none after them"):
        many([*numbered(0, 4), {"content": ""}], acknowledge=heard.extend)
    assert len(heard) == store.memories.count() == 3


def test_an_error_of_the_items_themselves_leaves_whole_batches(store: Store, many: Many) -> None:
    heard: list[Receipt] = []

    def items() -> Iterator[dict[str, str]]:
        yield from numbered(0, 4)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        many(items(), acknowledge=heard.extend)
    assert len(heard) == store.memories.count() == 3


def test_a_commit_that_fails_is_raised_and_not_acknowledged(store: Store, many: Many) -> None:
    heard: list[Receipt] = []

    def items() -> Iterator[dict[str, str]]:
        yield from numbered(0, 3)
        assert store.memories.count() == 3
        refuse(store)
        yield from numbered(3, 9)

    with pytest.raises(StorageError):
        many(items(), acknowledge=heard.extend)
    assert len(heard) == store.memories.count() == 3
    store.connection._raw().set_commit_hook(None)
    assert len(many(numbered(3, 5))) == 2
    assert store.integrity() == []


def test_items_may_read_and_write_the_same_bank(store: Store, many: Many) -> None:
    def items() -> Iterator[dict[str, str]]:
        for number in range(7):
            many(numbered(100 + number, 101 + number))
            yield {"content": f"after {store.memories.count()}"}

    assert len(many(items())) == 7
    assert store.memories.count() == 14


def test_no_thread_stays(many: Many) -> None:
    many(numbered(0, 7))
    assert not [thread for thread in threading.enumerate() if thread.name == "mnemopi-commit"]
