"""The backend `off`: no memory. Each event does nothing, and what is asked says so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mnemopi.backends.means import Means
from mnemopi.errors import NotFoundError
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

OFF: Final = "Memory is off; the setting memory.backend names one."
_NOTHING: Final = Effect()


def open_backend(means: Means) -> Off:
    """Return the backend that does nothing."""
    return Off()


class Off:
    """No memory."""

    name = "off"

    def start(self, session: SessionRef, reason: StartReason, *, deadline: float) -> Effect:
        """Do nothing."""
        return _NOTHING

    def instructions(self, session: SessionRef | None) -> str:
        """Return nothing: the model need not know of what is not there."""
        return ""

    def before_prompt(
        self, session: SessionRef, prompt: Message, recent: Sequence[Message], *, deadline: float
    ) -> Effect:
        """Do nothing."""
        return _NOTHING

    def turn_end(self, session: SessionRef, turn: Turn, *, deadline: float) -> Effect:
        """Do nothing."""
        return _NOTHING

    def before_compaction(self, session: SessionRef, dropping: Sequence[Message], *, deadline: float) -> Effect:
        """Do nothing."""
        return _NOTHING

    def end(self, session: SessionRef, *, deadline: float) -> Effect:
        """Do nothing."""
        return _NOTHING

    def enqueue(self, session: SessionRef) -> Effect:
        """Do nothing."""
        return _NOTHING

    def clear(self, session: SessionRef, *, dry_run: bool = True) -> Cleared:
        """Take nothing away."""
        return Cleared((OFF,))

    def undo_clear(self, session: SessionRef) -> Cleared:
        """Raise NotFoundError: nothing was taken away."""
        raise NotFoundError("nothing was cleared", hint=OFF)

    def status(self, session: SessionRef | None) -> Status:
        """Say that memory is off."""
        return Status("off", active=False, writable=False, searchable=False, message=OFF)

    def search(self, session: SessionRef, query: str, limit: int = 10) -> Search:
        """Find nothing, and say why."""
        return Search("off", query, message=OFF)

    def save(self, session: SessionRef, lessons: Sequence[Lesson]) -> Saved:
        """Keep nothing, and say why."""
        return Saved("off", message=OFF)

    def stats(self, session: SessionRef | None) -> str:
        """Say that memory is off."""
        return OFF

    def diagnose(self, session: SessionRef | None) -> str:
        """Say that memory is off."""
        return OFF

    def view(self, session: SessionRef | None) -> str:
        """Say that memory is off."""
        return OFF

    def queue(self, session: SessionRef | None) -> str:
        """Say that memory is off."""
        return OFF

    def close(self) -> None:
        """Let go of nothing."""
