"""One engine in many threads, and in a fork's child as well as in its parent."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from mnemopi import default
from mnemopi.engine import Mnemopi
from mnemopi.errors import NotFoundError
from mnemopi.storage import copy
from mnemopi.testing import HashingEmbedder

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no forks")


def in_child(work: Callable[[], None]) -> int:
    """Fork, do the work in the child, and return its exit status in the parent: 0 where it did not raise."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            work()
            status = 0
        except BaseException:  # noqa: BLE001 -- a child of pytest must not come back into its tests
            traceback.print_exc(file=sys.stderr)
        finally:
            os._exit(status)
    return pid


def status_of(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_many_threads_may_write_recall_change_and_erase_at_once(tmp_path: Path) -> None:
    with Mnemopi(tmp_path / "m.db", embeddings=HashingEmbedder()) as memory:

        def work(who: int) -> tuple[int, int]:
            kept = gone = 0
            for number in range(15):
                id = memory.remember(f"thread {who} note {number} about the shipyard", session_id=f"s{who}")
                assert memory.recall(f"thread {who} note {number} shipyard", 3, session_id=f"s{who}")
                if number % 3 == 0:
                    assert memory.update(id, f"thread {who} changed {number} at the shipyard").version == 2
                if number % 5 == 0:
                    memory.forget(id)
                    gone += 1
                    with pytest.raises(NotFoundError):
                        memory.update(id, importance=0.9)
                else:
                    kept += 1
            return kept, gone

        with ThreadPoolExecutor(8) as pool:
            counts = list(pool.map(work, range(8)))
        figures = memory.stats()
        assert figures["total_memories"] == sum(kept for kept, _ in counts) == 8 * 12
        memory.settle()
        assert memory.bank.pending() == 0
        hits = memory.recall("shipyard", 500)
        assert len(hits) == len({hit.id for hit in hits})
    assert copy.problem(tmp_path / "m.db") is None


@forks
def test_parent_and_child_both_go_on_after_a_fork_and_lose_nothing_when_either_closes(tmp_path: Path) -> None:
    file = tmp_path / "m.db"
    told, tell = os.pipe()
    memory = Mnemopi(file, no_embeddings=True)
    memory.remember("before the fork")

    def child() -> None:
        for number in range(10):
            memory.remember(f"the child writes {number}")
        os.read(told, 1)  # the parent has closed its side by now, and with it the log
        for number in range(10):
            memory.remember(f"the child still writes {number}")
        assert len(memory.recall("before the fork")) >= 1
        memory.close()

    pid = in_child(child)
    for number in range(10):
        memory.remember(f"the parent writes {number}")
    memory.close()
    os.write(tell, b"x")
    assert status_of(pid) == 0
    with Mnemopi(file, no_embeddings=True) as memory:
        assert memory.stats()["total_memories"] == 31
    assert copy.problem(file) is None


@forks
def test_the_worker_of_a_child_settles_what_the_child_writes(tmp_path: Path) -> None:
    with Mnemopi(tmp_path / "m.db", embeddings=HashingEmbedder()) as memory:
        memory.remember("the parent wrote this, and its worker runs")
        memory.settle()

        def child() -> None:
            memory.remember("the child wrote this")
            assert memory.close(timeout=30) == 0

        assert status_of(in_child(child)) == 0
        assert memory.bank.pending() == 0
        assert [hit.content for hit in memory.recall("child wrote", 1)] == ["the child wrote this"]


@forks
def test_a_fork_in_the_middle_of_other_threads_work_leaves_both_sides_usable(tmp_path: Path) -> None:
    file = tmp_path / "m.db"
    stop, numbers = threading.Event(), count()
    written: list[str] = []
    with Mnemopi(file, no_embeddings=True) as memory:

        def work() -> None:
            while not stop.is_set():
                written.append(memory.remember(f"note {next(numbers)} of a busy thread"))
                memory.recall("busy thread")

        def child() -> None:
            memory.remember("from a child", session_id="c")

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        statuses = [status_of(pid) for pid in [in_child(child) for _ in range(5)]]
        stop.set()
        for thread in threads:
            thread.join()
        assert statuses == [0] * 5
        assert memory.stats()["total_memories"] == len(written) + 5
    assert copy.problem(file) is None


@forks
def test_a_child_waits_for_no_thread_of_its_parent_that_is_opening_a_bank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MNEMOPI_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("MNEMOPI_NO_EMBEDDINGS", "1")
    memory = default.engine()
    inside, leave = threading.Event(), threading.Event()

    def open_banks() -> None:
        with default._lock, memory._opening:
            inside.set()
            leave.wait(60)

    def child() -> None:
        signal.alarm(30)  # rather killed than waiting for ever
        default.remember("from the child")
        default.engine().surface.remember("for all, from the child")

    thread = threading.Thread(target=open_banks)
    thread.start()
    try:
        assert inside.wait(30)
        assert status_of(in_child(child)) == 0
    finally:
        leave.set()
        thread.join()
    assert [hit.content for hit in default.recall("from the child", 1)] == ["from the child"]
    assert len(memory.surface.list()) == 1
    default.close()


@forks
def test_a_bank_in_memory_is_a_copy_of_its_own_in_a_child(tmp_path: Path) -> None:
    with Mnemopi(":memory:", no_embeddings=True) as memory:
        memory.remember("known to both")

        def child() -> None:
            memory.remember("known to the child")
            assert memory.stats()["total_memories"] == 2

        assert status_of(in_child(child)) == 0
        assert memory.stats()["total_memories"] == 1


@forks
def test_what_was_recalled_before_a_fork_is_counted_once(tmp_path: Path) -> None:
    with Mnemopi(tmp_path / "m.db", no_embeddings=True) as memory:
        id = memory.remember("the harbour master is called Ines")
        memory.recall("harbour master")

        def child() -> None:
            memory.close()

        assert status_of(in_child(child)) == 0
    with closing(sqlite3.connect(tmp_path / "m.db")) as raw:
        assert raw.execute("SELECT id, count FROM recalled").fetchall() == [(id, 1)]
