"""An open bank: what it says of itself, how it is left behind, and what failing to open leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from mnemopi.errors import InUseError, StorageError
from mnemopi.settings import StorageConfig
from mnemopi.storage import schema
from mnemopi.storage.locks import OpenLock
from mnemopi.storage.store import MEMORY, PENDING_ERASURE, Store

CONFIG = StorageConfig()


def test_a_name_is_kept_by_the_file_and_not_by_who_opens_it(tmp_path: Path) -> None:
    Store(tmp_path / "m.db", "id", "first", CONFIG, now=5).close()
    store = Store(tmp_path / "m.db", "id", "second", CONFIG, now=9)
    assert (store.name, store.meta.get("created_at")) == ("first", "5")
    store.close()


def test_opened_without_a_name_a_file_is_given_none(tmp_path: Path) -> None:
    store = Store(tmp_path / "m.db", "id", "", CONFIG, now=5)
    assert (store.name, store.meta.get("name")) == ("", None)
    store.close()
    store = Store(tmp_path / "m.db", "id", "named", CONFIG, now=9)
    assert store.name == "named"
    store.close()


def test_alone_is_refused_while_another_has_it_open(store: Store) -> None:
    other = Store(store.path, "default", "default", CONFIG, now=0)
    with pytest.raises(InUseError), other.alone():
        pass
    store.close()
    again = Store(store.path, "default", "default", CONFIG, now=0)
    with again.alone():
        with pytest.raises(InUseError):
            Store(store.path, "default", "default", CONFIG, now=0)
        Store(store.path, "default", "default", CONFIG, now=0, locked=True).close()


def test_a_store_that_could_not_be_opened_leaves_it_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.db"
    Store(path, "default", "default", CONFIG, now=0).close()

    def broken(*arguments: object, **options: object) -> None:
        raise StorageError("no good")

    with monkeypatch.context() as patch:
        patch.setattr(schema, "prepare", broken)
        with pytest.raises(StorageError, match="no good"):
            Store(path, "default", "default", CONFIG, now=0)
    OpenLock(path.with_name("m.db.lock"), alone=True).close()


def test_the_search_index_erases_as_it_is_set(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    for secure in (True, False, True):
        store = Store(path, "default", "default", StorageConfig(secure_delete=secure), now=0)
        option = store.connection.all(store.sql.search_option, {"option": "secure-delete"})
        assert int(option[0][0]) == int(secure)
        store.close()


def test_an_erasure_that_was_left_pending_is_finished_at_the_next_open(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    store = Store(path, "default", "default", CONFIG, now=0)
    store.meta.set(PENDING_ERASURE, "1")
    assert store.is_erasing
    store.close()
    store = Store(path, "default", "default", CONFIG, now=0)
    assert not store.is_erasing
    store.close()


def test_a_snapshot_does_not_move(store: Store, tmp_path: Path) -> None:
    store.meta.set("colour", "red")
    with store.snapshot() as before:
        assert before.ever() == 0
        with store.transaction():
            store.meta.set("colour", "blue")
        assert before.ever() == 0
    assert store.meta.get("colour") == "blue"


def test_a_bank_in_memory_has_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = Store(MEMORY, "default", "default", CONFIG, now=0)
    assert store.in_memory and store.writable and store.finish_erasure() == () and store.integrity() == []
    store.close()
    store.close()
    assert list(tmp_path.iterdir()) == []
