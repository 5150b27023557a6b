"""Before a fork all come to rest, after it all go on, in a fixed order."""

from __future__ import annotations

import os
from threading import Event, Thread

import pytest

from mnemopi.storage import forks

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no forks")


class One:
    """Notes what it is told."""

    def __init__(self, name: str, log: list[str]) -> None:
        self.name, self.log = name, log
        forks.join(self)

    def before_fork(self) -> None:
        self.log.append(f"{self.name} rests")

    def after_fork(self, *, child: bool) -> None:
        self.log.append(f"{self.name} goes on{' in the child' if child else ''}")


def forked(work: object) -> int:
    pid = os.fork()
    if pid == 0:
        os._exit(0 if callable(work) and work() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_the_youngest_rests_first_and_goes_on_last() -> None:
    log: list[str] = []
    kept = [One("old", log), One("young", log)]
    expected = ["young rests", "old rests", "old goes on in the child", "young goes on in the child"]
    assert forked(lambda: log == expected) == 0
    assert log == ["young rests", "old rests", "old goes on", "young goes on"]
    assert len(kept) == 2


def test_who_is_gone_is_not_told() -> None:
    log: list[str] = []
    gone = One("gone", log)
    del gone
    assert forked(lambda: True) == 0
    assert log == []


def test_a_fork_waits_for_short_lived_handles_of_other_threads() -> None:
    inside, leave, order = Event(), Event(), []

    def hold() -> None:
        with forks.none():
            inside.set()
            leave.wait(30)
            order.append("left")

    def fork() -> None:
        assert forked(lambda: True) == 0
        order.append("forked")

    holder, forker = Thread(target=hold), Thread(target=fork)
    holder.start()
    assert inside.wait(10)
    forker.start()
    forker.join(0.2)
    assert forker.is_alive() and order == []
    leave.set()
    for thread in (holder, forker):
        thread.join(30)
    assert order == ["left", "forked"]


def test_a_child_may_hold_handles_and_fork_again() -> None:
    def child() -> bool:
        with forks.none():
            pass
        return forked(lambda: True) == 0

    assert forked(child) == 0


def test_a_lock_that_another_thread_held_is_free_in_the_child_and_held_still_in_the_parent() -> None:
    lock, inside, leave = forks.Lock(), Event(), Event()

    def hold() -> None:
        with lock:
            inside.set()
            leave.wait(30)

    def free() -> bool:
        taken = Event()
        Thread(target=lambda: (lock.__enter__(), taken.set()), daemon=True).start()
        return taken.wait(0.3)

    holder = Thread(target=hold)
    holder.start()
    assert inside.wait(10)
    assert forked(free) == 0
    assert not free()
    leave.set()
    holder.join(30)


def test_a_thread_that_forks_within_a_lock_leaves_it_on_both_sides() -> None:
    lock = forks.Lock()
    with lock:
        pid = os.fork()
    if pid == 0:
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    with lock, lock:
        pass
