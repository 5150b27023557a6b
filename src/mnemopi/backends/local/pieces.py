"""Cut a session into parts that a language model can read at once. Pure.

The cut is the same whenever the session is read, as far as it went then: what came of a part is known by the part's
digest, so that a session which grew, or was broken off in the middle, is read on and not again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Final

from mnemopi.backends import stripping
from mnemopi.model.session import Message
from mnemopi.model.values import dataclass
from mnemopi.providers.budget import tokens_of
from mnemopi.text import redact

ANSWER: Final = 4000
"""Characters of a model's own message that are read; what a person says is read whole."""
_HEAD: Final = 0.6
"""The share of what is kept of a text that is its beginning."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a session: its text, and a digest that tells it from any other."""

    text: str
    digest: str


def pieces(messages: Iterable[Message], limit: int) -> Iterator[Piece]:
    """Yield the parts of a session of at most `limit` tokens, messages whole where they fit."""
    part: list[str] = []
    room = limit
    for line in _lines(messages, limit):
        cost = tokens_of(line) + 1
        if part and cost > room:
            yield piece("\n\n".join(part))
            part, room = [], limit
        part.append(line)
        room -= cost
    if part:
        yield piece("\n\n".join(part))


def piece(text: str) -> Piece:
    """Return a text as a part."""
    return Piece(text, hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24])


def cleaned(message: Message) -> str:
    """Return what was said, without what memory put there, broken characters and secrets."""
    return redact.redact(stripping.stripped(message.text).text, "full").text


def clipped(text: str, limit: int) -> str:
    """Cut a text to about `limit` characters: its beginning and its end, and how much was left out between them."""
    if len(text) <= limit:
        return text
    if limit <= 0:
        return ""
    head = int(limit * _HEAD)
    tail = limit - head
    return f"{text[:head]}\n\n[… {len(text) - limit:,} characters left out …]\n\n{text[len(text) - tail :]}"


def _lines(messages: Iterable[Message], limit: int) -> Iterator[str]:
    for message in messages:
        text = cleaned(message)
        if message.role == "assistant":
            text = clipped(text, ANSWER)
        for part in _within(text, limit - 8):
            yield f"{message.role.upper()}: {part}"


def _within(text: str, limit: int) -> Iterator[str]:
    """Yield a text in stretches of at most `limit` tokens, cut at the end of a line or word where there is one."""
    while tokens_of(text) > limit:
        size = limit * 4 if text[: limit * 4].isascii() else limit
        cut = max(text.rfind("\n", size // 2, size), text.rfind(" ", size // 2, size))
        cut = cut if cut > 0 else size
        yield text[:cut]
        text = text[cut:].lstrip()
    if text:
        yield text
