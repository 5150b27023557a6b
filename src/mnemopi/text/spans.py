"""Sentences of a text as spans. English and Chinese.

A span is verbatim: nothing is shortened within. A fenced block is one span, and so is a line without a full stop.
Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mnemopi.text.regex import compiled

_FENCED: Final = r"(?ms)^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)"
_FENCES: Final = ("```", "~~~")
_END: Final = r"[。！？；]+[”’」』）]*|(?<![.!?…])[.!?…]+[\"'”’)\]]*(?=\s)|\n+"
_INITIAL: Final = r"(?:^|[\s(])(?:[A-Za-z]|Mr|Mrs|Ms|Dr|St|No|vs|etc|e\.g|i\.e|cf)\.$"


def spans(text: str) -> list[tuple[int, int]]:
    """Return where each sentence of a text stands: (start, end), without the white space around it."""
    found: list[tuple[int, int]] = []
    place = 0
    for block in compiled(_FENCED).finditer(text) if any(fence in text for fence in _FENCES) else ():
        found += _sentences(text, place, block.start())
        found.append((block.start(), block.end()))
        place = block.end()
    found += _sentences(text, place, len(text))
    return [span for span in (_bare(text, *each) for each in found) if span[0] < span[1]]


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    begin = start
    for mark in compiled(_END).finditer(text, start, end):
        if "." in mark.group() and _goes_on(text, begin, mark):
            continue
        yield begin, mark.end()
        begin = mark.end()
    yield begin, end


def _goes_on(text: str, begin: int, mark: re.Match[str]) -> bool:
    """A full stop in the middle: after an initial or an abbreviation, or before a small letter."""
    following = text[mark.end() : mark.end() + 2].lstrip(" ")[:1]
    if following.islower():
        return True
    return compiled(_INITIAL).search(text, max(begin, mark.start() - 5), mark.start() + 1) is not None


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())
