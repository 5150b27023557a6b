"""What is stored: memories in versions, who acts, and what a write answers.

A *turn* belongs to a conversation and stays itself; a *note* merges with an equal note; an *episode* is derived.
Times are UTC milliseconds. A Memory is one version: text and fields as they were from `recorded_at` until
`retired_at` (None: the version in force).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, TypeAlias

from mnemopi.model.interval import Interval, iso
from mnemopi.model.values import dataclass

Kind: TypeAlias = Literal["turn", "note", "episode", "fact"]
"""A fact has the shape of a memory only as a hit; it is stored apart."""
Outcome: TypeAlias = Literal[
    "created", "merged", "revived", "updated", "invalidated", "attested", "undone", "unchanged"
]


@dataclass(frozen=True, slots=True)
class Identity:
    """Who acts: provenance of what is written, and the permission to see scopes."""

    session_id: str = "default"
    author_id: str | None = None
    author_type: str | None = None
    channel_id: str | None = None
    scopes: tuple[str, ...] = ()

    @property
    def channel(self) -> str:
        """The channel acted in: the named one, else the session."""
        return self.channel_id or self.session_id


@dataclass(frozen=True, slots=True)
class Memory:
    """One version of a memory, with all its fields."""

    id: str
    version: int
    kind: Kind
    content: str
    recorded_at: int
    timestamp: int
    session_id: str
    scope: str = "bank"
    source: str = "conversation"
    tier: str = "working"
    importance: float = 0.5
    veracity: str = "unknown"
    trust_tier: str = "STATED"
    memory_type: str = "unknown"
    pinned: bool = False
    position: int | None = None
    external_id: str | None = None
    author_id: str | None = None
    author_type: str | None = None
    channel_id: str | None = None
    event: Interval | None = None
    valid_until: int | None = None
    superseded_by: str | None = None
    metadata: Mapping[str, Any] | None = None
    embed_text: str | None = None
    retired_at: int | None = None
    rowkey: int = 0

    @property
    def searchable(self) -> str:
        """The text that search indexes and embedders see: a turn is found by who said it, too."""
        text = self.embed_text or self.content
        return f"{self.author_id}: {text}" if self.kind == "turn" and self.author_id else text

    def holds(self, moment: int) -> bool:
        """Whether it is valid at a moment (UTC ms): neither expired nor invalidated by then."""
        return self.valid_until is None or self.valid_until > moment

    def against(self, moment: int) -> tuple[str, ...]:
        """Say what speaks against it at a moment (UTC ms)."""
        ended = not self.holds(moment)
        notes = {
            "a later version exists": self.retired_at is not None,
            f"superseded by {self.superseded_by}": self.superseded_by is not None,
            "no longer valid": ended and self.superseded_by is None,
            f"marked {self.veracity}": self.veracity in ("false", "contested"),
        }
        return tuple(note for note, holds in notes.items() if holds)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One more time that a note was stated."""

    id: str
    at: int
    session_id: str
    author_id: str | None = None
    channel_id: str | None = None
    source: str = "conversation"


class Receipt(str):
    """The committed id, as a string, with what was done: `bank`, `outcome`, `version` and what was `redacted`."""

    __slots__ = ("bank", "outcome", "redacted", "version")

    bank: str
    outcome: Outcome
    version: int
    redacted: Mapping[str, int]

    def __new__(
        cls, id: str, bank: str, outcome: Outcome, version: int = 1, redacted: Mapping[str, int] | None = None
    ) -> Receipt:
        made = super().__new__(cls, id)
        made.bank, made.outcome, made.version, made.redacted = bank, outcome, version, dict(redacted or {})
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """Let receipts be copied, and sent from one process to another."""
        return Receipt, (self.id, self.bank, self.outcome, self.version, dict(self.redacted))

    @property
    def id(self) -> str:
        """The id as a plain string."""
        return str.__str__(self)

    def as_dict(self) -> dict[str, Any]:
        """Render the receipt for programs."""
        return {
            "id": self.id,
            "bank": self.bank,
            "outcome": self.outcome,
            "version": self.version,
            "redacted": dict(self.redacted),
        }


@dataclass(frozen=True, slots=True)
class Erasure:
    """What `forget` answers: `erased`, or `pending` with what still holds the bytes (`held_by`)."""

    id: str
    status: Literal["erased", "pending"]
    versions: int
    held_by: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Render the erasure for programs."""
        return {"id": self.id, "status": self.status, "versions": self.versions, "held_by": list(self.held_by)}


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the journal: ids and verbs, never text."""

    at: int
    verb: str
    memory: str | None = None
    version: int | None = None
    actor: str | None = None
    reason: str | None = None
    seq: int = 0
    writer: str = ""

    @property
    def cursor(self) -> str:
        """The event's place in the stream of its file, to go on after."""
        return f"{self.writer}:{self.seq}"

    def as_dict(self) -> dict[str, Any]:
        """Render the event for programs."""
        return {
            "at": iso(self.at),
            "verb": self.verb,
            "memory": self.memory,
            "version": self.version,
            "actor": self.actor,
            "reason": self.reason,
            "cursor": self.cursor,
        }


@dataclass(frozen=True, slots=True)
class Settled:
    """What `settle` did: memories embedded, search rows rebuilt, what is still `pending`, and why it stopped.

    `failed` says that the embedder or language model was the reason; else another process is at it, or the limit was
    reached.
    `refused` memories were passed over, since the embedder refuses their texts.
    `claimed` are memories whose claims rules have read since they were written with many others, `annotated` and
    `linked` those that were looked at for what they mention and what they are near; a language
    model read `extracted` of them, and `unread` wait for it.
    """

    embedded: int = 0
    reindexed: int = 0
    pending: int = 0
    error: str = ""
    failed: bool = False
    claimed: int = 0
    annotated: int = 0
    linked: int = 0
    extracted: int = 0
    unread: int = 0
    refused: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Render the report for programs."""
        return {
            "embedded": self.embedded,
            "reindexed": self.reindexed,
            "pending": self.pending,
            "error": self.error,
            "failed": self.failed,
            "claimed": self.claimed,
            "annotated": self.annotated,
            "linked": self.linked,
            "extracted": self.extracted,
            "unread": self.unread,
            "refused": self.refused,
        }


@dataclass(frozen=True, slots=True)
class Loaded:
    """What `load` did, per memory id; `problems` names lines that were left out."""

    inserted: int = 0
    skipped: int = 0
    overwritten: int = 0
    forgotten: int = 0
    problems: tuple[str, ...] = field(default=())

    def as_dict(self) -> dict[str, Any]:
        """Render the report for programs."""
        return {
            "inserted": self.inserted,
            "skipped": self.skipped,
            "overwritten": self.overwritten,
            "forgotten": self.forgotten,
            "problems": list(self.problems),
        }
