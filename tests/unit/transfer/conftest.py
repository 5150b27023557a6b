"""Banks to move: opened in a throw-away folder, and filled through the same doors as real ones."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from mnemopi.config import Config
from mnemopi.ingest import edits
from mnemopi.ingest.draft import Draft
from mnemopi.ingest.prepare import Gate, prepare
from mnemopi.ingest.remember import remember
from mnemopi.model.memory import Identity
from mnemopi.model.note import Note
from mnemopi.storage.banks import Banks
from mnemopi.storage.notes import Notes
from mnemopi.storage.store import Store
from mnemopi.transfer.lenient import Lenient

NOW = 1_750_000_000_000
GATE = Gate(10_000, "full", UTC)
WHO = Identity()


def fill(store: Store, now: int = NOW) -> list[str]:
    """Put one of everything into a bank: turns, notes, versions, a merge, a revival, a hidden and a forgotten one, and
    what has yet to be read."""
    drafts = [
        Draft("We deploy on Friday.", session_id="s1", author_id="ann", timestamp="2026-03-05T10:00:00Z"),
        Draft(
            "好的，周五部署。", session_id="s1", author_id="bo", metadata={"标签": ["部署", 1.5, None], "a": {"z": 1}}
        ),
        Draft("The port is 8123.", importance=0.9, pinned=True, veracity="stated"),
        Draft('Line one\u2028and "quoted" \\ 😀', embed_text="quoted", scope="global", valid_until="2030-01-01"),
        Draft("Wrong.", channel_id="c1"),
        Draft("word " * 500, external_id="x-1"),
    ]
    ids = [str(receipt) for receipt in remember(store, [prepare(d, WHO, now, GATE) for d in drafts], now)]
    remember(store, [prepare(Draft("The port is 8123."), WHO, now + 5, GATE)], now + 5)
    change(store, ids[2], now + 10, content="The port is 8124.")
    edits.invalidate(store, ids[3], WHO, now + 20, replacement=ids[2], reason="outdated")
    edits.invalidate(store, ids[4], WHO, now + 20, replacement=None, reason=None)
    remember(store, [prepare(Draft("Wrong.", channel_id="c1"), WHO, now + 30, GATE)], now + 30)
    gone = remember(store, [prepare(Draft("Forget me."), WHO, now, GATE)], now)
    edits.forget(store, str(gone[0]), WHO, now + 40)
    store.memories.count_recalls({ids[0]: (3, now + 50), str(gone[0]): (1, now)})
    store.unclaimed.leave([(ids[5], None), (ids[1], "好的"), (str(gone[0]), None)])
    store.readings.want([(ids[0], None), (ids[1], "好的"), (ids[5], None)], now)
    store.readings.reach(ids[0], 0, 9)
    Notes(store.connection, store.bank, store.sql).put([Note("n1", "first the port", now, now + 60, "s1")])
    return [*ids, str(gone[0])]


def change(store: Store, id: str, now: int, **changes: Any) -> None:
    """Update a memory."""
    asked = {"content": None, "importance": None, "pinned": None, "expected_version": None} | changes
    edits.update(store, id, WHO, GATE, now, **asked)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[str], Store]]:
    """Return a function that opens a bank by the name of its file; all are closed at the end."""
    stores: list[Store] = []

    def open_store(name: str = "m") -> Store:
        stores.append(Banks(tmp_path / name / "m.db", Config().storage).open("default", NOW))
        return stores[-1]

    yield open_store
    for store in stores:
        store.close()


@pytest.fixture
def lenient() -> Lenient:
    """A gate for the fields of another system."""
    return Lenient(GATE, NOW)


@pytest.fixture
def tables_file(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes rows by table to a SQLite file; the first row of a table names its columns."""

    def made(tables: Mapping[str, Sequence[Mapping[str, Any]]], name: str = "other.db") -> Path:
        path = tmp_path / name
        with closing(sqlite3.connect(path)) as connection:
            for table, rows in tables.items():
                columns = list(dict.fromkeys(column for row in rows for column in row))
                connection.execute(f"create table {table} ({', '.join(columns)})")
                marks = ", ".join("?" * len(columns))
                values = [tuple(row.get(column) for column in columns) for row in rows]
                connection.executemany(f"insert into {table} values ({marks})", values)
            connection.commit()
        return path

    return made
