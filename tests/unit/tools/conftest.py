"""A caller with a data folder of their own and a clock that stands still until it is moved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mnemopi.config import Config
from mnemopi.tools import catalog
from mnemopi.tools.caller import Caller, Engines


class Clock:
    """Gives the time that it was set to, a millisecond later each time it is asked."""

    def __init__(self, now: int = 1_780_000_000_000) -> None:
        self.now = now

    def __call__(self) -> int:
        self.now += 1
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engines(tmp_path: Path, clock: Clock) -> Iterator[Engines]:
    """Engines over an empty data folder, without embeddings."""
    config = Config.load(
        {"storage.data_dir": str(tmp_path / "data"), "embedding.enabled": False, "write.timezone": "UTC"}
    )
    made = Engines(config, session=lambda bank: f"mcp_{bank}", clock=clock)
    yield made
    made.close()


@pytest.fixture
def caller(engines: Engines) -> Caller:
    return Caller.of(engines)


@pytest.fixture
def call(caller: Caller) -> Callable[..., dict[str, Any]]:
    """Call a tool by its short name: `call("remember", content="...")`."""

    def made(name: str, **arguments: Any) -> dict[str, Any]:
        return catalog.find(f"mnemopi_{name}").run(caller, arguments)

    return made


@pytest.fixture
def stored(call: Callable[..., dict[str, Any]]) -> Callable[..., str]:
    """Remember something and return its id."""

    def made(content: str, **arguments: Any) -> str:
        return str(call("remember", content=content, **arguments)["memory_id"])

    return made
