"""Costly things, loaded once per key and process: several engines on one model hold it once.

A load that fails is forgotten, so that the next call tries again. A forked child starts empty: native models keep
threads that did not survive the fork, and a lock may have been held at that moment.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Thing = TypeVar("Thing")


class Shared(Generic[Thing]):
    """A dictionary that loads what it lacks, one thread per key, the others waiting for it."""

    def __init__(self) -> None:
        self._renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[Hashable, threading.Lock] = {}
        self._things: dict[Hashable, Thing] = {}

    def get(self, key: Hashable, load: Callable[[], Thing]) -> Thing:
        """Return the thing of `key`, calling `load` if it is not there; what `load` raises goes to the caller."""
        try:
            return self._things[key]
        except KeyError:
            pass
        with self._guard:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._things:
                self._things[key] = load()
            return self._things[key]

    def drop(self, key: Hashable) -> None:
        """Forget the thing of `key`, if there is one."""
        self._things.pop(key, None)
