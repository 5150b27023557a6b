"""A stretch of time: when something happened, at the precision it was given in.

Times are UTC milliseconds since the epoch. An interval is half open: it holds its start and not its end.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, TypeAlias

Precision: TypeAlias = Literal["instant", "minute", "hour", "part", "day", "week", "month", "quarter", "year", "span"]


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def iso(moment: int) -> str:
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

    def distance(self, other: Interval) -> int:
        """Milliseconds between the two, 0 where they touch or overlap."""
        return max(0, other.start - self.end, self.start - other.end)
