"""Which words of a question are unknown, where it is known which terms are. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Set
from itertools import groupby, pairwise
from typing import Final

from mnemopi.text import han, tokens
from mnemopi.text.language import CHINESE_FUNCTION_CHARACTERS, UNSPACED
from mnemopi.text.regex import compiled

_RUNS: Final = f"([{UNSPACED}]+)|[^{UNSPACED}\\s]+"
_AROUND: Final = ".,;:!?\"'`()[]{}<>*…。，、；：！？「」“”‘’（）《》"


def words(text: str, terms: Set[str]) -> list[str]:
    """Return the distinct words of a text that say something, and only by the given terms, as they stand there.

    Where no white space parts words, two characters or more that stand together count as one, if each is in no pair of
    neighbours besides those given, and one of them is given itself: `结婚` is known where `结了婚` is.
    """
    found: dict[str, None] = {}
    for run in compiled(_RUNS).finditer(unicodedata.normalize("NFKC", text)):
        if run[1]:
            found |= dict.fromkeys(_stretches(run[1], terms))
        elif _is_of(tokens.content_terms(word := run[0].strip(_AROUND)), terms):
            found[word] = None
    return list(found)


def _stretches(run: str, terms: Set[str]) -> Iterator[str]:
    for says, part in groupby(run, lambda character: character not in CHINESE_FUNCTION_CHARACTERS):
        if says:
            written = "".join(part)
            pairs = [one + other for one, other in pairwise(han.simplified(written))]
            alone = [_is_of(pairs[max(0, place - 1) : place + 1], terms) for place in range(len(written))]
            for unknown, places in groupby(range(len(written)), alone.__getitem__):
                stretch = "".join(written[place] for place in places)
                if unknown and len(stretch) > 1 and not terms.isdisjoint(han.simplified(stretch)):
                    yield stretch


def _is_of(own: list[str], terms: Set[str]) -> bool:
    return bool(own) and terms >= set(own)
