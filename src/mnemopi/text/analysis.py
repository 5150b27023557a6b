"""The analysis of one piece of text, as it stands between white space: its terms. What a term is, `tokens` tells."""

from __future__ import annotations

import re
import threading
import unicodedata
from operator import add
from typing import Final, TypeAlias

import Stemmer

from mnemopi.text.language import CHINESE_FUNCTION_CHARACTERS, ENGLISH_FUNCTION_WORDS, UNSPACED
from mnemopi.text.regex import compiled

Terms: TypeAlias = tuple[str, str]
"""The terms of one piece, joined by spaces: those with content, and the function words."""

LONGEST_REMEMBERED: Final = 32
"""A longer piece, or word in one, hardly comes twice (characters)."""
REMEMBERED: Final = 1 << 16
_LONGEST_TERM: Final = 128
_LONGEST_IDENTIFIER: Final = 512

_URL = r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]*://[\w.~:/?#@!$&*+,;=%-]*[\w/]"
_OPTION = r"(?<![^\s([{`'\"=|,;])--?[A-Za-z]\w*(?:[-.]\w+)*"
_AMOUNT = r"(?<![\w.])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\w)"
_NAME = r"\w+(?:(?:[._/:@~\\-]|::|->)\w+)*(?:\+\+\w*|\#(?!\w))?"
_ISSUE = r"\#\d+"
NAME: Final = re.compile(f"{_URL}|{_OPTION}|{_AMOUNT}|{_NAME}|{_ISSUE}")
"""A word or an identifier."""
SCRIPTS: Final = f"([{UNSPACED}]+)|[^{UNSPACED}]+"
"""A run of characters of scripts without spaces (group 1), or of others."""
CAMEL: Final = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
"""What is found in a name in camel case only."""
# What `NAME` takes whole: `src/main.py:12`, `web-server`, `a_b`.
_WHOLE = re.compile(r"[A-Za-z_]\w*(?:[._/:-]\w+)*", re.ASCII).fullmatch
_FUNCTION_RUN = f"[{''.join(sorted(CHINESE_FUNCTION_CHARACTERS))}]"
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+\d*|[A-Z]+\d*|\d+|[^\W\d_A-Za-z][^\W_]*")

_words: dict[str, Terms] = {}


class _Stemmers(threading.local):
    """One stemmer a thread: the C object keeps state between calls."""

    def __init__(self) -> None:
        self.english = Stemmer.Stemmer("english", 0)


_stemmers = _Stemmers()


def terms(piece: str) -> Terms:
    """Return the terms of a piece: of text in the form NFKC, without white space."""
    if not piece.isascii():
        return _mixed(piece)
    if piece.islower():
        if piece.isalpha():
            return _words.get(piece) or _word(piece)
        if " " in (spaced := _spaced(piece)) and _WHOLE(piece) and len(piece) <= _LONGEST_TERM:
            known = [*map(_words.get, spaced.split())]
            if None not in known:
                content, functions = zip(*known, strict=True)
                return " ".join([piece, *filter(None, content)]), " ".join([*filter(None, functions)])
    content, functions = [], []
    _add_words(piece, content, functions)
    return " ".join(content), " ".join(functions)


def _spaced(name: str) -> str:
    return name.replace("_", " ").replace("/", " ").replace(".", " ").replace(":", " ").replace("-", " ")


def _mixed(piece: str) -> Terms:
    content: list[str] = []
    functions: list[str] = []
    for run in compiled(SCRIPTS).finditer(piece):
        if run[1]:
            _add_grams(run[1], content, functions)
        else:
            _add_words(run[0], content, functions)
    return " ".join(content), " ".join(functions)


def _add_grams(run: str, content: list[str], functions: list[str]) -> None:
    for part in compiled(_FUNCTION_RUN).split(run):
        content.extend(part)
        content.extend(map(add, part, part[1:]))
    functions.extend(dict.fromkeys(compiled(_FUNCTION_RUN).findall(run)))


def _add_words(piece: str, content: list[str], functions: list[str]) -> None:
    # What Python would take as a name is one piece to the pattern, too.
    for name in (piece,) if piece.isascii() and piece.isidentifier() else NAME.findall(piece):
        if name.isalpha() and (name[1:].islower() or not CAMEL.search(name)):
            parts = [name]
        else:
            content.append(_fold(name.replace(",", "") if name[0].isdigit() else name)[:_LONGEST_TERM])
            parts = _PART.findall(name[:_LONGEST_IDENTIFIER])
            if len(parts) == 1 and len(parts[0]) == len(name):
                continue
        for part in parts:
            term, function = _words.get(part) or _word(part)
            if term:
                content.append(term)
            else:
                functions.append(function)


def _word(part: str) -> Terms:
    """Return the stem of a word as (stem, ""), or as ("", word) where it is a function word."""
    word = _fold(part)
    known = ("", word) if word in ENGLISH_FUNCTION_WORDS else (_stemmers.english.stemWord(word)[:_LONGEST_TERM], "")
    if len(part) <= LONGEST_REMEMBERED:
        if len(_words) >= REMEMBERED:
            _words.clear()
        _words[part] = known
    return known


def _fold(word: str) -> str:
    """Lower-case, and drop the accents of Latin letters."""
    word = word.lower()
    if word.isascii():
        return word
    bare = "".join([mark for mark in unicodedata.normalize("NFKD", word) if not unicodedata.combining(mark)])
    return bare if bare.isascii() else word
