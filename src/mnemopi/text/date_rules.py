"""How words become dates: a vocabulary is a list of rules, and one scanner runs over a text for all of them.

A rule is a pattern and a function that reads what it matched. The first rule that fits at a place wins, so the
longer forms of a vocabulary stand first. What a rule cannot read (30 February, a year beyond the calendar) is
no date, and the next beginning is tried.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import NamedTuple, TypeAlias

from mnemopi.model.interval import Interval
from mnemopi.text.date_units import Reference
from mnemopi.text.regex import compiled as compiled

Reader: TypeAlias = Callable[[re.Match[str], Reference], Interval | date | None]
"""Reads a match into an interval, into a whole day (to which a time of day may be attached), or into nothing."""


class Rule(NamedTuple):
    """One way to say a date: a pattern on lower-case text, and what it means."""

    name: str
    pattern: str
    read: Reader


class Found(NamedTuple):
    """What a rule read, and where."""

    start: int
    end: int
    meaning: Interval | date


_GLANCE = 64
"""So many characters are more than any beginning looks at, and more than stands between "until" and its day."""


class Scanner:
    """Finds what a list of rules can read in a lower-case text, looking only around its anchors.

    `anchor` finds, fast, a place that every date of these rules holds; `reach` is how many characters before it one
    may begin, and `left` what a beginning looks like. Nothing is compiled before it is needed.
    """

    def __init__(self, anchor: str, reach: int, left: str, rules: Sequence[Rule]) -> None:
        self.anchor, self._reach, self._left = anchor, reach, left
        self._rules = {rule.name: rule for rule in rules}

    def scan(self, text: str, folded: str, at: Reference) -> Iterator[Found]:
        """Yield what is found, in text order and without overlaps; anchors are looked up in the original text."""
        place = 0
        for anchor in compiled(self.anchor).finditer(text):
            there = anchor.start()
            if there < place:
                continue
            for start in self._starts(folded, max(place, there - self._reach), there):
                if found := self._read(folded, start, at):
                    yield found
                    place = found.end
                    break

    def _starts(self, folded: str, first: int, last: int) -> Iterator[int]:
        # Not to the end of the text: where nothing begins, each anchor would walk through all of it.
        for begin in compiled(self._left).finditer(folded, first, last + _GLANCE):
            if begin.start() > last:
                return
            yield begin.start()

    def _read(self, folded: str, start: int, at: Reference) -> Found | None:
        joint = self._joint.match(folded, start)
        if not joint:
            return None
        rule = self._rules[joint.lastgroup or ""]
        found = compiled(rule.pattern).match(folded, start)
        meaning = _try(rule.read, found, at) if found else None
        return Found(start, found.end(), meaning) if found and meaning else None

    @functools.cached_property
    def _joint(self) -> re.Pattern[str]:
        # The groups inside a rule lose their names here, where a name may stand only once.
        named = (
            f"(?P<{rule.name}>{re.sub(r'[(][?]P<[a-z_]+>', '(?:', rule.pattern)})" for rule in self._rules.values()
        )
        return re.compile("|".join(named))


def _try(read: Reader, found: re.Match[str], at: Reference) -> Interval | date | None:
    try:
        return read(found, at)
    except (ValueError, OverflowError):
        return None


_ENDS = r"[.!?;](?=\s)|[\n。！？；]"
_FUTURE = (
    r"\b(?:will|won't|shall|must|should|needs?|going to|gonna|upcoming|scheduled|due|deadline|expir\w+)\b"
    r"|\b(?:plan(?:s|ning|ned)? (?:to|for|on)|ha(?:ve|s) to)\b|\bby (?:the )?$|['’]ll\b"
    r"|将|会[在去于]|要[在去于交]|打算|计划|准备|截止|到期|即将|需要|必须"
)
_BOUND = (
    r"\b(?:until|till?|by|up to|no later than)[ \n](?:(?:about|around|the)[ \n])?(?:"
    r"(?:\d{1,2}(?::\d\d)? ?(?:[ap]\.?m\.?)?|noon|midnight)[ \n](?:on[ \n])?)?$|直到$|不晚于$"
)
_APPOINTMENT = (
    r"(?:\b(?:meet|let['’]?s|see you)\b|^\W*(?:meeting|appointment|interview|call)\b(?! (?:notes|minutes|summary))"
    r"|\bhave an? (?:\w{1,20} )?(?:meeting|appointment|interview|call)\b)"
)
_APPOINTMENT_ZH = r"(?:开会|见面|面试)(?!的)"
_OVER = r"\b(?:was|were|went|had|did|met|said|told|got|took|gave|came|saw|ran|\w{2,}ed)\b|[了过過说]|决定"
_DEADLINE = r"之?前(?![端台面提往来天年])"
_REACH = 120


def sentence(found: re.Match[str]) -> tuple[str, str]:
    """Return what the sentence of a match says before it and after it, as far as a glance reaches."""
    text, start, end = found.string, found.start(), found.end()
    before = re.split(_ENDS, text[max(0, start - _REACH) : start])[-1]
    return before, re.split(_ENDS, text[end : end + _REACH], maxsplit=1)[0]


def ahead(found: re.Match[str]) -> bool:
    """Whether the sentence around a match speaks of the future: "will", "due", "by Friday", 打算, 周五前."""
    before, after = sentence(found)
    return bool(re.search(_FUTURE, before) or re.search(_FUTURE, after) or re.match(_DEADLINE, after))


def coming(found: re.Match[str]) -> bool:
    """Whether a weekday is the next one: it lies ahead, bounds something, or is that of an appointment not yet over."""
    if ahead(found) or bounded(found):
        return True
    before, after = sentence(found)
    made = re.search(_APPOINTMENT, before) or re.search(_APPOINTMENT_ZH, before + after)
    return bool(made) and not re.search(_OVER, f"{before} {after}")


def bounded(found: re.Match[str]) -> bool:
    """Whether a match is what "until" or "by" bounds: what is to end then is not over."""
    before = found.string[max(0, found.start() - _GLANCE) : found.start()]
    return bool(compiled(_BOUND).search(before)) or found.string.startswith("为止", found.end())


def year_of(found: re.Match[str], at: Reference, month: int, day: int = 0) -> int:
    """Return the year of a month, or of a day in it, that was said without one.

    It is the year of now, but for two cases: more than half a year ahead, in a sentence that does not speak of the
    future, it was last year; and over already, in a sentence that does, it is next year.
    """
    distance = month - at.today.month + ((day - at.today.day) / 31 if day else 0)
    if distance > 6 and not ahead(found):
        return at.today.year - 1
    return at.today.year + 1 if distance < 0 and ahead(found) else at.today.year
