"""Timestamps as programs write them: ISO 8601, epoch milliseconds, datetime and date.

Strict on purpose: words ("last Friday") are for `mnemopi.text.dates`. What is not understood is an error with a
hint, never a guess. A value without a zone is UTC, whatever the machine's zone is, unless the caller names one.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo

from mnemopi.errors import UsageError
from mnemopi.model.interval import Interval, Precision
from mnemopi.text import date_units

_HINT = "use ISO 8601 such as 2026-03-05, 2026-03-05T10:00:00Z or 2026-03, or epoch milliseconds"
_SECONDS = range(946_684_800, 4_102_444_800)  # the years 2000 to 2100 in seconds: as milliseconds early in 1970
_MILLISECONDS = r"[0-9]{13}|(?!19|20)(?:[0-9]{12}|[0-9]{14})"
"""Digits alone, as command lines give a number. 202603051020 and 20260305102030 may be dates run together: no guess."""
_TIME = (
    r"(?P<hour>[0-9]{2})(?::?(?P<minute>[0-9]{2})(?::?(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]{1,9}))?)?)?"
    r"(?: ?(?P<offset>[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?))?"
)
_FORMS = (
    r"(?P<year>[0-9]{4})(?:-(?P<month>[0-9]{2}))?",
    rf"(?P<year>[0-9]{{4}})(?P<dash>-?)(?P<month>[0-9]{{2}})(?P=dash)(?P<day>[0-9]{{2}})(?:[Tt ]{_TIME})?",
    r"(?P<year>[0-9]{4})-?W(?P<week>[0-9]{2})(?:-?(?P<weekday>[1-7]))?",
)
_STEPS: tuple[tuple[str, int, Precision], ...] = (
    ("second", 1_000, "instant"),
    ("minute", 60_000, "minute"),
    ("hour", 3_600_000, "hour"),
)


def parse(value: str | int | float | datetime | date, zone: tzinfo = UTC) -> Interval:
    """Read a timestamp given as an argument into the interval it names.

    A string is ISO 8601, extended or basic: year, month, week, day, hour, minute, second or fraction, each the
    whole of what it names (a bare date is the whole day). A number is epoch milliseconds, and so is a string of 12 to
    14 digits that cannot be a date. `zone` is where a value without an offset is read. Raises UsageError for anything
    else, and outside the years 1 to 9999 of UTC.
    """
    try:
        interval = _read(value, zone)
    except (ValueError, OverflowError) as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"not a timestamp: {_shown(value)}", hint=_HINT) from error
    if not date_units.FIRST <= interval.start < date_units.LAST:
        raise UsageError(f"out of the years 1 to 9999: {_shown(value)}", hint=_HINT)
    return interval


def moment(value: str | int | float | datetime | date, zone: tzinfo = UTC) -> int:
    """Read a timestamp as `parse` does and return its start, in UTC milliseconds."""
    return parse(value, zone).start


def iso(ms: int) -> str:
    """Render UTC milliseconds as `YYYY-MM-DDTHH:MM:SS.mmmZ`. Raises UsageError outside the years 1 to 9999."""
    if not date_units.FIRST <= ms <= date_units.LAST:
        raise UsageError(f"out of the years 1 to 9999: {ms} ms")
    local = date_units.EPOCH + timedelta(milliseconds=ms)
    return local.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def _read(value: object, zone: tzinfo) -> Interval:
    if isinstance(value, str):
        return _read_text(value.strip(), zone)
    if isinstance(value, datetime):
        return _instant(date_units.milliseconds(value if value.tzinfo else value.replace(tzinfo=zone)))
    if isinstance(value, date):
        return date_units.stretch(value, value, zone, "day")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _read_number(value)
    raise UsageError(f"not a timestamp: {_shown(value)}", hint=_HINT)


def _read_number(value: int | float) -> Interval:
    if not math.isfinite(value):
        raise UsageError(f"not a timestamp: {_shown(value)}", hint=_HINT)
    if int(value) in _SECONDS:
        raise UsageError(f"{value} looks like seconds", hint=f"give milliseconds: {int(value * 1000)}")
    return _instant(math.floor(value))


def _read_text(value: str, zone: tzinfo) -> Interval:
    if re.fullmatch(_MILLISECONDS, value):
        return _read_number(int(value))
    found = next((found for form in _FORMS if (found := re.fullmatch(form, value))), None)
    if found is None:
        raise UsageError(f"not a timestamp: {_shown(value)}", hint=_HINT)
    said = {name: text for name, text in found.groupdict().items() if text}
    if "hour" in said:
        return _read_time(said, zone)
    year = int(said["year"])
    if "week" in said:
        day = date.fromisocalendar(year, int(said["week"]), int(said.get("weekday", 1)))
        last = day if "weekday" in said else day + timedelta(days=6)
        return date_units.stretch(day, last, zone, "day" if "weekday" in said else "week")
    if "day" in said:
        day = date(year, int(said["month"]), int(said["day"]))
        return date_units.stretch(day, day, zone, "day")
    if "month" in said:
        return date_units.month(year, int(said["month"]), zone)
    return date_units.year(year, zone)


def _read_time(said: dict[str, str], zone: tzinfo) -> Interval:
    year, month, day, hour, minute, second = (
        int(said.get(name, 0)) for name in ("year", "month", "day", "hour", "minute", "second")
    )
    there = _offset(said["offset"]) if "offset" in said else zone
    start = date_units.milliseconds(datetime(year, month, day, hour, minute, second, tzinfo=there))
    if "fraction" in said:
        digits = said["fraction"][:3]
        start += int(digits.ljust(3, "0"))
        return Interval(start, start + 10 ** (3 - len(digits)), "instant")
    length, precision = next((length, precision) for name, length, precision in _STEPS if name in said)
    return Interval(start, min(start + length, date_units.LAST), precision)


def _offset(said: str) -> tzinfo:
    if said in "Zz":
        return UTC
    hours, minutes = int(said[1:3]), int(said[3:].lstrip(":") or 0)
    if minutes > 59:
        raise ValueError("an offset has fewer than 60 minutes")
    return timezone((1 if said[0] == "+" else -1) * timedelta(hours=hours, minutes=minutes))


def _instant(ms: int) -> Interval:
    return Interval(ms, ms + 1, "instant")


def _shown(value: object) -> str:
    """Show the value in an error: whole where short, its beginning where long."""
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
