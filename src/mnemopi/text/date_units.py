"""Calendar units as intervals: days, weeks, months, quarters, years and parts of a day, in a zone.

Arithmetic only; no words are read here. Days start at local midnight and may last 23 or 25 hours. Weeks start
on Monday. Where the calendar ends (year 9999) the last millisecond is the end.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo

from mnemopi.model.interval import Interval, Precision

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)
FIRST = (datetime(1, 1, 1, tzinfo=UTC) - EPOCH) // _MS
LAST = (datetime(9999, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC) - EPOCH) // _MS

PARTS = {"dawn": (0, 6), "morning": (6, 12), "noon": (11, 14), "afternoon": (12, 18), "evening": (18, 22)}
PARTS |= {"night": (22, 30), "late": (18, 30)}
"""Hours of local time from the midnight that starts the day; "late" is evening and night together."""

MINUTE, HOUR = 60_000, 3_600_000
_HALVES = {"hour": (30, "minute"), "day": (12, "hour"), "month": (15, "day"), "year": (6, "month")}
_CLOCK = {"minute": MINUTE, "hour": HOUR}


def milliseconds(moment: datetime) -> int:
    """Turn an aware datetime into UTC milliseconds since the epoch, rounded down."""
    return (moment - EPOCH) // _MS


def stretch(first: date, last: date, zone: tzinfo, precision: Precision) -> Interval:
    """Return the interval from the start of one day to the end of another, both included."""
    start = milliseconds(datetime.combine(first, time(), zone))
    if last == date.max:
        return Interval(start, LAST, precision)
    return Interval(start, milliseconds(datetime.combine(last + timedelta(days=1), time(), zone)), precision)


def month(year: int, number: int, zone: tzinfo) -> Interval:
    """Return a calendar month. Raises ValueError for a month or year that does not exist."""
    return stretch(date(year, number, 1), month_end(year, number), zone, "month")


def year(number: int, zone: tzinfo) -> Interval:
    """Return a calendar year. Raises ValueError for a year that does not exist."""
    return stretch(date(number, 1, 1), date(number, 12, 31), zone, "year")


def month_end(year: int, number: int) -> date:
    """Return the last day of a month."""
    return date(year, 12, 31) if number == 12 else date(year, number + 1, 1) - timedelta(days=1)


def add_months(day: date, months: int) -> date:
    """Move a date by months; a day the month lacks becomes its last. Raises ValueError out of the calendar."""
    years, index = divmod(day.month - 1 + months, 12)
    end = month_end(day.year + years, index + 1)
    return end.replace(day=min(day.day, end.day))


def whole(count: float, unit: str) -> tuple[int, str]:
    """Say half a unit in whole smaller ones: half a year is 6 months. Raises ValueError for half a week."""
    if count == int(count):
        return int(count), unit
    if unit not in _HALVES:
        raise ValueError(f"no half of a {unit}")
    return _HALVES[unit]


class Reference:
    """The moment and place words are read from: "yesterday" is the day before `today` in `zone`.

    Raises OverflowError or ValueError where `now` (UTC ms) or a result lies outside the calendar.
    """

    __slots__ = ("now", "today", "zone")

    def __init__(self, now: int, zone: tzinfo) -> None:
        self.now, self.zone = now, zone
        self.today = (EPOCH + timedelta(milliseconds=now)).astimezone(zone).date()

    def day(self, day: date) -> Interval:
        """Return the whole of a day."""
        return stretch(day, day, self.zone, "day")

    def days(self, first: date, last: date) -> Interval:
        """Return a run of days, both ends included. Raises ValueError where it runs backwards."""
        if last < first:
            raise ValueError(f"{last} lies before {first}")
        return stretch(first, last, self.zone, "span")

    def monday(self, weeks: int) -> date:
        """Return the Monday of the week that lies `weeks` from this one."""
        return self.today + timedelta(days=7 * weeks - self.today.weekday())

    def weekday(self, weekday: int, *, forward: bool, strict: bool) -> date:
        """Return the nearest such weekday (Monday is 0) in a direction; `strict` leaves out today."""
        days = (weekday - self.today.weekday()) % 7 if forward else -((self.today.weekday() - weekday) % 7)
        if strict and not days:
            days = 7 if forward else -7
        return self.today + timedelta(days=days)

    def moved(self, name: str, count: int) -> Reference:
        """Return the reference `count` units away: for units longer than hours, noon of that day."""
        if name in _CLOCK:
            return Reference(self.now + count * _CLOCK[name], self.zone)
        return Reference(self.clock(self.away(name, count), 12 * 60), self.zone)

    def part(self, day: date, name: str) -> Interval:
        """Return a part of a day by its name in PARTS; a night ends the next morning."""
        first, last = PARTS[name]
        return Interval(self.clock(day, first * 60), self.clock(day, last * 60), "part")

    def clock(self, day: date, minutes: int) -> int:
        """Return the moment (UTC ms) at which the clocks of a day show so many minutes after midnight."""
        days, minutes = divmod(minutes, 24 * 60)
        return milliseconds(datetime.combine(day + timedelta(days=days), time(*divmod(minutes, 60)), self.zone))

    def unit(self, name: str, offset: int) -> Interval:
        """Return the calendar unit `offset` units from the present one: ("week", -1) is last week."""
        if name in _CLOCK:
            return self._clock_unit(name, offset)
        if name == "day":
            return self.day(self.today + timedelta(days=offset))
        if name == "week":
            monday = self.monday(offset)
            return stretch(monday, monday + timedelta(days=6), self.zone, "week")
        if name == "year":
            return year(self.today.year + offset, self.zone)
        if name == "quarter":
            there = add_months(self.today, 3 * offset)
            return self.quarter(there.year, (there.month + 2) // 3)
        there = add_months(self.today, offset)
        return month(there.year, there.month, self.zone)

    def _clock_unit(self, name: str, offset: int) -> Interval:
        length = _CLOCK[name]
        moment = self.now + offset * length
        # Hours are counted on the local clock, since some zones lie half an hour off UTC.
        shift = self._local(moment).utcoffset() or timedelta()
        start = moment - (moment + shift // _MS) % length
        return Interval(start, start + length, "hour" if name == "hour" else "minute")

    def quarter(self, year: int, number: int) -> Interval:
        """Return a quarter of a calendar year, 1 to 4."""
        return stretch(date(year, 3 * number - 2, 1), month_end(year, 3 * number), self.zone, "quarter")

    def half(self, year: int, number: int) -> Interval:
        """Return the first or the second half of a calendar year, 1 or 2."""
        return self.days(date(year, 6 * number - 5, 1), month_end(year, 6 * number))

    def span(self, name: str, count: int) -> Interval:
        """Return the time from now to `count` units away (negative: back); days and longer are whole days."""
        if name in _CLOCK:
            moment = self.now + count * _CLOCK[name]
        else:
            day = self.away(name, count)
            moment = self.day(day).start if count < 0 else self.day(day).end
        return Interval(min(moment, self.now), max(moment, self.now), "span")

    def away(self, name: str, count: int) -> date:
        """Return the day that lies `count` days, weeks, months, quarters or years from today."""
        if name in ("day", "week"):
            return self.today + timedelta(days=count * (7 if name == "week" else 1))
        return add_months(self.today, count * {"month": 1, "quarter": 3, "year": 12}[name])

    def edge(self, whole: Interval, name: str) -> Interval:
        """Return a part of a month, quarter or year: "early", "mid", "late" its thirds, "start", "end" its sixths."""
        length = whole.end - whole.start
        first, last = {"early": (0, 2), "mid": (2, 4), "late": (4, 6), "start": (0, 1), "end": (5, 6)}[name]
        return Interval(
            self._midnight(whole.start + length * first // 6), self._midnight(whole.start + length * last // 6)
        )

    def year(self, there: Interval) -> int:
        """Return the year in which an interval begins."""
        return self._local(there.start).year

    def years(self, whole: Interval, count: int) -> Interval:
        """Move an interval of whole days by years. Raises ValueError where a year lacks the day."""
        first, last = self._local(whole.start).date(), self._local(whole.end - 1).date()
        if last == month_end(last.year, last.month):
            last = month_end(last.year + count, last.month)
        else:
            last = last.replace(year=last.year + count)
        return stretch(first.replace(year=first.year + count), last, self.zone, whole.precision)

    def _local(self, moment: int) -> datetime:
        return (EPOCH + timedelta(milliseconds=moment)).astimezone(self.zone)

    def _midnight(self, moment: int) -> int:
        """Round to the nearest local midnight."""
        local = self._local(moment) + timedelta(hours=12)
        return milliseconds(datetime.combine(local.date(), time(), self.zone))
