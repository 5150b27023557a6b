"""One bank, copied for each face, at one moment that stands still: what differs then is the face's doing.

New ids are random and paths are each copy's own: those are numbered by the order in which they appear, these left out.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from click.testing import CliRunner
from mcp import Client
from starlette.testclient import TestClient

import mnemopi.engine
import mnemopi.tools.caller
from mnemopi.cli.app import mnemopi as command_line
from mnemopi.config import Config
from mnemopi.engine import Mnemopi
from mnemopi.errors import MnemopiError
from mnemopi.http import app
from mnemopi.mcp import server
from mnemopi.tools import catalog
from mnemopi.tools.caller import Caller, Engines

NOW = 1_790_000_000_000
DAY = 86_400_000
ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{16}(?![0-9a-f])")


def plain(value: Any) -> Any:
    """Turn what a face says into plain JSON."""
    return json.loads(json.dumps(value, default=str))


def unnamed(value: Any, ids: Mapping[str, str], folder: Path) -> Any:
    """Return a value with names for the ids that are known, numbers for those that are new, and without its folder."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str).replace(str(folder), "FOLDER")
    known = {id: f"@{name}" for name, id in ids.items()}
    return json.loads(ID.sub(lambda found: known.setdefault(found[0], f"new {len(known) - len(ids)}"), text))


def filled(value: Any, ids: Mapping[str, str]) -> Any:
    """Replace `@name` by the id of that name in arguments of any form."""
    if isinstance(value, str):
        return re.sub(r"@(\w+)", lambda found: ids.get(found[1], found[0]), value)
    if isinstance(value, list | tuple):
        return [filled(each, ids) for each in value]
    if isinstance(value, dict):
        return {name: filled(each, ids) for name, each in value.items()}
    return value


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Make the bank that all faces get a copy of, and return its folder and the ids in it by name."""
    folder = tmp_path_factory.mktemp("prepared") / "data"
    times = iter(range(NOW - 60 * DAY, NOW))
    config = Config.load({"storage.data_dir": str(folder), "embedding.enabled": False})
    ids: dict[str, str] = {}
    with Mnemopi(config=config, clock=lambda: next(times)) as memory:
        for name, text, more in (
            ("crane", "The crane stands on pier 7 since the storm of last winter", {"importance": 0.9}),
            ("winch", "The winch of the crane was greased", {"source": "tool", "author_id": "ines"}),
            ("ferry", "The ferry leaves at seven", {"channel_id": "harbour", "author_type": "assistant"}),
            ("tea", "I prefer tea over coffee", {"source": "user", "author_type": "user"}),
            ("old", "The ferry leaves at six", {"timestamp": "2026-01-02"}),
            ("long", "The log of the crane. " + "It turned and turned. " * 100, {}),
            ("here", "The crane is seen in this session only", {"scope": "session"}),
        ):
            ids[name] = memory.remember(text, **more).id
        memory.update(ids["winch"], "The winch of the crane was greased and painted")
        ids["fact"] = memory.facts.assert_("launch", "date", "5 May", valid_from="2026-02-01").id
        ids["rival"] = memory.facts.assert_("launch", "date", "6 May", valid_from="2026-02-01").id
        memory.facts.assert_("Ines", "lives_in", "Rome", valid_from="2025-02-01", valid_to="2025-06-30")
        memory.graph.link(ids["crane"], ids["winch"], "follows", 0.7)
        memory.graph.link(ids["winch"], ids["ferry"], "follows", 0.7)
        ids["note"] = memory.scratchpad.write("look at the crane").id
        ids["shared"] = memory.surface.remember("Surface meta: answer in German", source="surface_manual").id
        memory.surface.remember("Surface meta: German names are spelt out", source="surface_manual")
        memory.banks.create("work")
        with Mnemopi(config=config, bank="work", clock=lambda: next(times)) as work:
            ids["shared_by_work"] = work.remember("The crane of the other yard", scope="global").id
    (folder / "exchange").mkdir()
    lines = ['{"content": "The bollard is new"}', '{"content": "The crane stands on pier 7"}']
    (folder / "exchange" / "lines.jsonl").write_text("\n".join(lines) + "\n")
    return folder, ids


@pytest.fixture
def still(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the time stand still for whatever is opened."""
    monkeypatch.setattr(mnemopi.engine, "system_clock", lambda: NOW)
    monkeypatch.setattr(mnemopi.tools.caller, "system_clock", lambda: NOW)


@pytest.fixture
def copied(
    prepared: tuple[Path, dict[str, str]], tmp_path: Path, still: None, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Path]:
    """Copy the bank for a face, and make the copy what everything works on."""

    def made(face: str) -> Path:
        folder = Path(tempfile.mkdtemp(dir=tmp_path, prefix=face)) / "data"
        shutil.copytree(prepared[0], folder)
        monkeypatch.setenv("MNEMOPI_DATA_DIR", str(folder))
        return folder

    return made


@pytest.fixture
def ids(prepared: tuple[Path, dict[str, str]]) -> dict[str, str]:
    """The ids of what is in the bank, by name."""
    return prepared[1]


def state(folder: Path) -> dict[str, Any]:
    """Return all that a folder holds, for a comparison."""
    config = Config.load({"storage.data_dir": str(folder), "embedding.enabled": False})
    told: dict[str, Any] = {"files": sorted(path.name for path in (folder / "exchange").iterdir())}
    for bank in ("default", "surface", "work"):
        with Mnemopi(config=config, bank=bank) as memory:
            kept, counts = memory.page(limit=1000), memory.stats()
            told[bank] = {
                "memories": [repr(each) for each in kept],
                "facts": [each.as_dict() for each in memory.facts.list(include_ended=True)],
                "events": [event.as_dict() | {"cursor": None} for event in memory.events()],
                "notes": [note.as_dict() for note in memory.scratchpad.read()],
                "edges": [edge.as_dict() for each in kept for edge in memory.graph.edges(each.id)],
                "counts": [counts["pinned"], counts["extraction"], counts["beam"], counts["invalid"]],
            }
    return told


class Agent:
    """MCP: the official client, in memory."""

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Call a tool, and return its answer or its error."""
        engines = Engines(Config.load())
        built = server.build(Caller.of(engines), catalog.TOOLS, engines)

        async def run() -> Any:
            async with Client(built) as client:
                return await client.call_tool(tool, arguments)

        try:
            result = anyio.run(run)
        finally:
            engines.close()
        told = json.loads(result.content[0].text)
        return {"error": told} if result.is_error else told


class Web:
    """REST: the route of a tool."""

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Call a tool, and return its answer or its error."""
        engines = Engines(Config.load())
        try:
            with TestClient(app.build(engines, trusted=True), base_url="http://127.0.0.1") as client:
                answer = client.post(f"/api/v1/tools/{tool}", json=arguments)
        finally:
            engines.close()
        told = answer.json()
        if answer.status_code == 200:
            return told
        assert answer.headers["content-type"] == "application/problem+json"
        assert told["status"] == answer.status_code
        return {"error": {"message": told["detail"], **told}}


class Shell:
    """The command line."""

    def call(self, arguments: list[str]) -> Any:
        """Run a command, and return its document."""
        return json.loads(CliRunner().invoke(command_line, [*arguments, "--json"]).stdout)


class Library:
    """The Python API."""

    def call(self, do: Callable[[Mnemopi], Any]) -> Any:
        """Do something with the bank, and return its outcome or its error."""
        with Mnemopi() as memory:
            try:
                return do(memory)
            except MnemopiError as error:
                return {"error": error.as_dict()}


@pytest.fixture
def faces(copied: Callable[[str], Path], ids: dict[str, str]) -> Iterator[Any]:
    """Call each face on a copy of its own: `faces(library, shell, tool, arguments)` yields (face, answer, state)."""

    def made(
        library: Callable[..., Any], shell: list[str], tool: str, arguments: Mapping[str, Any]
    ) -> list[tuple[str, Any, Any]]:
        found = []
        for name, call in (
            ("library", lambda: Library().call(lambda memory: library(memory, ids))),
            ("shell", lambda: Shell().call(filled(shell, ids))),
            ("agent", lambda: Agent().call(tool, filled(dict(arguments), ids))),
            ("web", lambda: Web().call(tool, filled(dict(arguments), ids))),
        ):
            folder = copied(name)
            told = plain(call())
            found.append((name, unnamed(told, ids, folder), unnamed(state(folder), ids, folder)))
        return found

    yield made


@pytest.fixture
def outcome() -> Any:
    """How outcomes are made alike, for tests that call a tool by itself."""
    return SimpleNamespace(filled=filled, unnamed=unnamed, state=state)
