"""Threads are so many at a time, also where nobody waits for them any more."""

from __future__ import annotations

import threading
from collections.abc import Callable

import anyio
import pytest

from mnemopi.http.refusals import TimedOutError
from mnemopi.http.work import Work
from mnemopi.settings import HttpConfig

PATIENCE = 20.0


def until(holds: Callable[[], bool]) -> bool:
    """Whether something holds before patience ends."""
    waited = threading.Event()
    for _ in range(int(PATIENCE / 0.01)):
        if holds():
            return True
        waited.wait(0.01)
    return holds()


def test_work_that_hangs_keeps_its_slot_and_what_waited_for_one_in_vain_is_never_done() -> None:
    go_on, began, done = threading.Event(), threading.Semaphore(0), []

    def hang() -> None:
        began.release()
        go_on.wait(PATIENCE)

    async def asked() -> None:
        work = Work(HttpConfig(threads=2, timeout=PATIENCE))
        for _ in range(2):
            with pytest.raises(TimedOutError):
                await work.run(hang, seconds=0.05)
        assert began.acquire(timeout=PATIENCE) and began.acquire(timeout=PATIENCE)
        with pytest.raises(TimedOutError):
            await work.run(lambda: done.append("too late"), seconds=0.05)
        go_on.set()
        assert await work.run(lambda: 3) == 3
        assert [await work.run(lambda n=n: n) for n in range(5)] == [*range(5)]  # type: ignore[misc]

    anyio.run(asked)
    assert done == []


def test_what_work_raises_reaches_who_asked_and_its_slot_is_free_again() -> None:
    def fail() -> None:
        raise KeyError("none")

    async def asked() -> None:
        work = Work(HttpConfig(threads=1, timeout=PATIENCE))
        for _ in range(3):
            with pytest.raises(KeyError):
                await work.run(fail)
        assert await work.run(lambda: "done") == "done"

    anyio.run(asked)


def test_what_runs_at_once_is_so_much_at_most() -> None:
    at_once, most, guard = 0, 0, threading.Lock()

    def count() -> None:
        nonlocal at_once, most
        with guard:
            at_once += 1
            most = max(most, at_once)
        threading.Event().wait(0.005)
        with guard:
            at_once -= 1

    async def asked() -> None:
        work = Work(HttpConfig(threads=3, timeout=PATIENCE))
        async with anyio.create_task_group() as group:
            for _ in range(20):
                group.start_soon(work.run, count)

    anyio.run(asked)
    assert most <= 3 and until(lambda: at_once == 0)
