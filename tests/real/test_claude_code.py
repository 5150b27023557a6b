"""Claude Code.

It runs without a terminal, against a model of the test on the loopback address, with an empty home: it starts
`mnemopi mcp`, offers its tools from the first turn, stores in one run and finds in the next.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mnemopi.backends import transcript, transcript_files

pytestmark = pytest.mark.real

PACKAGE = "@anthropic-ai/claude-code@2.1.332"
CORE = {f"mcp__mnemopi__mnemopi_{name}" for name in ("remember", "recall", "get", "update", "forget")}


class Host:
    """Claude Code with one server, and what it asked its model."""

    def __init__(self, program: Path, folder: Path, environment: dict[str, str], log: Path) -> None:
        self._program, self._environment, self._log = program, environment, log
        self._project = folder / "project"
        self._project.mkdir()
        self.sessions = Path(environment["HOME"], ".claude", "projects")
        own = {"MNEMOPI_DATA_DIR": str(folder / "data"), "MNEMOPI_NO_EMBEDDINGS": "1"}
        server = {"command": sys.executable, "args": ["-m", "mnemopi", "mcp", "--tools", "core"], "env": own}
        self._servers = folder / "servers.json"
        self._servers.write_text(json.dumps({"mcpServers": {"mnemopi": server}}))

    def told(self, prompt: str) -> list[dict[str, Any]]:
        """Give it a prompt, and return the events of the run."""
        options = ["--mcp-config", self._servers, "--strict-mcp-config", "--allowedTools", "mcp__mnemopi"]
        done = subprocess.run(
            [self._program, "-p", prompt, *options, "--output-format", "stream-json", "--verbose"],
            cwd=self._project,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    def called(self, name: str, **arguments: Any) -> str:
        """Have it call a tool, and return what it says in the end: the result as its model saw it."""
        events = self.told(json.dumps({"call": name, "arguments": arguments}))
        return str(events[-1]["result"])

    def asked(self) -> list[dict[str, Any]]:
        """Return what the model was sent."""
        return [json.loads(line)["body"] for line in self._log.read_text().splitlines() if "/v1/messages" in line]


@pytest.fixture
def host(installed: Callable[..., Path], listening: Callable[..., int], bare: dict[str, str], tmp_path: Path) -> Host:
    program = installed("claude-code", PACKAGE) / "@anthropic-ai" / "claude-code-linux-x64" / "claude"
    port = listening("model.py", tmp_path / "asked.jsonl")
    own = {
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
        "ANTHROPIC_API_KEY": "no-" + "key",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    return Host(program, tmp_path, bare | own, tmp_path / "asked.jsonl")


def test_it_connects_and_shows_the_tools_on_the_first_turn(host: Host) -> None:
    events = host.told("hello")
    assert [server["name"] for server in events[0]["mcp_servers"]] == ["mnemopi"]
    offered = {tool["name"] for tool in host.asked()[0]["tools"]}
    assert offered >= CORE
    assert "Long-term memory" in json.dumps(host.asked()[0])


def test_what_is_stored_in_one_run_is_found_in_the_next(host: Host) -> None:
    stored = host.called("mnemopi_remember", content="The deploy key lies in vault seven")
    assert '"status":"stored"' in stored
    found = host.called("mnemopi_recall", query="Where is the deploy key?")
    assert "The deploy key lies in vault seven" in found
    assert '"notice"' in found


def test_the_model_reads_what_was_wrong_with_its_call(host: Host) -> None:
    said = host.called("mnemopi_get", memory_id="nothing")
    assert "not-found" in said
    assert "there is no memory" in said


def test_its_session_files_tell_what_was_said(host: Host) -> None:
    host.told("the harbour master is Ines")
    host.called("mnemopi_get", memory_id="nothing")
    (second, first) = transcript_files.newest({"claude-code": host.sessions}, 9)
    reading = transcript.read(first.path)
    messages = list(reading.messages())
    assert (reading.header.host, Path(reading.header.cwd).name, reading.broken) == ("claude-code", "project", 0)
    assert [(each.role, each.text) for each in messages[:1]] == [("user", "the harbour master is Ines")]
    assert [each.role for each in messages] == ["user", "assistant"]
    roles = [each.role for each in transcript.read(second.path).messages()]
    assert roles == ["user", "assistant"], "calls of tools and their results are not said"
