"""Whom a question names among those who wrote in a bank, and what is said by them or of them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from mnemopi.text import tokens

_ROLE_WORDS = "user assistant agent system tool human ai bot model me coding admin developer"
_ROLES = frozenset(_ROLE_WORDS.split())
_ASKERS = frozenset({"user", "human"})
_ABOUT = 1.5
"""What it is worth that a text says of somebody what is asked of them, where being said by them is worth 1."""
_MENTIONED = -0.5
"""And that another says it who mentions them; -1 without."""


def named(text: str, terms: Sequence[str], authors: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the authors a question names, and the terms by which it does. A mere role names nobody.

    A part of a name does where it is written as a name: `the build failed` does not speak of `build-bot`.
    """
    asked, lowered = set(terms), text.lower()
    written = set(tokens.content_terms(" ".join(piece for piece in text.split() if not piece.islower())))
    found: set[str] = set()
    names: set[str] = set()
    for author in authors:
        words = _words_of(author)
        whole = words <= asked if author.isascii() else author.lower() in lowered
        spelled = words if whole else words & written if author.isascii() else set()
        if spelled:
            found.add(author)
            names |= spelled
    return frozenset(found), frozenset(names)


def is_asker(author: str | None) -> bool:
    """Whether what the author wrote was said by whoever asks: the user of an agent, by the role that hosts give."""
    return author is not None and author.lower() in _ASKERS


def without_names(text: str, named: Iterable[str]) -> str:
    """Take the named authors out of a question before it is embedded: who spoke is evidence of its own."""
    words = {word for name in named for word in _words_of(name)}
    kept = [piece for piece in text.split() if not words.intersection(tokens.terms(piece))]
    return " ".join(kept) if words and kept else text


def about(text: str, names: frozenset[str]) -> tuple[str, ...]:
    """Return each name with the term that follows it in a question, as a text has them that says the same."""
    pairs = pairwise(tokens.content_terms(text)) if names else ()
    return tuple(f" {name} {term} " for name, term in pairs if name in names and term not in names)


def speaker(text: str, author: str | None, whom: frozenset[str], names: frozenset[str], pairs: Sequence[str]) -> float:
    """Say whether a text (its shadow) is by one of those named: 1, or by another: -1, -.5 where it mentions them.

    1.5 where it says of them what is asked, one of the `pairs` of `about`; 0 where nobody is named, or known to say it.
    """
    if not whom:
        return 0.0
    padded = f" {text} "
    if any(pair in padded for pair in pairs):
        return _ABOUT
    if not author or author in whom:
        return 1.0 if author else 0.0
    return _MENTIONED if any(f" {name} " in padded for name in names) else -1.0


def _words_of(author: str) -> set[str]:
    return {
        word for word in tokens.content_terms(author) if word not in _ROLES and (len(word) > 1 or not word.isascii())
    }
