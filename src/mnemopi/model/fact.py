"""What is known: statements, and the facts that are derived from them.

A *statement* is evidence: who said what of a subject, when it was so, and where it stands. A *fact* is what follows
from all statements of one slot: an interval of valid time with a belief. Times are UTC milliseconds; valid time says
when it was so, recorded time when we knew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias

from mnemopi.model.interval import iso
from mnemopi.model.values import dataclass

FactKind: TypeAlias = Literal["fact", "preference", "instruction", "event", "relation", "identity"]
KINDS: Final[tuple[FactKind, ...]] = ("fact", "preference", "instruction", "event", "relation", "identity")
Verb: TypeAlias = Literal["assert", "end", "prefer"]


@dataclass(frozen=True, slots=True)
class Claim:
    """What a text says, as the rules or an LLM read it: `start` and `stop` are where in the text it stands."""

    kind: FactKind
    subject: str
    predicate: str
    object: str
    start: int
    stop: int
    confidence: float = 0.8
    valid_from: int | None = None
    valid_to: int | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """One piece of evidence in a slot. `memory` is its source, None where a person stated it directly.

    It counts from `at` (when we knew) until `withdrawn_at` (None: it counts still).
    """

    verb: Verb
    kind: FactKind
    subject: str
    predicate: str
    object: str
    at: int
    valid_from: int
    valid_to: int | None = None
    confidence: float = 0.8
    veracity: str = "stated"
    scope: str = "bank"
    session_id: str = "default"
    channel_id: str | None = None
    author_id: str | None = None
    memory: str | None = None
    version: int | None = None
    start: int | None = None
    stop: int | None = None
    origin: str = "rule"
    withdrawn_at: int | None = None
    rowkey: int = 0


@dataclass(frozen=True, slots=True)
class Source:
    """What a fact rests on: a memory at a version, and the span of it that says so."""

    memory: str
    version: int
    start: int
    stop: int

    def as_dict(self) -> dict[str, Any]:
        """Render the source for programs."""
        return {"memory": self.memory, "version": self.version, "span": [self.start, self.stop]}


@dataclass(frozen=True, slots=True)
class Fact:
    """One version of a fact: what holds from `valid_from` until `valid_to` (None: still), and how far to believe it."""

    id: str
    version: int
    slot: str
    kind: FactKind
    subject: str
    predicate: str
    object: str
    valid_from: int
    valid_to: int | None
    belief: float
    veracity: str
    contested: bool
    superseded_by: str | None
    scope: str
    session_id: str
    channel_id: str | None
    recorded_at: int
    retired_at: int | None = None
    sources: Sequence[Source] = ()
    rowkey: int = 0

    @property
    def text(self) -> str:
        """The fact as a line of words; an instruction keeps what makes it one: `never push to main`."""
        if self.kind == "instruction":
            rule = self.object
            if self.predicate in ("always", "never") and not rule.casefold().startswith(self.predicate):
                rule = f"{self.predicate} {rule}"
            return rule if self.subject == "user" else f"{self.subject}: {rule}"
        return f"{self.subject} {self.predicate.replace('_', ' ')} {self.object}"

    def holds(self, moment: int) -> bool:
        """Whether it was so at a moment (UTC ms)."""
        return self.valid_from <= moment and (self.valid_to is None or moment < self.valid_to)

    def state(self, moment: int) -> str:
        """Say how it stands at a moment (UTC ms): in force, contested, superseded, ended or not yet."""
        if self.valid_from > moment:
            return "not yet"
        if not self.holds(moment):
            return f"superseded by {self.superseded_by}" if self.superseded_by else "ended"
        return "contested" if self.contested else "in force"

    @property
    def dated(self) -> str:
        """The fact as a line of words with its validity."""
        until = "" if self.valid_to is None else f" until {iso(self.valid_to)[:10]}"
        marks = ", contested" if self.contested else ""
        return f"{self.text} (since {iso(self.valid_from)[:10]}{until}{marks})"

    def as_dict(self) -> dict[str, Any]:
        """Render the fact for programs."""
        return {
            "id": self.id,
            "version": self.version,
            "kind": self.kind,
            "subject": self.subject,
            "predicate": self.predicate,
            "object": self.object,
            "content": self.text,
            "valid_from": iso(self.valid_from),
            "valid_to": None if self.valid_to is None else iso(self.valid_to),
            "belief": round(self.belief, 4),
            "veracity": self.veracity,
            "contested": self.contested,
            "superseded_by": self.superseded_by,
            "scope": self.scope,
            "sources": [source.as_dict() for source in self.sources],
        }
