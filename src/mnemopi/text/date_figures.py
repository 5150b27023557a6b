"""Dates in figures, the same in every language: 2026-03-05T10:00Z, 2026/3/5, 3/5/2026, 25/12/24, 14.05.2026.

Of two small numbers the first is the day where it is above 12 or points divide them, else the month. Points divide
two figures each, as a version seldom has them. A ratio (3/4), a version (1.2.3, v2026.3), an address or a path is no
date; an ISO date in a file name is one. ISO forms are read as `date_iso.parse` reads them: without a zone they are UTC.
"""

from __future__ import annotations

import re
from datetime import date

from mnemopi.model.interval import Interval
from mnemopi.text import date_iso
from mnemopi.text.date_rules import Rule, Scanner
from mnemopi.text.date_units import Reference

_DAY = r"(?P<date>[12]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?!\d|[-.]\d)"
_TIME = (
    r"[t ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?!\d)(?: ?(?:z(?![a-z])|[+-][01]\d:?[0-5]\d(?!\d)))?"
)


def _iso(found: re.Match[str], at: Reference) -> Interval:
    return date_iso.parse(found[0].upper())


def _year_first(found: re.Match[str], at: Reference) -> date:
    return date(int(found["year"]), int(found["month"]), int(found["day"]))


def _year_last(found: re.Match[str], at: Reference) -> date:
    first, second, year = int(found["first"]), int(found["second"]), int(found["year"])
    month, day = (second, first) if first > 12 else (first, second)
    return date(year + 2000 if year < 100 else year, month, day)


_WEEKDAY = r"(?: ?[(（](?:mon|tue|wed|thu|fri|sat|sun|周|星期)\w{0,6}[)）])?"

ANCHOR = r"-(?:(?<=\d-)\d|(?<=\d\d-)[Ww]\d)|\.(?<=\d\d\.)\d\d\.\d\d|/(?<=\d/)\d|／(?<=\d／)\d|－(?<=\d－)\d"

SCANNER = Scanner(
    ANCHOR,
    4,
    r"(?<![a-z0-9])(?<!\d[.:/\-])\d",
    [
        Rule("iso_time", _DAY.replace(r"(?!\d|[-.]\d)", "") + _TIME, _iso),
        Rule("iso_day", _DAY, _iso),
        Rule("iso_month", r"(?:19|20)\d\d-(?:0[1-9]|1[0-2])(?!\d|[-.:/]\d)", _iso),
        Rule("iso_week", r"(?:19|20)\d\d-w[0-5]\d(?:-[1-7])?(?![\w-])", _iso),
        Rule("year_first_points", r"(?P<year>(?:19|20)\d\d)\.(?P<month>\d\d)\.(?P<day>\d\d)(?!\w|\.\d)", _year_first),
        Rule("day_first_points", r"(?P<day>\d\d)\.(?P<month>\d\d)\.(?P<year>(?:19|20)\d\d)(?!\w|\.\d)", _year_first),
        Rule(
            "year_first",
            r"(?<![\w/.])(?P<year>[12]\d{3})/(?P<month>\d{1,2})/(?P<day>\d{1,2})(?![\w/])" + _WEEKDAY,
            _year_first,
        ),
        Rule(
            "year_last",
            r"(?<![\w/.\-])(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?P<year>\d{4}|\d\d)(?![\w/])" + _WEEKDAY,
            _year_last,
        ),
    ],
)
"""Scans lower-case text for dates in figures."""
