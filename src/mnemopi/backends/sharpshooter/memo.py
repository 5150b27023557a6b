"""What is remembered of a session between two events: entries seen, what was said last, and what it began with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from mnemopi.backends import files
from mnemopi.backends.sharpshooter.shelf import mark
from mnemopi.model.session import SessionRef
from mnemopi.model.values import dataclass

MONTH_MS: Final = 30 * 86_400_000
_LAST: Final = 4000


@dataclass(frozen=True, slots=True)
class Memo:
    """One session. `early` are texts of prompts that were seen before their entries were."""

    bank: str = ""
    seen: tuple[str, ...] = ()
    early: tuple[str, ...] = ()
    user: str = ""
    assistant: str = ""
    block: str | None = None
    """The decisions that the session began with; None: it has not begun."""
    at: int = 0

    def heard(self, role: str, text: str) -> Memo:
        """Return the memo with what was said last."""
        # The end of what an assistant says matters, and the beginning of what a person does.
        return replace(self, user=text[:_LAST]) if role == "user" else replace(self, assistant=text[-_LAST:])


class Memos:
    """The memos of all sessions."""

    def __init__(self, folder: Path, clock: Callable[[], int]) -> None:
        """`folder` is made when something is written."""
        self._folder, self._clock = folder, clock

    def read(self, session: SessionRef) -> Memo:
        """Return what is remembered of a session."""
        return _memo(files.read_json(self._path(session))) or Memo()

    def change(self, session: SessionRef, change: Callable[[Memo], Memo]) -> Memo:
        """Change what is remembered of a session."""
        return self._change(self._path(session), change)

    def forget_blocks(self, bank: str) -> None:
        """Let no session of a project go on with the decisions that it began with."""
        for path in self._paths():
            if (memo := _memo(files.read_json(path))) is not None and memo.bank == bank and memo.block:
                self._change(path, lambda now: replace(now, block=None))

    def prune(self) -> None:
        """Forget sessions whose last event is long ago."""
        for path in self._paths():
            memo = _memo(files.read_json(path))
            if memo is not None and memo.at < self._clock() - MONTH_MS:
                path.unlink(missing_ok=True)

    def _change(self, path: Path, change: Callable[[Memo], Memo]) -> Memo:
        with files.locked(path):
            before = _memo(files.read_json(path)) or Memo()
            after = change(before)
            if after != before:
                files.write_json(path, asdict(replace(after, at=self._clock())))
            return after

    def _paths(self) -> Iterable[Path]:
        return sorted(self._folder.glob("*.json"))

    def _path(self, session: SessionRef) -> Path:
        return self._folder / f"{mark(_APART.join((session.host, session.id)))}.json"


_APART: Final = "\n"


def _memo(told: Mapping[str, Any] | None) -> Memo | None:
    if told is None:
        return None
    try:
        return Memo(**{**told, "seen": tuple(told["seen"]), "early": tuple(told["early"])})
    except (TypeError, KeyError):
        return None
