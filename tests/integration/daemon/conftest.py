"""A place for a resident process: a data folder, a home, a runtime folder, and everything that was started in it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from mnemopi.daemon import client, lock, protocol

PYTHON = (sys.executable, "-m", "mnemopi")


@dataclass(frozen=True)
class Done:
    """What a command did."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)


class Place:
    """Commands and resident processes of one data folder. `close` ends what was started."""

    def __init__(self, root: Path) -> None:
        self.root, self.folder = root, root / "data"
        (root / "home").mkdir(parents=True)
        self.runtime = Path(tempfile.mkdtemp(prefix="mn-"))
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("MNEMOPI_", "XDG_"))}
        self.environment = kept | {
            "MNEMOPI_DATA_DIR": str(self.folder),
            "MNEMOPI_NO_EMBEDDINGS": "1",
            "MNEMOPI_TIMEZONE": "UTC",
            "HOME": str(root / "home"),
            "XDG_CONFIG_HOME": str(root / "home"),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "COLUMNS": "100",
        }
        self.processes: list[subprocess.Popen[bytes]] = []

    def run(self, *arguments: str, input: bytes | None = None, cwd: Path | None = None, **changes: str) -> Done:
        """Run a command to its end."""
        done = subprocess.run(
            [*PYTHON, *arguments],
            env=self.environment | changes,
            input=input,
            stdin=subprocess.DEVNULL if input is None else None,
            capture_output=True,
            cwd=cwd,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))

    def at_home(self, *arguments: str, **changes: str) -> Done:
        """Run a command without asking any resident process."""
        return self.run(*arguments, MNEMOPI_DAEMON="off", **changes)

    def begin(self, *command: str, **changes: str) -> subprocess.Popen[bytes]:
        """Start a command with pipes."""
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, env=self.environment | changes, stdin=pipe, stdout=pipe, stderr=pipe)
        self.processes.append(process)
        return process

    def reside(self, *options: str, patch: str = "", **changes: str) -> subprocess.Popen[bytes]:
        """Start a resident process as a child of the test, with code run in it first, and wait until it answers."""
        code = f"import sys\n{patch}\nfrom mnemopi.__main__ import main\nmain()"
        process = self.begin(sys.executable, "-c", code, "daemon", "run", "--log", *options, **changes)
        until(lambda: self.status().get("pid") == process.pid or process.poll() is not None)
        assert process.poll() is None, self.log()
        return process

    def status(self) -> dict[str, Any]:
        """Ask the resident process for its status; empty where none answers."""
        link, answer = client.dial(str(self.folder), protocol.hello("status", {}))
        if link is not None:
            link.close()
        return answer

    def log(self) -> str:
        """Return what the resident process logged and printed."""
        file = self.folder / "daemon.log"
        return file.read_text("utf-8") if file.exists() else ""

    def close(self) -> None:
        """End everything that was started here, also what was started in the background."""
        for process in self.processes:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                with suppress(BrokenPipeError):
                    if stream is not None:
                        stream.close()
        while (pid := lock.holder(self.folder)) is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)
        shutil.rmtree(self.runtime, ignore_errors=True)


def until(done: Callable[[], Any], seconds: float = 90.0) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if done():
            return
        time.sleep(0.02)
    raise AssertionError("it never happened")


class Agent:
    """An agent that talks to `mnemopi mcp` line by line."""

    HELLO: ClassVar = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._number = 0
        self.heard: list[dict[str, Any]] = []

    def send(self, method: str, **params: Any) -> int:
        """Send a request and return its id."""
        self._number += 1
        self._write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return self._number

    def answer(self, number: int) -> dict[str, Any]:
        """Wait for the answer to a request."""
        while True:
            for told in self.heard:
                if told.get("id") == number and "method" not in told:
                    self.heard.remove(told)
                    return told
            assert self.process.stdout is not None
            line = self.process.stdout.readline()
            assert line, "it hung up"
            self.heard.append(json.loads(line))

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        return self.answer(self.send(method, **params))

    def begin(self) -> dict[str, Any]:
        """Shake hands."""
        answer = self.ask("initialize", **self.HELLO)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return its result."""
        return dict(self.ask("tools/call", name=f"mnemopi_{name}", arguments=arguments)["result"])

    def end(self) -> int:
        """Close its input and return its exit status."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(90)

    def _write(self, told: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(told).encode() + b"\n")
        self.process.stdin.flush()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A place of the test's own, where nothing runs yet."""
    made = Place(tmp_path / "place")
    yield made
    made.close()


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A place where a resident process runs, for all tests of a module: each works on banks of its own."""
    made = Place(tmp_path_factory.mktemp("warm") / "place")
    made.reside()
    yield made
    made.close()


@pytest.fixture
def agent() -> Iterator[Callable[..., Agent]]:
    """Start an agent in a place: `agent(place, "--bank", "work")`. All are gone when the test ends."""
    started: list[tuple[Place, Agent]] = []

    def made(where: Place, *options: str, **changes: str) -> Agent:
        started.append((where, Agent(where.begin(*PYTHON, "mcp", *options, **changes))))
        return started[-1][1]

    yield made
    for _, each in started:
        each.process.kill()
        each.process.wait()
    for where, _ in started:
        until(lambda where=where: where.status().get("connections", 0) == 0)  # type: ignore[misc]
