"""Turn text into search terms: one analysis for documents, questions, gates and diversity.

A term is what the index holds and what a question asks for:
- Latin words lower-cased, without accents, as light English stems (`deploying` -> `deploy`);
- identifiers whole *and* in parts (`parseConfig_v2` -> `parseconfig_v2 pars config v2`): names in camel or snake case,
  paths, dotted names, options, versions, URLs, addresses, error codes, `C++` and `c#`;
- Chinese, Japanese, Korean and South-East Asian text as single characters and pairs of neighbours;
- function words (`the`, `的`), which no pair crosses and which stand once, after all else;
- `?` as the very last, where a text ends by asking: what follows such a text is likely the answer.

The analysis is made per piece between white space (`analysis`) and remembered for pieces seen lately (`pieces`).
Changing what it yields means a new `ANALYZER`, by which stored search rows are made again.
"""

from __future__ import annotations

import re
from typing import Final

from mnemopi.text import analysis, pieces
from mnemopi.text.language import is_function_word
from mnemopi.text.regex import compiled

ANALYZER: Final = "stems-ngrams-identifiers/2"
"""Name and version of the analysis; kept with each index."""

ASKS: Final = "?"
"""The mark that ends the shadow of a text which ends with a question mark; never a term of a question."""

_QUESTION_MARKS = ("?", "？", "؟")
_MIXED = re.compile(r"(?=.*\d)(?=.*[^\W\d_])")
_JOINED = re.compile(r"\w[_./:@~\\]\w|^--?[A-Za-z]|^_|[+\#_]$|::|->|^\#")


def shadow(text: str, before: str = "") -> str:
    """Return the search text: terms joined by single spaces, as often and in the order they occur.

    Function words come last, each distinct one once, so that they cost little room and yet a question made of nothing
    else finds something; after them `?` (`ASKS`) where the text ends with a question mark. A term holds no white space,
    no control character and no double quote; a term longer than 128 characters is cut. The parts of an identifier are
    those of its first 512 characters. `before` is what stands before the text, apart from it by a space.
    """
    content, functions, _ = pieces.look(text)
    if before:
        lead = pieces.look(before)
        content, functions = lead.content + content, lead.functions + functions
    found = [*filter(None, content), *dict.fromkeys(" ".join(dict.fromkeys(functions)).split())]
    if text.rstrip().endswith(_QUESTION_MARKS):
        found.append(ASKS)
    return " ".join(found)


def asks(shadow: str) -> bool:
    """Whether the text of this shadow ended with a question mark."""
    return shadow.endswith(ASKS) and shadow[-2:-1] in ("", " ")


def terms(text: str) -> list[str]:
    """Return the distinct terms of a question: those with content in their order, then function words."""
    content, functions, _ = pieces.look(text)
    return list(dict.fromkeys(" ".join((*content, *functions)).split()))


def content_terms(text: str) -> list[str]:
    """Return the distinct terms of a question without function words; may be empty."""
    return list(dict.fromkeys(" ".join(pieces.look(text).content).split()))


def is_identifier(term: str) -> bool:
    """Whether a term has the shape of an identifier: joined by `_./:@`, an option, or letters mixed with digits.

    Terms are lower-cased, so names in camel case are not told from words; `identifiers` sees them in the text.
    """
    return bool(_JOINED.search(term) or _MIXED.match(term))


def identifiers(text: str) -> list[str]:
    """Return the distinct identifiers of a text, letter by letter as they stand there."""
    found: dict[str, None] = {}
    if not text.isascii():
        text = compiled(analysis.SCRIPTS).sub(lambda run: " " if run[1] else run[0], text)
    for piece in analysis.NAME.findall(text):
        if is_identifier(piece) or analysis.CAMEL.search(piece):
            found[piece] = None
    return list(found)


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
