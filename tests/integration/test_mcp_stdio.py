"""`mnemopi mcp` as a process: the descriptors, the end, and lines that nobody should send."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
NOISY = """
import sys, os
print("a dependency says hello at once", flush=True)
os.write(1, b"and past Python\\n")
from mnemopi.tools import catalog, memory
import dataclasses
def shouting(caller, asked):
    print("I am printing")
    os.write(1, b"and I write\\n")
    os.system("echo and so does my child")
    return memory.recall(caller, asked)
loud = dataclasses.replace(catalog.find("mnemopi_recall"), handler=shouting)
catalog.TOOLS = tuple(loud if tool.name == loud.name else tool for tool in catalog.TOOLS)
"""

SLOW = """
import importlib.abc, sys
class Slowness(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "mnemopi.mcp.server":
            sys.meta_path.remove(self)
            import dataclasses, time
            from mnemopi.tools import catalog, memory
            def waiting(caller, asked):
                time.sleep(0.5)
                return memory.remember(caller, asked)
            slow = dataclasses.replace(catalog.find("mnemopi_remember"), handler=waiting)
            catalog.TOOLS = tuple(slow if tool.name == slow.name else tool for tool in catalog.TOOLS)
sys.meta_path.insert(0, Slowness())
"""


class Served:
    """A server as a process, spoken to line by line."""

    def __init__(self, environment: dict[str, str], *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "mnemopi", "mcp", *arguments],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._number = 1

    def write(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        return dict(json.loads(self.process.stdout.readline()))

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request, and return its answer, whatever else is answered meanwhile."""
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self.write(json.dumps(request).encode())
        while (answer := self.read()).get("id") != self._number:
            pass
        return answer

    def begin(self) -> dict[str, Any]:
        """Shake hands as clients of the former era do."""
        self.write(json.dumps(INITIALIZE).encode())
        answer = self.read()
        self.write(json.dumps(INITIALIZED).encode())
        return answer

    def kill(self) -> None:
        """End it at once, and close what leads to it."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()

    def end(self) -> int:
        """Close its input, and return its exit status."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(20)


@pytest.fixture
def served(environment: dict[str, str]) -> Iterator[Callable[..., Served]]:
    made: list[Served] = []

    def start(*arguments: str, **changes: str) -> Served:
        made.append(Served({**environment, **changes}, *arguments))
        return made[-1]

    yield start
    for each in made:
        each.kill()


def called(server: Served, name: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool and return its structure."""
    return dict(server.ask("tools/call", name=f"mnemopi_{name}", arguments=arguments)["result"]["structuredContent"])


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_talks_to_the_command(environment: dict[str, str], mode: str) -> None:
    async def run() -> None:
        parameters = StdioServerParameters(command=sys.executable, args=["-m", "mnemopi", "mcp"], env=environment)
        async with Client(parameters, mode=mode) as client:  # type: ignore[arg-type]
            assert len((await client.list_tools()).tools) >= 29
            await client.call_tool("mnemopi_remember", {"content": "The crane stands on pier 7"})
            found = await client.call_tool("mnemopi_recall", {"query": "crane"})
            assert found.structured_content["count"] == 1

    anyio.run(run)


def test_the_handshake_makes_no_file(served: Any, folder: Path) -> None:
    server = served()
    assert server.begin()["result"]["serverInfo"]["name"] == "mnemopi"
    assert server.ask("tools/list")["result"]["tools"]
    assert not folder.exists()
    assert server.end() == 0


def test_what_one_process_stores_the_command_line_finds(served: Any, call: Any) -> None:
    server = served()
    server.begin()
    made = called(server, "remember", content="The crane stands on pier 7")
    assert server.end() == 0
    found = call("recall", "crane", "--json").json
    assert found["results"][0]["id"] == made["memory_id"]
    assert found["results"][0]["session_id"] == "mcp_default"


def test_identity_comes_from_the_environment(served: Any) -> None:
    names = {"MNEMOPI_SESSION_ID": "s9", "MNEMOPI_AUTHOR_ID": "ines", "MNEMOPI_AUTHOR_TYPE": "assistant"}
    server = served(**names, MNEMOPI_CHANNEL_ID="harbour", MNEMOPI_MCP_BANK="work")
    server.begin()
    made = called(server, "remember", content="The crane")
    assert made["bank"] == "work"
    kept = called(server, "get", memory_id=made["memory_id"])["memory"]
    assert (kept["session_id"], kept["author_id"], kept["author_type"]) == ("s9", "ines", "assistant")
    assert kept["channel_id"] == "harbour"


def test_the_bank_of_the_command_line_wins(served: Any) -> None:
    server = served("--bank", "mine", MNEMOPI_MCP_BANK="work")
    server.begin()
    assert called(server, "remember", content="The crane")["bank"] == "mine"


@pytest.mark.parametrize(
    ("arguments", "changes", "count"),
    [(["--tools", "core"], {}, 7), (["--tools", "recall,get"], {}, 2), ([], {"MNEMOPI_TOOLS": "core"}, 7)],
)
def test_a_set_of_tools_is_chosen(served: Any, arguments: list[str], changes: dict[str, str], count: int) -> None:
    server = served(*arguments, **changes)
    server.begin()
    assert len(server.ask("tools/list")["result"]["tools"]) == count
    answer = server.ask("tools/call", name="mnemopi_stats", arguments={})
    assert answer["result"]["isError"] is True


def test_an_unknown_set_is_told_before_anything_is_served(run: Any) -> None:
    done = run("mcp", "--tools", "nothing")
    assert (done.status, done.out) == (2, "")
    assert "no such tools" in done.err


def test_what_prints_does_not_break_the_protocol(served: Any, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys, importlib.abc, importlib\n"
        "class Noise(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'mnemopi.mcp.server':\n"
        "            sys.meta_path.remove(self)\n"
        f"            exec({NOISY!r}, {{}})\n"
        "sys.meta_path.insert(0, Noise())\n"
    )
    server = served(PYTHONPATH=str(tmp_path))
    assert server.begin()["id"] == 1
    called(server, "remember", content="The crane stands on pier 7")
    assert called(server, "recall", query="crane")["count"] == 1
    assert server.end() == 0
    noise = server.process.stderr.read().decode()
    for said in ("hello at once", "past Python", "I am printing", "and I write", "so does my child"):
        assert said in noise


def test_the_process_ends_with_its_input(served: Any) -> None:
    server = served()
    server.begin()
    called(server, "remember", content="The crane")
    assert server.end() == 0


def test_a_call_that_runs_when_the_input_ends_is_stored_and_answered(
    environment: dict[str, str], call: Any, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(SLOW)
    remember = {"name": "mnemopi_remember", "arguments": {"content": "The crane stands on pier 7"}}
    lines = [INITIALIZE, INITIALIZED, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": remember}]
    done = subprocess.run(
        [sys.executable, "-m", "mnemopi", "mcp"],
        env={**environment, "PYTHONPATH": str(tmp_path)},
        input="".join(json.dumps(line) + "\n" for line in lines).encode(),
        capture_output=True,
        check=False,
    )
    answers = {told.get("id"): told for told in map(json.loads, done.stdout.splitlines())}
    (hit,) = call("recall", "crane", "--json").json["results"]
    assert answers[2]["result"]["structuredContent"]["memory_id"] == hit["id"]
    assert done.returncode == 0


def test_the_process_ends_with_its_parent_even_where_its_input_stays_open(
    environment: dict[str, str], tmp_path: Path
) -> None:
    reading, writing = os.pipe()  # held open here, whatever becomes of the parent
    code = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-m', 'mnemopi', 'mcp'], stdin={reading}, pass_fds=[{reading}])\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, pass_fds=[reading])
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    os.write(writing, json.dumps(INITIALIZE).encode() + b"\n")
    assert b"serverInfo" in parent.stdout.readline()
    parent.kill()
    parent.wait()
    for _ in range(100):
        if not _lives(child):
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        pytest.fail("it outlived its parent")
    os.close(reading)
    os.close(writing)


def _lives(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked about does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_an_interrupted_process_has_kept_what_it_acknowledged(served: Any, call: Any) -> None:
    server = served()
    server.begin()
    for number in range(5):
        called(server, "remember", content=f"The crane number {number}")
    server.process.kill()
    server.process.wait()
    assert call("stats", "--json").json["total_memories"] == 5


LINES = [
    b"",
    b"null",
    b"[]",
    b"{}",
    b"42",
    b'"text"',
    b"{",
    b"\xff\xfe\x00broken",
    b'{"jsonrpc":"2.0"}',
    b'{"jsonrpc":"2.0","id":null,"method":"tools/list"}',
    b'{"jsonrpc":"2.0","id":7,"method":"nothing/here"}',
    b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{}}',
    b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"mnemopi_recall","arguments":[]}}',
    b'{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"mnemopi_recall","arguments":{"query":"\\ud800"}}}',
    b'{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"mnemopi_recall","arguments":{"query":"\\u0000"}}}',
    b'{"jsonrpc":"2.0","id":12,"method":"resources/read","params":{"uri":"memory://\\u0000"}}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}',
    b'{"jsonrpc":"2.0","id":13,"result":{}}',
    b'{"jsonrpc":"2.0","id":"' + b"x" * 100_000 + b'","method":"ping"}',
    b"[" * 20_000,
    b'{"jsonrpc":"2.0","id":14,"method":"tools/call","params":{"name":"' + b"y" * 100_000 + b'"}}',
]


def test_lines_that_nobody_should_send_do_not_end_it(served: Any) -> None:
    server = served()
    server.begin()
    for line in LINES:
        server.write(line)
        assert server.ask("ping")["result"] == {}
    assert server.end() == 0
