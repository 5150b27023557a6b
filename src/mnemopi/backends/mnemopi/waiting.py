"""Messages that could not be kept when they were told, since the bank was locked or the disk full.

They wait in a file beside the session's state, a line each, without their secrets, and are kept with the next event
that goes well. A line that a power cut broke is put aside, not deleted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

from mnemopi.errors import ConflictError, StorageError
from mnemopi.model.session import Message, SessionRef
from mnemopi.storage import private
from mnemopi.storage.private import folder
from mnemopi.text import redact
from mnemopi.text.redact import Level

Told: TypeAlias = tuple[SessionRef, Message]
Keep: TypeAlias = Callable[[SessionRef, Sequence[Message]], object]
Failure: TypeAlias = StorageError | ConflictError
_END: Final = ".waiting.jsonl"
_BROKEN: Final = ".broken.jsonl"


class Waiting:
    """The messages that wait, by session."""

    def __init__(self, folder: Path, redacted: str) -> None:
        self._folder, self._redacted = folder, cast("Level", redacted)

    def add(self, state: Path, session: SessionRef, messages: Sequence[Message]) -> None:
        """Let messages wait, on disk when this returns."""
        path = self._path(state)
        lines = [self._line(session, message) for message in messages]
        with private.locked(path):
            _append(path, lines)

    def drain(self, state: Path, keep: Keep) -> dict[SessionRef, Failure]:
        """Have what waits in a session's file kept, each message under the session that it was told in, which a host
        may have gone on with in another folder. What a bank does not take waits on; return whose that is, and why."""
        path = self._path(state)
        if not path.exists():
            return {}
        with private.locked(path):
            told, broken = _read(path)
            left, failed = _offered(told, keep)
            if broken:
                _append(path.with_name(path.name.removesuffix(_END) + _BROKEN), broken)
            if left:
                private.write(path, "".join(f"{self._line(*each)}\n" for each in left))
            else:
                private.remove(path)
        return failed

    def states(self) -> list[Path]:
        """Return the files of the sessions of which something waits."""
        if not self._folder.is_dir():
            return []
        return [path.with_name(path.name.removesuffix(_END) + ".json") for path in self._folder.glob(f"*{_END}")]

    def count(self) -> int:
        """Return how many messages wait."""
        return sum(len(_read(self._path(state))[0]) for state in self.states())

    def _line(self, session: SessionRef, message: Message) -> str:
        """Write a message as a line of ASCII; broken characters stay as they are."""
        text = redact.redact(message.text, self._redacted).text
        return json.dumps({"session": asdict(session), "message": asdict(replace(message, text=text))})

    def _path(self, state: Path) -> Path:
        return self._folder / f"{state.stem}{_END}"


def _offered(told: Sequence[Told], keep: Keep) -> tuple[list[Told], dict[SessionRef, Failure]]:
    """Have messages kept, a session after the other, and return what was not; after a failure nothing of its session is
    tried, so that all comes in its order."""
    left: list[Told] = []
    failed: dict[SessionRef, Failure] = {}
    for session, group in groupby(told, key=itemgetter(0)):
        theirs = list(group)
        try:
            if session not in failed:
                keep(session, [message for _, message in theirs])
        except (StorageError, ConflictError) as error:
            failed[session] = error
        left += theirs if session in failed else []
    return left, failed


def _append(path: Path, lines: Sequence[str]) -> None:
    """Add lines to a file, on disk when this returns; a line that was broken off before them is ended."""
    handle = os.open(folder(path.parent) / path.name, os.O_CREAT | os.O_APPEND | os.O_RDWR, 0o600)
    with os.fdopen(handle, "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        whole = size == 0 or os.pread(file.fileno(), 1, size - 1) == b"\n"
        file.write(b"".join((b"" if whole else b"\n", *(f"{line}\n".encode() for line in lines))))
        file.flush()
        os.fsync(file.fileno())


def _read(path: Path) -> tuple[list[Told], list[str]]:
    """Return what waits in a file, and the lines that say nothing."""
    told, broken = [], []
    for line in (private.read(path) or "").splitlines():
        try:
            found: dict[str, Any] = json.loads(line)
            told.append((SessionRef(**found["session"]), Message(**found["message"])))
        except (ValueError, TypeError, KeyError):
            broken.append(line)
    return told, [line for line in broken if line.strip()]
