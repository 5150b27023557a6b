"""Several processes that sleep in one bank: each episode once, and nothing is lost where one is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mnemopi.engine import Mnemopi
from mnemopi.testing import FixedClock

NOW = 1_750_000_000_000
DAY = 86_400_000
SLEEP = """
import sys
from mnemopi.engine import Mnemopi
with Mnemopi(sys.argv[1], no_embeddings=True, clock=lambda: int(sys.argv[2])) as memory:
    print("ready", flush=True)
    sys.stdin.readline()
    for _ in range(3):
        print(*memory.sleep_all_sessions().episodes, flush=True)
"""
DIE = """
import sys, time
from dataclasses import replace
from mnemopi.consolidation import sleep
from mnemopi.engine import Mnemopi
memory = Mnemopi(sys.argv[1], no_embeddings=True, clock=lambda: int(sys.argv[2]), session_id="s0")
asked = []
def ask(prompt):
    asked.append(prompt)
    if len(asked) > 2:
        print("in the middle", flush=True)
        time.sleep(600)
    return ""
sleep.sleep(replace(memory.bank._means(), ask=ask), "s0")
"""


def filled(path: Path, sessions: int, turns: int) -> None:
    with Mnemopi(path, no_embeddings=True, clock=FixedClock(NOW), config={"write.settle": "off"}) as memory:
        memory.remember_many(
            {
                "content": f"Barge {turn} of captain{session} has cargo{turn % 7} from dock{turn // 9} for pier{turn}.",
                "session_id": f"s{session}",
                "timestamp": NOW - 2 * DAY + turn * 60_000,
            }
            for session in range(sessions)
            for turn in range(turns)
        )


@contextmanager
def process(program: str, path: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", program, str(path), str(NOW)]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield child
    finally:
        child.kill()
        child.wait()


def sums(path: Path, now: int = NOW) -> tuple[Mnemopi, Counter[str]]:
    """Open the bank, and count how many episodes in force sum up each memory."""
    memory = Mnemopi(path, no_embeddings=True, clock=FixedClock(now), config={"write.settle": "off"})
    rows = memory.bank._store.inventory.citations(("", ""), 99_999)
    return memory, Counter(cited for _, cited, _ in rows)


def test_two_that_sleep_at_once_make_each_episode_once(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    filled(path, sessions=6, turns=60)
    with process(SLEEP, path) as one, process(SLEEP, path) as other:
        both = (one, other)
        for child in both:
            assert child.stdout is not None and child.stdout.readline() == "ready\n"
        for child in both:
            assert child.stdin is not None
            child.stdin.write("go\n")
            child.stdin.flush()
        made = [id for child in both for id in child.communicate(timeout=120)[0].split()]
    memory, cited = sums(path)
    with memory:
        assert len(made) == len(set(made)) == memory.health().episodes > 6
        assert memory.sleep_all_sessions().made == 0
        assert set(cited.values()) == {1}
        assert memory.health().waiting + len(cited) == 360


def test_one_that_is_killed_leaves_a_whole_bank_and_a_lease_that_ends(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    filled(path, sessions=1, turns=200)
    with process(DIE, path) as child:
        assert child.stdout is not None and child.stdout.readline() == "in the middle\n"
        child.send_signal(signal.SIGKILL)
        child.wait()
    memory, cited = sums(path)
    with memory:
        assert memory.bank._store.integrity() == []
        done = memory.health().episodes
        assert done == 2
        assert set(cited.values()) == {1}
        assert memory.sleep_all_sessions().busy == ("s0",)
    memory, _ = sums(path, NOW + 3_600_000)
    with memory:
        report = memory.sleep_all_sessions()
        assert report.busy == () and report.made > 0
    memory, cited = sums(path)
    with memory:
        assert set(cited.values()) == {1}
        assert memory.health().waiting + len(cited) == 200
