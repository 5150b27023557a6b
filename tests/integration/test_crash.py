"""Killed in the middle of a bulk load: what was acknowledged is there, and no batch is half there."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from mnemopi.engine import Mnemopi
from mnemopi.model.memory import Memory
from mnemopi.storage import copy

CHILD = Path(__file__).with_name("child.py")
BATCH = 40
KILLS = 20


def killed(file: Path, who: str, patience: float) -> list[list[str]]:
    """Start a bulk load, kill it a moment after its first batch, and return the ids of the acknowledged batches."""
    command = [sys.executable, str(CHILD), "bulk", str(file), who, str(BATCH)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as child:
        assert child.stdin is not None and child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        child.stdin.write("go\n")
        child.stdin.flush()
        first = child.stdout.readline()
        time.sleep(patience)
        child.send_signal(signal.SIGKILL)
        lines = [first, *child.stdout.read().splitlines(keepends=True)]
        assert child.wait() == -signal.SIGKILL
    return [line.split() for line in lines if line.endswith("\n")]


def stored(memory: Mnemopi, id: str) -> Memory:
    found = memory.get(id)
    assert found is not None
    return found


def test_twenty_kills_in_a_bulk_load_lose_no_acknowledged_batch_and_leave_no_half_one(tmp_path: Path) -> None:
    file, chance = tmp_path / "m.db", random.Random(20)
    acknowledged: list[str] = []
    Mnemopi(file, no_embeddings=True).close()
    for kill in range(KILLS):
        batches = killed(file, f"loader{kill}", chance.uniform(0, 0.08))
        assert batches and all(len(batch) == BATCH for batch in batches)
        acknowledged += [id for batch in batches for id in batch]
        with Mnemopi(file, no_embeddings=True) as memory:
            total = memory.stats()["total_memories"]
            assert total % BATCH == 0, "a batch is half there"
            # The last batch may have been committed and the process killed before it could say so.
            assert 0 <= total - len(acknowledged) <= BATCH * (kill + 1)
            last = stored(memory, batches[-1][-1])
            assert last.position == len(batches) * BATCH - 1
            assert memory.recall(last.content, 1, session_id=f"loader{kill}")[0].id == last.id
            assert memory.remember(f"life goes on after kill {kill}")
            memory.forget(memory.recall(f"life goes on after kill {kill}", 1, kind="note")[0].id)
    assert copy.problem(file) is None
    with Mnemopi(file, no_embeddings=True) as memory:
        assert all(memory.get(id) is not None for id in acknowledged)
