"""What hosts that start `mnemopi mcp` have in common: how a test drives one, and what has to hold with each.

A host runs without a terminal, against a model of the test on the loopback address, with an empty home.
"""

from __future__ import annotations

import json
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mnemopi.backends import transcript, transcript_files


class Host(ABC):
    """A host with one server, and what it asked its model. A host of a name says how it is run and where it writes."""

    NAME: str
    MODEL: str
    """The path at which its model is asked."""

    def __init__(self, program: Path, project: Path, environment: dict[str, str], log: Path) -> None:
        self._program, self._project, self._environment, self._log = program, project, environment, log

    @property
    @abstractmethod
    def sessions(self) -> Path:
        """The folder of its session files."""

    @abstractmethod
    def arguments(self, prompt: str) -> Sequence[str | Path]:
        """Return what it is started with."""

    @abstractmethod
    def said(self, events: list[dict[str, Any]]) -> str:
        """Return what its model said in the end of a run."""

    def told(self, prompt: str) -> list[dict[str, Any]]:
        """Give it a prompt, and return the events of the run."""
        done = subprocess.run(
            [self._program, *self.arguments(prompt)],
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
        return self.said(self.told(json.dumps({"call": name, "arguments": arguments})))

    def asked(self) -> list[dict[str, Any]]:
        """Return what the model was sent."""
        return [json.loads(line)["body"] for line in self._log.read_text().splitlines() if self.MODEL in line]


class Suite:
    """What has to hold with each host; its module has the fixture `host`."""

    def test_what_is_stored_in_one_run_is_found_in_the_next(self, host: Host) -> None:
        stored = host.called("mnemopi_remember", content="The deploy key lies in vault seven")
        assert '"status":"stored"' in stored
        found = host.called("mnemopi_recall", query="Where is the deploy key?")
        assert "The deploy key lies in vault seven" in found
        assert '"notice"' in found

    def test_the_model_reads_what_was_wrong_with_its_call(self, host: Host) -> None:
        said = host.called("mnemopi_get", memory_id="nothing")
        assert "not-found" in said
        assert "there is no memory" in said

    def test_its_session_files_tell_what_was_said(self, host: Host) -> None:
        host.told("the harbour master is Ines")
        host.called("mnemopi_get", memory_id="nothing")
        (second, first) = transcript_files.newest({host.NAME: host.sessions}, 9)
        reading = transcript.read(first.path)
        messages = list(reading.messages())
        assert (reading.header.host, Path(reading.header.cwd).name, reading.broken) == (host.NAME, "project", 0)
        assert [(each.role, each.text) for each in messages[:1]] == [("user", "the harbour master is Ines")]
        assert [each.role for each in messages] == ["user", "assistant"]
        roles = [each.role for each in transcript.read(second.path).messages()]
        assert roles == ["user", "assistant"], "calls of tools and their results are not said"
