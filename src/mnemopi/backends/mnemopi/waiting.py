"""Messages that could not be kept when they were told, since the bank was locked or the disk full.

They wait in a file beside the session's state, a line each, and are kept with the next event that goes well.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from mnemopi.model.session import Message, SessionRef
from mnemopi.storage import private
from mnemopi.storage.private import folder

_END: Final = ".waiting.jsonl"


class Waiting:
    """The messages that wait, by session."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, state: Path, session: SessionRef, messages: Sequence[Message]) -> None:
        """Let messages wait, on disk when this returns."""
        path = self._path(state)
        with private.locked(path):
            handle = os.open(folder(path.parent) / path.name, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
                for message in messages:
                    told = {"session": asdict(session), "message": asdict(message)}
                    file.write(json.dumps(told) + "\n")
                file.flush()
                os.fsync(file.fileno())

    def drain(self, state: Path, keep: Callable[[SessionRef, Sequence[Message]], object]) -> int:
        """Have what waits for a session kept, and return how much that was; it waits on where `keep` raises."""
        path = self._path(state)
        if not path.exists():
            return 0
        with private.locked(path):
            told = list(_read(path))
            if told:
                keep(told[-1][0], [message for _, message in told])
            with suppress(FileNotFoundError):
                path.unlink()
        return len(told)

    def states(self) -> list[Path]:
        """Return the files of the sessions of which something waits."""
        if not self._folder.is_dir():
            return []
        return [path.with_name(path.name.removesuffix(_END) + ".json") for path in self._folder.glob(f"*{_END}")]

    def count(self) -> int:
        """Return how many messages wait."""
        return sum(len(list(_read(self._path(state)))) for state in self.states())

    def _path(self, state: Path) -> Path:
        return self._folder / f"{state.stem}{_END}"


def _read(path: Path) -> Iterator[tuple[SessionRef, Message]]:
    for line in (private.read(path) or "").splitlines():
        with suppress(ValueError, TypeError, KeyError):
            told: dict[str, Any] = json.loads(line)
            yield SessionRef(**told["session"]), Message(**told["message"])
