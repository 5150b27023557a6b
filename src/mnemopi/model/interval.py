"""A stretch of time: when something happened, at the precision it was given in.

Times are UTC milliseconds since the epoch. An interval is half open: it holds its start and not its end.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final, Literal, TypeAlias

from mnemopi.model.values import dataclass

Precision: TypeAlias = Literal["instant", "minute", "hour", "part", "day", "week", "month", "quarter", "year", "span"]


FOREVER: Final = 253_402_300_800_000
"""The end of year 9999 (UTC ms): the end of an interval that has none; `-FOREVER` is the start of one without."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def iso(moment: float) -> str:
    """Write a moment (UTC ms) as `YYYY-MM-DDTHH:MM:SS.mmmZ`."""
    return (_EPOCH + timedelta(milliseconds=moment)).isoformat(timespec="milliseconds")[:-6] + "Z"


@dataclass(frozen=True, slots=True)
class Interval:
    """From `start` (included) to `end` (not included), both UTC milliseconds; `precision` says how it was given."""

    start: int
    end: int
    precision: Precision = "span"

    def overlaps(self, other: Interval) -> bool:
        """Whether the two share a moment."""
        return self.start < other.end and other.start < self.end

    def contains(self, moment: int) -> bool:
        """Whether the moment (UTC ms) lies within."""
        return self.start <= moment < self.end

    @property
    def bound(self) -> int:
        """The end by which it is named (UTC ms): the start, or of one that was always, its end."""
        return self.end if self.start <= -FOREVER else self.start

    def distance(self, other: Interval) -> int:
        """Milliseconds between the two, 0 where they touch or overlap."""
        return max(0, other.start - self.end, self.start - other.end)
