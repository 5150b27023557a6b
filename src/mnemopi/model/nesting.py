"""How deep the JSON of a memory may be nested.

Readers of JSON give up at some depth, each at another one, and what one of them wrote is then an answer that no other
can read. So there is one limit, far below all of theirs. It is looked for in what is written, without recursion.
"""

from __future__ import annotations

import re
from typing import Final

DEEPEST: Final = 64
"""Levels that metadata may have: `{}` is one, `{"a": []}` two."""
_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', re.DOTALL)


def fits(written: str) -> bool:
    """Whether JSON is nested no deeper than metadata may be."""
    if written.count("{") + written.count("[") <= DEEPEST:
        return True
    level = 0
    for found in _TOKEN.finditer(written):
        if found[0] in ("{", "["):
            level += 1
            if level > DEEPEST:
                return False
        elif found[0] in ("}", "]"):
            level -= 1
    return True
