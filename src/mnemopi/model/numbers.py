"""Whole numbers that callers give: how many, which version. One check for all doors, so that they refuse the same."""

from __future__ import annotations

from typing import Final

from mnemopi.errors import UsageError

MOST: Final = 2**53
"""The largest that JSON carries as it is; what is reckoned with it still fits where the database keeps numbers."""


def whole(value: object, what: str, least: int = 1, most: int = MOST) -> int:
    """Check a whole number from `least` to `most`. Raises UsageError, also for a boolean."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        reach = f"from {least}" if most == MOST else f"from {least} to {most}"
        given = "one so large" if isinstance(value, int) and abs(value) > MOST else f"{value!r:.60}"
        raise UsageError(f"{what} is a whole number {reach}, not {given}")
    return value
