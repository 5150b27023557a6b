"""Bring a file to the current schema: look before touching, create, migrate after a copy.

The number of the schema is SQLite's `user_version`; step N is `migrations/000N_*.sql`. A file that is no database, is
another program's, or was written by a newer version is refused before anything is written.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import apsw

from mnemopi.errors import CorruptError, ForeignError, StorageError, TooNewError
from mnemopi.storage import queries, slack
from mnemopi.storage.sqlite import APPLICATION_ID, SqliteConnection

MIGRATIONS: Final = Path(__file__).parent / "migrations"
_HEADER = 100
_MAGIC = b"SQLite format 3\x00"


def steps() -> list[Path]:
    """Return the migrations in order; the position of one (from 1) is the number of the schema it makes."""
    return sorted(MIGRATIONS.glob("[0-9]*.sql"))


def inspect(path: Path) -> bool:
    """Say whether the file has content of ours; False where it is to be made. Raises for what is not ours."""
    try:
        if path.is_dir():
            raise StorageError(f"{path} is a folder", hint="name a file")
        if not path.exists() or path.stat().st_size == 0:
            return False
        header = slack.head(path, _HEADER)
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}", hint="check its permissions") from error
    except apsw.Error as error:
        raise StorageError(f"{path} cannot be read: {error}", hint="check its permissions") from error
    if len(header) < _HEADER or not header.startswith(_MAGIC):
        raise CorruptError(f"{path} is no SQLite database", hint="name another file, or restore a backup")
    application, version = struct.unpack(">I", header[68:72])[0], struct.unpack(">I", header[60:64])[0]
    if application != APPLICATION_ID:
        raise ForeignError(
            f"{path} is a database of another program; it was not touched",
            hint="take its memories over with `mnemopi import`",
        )
    _check_version(path, version)
    return True


def prepare(connection: SqliteConnection, *, migrate: bool, copy: Callable[[int], object]) -> None:
    """Create the schema, or migrate an older one after `copy(old version)`. Does nothing to a current file."""
    all_steps = steps()
    version = _version(connection)
    _check_version(Path(connection.path), version)
    if version == len(all_steps):
        return
    if not connection.writable:
        raise StorageError(f"{connection.path} has an older schema and is open for reading only")
    if version == 0:
        _apply(connection, [queries.FOLDER / "schema.sql"], 0, len(all_steps))
        return
    if not migrate:
        raise StorageError(
            f"{connection.path} has schema {version}, this version works with {len(all_steps)}",
            hint="set MNEMOPI_AUTO_MIGRATE=1; a copy is made first",
        )
    copy(version)
    _apply(connection, all_steps[version:], version, len(all_steps))


def page_size(setting: str) -> int:
    """Read the page size setting in bytes; `os` is the system's own."""
    if setting == "os":
        return os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
    return int(setting)


def _apply(connection: SqliteConnection, files: Sequence[Path], seen: int, version: int) -> None:
    with connection.transaction():
        if _version(connection) != seen:
            return  # another process was faster
        for file in files:
            connection.execute(file.read_text("utf-8"))
        connection.execute(f"PRAGMA user_version = {version:d}")


def _version(connection: SqliteConnection) -> int:
    return int(connection.all(queries.sqlite().schema_version)[0][0])


def _check_version(path: Path, version: int) -> None:
    if version > len(steps()):
        raise TooNewError(
            f"{path} has schema {version}, this version knows up to {len(steps())}", hint="upgrade mnemopi"
        )
