"""Dates said in text, read from Wednesday 11 March 2026, 15:00 UTC."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.text import date_rules, dates

NOW = dates.moment("2026-03-11T15:00Z")
SHANGHAI = ZoneInfo("Asia/Shanghai")
BERLIN = ZoneInfo("Europe/Berlin")
MANY = [
    "the day before yesterday",
    "last Friday at 3pm",
    "in two weeks",
    "March 5th, 2026",
    "5-7 March",
    "by the end of next year",
    "1 year and 2 months ago",
    "oct 5",
    "last wed",
    "2026-03-05T10:00Z",
    "25/12/24",
    "上周五下午三点半",
    "３月５日",
    "最近三个月",
    "去年年底以来",
]
ODD = ["9999年12月31日", "晚上", "二三点", "24:61", " at ", "以前", "每", "-7", "1 January 1", "İ", "十十"]


def said(text: str, now: int = NOW, zone: timezone | ZoneInfo = UTC) -> list[tuple[str, str]]:
    """Render each mention as its words and `start/end`, with as much of the time as is not midnight."""
    return [(mention.words, shown(mention.interval, zone)) for mention in dates.find(text, now, zone)]


def shown(interval: dates.Interval, zone: timezone | ZoneInfo = UTC) -> str:
    ends = [datetime.fromtimestamp(ms / 1000, zone).strftime("%Y-%m-%d %H:%M") for ms in (interval.start, interval.end)]
    return "/".join(end.removesuffix(" 00:00") for end in ends)


def only(text: str, now: int = NOW, zone: timezone | ZoneInfo = UTC) -> str:
    found = dates.find(text, now, zone)
    assert len(found) == 1, found
    return f"{shown(found[0].interval, zone)} {found[0].interval.precision}"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("today", "2026-03-11/2026-03-12 day"),
        ("Yesterday we met", "2026-03-10/2026-03-11 day"),
        ("tomorrow's call", "2026-03-12/2026-03-13 day"),
        ("the day before yesterday", "2026-03-09/2026-03-10 day"),
        ("the day after tomorrow", "2026-03-13/2026-03-14 day"),
        ("this morning", "2026-03-11 06:00/2026-03-11 12:00 part"),
        ("yesterday afternoon", "2026-03-10 12:00/2026-03-10 18:00 part"),
        ("yesterday evening", "2026-03-10 18:00/2026-03-10 22:00 part"),
        ("last night", "2026-03-10 22:00/2026-03-11 06:00 part"),
        ("tonight", "2026-03-11 18:00/2026-03-12 06:00 part"),
        ("on the morning of March 5", "2026-03-05 06:00/2026-03-05 12:00 part"),
    ],
)
def test_near_days_and_their_parts(text: str, meant: str) -> None:
    assert only(text) == meant


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("last friday", "2026-03-06"),
        ("last Wednesday", "2026-03-04"),
        ("last Fri", "2026-03-06"),
        ("this friday", "2026-03-13"),
        ("this Monday", "2026-03-09"),
        ("next friday", "2026-03-13"),
        ("next Wednesday", "2026-03-18"),
        ("on Wednesday", "2026-03-11"),
        ("we met on Thursday", "2026-03-05"),
        ("we will meet on Thursday", "2026-03-12"),
        ("finish it by Thursday", "2026-03-12"),
        ("Friday last week", "2026-03-06"),
        ("next week on Tuesday", "2026-03-17"),
        ("On Friday, March 6, we met", "2026-03-06"),
        ("last wed", "2026-03-04"),
    ],
)
def test_a_weekday_is_the_one_nearest_in_the_direction_that_is_said(text: str, meant: str) -> None:
    interval = dates.find(text, NOW, UTC)[0].interval
    assert (shown(interval)[:10], interval.precision) == (meant, "day")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("let's meet Friday", "2026-03-13"),
        ("Meeting on Friday at the office", "2026-03-13"),
        ("I have an interview on Friday", "2026-03-13"),
        ("no later than Friday", "2026-03-13"),
        ("周五开会", "2026-03-13"),
        ("不晚于周五", "2026-03-13"),
        ("the meeting on Friday went well", "2026-03-06"),
        ("Meeting notes of Friday", "2026-03-06"),
        ("what did we say when we had to meet on Friday", "2026-03-06"),
        ("周五开会讨论了预算", "2026-03-06"),
        ("周五开会的记录", "2026-03-06"),
    ],
)
def test_an_appointment_lies_ahead_unless_the_sentence_tells_how_it_was(text: str, meant: str) -> None:
    interval = dates.find(text, NOW, UTC)[0].interval
    assert shown(interval)[:10] == meant


def test_an_appointment_does_not_move_a_date_to_another_year() -> None:
    assert only("Meeting on 3 March") == "2026-03-03/2026-03-04 day"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("the last Friday of April", "2026-04-24/2026-04-25 day"),
        ("the second Tuesday of June", "2026-06-09/2026-06-10 day"),
        ("first Monday in May 2025", "2025-05-05/2025-05-06 day"),
        ("the last Friday of the month", "2026-03-27/2026-03-28 day"),
        ("two days before 10 April", "2026-04-08/2026-04-09 day"),
        ("the day after 5 May", "2026-05-06/2026-05-07 day"),
        ("a week after 5 May", "2026-05-12/2026-05-13 day"),
        ("the week before 5 May", "2026-04-27/2026-05-04 week"),
        ("week of May 4", "2026-05-04/2026-05-11 week"),
        ("the Friday before last", "2026-02-27/2026-02-28 day"),
        ("the weekend before last", "2026-02-28/2026-03-02 span"),
        ("从下周一起", "2026-03-16/2026-03-17 day"),
        ("3 May '25", "2025-05-03/2025-05-04 day"),
        ("May ’98", "1998-05-01/1998-06-01 month"),
    ],
)
def test_a_day_is_counted_from_what_the_words_name(text: str, meant: str) -> None:
    assert only(text) == meant


@pytest.mark.parametrize(
    "text", ["the last Friday of the sprint", "the fifth Monday of April", "the day before", "Friday of that week"]
)
def test_a_day_counted_from_what_is_not_known_is_none(text: str) -> None:
    assert said(text) == []


def test_how_long_something_lasted_before_a_day_does_not_move_the_day() -> None:
    mention = dates.find("for two days before 10 April", NOW, UTC)[0]
    assert (mention.words, mention.relation) == ("10 April", "before")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("last week", "2026-03-02/2026-03-09 week"),
        ("this week", "2026-03-09/2026-03-16 week"),
        ("the week before last", "2026-02-23/2026-03-02 week"),
        ("last month", "2026-02-01/2026-03-01 month"),
        ("next quarter", "2026-04-01/2026-07-01 quarter"),
        ("last quarter", "2025-10-01/2026-01-01 quarter"),
        ("last year", "2025-01-01/2026-01-01 year"),
        ("last weekend", "2026-03-07/2026-03-09 span"),
        ("this weekend", "2026-03-14/2026-03-16 span"),
        ("next weekend", "2026-03-21/2026-03-23 span"),
        ("over the weekend we hiked", "2026-03-07/2026-03-09 span"),
        ("we will hike on the weekend", "2026-03-14/2026-03-16 span"),
        ("Q1 2026", "2026-01-01/2026-04-01 quarter"),
        ("2025 Q4", "2025-10-01/2026-01-01 quarter"),
        ("in 2023 we moved", "2023-01-01/2024-01-01 year"),
        ("at the end of the month", "2026-03-27/2026-04-01 span"),
        ("H1 2026", "2026-01-01/2026-07-01 span"),
        ("2025 H2", "2025-07-01/2026-01-01 span"),
        ("first week of May", "2026-05-01/2026-05-08 span"),
        ("the last week of April 2025", "2025-04-24/2025-05-01 span"),
        ("early 2024", "2024-01-01/2024-05-02 span"),
    ],
)
def test_units_are_those_of_the_calendar(text: str, meant: str) -> None:
    assert only(text) == meant


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("3 days ago", "2026-03-08/2026-03-09 day"),
        ("a couple of days ago", "2026-03-09/2026-03-10 day"),
        ("two weeks ago", "2026-02-23/2026-03-02 week"),
        ("a month back", "2026-02-01/2026-03-01 month"),
        ("ten years ago", "2016-01-01/2017-01-01 year"),
        ("an hour ago", "2026-03-11 14:00/2026-03-11 15:00 hour"),
        ("10 minutes earlier", "2026-03-11 14:50/2026-03-11 14:51 minute"),
        ("half an hour ago", "2026-03-11 14:30/2026-03-11 14:31 minute"),
        ("half a year ago", "2025-09-01/2025-10-01 month"),
        ("1 year and 2 months ago", "2025-01-01/2025-02-01 month"),
        ("the release is in 3 days", "2026-03-14/2026-03-15 day"),
        ("two weeks from now", "2026-03-23/2026-03-30 week"),
        ("the past week", "2026-03-04/2026-03-11 15:00 span"),
        ("the last 24 hours", "2026-03-10 15:00/2026-03-11 15:00 span"),
        ("over the past two months", "2026-01-11/2026-03-11 15:00 span"),
        ("the next 3 days", "2026-03-11 15:00/2026-03-15 span"),
    ],
)
def test_distances_name_a_unit_and_spans_reach_to_now(text: str, meant: str) -> None:
    assert only(text) == meant


def test_months_ago_clamp_to_the_end_of_a_shorter_month() -> None:
    assert only("for the past 3 months", dates.moment("2026-05-31T12:00Z")).startswith("2026-02-28/")
    assert only("a month ago", dates.moment("2026-03-31T12:00Z")) == "2026-02-01/2026-03-01 month"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("5 March", "2026-03-05/2026-03-06 day"),
        ("March 5th, 2026", "2026-03-05/2026-03-06 day"),
        ("Mar 5", "2026-03-05/2026-03-06 day"),
        ("oct 5 2024", "2024-10-05/2024-10-06 day"),
        ("05-Mar-2026", "2026-03-05/2026-03-06 day"),
        ("the 5th of May", "2026-05-05/2026-05-06 day"),
        ("March 5-7", "2026-03-05/2026-03-08 span"),
        ("March 2026", "2026-03-01/2026-04-01 month"),
        ("in March", "2026-03-01/2026-04-01 month"),
        ("last August", "2025-08-01/2025-09-01 month"),
        ("next August", "2026-08-01/2026-09-01 month"),
        ("mid-April", "2026-04-11/2026-04-21 span"),
    ],
)
def test_named_months(text: str, meant: str) -> None:
    assert only(text) == meant


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("we met in January", "2026"),
        ("we met in September", "2026"),  # half a year ahead, and not more
        ("we met in November", "2025"),
        ("we will meet in November", "2026"),
        ("we will meet in January", "2027"),
        ("we met on December 3", "2025"),
        ("it is due on February 3", "2027"),
        ("我打算一月去", "2027"),
        ("十二月去过", "2025"),
    ],
)
def test_a_month_without_a_year_is_of_this_year_unless_it_is_far_ahead_or_the_sentence_looks_ahead(
    text: str, year: str
) -> None:
    assert only(text)[:4] == year


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("yesterday at 3pm", "2026-03-10 15:00/2026-03-10 16:00 hour"),
        ("at 3pm yesterday", "2026-03-10 15:00/2026-03-10 16:00 hour"),
        ("15:30 on March 5", "2026-03-05 15:30/2026-03-05 15:31 minute"),
        ("1:56 pm on 8 May, 2023", "2023-05-08 13:56/2023-05-08 13:57 minute"),
        ("12:05 am on Friday", "2026-03-06 00:05/2026-03-06 00:06 minute"),
        ("2023/05/20 (Sat) 07:47", "2023-05-20 07:47/2023-05-20 07:48 minute"),
        ("yesterday at noon", "2026-03-10 12:00/2026-03-10 13:00 hour"),
    ],
)
def test_a_time_of_day_belongs_to_the_day_beside_it(text: str, meant: str) -> None:
    assert only(text) == meant


def test_a_time_alone_is_no_date() -> None:
    assert said("at 3pm, at 15:30, in the morning, 下午三点") == []


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2026-03-05", "2026-03-05/2026-03-06 day"),
        ("report-2026-03-05.md", "2026-03-05/2026-03-06 day"),
        ("backup_2026-03-05T10-00.tar", "2026-03-05/2026-03-06 day"),
        ("logs/2026-03/", "2026-03-01/2026-04-01 month"),
        ("2026-03-05T10:00Z", "2026-03-05 10:00/2026-03-05 10:01 minute"),
        ("2026-03-05 10:00+08:00", "2026-03-05 02:00/2026-03-05 02:01 minute"),
        ("3/5/2026", "2026-03-05/2026-03-06 day"),
        ("25/12/24", "2024-12-25/2024-12-26 day"),
        ("2026/3/5", "2026-03-05/2026-03-06 day"),
        ("2026.03.05", "2026-03-05/2026-03-06 day"),
        ("Am 05.03.2026.", "2026-03-05/2026-03-06 day"),
        ("2026-W11", "2026-03-09/2026-03-16 week"),
    ],
)
def test_dates_in_figures(text: str, meant: str) -> None:
    assert only(text) == meant


def test_an_iso_date_in_a_text_is_of_utc_while_words_are_of_the_zone() -> None:
    iso, words = (dates.find(text, NOW, SHANGHAI)[0].interval for text in ("2026-03-05", "March 5"))
    assert iso == dates.parse("2026-03-05")
    assert words == dates.parse("2026-03-05", SHANGHAI)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("今天", "2026-03-11/2026-03-12 day"),
        ("昨天", "2026-03-10/2026-03-11 day"),
        ("前天", "2026-03-09/2026-03-10 day"),
        ("大前天", "2026-03-08/2026-03-09 day"),
        ("他说明天来", "2026-03-12/2026-03-13 day"),
        ("后天", "2026-03-13/2026-03-14 day"),
        ("上周", "2026-03-02/2026-03-09 week"),
        ("这周", "2026-03-09/2026-03-16 week"),
        ("上上周", "2026-02-23/2026-03-02 week"),
        ("上周五", "2026-03-06/2026-03-07 day"),
        ("下个星期天", "2026-03-22/2026-03-23 day"),
        ("周五去了", "2026-03-06/2026-03-07 day"),
        ("打算周五去", "2026-03-13/2026-03-14 day"),
        ("礼拜三", "2026-03-11/2026-03-12 day"),
        ("上周末", "2026-03-07/2026-03-09 span"),
        ("上个月", "2026-02-01/2026-03-01 month"),
        ("本月", "2026-03-01/2026-04-01 month"),
        ("下个月5号", "2026-04-05/2026-04-06 day"),
        ("去年", "2025-01-01/2026-01-01 year"),
        ("前年", "2024-01-01/2025-01-01 year"),
        ("明年三月", "2027-03-01/2027-04-01 month"),
        ("今年一季度", "2026-01-01/2026-04-01 quarter"),
        ("上季度", "2025-10-01/2026-01-01 quarter"),
        ("月底", "2026-03-27/2026-04-01 span"),
        ("上个月底", "2026-02-24/2026-03-01 span"),
        ("去年年底", "2025-11-01/2026-01-01 span"),
        ("年初", "2026-01-01/2026-03-03 span"),
    ],
)
def test_chinese_near_days_weeks_months_and_years(text: str, meant: str) -> None:
    assert only(text) == meant


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("3 月 5 日", "2026-03-05/2026-03-06 day"),
        ("3月5号", "2026-03-05/2026-03-06 day"),
        ("２０２６年３月５日", "2026-03-05/2026-03-06 day"),
        ("2026 年 3 月", "2026-03-01/2026-04-01 month"),
        ("三月五日（周四）", "2026-03-05/2026-03-06 day"),
        ("2025年十二月二十五日", "2025-12-25/2025-12-26 day"),
        ("二〇二六年三月", "2026-03-01/2026-04-01 month"),
        ("26年3月", "2026-03-01/2026-04-01 month"),
        ("26年3月5日", "2026-03-05/2026-03-06 day"),
        ("3月5，开会", "2026-03-05/2026-03-06 day"),
        ("2026年上半年", "2026-01-01/2026-07-01 span"),
        ("去年下半年", "2025-07-01/2026-01-01 span"),
        ("3月5日至7日", "2026-03-05/2026-03-08 span"),
        ("3天前", "2026-03-08/2026-03-09 day"),
        ("3 天后", "2026-03-14/2026-03-15 day"),
        ("两周前", "2026-02-23/2026-03-02 week"),
        ("两个月之前", "2026-01-01/2026-02-01 month"),
        ("三年以前", "2023-01-01/2024-01-01 year"),
        ("半个月前", "2026-02-24/2026-02-25 day"),
        ("两小时前", "2026-03-11 13:00/2026-03-11 14:00 hour"),
        ("最近3天", "2026-03-08/2026-03-11 15:00 span"),
        ("过去的两个月", "2026-01-11/2026-03-11 15:00 span"),
        ("未来三天", "2026-03-11 15:00/2026-03-15 span"),
        ("今早", "2026-03-11 06:00/2026-03-11 12:00 part"),
        ("昨晚", "2026-03-10 18:00/2026-03-11 06:00 part"),
        ("昨天晚上8点", "2026-03-10 20:00/2026-03-10 21:00 hour"),
        ("周五下午三点半", "2026-03-06 15:30/2026-03-06 15:31 minute"),
        ("3月5日15:30", "2026-03-05 15:30/2026-03-05 15:31 minute"),
    ],
)
def test_chinese_calendar_dates_distances_and_times(text: str, meant: str) -> None:
    assert only(text) == meant


@pytest.mark.parametrize(
    ("text", "words", "relation"),
    [
        ("before Friday", "Friday", "before"),
        ("prior to 5 March", "5 March", "before"),
        ("after the weekend", "the weekend", "after"),
        ("until tomorrow", "tomorrow", "until"),
        ("by the end of March", "the end of March", "until"),
        ("since Monday", "Monday", "since"),
        ("from Monday on", "Monday", "since"),
        ("from Monday", "Monday", ""),
        ("on Friday", "Friday", ""),
        ("周五之前", "周五", "before"),
        ("3月以后", "3月", "after"),
        ("去年以来", "去年", "since"),
        ("从3月5日起", "3月5日", "since"),
        ("截至昨天", "昨天", "until"),
        ("昨天 前天", "昨天", ""),
    ],
)
def test_the_relation_is_taken_from_the_words_around_and_is_no_part_of_the_mention(
    text: str, words: str, relation: str
) -> None:
    mention = dates.find(text, NOW, UTC)[0]
    assert (mention.words, mention.relation) == (words, relation)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("until Friday the office is closed", "2026-03-13/2026-03-14 day"),
        ("By Monday we know more", "2026-03-16/2026-03-17 day"),
        ("open till about Tuesday", "2026-03-17/2026-03-18 day"),
        ("until 3pm on Friday", "2026-03-13 15:00/2026-03-13 16:00 hour"),
        ("until the weekend", "2026-03-14/2026-03-16 span"),
        ("until last Friday", "2026-03-06/2026-03-07 day"),
        ("since Friday 5pm", "2026-03-06 17:00/2026-03-11 15:00 span"),
        ("办公室关门直到周五", "2026-03-13/2026-03-14 day"),
        ("周五为止", "2026-03-13/2026-03-14 day"),
    ],
)
def test_what_lasts_until_a_weekday_or_is_done_by_it_ends_with_the_coming_one(text: str, meant: str) -> None:
    assert only(text) == meant


def test_no_anchor_has_the_whole_text_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    offered: list[int] = []

    class Watched:
        """A pattern that notes how many characters it was offered."""

        def __init__(self, pattern: str) -> None:
            self._pattern = re.compile(pattern)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._pattern, name)

        def finditer(self, text: str, start: int = 0, end: int | None = None) -> Iterator[re.Match[str]]:
            end = len(text) if end is None else min(end, len(text))
            offered.append(end - start)
            return self._pattern.finditer(text, start, end)

    monkeypatch.setattr(date_rules, "compiled", Watched)
    for hostile in (".friday ", "1/1/1", "1-1-1-", "#monday "):
        offered.clear()
        text = hostile * 500
        assert dates.find(text, NOW, UTC) == []
        assert 0 < sum(offered) < 100 * len(text), hostile


def test_since_is_open_to_now() -> None:
    assert only("since Monday") == "2026-03-09/2026-03-11 15:00 span"
    assert only("since tomorrow") == "2026-03-12/2026-03-13 day"


@pytest.mark.parametrize(
    "text",
    [
        "release 2026.3.5, 10.12.2026.1, v2026.03.05, 20260305",
        "version 1.2.3, v2026.3, v2026-03-05 and python 3.11",
        "a ratio of 3/4 and 24/7 at 192.168.1.10, in src/a/3/5/2026/b",
        "I may go, you may 5, they may fail, this may break",
        "I try to march, you can and may",
        "we march on, i march 5 miles, this march was long",
        "the second one, the sun is out, this sun, he sat 5 times",
        "datetime.today(), last_week, max-age/day, #friday, today.py",
        "every Friday, each July 4th, on Mondays, Saturday mornings, Black Friday",
        "recently, lately, a while ago, a few days ago, some time back",
        "finished in 3 days, twice in a week, the last two weeks of March",
        "in 2000 rows, by 2048 bytes",
        "Q1: what is it? q2 test",
        "30 February, 2026-02-30, 13/13/2026, June 31st, 4 September 476",
        "id 550e8400-e29b-41d4-a716-446655440000",
        "最近、前几天、每周五、两周一次、每月底",
        "目前天气，以前天天去，三年前端经验，一天后台，以后天气",
        "十个月大，3个月，晚上周围，基本周期",
        "26年5个月，h1标题，H1 is a heading",
        "二月三十日，13月5日",
    ],
)
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert said(text) == []


def test_the_verb_and_the_month_are_told_apart() -> None:
    found = said("I may go in May, and march on from March on; may 5th, May 6")
    assert [words for words, _ in found] == ["May", "March", "may 5th", "May 6"]


def test_dates_of_both_languages_come_in_text_order_and_do_not_overlap() -> None:
    text = "上周五 we moved it to March 5, 昨天 it slipped to 2026-04-01."
    mentions = dates.find(text, NOW, UTC)
    assert [mention.words for mention in mentions] == ["上周五", "March 5", "昨天", "2026-04-01"]
    assert all(text[mention.start : mention.end] == mention.words for mention in mentions)


def test_words_are_read_in_the_zone_of_the_speaker() -> None:
    late = dates.moment("2026-03-11T17:00Z")  # already the 12th in Shanghai
    assert only("yesterday", late, SHANGHAI) == "2026-03-11/2026-03-12 day"
    assert only("yesterday", late) == "2026-03-10/2026-03-11 day"


def test_a_day_of_summer_time_has_its_own_length() -> None:
    after = dates.moment("2026-03-30T12:00Z")
    day = dates.find("yesterday", after, BERLIN)[0].interval
    assert day.end - day.start == 23 * 3_600_000
    assert only("yesterday at 1pm", after, BERLIN) == "2026-03-29 13:00/2026-03-29 14:00 hour"
    hours = dates.find("24 hours ago", after, BERLIN)[0].interval
    assert hours.contains(after - 24 * 3_600_000)


def test_hours_are_those_of_the_clock_in_zones_half_an_hour_off() -> None:
    kolkata = ZoneInfo("Asia/Kolkata")
    assert only("2 hours ago", NOW, kolkata) == "2026-03-11 18:00/2026-03-11 19:00 hour"


def test_what_leaves_the_calendar_is_no_mention() -> None:
    assert said("9000 years ago, in 9999 years, 九千年前") == []
    assert dates.find("yesterday", 10**18, UTC) == []


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("We moved in March, on March 5", "2026-03-05/2026-03-06"),
        ("Last week I bought a ticket for 2026-05-20", "2026-03-02/2026-03-09"),
        ("Before Friday it broke; yesterday it was mended", "2026-03-10/2026-03-11"),
        ("It has been down since Monday", "2026-03-09/2026-03-11 15:00"),
    ],
)
def test_the_time_of_an_event_is_the_first_date_said_at_its_most_exact(text: str, meant: str) -> None:
    interval = dates.event_time(text, NOW, UTC)
    assert interval is not None
    assert shown(interval) == meant


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("The fair runs from 1 June to 12 June", "2026-06-01/2026-06-13"),
        ("June 1 – June 12", "2026-06-01/2026-06-13"),
        ("1 June through 12 June", "2026-06-01/2026-06-13"),
        ("June 1 until June 12", "2026-06-01/2026-06-13"),
        ("2026-06-01 to 2026-06-12", "2026-06-01/2026-06-13"),
        ("I was in Rome from March to May", "2026-03-01/2026-06-01"),
        ("between 2 and 5 May", "2026-05-02/2026-05-06"),
        ("between 28 April and 3 May", "2026-04-28/2026-05-04"),
        ("in March and April", "2026-03-01/2026-05-01"),
        ("between March and April", "2026-03-01/2026-05-01"),
        ("6月1号至6月12号", "2026-06-01/2026-06-13"),
        ("下周一到下周三出差", "2026-03-16/2026-03-19"),
        ("3月1日和3月5日之间", "2026-03-01/2026-03-06"),
    ],
)
def test_two_dates_joined_by_a_word_of_duration_are_one_stretch_of_time(text: str, meant: str) -> None:
    assert [shown(mention.interval) for mention in dates.periods(text, NOW, UTC)] == [meant]
    interval = dates.event_time(text, NOW, UTC)
    assert interval is not None
    assert (shown(interval), interval.precision) == (meant, "span")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("1 June to 12 June 2025", "2025-06-01/2025-06-13"),
        ("from March to May 2024", "2024-03-01/2024-06-01"),
        ("from March 2024 to May", "2024-03-01/2024-06-01"),
        ("from December 2024 to January", "2024-12-01/2025-02-01"),
        ("去年三月到五月", "2025-03-01/2025-06-01"),
        ("28 December to 3 January 2026", "2025-12-28/2026-01-04"),
        ("from September to February", "2025-09-01/2026-03-01"),
    ],
)
def test_one_year_is_said_for_both_ends_and_the_end_comes_after_the_beginning(text: str, meant: str) -> None:
    interval = dates.event_time(text, NOW, UTC)
    assert interval is not None
    assert shown(interval) == meant


@pytest.mark.parametrize(
    "text",
    [
        "moved the launch from 5 March to 12 March",
        "The launch was pushed from 5 March to 12 March",
        "我们推迟了，3月5号到3月12号",
        "moved from 5 March to Berlin, on 12 March",
        "5 March and 12 March",
        "5 March. 12 March",
        "5 March to 1 March",
    ],
)
def test_a_change_of_date_and_mere_neighbours_are_no_stretch_of_time(text: str) -> None:
    interval = dates.event_time(text, NOW, UTC)
    assert interval is not None
    assert shown(interval) == "2026-03-05/2026-03-06"


def test_a_pause_or_a_new_clause_after_yesterday_joins_nothing_to_it() -> None:
    for text in ("It worked yesterday – today it broke", "It worked yesterday and today it broke"):
        assert [mention.words for mention in dates.periods(text, NOW, UTC)] == ["yesterday", "today"]


def test_a_text_without_a_date_or_with_only_a_bound_has_no_event_time() -> None:
    assert dates.event_time("we use pytest", NOW, UTC) is None
    assert dates.event_time("finish it before Friday", NOW, UTC) is None


@pytest.mark.parametrize("text", MANY)
def test_every_date_word_is_seen_by_the_quick_look_that_lets_other_texts_pass(text: str) -> None:
    assert said(f"{'x' * 40} {text}"), text


def test_a_wrong_time_of_day_leaves_the_day() -> None:
    assert only("昨天二三点") == "2026-03-10/2026-03-11 day"
    assert only("yesterday at 33:99") == "2026-03-10/2026-03-11 day"
    assert said("9999年12月31日, March 5, 9999, 370年十一月") == []
    assert said("今天晚上", dates.moment("9999-12-31T12:00Z")) == []
    assert said("March 7-5") == []


@given(
    st.lists(st.one_of(st.sampled_from(MANY + ODD), st.text(max_size=8)), max_size=8), st.sampled_from(["", " ", ", "])
)
def test_no_text_raises_and_mentions_are_ordered_disjoint_and_verbatim(parts: list[str], glue: str) -> None:
    text = glue.join(parts)
    place = 0
    for mention in dates.find(text, NOW, BERLIN):
        assert place <= mention.start < mention.end <= len(text)
        assert text[mention.start : mention.end] == mention.words
        assert mention.interval.start < mention.interval.end
        place = mention.end


@given(
    st.sampled_from(["yesterday", "last Friday", "3 days ago", "上周五", "two months ago", "月底", "this morning"]),
    st.integers(dates.moment("1800-01-01"), dates.moment("2200-01-01")),
    st.integers(-840, 840),
)
def test_each_word_means_the_same_wall_clock_time_in_every_zone(word: str, now: int, minutes: int) -> None:
    zone = timezone(timedelta(minutes=minutes))
    shift = minutes * 60_000
    there, utc = dates.find(word, now, zone)[0].interval, dates.find(word, now + shift, UTC)[0].interval
    assert (there.start + shift, there.end + shift) == (utc.start, utc.end)


@given(st.integers(dates.moment("1800-01-01"), dates.moment("2200-01-01")))
def test_last_lies_before_today_and_next_after_it(now: int) -> None:
    today = dates.find("today", now, UTC)[0].interval
    assert today.contains(now)
    for weekday in ("Monday", "Friday", "Sunday"):
        last, near, coming = (
            dates.find(f"{which} {weekday}", now, UTC)[0].interval for which in ("last", "on", "next")
        )
        assert last.end <= today.start < today.end <= coming.start
        assert near.start <= today.start
        assert coming.start - last.start in (7 * 86_400_000, 14 * 86_400_000)
