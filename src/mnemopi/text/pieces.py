"""What stands between white space, looked at once: text repeats itself, and most of its pieces were seen before.

Of each piece are known its terms (`analysis`) and what it may be part of (`suspicion`); a piece seen lately costs one
look-up, and one look serves the tokeniser, the reader of dates and the gate against secrets.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Set
from typing import Final, NamedTuple, TypeAlias

from mnemopi.text import analysis, suspicion


class Look(NamedTuple):
    """A text, piece by piece: terms with content, function words, and what it may hold (`suspicion`'s numbers)."""

    content: tuple[str, ...]
    functions: tuple[str, ...]
    holds: frozenset[int]


_Piece: TypeAlias = tuple[str, str, int]
_EMPTY: Final = Look((), (), frozenset())

_known: dict[str, _Piece] = {}
_last: tuple[str, Look] = "", _EMPTY


def look(text: str) -> Look:
    """Look at a text. The last answer is kept, since readers come one after the other."""
    global _last
    last = _last
    if last[0] is not text:
        last = _last = text, _look(text)
    return last[1]


def harmless(text: str, what: int) -> bool:
    """Whether a text certainly holds nothing of the kind (`suspicion`); of one that is not all ASCII never."""
    return text.isascii() and not any(seen & what for seen in look(text).holds)


def _look(text: str) -> Look:
    pieces = (text if text.isascii() else unicodedata.normalize("NFKC", text)).split()
    if not pieces:
        return _EMPTY
    found = [*map(_known.get, pieces)]
    if None in found:
        learned = _learn({piece for piece, seen in zip(pieces, found, strict=True) if seen is None})
        found = [seen or learned[piece] for piece, seen in zip(pieces, found, strict=True)]
    content, functions, holds = zip(*found, strict=True)
    return Look(content, functions, frozenset(holds))


def _learn(pieces: Set[str]) -> dict[str, _Piece]:
    """Look at new pieces; all are suspected in one go, since nearly always none is."""
    suspected = suspicion.of(" ".join(pieces))
    learned: dict[str, _Piece] = {}
    for piece in pieces:
        content, functions = analysis.terms(piece)
        learned[piece] = seen = content, functions, suspected and suspicion.of(piece)
        # Names and runs, which have several terms, seldom come twice: keep the room.
        if " " not in content and len(piece) <= analysis.LONGEST_REMEMBERED:
            if len(_known) >= analysis.REMEMBERED:
                _known.clear()
            _known[piece] = seen
    return learned
