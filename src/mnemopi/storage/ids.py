"""Ids of our own. Straight from the system: Python's `secrets` loads a library of ciphers first, on every start."""

from __future__ import annotations

import os


def new(size: int = 8) -> str:
    """Return `size` random bytes as hexadecimal digits, twice as many: fit for ids, and as a key."""
    return os.urandom(size).hex()
