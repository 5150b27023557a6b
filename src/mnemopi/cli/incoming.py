"""What comes in: a text as an argument, or on standard input."""

from __future__ import annotations

import sys

from mnemopi.errors import UsageError


def text(given: str) -> str:
    """Return the text, from standard input for `-`, without the newline that a pipe ends with."""
    if given != "-":
        return given
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"standard input is not UTF-8 (byte {error.start:,})", hint="convert it first, with iconv for one"
        ) from error
