"""oh-my-pi.

It runs without a terminal, against a model of the test on the loopback address, with an empty home: what it writes down
of a session is read back.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from mnemopi.backends import transcript, transcript_files

pytestmark = pytest.mark.real

PACKAGES = ("bun@1.4.5", "@oh-my-pi/pi-coding-agent@18.2.3")
MODELS = """
providers:
  test:
    baseUrl: "http://127.0.0.1:{port}"
    apiKey: none
    api: anthropic-messages
    models:
      - id: test
        name: Test
        reasoning: false
        input: [text]
        cost: {{input: 0, output: 0, cacheRead: 0, cacheWrite: 0}}
        contextWindow: 128000
        maxTokens: 8192
"""


class Host:
    """oh-my-pi in a project of its own."""

    def __init__(self, packages: Path, project: Path, environment: dict[str, str]) -> None:
        self._packages, self._project, self._environment = packages, project, environment
        self.sessions = Path(environment["HOME"], ".omp", "agent", "sessions")

    def told(self, prompt: str, *options: str) -> str:
        """Give it a prompt, and return what it says."""
        program = self._packages / "@oh-my-pi" / "pi-coding-agent" / "dist" / "cli.js"
        done = subprocess.run(
            [
                self._packages / ".bin" / "bun",
                program,
                "-p",
                "--model",
                "test/test",
                "--auto-approve",
                *options,
                prompt,
            ],
            cwd=self._project,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout.strip()


@pytest.fixture
def host(installed: Callable[..., Path], listening: Callable[..., int], bare: dict[str, str], tmp_path: Path) -> Host:
    packages = installed("omp", *PACKAGES)
    port = listening("model.py", tmp_path / "asked.jsonl")
    folder = Path(bare["HOME"], ".omp", "agent")
    folder.mkdir(parents=True)
    (folder / "models.yml").write_text(MODELS.format(port=port))
    (folder / "config.yml").write_text("modelRoles: {default: test/test, smol: test/test}\n")
    (tmp_path / "project").mkdir()
    return Host(packages, tmp_path / "project", bare | {"PATH": f"{packages / '.bin'}:{bare['PATH']}"})


def test_its_session_files_tell_what_was_said(host: Host) -> None:
    assert host.told("the harbour master is Ines") == "nothing to do"
    (first,) = transcript_files.newest({"omp": host.sessions}, 9)
    reading = transcript.read(first.path)
    assert (reading.header.host, Path(reading.header.cwd).name, reading.broken) == ("omp", "project", 0)
    assert [(each.role, each.text) for each in reading.messages()] == [
        ("user", "the harbour master is Ines"),
        ("assistant", "nothing to do"),
    ]
    call = json.dumps({"call": "read", "arguments": {"path": "missing.txt"}})
    host.told(call, "--continue")
    later = transcript.read(first.path, reading.cursor)
    assert not later.again
    assert [each.role for each in later.messages()] == ["user", "assistant"]
