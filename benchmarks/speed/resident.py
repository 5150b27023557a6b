"""Start-up with a resident process: an agent's connection and a recall through it, and the connection without one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.speed import corpus
from benchmarks.speed.figures import Figure, Samples, Target, compared

AGENT_TARGET = Target(10.0)
RECALL_TARGET = Target(8.0)
ALONE_TARGET = Target(90.0)
_ROUNDS = 15
_MEMORIES = 1000
_HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}


def resident(folder: Path) -> list[Figure]:
    """Measure, in turns: spawn to the list of tools with a warm process and without any, and a recall through it."""
    path = corpus.bank(folder, _MEMORIES, "static")
    question = corpus.questions("mixed")[0]
    program = [sys.executable, "-m", "mnemopi"]
    script = Path(sys.executable).with_name("mnemopi")
    head = [str(script)] if script.is_file() else program
    ours: dict[str, Samples] = {name: Samples() for name in ("agent", "recall", "alone")}
    floor = Samples()
    with _running(program, _environment(folder)) as environment:
        commands = {
            "agent": [*head, "mcp", "--db", str(path)],
            "recall": [*head, "recall", question, "--db", str(path)],
            "alone": [*head, "mcp", "--db", str(path), "--set", "daemon.use=off"],
        }
        _recalled(commands["recall"], environment)
        for _ in range(_ROUNDS):
            floor.append(_recalled([sys.executable, "-I", "-c", "pass"], environment))
            for name in ("agent", "alone"):
                ours[name].append(_listed(commands[name], environment))
            ours["recall"].append(_recalled(commands["recall"], environment))
    return [
        compared("agent with a resident process, spawn to tools/list", ours["agent"], floor, AGENT_TARGET),
        compared("recall through a resident process, static", ours["recall"], floor, RECALL_TARGET),
        compared("agent without one, spawn to tools/list", ours["alone"], floor, ALONE_TARGET),
    ]


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MNEMOPI_", "XDG_"))}
    return kept | {"MNEMOPI_DATA_DIR": str(folder), "XDG_CONFIG_HOME": str(folder / "none")}


@contextmanager
def _running(program: Sequence[str], environment: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """Have a resident process run."""
    subprocess.run([*program, "daemon", "start", "--quiet"], env=environment, check=True)
    try:
        yield environment
    finally:
        subprocess.run([*program, "daemon", "stop", "--quiet"], env=environment, check=True)


def _listed(command: Sequence[str], environment: Mapping[str, str]) -> tuple[float, float]:
    """Start an agent's server, shake hands, and ask for the tools; return (wall, processor) seconds until they came."""
    start = time.perf_counter()
    child = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdin is not None and child.stdout is not None
    for number, method, parameters in ((1, "initialize", _HELLO), (2, "tools/list", {})):
        _write(child.stdin, {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters})
        answer = json.loads(child.stdout.readline())
        if number == 1:
            _write(child.stdin, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    wall = time.perf_counter() - start
    if not answer["result"]["tools"]:
        raise RuntimeError("the server has no tools")
    child.stdin.close()
    child.stdout.close()
    return wall, _ended(child)


def _write(pipe: Any, told: Mapping[str, Any]) -> None:
    pipe.write(json.dumps(told).encode() + b"\n")
    pipe.flush()


def _recalled(command: Sequence[str], environment: Mapping[str, str]) -> tuple[float, float]:
    """Run to the end; return (wall, processor) seconds."""
    start = time.perf_counter()
    child = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    processor = _ended(child)
    return time.perf_counter() - start, processor


def _ended(child: subprocess.Popen[bytes]) -> float:
    """Wait for the end, and return the processor time it took. Raises RuntimeError where it failed."""
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise RuntimeError(f"status {child.returncode}")
    return usage.ru_utime + usage.ru_stime
