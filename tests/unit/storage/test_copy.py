"""Online copies: whole, private, checked, or not there at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mnemopi.errors import CorruptError, StorageError
from mnemopi.model.memory import Memory
from mnemopi.storage import copy
from mnemopi.storage.peek import name_of, peek
from mnemopi.storage.store import Store

Put = Callable[..., Memory]


def test_a_copy_holds_what_is_still_in_the_log_and_stands_alone(store: Store, put: Put, tmp_path: Path) -> None:
    put("a")
    assert (tmp_path / "m.db-wal").stat().st_size > 0
    made = copy.online(store.path, tmp_path / "copies" / "one.db")
    assert [path.name for path in made.parent.iterdir()] == ["one.db"]
    assert (made.stat().st_mode & 0o777, made.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert peek(made).memories == 1 and name_of(made) == "default"
    put("b")
    assert peek(made).memories == 1


def test_a_copy_that_does_not_pass_its_check_is_not_there(
    store: Store, put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("a")
    target = tmp_path / "one.db"
    target.write_bytes(b"an older copy")

    def broken(path: Path) -> None:
        raise CorruptError("no good")

    monkeypatch.setattr(copy, "check", broken)
    with pytest.raises(CorruptError):
        copy.online(store.path, target)
    assert target.read_bytes() == b"an older copy"
    assert not list(tmp_path.glob("*.part*"))


def test_a_damaged_file_is_told_and_not_copied(store: Store, put: Put, tmp_path: Path) -> None:
    for number in range(200):
        put(f"id{number}", "harbour " * 50)
    store.close()
    whole = store.path.read_bytes()
    store.path.write_bytes(whole[: len(whole) // 2] + os.urandom(20_000) + whole[len(whole) // 2 + 20_000 :])
    assert isinstance(copy.problem(store.path), CorruptError)
    with pytest.raises(CorruptError):
        copy.online(store.path, tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


def test_where_nothing_can_be_written_it_is_a_storage_error(store: Store, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError):
        copy.online(store.path, tmp_path / "file" / "copy.db")


def test_a_half_made_bank_has_no_name_yet(tmp_path: Path) -> None:
    assert name_of(tmp_path / "missing.db") is None
    (tmp_path / "empty.db").touch()
    assert name_of(tmp_path / "empty.db") is None
    with pytest.raises(CorruptError):
        peek(tmp_path / "empty.db")
