"""What time a question asks about, and how near a memory is to it."""

from __future__ import annotations

from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.model.interval import Interval
from mnemopi.retrieval.understand import Asked, understand
from mnemopi.text import dates

NOW = dates.moment("2026-03-11T12:00:00Z")
"""A Wednesday."""
DAY = 86_400_000
HOUR = 3_600_000


def test_last_friday_is_that_day() -> None:
    asked = understand("what did we decide last Friday", NOW, UTC)
    assert asked.period == Interval(dates.moment("2026-03-06"), dates.moment("2026-03-07"), "day")


@pytest.mark.parametrize("text", ["what happened in March", "三月发生了什么"])
def test_a_month_is_all_of_it(text: str) -> None:
    period = understand(text, NOW, UTC).period
    assert period is not None
    assert (period.start, period.end) == (dates.moment("2026-03-01"), dates.moment("2026-04-01"))


def test_before_reaches_back_and_after_reaches_on() -> None:
    before = understand("what changed before March 5", NOW, UTC).period
    after = understand("what changed after March 5", NOW, UTC).period
    assert before is not None
    assert after is not None
    assert before.end == dates.moment("2026-03-05")
    assert before.contains(dates.moment("1990-01-01"))
    assert after.start == dates.moment("2026-03-06")
    assert after.contains(dates.moment("2090-01-01"))


def test_until_includes_the_day_that_it_names() -> None:
    period = understand("everything until March 5", NOW, UTC).period
    assert period is not None
    assert period.contains(dates.moment("2026-03-05T23:00:00Z"))


def test_a_question_without_time_asks_for_none() -> None:
    asked = understand("who likes tea", NOW, UTC)
    assert asked.period is None
    assert not asked.current
    assert asked.closeness(Interval(NOW, NOW + 1), 24) == 0
    assert asked.freshness(NOW, 24) == 0


def test_a_date_takes_the_place_of_a_word_for_the_present() -> None:
    assert not understand("what was the current plan yesterday", NOW, UTC).current
    assert understand("what is the current plan", NOW, UTC).current


def test_query_time_moves_what_words_mean() -> None:
    then = dates.moment("2024-07-10T09:00:00Z")
    period = understand("what did we eat yesterday", NOW, UTC, then).period
    assert period is not None
    assert period.contains(dates.moment("2024-07-09T12:00:00Z"))


def test_a_bare_query_time_is_itself_asked_about() -> None:
    asked = understand("what did we eat", NOW, UTC, NOW - 30 * DAY)
    assert asked.closeness(Interval(NOW - 30 * DAY, NOW - 30 * DAY + 1), 24) == 1
    assert asked.closeness(Interval(NOW, NOW + 1), 24) < 1e-6


@given(distance=st.integers(0, 1000), halflife=st.floats(0.1, 1000))
def test_each_halflife_of_age_halves(distance: int, halflife: float) -> None:
    asked = Asked("", NOW, None, current=True)
    there = NOW - distance * HOUR
    once_more = there - round(halflife * HOUR)
    assert asked.freshness(once_more, halflife) == pytest.approx(asked.freshness(there, halflife) / 2, rel=1e-4)


def test_what_lies_ahead_is_as_young_as_can_be() -> None:
    assert Asked("", NOW).age(NOW + DAY, 24) == 1


def test_closeness_is_whole_within_and_halves_outside() -> None:
    asked = understand("what happened on March 5", NOW, UTC)
    day = dates.moment("2026-03-05")
    assert asked.closeness(Interval(day + HOUR, day + HOUR + 1), 24) == 1
    assert asked.closeness(Interval(day - 25 * HOUR, day - 24 * HOUR), 24) == pytest.approx(0.5)
    assert asked.closeness(Interval(day + 2 * DAY, day + 3 * DAY), 24) == pytest.approx(0.5)


@given(text=st.text(max_size=200), now=st.integers(-(10**15), 10**15))
def test_any_text_is_understood_at_any_moment(text: str, now: int) -> None:
    asked = understand(text, now, UTC)
    assert asked.period is None or asked.period.start <= asked.period.end


@pytest.mark.parametrize("question", ["Who owns the gateway today?", "今天谁负责网关？"])
def test_today_is_a_period_and_the_present_as_well(question: str) -> None:
    asked = understand(question, NOW, UTC)
    assert asked.period is not None
    assert asked.current
    assert not understand(question.replace("today", "yesterday").replace("今天", "昨天"), NOW, UTC).current
