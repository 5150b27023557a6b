"""One line of an export, read: every field checked. `lines` writes them.

Each line is an object with one key that names its kind (`memory`, `occurrence`, `recalled`, `tombstone`, `citation`,
`statement`, `annotation`, `edge`, `unclaimed`, `reading`, `note`, `event`).
Times are ISO 8601 in UTC with milliseconds; a field that is None is left out. What a line holds may come from
anywhere, so that its texts pass the write gate, and its identifiers are refused where they look like a secret.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple, cast, get_args

from mnemopi.errors import UsageError
from mnemopi.ingest import draft as drafts
from mnemopi.ingest.prepare import Gate
from mnemopi.model import trust
from mnemopi.model.fact import KINDS as FACT_KINDS
from mnemopi.model.fact import FactKind, Statement, Verb
from mnemopi.model.graph import Annotation, Edge
from mnemopi.model.interval import Interval, Precision
from mnemopi.model.memory import Event, Kind, Memory, Occurrence
from mnemopi.model.note import Note
from mnemopi.text import redact
from mnemopi.transfer import strict_json

FORMAT: Final = 1
DOCUMENT: Final = (
    "a JSON document is taken over from the system that wrote it, by its name: "
    '`import --from mnemopi`, or `take_over("mnemopi", ...)` for what the format `mnemopi` exports'
)
MANIFEST: Final = "mnemopi_export"
KINDS: Final = (
    "memory",
    "occurrence",
    "recalled",
    "tombstone",
    "citation",
    "statement",
    "annotation",
    "edge",
    "unclaimed",
    "reading",
    "note",
    "event",
)
"""In the order in which they stand in a file."""
_ID = r"[A-Za-z0-9_.:-]{1,80}"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MARK, _MARK_ROOM = "[REDACTED:", 64
_KINDS_OF_MEMORY = tuple(kind for kind in get_args(Kind) if kind != "fact")  # facts follow from statements
_PRECISIONS, _VERBS = get_args(Precision), get_args(Verb)


class Recalled(NamedTuple):
    """How often a memory was handed out, and when last (UTC ms)."""

    id: str
    times: int
    last: int


class Tombstone(NamedTuple):
    """That a memory was forgotten, and when (UTC ms). What it said is not told."""

    id: str
    at: int


class Citation(NamedTuple):
    """That an episode sums up a memory, at a version; of a forgotten episode, that it is not to be made again."""

    episode: str
    memory: str
    version: int


class Unclaimed(NamedTuple):
    """That rules have yet to read a memory: `said`, the part of it that users said (None: all of it)."""

    memory: str
    said: str | None


class Reading(NamedTuple):
    """That a language model has yet to read a memory, or `said` of it, from a place on (characters)."""

    memory: str
    said: str | None
    reached: int


Record = (
    Memory
    | Occurrence
    | Recalled
    | Tombstone
    | Citation
    | Statement
    | Annotation
    | Edge
    | Unclaimed
    | Reading
    | Note
    | Event
)


def manifest(line: str) -> Mapping[str, int]:
    """Read the counts of the first line. Raises UsageError where it is no manifest, or of a later format."""
    value = strict_json.parse(line)
    version, counts = value.get(MANIFEST), value.get("counts")
    if version is None:
        raise UsageError(
            "this is no export: its first line is no manifest", hint="other lines are memories to remember one by one"
        )
    if isinstance(version, dict):
        raise UsageError("this is a JSON document, and no export in lines", hint=DOCUMENT)
    if version != FORMAT or isinstance(version, bool):
        raise UsageError(f"an export of format {version!r:.20}, this version reads {FORMAT}", hint="upgrade mnemopi")
    if not isinstance(counts, dict) or not all(_is_count(count) for count in counts.values()):
        raise UsageError("the manifest has no counts")
    return counts


def read(line: str, gate: Gate) -> tuple[str, Record]:
    """Read a line after the first one: its kind and value. Raises UsageError for whatever is not as it must be."""
    value = strict_json.parse(line)
    if len(value) != 1 or (kind := next(iter(value))) not in KINDS:
        raise UsageError("a line has one key: " + ", ".join(KINDS))
    fields = value[kind]
    if not isinstance(fields, dict):
        raise UsageError(f"{kind} is an object, not {type(fields).__name__}")
    _check_names(kind, fields)
    # A text that was shortened to the limit may have grown by the marks that stand for its secrets.
    longest = gate.max_content_chars + _MARK_ROOM * line.count(_MARK)
    return kind, _Fields(fields, gate, longest).record(kind)


class _Fields:
    """The fields of one line, each taken by what it is."""

    def __init__(self, fields: Mapping[str, Any], gate: Gate, longest: int) -> None:
        self._fields, self._gate, self._longest = fields, gate, longest

    def record(self, kind: str) -> Record:
        if kind == "memory":
            return self._memory()
        if kind == "event":
            return self._event()
        if kind == "occurrence":
            return self._occurrence()
        if kind == "recalled":
            return Recalled(self.id(), self.count("times"), self.time("last"))
        if kind == "citation":
            return Citation(self.id("episode"), self.id("memory"), self.count("version"))
        if kind == "statement":
            return self._statement()
        if kind == "annotation":
            said = self.id("memory"), self.name("kind"), self.text("value"), self.text("key")
            return Annotation(*said, self.name("source"), self.share("confidence"), self.time("at"))
        if kind == "edge":
            ends = self.id("source"), self.id("target"), self.name("type"), self.share("weight")
            evidence = self.text("evidence") if self._fields.get("evidence") else ""
            return Edge(*ends, evidence, self.name("origin"), self.time("at"))
        if kind == "unclaimed":
            return Unclaimed(self.id("memory"), self.optional_text("said"))
        if kind == "reading":
            return Reading(self.id("memory"), self.optional_text("said"), self.count("reached"))
        if kind == "note":
            times = self.time("created_at"), self.time("updated_at")
            return Note(self.name("id"), self.text("content"), *times, self.name("session_id"))
        return Tombstone(self.id(), self.time("at"))

    def _memory(self) -> Memory:
        source = self.text("source")
        return Memory(
            id=self.id(),
            version=self.count("version"),
            kind=cast("Kind", self.one_of("kind", _KINDS_OF_MEMORY)),
            content=self.text("content"),
            recorded_at=self.time("recorded_at"),
            timestamp=self.time("timestamp"),
            session_id=self.name("session_id"),
            scope=self.name("scope"),
            source=source,
            tier=self.one_of("tier", ("working", "episodic")),
            importance=drafts.importance(self._fields.get("importance")),
            veracity=trust.veracity(self._fields.get("veracity")),
            trust_tier=trust.tier(self.name("trust_tier"), source),
            memory_type=self.name("memory_type"),
            pinned=drafts.flag(self._fields.get("pinned"), "pinned"),
            position=drafts.position(self._fields.get("position"), most=2**53),
            external_id=self.optional_name("external_id"),
            author_id=self.optional_name("author_id"),
            author_type=self.optional_name("author_type"),
            channel_id=self.optional_name("channel_id"),
            event=self.interval("event"),
            valid_until=self.optional_time("valid_until"),
            superseded_by=self.optional_id("superseded_by"),
            metadata=self.metadata("metadata"),
            embed_text=self.optional_text("embed_text"),
            retired_at=self.optional_time("retired_at"),
        )

    def _occurrence(self) -> Occurrence:
        return Occurrence(
            id=self.id(),
            at=self.time("at"),
            session_id=self.name("session_id"),
            author_id=self.optional_name("author_id"),
            channel_id=self.optional_name("channel_id"),
            source=self.text("source"),
        )

    def _statement(self) -> Statement:
        return Statement(
            verb=cast("Verb", self.one_of("verb", _VERBS)),
            kind=cast("FactKind", self.one_of("kind", FACT_KINDS)),
            subject=self.text("subject"),
            predicate=self.text("predicate"),
            object=self.text("object"),
            at=self.time("at"),
            valid_from=self.time("valid_from"),
            valid_to=self.optional_time("valid_to"),
            confidence=self.share("confidence"),
            veracity=trust.veracity(self._fields.get("veracity")),
            scope=self.name("scope"),
            session_id=self.name("session_id"),
            channel_id=self.optional_name("channel_id"),
            author_id=self.optional_name("author_id"),
            memory=self.optional_id("memory"),
            version=self.optional_count("version"),
            start=self.optional_count("start"),
            stop=self.optional_count("stop"),
            origin=self.name("origin"),
            withdrawn_at=self.optional_time("withdrawn_at"),
        )

    def _event(self) -> Event:
        reason = None if self._fields.get("reason") is None else self.text("reason")
        return Event(
            at=self.time("at"),
            verb=self.name("verb"),
            memory=self.optional_id("memory"),
            version=self.optional_count("version"),
            actor=self.optional_name("actor"),
            reason=reason,
            seq=self.count("seq"),
            writer=self.name("writer"),
        )

    def id(self, name: str = "id") -> str:
        found = self.optional_id(name)
        if found is None:
            raise UsageError(f"{name} is missing")
        return found

    def optional_id(self, name: str) -> str | None:
        found = self.optional_name(name)
        if found is not None and not re.fullmatch(_ID, found):
            raise UsageError(f"{name} is 1 to 80 letters, digits, `_`, `.`, `:` or `-`, not {found!r:.60}")
        return found

    def name(self, name: str) -> str:
        return cast("str", drafts.name(self._fields.get(name), name, optional=False))

    def optional_name(self, name: str) -> str | None:
        return drafts.name(self._fields.get(name), name)

    def text(self, name: str) -> str:
        checked = drafts.text(self._fields.get(name), name, self._longest)
        return redact.redact(checked, self._gate.redact).text

    def optional_text(self, name: str) -> str | None:
        return None if self._fields.get(name) is None else self.text(name)

    def count(self, name: str) -> int:
        found = self._fields.get(name)
        if not _is_count(found):
            raise UsageError(f"{name} is a whole number from 0, not {found!r:.60}")
        return cast("int", found)

    def share(self, name: str) -> float:
        return drafts.importance(self._fields.get(name))

    def optional_count(self, name: str) -> int | None:
        return None if self._fields.get(name) is None else self.count(name)

    def one_of(self, name: str, known: tuple[str, ...]) -> str:
        found = self._fields.get(name)
        if found not in known:
            raise UsageError(f"{name} is one of {', '.join(known)}, not {found!r:.60}")
        return cast("str", found)

    def time(self, name: str) -> int:
        return _moment(self._fields.get(name), name)

    def optional_time(self, name: str) -> int | None:
        found = self._fields.get(name)
        return None if found is None else _moment(found, name)

    def interval(self, name: str) -> Interval | None:
        found = self._fields.get(name)
        if found is None:
            return None
        if not isinstance(found, dict) or set(found) != {"start", "end", "precision"}:
            raise UsageError(f"{name} has start, end and precision")
        start, end = _moment(found["start"], "start"), _moment(found["end"], "end")
        if found["precision"] not in _PRECISIONS or start > end:
            raise UsageError(f"{name} is no stretch of time")
        return Interval(start, end, found["precision"])

    def metadata(self, name: str) -> Mapping[str, Any] | None:
        checked = drafts.metadata(self._fields.get(name), self._longest)
        return cast("Mapping[str, Any] | None", _clean(checked, self._gate))


_ALLOWED: Final[Mapping[str, frozenset[str]]] = {
    "memory": frozenset(Memory.__slots__) - {"rowkey"},
    "occurrence": frozenset(Occurrence.__slots__),
    "recalled": frozenset(Recalled._fields),
    "tombstone": frozenset(Tombstone._fields),
    "citation": frozenset(Citation._fields),
    "statement": frozenset(Statement.__slots__) - {"rowkey"},
    "annotation": frozenset(Annotation.__slots__),
    "edge": frozenset(Edge.__slots__),
    "unclaimed": frozenset(Unclaimed._fields),
    "reading": frozenset(Reading._fields),
    "note": frozenset(Note.__slots__),
    "event": frozenset(Event.__slots__),
}


def _check_names(kind: str, fields: Mapping[str, Any]) -> None:
    if unknown := sorted(set(fields) - _ALLOWED[kind]):
        raise UsageError(f"{kind} has no field {', '.join(map(repr, unknown))[:100]}")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def _moment(value: object, name: str) -> int:
    """Read a time as it was written: ISO 8601 with a zone."""
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
        if moment is not None and moment.tzinfo is not None:
            return (moment - _EPOCH) // timedelta(milliseconds=1)
    except (ValueError, OverflowError):
        pass
    raise UsageError(f"{name} is a time such as 2026-03-05T10:00:00.000Z, not {value!r:.60}")


def _clean(value: Any, gate: Gate) -> Any:
    if isinstance(value, str):
        return redact.redact(value, gate.redact).text
    if isinstance(value, list):
        return [_clean(item, gate) for item in value]
    if isinstance(value, dict):
        return {redact.redact(key, gate.redact).text: _clean(item, gate) for key, item in value.items()}
    return value
