"""Shorten a text for an embedder: what opens it and what closes it stay.

An embedder reads a few hundred tokens and forgets the rest in silence. What is cut, and where, is decided here
instead. Memories are stored whole; only what is embedded is clipped.
"""

from __future__ import annotations

MARKER = "\n\n[...]\n\n"
_LEAST_AROUND_MARKER = 16


def clip(text: str, limit: int) -> str:
    """Cut `text` to `limit` characters: head, marker, tail; 0 means no limit.

    Where the limit leaves no more than 16 characters beside the marker, the tail alone is kept: of a message too long
    to show, the end says what was asked.
    """
    if limit <= 0 or len(text) <= limit:
        return text
    if limit <= len(MARKER) + _LEAST_AROUND_MARKER:
        return text[-limit:]
    head = (limit - len(MARKER)) // 2
    tail = limit - len(MARKER) - head
    return text[:head] + MARKER + text[-tail:]
