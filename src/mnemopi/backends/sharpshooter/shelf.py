"""Where a project's decisions lie: three files, the prompts and deltas that wait, and the state.

    architecture.md product.md style.md
    prompts/<session>/<time>-<entry>.json    prompts that no model has read yet
    queue/<session>/<time>-<entry>.json      deltas that are in no file yet
    state.json                               when what was done, and what failed

Producers need no lock: each thing that waits is a file of its own, named after what it came from, so that it is there
once. Who reads takes away exactly what it read. A file that is none of ours is left alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from mnemopi.backends import files
from mnemopi.backends.sharpshooter import delta
from mnemopi.backends.sharpshooter.delta import Delta
from mnemopi.model.values import dataclass

FILES: Final = ("architecture", "product", "style")
ASIDE: Final = "aside"
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_UNFIT: Final = re.compile(r"[^A-Za-z0-9_-]+")
_SAFE: Final = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt that waits to be read, what was said before it, and how often reading it failed.

    `session` is told with its host: two may give one id.
    """

    text: str
    session: str
    at: int
    entry: str
    user_before: str = ""
    assistant_before: str = ""
    attempts: int = 0


class Shelf:
    """The folder of one project."""

    def __init__(self, root: Path) -> None:
        """It is made when something is written."""
        self.root = root

    # -- the three files

    def texts(self) -> dict[str, str]:
        """Return what the files say, by name; empty where one is missing."""
        return {name: files.read(self.root / f"{name}.md") or "" for name in FILES}

    def put(self, texts: Mapping[str, str]) -> None:
        """Replace files, each in one step."""
        for name, text in texts.items():
            files.write(self.root / f"{name}.md", text)

    # -- what waits

    def add_prompt(self, prompt: Prompt) -> None:
        """Let a prompt wait; one that waits already is the same."""
        there = self._folder("prompts", prompt.session).glob(f"*-{mark(prompt.entry)}.json")
        path = next(there, None) or self._path("prompts", prompt.session, prompt.at, mark(prompt.entry))
        files.write_json(path, asdict(prompt))

    def prompts(self) -> list[tuple[Path, Prompt]]:
        """List the prompts that wait, those of one session together, in order."""
        return [(path, made) for path in self._waiting("prompts") if (made := _prompt(files.read_json(path)))]

    def put_back(self, path: Path, prompt: Prompt) -> None:
        """Let a prompt wait again where it waited."""
        files.write_json(path, asdict(prompt))

    def set_aside(self, path: Path) -> None:
        """Put away a prompt that could not be read; it is kept."""
        files.folder(self.root / ASIDE)
        path.replace(self.root / ASIDE / f"{path.parent.name}-{path.name}")

    def aside(self) -> int:
        """Count the prompts that were put away."""
        return sum(1 for _ in (self.root / ASIDE).glob("*.json"))

    def add_delta(self, made: Delta, name: str) -> None:
        """Let a delta wait, under a name that it gets again if it is read again."""
        files.write_json(self._path("queue", made.session, made.at, name), made.as_dict())

    def deltas(self) -> list[tuple[Path, Delta]]:
        """List the deltas that wait: sessions by their oldest, each in order."""
        return [(path, made) for path in self._waiting("queue") if (made := delta.read(files.read_json(path)))]

    def take(self, paths: Iterable[Path]) -> None:
        """Delete what was read, and the folders that it leaves empty."""
        for path in paths:
            path.unlink(missing_ok=True)
            with suppress(OSError):
                path.parent.rmdir()

    # -- the state

    def state(self) -> dict[str, Any]:
        """Return the state; what is missing or broken is as at the beginning."""
        return {"v": 1, "lastConsolidatedAt": 0, **(files.read_json(self.root / "state.json") or {})}

    def note(self, **changed: Any) -> None:
        """Change values of the state; None takes one away."""
        with files.locked(self.root / "state.json"):
            told = {key: value for key, value in {**self.state(), **changed}.items() if value is not None}
            files.write_json(self.root / "state.json", told)

    def _waiting(self, kind: str) -> Iterator[Path]:
        folders = [path for path in (self.root / kind).glob("*") if path.is_dir() and _SAFE.fullmatch(path.name)]
        held = sorted(found for path in folders if (found := sorted(path.glob("*.json"), key=_name)))
        for paths in sorted(held, key=lambda each: each[0].name):
            yield from paths

    def _folder(self, kind: str, session: str) -> Path:
        words = _UNFIT.sub("-", session).strip("-")[:60] or "session"
        return self.root / kind / f"{words}-{mark(session)}"

    def _path(self, kind: str, session: str, at: int, name: str) -> Path:
        return self._folder(kind, session) / f"{base36(at)}-{name}.json"


def base36(number: int) -> str:
    """Write a time so that names sort by it."""
    made = ""
    while number > 0:
        number, digit = divmod(number, 36)
        made = _DIGITS[digit] + made
    return made.rjust(10, "0")


def mark(entry: str) -> str:
    """Return what a name says of an entry's id."""
    return hashlib.sha256(entry.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _name(path: Path) -> str:
    return path.name


def _prompt(told: Mapping[str, Any] | None) -> Prompt | None:
    try:
        return None if told is None else Prompt(**told)
    except TypeError:
        return None
