"""Turn text into search terms: one analysis for documents, questions, gates and diversity.

A term is what the index holds and what a question asks for:
- Latin words lower-cased, without accents, as light English stems (`deploying` -> `deploy`);
- identifiers whole *and* in parts (`parseConfig_v2` -> `parseconfig_v2 pars config v2`): names in camel or snake case,
  paths, dotted names, options, versions, URLs, addresses, error codes, `C++` and `c#`;
- Chinese, Japanese, Korean and South-East Asian text as single characters and pairs of neighbours;
- function words (`the`, `的`), which no pair crosses and which stand once, after all else;
- `?` as the very last, where a text ends by asking: what follows such a text is likely the answer.

The analysis is made per piece between white space and remembered for pieces seen lately: text repeats itself, so most
pieces cost one look-up. Changing what it yields means a new `ANALYZER`, by which stored search rows are made again.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from operator import add, itemgetter
from typing import Final, TypeAlias

import Stemmer

from mnemopi.text.language import (
    CHINESE_FUNCTION_CHARACTERS,
    ENGLISH_FUNCTION_WORDS,
    UNSPACED,
    is_function_word,
)
from mnemopi.text.regex import compiled

ANALYZER: Final = "stems-ngrams-identifiers/2"
"""Name and version of the analysis; kept with each index."""

_Terms: TypeAlias = tuple[str, str]
"""The terms of one piece, joined by spaces: those with content, and the function words."""

_CONTENT: Final = itemgetter(0)
_FUNCTIONS: Final = itemgetter(1)

ASKS: Final = "?"
"""The mark that ends the shadow of a text which ends with a question mark; never a term of a question."""

_QUESTION_MARKS = ("?", "？", "؟")
_LONGEST_TERM = 128
_LONGEST_IDENTIFIER = 512
_REMEMBERED = 1 << 16
_LONGEST_REMEMBERED = 32

_URL = r"[A-Za-z][A-Za-z0-9+.-]*://[\w.~:/?#@!$&*+,;=%-]*[\w/]"
_OPTION = r"(?<![^\s([{`'\"=|,;])--?[A-Za-z]\w*(?:[-.]\w+)*"
_AMOUNT = r"(?<![\w.])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\w)"
_NAME = r"\w+(?:(?:[._/:@~\\-]|::|->)\w+)*(?:\+\+\w*|\#(?!\w))?"
_ISSUE = r"\#\d+"
_PIECE = re.compile(f"{_URL}|{_OPTION}|{_AMOUNT}|{_NAME}|{_ISSUE}")
_SCRIPTS = f"([{UNSPACED}]+)|[^{UNSPACED}]+"
_FUNCTION_RUN = f"[{''.join(sorted(CHINESE_FUNCTION_CHARACTERS))}]"
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+\d*|[A-Z]+\d*|\d+|[^\W\d_A-Za-z][^\W_]*")
_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_MIXED = re.compile(r"(?=.*\d)(?=.*[^\W\d_])")
_JOINED = re.compile(r"\w[_./:@~\\]\w|^--?[A-Za-z]|^_|[+\#_]$|::|->|^\#")


class _Pieces(dict[str, _Terms]):
    """The terms of pieces seen lately; a piece that is not there is analysed."""

    def __missing__(self, piece: str) -> _Terms:
        return _learn(piece)


_known = _Pieces()
_words: dict[str, _Terms] = {}


class _Stemmers(threading.local):
    """One stemmer a thread: the C object keeps state between calls."""

    def __init__(self) -> None:
        self.english = Stemmer.Stemmer("english", 0)


_stemmers = _Stemmers()


def shadow(text: str) -> str:
    """Return the search text: terms joined by single spaces, as often and in the order they occur.

    Function words come last, each distinct one once, so that they cost little room and yet a question made of nothing
    else finds something; after them `?` (`ASKS`) where the text ends with a question mark. A term holds no white space,
    no control character and no double quote; a term longer than 128 characters is cut. The parts of an identifier are
    those of its first 512 characters.
    """
    found = _terms(text)
    if text.rstrip().endswith(_QUESTION_MARKS):
        found.append(ASKS)
    return " ".join(found)


def asks(shadow: str) -> bool:
    """Whether the text of this shadow ended with a question mark."""
    return shadow.endswith(ASKS) and shadow[-2:-1] in ("", " ")


def terms(text: str) -> list[str]:
    """Return the distinct terms of a question: those with content in their order, then function words."""
    return list(dict.fromkeys(" ".join(_terms(text)).split()))


def content_terms(text: str) -> list[str]:
    """Return the distinct terms of a question without function words; may be empty."""
    return list(dict.fromkeys(" ".join([pair[0] for pair in _analyse(text)]).split()))


def is_identifier(term: str) -> bool:
    """Whether a term has the shape of an identifier: joined by `_./:@`, an option, or letters mixed with digits.

    Terms are lower-cased, so names in camel case are not told from words; `identifiers` sees them in the text.
    """
    return bool(_JOINED.search(term) or _MIXED.match(term))


def identifiers(text: str) -> list[str]:
    """Return the distinct identifiers of a text, letter by letter as they stand there."""
    found: dict[str, None] = {}
    if not text.isascii():
        text = compiled(_SCRIPTS).sub(lambda run: " " if run[1] else run[0], text)
    for piece in _PIECE.findall(text):
        if is_identifier(piece) or _CAMEL.search(piece):
            found[piece] = None
    return list(found)


def _terms(text: str) -> list[str]:
    """Terms and runs of terms: content in order, then the distinct function words."""
    pairs = _analyse(text)
    found = list(filter(None, map(_CONTENT, pairs)))
    found += dict.fromkeys(" ".join(dict.fromkeys(map(_FUNCTIONS, pairs))).split())
    return found


def _analyse(text: str) -> list[_Terms]:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return list(map(_known.__getitem__, text.split()))


def _learn(piece: str) -> _Terms:
    if piece.islower() and piece.isascii() and piece.isalpha():
        pair = _words.get(piece) or _word(piece)
        _remember(piece, pair)
        return pair
    content: list[str] = []
    functions: list[str] = []
    if piece.isascii():
        _add_words(piece, content, functions)
    else:
        for run in compiled(_SCRIPTS).finditer(piece):
            if run[1]:
                _add_grams(run[1], content, functions)
            else:
                _add_words(run[0], content, functions)
    pair = " ".join(content), " ".join(functions)
    if len(content) < 2:  # names and runs seldom come twice: keep the room
        _remember(piece, pair)
    return pair


def _remember(piece: str, pair: _Terms) -> None:
    if len(piece) <= _LONGEST_REMEMBERED:
        if len(_known) >= _REMEMBERED:
            _known.clear()
        _known[piece] = pair


def _add_grams(run: str, content: list[str], functions: list[str]) -> None:
    for part in compiled(_FUNCTION_RUN).split(run):
        content.extend(part)
        content.extend(map(add, part, part[1:]))
    functions.extend(dict.fromkeys(compiled(_FUNCTION_RUN).findall(run)))


def _add_words(piece: str, content: list[str], functions: list[str]) -> None:
    # What Python would take as a name is one piece to the pattern, too.
    for name in (piece,) if piece.isascii() and piece.isidentifier() else _PIECE.findall(piece):
        if name.isalpha() and (name[1:].islower() or not _CAMEL.search(name)):
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


def _word(part: str) -> _Terms:
    """Return the stem of a word as (stem, ""), or as ("", word) where it is a function word."""
    word = _fold(part)
    known = ("", word) if word in ENGLISH_FUNCTION_WORDS else (_stemmers.english.stemWord(word)[:_LONGEST_TERM], "")
    if len(part) <= _LONGEST_REMEMBERED:
        if len(_words) >= _REMEMBERED:
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


__all__ = [
    "ANALYZER",
    "ASKS",
    "asks",
    "content_terms",
    "identifiers",
    "is_function_word",
    "is_identifier",
    "shadow",
    "terms",
]
