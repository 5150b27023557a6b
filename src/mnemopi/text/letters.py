"""Letters that are one to a reader and several to a machine: accents, ligatures, the two ways to write an umlaut.

For the tokeniser. Marks are dropped where words are read without them (Latin, Greek, Cyrillic, Arabic, Hebrew) and kept
where they are vowels (the scripts of India).
"""

from __future__ import annotations

import unicodedata
from typing import Final

from mnemopi.text.regex import compiled

MARKS: Final = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0900-\u0963\u0971-\u0df3\u0f71-\u0f84"
)
"""Members of a character class: what stands on, below or behind a letter and belongs to its word."""
EMOJI: Final = (
    "[\U0001f1e6-\U0001f1ff]{2}|[\u2600-\u27bf\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff]"
)
"""A pattern of one picture: a flag, or a sign without its colour of skin and its joiners."""

_DROPPED: Final = "[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]"
_LETTERS: Final = str.maketrans(
    {
        **dict(zip("øłđðıØŁĐÐىکیة", "olddiOLDDيكيه", strict=True)),
        **{"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "Th"},
    }
)
_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})


def plain(text: str) -> str:
    """Write a text in the letters that all its spellings share; the case stays."""
    if text.isascii():
        return text
    bare = compiled(_DROPPED).sub("", unicodedata.normalize("NFD", text)).translate(_LETTERS)
    return unicodedata.normalize("NFC", bare)


def umlauts_spelled(text: str) -> list[str]:
    """Return the words of a text that have umlauts, as they are written where none can be typed: Müller, Mueller."""
    if text.isascii():
        return []
    words = compiled(r"[^\W\d_]+").findall(text) if not _UMLAUTS.keys().isdisjoint(map(ord, text)) else ()
    return [word.translate(_UMLAUTS) for word in words if not _UMLAUTS.keys().isdisjoint(map(ord, word))]
