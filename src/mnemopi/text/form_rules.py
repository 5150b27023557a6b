"""How dates and numbers are written, and the common spelling of each: `text.forms` looks for them.

A date is spelled `2026-01-13 2026 January 13`: whole, and in the words by which a part of it is asked for. A number is
spelled in figures alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Final, NamedTuple, TypeAlias

Words: TypeAlias = tuple[str, ...]


class Rule(NamedTuple):
    """One way to write something, and the common spelling of what it matched: none where it is no such thing.

    What is not `certain` may mean something else: two numbers side by side, a version.
    """

    pattern: str
    read: Callable[[re.Match[str]], Words]
    certain: bool = True


_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_LAST_DAY: Final = 31
_DIGITS: Final = {digit: value for value, digit in enumerate("〇一二三四五六七八九")} | {"零": 0}


def _date(year: str | None, month: int, day: int) -> Words:
    """Spell a date: the year and the day, or one of them, may be lacking (None, 0)."""
    if not (1 <= month <= 12 and 0 <= day <= _LAST_DAY):
        return ()
    said = (*((year,) if year else ()), _MONTHS[month - 1], *((str(day),) if day else ()))
    return (f"{year}-{month:02}-{day:02}", *said) if year and day else said


def _in_figures(found: re.Match[str]) -> Words:
    return _date(found["year"], int(found["month"]), int(found["day"]))


def _year_last(found: re.Match[str]) -> Words:
    """Of 3/4/2026 both readings hold; with full stops or hyphens the day comes first."""
    first, second = int(found["first"]), int(found["second"])
    day_first = _date(found["year"], second, first)
    month_first = _date(found["year"], first, second) if found["by"] == "/" or not day_first else ()
    return tuple(dict.fromkeys(month_first + day_first))


def _english(found: re.Match[str]) -> Words:
    month = next(at for at, name in enumerate(_MONTHS, 1) if name.lower().startswith(found["month"][:3].lower()))
    return _date(found["year"], month, int(found["day"] or 0))


def _eastern(found: re.Match[str]) -> Words:
    year = found["year"] and "".join(str(_DIGITS.get(digit, digit)) for digit in found["year"])
    day = _small(found["day"] or "0")
    return _date(year, _small(found["month"]), day if day <= _LAST_DAY else 0)  # of what is no day, the month is left


def _small(said: str) -> int:
    """Read figures or a numeral up to 99."""
    if said.isdecimal():
        return int(said)
    tens, ten, ones = said.rpartition("十")
    return (10 * _DIGITS.get(tens, 1) if ten else 0) + _DIGITS.get(ones, 0)


_POWERS = {"k": 3, "m": 6, "bn": 9, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_POWERS |= {"千": 3, "천": 3, "万": 4, "萬": 4, "만": 4, "亿": 8, "億": 8, "억": 8}


def _times(found: re.Match[str]) -> Words:
    said = found["unit"].strip().lower()
    power = _POWERS.get(said) or sum(_POWERS[each] for each in said)
    return (f"{Decimal(found['number'].replace(',', '')).scaleb(power).normalize():f}",)


def _grouped(found: re.Match[str]) -> Words:
    rest = found["rest"] or ""
    return (re.sub(r"[^0-9]", "", found["number"]) + (rest if rest.strip(".0") else ""),)


# Each pattern begins with a set of characters, and looks behind it afterwards: so it is looked for much faster.
_MONTH = (
    r"(?P<month>[JFMASONDjfmasond](?<![a-zA-Z].)(?:(?<=[Jj])(?:an(?:uary)?|une?|uly?)|(?<=[Ff])eb(?:ruary)?"
    r"|(?<=[Mm])a(?:r(?:ch)?|y)|(?<=[Aa])(?:pr(?:il)?|ug(?:ust)?)|(?<=[Ss])ept?(?:ember)?|(?<=[Oo])ct(?:ober)?"
    r"|(?<=[Nn])ov(?:ember)?|(?<=[Dd])ec(?:ember)?)(?![a-zA-Z]))"
)
_YEAR = r"(?P<year>[12][0-9]{3})"
_TH = r"(?:st|nd|rd|th)?"
_NUMERALS = "0-9一二三四五六七八九十"
_EASTERN_YEAR = r"(?P<year>[12一二](?<![0-9].)(?:(?<=[12])[0-9]{3}|(?<=[一二])[〇零一二三四五六七八九]{3})) ?[年년] ?"
_EASTERN_DAY = rf" ?[月월](?: ?(?P<day>[{_NUMERALS}]{{1,3}}) ?[日号號일])?"
_REST = r"[0-9]{0,14}(?:,[0-9]{3}){0,4}(?:\.[0-9]{1,15})?"

WESTERN: Final = (
    Rule(
        r"(?P<year>[12](?<![0-9].)(?<![0-9][-./].)[0-9]{3})(?P<by>[-./])(?P<month>[0-9]{1,2})(?P=by)"
        r"(?P<day>[0-9]{1,2})(?![0-9]|[-/.][0-9])",
        _in_figures,
    ),
    Rule(
        r"(?P<first>[0-9](?<![\w./-].)[0-9]?)(?P<by>[-./])(?P<second>[0-9]{1,2})(?P=by)"
        rf"{_YEAR}(?![\w/]|[-.][0-9])",
        _year_last,
    ),
    Rule(
        r"(?P<year>[12](?<![0-9].)(?:(?<=1)9|(?<=2)0)[0-9]{2})(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12][0-9]|3[01])"
        r"(?![0-9])",
        _in_figures,
        certain=False,
    ),
    Rule(
        rf"(?P<day>[0-9](?<![\w.:/-].)[0-9]?){_TH}[ -](?:of )?{_MONTH}(?:\.?,?[ -]{_YEAR}(?![0-9]))?",
        _english,
    ),
    Rule(
        rf"{_MONTH}\.? (?:the )?(?P<day>[0-9]{{1,2}}){_TH}(?![\w%]|[.:/-][0-9])(?:,? {_YEAR}(?![0-9]))?",
        _english,
    ),
    Rule(rf"{_MONTH}\.?,? (?:of )?{_YEAR}(?![0-9a-zA-Z])(?P<day>)", _english),
    Rule(
        rf"(?P<number>[0-9](?<![\w.,].){_REST})"
        r"(?P<unit>(?:k|K|M|bn)(?!\w)| (?:thousand|million|billion|trillion)(?![a-z]))",
        _times,
    ),
    Rule(
        r"(?P<number>[0-9](?<![a-zA-Z0-9_.,'’-].)[0-9]{0,2}"
        r"(?:(?:,[0-9]{2,3})*,[0-9]{3}|(?:['’][0-9]{3})+|(?:_[0-9]{3})+))(?P<rest>\.[0-9]+)?(?![0-9]|[,'’_][0-9])",
        _grouped,
    ),
    Rule(
        r"(?P<number>[0-9](?<![\w.,'’-].)[0-9]{0,2}(?:\.[0-9]{3})+)(?P<rest>)(?![0-9]|[.,'’_-][0-9])",
        _grouped,
        certain=False,
    ),
    Rule(
        r"(?P<number>[0-9](?<![\w.,'’-].)(?<![0-9] .)[0-9]{0,2}(?: [0-9]{3})+)(?P<rest>)(?![0-9]|[.,'’_ -][0-9])",
        _grouped,
        certain=False,
    ),
)

ALL: Final = (
    *WESTERN,
    Rule(rf"{_EASTERN_YEAR}(?P<month>[{_NUMERALS}]{{1,3}}){_EASTERN_DAY}", _eastern),
    Rule(
        rf"(?P<month>[{_NUMERALS}](?<![.{_NUMERALS}].)(?<!个.)[{_NUMERALS}]{{0,2}}){_EASTERN_DAY}(?P<year>)",
        _eastern,
    ),
    Rule(
        rf"(?P<number>[0-9](?<![a-zA-Z0-9_.,].){_REST}) ?(?P<unit>[千천万萬만亿億억]{{1,2}})(?![米克瓦赫卡])",
        _times,
    ),
)
"""What is written with signs of the East as well."""

WORDS: Final = frozenset(
    spelled
    for month in _MONTHS
    for name in (month, month[:3], "Sept")
    for spelled in (name, *((name.lower(),) if len(name) > 5 else ()))
) | {"thousand", "million", "billion", "trillion"}
"""Words that may be a part of a form; the months that are as often something else (march) only as names."""
FIGURES: Final = (
    r"[0-9](?:[-./][0-9]{1,2}[-./][0-9]|[,.'’_][0-9]{3}(?![0-9])|(?:[kKM]|bn)(?!\w)"
    r"|(?:st|nd|rd|th)?-[A-Za-z](?:an|eb|ar|pr|ay|u[nlg]|ep|ct|ov|ec)|[0-9]{7}(?![0-9]))"
)
"""Where figures in a piece between white space may be a form, or a part of one."""
GROUP: Final = "[0-9]{3}(?![0-9])"
"""How the rest of a number begins that stands in groups, with blanks between them."""
EASTERN: Final = "[月월千천万萬만亿億억]"
"""Signs of which each eastern form has one; every western one has a place of `FIGURES`, `GROUP`, or one of `WORDS`."""
