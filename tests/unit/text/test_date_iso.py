"""Timestamps given as arguments: strict, UTC where no zone is given, the whole of what they name."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.errors import UsageError
from mnemopi.text import dates

DAY = 86_400_000
SHANGHAI = ZoneInfo("Asia/Shanghai")


def shown(value: object) -> tuple[str, str, str]:
    interval = dates.parse(value)  # type: ignore[arg-type]
    return dates.iso(interval.start), dates.iso(interval.end), interval.precision


@pytest.mark.parametrize(
    ("said", "start", "end", "precision"),
    [
        ("2026", "2026-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z", "year"),
        ("2024-02", "2024-02-01T00:00:00.000Z", "2024-03-01T00:00:00.000Z", "month"),
        ("2026-W11", "2026-03-09T00:00:00.000Z", "2026-03-16T00:00:00.000Z", "week"),
        ("2026-W11-3", "2026-03-11T00:00:00.000Z", "2026-03-12T00:00:00.000Z", "day"),
        ("2026-03-05", "2026-03-05T00:00:00.000Z", "2026-03-06T00:00:00.000Z", "day"),
        ("20260305", "2026-03-05T00:00:00.000Z", "2026-03-06T00:00:00.000Z", "day"),
        ("2026-03-05T10", "2026-03-05T10:00:00.000Z", "2026-03-05T11:00:00.000Z", "hour"),
        ("2026-03-05T10:20", "2026-03-05T10:20:00.000Z", "2026-03-05T10:21:00.000Z", "minute"),
        (" 2026-03-05 10:20:30 ", "2026-03-05T10:20:30.000Z", "2026-03-05T10:20:31.000Z", "instant"),
        ("2026-03-05T10:20:30.5Z", "2026-03-05T10:20:30.500Z", "2026-03-05T10:20:30.600Z", "instant"),
        ("2026-03-05T10:20:30,123456z", "2026-03-05T10:20:30.123Z", "2026-03-05T10:20:30.124Z", "instant"),
        ("2026-03-05T10:20:30+08:00", "2026-03-05T02:20:30.000Z", "2026-03-05T02:20:31.000Z", "instant"),
        ("20260305T102030-0330", "2026-03-05T13:50:30.000Z", "2026-03-05T13:50:31.000Z", "instant"),
        ("1969-07-20T20:17Z", "1969-07-20T20:17:00.000Z", "1969-07-20T20:18:00.000Z", "minute"),
        ("0001-01-01", "0001-01-01T00:00:00.000Z", "0001-01-02T00:00:00.000Z", "day"),
        ("9999-12-31", "9999-12-31T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "day"),
    ],
)
def test_an_iso_form_is_the_whole_of_what_it_names(said: str, start: str, end: str, precision: str) -> None:
    assert shown(said) == (start, end, precision)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "yesterday",
        "2026-13-01",
        "2026-02-30",
        "2026-2-3",
        "2026-0305",
        "2026-03-05T24:00",
        "2026-03-05T10:61",
        "2026-03-05T10:00+25:00",
        "2026-03-05T10:00+01:75",
        "2026-W60",
        "0000-01-01",
        "0000",
        "05/03/2026",
        "1772700000",
        "17727000000",
        "202603051020",
        "20260305102030",
        "177270000000000",
        "１７７２７０００００００００",
        "２０２６-03-05",
        True,
        False,
        None,
        float("nan"),
        float("inf"),
        float("-inf"),
        10**18,
        -(10**18),
        b"2026",
        "9" * 5000,
        "0001-01-01T00:00+14:00",
    ],
)
def test_anything_else_is_an_error_with_a_hint(value: object) -> None:
    with pytest.raises(UsageError) as caught:
        dates.parse(value)  # type: ignore[arg-type]
    assert caught.value.hint
    assert len(caught.value.message) < 120


def test_a_number_is_epoch_milliseconds() -> None:
    assert shown(1_772_700_000_000) == ("2026-03-05T08:40:00.000Z", "2026-03-05T08:40:00.001Z", "instant")
    assert dates.moment(-1) == -1
    assert dates.moment(1.9) == 1
    assert dates.moment(-1.5) == -2
    assert dates.moment(0) == 0


@pytest.mark.parametrize("ms", [100_000_000_000, 946_684_800_000, 1_772_700_000_000, 2_000_000_000_000, 10**13])
def test_digits_alone_are_epoch_milliseconds(ms: int) -> None:
    assert dates.parse(f" {ms} ") == dates.parse(ms)


def test_a_number_that_looks_like_seconds_is_refused_with_the_milliseconds_it_would_be() -> None:
    with pytest.raises(UsageError) as caught:
        dates.parse(1_772_700_000)
    assert "1772700000000" in caught.value.hint


def test_a_datetime_without_a_zone_is_utc() -> None:
    assert dates.moment(datetime(2026, 3, 5, 10)) == dates.moment("2026-03-05T10:00Z")
    assert dates.moment(datetime(2026, 3, 5, 10, tzinfo=SHANGHAI)) == dates.moment("2026-03-05T02:00Z")
    assert dates.parse(date(2026, 3, 5)) == dates.parse("2026-03-05")


def test_a_zone_is_where_values_without_an_offset_are_read() -> None:
    assert dates.moment("2026-03-05", SHANGHAI) == dates.moment("2026-03-04T16:00Z")
    assert dates.moment("2026-03-05T10:00", SHANGHAI) == dates.moment("2026-03-05T02:00Z")
    assert dates.moment("2026-03-05T10:00Z", SHANGHAI) == dates.moment("2026-03-05T10:00Z")
    assert dates.moment(datetime(2026, 3, 5, 10), SHANGHAI) == dates.moment("2026-03-05T02:00Z")


def test_a_day_of_a_zone_with_summer_time_may_have_23_or_25_hours() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    spring, autumn = dates.parse("2026-03-29", berlin), dates.parse("2026-10-25", berlin)
    assert spring.end - spring.start == 23 * 3_600_000
    assert autumn.end - autumn.start == 25 * 3_600_000


@pytest.mark.parametrize("ms", [-(10**15), 10**15])
def test_iso_refuses_what_lies_outside_the_calendar(ms: int) -> None:
    with pytest.raises(UsageError):
        dates.iso(ms)


@given(st.datetimes(timezones=st.just(UTC)))
def test_iso_and_moment_undo_each_other(when: datetime) -> None:
    ms = dates.moment(when)
    assert dates.moment(dates.iso(ms)) == ms
    assert datetime.fromisoformat(dates.iso(ms)) == when - timedelta(microseconds=when.microsecond % 1000)


@given(st.dates(min_value=date(1, 1, 2), max_value=date(9999, 12, 29)), st.integers(-840, 840))
def test_the_days_of_a_zone_follow_each_other_without_a_gap(day: date, minutes: int) -> None:
    zone = timezone(timedelta(minutes=minutes))
    today, tomorrow = dates.parse(day, zone), dates.parse(day + timedelta(days=1), zone)
    assert today.end == tomorrow.start == today.start + DAY


@given(st.text())
def test_a_string_is_read_or_refused(said: str) -> None:
    try:
        interval = dates.parse(said)
    except UsageError:
        return
    assert interval.start < interval.end
