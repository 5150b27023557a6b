"""The plain rankers that anybody could build in an afternoon: BM25, the nearest vectors, and both fused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import numpy as np
import Stemmer

from benchmarks.quality import embedders
from mnemopi.ports import Embedder

FUSED: Final = 60
"""The constant of reciprocal rank fusion, as its paper has it."""
_WORD: Final = re.compile(r"(?u)\b\w\w+\b")
_HAN: Final = re.compile("[\u3400-\u9fff]+")


@cache
def _package() -> Any:
    try:
        import bm25s
    except ImportError as error:
        raise embedders.Unavailable("bm25s is not installed: pip install --group bench") from error
    return bm25s


def terms(text: str, stem: Any, stop: frozenset[str]) -> list[str]:
    """Words of two letters or more, lower case, less stop words, stemmed; Han one by one and in pairs."""
    words = [word for word in _WORD.findall(_HAN.sub(" ", text.lower())) if word not in stop]
    found: list[str] = stem(words)
    for run in _HAN.findall(text):
        found += [*run, *(run[place : place + 2] for place in range(len(run) - 1))]
    return found


class Plain:
    """A ranker over all that it was given, made again when it was given more."""

    version = ""

    def __init__(self, words: bool, embedder: Embedder | None) -> None:
        self._words, self._embedder = words, embedder
        self._stem = Stemmer.Stemmer("english").stemWords
        self._ids: list[str] = []
        self._terms: list[list[str]] = []
        self._vectors: list[np.ndarray] = []
        self._index: Any = None
        self._stop = frozenset(_package().stopwords.STOPWORDS_EN) if words else frozenset[str]()

    def fill(self, items: Sequence[dict[str, Any]]) -> float:
        """Take items up."""
        self._ids += [item["id"] for item in items]
        if self._words:
            self._terms += [terms(item["text"], self._stem, self._stop) for item in items]
            self._index = None
        if self._embedder is not None and items:
            self._vectors.append(self._embedder.embed_documents([item["text"] for item in items]))
        return 0.0

    def ask(self, text: str, top: int) -> tuple[list[str], float]:
        """The best, best first."""
        lists = []
        if self._words:
            lists.append(self._by_words(text))
        if self._embedder is not None and self._ids:
            lists.append(self._by_meaning(text))
        if len(lists) < 2:
            return [self._ids[place] for each in lists for place in each[:top]], 0.0
        worth: dict[int, float] = {}
        for each in lists:
            for rank, place in enumerate(each, 1):
                worth[place] = worth.get(place, 0.0) + 1 / (FUSED + rank)
        best = sorted(worth, key=lambda place: (-worth[place], place))
        return [self._ids[place] for place in best[:top]], 0.0

    def close(self) -> None:
        """Nothing is open."""

    def _by_words(self, text: str) -> list[int]:
        asked = terms(text, self._stem, self._stop)
        if self._index is None:
            self._index = _package().BM25()
            self._index.index(self._terms, show_progress=False)
        known = [term for term in asked if term in self._index.vocab_dict]
        if not known:
            return []
        scores = self._index.get_scores(known)
        return [int(place) for place in np.argsort(-scores, kind="stable") if scores[place] > 0]

    def _by_meaning(self, text: str) -> list[int]:
        assert self._embedder is not None
        if len(self._vectors) > 1:
            self._vectors = [np.concatenate(self._vectors)]
        cosines = self._vectors[0] @ self._embedder.embed_queries([text])[0]
        return [int(place) for place in np.argsort(-cosines, kind="stable")]
