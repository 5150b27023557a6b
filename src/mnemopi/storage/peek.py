"""Look into a file without opening it as a bank: what it says of itself, read only.

A Store takes a lock, migrates and writes its own notes; here nothing is changed, so that copies stay as they were made.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from mnemopi.errors import CorruptError
from mnemopi.storage import queries, schema
from mnemopi.storage.facts import Facts
from mnemopi.storage.inventory import Inventory
from mnemopi.storage.sqlite import SqliteConnection
from mnemopi.text.names import object_key


class Introduction(NamedTuple):
    """What a file says of itself: the bank's id and name, when it was made (UTC ms), and how much it holds.

    `memories` are live ones, `ever` counts those that were forgotten, too.
    """

    bank: str
    name: str
    created_at: int
    memories: int
    ever: int

    def is_kin_of(self, other: Introduction) -> bool:
        """Whether both are copies of one bank: a default bank elsewhere has the same id, but another making."""
        return (self.bank, self.created_at) == (other.bank, other.created_at)


def name_of(path: Path) -> str | None:
    """Read what the bank in a file is called; None where it is only being made. Raises as `peek` does."""
    if not schema.inspect(path):
        return None
    with _opened(path) as connection:
        if not connection.all(queries.sqlite().schema_version)[0][0]:
            return None
        rows = connection.all(queries.sqlite().introduction)
        return rows[0][1] if len(rows) == 1 else None


def peek(path: Path) -> Introduction:
    """Read what a file says of itself. Raises StorageError kinds for what is missing, damaged or not ours."""
    _check_there(path)
    with _opened(path) as connection:
        sql = queries.sqlite()
        rows = connection.all(sql.introduction)
        if len(rows) != 1 or rows[0][2] is None:
            raise CorruptError(f"{path} holds no bank", hint="name another file")
        bank, name, created_at = rows[0]
        live = int(connection.all(sql.count_live, {"bank": bank})[0][0])
        return Introduction(bank, name or bank, int(created_at), live, Inventory(connection, bank, sql).ever())


def has_memory(path: Path, bank: str, id: str) -> bool:
    """Say whether a file holds any version of a memory. Raises as `peek` does."""
    _check_there(path)
    with _opened(path) as connection:
        return bool(Inventory(connection, bank, queries.sqlite()).put_after([id], 0))


def has_stated(path: Path, bank: str, slot: str, object: str) -> bool:
    """Say whether a file holds what persons stated of one object in a slot. Raises as `peek` does."""
    _check_there(path)
    with _opened(path) as connection:
        here = Facts(connection, bank, queries.sqlite()).statements([slot])[slot]
        return any(each.memory is None and object_key(each.object) == object_key(object) for each in here)


def _check_there(path: Path) -> None:
    if not schema.inspect(path):
        raise CorruptError(f"{path} is empty, or not there", hint="name another file")


def _opened(path: Path) -> closing[SqliteConnection]:
    return closing(SqliteConnection(str(path), writable=False, timeout=5.0))
