"""Turn text into search terms: one analysis for documents, questions, gates and diversity.

A term is what the index holds and what a question asks for:
- Latin words lower-cased, without accents, as light English stems (`deploying` -> `deploy`);
- identifiers whole *and* in parts (`parseConfig_v2` -> `parseconfig_v2 pars config v2`): names in camel or snake case,
  paths, dotted names, options, versions, URLs, addresses, error codes, `C++` and `c#`;
- Chinese, Japanese, Korean and South-East Asian text as single characters and pairs of neighbours;
- what has several spellings in each that is looked for: `e-mail` also as `email`, `Müller` as `muller` and `mueller`,
  `GPT-4` as `GPT4`, traditional characters as simplified ones, dates and numbers in one form of all (`text.forms`);
- function words (`the`, `的`), which no pair crosses and which stand once, after all else;
- `?` as the very last, where a text ends by asking: what follows such a text is likely the answer.

The analysis is made per piece between white space and remembered for pieces seen lately: text repeats itself, so most
pieces cost one look-up. Changing what it yields means a new `ANALYZER`, by which stored search rows are made again.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from operator import add, itemgetter
from typing import Final, TypeAlias

import Stemmer

from mnemopi.text import forms, han, letters
from mnemopi.text.form_rules import WORDS
from mnemopi.text.language import (
    CHINESE_FUNCTION_CHARACTERS,
    ENGLISH_FUNCTION_WORDS,
    UNSPACED,
    is_function_word,
)
from mnemopi.text.regex import compiled

ANALYZER: Final = "stems-ngrams-identifiers/3"
"""Name and version of the analysis; kept with each index."""

_Terms: TypeAlias = tuple[str, str]
"""The terms of one piece, joined by spaces: those with content, and the function words."""

_FORM: Final = "\0"
"""Stands among the function words of a piece that may be part of a date or number with another spelling."""
_Spelled: TypeAlias = Callable[[Sequence[str], Sequence[_Terms]], Iterable[_Terms]]
"""Gives the terms of pieces among which there are forms anew, from the pieces and their terms."""

_CONTENT: Final = itemgetter(0)
_FUNCTIONS: Final = itemgetter(1)

ASKS: Final = "?"
"""The mark that ends the shadow of a text which ends with a question mark; never a term of a question."""

_QUESTION_MARKS = ("?", "？", "؟")
_LONGEST_TERM = 128
_LONGEST_IDENTIFIER = 512
_LONGEST_COUNT = 2
_REMEMBERED = 1 << 16
_LONGEST_REMEMBERED = 32

_URL = r"[A-Za-z][A-Za-z0-9+.-]{0,30}://[\w.~:/?#@!$&*+,;=%-]*[\w/]"
_OPTION = r"(?<![^\s([{`'\"=|,;])--?[A-Za-z]\w*(?:[-.]\w+)*"
_NAME = r"\w+(?:(?:[._/:@~\\-]|::|->)\w+)*(?:\+\+\w*|\#(?!\w))?"
_WIDE_NAME = _NAME.replace(r"\w", rf"[\w{letters.MARKS}]")
_ISSUE = r"\#\d+"
_PIECE = re.compile(f"{_URL}|{_OPTION}|{_NAME}|{_ISSUE}")
_WIDE_PIECE = f"{_URL}|{_OPTION}|{_WIDE_NAME}|{_ISSUE}|{letters.EMOJI}"
_SCRIPTS = f"([{UNSPACED}]+)|[^{UNSPACED}]+"
_FUNCTION_RUN = f"[{''.join(sorted(CHINESE_FUNCTION_CHARACTERS))}]"
_PART = re.compile(rf"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+\d*|[A-Z]+\d*|\d+|[^\W\d_A-Za-z](?:[^\W_]|[{letters.MARKS}])*")
_VERSION = re.compile(r"([A-Za-z]+)(\d+\.[\w.-]+)")
_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_MIXED = re.compile(r"(?=.*\d)(?=.*[^\W\d_])(?!\d+(?:st|nd|rd|th)$)")
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
    found = _terms(text, _beside)
    if text.rstrip().endswith(_QUESTION_MARKS):
        found.append(ASKS)
    return " ".join(found)


def asks(shadow: str) -> bool:
    """Whether the text of this shadow ended with a question mark."""
    return shadow.endswith(ASKS) and shadow[-2:-1] in ("", " ")


def terms(text: str) -> list[str]:
    """Return the distinct terms of a question: those with content in their order, then function words."""
    return list(dict.fromkeys(" ".join(_terms(text, _instead)).split()))


def content_terms(text: str) -> list[str]:
    """Return the distinct terms of a question without function words; may be empty."""
    return list(dict.fromkeys(" ".join(map(_CONTENT, _analyse(text, _instead)[0])).split()))


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


def _terms(text: str, spelled: _Spelled) -> list[str]:
    """Terms and runs of terms: content in order, then the distinct function words."""
    pairs, functions = _analyse(text, spelled)
    found = list(filter(None, map(_CONTENT, pairs)))
    found += dict.fromkeys(functions.split())
    return found


def _analyse(text: str, spelled: _Spelled) -> tuple[list[_Terms], str]:
    """Return the terms of each piece, and the function words of all; `spelled` is asked where there are forms."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    pieces = text.split()
    pairs = list(map(_known.__getitem__, pieces))
    functions = " ".join(dict.fromkeys(map(_FUNCTIONS, pairs)))
    if _FORM in functions:
        parts = [place for place, (_, words) in enumerate(pairs) if _FORM in words]
        for start, stop in forms.around(pieces, parts):
            pairs[start:stop] = spelled(pieces[start:stop], pairs[start:stop])
        functions = " ".join(dict.fromkeys(map(_FUNCTIONS, pairs))).replace(_FORM, "")
    return pairs, functions


def _beside(pieces: Sequence[str], pairs: Sequence[_Terms]) -> Iterable[_Terms]:
    added = forms.beside(pieces)
    for place, pair in enumerate(pairs):
        yield pair
        yield from map(_known.__getitem__, added.get(place, ()))


def _instead(pieces: Sequence[str], pairs: Sequence[_Terms]) -> Iterable[_Terms]:
    return map(_known.__getitem__, forms.instead(pieces))


def _learn(piece: str) -> _Terms:
    if piece.islower() and piece.isascii() and piece.isalpha() and piece not in WORDS:
        pair = _words.get(piece) or _word(piece)
        _remember(piece, pair)
        return pair
    content: list[str] = []
    functions: list[str] = []
    if piece.isascii() and piece.isidentifier():  # what Python would take as a name is one piece to the pattern, too
        if piece in WORDS:
            functions.append(_FORM)
        _add_name(piece, content, functions)
    else:
        if forms.may_be_in(piece):
            functions.append(_FORM)
        _add_runs(piece, content, functions)
    pair = " ".join(content), " ".join(functions)
    if len(content) < 3:  # names and runs seldom come twice: keep the room
        _remember(piece, pair)
    return pair


def _remember(piece: str, pair: _Terms) -> None:
    if len(piece) <= _LONGEST_REMEMBERED:
        if len(_known) >= _REMEMBERED:
            _known.clear()
        _known[piece] = pair


def _add_grams(run: str, content: list[str], functions: list[str]) -> None:
    between = compiled(_FUNCTION_RUN).split(run)
    for part in between:
        content.extend(part)
        content.extend(map(add, part, part[1:]))
    if len(between) > 1:
        functions.extend(dict.fromkeys(compiled(_FUNCTION_RUN).findall(run)))


def _add_runs(piece: str, content: list[str], functions: list[str]) -> None:
    if piece.isascii():
        for name in _PIECE.findall(piece):
            _add_name(name, content, functions)
        return
    for run in compiled(_SCRIPTS).finditer(piece):
        if run[1]:
            _add_grams(han.simplified(run[1]), content, functions)
            continue
        for name in compiled(_WIDE_PIECE).findall(run[0]):
            if plain := letters.plain(name):
                _add_name(plain, content, functions)
            content.extend(_word(word)[0] for word in letters.umlauts_spelled(name))


def _add_name(name: str, content: list[str], functions: list[str]) -> None:
    if name.isalpha() and (name[1:].islower() or not _CAMEL.search(name)):
        parts = [name]
    else:
        content.append(name.lower()[:_LONGEST_TERM])
        parts = _PART.findall(name[:_LONGEST_IDENTIFIER])
        if len(parts) == 1 and len(parts[0]) == len(name):
            parts = _counted(name)
        elif ("-" in name or "." in name) and "/" not in name:
            parts += _joined(name)
    for part in parts:
        term, function = _words.get(part) or _word(part)
        if term:
            content.append(term)
        else:
            functions.append(function)


def _counted(name: str) -> list[str]:
    """Return the word and the number of a name like `GPT4`; none of `v2`, and none of a code like `ERR1234`.

    A code is known as a whole, and messages that differ in nothing else are to stay alike.
    """
    word = name.rstrip("0123456789")
    number = name[len(word) :]
    return [word, number] if len(word) > 1 and 0 < len(number) <= _LONGEST_COUNT else []


def _joined(name: str) -> list[str]:
    """Return how a name is written as well: `e-mail` as `email`, `GPT-4` as `GPT4`, `v1.2.3` as `1.2.3`."""
    if numbered := _VERSION.fullmatch(name):
        word, number = numbered.groups()
        return [word, number] if len(word) > 1 else [number]
    joined = name.replace("-", "")
    is_word = joined.isalnum() and not joined.isdigit() and name[0] != "-" and len(name) <= _LONGEST_REMEMBERED
    return [joined] if is_word and joined != name else []


def _word(part: str) -> _Terms:
    """Return the stem of a word as (stem, ""), or as ("", word) where it is a function word."""
    word = part.lower()
    known = ("", word) if word in ENGLISH_FUNCTION_WORDS else (_stemmers.english.stemWord(word)[:_LONGEST_TERM], "")
    if len(part) <= _LONGEST_REMEMBERED:
        if len(_words) >= _REMEMBERED:
            _words.clear()
        _words[part] = known
    return known


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
