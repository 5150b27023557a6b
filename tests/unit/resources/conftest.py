"""Sessions on each backend, in a project's folder of their own."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mnemopi.backends import resolve_backend
from mnemopi.backends.session import Session
from mnemopi.config import Config
from mnemopi.model.session import SessionRef
from mnemopi.tools.agent_caller import AgentCaller


@pytest.fixture
def server() -> Iterator[Any]:
    made = runpy.run_path(str(Path(__file__).parents[2] / "fakes" / "hindsight.py"))["FakeHindsight"]()
    yield made
    made.close()


@pytest.fixture
def start(tmp_path: Path, server: Any) -> Iterator[Callable[..., AgentCaller]]:
    """Begin a session: `start("local")`, or in another project `start("local", "other")`."""
    made: list[tuple[Session, Any]] = []
    (tmp_path / "none.toml").write_text("")

    def one(backend: str, project: str = "project", **settings: Any) -> AgentCaller:
        (tmp_path / project).mkdir(exist_ok=True)
        told = {
            "memory.backend": backend,
            "storage.data_dir": str(tmp_path / "data"),
            "embedding.enabled": False,
            "hindsight.api_url": server.url,
            "autolearn.authored_skills": "none",
            **{f"memories.{host}_sessions": "none" for host in ("claude", "codex", "omp")},
            **{name.replace("__", "."): value for name, value in settings.items()},
        }
        config = Config.load(told, environ={}, file=tmp_path / "none.toml")
        opened = resolve_backend(config)
        session = Session(opened, SessionRef("pytest", "s1", str(tmp_path / project)))
        made.append((session, opened))
        return AgentCaller.of(session, config)

    yield one
    for session, opened in made:
        session.close()
        opened.close()
