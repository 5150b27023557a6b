from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from mnemopi.errors import CorruptError, ForeignError, TooNewError, UsageError
from mnemopi.transfer import mnemosyne
from mnemopi.transfer.lenient import Lenient

Tables = Callable[..., Path]
ROW = {"id": "a", "content": "Ann works at Acme", "timestamp": "2026-03-05T10:00:00"}


def test_a_database_is_read_but_for_its_indexes(tables_file: Tables, lenient: Lenient) -> None:
    path = tables_file({"working_memory": [ROW], "fts_working_data": [{"id": 1}], "vec_episodes": [{"rowid": 1}]})
    made = mnemosyne.database(path, lenient)
    assert [memory.id for memory in made.memories] == ["a"]
    assert not made.left


def test_a_document_is_told_from_a_database(tmp_path: Path, lenient: Lenient) -> None:
    document = {
        "mnemosyne_export": {"version": "1.0"},
        "working_memory": [ROW],
        "legacy_memories": [{"id": "old", "content": "Old"}, {"id": "a", "content": "twin"}],
        "legacy_embeddings": [],
    }
    (tmp_path / "x.json").write_text(json.dumps(document))
    made = mnemosyne.database(tmp_path / "x.json", lenient)
    assert [memory.id for memory in made.memories] == ["a", "old"]


def test_another_programs_database_is_foreign(tables_file: Tables, lenient: Lenient) -> None:
    with pytest.raises(ForeignError, match="working_memory"):
        mnemosyne.database(tables_file({"cookies": [{"id": 1}]}), lenient)


def test_a_version_that_is_not_known_is_said_so(tables_file: Tables, lenient: Lenient) -> None:
    with pytest.raises(TooNewError, match="column content"):
        mnemosyne.database(tables_file({"working_memory": [{"id": "a", "body": "x"}]}), lenient)
    path = tables_file({"working_memory": [ROW]}, "numbered.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma user_version = 7")
    with pytest.raises(TooNewError, match="schema 7"):
        mnemosyne.database(path, lenient)


def test_a_truncated_database_is_corrupt(tables_file: Tables, lenient: Lenient) -> None:
    path = tables_file({"working_memory": [ROW | {"content": "x" * 9000}]})
    path.write_bytes(path.read_bytes()[:6000])
    with pytest.raises(CorruptError, match="cut short"):
        mnemosyne.database(path, lenient)


def test_what_is_neither_is_refused(tmp_path: Path, lenient: Lenient) -> None:
    (tmp_path / "x.txt").write_text("hello")
    with pytest.raises(UsageError):
        mnemosyne.database(tmp_path / "x.txt", lenient)
