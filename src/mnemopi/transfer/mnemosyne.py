"""The databases of the two references as files: which tables a file has, and whether it is what it is taken for.

What the tables mean is in `legacy`, the JSON document in `mnemopi_json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from mnemopi.errors import ForeignError, TooNewError
from mnemopi.storage import foreign
from mnemopi.transfer import legacy, mnemopi_json
from mnemopi.transfer.cargo import Cargo
from mnemopi.transfer.lenient import Lenient

_NEEDED: Final = ("id", "content")
_DERIVED: Final = ("fts_", "vec_", "sqlite_", "sync_")
"""Search indexes, vector indexes, SQLite's own tables and the state of a transfer: made anew here, or of no use."""


def database(path: Path, fields: Lenient) -> Cargo:
    """Read the database of either reference. Raises ForeignError for another program's, and StorageError kinds."""
    if not foreign.is_database(path):
        return document(path, fields)
    with foreign.opened(path) as file:
        _check(path, file)
        tables = {name: file.rows(name) for name in file.tables if not name.startswith(_DERIVED)}
    return legacy.cargo(tables, fields)


def document(path: Path, fields: Lenient) -> Cargo:
    """Read the JSON export of either reference. Raises UsageError, NotFoundError."""
    return legacy.cargo(_sections(mnemopi_json.tables(path)), fields)


def _sections(rows: Mapping[str, Any]) -> dict[str, Any]:
    """The Python engine names a section otherwise than its table."""
    named = {"legacy_memories": "memories"}
    return {named.get(name, name): found for name, found in rows.items()}


def _check(path: Path, file: foreign.Foreign) -> None:
    there = [table for table in (*legacy.MEMORIES, "memories") if table in file.tables]
    if not there:
        raise ForeignError(f"{path} is no database of mnemopi or Mnemosyne: it has no table working_memory")
    for table in there:
        if missing := [column for column in _NEEDED if column not in file.columns(table)]:
            raise TooNewError(f"{path}: table {table} has no column {', '.join(missing)}: its version is not known")
    if file.version:
        raise TooNewError(
            f"{path} has schema {file.version}, which is not known: neither reference numbers its schema",
            hint="export it there as JSON, and import that",
        )
