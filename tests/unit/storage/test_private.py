"""Files of the agent layer are their owner's alone, and there whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
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


@pytest.mark.parametrize(("sync", "told"), [(True, ["file", "folder that names it"]), (False, [])])
def test_a_write_is_on_disk_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sync: bool, told: list[str]
) -> None:
    file, really, synced = tmp_path / "file", os.fsync, []

    def noted(handle: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
        synced.append("folder that names it" if is_folder and file.exists() else "folder" if is_folder else "file")
        really(handle)

    monkeypatch.setattr(os, "fsync", noted)
    private.write(file, "text", sync=sync)
    assert synced == told


def test_what_is_taken_away_is_gone_from_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, synced = tmp_path / "file", []
    private.write(file, "text")
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append((os.fstat(handle).st_ino, file.exists())))
    private.remove(file)
    assert synced == [(tmp_path.stat().st_ino, False)]
    private.remove(file)


def test_what_is_not_there_reads_as_none_and_what_is_a_folder_is_an_error(tmp_path: Path) -> None:
    assert private.read(tmp_path / "none") is None
    with pytest.raises(StorageError):
        private.read(tmp_path)


def test_what_is_no_file_is_an_error_at_once_and_leaves_nothing_open(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    before = os.open(os.devnull, os.O_RDONLY)
    os.close(before)
    for _ in range(3):
        with pytest.raises(StorageError):
            private.read(tmp_path / "folder")
    after = os.open(os.devnull, os.O_RDONLY)
    os.close(after)
    assert after == before, "the lowest descriptor that is free is the same"


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
