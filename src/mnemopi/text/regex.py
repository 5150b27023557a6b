"""Patterns that are compiled at their first use: compiling all that a program may need takes longer than most run."""

from __future__ import annotations

import re
from functools import cache


@cache
def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Compile a pattern once."""
    return re.compile(pattern, flags)
