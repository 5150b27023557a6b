"""Memories of other systems as the JSON that they export: mem0, Letta, Zep and Graphiti.

Only what their formats document is read; what else a file holds is named in the report. What a language model wrote
there is derived here: its tier of trust says so.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from mnemopi.errors import UsageError
from mnemopi.ingest import prepare
from mnemopi.model.fact import Statement
from mnemopi.model.memory import Memory
from mnemopi.transfer.cargo import Cargo
from mnemopi.transfer.lenient import Lenient
from mnemopi.transfer.mnemopi_json import load

Row: TypeAlias = Mapping[str, Any]
_EMPTY: Final = "rows without a text"
_SPOKEN: Final = ("user", "assistant")


def digest(*parts: object) -> str:
    """Return an id for what has none that is its own everywhere."""
    return hashlib.sha256("\x00".join(map(str, parts)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def stated(
    fields: Lenient,
    subject: object,
    predicate: object,
    object_: object,
    start: int,
    stop: int | None = None,
    memory: Memory | None = None,
) -> list[Statement]:
    """Build the statement of a relation, none where a part of it is missing. Times are UTC ms."""
    told = [fields.text(part).strip() for part in (subject, predicate, object_)]
    if not all(told):
        return []
    return [
        Statement(
            verb="assert",
            kind="relation",
            subject=told[0],
            predicate=told[1].lower(),
            object=told[2],
            at=min(start, fields.now),
            valid_from=start,
            valid_to=stop if stop is None or stop > start else None,
            confidence=0.7,
            veracity="imported",
            session_id="default" if memory is None else memory.session_id,
            channel_id=None if memory is None else memory.channel_id,
            memory=None if memory is None else memory.id,
            version=None if memory is None else 1,
            origin="import",
        )
    ]


def mem0(path: Path, fields: Lenient) -> Cargo:
    """Read what `get_all` or an export of mem0 gives: a list, or one under `results` or `memories`."""
    made, document = Cargo(), load(path)
    rows = _rows(path, document, ("results", "memories", "data"))
    made.found["memories"] = len(rows)
    for row in rows:
        text = fields.text(next((row[name] for name in ("memory", "text", "content", "data") if row.get(name)), None))
        if not text:
            made.leave("memories", _EMPTY)
            continue
        said_at = fields.time(row.get("created_at"), row.get("updated_at"))
        kept = ("agent_id", "app_id", "run_id", "categories", "updated_at", "actor_id", "role")
        metadata = fields.mapping(row.get("metadata")) | fields.mapping({k: row[k] for k in kept if row.get(k)})
        made.memories += fields.memory(
            fields.id(row.get("id")) or digest("mem0", text),
            text,
            said_at,
            source="mem0",
            metadata=metadata,
            session_id=fields.name(row.get("run_id")) or "default",
            author_id=fields.name(row.get("user_id")),
            trust_tier="DERIVED",
            valid_until=_until(row.get("expiration_date")),
        )
    relations = document.get("relations") if isinstance(document, dict) else None
    for row in _dicts(relations):
        made.found["relations"] += 1
        target = row.get("destination") or row.get("target")
        made.statements += stated(fields, row.get("source"), row.get("relationship"), target, fields.now)
    return made


def letta(path: Path, fields: Lenient) -> Cargo:
    """Read an agent file of Letta (either format), or its archival memory as a list of passages."""
    made, document = Cargo(), load(path)
    if isinstance(document, list):
        _passages(made, fields, path.stem, document)
        return made
    agents = _dicts(document.get("agents")) or [document]
    blocks = {str(block.get("id")): block for block in _dicts(document.get("blocks"))}
    names = ("core_memory", "blocks", "messages", "passages", "archival_memory")
    if not any(isinstance(each.get(name), list) for each in (document, *agents) for name in names):
        raise UsageError(f"{path} is no agent file of Letta, and no list of passages")
    for agent in agents:
        name = fields.name(agent.get("name")) or path.stem
        own = [blocks[str(id)] for id in agent.get("block_ids") or () if str(id) in blocks]
        for block in (*own, *_dicts(agent.get("core_memory")), *_dicts(agent.get("memory_blocks"))):
            _block(made, fields, name, block)
        _messages(made, fields, name, _dicts(agent.get("messages")))
        for key in ("passages", "archival_memory"):
            _passages(made, fields, name, agent.get(key))
    for key in ("tools", "sources", "files", "mcp_servers", "groups", "skills"):
        made.leave(key, "no memory", len(_dicts(document.get(key))))
    return made


def zep(path: Path, fields: Lenient) -> Cargo:
    """Read episodes, nodes and edges of Zep or Graphiti: an object with these three lists."""
    made, document = Cargo(), load(path)
    if not isinstance(document, dict) or not any(isinstance(document.get(n), list) for n in ("episodes", "edges")):
        raise UsageError(f"{path} holds no episodes and no edges", hint='an object {"episodes": [...], "edges": [...]}')
    places: Counter[str] = Counter()
    known: dict[str, Memory] = {}
    for row in _dicts(document.get("episodes")):
        made.found["episodes"] += 1
        known |= _episode(made, fields, row, places)
    names: dict[str, str] = {}
    for row in _dicts(document.get("nodes")):
        made.found["nodes"] += 1
        names[str(row.get("uuid"))] = fields.text(row.get("name"))
        _summary(made, fields, row)
    for row in _dicts(document.get("edges")):
        made.found["edges"] += 1
        start = fields.time(row.get("valid_at"), row.get("created_at"))
        stop = fields.moment(row.get("invalid_at")) or fields.moment(row.get("expired_at"))
        sources = row.get("episodes") or row.get("episode_uuids") or ()
        memory = next((known[str(id)] for id in sources if str(id) in known), None)
        subject = names.get(str(row.get("source_node_uuid"))) or row.get("source_node_name")
        target = names.get(str(row.get("target_node_uuid"))) or row.get("target_node_name")
        predicate = row.get("name")
        if not (subject and predicate and target):
            subject, predicate, target = "note", "says", row.get("fact")
        made.statements += stated(fields, subject, predicate, target, start, stop, memory)
    return made


def _block(made: Cargo, fields: Lenient, agent: str, row: Row) -> None:
    """A memory block: one memory, which follows edits of the block."""
    made.found["blocks"] += 1
    label, text = fields.name(row.get("label")) or "block", fields.text(row.get("value"))
    if not text:
        made.leave("blocks", _EMPTY)
        return
    where = f"letta:{digest(agent)}/{label}"[:180]
    made.prefixes.append(where + "#")
    metadata = {"agent": agent, "label": label, "description": fields.text(row.get("description"))}
    made.memories += fields.memory(
        digest(where, text),
        text,
        fields.time(row.get("updated_at"), row.get("created_at")),
        source="letta",
        metadata={name: value for name, value in metadata.items() if value},
        external_id=f"{where}#{digest(text)}",
        session_id="default",
        trust_tier="DERIVED",
        memory_type=label,
    )


def _messages(made: Cargo, fields: Lenient, agent: str, rows: Sequence[Row]) -> None:
    session = f"letta:{agent}"[:200]
    for place, row in enumerate(rows):
        made.found["messages"] += 1
        role, text = str(row.get("role")), _spoken(fields, row)
        if role not in _SPOKEN or not text:
            made.leave("messages", "prompts, tool calls and their results")
            continue
        said_at = fields.time(row.get("created_at"))
        made.memories += fields.memory(
            digest("letta", agent, row.get("id", place), row.get("created_at")),
            text,
            said_at,
            kind="turn",
            source="conversation",
            session_id=session,
            position=place,
            author_id=role,
            author_type=role,
        )


def _passages(made: Cargo, fields: Lenient, agent: str, rows: object) -> None:
    for row in _dicts(rows):
        made.found["passages"] += 1
        text = fields.text(row.get("text"))
        if not text:
            made.leave("passages", _EMPTY)
            continue
        metadata = fields.mapping(row.get("metadata") or row.get("metadata_")) | {"agent": agent}
        if row.get("tags"):
            metadata["tags"] = fields.mapping(row["tags"]).get("value")
        made.memories += fields.memory(
            fields.id(row.get("id")) or digest("letta", agent, text),
            text,
            fields.time(row.get("created_at")),
            source="letta",
            metadata=metadata,
            session_id="default",
            trust_tier="DERIVED",
        )


def _episode(made: Cargo, fields: Lenient, row: Row, places: Counter[str]) -> dict[str, Memory]:
    text = fields.text(row.get("content"))
    if not text:
        made.leave("episodes", _EMPTY)
        return {}
    session = fields.name(row.get("session_id") or row.get("thread_id") or row.get("group_id")) or "default"
    role = fields.name(row.get("role_type") or row.get("role"))
    turn = row.get("source") == "message"
    told = fields.memory(
        fields.id(row.get("uuid")) or digest("zep", session, text),
        text,
        fields.time(row.get("valid_at"), row.get("reference_time"), row.get("created_at")),
        kind="turn" if turn else "note",
        source="conversation" if turn else row.get("source_description") or "zep",
        metadata=fields.mapping({k: row[k] for k in ("name", "source_description") if row.get(k)}),
        session_id=session,
        position=places[session] if turn else None,
        author_id=fields.name(row.get("role")) or role,
        author_type=role,
    )
    places[session] += turn
    made.memories += told
    return {str(row.get("uuid")): told[0]} if told else {}


def _summary(made: Cargo, fields: Lenient, row: Row) -> None:
    name, text = fields.text(row.get("name")), fields.text(row.get("summary"))
    if text:
        id = fields.id(row.get("uuid")) or digest("zep", name)
        made.memories += fields.memory(
            id,
            f"{name}: {text}" if name else text,
            fields.time(row.get("created_at")),
            source="zep",
            metadata=fields.mapping({"labels": row["labels"]} if row.get("labels") else None),
            session_id="default",
            trust_tier="DERIVED",
        )


def _spoken(fields: Lenient, row: Row) -> str:
    """Return what a message says; Letta wraps what users say in a JSON object, with the time beside it."""
    content = row.get("content", row.get("text"))
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type", "text") == "text"]
        content = "\n".join(text for text in texts if isinstance(text, str))
    if isinstance(content, str) and content.startswith("{"):
        try:
            wrapped = json.loads(content)
        except ValueError:
            return fields.text(content)
        if isinstance(wrapped, dict) and wrapped.get("type") not in (None, "user_message"):
            return ""
        content = wrapped.get("message", content) if isinstance(wrapped, dict) else content
    return fields.text(content) if isinstance(content, str) else ""


def _rows(path: Path, document: object, names: Iterable[str]) -> list[Row]:
    if isinstance(document, dict):
        document = next((document[name] for name in names if isinstance(document.get(name), list)), None)
    if not isinstance(document, list):
        raise UsageError(f"{path} holds no list of memories", hint='a list, or an object {"results": [...]}')
    return _dicts(document)


def _dicts(rows: object) -> list[Row]:
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _until(value: object) -> int | None:
    """A bare date is included to its end."""
    try:
        return prepare.until(value) if isinstance(value, str) and value else None
    except UsageError:
        return None
