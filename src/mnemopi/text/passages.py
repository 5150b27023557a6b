"""Cut a long memory into passages: spans small enough to be embedded, quoted and judged on their own.

A passage is a span of the verbatim text; nothing is copied or changed here.
"""

from __future__ import annotations

from typing import Final

from mnemopi.text.regex import compiled

SIZE: Final = 1200
"""Characters: a text up to this long is one passage."""

_LEAST = 0.4
"""A passage is cut at the best break after this share of its size, so that breaks near its start do not shred it."""

_BREAKS = (
    r"\n[^\S\n]*\n\s*",
    r"\n\s*",
    # One class leads, so that the engine skips to the marks: with two alternatives it would stop at each character.
    r"[。！？；.!?;](?:(?<=[。！？；])[。！？；]*[”’」』）]*\s*|(?<=[.!?;])[.!?;]*[\"')\]]*\s+)",
)
"""Paragraphs, lines, sentences: the first kind that occurs late enough is used, else a space between words."""


def passages(text: str, size: int = SIZE) -> list[tuple[int, int]]:
    """Return spans (start, end) of at most `size` characters that follow one another and cover the text.

    A text no longer than `size` is one span; the empty text has none. Cuts are made after the last paragraph, line,
    sentence or space in the room left, in this order of preference, and through a word only where there is none.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > size:
        end = _cut(text, start, start + size)
        spans.append((start, end))
        start = end
    if start < len(text):
        spans.append((start, len(text)))
    return spans


def _cut(text: str, start: int, limit: int) -> int:
    least = start + max(1, int((limit - start) * _LEAST))
    for kind in _BREAKS:
        ends = [found.end() for found in compiled(kind).finditer(text, least, limit)]
        if ends:
            return ends[-1]
    if text[limit - 1].isspace():
        return limit
    words = text[least:limit].rsplit(maxsplit=1)
    return limit - len(words[-1]) if words and len(words[-1]) < limit - least else limit
