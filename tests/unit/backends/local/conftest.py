"""A machine with hosts' session files, and a local backend on it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from mnemopi.backends.local.backend import Local
from mnemopi.backends.means import Means
from mnemopi.config import Config
from mnemopi.model.session import SessionRef
from mnemopi.testing import FixedClock, ScriptedLLM

NOW = 1_780_000_000_000
HOUR = 3_600_000


@dataclass
class Machine:
    """A machine: its folder, its clock, and the backends that were opened on it."""

    folder: Path
    clock: FixedClock = field(default_factory=lambda: FixedClock(NOW))
    opened: list[Local] = field(default_factory=list)

    def project(self, name: str = "shop") -> Path:
        """A folder to work in."""
        folder = self.folder / "home" / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def here(self, id: str = "now", project: str = "shop", **more: Any) -> SessionRef:
        """A session that goes on now, whose host keeps a file of it."""
        given = {"transcript": str(self.folder / f"{id}.jsonl"), **more}
        return SessionRef("claude-code", id, str(self.project(project)), **given)

    def past(self, id: str, said: Sequence[str], *, project: str = "shop", hours: float = 24) -> Path:
        """A session of Claude Code that was last written so many hours ago; the odd lines are the model's."""
        path = self.folder / "claude" / f"-home-{project}" / f"{id}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines, at = [], (self.clock.now - round(hours * HOUR)) / 1000
        for number, text in enumerate(said):
            role = "assistant" if number % 2 else "user"
            told = {"type": role, "uuid": f"{id}{number}", "parentUuid": f"{id}{number - 1}" if number else None}
            stands = {"sessionId": id, "cwd": str(self.project(project)), "timestamp": round(at * 1000)}
            lines.append(json.dumps({**told, **stands, "message": {"role": role, "content": text}}) + "\n")
        path.write_text("".join(lines), "utf-8")
        os.utime(path, (at, at))
        return path

    def local(
        self, llm: ScriptedLLM | bool | None = False, *, background: bool = False, named: bool = True, **settings: Any
    ) -> Local:
        """A backend; settings by name within `memories`, or whole with a `__` for the dot.

        `named`: a project is called as its folder is.
        """
        given = {f"memories.{name}" if "__" not in name else name.replace("__", "."): v for name, v in settings.items()}
        folders = {f"memories.{host}_sessions": str(self.folder / host) for host in ("claude", "codex", "omp")}
        config = Config.load({**folders, "storage.data_dir": str(self.folder / "data"), **given})
        made = Local(
            Means(config, self.clock, llm),
            background=background,
            scope_of=(lambda cwd: Path(cwd).name) if named else None,
        )
        self.opened.append(made)
        return made

    def root(self, project: str = "shop") -> Path:
        """The folder of a project's documents."""
        return self.folder / "data" / "agent" / "memories" / project

    def text(self, name: str, project: str = "shop") -> str:
        """What a file of a project's memory says; empty where there is none."""
        path = self.root(project) / name
        return path.read_text("utf-8") if path.exists() else ""


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    machine = Machine(tmp_path)
    yield machine
    for each in machine.opened:
        each.close()


@pytest.fixture
def answering() -> Callable[..., ScriptedLLM]:
    """Make a model that reads and writes sensibly: `notes` by what a session holds, one section, one summary."""

    def made(memory: str = "- Deploy with make ship.", **more: Any) -> ScriptedLLM:
        def line(asked: Any) -> str:
            if asked.task == "stage1":
                return json.dumps({"rollout_summary": "About it.", "rollout_slug": "about_it", "raw_memory": memory})
            if "memory_summary" in asked.schema["properties"]:
                return json.dumps({"memory_summary": more.get("summary", "Deploy with make ship.")})
            if "skills" in asked.schema["properties"]:
                return json.dumps({"skills": more.get("skills", []), "drop": more.get("drop", [])})
            return json.dumps({"put": more.get("put", []), "drop": []})

        return ScriptedLLM([line])

    return made
