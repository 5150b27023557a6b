"""Dates as they are said in English: the rules and their readings.

`last Friday` is the last one strictly before today and `next Friday` the first strictly after; `this Friday` is
that of the present week. A bare Friday is the most recent one, today included, or the coming one where the
sentence speaks of the future. Weeks, months, quarters and years are calendar units ("2 weeks ago" is a week,
Monday to Sunday); "the past two weeks" is a span up to now. A month or day without a year is read by
`date_rules.year_of`. Vague words (recently, a few days ago) and what recurs (every Friday) are no dates.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from mnemopi.model.interval import Interval
from mnemopi.text import date_units
from mnemopi.text.date_rules import Rule, Scanner, ahead, coming, compiled, sentence, year_of
from mnemopi.text.date_units import Reference

_MONTHS = {"jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9}
_MONTHS |= {"oct": 10, "nov": 11, "dec": 12}
_WEEKDAYS = {"mon": 0, "tue": 1, "wed": 2, "thu": 3, "fri": 4, "sat": 5, "sun": 6}
_NUMBERS: dict[str, float] = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
_NUMBERS |= {"eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14}
_NUMBERS |= {"fifteen": 15, "twenty": 20, "thirty": 30}
_PHRASES = {"a couple of": 2, "a couple": 2, "half an": 0.5, "half a": 0.5, "an": 1, "a": 1}
_OFFSETS = {"last": -1, "past": -1, "previous": -1, "this past": -1, "this": 0, "current": 0, "the": 0}
_OFFSETS |= {"next": 1, "coming": 1, "this coming": 1, "upcoming": 1}
_EDGES = {"early": "early", "mid": "mid", "middle": "mid", "late": "late"}
_EDGES |= {"beginning": "start", "start": "start", "end": "end"}
_NTH = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}

_RIGHT = r"(?![a-z0-9_(])(?![\-./][a-z0-9])"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_CLEAR_MONTH = r"(?:january|february|july|september|october|november|december)"  # neither a name nor a verb
_FULL_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_ANY_DAY = rf"(?:{_FULL_DAY}|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)"
_NUMBER = rf"(?:\d{{1,4}}|{'|'.join([*_PHRASES, *sorted(_NUMBERS, reverse=True)])})"
_UNIT = r"(?:minute|min|hour|hr|day|week|month|quarter|year)"
_EDGE = r"(?P<edge>early|mid|late|(?:the )?(?:beginning|start|middle|end) of)[ \-]"
_WHICH = r"(?P<which>this past|this coming|last|past|previous|this|current|next|coming|upcoming)"
_YEAR = r"(?P<year>[12]\d{3}|['’]\d\d)(?![\d.:/\-]\d|\d)"
_DATE_END = r"(?!\d|[.:/%]\d|[a-z_(])(?! \d{3}\b)"  # 4 September 476 is too early for us
_INTRO = rf"(?:{_ANY_DAY}\.?,? (?:the )?)?"
_OTHER = rf"\b(?:in|from|between|during|since) {_MONTH}\.?(?: \d{{4}})? (?:to|and|through) $"
_TH = r"(?:st|nd|rd|th)?"
_TO = r"(?: ?[\-–] ?| (?:to|through|until|till) )"
_AND = r"(?:(?:(?<=between \d)|(?<=between \d\d)) and )"


def _month(said: str) -> int:
    return _MONTHS[said[:3]]


def _year_said(said: str) -> int:
    """Read 2025 and '25; from '70 on it is of the last century."""
    year = int(said.lstrip("'’"))
    return year if year > 99 else year + (1900 if year >= 70 else 2000)


def _edged(found: re.Match[str], at: Reference, whole: Interval) -> Interval:
    said = found["edge"]
    return at.edge(whole, _EDGES[said.removeprefix("the ").split(" ")[0]]) if said else whole


def _month_day(found: re.Match[str], at: Reference) -> Interval | date:
    month, day = _month(found["month"]), int(found["day"])
    year = _year_said(found["year"]) if found["year"] else year_of(found, at, month, day)
    first = date(year, month, day)
    return at.days(first, first.replace(day=int(found["last"]))) if found["last"] else first


def _month_year(found: re.Match[str], at: Reference) -> Interval:
    return _edged(found, at, date_units.month(_year_said(found["year"]), _month(found["month"]), at.zone))


def _month_alone(found: re.Match[str], at: Reference) -> Interval:
    month, which = _month(found["month"]), _OFFSETS.get(found["which"] or "")
    if which is None:
        year = year_of(found, at, month)
    else:
        passed = month < at.today.month if which < 0 else month <= at.today.month
        year = at.today.year + {-1: 0 if passed else -1, 0: 0, 1: 1 if passed else 0}[which]
    return _edged(found, at, date_units.month(year, month, at.zone))


def _month_after(found: re.Match[str], at: Reference) -> Interval | None:
    if not compiled(_OTHER).search(found.string, max(0, found.start() - 40), found.start()):
        return None  # "to march", "and may": a verb
    return _month_alone(found, at)


def _near_day(found: re.Match[str], at: Reference) -> date:
    said = found[0].removeprefix("the ")
    days = {"day before yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1, "day after tomorrow": 2}
    return at.today + timedelta(days=days[said])


def _tonight(found: re.Match[str], at: Reference) -> Interval:
    return at.part(at.today, "late")


def _near_part(found: re.Match[str], at: Reference) -> Interval:
    return at.part(at.today + timedelta(days=_OFFSETS[found["which"]]), found["part"])


def _weekday(found: re.Match[str], at: Reference) -> date:
    weekday, which = _WEEKDAYS[found["day"][:3]], found["which"]
    if which == "this":
        return at.monday(0) + timedelta(days=weekday)
    offset = _OFFSETS[which] if which else 0
    forward = offset > 0 or (not offset and coming(found))
    return at.weekday(weekday, forward=forward, strict=bool(offset))


def _weekday_of_week(found: re.Match[str], at: Reference) -> date:
    which = _OFFSETS[found["which"]]
    return at.monday(which) + timedelta(days=_WEEKDAYS[found["day"][:3]])


def _nth_of_month(found: re.Match[str], at: Reference) -> Interval | date:
    if found["month"]:
        month = _month(found["month"])
        first = date(_year_said(found["year"]) if found["year"] else year_of(found, at, month), month, 1)
    else:
        first = date_units.add_months(at.today.replace(day=1), _OFFSETS[found["which"]])
    last = date_units.month_end(first.year, first.month)
    if found["day"] == "week":
        start = last - timedelta(days=6) if found["nth"] == "last" else first.replace(day=7 * _NTH[found["nth"]] - 6)
        return at.days(start, min(last, start + timedelta(days=6)))
    weekday = _WEEKDAYS[found["day"][:3]]
    if found["nth"] == "last":
        return last - timedelta(days=(last.weekday() - weekday) % 7)
    return first.replace(day=7 * _NTH[found["nth"]] - 6 + (weekday - first.weekday()) % 7)


def _weekend(found: re.Match[str], at: Reference) -> Interval:
    which = found["which"]
    weeks = _OFFSETS[which]
    if which == "the" and at.today.weekday() < 5 and not coming(found):
        weeks = -1
    if weeks == 1 and which != "next":
        weeks = 0
    saturday = at.monday(weeks) + timedelta(days=5)
    return at.days(saturday, saturday + timedelta(days=1))


def _before_last(found: re.Match[str], at: Reference) -> Interval | date:
    weeks = -1 if found["side"] == "before last" else 1
    if found["day"]:
        day = at.weekday(_WEEKDAYS[found["day"][:3]], forward=weeks > 0, strict=True)
        return day + timedelta(days=7 * weeks)
    if found["unit"] == "weekend":
        saturday = at.monday(2 * weeks) + timedelta(days=5)
        return at.days(saturday, saturday + timedelta(days=1))
    return at.unit(found["unit"], 2 * weeks)


def _unit(found: re.Match[str], at: Reference) -> Interval:
    return at.unit(found["unit"], _OFFSETS[found["which"]])


def _unit_edge(found: re.Match[str], at: Reference) -> Interval:
    return _edged(found, at, _unit(found, at))


def _count(said: str, unit: str) -> tuple[int, str]:
    unit = {"min": "minute", "hr": "hour"}.get(unit, unit)
    return date_units.whole(int(said) if said.isdecimal() else (_NUMBERS | _PHRASES)[said], unit)


def _ago(found: re.Match[str], at: Reference) -> Interval:
    count, unit = _count(found["count"], found["unit"])
    if not found["fine"]:
        return at.unit(unit, -count)
    more, fine = _count(found["more"], found["fine"])
    return at.moved(unit, -count).unit(fine, -more)


_DONE = r"[a-df-z]ed\b|\b(?:times|once|twice|built|done|made|took|ran|wrote|written|did|won|lost|read|got)\b"


def _in(found: re.Match[str], at: Reference) -> Interval | None:
    if not ahead(found) and (found["count"] in ("a", "an") or re.search(_DONE, sentence(found)[0][-24:])):
        return None  # "finished it in 3 days", "in a week": how long, not when
    return _from_now(found, at)


def _from_now(found: re.Match[str], at: Reference) -> Interval:
    count, unit = _count(found["count"], found["unit"])
    return at.unit(unit, count)


def _span(found: re.Match[str], at: Reference) -> Interval | None:
    count, unit = _count(found["count"] or "one", found["unit"])
    return at.span(unit, count * _OFFSETS[found["which"]]) if count else None


def _quarter(found: re.Match[str], at: Reference) -> Interval:
    year = found["year"] or found["before"]
    return at.quarter(_year_said(year) if year else at.today.year, int(found["number"]))


def _half(found: re.Match[str], at: Reference) -> Interval:
    return at.half(int(found["year"]), int(found["half"]))


def _year(found: re.Match[str], at: Reference) -> Interval:
    return _edged(found, at, date_units.year(int(found["year"]), at.zone))


def _behind(*words: str) -> str:
    return "(?:" + "|".join(f"(?<={word} )" for word in words) + ")"


_CUES = _behind("in", "since", "until", "till", "by", "before", "after", "during")

_AFTER_YEAR = "and|but|when|we|i|he|she|they|it|you|the|at|with|for|to|as|because|or|our|my|was|is"  # no "rows"

# Each alternative begins with a literal, a letter that is rare in prose: the search then skips to such letters.
_ANCHOR = (
    r"y(?:(?<=[nsiro]day)\b|(?<=\bday)(?=s\b| (?:before|after|from|ago))|(?<=past day)\b|(?=ears?\b)|(?<=uary)"
    r"|(?<=\b[Mm]ay)\b|(?<=[Jj]uly)\b)|k(?<=\b[Ww]eek)(?:s|end)?\b|j(?:an|une?|uly?)\b|J(?:an|un|ul|AN|UN|UL)"
    r"|g(?:(?<=\bag)o\b|(?<=\b[Aa]ug)|(?<=[Nn]ig)ht\b|(?<=vening)|(?<=orning))|v(?<=\b[Nn]ov)|b(?:er\b|ruary|(?<=\bfeb)\b)"
    r"|q(?:uarters?\b|[1-4])|Q(?:uarter|UARTER|[1-4])|m(?:onths?\b|arch?\b|in(?:ute)?s?\b|orrow|on\b)|f(?:ternoon|ri\b)"
    r"|u(?:(?<=\b[Hh]ou)rs?\b|(?<=\btu)es?\b|(?<=\bthu))|p(?:(?<=\bap)r|(?<=\bsep))|w(?:ed\b)|c(?:(?<=\bdec)\b|(?<=\boc)t\b)"
    r"|F(?:eb|ri|EB)|S(?:ep|at|un|EP)|O(?:ct|CT)|D(?:ec|EC)|A(?:pr|PR|ug|UG|GO\b)|M(?:ar|ay|on|AR|AY|ON|ORN|ORROW|IN)|T(?:ue|hu)"
    r"|W(?:ed|EEK)|N(?:OV|IGHT)|Y(?:EAR|(?<=DAY))|1(?:9\d\d\b)|2(?:0\d\d\b)"
)

_RULES = [
    Rule(
        "month_day",
        rf"{_INTRO}(?P<month>{_MONTH})\.? (?:the )?(?P<day>\d{{1,2}}){_TH}(?:{_TO}(?P<last>\d{{1,2}}){_TH})?"
        rf"{_DATE_END}(?:,? {_YEAR}|(?!,? \d{{4}}\b))",
        _month_day,
    ),
    Rule(
        "day_month",
        rf"{_INTRO}(?P<day>\d{{1,2}}){_TH}(?:(?:{_TO}|{_AND})(?P<last>\d{{1,2}}){_TH})?[ \-](?:of )?(?P<month>{_MONTH})"
        rf"(?![a-z0-9_(])(?! \d{{3}}\b)(?:\.?,?[ \-]{_YEAR})?",
        _month_day,
    ),
    Rule("month_year", rf"(?:{_EDGE})?(?P<month>{_MONTH})\.?,? (?:of )?{_YEAR}{_RIGHT}", _month_year),
    Rule(
        "month",
        rf"(?:{_WHICH} |{_EDGE}|{_CUES}|(?<=from )(?={_MONTH} (?:on|onwards?|to|until|till|through)\b)"
        rf"|(?<=between )(?={_MONTH} and\b)"
        rf"|(?<!\d )(?<!\d[a-z]{{2}} )(?={_CLEAR_MONTH}))(?P<month>{_MONTH}){_RIGHT}(?! \d)",
        _month_alone,
    ),
    Rule(
        "month_after",
        rf"{_behind('to', 'and', 'through')}(?P<which>)(?P<edge>)(?P<month>{_MONTH}){_RIGHT}(?! \d)",
        _month_after,
    ),
    Rule(
        "near_day",
        rf"(?:(?:the )?day (?:before yesterday|after tomorrow)|yesterday|today|tomorrow){_RIGHT}",
        _near_day,
    ),
    Rule("tonight", rf"tonight{_RIGHT}", _tonight),
    Rule("near_part", rf"(?P<which>this|last) (?P<part>morning|afternoon|evening|night){_RIGHT}", _near_part),
    Rule(
        "before_last",
        rf"(?:the )?(?:(?P<unit>week|month|quarter|year|weekend)|(?P<day>{_FULL_DAY}))"
        rf" (?P<side>before last|after next){_RIGHT}(?! (?:week|month|quarter|year|{_ANY_DAY}|{_MONTH})\b)",
        _before_last,
    ),
    Rule(
        "nth_of_month",
        rf"(?:the )?(?P<nth>{'|'.join(_NTH)}|last) (?P<day>{_FULL_DAY}|week) (?:of|in)"
        rf" (?:(?P<which>last|this|next|the) month|(?P<month>{_MONTH})(?:,? {_YEAR})?){_RIGHT}(?! \d)",
        _nth_of_month,
    ),
    Rule("weekday_of_week", rf"(?P<day>{_FULL_DAY}) (?:of )?(?P<which>last|this|next) week{_RIGHT}", _weekday_of_week),
    Rule("week_weekday", rf"(?P<which>last|this|next) week,? (?:on )?(?P<day>{_FULL_DAY}){_RIGHT}", _weekday_of_week),
    Rule(
        "weekday",
        rf"(?:{_WHICH} |{_behind('on')}|(?<!black )(?<!good )(?={_FULL_DAY}))"
        rf"(?P<day>{_ANY_DAY}){_RIGHT}(?! (?:morning|afternoon|evening|night)s| of\b)",
        _weekday,
    ),
    Rule("weekend", r"(?P<which>this past|this coming|last|past|this|next|coming|the) weekend" + _RIGHT, _weekend),
    Rule(
        "ago",
        rf"(?P<count>{_NUMBER}) (?P<unit>{_UNIT})s?(?:,? (?:and )?(?P<more>{_NUMBER}) (?P<fine>{_UNIT})s?)?"
        rf" (?:ago|earlier|back){_RIGHT}(?! (?:than|to))",
        _ago,
    ),
    Rule("from_now", rf"(?P<count>{_NUMBER}) (?P<unit>{_UNIT})s? from (?:now|today){_RIGHT}", _from_now),
    Rule("in", rf"in (?P<count>{_NUMBER}) (?P<unit>{_UNIT})s?(?:['’]s?)?(?: time)?{_RIGHT}(?! of)", _in),
    Rule(
        "span",
        rf"(?P<which>past|last|previous|next|coming) (?P<count>{_NUMBER}) (?P<unit>{_UNIT})s?{_RIGHT}(?! of)",
        _span,
    ),
    Rule("past_unit", rf"(?P<which>past)(?P<count>) (?P<unit>{_UNIT}){_RIGHT}(?! of)", _span),
    Rule(
        "unit",
        rf"(?P<which>last|previous|this|current|next|coming) (?P<unit>week|month|quarter|year){_RIGHT}"
        r"(?! (?:of|before|after)\b)",
        _unit,
    ),
    Rule(
        "unit_edge",
        rf"{_EDGE}(?P<which>last|previous|this|the|current|next|coming) (?P<unit>month|quarter|year){_RIGHT}",
        _unit_edge,
    ),
    Rule(
        "quarter",
        rf"(?:(?P<before>[12]\d{{3}})[ \-]?|{_CUES}|(?<=end of )"
        rf"|(?=q[1-4],? (?:of )?[12]\d{{3}}))q(?P<number>[1-4])(?:,? (?:of )?{_YEAR})?{_RIGHT}",
        _quarter,
    ),
    Rule("half", rf"h(?P<half>[12]),? (?:of )?(?P<year>(?:19|20)\d\d){_RIGHT}", _half),
    Rule("half_last", rf"(?P<year>(?:19|20)\d\d)[ \-]h(?P<half>[12]){_RIGHT}", _half),
    Rule(
        "year",
        rf"(?:{_EDGE}|{_CUES})(?P<year>(?:19|20)\d\d)(?!\d|[.,:/%\-]\d)"
        rf"(?= ?(?:[.,;:!?)\n]|$)| (?:{_AFTER_YEAR})\b)",
        _year,
    ),
]

_FIRST = (
    rf"(?<![a-z0-9_.\-/$#@])(?=[0-9]|q[1-4]|h[12]|in |the |day |yesterday|today|tomorrow|tonight|last|past|prev|this "
    rf"|curr|next|coming|upc|{'|'.join(_NTH)}|early|mid|late|beginning|start|end|{_MONTH}|{_ANY_DAY}|{_NUMBER} )"
)
SCANNER = Scanner(_ANCHOR, 32, _FIRST, _RULES)
"""Scans lower-case text for dates in English; `doubtful` says which of them are other words."""

_VERB = (
    r"(?<!\bon )(?<!\bin )(?<!\bby )(?<!\bsince )(?<!\buntil )(?<!\btill )(?<!\bbefore )(?<!\bafter )"
    r"(?<!\bfrom )(?<!\bduring )(?<!of )(?<![Ee]arly )(?<![Ll]ate )(?<![Mm]id[ \-])"
    r"(?:\d{1,2} |\b)(?:may|march|mar|sun|sat)\b(?! \d{4}| \d+[a-z])"
)


_CERTAIN = r"\d{4}|['’]\d\d|\d(?:st|nd|rd|th)\b"
_RECURRING = r"\b(?:[Ee]very|[Ee]ach)(?: the)? $"


def doubtful(text: str, start: int, end: int) -> bool:
    """Whether what looks like a date in the original text is none.

    A verb or noun is none ("we may 5", "this march", "this sun"), and what recurs is none ("every July 4th").
    """
    if re.search(_RECURRING, text[max(0, start - 12) : start]):
        return True
    return bool(compiled(_VERB).search(text, start, end)) and not re.search(_CERTAIN, text[start:end])
