"""The interface of a memory backend: what happens in a session goes in, context blocks come out.

A backend may raise and may take its time: `backends.session.Session`, which hosts speak to, gives each event a
deadline, never raises into the host, and tells an event that comes twice only once. What a backend has to keep between
two processes (cursors, queues, what was shown) it keeps on disk: a host may start a process for each event.

What only some backends can do is a protocol of its own: `isinstance(backend, Editing)` says whether this one can.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from mnemopi.model.session import (
    Cleared,
    Edit,
    Edited,
    Effect,
    Entry,
    Lesson,
    LessonScope,
    Message,
    Reflection,
    Saved,
    Search,
    SessionRef,
    StartReason,
    Status,
    Turn,
)
from mnemopi.model.values import dataclass

if TYPE_CHECKING:
    from mnemopi.backends.hindsight.models import MentalModels
    from mnemopi.engine import Mnemopi

NAMES: Final = ("off", "local", "mnemopi", "hindsight", "sharpshooter")
"""The backends, as the setting `memory.backend` names them."""


@runtime_checkable
class MemoryBackend(Protocol):
    """Memory of agents' sessions. `deadline` is the number of seconds that an event may take."""

    name: str

    def start(self, session: SessionRef, reason: StartReason, *, deadline: float) -> Effect:
        """Begin, or go on with, a session: recover what was interrupted, give the blocks for the prefix."""

    def instructions(self, session: SessionRef | None) -> str:
        """Return what the model should know of this memory: only what is switched on, the same bytes each time."""

    def before_prompt(
        self, session: SessionRef, prompt: Message, recent: Sequence[Message], *, deadline: float
    ) -> Effect:
        """Recall what is new and worth its tokens for a prompt, given the messages before it, oldest first."""

    def turn_end(self, session: SessionRef, turn: Turn, *, deadline: float) -> Effect:
        """Capture the messages of the live branch that are not yet kept."""

    def before_compaction(self, session: SessionRef, dropping: Sequence[Message], *, deadline: float) -> Effect:
        """Capture what is about to be dropped, and recall what the summary should not lose."""

    def end(self, session: SessionRef, *, deadline: float) -> Effect:
        """Flush what can be flushed in time; what cannot stays on disk and is done at the next start."""

    def enqueue(self, session: SessionRef) -> Effect:
        """Do all consolidation that waits, now."""

    def clear(self, session: SessionRef, *, dry_run: bool = True) -> Cleared:
        """Take away what lies in this session's own scope and nothing else; with `dry_run`, say what that is."""

    def undo_clear(self, session: SessionRef) -> Cleared:
        """Bring back what the last `clear` of this scope took. Raises NotFoundError where its week is over."""

    def status(self, session: SessionRef | None) -> Status:
        """Return what the backend does, without starting anything."""

    def search(self, session: SessionRef, query: str, limit: int = 10) -> Search:
        """Find memories within the scopes that the session may see."""

    def save(self, session: SessionRef, lessons: Sequence[Lesson]) -> Saved:
        """Keep lessons; all targets are checked before the first is written."""

    def stats(self, session: SessionRef | None) -> str:
        """Return counts by bank, as Markdown."""

    def diagnose(self, session: SessionRef | None) -> str:
        """Return what is wrong, as Markdown: counts and paths, never content."""

    def view(self, session: SessionRef | None) -> str:
        """Return what the model is given at the start: the instructions and the blocks of the prefix."""

    def queue(self, session: SessionRef | None) -> str:
        """Return what waits to be done, as Markdown."""

    def close(self) -> None:
        """Let go of files, connections and threads; called once, by the owner."""


@dataclass(frozen=True, slots=True)
class Folders:
    """The folders of a session's files, its own first, and the file among them that one should read first.

    `endings` are those of the names that are shown; an empty `first` is the list of the files.
    """

    roots: tuple[Path, ...]
    first: str = ""
    endings: tuple[str, ...] = (".md", ".json", ".txt")


@runtime_checkable
class Learning(Protocol):
    """A backend that keeps lessons."""

    def lesson_scopes(self, session: SessionRef) -> tuple[LessonScope, ...]:
        """Return where this session's lessons may go; nowhere for one that only reads."""


@runtime_checkable
class Reflecting(Protocol):
    """A backend that a model talks to: it is asked, and answers from what it knows."""

    def reflects(self) -> bool:
        """Whether it can, as it is set up."""

    def reflect(self, session: SessionRef, query: str, context: str | None = None) -> Reflection:
        """Answer a question from what the session may see. Raises ProviderError where a server does not answer."""


@runtime_checkable
class Noting(Protocol):
    """A backend that shows nothing again that lies before the model."""

    def handed_out(self, session: SessionRef) -> None:
        """Note that what came too late for its prompt is handed out now, with the one that comes next."""


@runtime_checkable
class Editing(Protocol):
    """A backend whose entries have ids by which they are read and changed."""

    def entry(self, session: SessionRef, id: str) -> Entry | None:
        """Return an entry of the session's banks, the first that has the id; None where none has."""

    def edit(self, session: SessionRef, change: Edit) -> Edited:
        """Change an entry where it lies. Raises UsageError, ChangedError, and ReadOnlyError for who only reads."""


@runtime_checkable
class Filed(Protocol):
    """A backend whose memory is files that people and models may read."""

    def folders(self, session: SessionRef) -> Folders:
        """Return where they lie."""


@runtime_checkable
class Banked(Protocol):
    """A backend whose memory lies in banks of the engine."""

    def engines(self, session: SessionRef) -> Sequence[Mnemopi]:
        """Return the engines of the banks that the session may see, of those that exist, its own first."""


@runtime_checkable
class Modelled(Protocol):
    """A backend whose server keeps mental models."""

    def models(self, session: SessionRef) -> MentalModels:
        """Return the door to them. Raises UnavailableError where no server is set."""

    def reload_models(self, session: SessionRef) -> Effect:
        """Show them as they are now."""
