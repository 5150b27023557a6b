"""The tables of the two references, mnemopi in TypeScript and Mnemosyne in Python, in our terms.

Both share one schema; what a file lacks is absent, what it has besides is named in the report. Working rows become
notes, episodic rows episodes that cite their sources. Ids, times, validity, authors and counts are kept; what is
derived (vectors, search tables, gists) is made anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from mnemopi.model.memory import Memory
from mnemopi.model.note import Note
from mnemopi.transfer import legacy_facts, legacy_ties
from mnemopi.transfer.cargo import Cargo
from mnemopi.transfer.lenient import Lenient
from mnemopi.transfer.mnemopi_json import OURS

Row: TypeAlias = Mapping[str, Any]
Tables: TypeAlias = Mapping[str, Sequence[Row]]
MEMORIES: Final = ("working_memory", "episodic_memory")
AGAIN: Final = "vectors are made by `mnemopi settle`, with the model in use"
_ELSEWHERE: Final[Mapping[str, str]] = {
    "memory_embeddings": AGAIN,
    "episodic_embeddings": AGAIN,
    "binary_vectors": AGAIN,
    "consolidation_log": "what sleep did there is no event of this bank",
    "memory_validations": "validations are events, which belong to the bank in which they happened",
    "memory_events": "events belong to the bank in which they happened",
    "gists": "made from the text, which is here",
    "conflicts": "contradictions are found anew among the facts",
    "harmonic_beliefs": "derived from facts, which are here",
    "memory_resonance_log": "a log of derivations",
    "query_cache": "a cache",
    "cost_entries": "spending belongs to the program that spent",
}


def cargo(tables: Tables, fields: Lenient) -> Cargo:
    """Turn rows by table into what can be written."""
    made = Cargo()
    made.found.update({name: len(rows) for name, rows in tables.items() if rows})
    for name, rows in tables.items():
        made.leave(name, "no rows", sum(not isinstance(row, Mapping) for row in rows))
    tables = {name: [row for row in rows if isinstance(row, Mapping)] for name, rows in tables.items()}
    seen: set[str] = set()
    # `memories` is where Mnemosyne began; what it holds mostly stands in `working_memory` too.
    for table in (*MEMORIES, "memories"):
        for row in tables.get(table, ()):
            _memory(made, fields, table, row, seen)
    for row in tables.get("scratchpad", ()):
        _note(made, fields, row)
    legacy_facts.add(made, tables, fields)
    legacy_ties.add(made, tables, fields)
    known = {*MEMORIES, "memories", "scratchpad", *legacy_facts.TABLES, *legacy_ties.TABLES}
    for name, rows in tables.items():
        if name not in known:
            made.leave(name, _ELSEWHERE.get(name, "nothing here is like it"), len(rows))
    return made


def _memory(made: Cargo, fields: Lenient, table: str, row: Row, seen: set[str]) -> None:
    id, content = fields.id(row.get("id")), fields.text(row.get("content"))
    if id is None or not content:
        made.leave(table, "rows without an id or a text")
        return
    if id in seen:
        if table != "memories":
            made.leave(table, "rows whose id another row has")
        return
    seen.add(id)
    episode = table == "episodic_memory"
    sources = _ids(row.get("summary_of"), fields) if episode else []
    for memory in _versions(fields, id, content, row, episode=episode, sources=sources):
        made.memories.append(memory)
        made.citations += [(memory.id, source) for source in sources]
    count = row.get("recall_count")
    if isinstance(count, int) and count > 0:
        made.recalls[id] = (count, fields.time(row.get("last_recalled"), row.get("timestamp")))


def _versions(
    fields: Lenient, id: str, content: str, row: Row, *, episode: bool, sources: Sequence[str]
) -> Iterable[Memory]:
    said_at = fields.time(row.get("timestamp"), row.get("created_at"))
    source = fields.text(row.get("source")) or "conversation"
    embed_text = fields.text(row.get("embed_text")) or None
    metadata = _metadata(fields, row, sources, said_at, episode=episode)
    own = _own(fields, metadata.pop(OURS, None))
    built = fields.memory(
        id,
        content,
        said_at,
        kind="episode" if episode else own.get("kind", "note"),
        source=source,
        metadata=metadata,
        recorded_at=min(fields.time(row.get("created_at"), said_at), fields.now),
        tier="episodic" if episode else "working",
        session_id=fields.name(row.get("session_id")) or "default",
        scope=own.get("scope") or fields.scope(row.get("scope") or ("session" if "scope" in row else "global")),
        importance=fields.share(row.get("importance"), 0.5),
        veracity=fields.veracity(row.get("veracity")),
        trust_tier=fields.tier(row.get("trust_tier"), source),
        memory_type=fields.name(row.get("memory_type")) or "unknown",
        pinned=bool(row.get("pinned") or own.get("pinned")),
        position=own.get("position"),
        external_id=own.get("external_id"),
        author_id=fields.name(row.get("author_id")),
        author_type=fields.name(row.get("author_type")),
        channel_id=fields.name(row.get("channel_id")),
        event=fields.event(row.get("event_date"), row.get("event_date_precision"), content, said_at),
        valid_until=fields.moment(row.get("valid_until")),
        superseded_by=fields.id(row.get("superseded_by")),
        embed_text=None if embed_text == content else embed_text,
    )
    return [_in_order(memory) for memory in built]


def _in_order(memory: Memory) -> Memory:
    """A row that was written before it was said, by a clock of another zone, was written when it was said."""
    return memory if memory.recorded_at > 0 else replace(memory, recorded_at=max(memory.timestamp, 0))


def _own(fields: Lenient, told: object) -> dict[str, Any]:
    """Read what our own export told besides; what is not as we write it is left out."""
    if not isinstance(told, dict):
        return {}
    position = told.get("position")
    found = {
        "kind": "turn" if told.get("kind") == "turn" else None,
        "scope": fields.name(told.get("scope")),
        "position": position if isinstance(position, int) and 0 <= position < 2**53 else None,
        "external_id": fields.name(told.get("external_id")),
        "pinned": told.get("pinned") is True,
    }
    return {name: value for name, value in found.items() if value}


def _metadata(fields: Lenient, row: Row, sources: Sequence[str], said_at: int, *, episode: bool) -> dict[str, Any]:
    metadata = fields.mapping(row.get("metadata_json"))
    tags = fields.mapping(row.get("temporal_tags")).get("value")
    if tags:
        metadata["temporal_tags"] = tags
    if fields.text(row.get("validator")):
        metadata["validated"] = {
            "by": fields.name(row["validator"]),
            "at": row.get("validated_at"),
            "count": row.get("validation_count"),
        }
    if episode:
        # Told as it was found: what it says is not ours to retell from its sources when it grows old.
        level = row.get("tier") if row.get("tier") in (1, 2, 3) else 1
        metadata |= {"sources": list(sources), "detail": level, "since": said_at, "by": "hand"}
    return metadata


def _note(made: Cargo, fields: Lenient, row: Row) -> None:
    id, content = fields.id(row.get("id")), fields.text(row.get("content"))
    if id is None or not content:
        made.leave("scratchpad", "rows without an id or a text")
        return
    created = fields.time(row.get("created_at"), row.get("updated_at"))
    session = fields.name(row.get("session_id")) or "default"
    made.notes.append(Note(id, content, created, fields.time(row.get("updated_at"), created), session))


def _ids(value: object, fields: Lenient) -> list[str]:
    told = [part.strip() for part in value.split(",")] if isinstance(value, str) else []
    return [id for part in told if (id := fields.id(part)) is not None]
