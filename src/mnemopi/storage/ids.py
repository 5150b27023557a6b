"""Ids of our own. Straight from the system: Python's `secrets` loads a library of ciphers first, on every start.

The usual ones are drawn many at a time: each call to the system lets other threads in between.
"""

from __future__ import annotations

import os
from typing import Final

_USUAL: Final = 8
_MANY: Final = 256
_drawn: list[str] = []


def new(size: int = _USUAL) -> str:
    """Return `size` random bytes as hexadecimal digits, twice as many: fit for ids, and as a key."""
    if size != _USUAL:
        return os.urandom(size).hex()
    try:
        return _drawn.pop()
    except IndexError:
        fresh = os.urandom(_USUAL * _MANY).hex()
        digits = 2 * _USUAL
        _drawn.extend(fresh[place : place + digits] for place in range(digits, len(fresh), digits))
        return fresh[:digits]


# What was drawn is the parent's: a child that used it would give the same ids to other memories.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_drawn.clear)
