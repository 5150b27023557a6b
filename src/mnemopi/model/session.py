"""What an agent's session and a memory backend tell each other: values only, with no host's types in them.

A session is one conversation of a host (a coding agent, a chat). Its messages carry the host's own entry ids, so that
each event can be told twice and counts once.
"""

from __future__ import annotations

import hashlib
from dataclasses import field
from typing import Final, Literal, TypeAlias

from mnemopi.model.fact import Fact
from mnemopi.model.memory import Memory
from mnemopi.model.values import dataclass

Role: TypeAlias = Literal["user", "assistant"]
Placement: TypeAlias = Literal["prefix", "turn", "summary"]
"""Where a block belongs: with the system prompt, beside the user's words, or in a compaction's summary."""
StartReason: TypeAlias = Literal["startup", "resume", "clear", "compact", "fork"]
LessonScope: TypeAlias = Literal["project", "global"]
"""Where a lesson may go: to the session's project, or to what all projects share."""
EditVerb: TypeAlias = Literal["update", "forget", "invalidate"]
EditOutcome: TypeAlias = Literal["updated", "deleted", "invalidated", "unchanged", "not_found", "not_editable"]
START_REASONS: Final[tuple[StartReason, ...]] = ("startup", "resume", "clear", "compact", "fork")

CHARS_PER_TOKEN: Final = 4
"""How many characters count as one token where no tokenizer is at hand."""


@dataclass(frozen=True, slots=True)
class SessionRef:
    """One session of a host: its name, the session's id there, the folder it works in."""

    host: str
    id: str
    cwd: str
    parent: str | None = None
    """The session that started this one as its subagent, which only reads; None: a session of its own."""
    transcript: str | None = None
    """The file in which the host keeps the session."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the live branch: what was said, by whom, under the host's id of the entry."""

    entry: str
    role: Role
    text: str
    at: int | None = None
    """When, in UTC milliseconds."""
    author: str | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """Text to put before the model, as data; the same id and digest mean that it is there already."""

    id: str
    text: str
    placement: Placement

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits of the text's SHA-256."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]

    @property
    def tokens(self) -> int:
        """About how many tokens the text takes."""
        return -(-len(self.text) // CHARS_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class Effect:
    """What an event came to: blocks for the model, notices for the person, how many jobs now wait.

    `degraded` says in a few words what could not be done; the session goes on without it.
    """

    blocks: tuple[Block, ...] = ()
    notices: tuple[str, ...] = ()
    jobs: int = 0
    degraded: str | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """What a backend is doing for a session. Counts are sums over its banks; None: it cannot say."""

    backend: str
    active: bool
    writable: bool
    searchable: bool
    scope: str | None = None
    retain_bank: str | None = None
    recall_banks: tuple[str, ...] = ()
    working_count: int | None = None
    episodic_count: int | None = None
    fact_count: int | None = None
    last_memory: int | None = None
    """When the newest was stored, in UTC milliseconds."""
    last_recall: bool | None = None
    """Whether something is recalled into the session now."""
    database: str | None = None
    message: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that a search of a backend found; `notes` tell how it stands, such as what superseded it."""

    content: str
    id: str | None = None
    source: str | None = None
    at: int | None = None
    score: float | None = None
    bank: str | None = None
    truncated: bool = False
    full_length: int | None = None
    version: int | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Search:
    """What a search of a backend came to; `message` says why there is nothing, where that needs saying."""

    backend: str
    query: str
    items: tuple[Found, ...] = ()
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Reflection:
    """What a backend answers from what it knows, and the ids that the answer rests on; an empty text is no answer.

    A digest is what was found, put together and not thought about; `message` says why it is no more.
    """

    backend: str
    query: str
    text: str
    ids: tuple[str, ...] = ()
    is_digest: bool = False
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that a backend holds under an id, whole."""

    bank: str
    kept: Memory | Fact

    @property
    def store(self) -> str:
        """Where in the bank it lies: `working`, `episodic` or `fact`."""
        return "fact" if isinstance(self.kept, Fact) else self.kept.tier


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one entry. `version` is the one that was read: another in its place is left alone."""

    verb: EditVerb
    id: str
    content: str | None = None
    importance: float | None = None
    replacement: str | None = None
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Edited:
    """What became of a change: where the entry lies, its version now, and where copies of what was erased remain."""

    outcome: EditOutcome
    id: str
    bank: str | None = None
    store: str | None = None
    version: int | None = None
    held_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lesson:
    """Something to keep that was put into words for it. `everywhere`: in the bank that all projects share."""

    content: str
    context: str | None = None
    source: str | None = None
    importance: float | None = None
    """None: what the backend gives to such a source."""
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Saved:
    """What became of lessons: the ids of those that are on disk, how many wait in a queue."""

    backend: str
    ids: tuple[str, ...] = ()
    stored: int = 0
    queued: int = 0
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Cleared:
    """What `clear` takes, or took, away, in lines for a person; `undo` names what brings it back, and until when."""

    lines: tuple[str, ...] = ()
    done: bool = False
    undo: str | None = None
    until: int | None = None
    """UTC milliseconds."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a turn left behind: the messages of the live branch that the backend may not have yet, oldest first."""

    messages: tuple[Message, ...] = field(default_factory=tuple)
    aborted: bool = False
