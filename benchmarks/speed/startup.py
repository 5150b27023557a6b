"""Start-up: a whole `mnemopi recall` from the shell, in multiples of an interpreter that does nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.speed import corpus
from benchmarks.speed.figures import Figure, Samples, Target, compared

NONE_TARGET = Target(12.0)
STATIC_TARGET = Target(60.0)
_ROUNDS = 15
_MEMORIES = 1000


def startup(folder: Path) -> list[Figure]:
    """Ask one question of a bank of a thousand, without embeddings and with the static embedder, in turns."""
    bare = [sys.executable, "-I", "-c", "pass"]
    question = corpus.questions("mixed")[0]
    commands = {
        "no embeddings": _recall(corpus.bank(folder, _MEMORIES), question, "--no-embeddings"),
        "static": _recall(corpus.bank(folder, _MEMORIES, "static"), question, "--set", "embedding.provider=static"),
    }
    floor = Samples()
    ours: dict[str, Samples] = {name: Samples() for name in commands}
    for _ in range(_ROUNDS):
        floor.append(_run(bare, folder))
        for name, command in commands.items():
            ours[name].append(_run(command, folder))
    targets = {"no embeddings": NONE_TARGET, "static": STATIC_TARGET}
    return [compared(f"recall from the shell, {name}", ours[name], floor, targets[name]) for name in commands]


def _recall(path: Path, question: str, *options: str) -> list[str]:
    program = Path(sys.executable).with_name("mnemopi")
    head = [str(program)] if program.is_file() else [sys.executable, "-m", "mnemopi"]
    return [*head, "recall", question, "--db", str(path), *options]


def _run(command: Sequence[str], folder: Path) -> tuple[float, float]:
    """Run to the end; return (wall, processor) seconds. Raises RuntimeError where the command fails."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MNEMOPI_")}
    environment = kept | {"MNEMOPI_DATA_DIR": str(folder), "XDG_CONFIG_HOME": str(folder / "none")}
    start = time.perf_counter()
    child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert child.stderr is not None
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    child.stderr.close()
    if child.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed: {said.decode('utf-8', 'replace').strip()}")
    return wall, usage.ru_utime + usage.ru_stime
