"""What a session was told, on disk, since a host may start a process for each event.

It is a small file a session. Losing one costs repetition, never memory: what was said is in the bank, where a message
is found by the host's id for it. No text of a memory stands in it, or one that is forgotten would stay here: a block
that comes again is made again, of what is there still.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, field, replace
from pathlib import Path
from typing import Any, Final

from mnemopi.backends.mnemopi.capture import Kept
from mnemopi.errors import ConflictError, MnemopiError, StorageError, warn
from mnemopi.model.session import CHARS_PER_TOKEN, SessionRef, StartReason
from mnemopi.model.values import dataclass
from mnemopi.storage import private

_KEPT_S: Final = 60 * 86_400
"""For how long the file of a session that nothing happens in is kept."""
_MOST_SHOWN: Final = 2000
_ANEW: Final = ("startup", "clear")
"""Reasons of a start after which nothing lies before the model."""


@dataclass(frozen=True, slots=True)
class State:
    """What a session was told, and how far it came."""

    host: str = ""
    session: str = ""
    prefix_at: int | None = None
    """When the block of the prefix was first made (UTC ms), which tells what stood in it; None: not yet."""
    recalled: bool = False
    """Whether a prompt was answered."""
    shown: Mapping[str, int] = field(default_factory=dict)
    """Memories that lie before the model, with the version that was shown."""
    asked: str | None = None
    """The entry of the last prompt."""
    first: bool = False
    """Whether it was the first."""
    answer: Mapping[str, int] = field(default_factory=dict)
    """The memories that it was answered with, with their versions."""
    late: Mapping[str, int] = field(default_factory=dict)
    """Memories in answers that came too late: nobody has seen them yet."""
    turns: int = 0
    """User's messages kept since what waits was last worked off."""
    last: int = -1
    """The position of the newest message kept."""
    dropped: int = -1
    """Up to which position messages are no longer before the model, and so may be recalled."""
    kept: int = 0
    blocks: int = 0
    """Blocks of ours that were cut out of messages."""
    repaired: int = 0
    """Characters that could not be stored as they were."""
    tokens: int = 0
    """About how many were put before the model."""
    unwritten: str = ""
    """Why this is in no file; empty where it is in one."""


class States:
    """The states of all sessions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, session: SessionRef) -> Path:
        """Return the file of a session."""
        told = f"{session.host}\x00{session.id}".encode("utf-8", "replace")
        return self.folder / f"{hashlib.sha256(told).hexdigest()[:24]}.json"

    def of(self, session: SessionRef) -> State:
        """Return what is known of a session; one that is new or whose file is broken or closed to us knows nothing."""
        new = State(session.host, session.id)
        try:
            return _read(self.path(session)) or new
        except (StorageError, ConflictError) as error:
            return _unwritten(new, error)

    def change(self, session: SessionRef, change: Callable[[State], State]) -> State:
        """Change what is known of a session, as its file says then. Where that cannot be written the answer says why,
        and raises nothing: what was recalled is worth more than a note of it."""
        path = self.path(session)
        try:
            with private.locked(path):
                before = self.of(session)
                after = change(before)
                if not before.unwritten and (after != before or not path.exists()):
                    private.write(path, json.dumps(_bounded(after)), sync=False)
            return after
        except (StorageError, ConflictError) as error:
            return _unwritten(change(self.of(session)), error)

    def all(self) -> Iterator[State]:
        """Yield what is known of each session."""
        for path in self.folder.glob("*.json") if self.folder.is_dir() else ():
            if (state := _read(path)) is not None:
                yield state

    def prune(self) -> None:
        """Delete the files of sessions in which nothing has happened for long, and locks whose file is gone."""
        if not self.folder.is_dir():
            return
        oldest = time.time() - _KEPT_S
        for path in (*self.folder.glob("*.json"), *self.folder.glob(".*.lock")):
            with suppress(OSError):
                if path.stat().st_mtime < oldest:
                    path.unlink()


def begun(state: State, reason: StartReason) -> State:
    """Note a start: where nothing lies before the model, what it was shown or said itself may come again."""
    if reason not in _ANEW:
        return replace(state, late={})
    return replace(state, prefix_at=None, shown={}, recalled=False, asked=None, answer={}, late={}, dropped=state.last)


def told(state: State, kept: Kept) -> State:
    """Add what became of messages."""
    return replace(
        state,
        turns=state.turns + kept.turns,
        last=max(state.last, kept.last),
        kept=state.kept + kept.created,
        blocks=state.blocks + kept.blocks,
        repaired=state.repaired + kept.repaired,
    )


def answered(state: State, entry: str, text: str, shown: Mapping[str, int]) -> State:
    """Note what a prompt was answered with: how much text, and the memories in it."""
    return replace(
        state,
        recalled=True,
        asked=entry,
        first=not state.recalled,
        answer=shown,
        shown={**state.shown, **shown},
        tokens=state.tokens + -(-len(text) // CHARS_PER_TOKEN),
    )


def _unwritten(state: State, error: MnemopiError) -> State:
    warn("the state of a session is in no file: %s", error.code)
    return replace(state, unwritten=f"the session's state: {error.message}")


def _read(path: Path) -> State | None:
    text = private.read(path)
    if text is None:
        return None
    try:
        return State(**json.loads(text))
    except (ValueError, TypeError):
        return None


def _bounded(state: State) -> dict[str, Any]:
    told = asdict(state)
    del told["unwritten"]
    told["shown"] = dict(list(state.shown.items())[-_MOST_SHOWN:])
    return told
