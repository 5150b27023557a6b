"""Memories of other systems as the JSON that they export: mem0, Letta, Zep and Graphiti.

Only what their formats document is read; what else a file holds is named in the report. What a language model wrote
there is derived here: its tier of trust says so.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
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
_NO_ROWS: Final = "in a form that is not known"
_PARTIAL: Final = "without a subject, a relation or an object"
_MEM0: Final = ("results", "memories", "data")
_LETTA: Final = ("core_memory", "memory_blocks", "blocks", "messages", "passages", "archival_memory")
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
    lists = [document] if isinstance(document, list) else _lists(document, _MEM0)
    if not lists:
        raise UsageError(f"{path} holds no list of memories", hint='a list, or an object {"results": [...]}')
    for row in (row for rows in lists for row in _rows(made, "memories", rows, "memory")):
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
    if isinstance(document, dict):
        for row in _rows(made, "relations", document.get("relations")):
            target = row.get("destination") or row.get("target")
            _state(made, "relations", stated(fields, row.get("source"), row.get("relationship"), target, fields.now))
        _leave_others(made, document, (*_MEM0, "relations"))
    return made


def letta(path: Path, fields: Lenient) -> Cargo:
    """Read an agent file of Letta (either format), or its archival memory as a list of passages."""
    made, document = Cargo(), load(path)
    if isinstance(document, list):
        _passages(made, fields, path.stem, document)
        return made
    if not isinstance(document, dict) or not any(
        _lists(each, _LETTA) for each in (document, *_list(document.get("agents")))
    ):
        raise UsageError(f"{path} is no agent file of Letta, and no list of passages")
    blocks = list(_rows(made, "blocks", document.get("blocks"), "value"))
    named: set[str] = set()
    for agent in _rows(made, "agents", document.get("agents")):
        ids = set(map(str, _list(agent.get("block_ids"))))
        named |= ids
        _agent(made, fields, path.stem, agent, [block for block in blocks if str(block.get("id")) in ids])
    # What no agent names is the file's, which is an agent itself in the older format.
    others = [block for block in blocks if str(block.get("id")) not in named]
    _agent(made, fields, path.stem, {**document, "blocks": None}, others)
    _leave_others(made, document, ("agents", "block_ids", *_LETTA))
    return made


def zep(path: Path, fields: Lenient) -> Cargo:
    """Read episodes, nodes and edges of Zep or Graphiti: an object with these three lists."""
    made, document = Cargo(), load(path)
    if not _lists(document, ("episodes", "edges")):
        raise UsageError(f"{path} holds no episodes and no edges", hint='an object {"episodes": [...], "edges": [...]}')
    places: Counter[str] = Counter()
    known: dict[str, Memory] = {}
    for row in _rows(made, "episodes", document.get("episodes"), "content"):
        known |= _episode(made, fields, row, places)
    names: dict[str, str] = {}
    for row in _rows(made, "nodes", document.get("nodes")):
        names[str(row.get("uuid"))] = fields.text(row.get("name"))
        _summary(made, fields, row)
    for row in _rows(made, "edges", document.get("edges")):
        start = fields.time(row.get("valid_at"), row.get("created_at"))
        stop = fields.moment(row.get("invalid_at")) or fields.moment(row.get("expired_at"))
        sources = _list(row.get("episodes") or row.get("episode_uuids"))
        memory = next((known[str(id)] for id in sources if str(id) in known), None)
        subject = names.get(str(row.get("source_node_uuid"))) or row.get("source_node_name")
        target = names.get(str(row.get("target_node_uuid"))) or row.get("target_node_name")
        predicate = row.get("name")
        if not (subject and predicate and target):
            subject, predicate, target = "note", "says", row.get("fact")
        _state(made, "edges", stated(fields, subject, predicate, target, start, stop, memory))
    _leave_others(made, document, ("episodes", "nodes", "edges"))
    return made


def _state(made: Cargo, table: str, told: list[Statement]) -> None:
    made.statements += told
    if not told:
        made.leave(table, _PARTIAL)


def _agent(made: Cargo, fields: Lenient, file: str, row: Row, blocks: Iterable[Row]) -> None:
    """What an agent remembers: these blocks and those that stand in its row, what was said, and passages."""
    name = fields.name(row.get("name")) or file
    own = (_rows(made, "blocks", row.get(key), "value") for key in ("core_memory", "memory_blocks", "blocks"))
    for block in chain(blocks, *own):
        _block(made, fields, name, block)
    _messages(made, fields, name, row.get("messages"))
    for key in ("passages", "archival_memory"):
        _passages(made, fields, name, row.get(key))


def _block(made: Cargo, fields: Lenient, agent: str, row: Row) -> None:
    """A memory block: one memory, which follows edits of the block."""
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


def _messages(made: Cargo, fields: Lenient, agent: str, rows: object) -> None:
    session = f"letta:{agent}"[:200]
    for place, row in enumerate(_rows(made, "messages", rows)):
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
    for row in _rows(made, "passages", rows, "text"):
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
    if not text:
        made.leave("nodes", "names without a summary")
    else:
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


def _rows(made: Cargo, table: str, rows: object, text: str | None = None) -> Iterator[Row]:
    """Yield the rows of a list, and count them. A bare string is a row with that `text`, where the field is named.

    What is neither has no place here, and is counted as such, and so is what is no list.
    """
    for row in rows if isinstance(rows, list) else [] if rows is None else [rows]:
        made.found[table] += 1
        if isinstance(row, dict) and isinstance(rows, list):
            yield row
        elif isinstance(row, str) and text is not None:
            yield {text: row}
        else:
            made.leave(table, _NO_ROWS)


def _leave_others(made: Cargo, document: Row, read: Iterable[str]) -> None:
    """Name the lists of a document that are not read."""
    for name in sorted(set(document) - set(read)):
        made.leave(name, "no memory", sum(isinstance(row, dict | str) for row in _list(document[name])))


def _lists(document: object, names: Iterable[str]) -> list[list[Any]]:
    return [document[n] for n in names if isinstance(document.get(n), list)] if isinstance(document, dict) else []


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _until(value: object) -> int | None:
    """A bare date is included to its end."""
    try:
        return prepare.until(value) if isinstance(value, str) and value else None
    except UsageError:
        return None
