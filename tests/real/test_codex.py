"""Codex.

It runs without a terminal, against a model of the test on the loopback address, with an empty home: it starts
`mnemopi mcp`, offers its tools from the first turn, stores in one run and finds in the next. `required` has it wait
for the server, as the documentation advises: else a busy machine may show the tools from the second turn only.
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


class Host:
    """Codex with one server, and what it asked its model."""

    def __init__(self, program: Path, project: Path, environment: dict[str, str], log: Path) -> None:
        self._program, self._project, self._environment, self._log = program, project, environment, log
        self.sessions = Path(environment["HOME"], ".codex", "sessions")

    def told(self, prompt: str) -> list[dict[str, Any]]:
        """Give it a prompt, and return the events of the run."""
        done = subprocess.run(
            [self._program, "exec", "--skip-git-repo-check", "--json", prompt],
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
        said = [event["item"]["text"] for event in events if event.get("item", {}).get("type") == "agent_message"]
        return str(said[-1])

    def asked(self) -> list[dict[str, Any]]:
        """Return what the model was sent."""
        return [json.loads(line)["body"] for line in self._log.read_text().splitlines() if "/v1/responses" in line]


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
    return Host(program, tmp_path / "project", bare | own, tmp_path / "asked.jsonl")


def test_it_connects_and_shows_the_tools_on_the_first_turn(host: Host) -> None:
    host.told("hello")
    asked = host.asked()[0]
    (space,) = [tool for tool in asked["tools"] if tool.get("name") == "mcp__mnemopi"]
    assert {"mnemopi_remember", "mnemopi_recall"} <= {tool["name"] for tool in space["tools"]}
    assert "Long-term memory" in space["description"]


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
    (second, first) = transcript_files.newest({"codex": host.sessions}, 9)
    reading = transcript.read(first.path)
    messages = list(reading.messages())
    assert (reading.header.host, Path(reading.header.cwd).name, reading.broken) == ("codex", "project", 0)
    assert [(each.role, each.text) for each in messages[:1]] == [("user", "the harbour master is Ines")]
    assert [each.role for each in messages] == ["user", "assistant"]
    roles = [each.role for each in transcript.read(second.path).messages()]
    assert roles == ["user", "assistant"], "calls of tools and their results are not said"
