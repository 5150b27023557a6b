"""Files of the agent layer are their owner's alone, and there whole or not at all."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest

from mnemopi.errors import FullError, ReadOnlyError, StorageError
from mnemopi.storage import private


def test_files_and_folders_are_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        private.write(tmp_path / "a" / "b" / "file", "text")
    finally:
        os.umask(before)
    assert (tmp_path / "a" / "b" / "file").stat().st_mode & 0o777 == 0o600
    assert {(tmp_path / each).stat().st_mode & 0o777 for each in ("a", "a/b")} == {0o700}


@pytest.mark.parametrize("sync", [True, False])
def test_a_write_that_fails_leaves_what_was_there_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sync: bool
) -> None:
    file = tmp_path / "file"
    private.write(file, "before", sync=sync)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(FullError):
        private.write(file, "after", sync=sync)
    assert private.read(file) == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_what_is_not_there_reads_as_none_and_what_is_a_folder_is_an_error(tmp_path: Path) -> None:
    assert private.read(tmp_path / "none") is None
    with pytest.raises(StorageError):
        private.read(tmp_path)


def test_a_folder_that_may_not_be_made_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "no")

    monkeypatch.setattr(Path, "mkdir", refused)
    with pytest.raises(ReadOnlyError):
        private.folder(tmp_path / "new")


def test_changes_under_the_lock_follow_each_other(tmp_path: Path) -> None:
    file = tmp_path / "count"

    def add() -> None:
        for _ in range(20):
            with private.locked(file):
                private.write(file, str(int(private.read(file) or 0) + 1), sync=False)

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert private.read(file) == "80"
