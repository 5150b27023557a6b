"""Backends on one folder, each made anew as a process of its own would, with a model that says its lines."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mnemopi.backends import resolve_backend
from mnemopi.model.session import SessionRef
from mnemopi.testing import FixedClock, ScriptedLLM


class Reader:
    """A model that takes each prompt of the person for a decision and writes each into `style`; `asked` counts both."""

    name = "testing:reader"

    def __init__(self) -> None:
        self.extractions: list[str] = []
        self.consolidations: list[str] = []
        self.failure: Exception | None = None
        self.answer: Any = None
        """What to answer instead, as a text."""

    def complete(self, prompt: str, *, task: str, **options: Any) -> Any:
        from mnemopi.ports import Completion

        (self.extractions if task == "extract" else self.consolidations).append(prompt)
        if self.failure is not None:
            raise self.failure
        if self.answer is not None:
            return Completion(self.answer, 1, 1)
        made = self._deltas(prompt) if task == "extract" else self._files(prompt)
        return Completion(json.dumps(made), 1, 1)

    def _deltas(self, prompt: str) -> dict[str, Any]:
        said = re.findall(r"<prompt number=(\d+)>\n(.*?)\n</prompt>", prompt, re.DOTALL)
        return {"deltas": [delta(text, prompt=int(number)) for number, text in said]}

    def _files(self, prompt: str) -> dict[str, Any]:
        before = re.search(r"## file style\n(.*?)\n\n## ", prompt, re.DOTALL)
        old = before[1] if before and before[1] != "(empty)" else ""
        new = [f"- {json.loads(each)}" for each in re.findall(r'statement=("(?:[^"\\]|\\.)*")', prompt)]
        return {"files": [{"name": "style", "content": "\n".join([*([old] if old else []), *new])}]}


def delta(text: str, **changed: Any) -> dict[str, Any]:
    """A delta as a model gives it, with the whole prompt as evidence."""
    made = {
        "prompt": 1,
        "kind": "style_decision",
        "statement": f"Rule: {text}",
        "evidence": text,
        "source": "explicit_user",
        "friction": {"corrective": True, "regression": False, "subtle": False},
        "rejectedAlternative": None,
        "rationale": None,
    }
    return made | changed


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture
def scripted() -> Callable[..., ScriptedLLM]:
    return lambda *lines: ScriptedLLM(lines)


@pytest.fixture
def session(tmp_path: Path) -> SessionRef:
    folder = tmp_path / "shop"
    folder.mkdir()
    return SessionRef("pytest", "s1", str(folder))


@pytest.fixture
def shelf(tmp_path: Path) -> Callable[[], Path]:
    """Return the one project's folder."""

    def found() -> Path:
        (path,) = (p for p in (tmp_path / "agent" / "memories" / "sharpshooter").glob("[a-z]*") if p.is_dir())
        return path

    return found


@pytest.fixture
def opened(clock: FixedClock, tmp_path: Path, reader: Reader) -> Iterator[Callable[..., Any]]:
    made: list[Any] = []

    def open_(llm: Any = reader, **settings: Any) -> Any:
        given = {
            "memory.backend": "sharpshooter",
            "memory.agent_dir": str(tmp_path / "agent"),
            **{(name if "." in name else f"sharpshooter.{name}"): value for name, value in settings.items()},
        }
        made.append(resolve_backend(given, clock=clock, llm=llm))
        return made[-1]

    yield open_
    for each in made:
        each.close()
