"""How often somebody may ask: a bucket for each, filled at a steady rate, emptied by a drop a request."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from mnemopi.http.refusals import TooOftenError
from mnemopi.ports import Clock

_MOST: Final = 1000
"""Who is remembered: beyond it, who has been quiet the longest is forgotten, and has a full bucket again."""
_BURST_S: Final = 2.0
"""A bucket holds what comes in so many seconds."""


class Rate:
    """`rate` requests a second each; 0: no limit."""

    def __init__(self, rate: float, clock: Clock) -> None:
        self._rate, self._clock = rate, clock
        self._full = max(1.0, rate * _BURST_S)
        self._buckets: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def take(self, who: str) -> None:
        """Let a request pass. Raises TooOftenError, with when to come again."""
        if not self._rate:
            return
        now = self._clock()
        left, then = self._buckets.pop(who, (self._full, now))
        left = min(self._full, left + self._rate * max(0, now - then) / 1000)
        self._buckets[who] = (left - 1 if left >= 1 else left, now)
        while len(self._buckets) > _MOST:
            self._buckets.popitem(last=False)
        if left < 1:
            wait = max(1, round((1 - left) / self._rate + 0.5))
            raise TooOftenError(
                f"more than {self._rate:g} requests a second",
                hint="wait a little; the setting http.rate says how many are taken",
                retry_after=wait,
            )
