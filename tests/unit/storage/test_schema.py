"""Looking before touching: whose file it is, and which schema it has."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from mnemopi.errors import CorruptError, ForeignError, StorageError, TooNewError
from mnemopi.storage import schema
from mnemopi.storage.sqlite import APPLICATION_ID, SqliteConnection


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


def written(file: Path, *pragmas: str) -> bytes:
    with closing(sqlite3.connect(file)) as raw:
        raw.execute("CREATE TABLE something (a)")
        for pragma in pragmas:
            raw.execute(f"PRAGMA {pragma}")
    return file.read_bytes()


def test_what_is_missing_or_empty_is_to_be_made(file: Path) -> None:
    assert schema.inspect(file) is False
    file.touch()
    assert schema.inspect(file) is False


def test_ours_is_told_by_the_application_id(file: Path) -> None:
    written(file, f"application_id = {APPLICATION_ID}", f"user_version = {len(schema.steps())}")
    assert schema.inspect(file) is True


@pytest.mark.parametrize(
    ("pragmas", "error"),
    [
        ((), ForeignError),
        (("application_id = 1",), ForeignError),
        ((f"application_id = {APPLICATION_ID}", "user_version = 999"), TooNewError),
    ],
)
def test_what_is_not_ours_is_refused_and_not_touched(
    file: Path, pragmas: tuple[str, ...], error: type[StorageError]
) -> None:
    before = written(file, *pragmas)
    with pytest.raises(error):
        schema.inspect(file)
    assert file.read_bytes() == before and [path.name for path in file.parent.iterdir()] == ["m.db"]


@pytest.mark.parametrize("content", [b"x", b"SQLite format 3", b"SQLite format 3\x00" + bytes(50), b"text " * 100])
def test_what_is_no_database_is_corrupt(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(CorruptError):
        schema.inspect(file)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="folder"):
        schema.inspect(tmp_path)


def test_making_a_schema_copies_nothing_and_doing_it_again_does_nothing(file: Path) -> None:
    file.touch()
    connection = SqliteConnection(str(file), writable=True, timeout=1)
    copied: list[int] = []
    schema.prepare(connection, migrate=False, copy=copied.append)
    before = connection.all("PRAGMA schema_version")
    schema.prepare(connection, migrate=False, copy=copied.append)
    assert connection.all("PRAGMA schema_version") == before
    assert connection.all("PRAGMA user_version") == [(len(schema.steps()),)] and copied == []
    connection.close()


def test_migrations_are_numbered_without_a_gap() -> None:
    assert [int(step.name[:4]) for step in schema.steps()] == list(range(1, len(schema.steps()) + 1))


@pytest.mark.parametrize(("setting", "size"), [("512", 512), ("65536", 65536)])
def test_page_sizes_are_bytes(setting: str, size: int) -> None:
    assert schema.page_size(setting) == size
    assert schema.page_size("os") >= 4096
