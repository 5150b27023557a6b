"""Read a question: which time it asks about, and whether it wants what holds now. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import Final

from mnemopi.model.interval import FOREVER, Interval
from mnemopi.model.values import dataclass
from mnemopi.text import dates, frames, intent

_HOUR: Final = 3_600_000
_TODAY: Final = frozenset({"today", "今天", "今日"})
"""A period, and the present as well: `who owns it today` asks as `now` does."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question's time: the interval it asks about (None: none), whether the present is wanted, or what was.

    `text` is what is asked, without the frame of the question; `undated` the same without the dates that it names, None
    where it names none.
    """

    text: str
    now: int
    period: Interval | None = None
    current: bool = False
    past: bool = False
    undated: str | None = None

    def closeness(self, event: Interval, halflife: float) -> float:
        """How near an event is to the asked period: 1 within, halved with each `halflife` (h); 0 without one."""
        if self.period is None:
            return 0.0
        return _halved(self.period.distance(event) / _HOUR, halflife)

    def freshness(self, timestamp: int, halflife: float) -> float:
        """How young a memory is, where the present is wanted: halved with each `halflife` (h), else 0."""
        return self.age(timestamp, halflife) if self.current else 0.0

    def age(self, timestamp: int, halflife: float) -> float:
        """How young a memory is: 1 at the question's own time, halved with each `halflife` (h)."""
        return _halved(max(0, self.now - timestamp) / _HOUR, halflife)


def understand(text: str, now: int, zone: tzinfo, query_time: int | None = None) -> Asked:
    """Read a question against `query_time`, else `now` (UTC ms); a given query time is itself a period asked about."""
    text = frames.without(text)
    moment = now if query_time is None else query_time
    mentions = dates.periods(text, moment, zone)
    period = _period(mentions[0]) if mentions else None
    if period is None and query_time is not None:
        period = Interval(query_time, query_time + 1, "instant")
    today = all(text[mention.start : mention.end].lower() in _TODAY for mention in mentions)
    current = intent.wants_current(text) and today
    return Asked(text, moment, period, current, intent.asks_past(text), _undated(text, mentions) if mentions else None)


def _undated(text: str, mentions: Sequence[dates.Mention]) -> str:
    """Return a text without the dates that it says, an ending such as `'s` included."""
    kept, end = [], 0
    for mention in sorted(mentions, key=lambda each: each.start):
        kept.append(text[end : max(end, mention.start)])
        end = max(end, mention.end)
        if text[end : end + 2] in ("'s", "’s"):
            end += 2
    return " ".join([*kept, text[end:]])


def _period(mention: dates.Mention) -> Interval:
    """What lies in the direction that the relation names; `since` a date ends with the question already."""
    return mention.interval if mention.relation == "since" else directed(mention.relation, mention.interval)


def directed(relation: str, named: Interval) -> Interval:
    """Return what lies before, after, since or until a named interval; with any other word, within it."""
    if relation == "before":
        return Interval(-FOREVER, named.start)
    if relation == "after":
        return Interval(named.end, FOREVER)
    if relation == "since":
        return Interval(named.start, FOREVER)
    if relation == "until":
        return Interval(-FOREVER, named.end)
    return named


def _halved(distance: float, halflife: float) -> float:
    return float(0.5 ** min(distance / halflife, 1000.0))
