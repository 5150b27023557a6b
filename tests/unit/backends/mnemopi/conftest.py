"""A backend on banks of its own, a project's folder, and a clock that stands still."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from mnemopi.backends import resolve_backend
from mnemopi.backends.mnemopi.backend import MnemopiBackend
from mnemopi.model.session import Message, SessionRef, Turn

NOON = 1_780_000_000_000
LIMIT = 30.0


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> int:
        return self.now


class Host:
    """What tests do with a backend, in few words."""

    def __init__(self, backend: MnemopiBackend, ref: SessionRef) -> None:
        self.backend, self.ref, self.count = backend, ref, 0

    def say(self, text: str, role: str = "user", entry: str | None = None, at: int | None = NOON) -> Message:
        self.count += 1
        return Message(entry or f"{self.ref.id}-e{self.count}", "user" if role == "user" else "assistant", text, at)

    def tell(self, *texts: str) -> None:
        """Let the user say something, a turn each."""
        for text in texts:
            self.turn(self.say(text))

    def turn(self, *messages: Message) -> Any:
        return self.backend.turn_end(self.ref, Turn(messages), deadline=LIMIT)

    def ask(self, text: str, entry: str | None = None, recent: tuple[Message, ...] = ()) -> str:
        """Return the block that a prompt is answered with."""
        effect = self.backend.before_prompt(self.ref, self.say(text, entry=entry), recent, deadline=LIMIT)
        return "".join(block.text for block in effect.blocks)

    @property
    def contents(self) -> list[str]:
        """All that is in the bank of the session."""
        return [memory.content for memory in self.memories]

    @property
    def memories(self) -> list[Any]:
        scope = self.backend.banks.scope(self.ref)
        return self.backend.banks.engine(scope.retain).bank.page(limit=1000)


Make = Callable[..., MnemopiBackend]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def make(tmp_path: Path, clock: Clock) -> Iterator[Make]:
    """Make backends on one data folder, each as a process of its own would."""
    made: list[MnemopiBackend] = []

    def one(options: Mapping[str, Any] | None = None, **settings: Any) -> MnemopiBackend:
        told = {f"mnemopi.{name}": value for name, value in settings.items()}
        usual = {
            "memory.backend": "mnemopi",
            "storage.data_dir": str(tmp_path / "data"),
            "embedding.enabled": options is not None,
        }
        backend = resolve_backend(usual | told, clock=clock, **(options or {}))
        assert isinstance(backend, MnemopiBackend)
        made.append(backend)
        return backend

    yield one
    for each in made:
        each.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "work" / "project"
    made.mkdir(parents=True)
    return made


@pytest.fixture
def host(make: Make, folder: Path) -> Host:
    return Host(make(), SessionRef("pytest", "s1", str(folder)))


@pytest.fixture
def later(make: Make, folder: Path) -> Callable[..., Host]:
    """Another session in the same folder, in another process."""

    def one(id: str = "s2", **settings: Any) -> Host:
        return Host(make(**settings), SessionRef("pytest", id, str(folder)))

    return one
