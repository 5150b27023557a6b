"""The agent layer's own files: for their owner alone, replaced in one step, locked for short changes.

Folders are made with mode 0700 and files with 0600. A write is on disk when it returns, and a reader sees the former
file or the new one, never a part.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mnemopi.errors import FullError, InUseError, StorageError
from mnemopi.storage import ids
from mnemopi.storage.locks import OpenLock


def folder(path: Path) -> Path:
    """Make a folder and those above it that are missing, for the owner alone."""
    try:
        for each in (*reversed(path.parents), path):
            if not each.is_dir():
                each.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise StorageError(f"the folder {path} cannot be made: {error.strerror}", hint="see who owns it") from error
    return path


def write(path: Path, text: str) -> None:
    """Put a file there in one step. Raises StorageError; what was there stays then."""
    beside = folder(path.parent) / f".{path.name}.{ids.new(6)}.tmp"
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        _sync_names(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink()
        kind = FullError if error.errno == errno.ENOSPC else StorageError
        raise kind(f"{path} cannot be written: {error.strerror}", hint="check the disk and who owns it") from error


def read(path: Path) -> str | None:
    """Return a file's text, None where there is none. What is not UTF-8 becomes question marks."""
    try:
        return path.read_text("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}", hint="see who owns it") from error


def read_json(path: Path) -> dict[str, Any] | None:
    """Return a file's JSON object, None where there is none or it is broken: such a file is never deleted here."""
    text = read(path)
    if text is None:
        return None
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Put a JSON object there in one step."""
    write(path, json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file `path` against other threads and processes: wait for it. Ends with the process."""
    folder(path.parent)
    lock = OpenLock(path, alone=True, wait=True)
    try:
        yield
    finally:
        lock.close()


@contextmanager
def locked_now(path: Path) -> Iterator[bool]:
    """Hold the lock file `path` if nobody else does; the value says whether that went."""
    folder(path.parent)
    try:
        lock = OpenLock(path, alone=True)
    except InUseError:
        yield False
        return
    try:
        yield True
    finally:
        lock.close()


def _sync_names(path: Path) -> None:
    """Bring a folder's names to disk, where the system can do that."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
