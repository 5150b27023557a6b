"""Where blocking work is done: in worker threads, so many at a time, none waited for longer than the limit.

One `Work` belongs to one application. Engines are synchronous; the loop only ever waits for them here.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar, cast

import anyio
import anyio.to_thread

from mnemopi.http.refusals import TimedOutError
from mnemopi.settings import HttpConfig

T = TypeVar("T")


class Work:
    """The threads, the limits, and what was counted."""

    def __init__(self, config: HttpConfig) -> None:
        self.config = config
        self.heartbeat = config.heartbeat
        self.requests: Counter[tuple[str, int]] = Counter()
        self.in_flight = 0
        self.streams = 0
        self.closing = False
        self._slots: anyio.CapacityLimiter | None = None

    async def run(self, function: Callable[[], T], *, seconds: float | None = None) -> T:
        """Call a function in a worker thread. Raises TimedOutError; the thread goes on by itself then.

        Its slot is free when the thread has ended, not when nobody waits for it any more: work that hangs, and is asked
        for again, makes no more threads than there may be. What had not begun by then is not done.
        """
        limit = self.config.timeout if seconds is None else seconds
        with anyio.move_on_after(limit or None):
            return await self._in_slot(function)
        raise TimedOutError(
            f"no answer within {limit:g} s", hint="a write may still be done; the setting http.timeout is the limit"
        )

    async def _in_slot(self, function: Callable[[], T]) -> T:
        if self._slots is None:  # it belongs to the loop that is running
            self._slots = anyio.CapacityLimiter(self.config.threads)
        slots, who, begun = self._slots, object(), threading.Lock()
        await slots.acquire_on_behalf_of(who)
        free = self.threadsafe(lambda: slots.release_on_behalf_of(who))

        def work() -> T | None:
            if not begun.acquire(blocking=False):
                return None  # given up meanwhile
            try:
                return function()
            finally:
                free()

        try:
            done = await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=anyio.CapacityLimiter(1))
            return cast("T", done)
        finally:
            if begun.acquire(blocking=False):
                slots.release_on_behalf_of(who)

    def threadsafe(self, function: Callable[[], Any]) -> Callable[[], None]:
        """Return a function that may be called in any thread, and has this one called on the loop that is running."""
        import asyncio  # noqa: PLC0415

        loop = asyncio.get_running_loop()

        def call() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(function)

        return call

    def close(self) -> None:
        """Let streams end."""
        self.closing = True
