"""What a process is at, for whoever decides when it may end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Activity:
    """What a process is at: connections, calls, and when the last of either ended."""

    def __init__(self) -> None:
        self.connections = self.calls = self.served = 0
        self.last = time.monotonic()

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Count a connection."""
        self.connections += 1
        try:
            yield
        finally:
            self.connections -= 1
            self.last = time.monotonic()

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Count a call."""
        self.calls += 1
        try:
            yield
        finally:
            self.calls -= 1
            self.served += 1
            self.last = time.monotonic()
