"""The JSON document in which the TypeScript engine exports and imports its memories: read it, and write it.

The document holds live versions only: it has no place for former ones, occurrences, facts or the graph. Our own format,
which has, is in `export`. What stands in it is written under the names and in the order that the other engine uses.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mnemopi.errors import NotFoundError, StorageError, UsageError
from mnemopi.model.interval import iso
from mnemopi.model.memory import Memory
from mnemopi.storage.notes import Notes
from mnemopi.storage.store import Store
from mnemopi.transfer import export

HEAD: Final = "mnemopi_export"
VERSION: Final = "1.0"
HEADS: Final = (HEAD, "mnemosyne_export")
_USUAL: Final = (None, False, "note", "episode", "global", "session", "channel")
"""Values that go without saying, or stand in a field of their own."""
_PAGE: Final = 500
OURS: Final = "mnemopi"
"""Under which name the metadata carry what only we know, so that it comes back with an import."""
KEPT: Final = ("scope", "kind", "position", "external_id", "pinned")
_EPISODE: Final = frozenset({"sources", "detail", "since"})
"""What an episode says of itself in its metadata, and has fields of its own for there."""


def tables(path: Path) -> dict[str, list[Any]]:
    """Read a document: rows by section, as they stand. Raises UsageError for what is none or of another version."""
    document = load(path)
    if not isinstance(document, dict):
        raise UsageError(f"{path} holds no JSON object, but {type(document).__name__}")
    head = next((document[name] for name in HEADS if name in document), None)
    if not isinstance(head, dict):
        raise UsageError(f"{path} is no export of mnemopi: it has no {HEAD!r}", hint="name the system that wrote it")
    if str(head.get("version", VERSION)).split(".")[0] != VERSION.split(".")[0]:
        raise UsageError(f"{path} is an export of version {head['version']!r:.20}, this version reads {VERSION}")
    return {name: rows for name, rows in document.items() if isinstance(rows, list)}


def load(path: Path) -> Any:
    """Read a JSON document from a file. Raises NotFoundError, UsageError, StorageError."""
    try:
        return json.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError as error:
        raise NotFoundError(f"there is no file {path}") from error
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 at byte {error.start}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is no JSON, or cut short: {error}") from error


def to_file(store: Store, path: Path, now: int) -> dict[str, int]:
    """Write a bank's live memories and notes to a file, and return the number of rows by section. `now` is UTC ms."""
    sections = _sections(store)
    head = {"version": VERSION, "export_date": iso(now), "source_db": store.path.name, "component": "beam"}
    with export.appearing(path) as file:
        json.dump({HEAD: head, **sections}, file, ensure_ascii=False, indent=2)
        file.write("\n")
    return {name: len(rows) for name, rows in sections.items()}


def _sections(store: Store) -> dict[str, list[dict[str, Any]]]:
    working: list[dict[str, Any]] = []
    episodic: list[dict[str, Any]] = []
    for memory in _live(store):
        if memory.kind == "episode":
            sources = [source for source, _ in store.episodes.sources(memory.id)]
            episodic.append({"rowid": len(episodic) + 1, **_row(store, memory, sources)})
        else:
            working.append(_row(store, memory, None))
    for rows in (working, episodic):
        rows.sort(key=lambda row: (row["session_id"], row["timestamp"], row["id"]))
    notes = [
        {
            "id": note.id,
            "content": note.content,
            "session_id": note.session_id,
            "created_at": iso(note.created_at),
            "updated_at": iso(note.updated_at),
        }
        for note in Notes(store.connection, store.bank, store.sql).all()
    ]
    return {
        "working_memory": working,
        "episodic_memory": episodic,
        "episodic_embeddings": [],
        "scratchpad": notes,
        "consolidation_log": [],
    }


def _live(store: Store) -> Iterator[Memory]:
    after = 0
    while page := store.memories.in_force_after(after, _PAGE):
        yield from page
        after = page[-1].rowkey


def _row(store: Store, memory: Memory, sources: list[str] | None) -> dict[str, Any]:
    count, last = store.memories.recall_count(memory.id)
    metadata = dict(memory.metadata or {})
    tags = metadata.pop("temporal_tags", [])
    if sources is not None:
        metadata = {name: value for name, value in metadata.items() if name not in _EPISODE}
    if own := {name: getattr(memory, name) for name in KEPT if getattr(memory, name) not in _USUAL}:
        metadata[OURS] = own
    row: dict[str, Any] = {
        "id": memory.id,
        "content": memory.content,
        "source": memory.source,
        "timestamp": iso(memory.timestamp),
        "session_id": memory.session_id,
        "importance": memory.importance,
    }
    if sources is None:
        row["embed_text"] = memory.embed_text
    row["metadata_json"] = json.dumps(metadata, ensure_ascii=False) if metadata else None
    if sources is not None:
        row["summary_of"] = ",".join(sources)
    row |= {
        "valid_until": None if memory.valid_until is None else iso(memory.valid_until),
        "superseded_by": memory.superseded_by,
        # Their `session` hides a memory from all other sessions, for which there is no other word than `global`.
        "scope": "global" if memory.scope == "bank" else memory.scope,
        "recall_count": count,
        "last_recalled": None if last is None else iso(last),
        "created_at": iso(memory.recorded_at),
        "veracity": memory.veracity,
    }
    if sources is None:
        row["consolidated_at"] = None
    return row | _tail(memory, tags)


def _tail(memory: Memory, tags: Any) -> dict[str, Any]:
    event = memory.event
    return {
        "memory_type": memory.memory_type,
        "author_id": memory.author_id,
        "author_type": memory.author_type,
        "channel_id": memory.channel_id,
        "trust_tier": memory.trust_tier,
        "event_date": None if event is None else iso(event.start)[:10],
        "event_date_precision": "unknown" if event is None else _precision(event.precision),
        "temporal_tags": json.dumps(tags if isinstance(tags, list) else []),
    }


def _precision(ours: str) -> str:
    return {"year": "year", "month": "month", "quarter": "month"}.get(ours, "day")
