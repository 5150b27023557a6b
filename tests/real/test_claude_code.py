"""Claude Code.

It runs without a terminal, against a model of the test on the loopback address, with an empty home: it starts
`mnemopi mcp`, offers its tools from the first turn, stores in one run and finds in the next.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from .hosts import Host, Suite

pytestmark = pytest.mark.real

PACKAGE = "@anthropic-ai/claude-code@2.1.332"
CORE = {f"mcp__mnemopi__mnemopi_{name}" for name in ("remember", "recall", "get", "update", "forget")}


class ClaudeCode(Host):
    NAME, MODEL = "claude-code", "/v1/messages"

    @property
    def sessions(self) -> Path:
        return Path(self._environment["HOME"], ".claude", "projects")

    def arguments(self, prompt: str) -> Sequence[str | Path]:
        data = {"MNEMOPI_DATA_DIR": str(self._project.parent / "data"), "MNEMOPI_NO_EMBEDDINGS": "1"}
        server = {"command": sys.executable, "args": ["-m", "mnemopi", "mcp", "--tools", "core"], "env": data}
        servers = json.dumps({"mcpServers": {"mnemopi": server}})
        options = ["--mcp-config", servers, "--strict-mcp-config", "--allowedTools", "mcp__mnemopi"]
        return ["-p", prompt, *options, "--output-format", "stream-json", "--verbose"]

    def said(self, events: list[dict[str, Any]]) -> str:
        return str(events[-1]["result"])


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
    (tmp_path / "project").mkdir()
    return ClaudeCode(program, tmp_path / "project", bare | own, tmp_path / "asked.jsonl")


def test_it_connects_and_shows_the_tools_on_the_first_turn(host: Host) -> None:
    events = host.told("hello")
    assert [server["name"] for server in events[0]["mcp_servers"]] == ["mnemopi"]
    offered = {tool["name"] for tool in host.asked()[0]["tools"]}
    assert offered >= CORE
    assert "Long-term memory" in json.dumps(host.asked()[0])


class TestClaudeCode(Suite):
    """As each host."""
