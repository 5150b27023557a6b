"""Read a SQLite file of another program, and leave it as it is, byte for byte.

A file with nothing beside it is read as immutable: no lock is taken and nothing is created. One with a log beside it is
copied together with its log, and the copy is read. What is not promised: a file that is written to meanwhile is
noticed at the end (BusyError), not waited for.
"""

from __future__ import annotations

import shutil
import struct
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import apsw

from mnemopi.errors import BusyError, CorruptError, NotFoundError, StorageError
from mnemopi.storage import forks, queries
from mnemopi.storage.sqlite import translated

MAGIC: Final = b"SQLite format 3\x00"
_LOGS: Final = ("-wal", "-journal")
_ANY: Final = "sqlite_schema"
"""The table whose place another one takes in the statement that reads whole tables."""


class Foreign:
    """The tables of an open file."""

    def __init__(self, raw: apsw.Connection, path: Path) -> None:
        self._raw, self.path = raw, path
        rows = self._all(queries.sqlite().foreign_columns)
        self._columns: dict[str, list[str]] = {}
        for table, column in rows:
            self._columns.setdefault(table, []).append(column)

    @property
    def version(self) -> int:
        """The number that the other program gave its schema; 0 where it gave none."""
        return int(self._all(queries.sqlite().schema_version)[0][0])

    @property
    def tables(self) -> Sequence[str]:
        """The names of all tables."""
        return list(self._columns)

    def columns(self, table: str) -> Sequence[str]:
        """Return the columns of a table; none for one that is not there."""
        return self._columns.get(table, ())

    def rows(self, table: str) -> list[dict[str, Any]]:
        """Return the rows of a table in the order of the file; none where it is not there. Raises CorruptError."""
        if table not in self._columns:
            return []
        quoted = '"' + table.replace('"', '""') + '"'
        names = self._columns[table]
        sql = queries.sqlite().foreign_rows.replace(_ANY, quoted)
        return [dict(zip(names, row, strict=True)) for row in self._all(sql)]

    def _all(self, sql: str) -> list[tuple[Any, ...]]:
        try:
            return list(self._raw.execute(sql))
        except apsw.Error as error:
            raise translated(error, str(self.path)) from error
        except UnicodeDecodeError as error:
            raise CorruptError(f"{self.path}: it holds text that is no UTF-8") from error


@contextmanager
def opened(path: Path) -> Iterator[Foreign]:
    """Open another program's file for reading.

    Raises NotFoundError, CorruptError for what is no database or is cut short, BusyError where the file was written to
    while it was read, and StorageError.
    """
    before = _signature(path)
    _check_whole(path)
    with tempfile.TemporaryDirectory(prefix="mnemopi-") as folder, forks.none():
        reading = _copied(path, Path(folder)) if _has_log(path) else path
        try:
            with closing(_connected(reading, immutable=reading == path)) as raw:
                yield Foreign(raw, path)
        except apsw.Error as error:
            raise translated(error, str(path)) from error
    if _signature(path) != before:
        raise BusyError(f"{path} was written to while it was read", hint="try again when nothing else uses it")


def is_database(path: Path) -> bool:
    """Say whether a file is a SQLite database, by its first bytes."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def _connected(path: Path, *, immutable: bool) -> apsw.Connection:
    if not immutable:
        return apsw.Connection(str(path))
    uri = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
    return apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def _has_log(path: Path) -> bool:
    beside = [path.with_name(path.name + ending) for ending in _LOGS]
    return any(log.exists() and log.stat().st_size > 0 for log in beside)


def _copied(path: Path, folder: Path) -> Path:
    target = folder / path.name
    try:
        for ending in ("", *_LOGS):
            if (each := path.with_name(path.name + ending)).exists():
                shutil.copyfile(each, folder / each.name)
    except OSError as error:
        raise StorageError(f"{path} cannot be copied: {error.strerror}", hint="free some space") from error
    return target


def _check_whole(path: Path) -> None:
    """Compare the size with what the header says (https://sqlite.org/fileformat2.html, 1.3.7)."""
    with path.open("rb") as file:
        header = file.read(100)
    if not header.startswith(MAGIC) or len(header) < 100:
        raise CorruptError(f"{path} is no SQLite database", hint="name another file")
    size, changed, pages, known = struct.unpack(">16xH6xII60xI", header[:96])
    if changed == known and path.stat().st_size < pages * (65536 if size == 1 else size):
        raise CorruptError(f"{path} is cut short", hint="take a whole copy of it")


def _signature(path: Path) -> tuple[tuple[int, int], ...]:
    """Return size and time of change of the file and its logs."""
    try:
        if not path.is_file():
            raise NotFoundError(f"there is no file {path}", hint="name the database")
        found = [path, *(path.with_name(path.name + ending) for ending in _LOGS)]
        return tuple((each.stat().st_size, each.stat().st_mtime_ns) if each.exists() else (0, 0) for each in found)
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}", hint="check its permissions") from error
