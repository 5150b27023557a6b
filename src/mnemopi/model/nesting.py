"""How deep the JSON of a memory may be nested, and what becomes of what is deeper: a text, so that nothing is lost.

Readers of JSON give up at some depth, each at another one: what the one took, the other cannot answer with. So there is
one limit, far below all of theirs. It is looked for in what is written, without recursion, so no depth is too much.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

DEEPEST: Final = 64
"""Levels that metadata may have: `{}` is one, `{"a": []}` two."""
_AROUND: Final = 16
"""Levels that a message may have around the metadata that it carries."""
_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', re.DOTALL)


def fits(written: str) -> bool:
    """Whether JSON is nested no deeper than metadata may be."""
    return next(_deeper(written, DEEPEST), None) is None


def flat(written: str, most: int = DEEPEST) -> str:
    """Return JSON with what is nested deeper than `most` levels as a text that holds its JSON."""
    parts, told = [], 0
    for start, stop in _deeper(written, most):
        parts += [written[told:start], json.dumps(written[start:stop], ensure_ascii=False)]
        told = stop
    return "".join((*parts, written[told:]))


def carried(message: str) -> str:
    """Return a message as any reader can read it; metadata in it that are too deep still are, and can be refused."""
    return flat(message, DEEPEST + _AROUND)


def _deeper(written: str, most: int) -> Iterator[tuple[int, int]]:
    """Yield (start, stop) of each outermost part that lies below `most` levels."""
    if written.count("{") + written.count("[") <= most:
        return
    level = start = 0
    for found in _TOKEN.finditer(written):
        if found[0] in ("{", "["):
            level += 1
            if level == most + 1:
                start = found.start()
        elif found[0] in ("}", "]"):
            if level == most + 1:
                yield start, found.end()
            level -= 1
    if level > most:  # it is cut short, and stays so
        yield start, len(written)
