"""What a piece of text may be part of: a date, or a secret. Many a text is told harmless by this, and not searched.

The finders search whole texts, and a piece is all that stands between two white spaces. So this suspects too much,
and must never suspect too little: of whatever `dates` or `redact` find in a text of ASCII, one piece is suspected.
"""

from __future__ import annotations

from typing import Final

from mnemopi.text import date_figures, date_words, redact_pairs, redact_patterns, redact_transport
from mnemopi.text.date_rules import compiled

SECRET: Final = 1
DATE: Final = 2

DATES: Final = f"day|{date_words.SCANNER.anchor}|{date_figures.SCANNER.anchor}"
"""What a text with a date has in it, in English or figures. An anchor has no white space in it, and only those of days
look for more around them."""
_WORDS: Final = (
    redact_patterns.PEM_ANCHOR.split()[0].lower(),
    *(rule.anchor for rule in redact_patterns.NAMED_RULES),
    *redact_pairs.CORES,
    *redact_transport.TELLING,
)
"""The beginnings of secrets that are found by a word, and the words by which they are found; in lower case."""


def of(pieces: str) -> int:
    """Return what pieces, joined by spaces in any order, may be part of: SECRET, DATE, their sum, or 0."""
    date = DATE if compiled(DATES).search(pieces) else 0
    return date + SECRET if _may_be_secret(pieces) else date


def _may_be_secret(pieces: str) -> bool:
    folded = pieces.lower()
    for word in _WORDS:
        if word in folded:
            return True
    # What is told by its shape lies within one piece.
    words = " ".join([word for word in pieces.split() if len(word) >= redact_patterns.SHORTEST])
    return bool(words) and any(True for rule in redact_patterns.anchored(words) for _ in rule.spans(words))
