from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from mnemopi.errors import NotFoundError, UsageError
from mnemopi.ingest.prepare import Gate, analysed
from mnemopi.model.memory import Memory
from mnemopi.model.note import Note
from mnemopi.storage.notes import Notes
from mnemopi.storage.store import Store
from mnemopi.text import dates
from mnemopi.transfer import legacy, mnemopi_json
from mnemopi.transfer.lenient import Lenient
from mnemopi.transfer.unload import unload

NOW = 1_780_000_000_000
AT = dates.moment("2026-03-05T10:00:00Z")
Open = Callable[..., Store]
COMMON = {
    "id", "content", "source", "timestamp", "session_id", "importance", "metadata_json", "valid_until", "superseded_by",
    "scope", "recall_count", "last_recalled", "created_at", "veracity", "memory_type", "author_id", "author_type",
    "channel_id", "trust_tier", "event_date", "event_date_precision", "temporal_tags",
}  # fmt: skip
SECTIONS = {
    "mnemopi_export", "working_memory", "episodic_memory", "episodic_embeddings", "scratchpad", "consolidation_log",
}  # fmt: skip
MEMORIES = [
    Memory("a", 1, "note", "Ann prefers tea", AT, AT, "s1", pinned=True, importance=0.9, veracity="stated"),
    Memory("b", 1, "turn", "ok", AT, AT, "s1", position=7, external_id="x-1", author_id="bo", scope="session"),
    Memory("c", 1, "note", "全局的笔记", AT, AT, "s0", scope="global", valid_until=AT + 5, superseded_by="a"),
    Memory("d", 1, "note", "Long text", AT, AT, "s1", embed_text="short", metadata={"k": [1], "temporal_tags": ["x"]}),
    Memory(
        "e", 1, "episode", "Tea, ok", AT, AT, "s1", tier="episodic",
        metadata={"sources": ["a", "b"], "detail": 1, "since": AT, "by": "hand"},
    ),
]  # fmt: skip


@pytest.fixture
def filled(opened: Open) -> Store:
    store = opened("from")
    with store.transaction():
        store.memories.put(map(analysed, MEMORIES))
        store.episodes.cite("e", [("a", 1), ("b", 1)])
        store.memories.count_recalls({"a": (3, AT + 9)})
        Notes(store.connection, store.bank, store.sql).put([Note("n", "scratch", AT, AT + 1, "s1")])
    return store


def written(store: Store, tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    path = tmp_path / "out.json"
    mnemopi_json.to_file(store, path, NOW)
    return path, json.loads(path.read_text("utf-8"))


def test_the_document_has_the_sections_and_columns_that_the_other_engine_reads(filled: Store, tmp_path: Path) -> None:
    _, document = written(filled, tmp_path)
    assert set(document) == SECTIONS
    head = document["mnemopi_export"]
    assert (head["version"], head["component"], set(head)) == (
        "1.0",
        "beam",
        {"version", "export_date", "source_db", "component"},
    )
    assert all(set(row) == COMMON | {"embed_text", "consolidated_at"} for row in document["working_memory"])
    assert all(set(row) == COMMON | {"rowid", "summary_of"} for row in document["episodic_memory"])
    assert [set(row) for row in document["scratchpad"]] == [{"id", "content", "session_id", "created_at", "updated_at"}]
    assert [row["id"] for row in document["working_memory"]] == ["c", "a", "b", "d"], "by session, then time"


def test_values_are_what_sqlite_can_bind(filled: Store, tmp_path: Path) -> None:
    _, document = written(filled, tmp_path)
    rows = document["working_memory"] + document["episodic_memory"] + document["scratchpad"]
    assert all(isinstance(value, str | int | float | None) for row in rows for value in row.values())
    (episode,) = document["episodic_memory"]
    assert (episode["summary_of"], episode["rowid"]) == ("a,b", 1)
    assert json.loads(document["working_memory"][3]["temporal_tags"]) == ["x"]


def test_what_the_whole_bank_sees_all_sessions_see_there(filled: Store, tmp_path: Path) -> None:
    _, document = written(filled, tmp_path)
    assert {row["id"]: row["scope"] for row in document["working_memory"]} == {
        "a": "global",
        "b": "session",
        "c": "global",
        "d": "global",
    }


def test_it_comes_back_as_it_was(filled: Store, opened: Open, tmp_path: Path) -> None:
    path, _ = written(filled, tmp_path)
    other = opened("to")
    fields = Lenient(Gate(10_000, "full", UTC), NOW, keep_scope=True)
    made = legacy.cargo(mnemopi_json.tables(path), fields)
    unload(other, made, NOW, system="mnemopi", source=str(path), dry_run=False)
    for memory in MEMORIES:
        (back,) = other.memories.versions(memory.id)
        assert {name: getattr(back, name) for name in Memory.__slots__ if name != "rowkey"} == {
            name: getattr(memory, name) for name in Memory.__slots__ if name != "rowkey"
        }
    assert other.episodes.sources("e") == filled.episodes.sources("e")
    assert other.memories.recall_count("a") == (3, AT + 9)
    assert mnemopi_json.to_file(other, tmp_path / "again.json", NOW) == {
        "working_memory": 4,
        "episodic_memory": 1,
        "episodic_embeddings": 0,
        "scratchpad": 1,
        "consolidation_log": 0,
    }
    first, second = (json.loads((tmp_path / name).read_text("utf-8")) for name in ("out.json", "again.json"))
    assert first["working_memory"] == second["working_memory"]
    assert first["episodic_memory"] == second["episodic_memory"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "cut short"),
        ('{"mnemopi_export": {"version": "1.0"}, "working_memory": [', "cut short"),
        ("[]", "no JSON object"),
        ('{"working_memory": []}', "no export"),
        ('{"mnemopi_export": {"version": "2.0"}}', "version '2.0'"),
    ],
)
def test_what_is_no_document_of_a_known_version_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(UsageError, match=message):
        mnemopi_json.tables(tmp_path / "x.json")


def test_what_is_no_row_is_counted(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"mnemopi_export": {}, "working_memory": ["x", {"id": "a", "content": "Hi"}]}')
    made = legacy.cargo(mnemopi_json.tables(tmp_path / "x.json"), Lenient(Gate(10_000, "full", UTC), NOW))
    assert ([memory.content for memory in made.memories], made.found["working_memory"]) == (["Hi"], 2)
    assert made.left == {("working_memory", "no rows"): 1}


def test_no_file_is_not_found_and_other_bytes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        mnemopi_json.tables(tmp_path / "none.json")
    (tmp_path / "x.json").write_bytes(b'{"a": "\xff"}')
    with pytest.raises(UsageError, match="UTF-8"):
        mnemopi_json.tables(tmp_path / "x.json")
