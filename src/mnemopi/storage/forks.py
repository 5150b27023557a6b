"""Forks: database handles are put down before a process forks, and taken up again on both sides.

A handle that a child inherits is poison even if nobody touches it: SQLite believes that the child holds locks which the
system gave to the parent alone, and the first of the two to close removes the log under the other. So a child inherits
none: whoever holds a handle joins here, closes it before the fork and opens it again at its next use. Programs that are
started anew (`subprocess`) do not come by here, and need not.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Protocol


class Forkable(Protocol):
    """What has to know of forks."""

    def before_fork(self) -> None:
        """Come to rest: take what locks it has, and put down what must not be inherited."""
        ...

    def after_fork(self, *, child: bool) -> None:
        """Go on: give the locks back, or in the child make new ones."""
        ...


_known: weakref.WeakValueDictionary[int, Forkable] = weakref.WeakValueDictionary()
_numbers = count()
_resting: list[Forkable] = []
_passing = threading.RLock()


def join(one: Forkable) -> None:
    """Tell `one` of each fork while it lives; the youngest comes to rest first."""
    _known[next(_numbers)] = one


class Lock:
    """A lock that a child finds free where another thread of its parent held it: that thread is not there any more.

    What it guards has to bear that: whoever holds it puts a thing in its place in one step, when it is whole. The
    thread that holds it may take it again.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        join(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        self._lock.release()

    def before_fork(self) -> None:
        """Nobody waits for it: who holds it may wait for what is put down already."""

    def after_fork(self, *, child: bool) -> None:
        """Make a new one in a child, but for its own thread's."""
        if not child:
            return
        if self._lock.acquire(blocking=False):
            self._lock.release()
        else:
            self._lock = threading.RLock()


@contextmanager
def none() -> Iterator[None]:
    """Keep this process from forking while a short-lived handle is open."""
    with _passing:
        yield


def _before() -> None:
    _resting.extend(one for _, one in sorted(_known.items(), reverse=True))
    for one in _resting:
        one.before_fork()
    _passing.acquire()


def _after(*, child: bool) -> None:
    global _passing
    if child:
        _passing = threading.RLock()
    else:
        _passing.release()
    while _resting:
        _resting.pop().after_fork(child=child)


if hasattr(os, "register_at_fork"):  # not on Windows, which has no forks
    os.register_at_fork(
        before=_before, after_in_parent=lambda: _after(child=False), after_in_child=lambda: _after(child=True)
    )
