"""Dates as a text mentions them, and two that name one stretch of time: "from 1 June to 12 June", 下周一到下周三.

Two neighbours are one where nothing but a word of duration joins them and the second does not begin before the first.
A change of date is no duration ("moved from 1 June to 12 June"), and a dash after "yesterday" is a pause. Here, too, is
what is counted from a day: "two days before 10 April", "week of May 4".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from mnemopi.model.interval import Interval
from mnemopi.model.values import dataclass
from mnemopi.text.date_rules import compiled
from mnemopi.text.date_units import Reference

Relation: TypeAlias = Literal["", "before", "after", "since", "until"]


@dataclass(frozen=True, slots=True)
class Mention:
    """A date that a text says: what it means, and its words at `text[start:end]`, the relation word not included.

    With the relation "since" the interval is open to now: it ends where the text was said.
    """

    interval: Interval
    start: int
    end: int
    words: str
    relation: Relation


_LONGEST = 12
"""So many characters, and no more, may stand between two dates that are one stretch of time."""
_TO = r" ?(?:(?P<dash>[\-–—~～])|(?<= )(?:to|until|till|through)(?= )|[到至]) ?(?:the )?"
_AND = r" ?(?:(?<= )and(?= )|[和与與跟]) ?(?:the )?"
_BETWEEN = r"\bbetween (?:the )?$"
_WITHIN = r" ?之[间間]"
_CHANGE = (
    r"\b(?:mov|chang|postpon|shift|reschedul|push|delay|defer|bump|slip|extend|brought|bring)[a-z]*\b[^.!?;\n]*$"
    r"|(?:改|推迟|推遲|提前|延|挪|调整)[^。！？；\n]*$"
)
_REACH = 80
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10}
_BESIDE = (
    rf"(?<![\w.])(?<!for )(?<!the )(?:the(?= (?:day|week) )|(?P<count>\d{{1,3}}|{'|'.join(_COUNTS)}))"
    r" (?P<unit>day|week)s? (?P<side>before|after) (?:the )?$"
    r"|(?<![\w.])(?:the )?week (?P<of>of|starting|beginning|commencing) (?:the )?$"
)
_TURN = 60 * 86_400_000
"""The second of two dates that lies so far (ms) before the first, or farther, is of the next year."""
_FIGURES = r"[\d月]"
_YEAR = r"\b\d{4}(?!\d)|年|['’]\d\d\b"
_MONTH = r"(?i)\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|^[^年上下本这這当]+月"


def beside(folded: str, floor: int, start: int, day: Interval, at: Reference) -> tuple[int, Interval]:
    """Read what is named by a day, "two days before" it or the "week of" it, and where its words begin."""
    found = compiled(_BESIDE).search(folded, max(floor, start - 24), start)
    if not found:
        return start, day
    there = Reference(day.start, at.zone)
    if found["of"]:
        return found.start(), there.unit("week", 0)
    count = _COUNTS.get(found["count"] or "a") or int(found["count"])
    count = count if found["side"] == "after" else -count
    if found["count"]:
        return found.start(), there.day(there.away(found["unit"], count))
    return found.start(), there.unit(found["unit"], count)


def joined(mentions: Sequence[Mention], text: str, folded: str, at: Reference) -> list[Mention]:
    """Return the mentions of a text in their order, two that name one stretch of time as one."""
    kept: list[Mention] = []
    for mention in mentions:
        whole = _whole(kept[-1], mention, text, folded, at) if kept else None
        if whole:
            kept[-1] = whole
        else:
            kept.append(mention)
    return kept


def _whole(first: Mention, last: Mention, text: str, folded: str, at: Reference) -> Mention | None:
    between = folded[first.end : last.start]
    if len(between) > _LONGEST or first.relation or last.relation not in ("", "until"):
        return None
    lasts = _lasts(first, last, between, folded)
    if not lasts and not compiled(_AND).fullmatch(between):
        return None
    start, end = _in_their_years(first, last, at)
    if start.start > end.start or start.end > end.end or not (lasts or _both(first, last, folded)):
        return None
    return Mention(Interval(start.start, end.end), first.start, last.end, text[first.start : last.end], "")


def _lasts(first: Mention, last: Mention, between: str, folded: str) -> bool:
    """Whether what stands between two dates says "from the one to the other"."""
    joint = compiled(_TO).fullmatch(between)
    if not joint or (joint["dash"] and not all(compiled(_FIGURES).search(each.words) for each in (first, last))):
        return False
    return not compiled(_CHANGE).search(folded, max(0, first.start - _REACH), first.start)


def _both(first: Mention, last: Mention, folded: str) -> bool:
    """Whether an "and" makes two dates one: what lies "between" them, or a month, week or year and the next one."""
    if compiled(_BETWEEN).search(folded, max(0, first.start - 16), first.start):
        return True
    if compiled(_WITHIN).match(folded, last.end):
        return True
    unit = first.interval.precision
    if unit not in ("week", "month", "quarter", "year") or unit != last.interval.precision:
        return False
    return first.interval.end == last.interval.start


def _in_their_years(first: Mention, last: Mention, at: Reference) -> tuple[Interval, Interval]:
    """Read a date without a year in that of its neighbour ("1 June to 12 June 2025"), or over the turn of one."""
    start, end = first.interval, last.interval
    if not all(each.interval.precision in ("day", "month") for each in (first, last)):
        return start, end
    early, late = (bool(compiled(_YEAR).search(each.words)) for each in (first, last))
    try:
        if not early and compiled(_MONTH).search(first.words):
            if late:
                start = at.years(start, at.year(end) - at.year(start))
            if _turned(start, end) and (late or start.start > at.now):
                start = at.years(start, -1)
        if not late and compiled(_MONTH).search(last.words):
            if early:
                end = at.years(end, at.year(start) - at.year(end))
            if _turned(start, end):
                end = at.years(end, 1)
    except (ValueError, OverflowError):
        pass  # 29 February of a year without one
    return start, end


def _turned(start: Interval, end: Interval) -> bool:
    """Whether a year turned between two dates: "5 March to 1 March" is a slip, since few things last for 11 months."""
    return start.start - end.start > _TURN
