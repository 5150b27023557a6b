"""The connection: whole transactions, one file, errors of our tree, and a lock that threads share."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from mnemopi.errors import (
    BusyError,
    CorruptError,
    FullError,
    InUseError,
    MnemopiError,
    NotFoundError,
    ReadOnlyError,
    StorageError,
    UsageError,
)
from mnemopi.storage.sqlite import SqliteConnection, translated


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "m.db"
    path.touch()
    return path


@pytest.fixture
def connection(file: Path) -> Iterator[SqliteConnection]:
    made = SqliteConnection(str(file), writable=True, timeout=0.05)
    made.execute("CREATE TABLE word (text TEXT UNIQUE)")
    yield made
    made.close()


def words(connection: SqliteConnection) -> list[str]:
    return [row[0] for row in connection.all("SELECT text FROM word ORDER BY text")]


def put(connection: SqliteConnection, text: str) -> int:
    return connection.execute("INSERT INTO word VALUES (:text)", {"text": text})


def test_a_transaction_is_whole_or_not_at_all(connection: SqliteConnection) -> None:
    with connection.transaction():
        put(connection, "a")
        with connection.transaction():
            put(connection, "b")
    with pytest.raises(RuntimeError), connection.transaction():
        put(connection, "c")
        with connection.transaction():
            put(connection, "d")
        raise RuntimeError("no")
    with pytest.raises(StorageError), connection.transaction():
        put(connection, "e")
        put(connection, "a")
    assert words(connection) == ["a", "b"]
    assert put(connection, "f") == 1


def test_changed_rows_are_counted(connection: SqliteConnection) -> None:
    connection.execute_many("INSERT INTO word VALUES (:text)", ({"text": str(number)} for number in range(7)))
    assert connection.execute("DELETE FROM word WHERE text < '3'") == 3


def test_another_writer_is_waited_for_and_then_busy(file: Path, connection: SqliteConnection) -> None:
    with closing(apsw.Connection(str(file))) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(BusyError), connection.transaction():
            pass
        assert words(connection) == [], "readers do not wait"
        other.execute("ROLLBACK")
    with connection.transaction():
        put(connection, "a")


def test_threads_take_turns(connection: SqliteConnection) -> None:
    def work(who: int) -> None:
        for number in range(20):
            with connection.transaction():
                put(connection, f"{who}-{number}-one")
                put(connection, f"{who}-{number}-two")

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    assert len(words(connection)) == 240


def test_a_file_that_was_replaced_or_deleted_is_not_written_to(file: Path, connection: SqliteConnection) -> None:
    other = file.with_name("other")
    other.write_bytes(b"")
    other.replace(file)
    with pytest.raises(InUseError), connection.transaction():
        put(connection, "a")
    file.unlink()
    with pytest.raises(NotFoundError), connection.transaction():
        put(connection, "a")
    assert not connection._open or not connection._open.in_transaction


def test_a_missing_file_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        SqliteConnection(str(tmp_path / "missing.db"), writable=True, timeout=0)
    assert list(tmp_path.iterdir()) == []


def test_a_read_only_connection_refuses_transactions(file: Path, connection: SqliteConnection) -> None:
    with connection.transaction():
        put(connection, "a")
    reader = SqliteConnection(str(file), writable=False, timeout=0)
    assert words(reader) == ["a"]
    with pytest.raises(ReadOnlyError), reader.transaction():
        pass
    with pytest.raises(ReadOnlyError):
        put(reader, "b")
    reader.close()


def test_durability_and_erasure_are_switched_on(connection: SqliteConnection) -> None:
    assert connection.all("PRAGMA journal_mode") == [("wal",)]
    assert connection.all("PRAGMA synchronous") == [(2,)]
    assert connection.all("PRAGMA secure_delete") == [(1,)]


def test_a_closed_connection_says_so(connection: SqliteConnection) -> None:
    connection.close()
    connection.close()
    with pytest.raises(StorageError, match="closed"):
        words(connection)


def test_the_log_is_cut_unless_somebody_reads_it(file: Path, connection: SqliteConnection) -> None:
    put(connection, "a")
    log = file.with_name("m.db-wal")
    with closing(apsw.Connection(str(file))) as reader:
        reader.execute("BEGIN; SELECT * FROM word").fetchall()
        put(connection, "b")
        assert connection.cut_log(0) is False
        assert log.stat().st_size > 0
        with connection.still() as is_still:
            assert not is_still
    assert connection.cut_log(0) is True
    assert log.stat().st_size == 0
    with connection.still() as is_still:
        assert is_still
    assert words(connection) == ["a", "b"]


def test_half_a_character_is_refused_as_a_parameter(connection: SqliteConnection) -> None:
    with pytest.raises(UsageError):
        put(connection, "\ud800")


def test_text_that_is_none_is_damage(connection: SqliteConnection) -> None:
    connection.execute("INSERT INTO word VALUES (CAST(x'ff41' AS TEXT))")
    with pytest.raises(CorruptError):
        words(connection)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (apsw.BusyError, BusyError),
        (apsw.LockedError, BusyError),
        (apsw.FullError, FullError),
        (apsw.NotADBError, CorruptError),
        (apsw.CorruptError, CorruptError),
        (apsw.ReadOnlyError, ReadOnlyError),
        (apsw.CantOpenError, StorageError),
        (apsw.IOError, StorageError),
        (apsw.SQLError, StorageError),
    ],
)
def test_errors_of_sqlite_become_ours(theirs: type[apsw.Error], ours: type[MnemopiError]) -> None:
    error = translated(theirs("what SQLite says"), "m.db")
    assert type(error) is ours
    assert "m.db" in error.message and "what SQLite says" in error.message
