"""The interface of a memory backend: what happens in a session goes in, context blocks come out.

A backend may raise and may take its time: `backends.session.Session`, which hosts speak to, gives each event a
deadline, never raises into the host, and tells an event that comes twice only once. What a backend has to keep between
two processes (cursors, queues, what was shown) it keeps on disk: a host may start a process for each event.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol, runtime_checkable

from mnemopi.model.session import (
    Cleared,
    Effect,
    Lesson,
    Message,
    Saved,
    Search,
    SessionRef,
    StartReason,
    Status,
    Turn,
)

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
