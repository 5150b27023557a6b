"""The time of day that belongs to a day: "yesterday evening", "at 3pm on Friday", 昨天下午三点半.

Only what stands next to a day counts; a time alone is no date. Parts of a day are those of `date_units.PARTS`.
A clock without am or pm is read on 24 hours, unless a part of the day says otherwise (下午3点).
"""

from __future__ import annotations

import re
from datetime import date

from mnemopi.model.interval import Interval
from mnemopi.text import date_units, date_words_zh
from mnemopi.text.date_rules import compiled
from mnemopi.text.date_units import Reference

_PARTS_ZH = {
    "凌晨": "dawn",
    "清晨": "morning",
    "早晨": "morning",
    "早上": "morning",
    "上午": "morning",
    "早": "morning",
}
_PARTS_ZH |= {"中午": "noon", "下午": "afternoon", "傍晚": "evening", "晚上": "late", "晚间": "late", "晚": "late"}
_PARTS_ZH |= {"夜里": "night", "深夜": "night", "半夜": "night", "夜": "night"}

_NUMBER = r"(?:\d{1,2}|[二三四五]?十[一二三四五六七八九]?|[一二两三四五六七八九])"
_CLOCK = (
    r"(?:(?P<hour>\d{1,2})(?:[:：](?P<minute>\d\d))? ?(?P<half>[ap])\.?m\b\.?"
    r"|(?P<hour24>\d{1,2})[:：](?P<minute24>\d\d)(?:[:：]\d\d)?(?![\d:：])|(?P<word>noon|midnight)\b)"
)
_CLOCK_ZH = rf"(?P<hour_zh>{_NUMBER}) ?[点點](?:钟|(?P<quarter>半|一刻|三刻)|零?(?P<minute_zh>{_NUMBER})分?)?"
_PART_AFTER = (
    r"(?:,? (?:in the |early |late )?(?P<part>morning|afternoon|evening|night)\b"
    rf"|的?(?P<zh>{'|'.join(_PARTS_ZH)}))"
)
_PART_BEFORE = r"(?:the )?(?P<part>morning|afternoon|evening|night) of (?:the )?$"
_CLOCK_AFTER = rf"(?:,? ?(?:at |around |about |@ ?)?{_CLOCK}|的? ?{_CLOCK_ZH})"
_CLOCK_BEFORE = rf"(?<![\w.:])(?:(?:at|around|about) )?{_CLOCK},? (?:on )?$"
_REACH = 28


def attach(text: str, floor: int, start: int, end: int, day: date, at: Reference) -> tuple[int, int, Interval]:
    """Read the time of day around a day and return where the whole stands and what it means.

    What stands before `floor` belongs to an earlier date.
    """
    floor = max(floor, start - _REACH)
    part = ""
    if found := compiled(_PART_AFTER).match(text, end):
        part, end = found["part"] or _PARTS_ZH[found["zh"]], found.end()
    elif found := compiled(_PART_BEFORE).search(text, floor, start):
        part, start = found["part"], found.start()
    if (clock := compiled(_CLOCK_AFTER).match(text, end)) and (interval := _read(clock, day, part, at)):
        return start, clock.end(), interval
    if (clock := compiled(_CLOCK_BEFORE).search(text, floor, start)) and (interval := _read(clock, day, part, at)):
        return clock.start(), end, interval
    return start, end, at.part(day, part) if part else at.day(day)


def _read(clock: re.Match[str], day: date, part: str, at: Reference) -> Interval | None:
    said = clock.groupdict()
    if said["word"]:
        return _interval(day, 12 if said["word"] == "noon" else 0, None, at)
    if said["half"]:
        hour, minute = int(said["hour"]), said["minute"]
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if said["half"] == "p" else 0)
        return _interval(day, hour, int(minute) if minute else None, at)
    if said["hour24"]:
        return _interval(day, _by_part(int(said["hour24"]), part), int(said["minute24"]), at)
    return _interval(day, _by_part(date_words_zh.number(said["hour_zh"]), part), _minute_zh(said), at)


def _minute_zh(said: dict[str, str]) -> int | None:
    if said["quarter"]:
        return {"半": 30, "一刻": 15, "三刻": 45}[said["quarter"]]
    return date_words_zh.number(said["minute_zh"]) if said["minute_zh"] else None


def _by_part(hour: int, part: str) -> int:
    """Read 3 as 15 in an afternoon and 8 as 20 in an evening; a night keeps its small hours."""
    if part == "afternoon" or (part == "noon" and hour < 11):
        return hour + 12 if hour < 12 else hour
    if part in ("evening", "late", "night"):
        return hour + 12 if 5 <= hour < 12 else hour
    return hour


def _interval(day: date, hour: int, minute: int | None, at: Reference) -> Interval | None:
    if hour > 23 or (minute or 0) > 59:
        return None
    start = at.clock(day, hour * 60 + (minute or 0))
    if minute is None:
        return Interval(start, start + date_units.HOUR, "hour")
    return Interval(start, start + date_units.MINUTE, "minute")
