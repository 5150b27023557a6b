"""A fake server, and backends that speak to it: each made anew as a process of its own would."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mnemopi.backends import resolve_backend
from mnemopi.model.session import SessionRef
from mnemopi.testing import FixedClock

FAKE = runpy.run_path(str(Path(__file__).parents[3] / "fakes" / "hindsight.py"))["FakeHindsight"]


@pytest.fixture
def server() -> Iterator[Any]:
    made = FAKE()
    yield made
    made.close()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    return folder


@pytest.fixture
def session(project: Path) -> SessionRef:
    return SessionRef("pytest", "s1", str(project))


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a lesson wait for a busy machine to send it."""
    monkeypatch.setattr("mnemopi.backends.hindsight.backend.SAVE_S", 30.0)


@pytest.fixture
def opened(server: Any, clock: FixedClock, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Open a backend; arguments are settings of its group."""
    made: list[Any] = []

    def open_(**settings: Any) -> Any:
        given = {
            "memory.backend": "hindsight",
            "memory.agent_dir": str(tmp_path / "agent"),
            "hindsight.api_url": server.url,
            "hindsight.prompt_timeout_ms": 20_000,
            **{f"hindsight.{name}": value for name, value in settings.items()},
        }
        made.append(resolve_backend(given, clock=clock))
        return made[-1]

    yield open_
    for each in made:
        each.close()
