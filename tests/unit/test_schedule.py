"""The work beside the callers': when it runs, what survives a failure, and how it ends."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import pytest

from mnemopi import schedule
from mnemopi.errors import BusyError
from mnemopi.schedule import Counts, Worker


def test_counts_add_up_and_are_written_once() -> None:
    written: list[Mapping[str, tuple[int, int]]] = []
    counts = Counts(written.append)
    counts.add(["a", "b"], 10)
    counts.add(["a"], 20)
    counts.flush()
    counts.flush()
    assert written == [{"a": (2, 20), "b": (1, 10)}]


def test_counts_that_cannot_be_written_wait_and_add_up_with_later_ones() -> None:
    written: list[Mapping[str, tuple[int, int]]] = []
    broken = True

    def write(counts: Mapping[str, tuple[int, int]]) -> None:
        if broken:
            raise BusyError("locked")
        written.append(counts)

    counts = Counts(write)
    counts.add(["a"], 10)
    counts.flush()
    counts.add(["a", "b"], 20)
    broken = False
    counts.flush()
    assert written == [{"a": (2, 20), "b": (1, 20)}]


def worker(work: Callable[[Callable[[], bool]], bool | None], idle: Callable[[], None] = lambda: None) -> Any:
    return Worker(work, idle)


def test_nothing_runs_before_the_first_poke() -> None:
    before = set(threading.enumerate())
    made = worker(lambda stop: None)
    assert set(threading.enumerate()) <= before
    made.close(1)


def test_a_poke_runs_the_work_and_closing_waits_for_it() -> None:
    runs: list[int] = []
    made = worker(lambda stop: runs.append(1), lambda: runs.append(0))
    made.poke()
    made.close(10)
    assert 1 in runs and runs[-1] == 0


def test_what_comes_close_together_is_worked_off_once_and_closing_does_not_wait_for_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(schedule, "_LULL_S", 600)
    runs: list[int] = []
    made = worker(lambda stop: runs.append(1))
    for _ in range(3):
        made.poke()
    assert not runs
    assert made.close(10)
    assert runs == [1]


def test_work_that_never_sees_a_lull_is_done_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "_LULL_S", 0.001)
    monkeypatch.setattr(schedule, "_LONGEST_LULL_S", 0.01)
    worked = threading.Event()
    made = worker(lambda stop: worked.set())
    for _ in range(1_000_000):
        made.poke()
        if worked.is_set():
            break
    assert worked.is_set()
    made.close(10)


def test_work_that_fails_is_told_and_tried_again_at_the_next_poke() -> None:
    done, fail = threading.Event(), threading.Event()
    fail.set()
    tried = threading.Event()

    def work(stop: Callable[[], bool]) -> None:
        tried.set()
        if fail.is_set():
            raise ValueError("no good")
        done.set()

    made = worker(work)
    made.poke()
    assert tried.wait(10)
    for _ in range(1000):
        if made.error:
            break
        threading.Event().wait(0.01)
    assert made.error == "ValueError: no good"
    fail.clear()
    made.poke()
    assert done.wait(10)
    made.close(10)
    assert made.error == ""


def test_work_that_was_hindered_is_tried_again_by_itself_at_ever_longer_intervals(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(schedule, "_QUIET_S", 0.001)
    monkeypatch.setattr(schedule, "_MOST_RESTS", 4)
    rests: list[int] = []
    tried_at: list[int] = []
    rested = threading.Event()

    def work(stop: Callable[[], bool]) -> bool:
        tried_at.append(len(rests))
        if len(tried_at) == 3:
            raise ValueError("no good")
        return len(tried_at) < 6

    def idle() -> None:
        rests.append(1)
        if len(tried_at) == 6 and len(rests) > tried_at[-1] + 20:
            rested.set()

    made = worker(work, idle)
    made.poke()
    assert rested.wait(30)
    assert [later - earlier for earlier, later in pairwise(tried_at)] == [1, 2, 4, 4, 4]
    assert made.error == ""
    made.close(10)


def test_work_that_takes_too_long_is_told_to_stop() -> None:
    started, stopped = threading.Event(), threading.Event()

    def work(stop: Callable[[], bool]) -> None:
        started.set()
        while not stop():
            threading.Event().wait(0.005)
        stopped.set()

    made = worker(work)
    made.poke()
    assert started.wait(10)
    assert made.close(0.05) is True
    assert stopped.wait(10)


def test_work_that_does_not_stop_is_left_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "_STOP_S", 0.01)
    started, gate = threading.Event(), threading.Event()

    def work(stop: Callable[[], bool]) -> None:
        started.set()
        gate.wait(30)

    made = worker(work)
    made.poke()
    assert started.wait(10)
    assert made.close(0.01) is False
    gate.set()


def test_after_closing_nothing_runs() -> None:
    runs: list[int] = []
    made = worker(lambda stop: runs.append(1))
    made.close(1)
    made.poke()
    made.close(1)
    assert runs == []


@pytest.mark.parametrize("pokes", [1, 50])
def test_however_often_it_is_poked_there_is_one_thread(pokes: int) -> None:
    gate = threading.Event()
    running: list[str] = []

    def work(stop: Callable[[], bool]) -> None:
        running.append(threading.current_thread().name)
        gate.wait(10)

    before = set(threading.enumerate())
    made = worker(work)
    for _ in range(pokes):
        made.poke()
    (started,) = set(threading.enumerate()) - before  # one that ends meanwhile is another test's
    assert started.name == "mnemopi-worker"
    gate.set()
    made.close(10)
    assert set(running) == {"mnemopi-worker"}
