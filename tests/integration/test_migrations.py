"""The file's format: a fresh one equals all migrations, a current one is left alone, an older one is copied first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from mnemopi.engine import Mnemopi
from mnemopi.errors import StorageError
from mnemopi.storage import queries, schema
from mnemopi.storage.sqlite import APPLICATION_ID
from mnemopi.testing import FixedClock

SECOND = """
ALTER TABLE memory ADD COLUMN mood TEXT;
CREATE INDEX memory_mood ON memory (bank, mood);
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def with_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """What makes a second migration known; the fresh schema stays the first's."""
    folder = tmp_path / "migrations"
    folder.mkdir()
    for step in schema.steps():
        (folder / step.name).write_text(step.read_text("utf-8"), "utf-8")
    (folder / f"{len(schema.steps()) + 1:04}_mood.sql").write_text(SECOND, "utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", folder)
        yield patch


def made_by(*scripts: Path) -> list[tuple[str, ...]]:
    with closing(apsw.Connection(":memory:")) as raw:
        for script in scripts:
            raw.execute(script.read_text("utf-8"))
        return sorted(raw.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_a_fresh_schema_equals_all_migrations_applied() -> None:
    assert made_by(queries.FOLDER / "schema.sql") == made_by(*schema.steps())


def test_a_new_file_says_whose_it_is_and_which_schema_it_has(file: Path) -> None:
    Mnemopi(file, no_embeddings=True).close()
    header = file.read_bytes()[:100]
    assert int.from_bytes(header[68:72], "big") == APPLICATION_ID
    assert int.from_bytes(header[60:64], "big") == len(schema.steps())


def test_opening_and_reading_a_current_file_changes_not_a_byte_of_it(file: Path) -> None:
    with Mnemopi(file, no_embeddings=True) as memory:
        id = memory.remember("the harbour opens at six")
    before = bytes_of(file.parent)
    with Mnemopi(file, no_embeddings=True) as memory:
        assert memory.get(id) is not None and memory.stats()["total_memories"] == 1
        memory.recall("nothing of the kind")
        assert file.read_bytes() == before["m.db"]
        assert (file.parent / "m.db-wal").stat().st_size == 0
    assert bytes_of(file.parent) == before


def test_an_older_file_is_copied_and_then_migrated(file: Path, with_second: pytest.MonkeyPatch) -> None:
    with_second.undo()
    old = len(schema.steps())
    with Mnemopi(file, no_embeddings=True) as memory:
        id = memory.remember("stored under the first schema")
    before = file.read_bytes()
    with_second.setattr(schema, "MIGRATIONS", file.parent / "migrations")
    clock = FixedClock()
    with Mnemopi(file, no_embeddings=True, clock=clock) as memory:
        assert memory.get(id) is not None
        assert memory.remember("stored under the second")
        assert memory.bank._store.schema() == old + 1
        assert memory.bank._store.integrity() == []
    (kept,) = file.parent.glob("m.db.schema*")
    assert kept.name == f"m.db.schema{old}-{clock.now}"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert len(before) == len(kept.read_bytes())
    with_second.undo()
    with Mnemopi(kept, no_embeddings=True) as memory:
        assert memory.get(id) is not None and memory.stats()["total_memories"] == 1


def test_an_older_file_is_left_alone_where_migrating_is_switched_off(
    file: Path, with_second: pytest.MonkeyPatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_second.undo()
    Mnemopi(file, no_embeddings=True).close()
    before = file.read_bytes()
    with_second.setattr(schema, "MIGRATIONS", file.parent / "migrations")
    monkeypatch.setenv("MNEMOPI_AUTO_MIGRATE", "0")
    with pytest.raises(StorageError, match="MNEMOPI_AUTO_MIGRATE=1"):
        Mnemopi(file, no_embeddings=True)
    assert file.read_bytes() == before
    assert list(file.parent.glob("m.db.schema*")) == []


def test_a_migration_that_fails_leaves_the_file_as_it_was(file: Path, with_second: pytest.MonkeyPatch) -> None:
    with_second.undo()
    with Mnemopi(file, no_embeddings=True) as memory:
        id = memory.remember("what must not be lost")
    (script,) = (file.parent / "migrations").glob("*_mood.sql")
    script.write_text(SECOND + "INSERT INTO nowhere VALUES (1);", "utf-8")
    with_second.setattr(schema, "MIGRATIONS", file.parent / "migrations")
    with pytest.raises(StorageError):
        Mnemopi(file, no_embeddings=True)
    with_second.undo()
    with Mnemopi(file, no_embeddings=True) as memory:
        assert memory.get(id) is not None
        assert "mood" not in [row[1] for row in memory.bank._store.connection.all("PRAGMA table_info(memory)")]


@pytest.mark.parametrize("size", ["512", "8192", "65536"])
def test_the_page_size_of_a_new_file_is_as_it_was_set(file: Path, monkeypatch: pytest.MonkeyPatch, size: str) -> None:
    monkeypatch.setenv("MNEMOPI_DB_PAGE_SIZE", size)
    with Mnemopi(file, no_embeddings=True) as memory:
        id = memory.remember("pages of another size " * 100)
    assert int.from_bytes(file.read_bytes()[16:18], "big") == (1 if size == "65536" else int(size))
    monkeypatch.setenv("MNEMOPI_DB_PAGE_SIZE", "4096")
    with Mnemopi(file, no_embeddings=True) as memory:
        assert memory.recall("pages of another size")[0].id == id
        assert memory.forget(id).status == "erased"
        assert memory.bank._store.integrity() == []
    assert b"another size" not in file.read_bytes()
