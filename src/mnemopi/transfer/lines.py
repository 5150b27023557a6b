"""One line of an export, written: a stored value as JSON. `record` reads them, and tells the format."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mnemopi.model.fact import Statement
from mnemopi.model.graph import Annotation, Edge
from mnemopi.model.interval import iso
from mnemopi.model.memory import Event, Memory, Occurrence
from mnemopi.model.note import Note
from mnemopi.transfer import record

_WRITER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)
_TIMES = ("recorded_at", "timestamp", "retired_at", "valid_until")


def dump(kind: str, value: Mapping[str, Any]) -> str:
    """Write one line, its end included: compact, keys sorted, None left out."""
    kept = {name: field for name, field in value.items() if field is not None}
    return _WRITER.encode({kind: kept}) + "\n"


def of_memory(memory: Memory) -> str:
    """Write one version of a memory."""
    fields = {name: getattr(memory, name) for name in Memory.__slots__ if name not in ("rowkey", "event")}
    for name in _TIMES:
        fields[name] = _told(fields[name])
    if memory.event is not None:
        event = memory.event
        fields["event"] = {"start": iso(event.start), "end": iso(event.end), "precision": event.precision}
    return dump("memory", fields)


def of_occurrence(occurrence: Occurrence) -> str:
    """Write one more time that a note was stated."""
    fields = {name: getattr(occurrence, name) for name in Occurrence.__slots__}
    return dump("occurrence", fields | {"at": iso(occurrence.at)})


def of_recalled(recalled: record.Recalled) -> str:
    """Write a recall count."""
    return dump("recalled", {"id": recalled.id, "times": recalled.times, "last": iso(recalled.last)})


def of_tombstone(tombstone: record.Tombstone) -> str:
    """Write that a memory was forgotten."""
    return dump("tombstone", {"id": tombstone.id, "at": iso(tombstone.at)})


def of_citation(citation: record.Citation) -> str:
    """Write that an episode sums up a memory."""
    return dump("citation", citation._asdict())


def of_statement(statement: Statement) -> str:
    """Write a piece of evidence."""
    fields = {name: getattr(statement, name) for name in Statement.__slots__ if name != "rowkey"}
    for name in ("at", "valid_from", "valid_to", "withdrawn_at"):
        fields[name] = _told(fields[name])
    return dump("statement", fields)


def of_annotation(annotation: Annotation) -> str:
    """Write what was said of a memory."""
    fields = {name: getattr(annotation, name) for name in Annotation.__slots__}
    return dump("annotation", fields | {"at": iso(annotation.at)})


def of_edge(edge: Edge) -> str:
    """Write a link between two memories."""
    fields = {name: getattr(edge, name) for name in Edge.__slots__}
    return dump("edge", fields | {"at": iso(edge.at), "evidence": edge.evidence or None})


def of_unclaimed(waiting: record.Unclaimed) -> str:
    """Write that rules have yet to read a memory."""
    return dump("unclaimed", waiting._asdict())


def of_reading(waiting: record.Reading) -> str:
    """Write that a language model has yet to read a memory."""
    return dump("reading", waiting._asdict())


def of_note(note: Note) -> str:
    """Write a note of the scratchpad."""
    return dump("note", note.as_dict())


def of_event(event: Event) -> str:
    """Write one line of the journal."""
    return dump("event", {name: getattr(event, name) for name in Event.__slots__} | {"at": iso(event.at)})


def _told(moment: int | None) -> str | None:
    return None if moment is None else iso(moment)
