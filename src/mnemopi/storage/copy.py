"""Online copies of whole files: consistent while others write, verified before they count."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeAlias

import apsw

from mnemopi.errors import CorruptError, MnemopiError, StorageError
from mnemopi.storage import forks, queries
from mnemopi.storage.sqlite import translated

Namer: TypeAlias = Callable[[int], object]
_EVERYTHING = -1
"""In one step: a copy in several begins anew each time somebody writes between two of them."""


def online(source: Path, target: Path) -> Path:
    """Copy a database page by page while it is in use, check the copy, and put it in place in one step.

    The copy is private (0600), complete (the log is in it), and never half there: it appears under its name only when
    it has passed SQLite's own check. Raises StorageError kinds; a failed copy leaves nothing.
    """
    working = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(working, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600))
        with forks.none():
            _copied(source, working)
        check(working)
        working.replace(target)
    except apsw.Error as error:
        raise translated(error, str(target)) from error
    except OSError as error:
        raise StorageError(
            f"{target} cannot be written: {error.strerror}", hint="check the folder and the disk"
        ) from error
    finally:
        for left in (working, Path(f"{working}-wal"), Path(f"{working}-shm"), Path(f"{working}-journal")):
            with suppress(OSError):
                left.unlink()
    return target


def check(path: Path) -> None:
    """Raise CorruptError where SQLite finds something wrong with a file."""
    try:
        with forks.none(), closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)) as raw:
            found = [row[0] for row in raw.execute(queries.sqlite().check_file)]
    except apsw.Error as error:
        raise translated(error, str(path)) from error
    if found != ["ok"]:
        raise CorruptError(f"{path} did not pass its check: {found[0]}")


def _copied(source: Path, target: Path) -> None:
    reading = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READWRITE)
    writing = apsw.Connection(str(target))
    try:
        reading.set_busy_timeout(10_000)
        with writing.backup("main", reading, "main") as backup:
            backup.step(_EVERYTHING)
        # A copy stands alone: its changes are in the file itself, not in a log beside it.
        writing.pragma("journal_mode", "delete")
    finally:
        writing.close()
        reading.close()


def problem(path: Path) -> MnemopiError | None:
    """Return what is wrong with a file, or None."""
    try:
        check(path)
    except MnemopiError as error:
        return error
    return None
