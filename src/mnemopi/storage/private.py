"""Files of the agent layer, and tokens: only their owner reads them, and each is there whole or not at all.

Folders are made with mode 0700, files with 0600. A file is written beside its place and put there in one step, so that
a reader, or a power cut, never meets half of one. What is read, changed and written again is held `locked` meanwhile.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mnemopi.errors import ConflictError, FullError, ReadOnlyError, StorageError
from mnemopi.storage.locks import OpenLock

_NO_SPACE = frozenset({28, 122})
"""ENOSPC and EDQUOT."""
_UNFOLLOWED = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""Neither a link is followed nor a pipe waited for that stands in a file's place."""


def folder(path: Path) -> Path:
    """Return a folder, made where it is not there."""
    try:
        for each in (*reversed(path.parents), path):  # `parents=True` would give those above the usual mode
            if not each.is_dir():
                each.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise _failed(path, error) from error
    return path


def write(path: Path, text: str, *, sync: bool = True) -> None:
    """Put a file in its place in one step, on disk when this returns unless `sync` is False."""
    working = folder(path.parent) / f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}"
    try:
        handle = os.open(working, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            if sync:
                os.fsync(file.fileno())
        working.replace(path)
        if sync:
            _sync(path.parent)
    except OSError as error:
        raise _failed(path, error) from error
    finally:
        with suppress(OSError):
            working.unlink()


def remove(path: Path) -> None:
    """Take a file away, where it is there: it is gone from the disk when this returns."""
    try:
        path.unlink(missing_ok=True)
        _sync(path.parent)
    except OSError as error:
        raise _failed(path, error) from error


def read(path: Path) -> str | None:
    """Return what a file says, None where there is none; what is no UTF-8 is replaced. A link is not followed."""
    try:
        with open(path, encoding="utf-8", errors="replace", opener=_unfollowed) as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise linked(path) from error
        raise _failed(path, error) from error


def linked(path: Path) -> ConflictError:
    """Return the error for what leads elsewhere: what lies there is neither shown nor written."""
    return ConflictError(f"{path} is a link: it is not followed", hint="put what belongs there in its place")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock that belongs to a file, waiting for others: for what is read, changed and written again."""
    lock = OpenLock(folder(path.parent) / f".{path.name}.lock", alone=True, wait=True)
    try:
        yield
    finally:
        lock.close()


def _unfollowed(path: str, flags: int) -> int:
    return os.open(path, flags | _UNFOLLOWED)


def _sync(folder: Path) -> None:
    """See that a name is on disk as well as what it names: else a power cut brings back what stood there before."""
    if os.name == "posix":  # elsewhere a folder cannot be opened
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _failed(path: Path, error: OSError) -> StorageError | ReadOnlyError:
    why = f"{path} cannot be used: {error.strerror or error}"
    if error.errno in _NO_SPACE:
        return FullError(why, hint="free some space")
    if isinstance(error, PermissionError):
        return ReadOnlyError(why, hint="it belongs to somebody else: change that, or name another folder")
    return StorageError(why, hint="check the folder and the disk")
