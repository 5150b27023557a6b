"""The command line of the MCP Inspector.

It starts `mnemopi mcp` itself, or speaks to `mnemopi serve` with its token, in both eras of the protocol; `--strict`
has it judge whether the schemas of all tools can be read by every host.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.real

INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
FAILED_CALL = 5
Ask = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(params=["stdio legacy", "stdio modern", "http legacy", "http modern"])
def ask(
    request: pytest.FixtureRequest,
    installed: Callable[..., Path],
    node: Path,
    bare: dict[str, str],
    tmp_path: Path,
) -> Iterator[Ask]:
    """Have the Inspector do one thing: `ask("tools/list", "--strict")`."""
    program = installed("inspector", INSPECTOR) / ".bin" / "mcp-inspector"
    transport, era = request.param.split()
    settings = {"MNEMOPI_DATA_DIR": str(tmp_path / "data"), "MNEMOPI_NO_EMBEDDINGS": "1"}
    given = [part for name, value in settings.items() for part in ("-e", f"{name}={value}")]
    target = [sys.executable, "-m", "mnemopi", "mcp"]
    serving = None
    if transport == "http":
        command = [sys.executable, "-m", "mnemopi", "serve", "--port", "0"]
        serving = subprocess.Popen(command, env=bare | settings, stderr=subprocess.PIPE, text=True)
        assert serving.stderr is not None
        said = serving.stderr.readline()
        (url,) = re.findall(r"http://127\.0\.0\.1:\d+", said)
        token = (tmp_path / "data" / "http-token").read_text().strip()
        given, target = ["--transport", "http", "--header", f"Authorization: Bearer {token}"], [f"{url}/mcp"]

    def made(method: str, *more: str) -> subprocess.CompletedProcess[str]:
        command = [node, program, "--cli", *target, *given, "--protocol-era", era, "--format", "json"]
        return subprocess.run(
            [*command, "--method", method, *more],
            env=bare | {"MCP_INSPECTOR_SECRET_STORE": "memory"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    yield made
    if serving is not None:
        serving.terminate()
        serving.communicate(timeout=20)


def told(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """Return what an answer holds."""
    assert done.returncode == 0, done.stdout + done.stderr
    return dict(json.loads(done.stdout)["result"])


def test_it_lists_strictly_and_calls_tools(ask: Ask) -> None:
    listed = ask("tools/list", "--strict")
    assert len(told(listed)["tools"]) >= 29
    assert "portab" not in listed.stderr.lower()
    text = {"content": "The crane stands on pier 7", "metadata": {"berth": 4}}
    stored = told(ask("tools/call", "--tool-name", "mnemopi_remember", "--tool-args-json", json.dumps(text)))
    found = told(ask("tools/call", "--tool-name", "mnemopi_recall", "--tool-arg", "query=crane"))
    (hit,) = found["structuredContent"]["results"]
    assert hit["id"] == stored["structuredContent"]["memory_id"]
    uris = {each["uri"] for each in told(ask("resources/list"))["resources"]}
    assert f"memory://{hit['id']}" in uris
    read = told(ask("resources/read", "--uri", f"memory://{hit['id']}"))
    assert "pier 7" in read["contents"][0]["text"]
    assert len(told(ask("prompts/list"))["prompts"]) == 3


def test_it_sees_that_a_call_failed(ask: Ask) -> None:
    done = ask("tools/call", "--tool-name", "mnemopi_get", "--tool-arg", "memory_id=nothing")
    assert done.returncode == FAILED_CALL
    assert "not-found" in done.stdout
