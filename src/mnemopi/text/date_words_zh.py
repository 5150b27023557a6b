"""Dates as they are said in Chinese: the rules and their readings.

Numbers may be figures of any width or numerals up to 99 (三, 十二, 二十五, 两); years may be spelled (二〇二六).
`上周五` is the Friday of last week and `下周五` that of the next; a bare `周五` is the most recent one, today
included, or the coming one where the sentence speaks of the future. `月初` and `月底` are the first and last sixth
of a month, `年初` and `年底` of a year. Vague words (最近, 前几天) and what recurs (每周五) are no dates.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from mnemopi.model.interval import Interval
from mnemopi.text import date_units
from mnemopi.text.date_rules import Rule, Scanner, coming, year_of
from mnemopi.text.date_units import Reference

_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_UNITS = {"天": "day", "日": "day", "周": "week", "週": "week", "星期": "week", "礼拜": "week", "月": "month"}
_UNITS |= {"年": "year", "季度": "quarter", "小时": "hour", "钟头": "hour", "分钟": "minute"}
_DAYS = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "後": 2, "大后": 3, "大後": 3}
_YEARS = {"前": -2, "去": -1, "今": 0, "本": 0, "明": 1}
_OFFSETS = {"上上": -2, "上": -1, "本": 0, "这": 0, "這": 0, "当": 0, "下": 1, "下下": 2}
_EDGES = {"初": "start", "上旬": "early", "中旬": "mid", "中": "mid", "下旬": "late", "底": "end", "末": "end"}

_NUMERALS = "一二两兩三四五六七八九十"
_NUMBER = rf"(?:\d{{1,4}}|[{_NUMERALS}]{{1,3}})"
_SMALL = rf"(?:\d{{1,2}}|[{_NUMERALS}]{{1,3}})"
_WEEK = r"(?:周|週|星期|礼拜|禮拜)"
_WHICH = r"(?P<which>上上|上|下下|下|本|这|這)个?"
_EDGE = r"(?P<edge>初|上旬|中旬|下旬|底|末)"
_LENGTH = r"(?P<length>天|日|周|週|年|个?(?:星期|礼拜|季度|小时|钟头)|个月|分钟)"
_FROM_NUMBER = r"(?:(?P<half>半)(?P<half_length>天|年|个月|个?小时)|(?P<count>" + _NUMBER + r") ?" + _LENGTH + ")"


def number(said: str) -> int:
    """Read figures or a numeral up to 99. Raises ValueError for what is neither."""
    if said.isdecimal():
        return int(said)
    tens, ten, ones = said.rpartition("十")
    if not ten:
        return int("".join(str(_DIGITS[digit]) for digit in ones)) if len(ones) == 1 else _bad(said)
    if len(tens) > 1 or len(ones) > 1:
        return _bad(said)
    return 10 * (_DIGITS[tens] if tens else 1) + (_DIGITS[ones] if ones else 0)


def _bad(said: str) -> int:
    raise ValueError(f"not a number: {said}")


def _year_said(found: re.Match[str], at: Reference) -> int:
    said = found["year"]
    if said[0] in _YEARS:
        return at.today.year + _YEARS[said[0]]
    year = int("".join(str(_DIGITS.get(digit, digit)) for digit in said))
    return year if year > 99 else 2000 + year


def _calendar(found: re.Match[str], at: Reference) -> Interval | date:
    month, day = number(found["month"]), number(found["day"]) if found["day"] else 0
    year = _year_said(found, at) if found["year"] else year_of(found, at, month, day)
    if day:
        first = date(year, month, day)
        return at.days(first, first.replace(day=number(found["last"]))) if found["last"] else first
    return _edged(found, at, date_units.month(year, month, at.zone))


def _edged(found: re.Match[str], at: Reference, whole: Interval) -> Interval:
    return at.edge(whole, _EDGES[found["edge"]]) if found["edge"] else whole


def _near_month(found: re.Match[str], at: Reference) -> Interval | date:
    months = _OFFSETS[found["which"] or "当"]
    if not found["day"]:
        return _edged(found, at, at.unit("month", months))
    return date_units.add_months(at.today.replace(day=1), months).replace(day=number(found["day"]))


def _month_edge(found: re.Match[str], at: Reference) -> Interval:
    return _edged(found, at, at.unit("month", 0))


def _year(found: re.Match[str], at: Reference) -> Interval:
    return _edged(found, at, date_units.year(_year_said(found, at), at.zone))


def _year_edge(found: re.Match[str], at: Reference) -> Interval:
    return _edged(found, at, at.unit("year", 0))


def _near_day(found: re.Match[str], at: Reference) -> date:
    return at.today + timedelta(days=_DAYS[found["near"]])


def _weekday(found: re.Match[str], at: Reference) -> date:
    weekday = min("一二三四五六日天".index(found["day"]), 6)
    if found["which"]:
        return at.monday(_OFFSETS[found["which"]]) + timedelta(days=weekday)
    return at.weekday(weekday, forward=coming(found), strict=False)


def _weekend(found: re.Match[str], at: Reference) -> Interval:
    weeks = _OFFSETS[found["which"]] if found["which"] else 0
    if not found["which"] and at.today.weekday() < 5 and not coming(found):
        weeks = -1
    saturday = at.monday(weeks) + timedelta(days=5)
    return at.days(saturday, saturday + timedelta(days=1))


def _week(found: re.Match[str], at: Reference) -> Interval:
    return at.unit("week", _OFFSETS[found["which"]])


def _quarter(found: re.Match[str], at: Reference) -> Interval:
    year = _year_said(found, at) if found["year"] else at.today.year
    return at.quarter(year, number(found["number"]))


def _half(found: re.Match[str], at: Reference) -> Interval:
    return at.half(_year_said(found, at) if found["year"] else at.today.year, "上下".index(found["half"]) + 1)


def _near_quarter(found: re.Match[str], at: Reference) -> Interval:
    return at.unit("quarter", _OFFSETS[found["which"]])


def _length(found: re.Match[str]) -> tuple[int, str]:
    if found["half"]:
        return date_units.whole(0.5, _UNITS[found["half_length"].lstrip("个")])
    return number(found["count"]), _UNITS[found["length"].lstrip("个")]


def _distance(found: re.Match[str], at: Reference) -> Interval:
    count, unit = _length(found)
    return at.unit(unit, -count if found["way"] == "前" else count)


def _span(found: re.Match[str], at: Reference) -> Interval | None:
    count, unit = _length(found)
    back = found["way"] in ("最近", "过去", "近")
    return at.span(unit, -count if back else count) if count else None


_YEAR = (
    r"(?P<year>(?<![以之目基])[去今本明前](?=年)|(?<![\d.])[12]\d{3}(?= ?年)|(?<![\d.])2\d(?=年\d{1,2}月)"
    r"|[一二][〇零一二三四五六七八九]{3}(?=年)) ?年"
)
_DAY = (
    rf"(?P<day>{_SMALL}) ?(?:[日号號]|(?=[\-–~至到] ?{_SMALL} ?[日号號]))"
    rf"(?:[\-–~至到] ?(?P<last>{_SMALL}) ?[日号號])?(?:[（(]?{_WEEK}[一二三四五六日天][)）]?)?"
)
_ALONE = r"(?<![\d.每一二三四五六七八九十百千两几半多])"
_AWAY = r"(?P<way>前(?![端台提])|[后後](?![端台续门缀]))"

_ANCHOR = (
    rf"月|年(?:(?<=[去今本明前\d 半{_NUMERALS}〇零]年)|[底初末前后後以之])|周|週|礼|禮|星|季|时(?<=小时)|钟"
    rf"|天(?<=[昨今明前后後\d 半{_NUMERALS}]天)|日(?<=[今昨明\d {_NUMERALS}]日)"
    r"|早(?<=[今昨明]早)|晚(?<=[今昨明]晚)|夜(?<=[今昨明]夜)"
)

_RULES = [
    Rule("distance", rf"{_ALONE}{_FROM_NUMBER} ?[以之]?{_AWAY}", _distance),
    Rule("span", rf"(?P<way>最近|过去|(?<![最附接靠])近|未来|接下来|今后)的?这? ?{_FROM_NUMBER}", _span),
    Rule(
        "bare_day",
        rf"(?:{_YEAR} ?|{_ALONE}(?<!个)(?<!\d年))(?P<month>\d{{1,2}})月(?P<day>\d{{1,2}})(?P<last>)(?P<edge>)"
        r"(?=$|[\n，。；！？,;!?）)])(?!,\d)",
        _calendar,
    ),
    Rule(
        "calendar",
        rf"(?:{_YEAR} ?|{_ALONE}(?<!个)(?<!\d年)(?<!\d年 ))"
        rf"(?P<month>{_SMALL}) ?月(?: ?{_DAY}|份?{_EDGE}|份|(?![\d亮饼]))",
        _calendar,
    ),
    Rule(
        "near_month",
        rf"(?<![早晚基])(?:{_WHICH}|(?P<now>当))月(?:份?{_EDGE}| ?(?P<day>{_SMALL}) ?[日号號])?(?![亮光色饼球牙])",
        _near_month,
    ),
    Rule("month_edge", rf"{_ALONE}(?<!个)月{_EDGE}", _month_edge),
    Rule("quarter", rf"(?:{_YEAR} ?)?第?(?P<number>[一二三四1-4])季度", _quarter),
    Rule("half", rf"(?:{_YEAR} ?)?(?P<half>[上下])半年(?![前后後])", _half),
    Rule("near_quarter", rf"{_WHICH}季度", _near_quarter),
    Rule("year", rf"{_YEAR}(?:年?(?P<edge>初|底|末|中(?![国文])))?(?![龄轻级份])", _year),
    Rule("year_edge", rf"{_ALONE}年(?P<edge>初|底|末)", _year_edge),
    Rule("near_day", r"(?P<near>大前|大[后後]|(?<![以之目从])前|(?<![以之今先最然])[后後]|昨|今|明)天", _near_day),
    Rule("near_short", r"(?P<near>昨|今|明)(?:日|(?=[早晚夜]))", _near_day),
    Rule("weekend", rf"(?:(?<![早晚基]){_WHICH}|(?<!每))(?:周|週)末", _weekend),
    Rule("weekday_on", rf"(?<=[从自])(?:{_WHICH})?{_WEEK}(?P<day>一)(?=起)", _weekday),
    Rule(
        "weekday",
        rf"(?:(?<![早晚基]){_WHICH}|{_ALONE}){_WEEK}(?P<day>[二三四五六日天]|一(?![共起直些样般定]))(?![月年个次遍期])",
        _weekday,
    ),
    Rule("week", rf"(?<![早晚基]){_WHICH}{_WEEK}(?![围边期年岁刊全密知延])", _week),
]

SCANNER = Scanner(_ANCHOR, 12, rf"[\d{_NUMERALS}半第上下本这這当去今明昨前后後大最过近未接月年周週星礼禮]", _RULES)
"""Scans text for dates in Chinese."""
