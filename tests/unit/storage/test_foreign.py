from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from mnemopi.errors import BusyError, CorruptError, NotFoundError
from mnemopi.storage import foreign


def made(path: Path, rows: int = 3) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute('create table "odd ""name" (id integer primary key, text)')
        connection.executemany('insert into "odd ""name" (text) values (?)', [(f"row {n} " * 50,) for n in range(rows)])
        connection.commit()
    return path


def contents(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}


def test_tables_and_rows_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    with foreign.opened(made(tmp_path / "a.db")) as file:
        assert file.tables == ['odd "name']
        assert file.columns('odd "name') == ["id", "text"]
        assert [row["id"] for row in file.rows('odd "name')] == [1, 2, 3]
        assert (file.version, file.rows("not there"), file.columns("not there")) == (0, [], ())


def test_nothing_in_the_folder_changes(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db")
    before = contents(tmp_path)
    with foreign.opened(path) as file:
        file.rows('odd "name')
        assert contents(tmp_path) == before
    assert contents(tmp_path) == before


def test_what_stands_in_the_log_alone_is_read_and_the_log_stays(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db")
    with closing(sqlite3.connect(path)) as other:
        other.execute("pragma journal_mode = wal")
        other.execute('insert into "odd ""name" (text) values (?)', ("in the log",))
        other.commit()
        before = contents(tmp_path)
        with foreign.opened(path) as file:
            assert file.rows('odd "name')[-1]["text"] == "in the log"
        assert contents(tmp_path) == before


def test_a_file_that_is_written_to_meanwhile_is_busy(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db")
    with pytest.raises(BusyError), foreign.opened(path), closing(sqlite3.connect(path)) as other:
        other.execute('delete from "odd ""name"')
        other.commit()


def test_a_file_that_is_cut_short_is_corrupt(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db", rows=200)
    path.write_bytes(path.read_bytes()[:-5000])
    with pytest.raises(CorruptError, match="cut short"), foreign.opened(path):
        pass


@pytest.mark.parametrize("bytes_", [b"", b"hello", b"SQLite format 3\x00"])
def test_what_is_no_database_is_corrupt(bytes_: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(bytes_)
    with pytest.raises(CorruptError), foreign.opened(path):
        pass


def test_a_damaged_page_is_corrupt_and_not_a_foreign_error(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db", rows=200)
    raw = bytearray(path.read_bytes())
    raw[4096:] = b"\xff" * (len(raw) - 4096)
    path.write_bytes(raw)
    with pytest.raises(CorruptError), foreign.opened(path) as file:
        file.rows('odd "name')


def test_no_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError), foreign.opened(tmp_path / "none.db"):
        pass


def test_a_database_is_told_by_its_first_bytes(tmp_path: Path) -> None:
    assert foreign.is_database(made(tmp_path / "a.db"))
    (tmp_path / "b.json").write_text("{}")
    assert not foreign.is_database(tmp_path / "b.json")
    assert not foreign.is_database(tmp_path / "none")
