"""The unused room of pages: found, cleaned, and nothing else touched; and looking into a file takes no lock away."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from mnemopi.storage import slack


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database whose rows were changed and deleted so that pages were split and joined."""
    path, chance = tmp_path / "some.db", random.Random(5)
    with closing(apsw.Connection(str(path))) as raw:
        raw.execute("PRAGMA page_size = 1024; PRAGMA secure_delete = ON; PRAGMA journal_mode = MEMORY")
        raw.execute("CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT); CREATE INDEX word_text ON word (text)")
        with raw:
            for number in range(2000):
                raw.execute("INSERT INTO word VALUES (?, ?)", (number, text(number, chance.randrange(1, 80))))
            for _ in range(1500):
                number, longer = chance.randrange(2000), text(0, chance.randrange(1, 200))[7:]
                if chance.random() < 0.5:
                    raw.execute("UPDATE word SET text = text || ? WHERE id = ?", (longer, number))
                else:
                    raw.execute("DELETE FROM word WHERE id = ?", (number,))
    return path


def text(number: int, length: int) -> str:
    return f"<{number:05}>" + "x" * length


def rows(path: Path) -> list[tuple[int, str]]:
    with closing(apsw.Connection(str(path))) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return raw.execute("SELECT id, text FROM word ORDER BY id").fetchall()


def gone(path: Path, living: set[int]) -> set[int]:
    """Return the numbers that can still be read in the file although no row has them."""
    content = path.read_bytes()
    return {number for number in range(2000) if number not in living and f"<{number:05}>".encode() in content}


def test_deleting_alone_leaves_copies_and_cleaning_removes_them_and_nothing_else(file: Path) -> None:
    before = rows(file)
    living = {number for number, _ in before}
    assert gone(file, living), "if nothing is left, cleaning is no longer needed"
    assert slack.clean(file) > 0
    assert gone(file, living) == set()
    assert rows(file) == before
    assert slack.clean(file) == 0


def test_what_is_unused_is_what_nothing_reads(file: Path) -> None:
    before = rows(file)
    content = bytearray(file.read_bytes())
    for at in range(0, len(content), 1024):
        for start, stop in slack.unused(bytes(content[at : at + 1024]), first=at == 0):
            content[at + start : at + stop] = b"\xaa" * (stop - start)
    file.write_bytes(content)
    assert rows(file) == before


@pytest.mark.parametrize("page", [bytes(1024), b"\x05" + bytes(1023), b"\x0d" + b"\xff" * 1023, b"\x0a\xff\xff" * 100])
def test_a_page_that_makes_no_sense_is_left_alone(page: bytes) -> None:
    assert all(0 <= start <= stop <= len(page) for start, stop in slack.unused(page))
    assert slack.unused(b"\x00\x00\x00\x07" + b"x" * 1020) == []


def test_a_short_file_has_a_short_head_and_nothing_to_clean(tmp_path: Path) -> None:
    path = tmp_path / "short"
    path.write_bytes(b"short")
    assert slack.head(path, 100) == b"short"
    assert slack.clean(path) == 0
    with pytest.raises(apsw.CantOpenError):
        slack.head(tmp_path / "missing", 100)


@pytest.fixture
def held(file: Path) -> Iterator[apsw.Connection]:
    """A connection of this process that holds a lock on the file."""
    with closing(apsw.Connection(str(file))) as raw:
        raw.execute("PRAGMA journal_mode = WAL")
        raw.execute("SELECT count(*) FROM word").fetchall()
        yield raw


@pytest.mark.skipif(sys.platform == "win32", reason="this kind of lock is POSIX's")
def test_looking_at_a_file_takes_no_lock_of_this_process_away(file: Path, held: apsw.Connection) -> None:
    program = (
        "import fcntl, sys\n"
        "with open(sys.argv[1], 'rb+') as file:\n"
        "    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 1073741826)\n"  # SQLite's range of shared locks
    )

    def is_locked() -> bool:
        done = subprocess.run([sys.executable, "-c", program, file], capture_output=True, check=False)
        return done.returncode != 0

    assert is_locked()
    slack.head(file, 100)
    slack.clean(file)
    assert is_locked()
