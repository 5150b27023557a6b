"""Between a memory and its row: the parameters of `put_memory`, and the `columns` fragment read back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mnemopi.errors import CorruptError
from mnemopi.model import nesting
from mnemopi.model.interval import Interval
from mnemopi.model.memory import Memory
from mnemopi.ports import Row, Value


def note_hash(memory: Memory) -> bytes:
    """Return what equal notes share: a digest of text, scope, author and kind (16 bytes)."""
    import hashlib  # noqa: PLC0415 -- a library of ciphers, which no recall needs

    parts = (memory.kind, memory.scope, memory.author_id or "", _where(memory), memory.content)
    return hashlib.sha256("\x00".join(parts).encode()).digest()[:16]


def _where(memory: Memory) -> str:
    """A note that only one session or channel may see is another note than its twin elsewhere."""
    if memory.scope == "session":
        return memory.session_id
    return memory.channel_id or memory.session_id if memory.scope == "channel" else ""


def row_of(bank: str, memory: Memory, rowkey: int) -> dict[str, Value]:
    """Return the parameters by which a version is written."""
    event = memory.event
    return {
        "rowkey": rowkey,
        "bank": bank,
        "id": memory.id,
        "version": memory.version,
        "recorded_at": memory.recorded_at,
        "retired_at": memory.retired_at,
        "valid_until": memory.valid_until,
        "scope": memory.scope,
        "session_id": memory.session_id,
        "position": memory.position,
        "timestamp": memory.timestamp,
        "veracity": memory.veracity,
        "kind": memory.kind,
        "tier": memory.tier,
        "author_id": memory.author_id,
        "author_type": memory.author_type,
        "channel_id": memory.channel_id,
        "source": memory.source,
        "memory_type": memory.memory_type,
        "event_start": event.start if event else None,
        "event_end": event.end if event else None,
        "event_precision": event.precision if event else None,
        "importance": memory.importance,
        "trust_tier": memory.trust_tier,
        "pinned": int(memory.pinned),
        "external_id": memory.external_id,
        "superseded_by": memory.superseded_by,
        "hash": note_hash(memory) if memory.kind == "note" else None,
        "metadata": _json(memory.metadata),
        "content": memory.content,
        "embed_text": memory.embed_text,
    }


def _mapping(written: str) -> Mapping[str, Any]:
    """Read metadata. What an earlier version took, and is deeper than any face can carry, is a text."""
    try:
        read: Mapping[str, Any] = json.loads(nesting.flat(written))
    except ValueError as error:
        raise CorruptError("the file is damaged: it holds metadata that is none") from error
    return read


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def from_row(row: Row) -> Memory:
    """Build a memory from the `columns` fragment."""
    return Memory(
        rowkey=row[0],
        id=row[2],
        version=row[3],
        recorded_at=row[4],
        retired_at=row[5],
        valid_until=row[6],
        scope=row[7],
        session_id=row[8],
        position=row[9],
        timestamp=row[10],
        veracity=row[11],
        kind=row[12],
        tier=row[13],
        author_id=row[14],
        author_type=row[15],
        channel_id=row[16],
        source=row[17],
        memory_type=row[18],
        event=None if row[19] is None else Interval(row[19], row[20], row[21]),
        importance=row[22],
        trust_tier=row[23],
        pinned=bool(row[24]),
        external_id=row[25],
        superseded_by=row[26],
        metadata=None if row[27] is None else _mapping(row[27]),
        content=row[28],
        embed_text=row[29],
    )
