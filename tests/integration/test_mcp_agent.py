"""`mnemopi mcp --tools agent` as a process: the tools of a session, whichever backend keeps its memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from mnemopi.cli.app import mnemopi
from mnemopi.cli.lending import Lender
from mnemopi.daemon import work

Connect = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture
def connected(environment: dict[str, str], tmp_path: Path) -> Connect:
    """Connect to a server of a session that works in a folder: `async with connected("local", "one") as client`."""
    quiet = {f"MNEMOPI_{host}_SESSIONS": "none" for host in ("CLAUDE", "CODEX", "OMP")}

    @asynccontextmanager
    async def one(backend: str, folder: str = "one", *arguments: str, **changes: str) -> AsyncIterator[Client]:
        (tmp_path / folder).mkdir(exist_ok=True)
        told = {**environment, **quiet, "MNEMOPI_MEMORY_BACKEND": backend, "MNEMOPI_AUTOLEARN_ENABLED": "1", **changes}
        args = ["-m", "mnemopi", "mcp", "--tools", "agent", "--cwd", str(tmp_path / folder), *arguments]
        async with Client(StdioServerParameters(command=sys.executable, args=args, env=told)) as client:
            yield client

    return one


async def call(client: Client, name: str, /, **arguments: Any) -> Any:
    """Call a tool and return its answer; an error is returned as (True, its text)."""
    done: Any = await client.call_tool(name, arguments)
    told = json.loads(done.content[0].text)
    return (True, told) if done.is_error else told


def test_a_session_keeps_finds_reads_and_corrects(connected: Connect) -> None:
    async def main() -> None:
        async with connected("mnemopi", "one", "--session", "s1", "--host", "my-host") as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            assert tools == ["retain", "recall", "reflect", "memory_edit", "learn", "manage_skill"]
            assert "Recall before you answer" in (client.instructions or "")
            kept = await call(client, "retain", items=[{"content": "Staging listens on port 5433"}])
            found = await call(client, "recall", query="staging port")
            assert found["memories"][0]["id"] == kept["ids"][0]
            row = json.loads((await client.read_resource(f"memory://{kept['ids'][0]}")).contents[0].text)  # type: ignore[union-attr]
            assert row["memory"]["content"] == "Staging listens on port 5433"
            assert row["memory"]["metadata"]["session"] == "my-host:s1"
            done = await call(
                client, "memory_edit", op="update", id=kept["ids"][0], content="Staging listens on 5434", version=1
            )
            assert done["version"] == 2
            digest = await call(client, "reflect", query="staging port")
            assert digest["digest"] is True
            assert digest["ids"] == kept["ids"]
        async with connected("mnemopi", "one") as client:
            assert "5434" in (await call(client, "recall", query="staging port"))["memories"][0]["content"]
        async with connected("mnemopi", "two") as client:
            assert (await call(client, "recall", query="staging port"))["count"] == 0
            with pytest.raises(MCPError, match="no bank of this session"):
                await client.read_resource(f"memory://{kept['ids'][0]}")

    anyio.run(main)


def test_lessons_and_skills_reach_the_next_session(connected: Connect) -> None:
    async def main() -> None:
        skill = {"action": "create", "name": "cut-release", "description": "When a release is cut", "body": "1. Tag."}
        async with connected("local") as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == ["learn", "manage_skill"]
            done = await call(client, "learn", memory="Tags are signed by `List<int>`", skill=skill)
            assert done["skill"] == "cut-release"
            text = (await client.read_resource("memory://root/learned.md")).contents[0].text  # type: ignore[union-attr]
            assert "List<int>" in text
        async with connected("local") as client:
            assert "cut-release: When a release is cut" in (client.instructions or "")
            text = (await client.read_resource("memory://-/skills/cut-release")).contents[0].text  # type: ignore[union-attr]
            assert "1. Tag." in text
            named = {str(each.uri) for each in (await client.list_resources()).resources}
            assert {"memory://root/learned.md", "memory://-/skills/cut-release"} <= named
            assert (await call(client, "manage_skill", action="delete", name="cut-release"))["skills"] == []

    anyio.run(main)


def test_where_memory_is_off_nothing_is_offered_and_nothing_is_there(connected: Connect) -> None:
    async def main() -> None:
        async with connected("off", MNEMOPI_AUTOLEARN_ENABLED="0") as client:
            assert (await client.list_tools()).tools == []
            assert (await client.list_resources()).resources == []
            assert client.instructions in (None, "")
            failed, told = await call(client, "recall", query="x")
            assert failed
            assert told["code"] == "not-found"
            with pytest.raises(MCPError, match="nothing stands at"):
                await client.read_resource("memory://root")

    anyio.run(main)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--tools", "agent", "--bank", "work"), "banks of its project"),
        (("--tools", "agent", "--cwd", "/no/such/folder"), "is no folder"),
        (("--tools", "core", "--cwd", "."), "are those of a session"),
        (("--host", "x"), "are those of a session"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    environment: dict[str, str], arguments: tuple[str, ...], words: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mnemopi", "mcp", *arguments],
        env=environment,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
    )
    assert done.returncode == 2
    assert words in done.stderr


def test_the_resident_process_leaves_a_session_to_a_process_of_its_own(environment: dict[str, str]) -> None:
    lender = Lender(mnemopi.run)  # type: ignore[attr-defined]
    done = lender.agent(work.Asked(("mcp", "--tools", "agent"), environment))
    assert isinstance(done, work.Outcome)
    assert done.refused
    assert isinstance(lender.agent(work.Asked(("mcp", "--tools", "core"), environment)), work.Agent)
