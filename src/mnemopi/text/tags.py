"""Blocks between a tag and the one that closes it. A text may hold any number of tags that nothing closes: it is read
once, where a pattern that looks for the end of each would read the rest of the text again for each.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator

from mnemopi.text.regex import compiled

_CLOSING = r"</([a-zA-Z][\w-]*)>"


def replaced(text: str, opening: re.Pattern[str], by: Callable[[str], str], reach: int = sys.maxsize) -> str:
    """Return the text with each block replaced by what `by` makes of it.

    A block begins at a tag that `opening` finds, with the tag's name as its first group, and ends with the first tag
    after it that closes that name, at most `reach` characters further on. Blocks within a block are part of it.
    """
    parts: list[str] = []
    place = 0
    for start, end in _blocks(text, opening, reach):
        parts += (text[place:start], by(text[start:end]))
        place = end
    return "".join([*parts, text[place:]]) if parts else text


def _blocks(text: str, opening: re.Pattern[str], reach: int) -> Iterator[tuple[int, int]]:
    closing: dict[str, list[tuple[int, int]]] = {}
    for tag in reversed(list(compiled(_CLOSING).finditer(text))):
        closing.setdefault(tag[1], []).append(tag.span())
    place = 0
    while closing and (begun := opening.search(text, place)):
        place = begun.end()
        ends = closing.get(begun[1], [])
        while ends and ends[-1][0] < place:
            ends.pop()
        if ends and ends[-1][0] - place <= reach:
            place = ends[-1][1]
            yield begun.start(), place
