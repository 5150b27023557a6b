"""Codex.

It runs without a terminal, against a model of the test on the loopback address, with an empty home: it starts
`mnemopi mcp`, offers its tools from the first turn, stores in one run and finds in the next. `required` has it wait
for the server, as the documentation advises: else a busy machine may show the tools from the second turn only.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from .hosts import Host, Suite

pytestmark = pytest.mark.real

PACKAGE = "@openai/codex@0.171.0"
CONFIG = """
model = "test"
model_provider = "test"
approval_policy = "never"
sandbox_mode = "read-only"
check_for_update_on_startup = false

[model_providers.test]
name = "test"
base_url = "http://127.0.0.1:{port}/v1"
wire_api = "responses"
env_key = "TEST_KEY"
request_max_retries = 0
stream_max_retries = 0

[mcp_servers.mnemopi]
command = "{python}"
args = ["-m", "mnemopi", "mcp", "--tools", "core"]
required = true

[mcp_servers.mnemopi.env]
MNEMOPI_DATA_DIR = "{data}"
MNEMOPI_NO_EMBEDDINGS = "1"
"""


class Codex(Host):
    NAME, MODEL = "codex", "/v1/responses"

    @property
    def sessions(self) -> Path:
        return Path(self._environment["HOME"], ".codex", "sessions")

    def arguments(self, prompt: str) -> Sequence[str | Path]:
        return ["exec", "--skip-git-repo-check", "--json", prompt]

    def said(self, events: list[dict[str, Any]]) -> str:
        said = [event["item"]["text"] for event in events if event.get("item", {}).get("type") == "agent_message"]
        return str(said[-1])


@pytest.fixture
def host(
    installed: Callable[..., Path], listening: Callable[..., int], node: Path, bare: dict[str, str], tmp_path: Path
) -> Host:
    program = installed("codex", PACKAGE) / ".bin" / "codex"
    port = listening("model.py", tmp_path / "asked.jsonl")
    folder = Path(bare["HOME"], ".codex")
    folder.mkdir()
    told = CONFIG.format(port=port, python=sys.executable, data=tmp_path / "data")
    (folder / "config.toml").write_text(told)
    (tmp_path / "project").mkdir()
    own = {"TEST_KEY": "none", "PATH": f"{node.parent}:{bare['PATH']}"}
    return Codex(program, tmp_path / "project", bare | own, tmp_path / "asked.jsonl")


def test_it_connects_and_shows_the_tools_on_the_first_turn(host: Host) -> None:
    host.told("hello")
    asked = host.asked()[0]
    (space,) = [tool for tool in asked["tools"] if tool.get("name") == "mcp__mnemopi"]
    assert {"mnemopi_remember", "mnemopi_recall"} <= {tool["name"] for tool in space["tools"]}
    assert "Long-term memory" in space["description"]


class TestCodex(Suite):
    """As each host."""
