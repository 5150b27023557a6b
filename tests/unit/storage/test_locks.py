"""The lock of a bank: shared by those who have it open, alone for those who change it as a whole."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Event, Thread

import pytest

from mnemopi.errors import InUseError, StorageError
from mnemopi.storage.locks import OpenLock

OPEN_FILES = Path("/proc/self/fd")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has other locks")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db.lock"


def test_many_may_hold_it_shared_and_one_alone(path: Path) -> None:
    one, two = OpenLock(path), OpenLock(path)
    with pytest.raises(InUseError, match="open elsewhere"):
        OpenLock(path, alone=True)
    one.close()
    two.close()
    alone = OpenLock(path, alone=True)
    with pytest.raises(InUseError, match="changed as a whole"):
        OpenLock(path)
    alone.close()
    alone.close()
    OpenLock(path).close()


def test_it_is_private(path: Path) -> None:
    OpenLock(path).close()
    assert path.stat().st_mode & 0o777 == 0o600


def test_who_waits_gets_it_when_it_is_given_back(path: Path) -> None:
    first = OpenLock(path, alone=True)
    taken = Event()

    def wait() -> None:
        lock = OpenLock(path, alone=True, wait=True)
        taken.set()
        lock.close()

    thread = Thread(target=wait)
    thread.start()
    assert not taken.wait(0.1)
    first.close()
    assert taken.wait(10)
    thread.join()


def test_a_lock_on_a_file_that_was_deleted_meanwhile_is_taken_on_the_new_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between opening and locking, another process deletes the bank and somebody makes it anew."""
    opened = OpenLock._opened
    swapped: list[int] = []

    def slow(lock: OpenLock) -> int:
        file = opened(lock)
        if not swapped:
            swapped.append(file)
            path.unlink()
            path.touch()
        return file

    monkeypatch.setattr(OpenLock, "_opened", slow)
    lock = OpenLock(path)
    with pytest.raises(InUseError):
        OpenLock(path, alone=True)
    lock.close()


@pytest.mark.skipif(not OPEN_FILES.exists(), reason="only Linux lists the open files of a process there")
def test_a_refused_lock_leaves_no_file_open(path: Path) -> None:
    held = OpenLock(path)
    before = len(list(OPEN_FILES.iterdir()))
    for _ in range(5):
        with pytest.raises(InUseError):
            OpenLock(path, alone=True)
    assert len(list(OPEN_FILES.iterdir())) == before
    held.close()


def test_a_place_that_cannot_be_opened_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        OpenLock(tmp_path / "missing" / "m.db.lock")


def test_a_link_in_its_place_makes_no_file_elsewhere(path: Path, tmp_path: Path) -> None:
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageError):
        OpenLock(path)
    assert not (tmp_path / "elsewhere").exists()
