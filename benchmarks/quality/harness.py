"""Candidates as the engine would propose them, from an index in memory.

By words: the best of an OR of the question's terms, by BM25 as SQLite computes it. By meaning: the nearest by cosine,
where there is an embedder. Then what stands next to the best of both in their sessions. Scoring is the engine's own.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from typing import Any

import numpy as np

from benchmarks.quality import sets
from mnemopi.ports import Embedder
from mnemopi.retrieval import evidence, fluency, naming
from mnemopi.retrieval.understand import understand
from mnemopi.text import dates, passages, tokens

WORDS = 60
MEANING = 60
NEIGHBOURED = 40
COMMON_SHARE, COMMON_COUNT = 0.15, 2000
"""A term in more texts than both the share and the count proposes nothing, unless nothing else is left."""
K1, B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class Asked:
    """One question with its candidates: the value scoring takes, and the ids in the same order."""

    id: str
    category: str
    gold: frozenset[str]
    question: evidence.Question
    candidates: list[evidence.Candidate]
    ids: list[str]


class Group:
    """The items of one group, indexed."""

    def __init__(self, items: Sequence[Any], embedder: Embedder | None) -> None:
        self.items = items
        self.shadows = [tokens.shadow(sets.spoken(item)) for item in items]
        counts = [Counter(shadow.split()) for shadow in self.shadows]
        self.lengths = np.array([sum(count.values()) for count in counts], float)
        self.average = float(self.lengths.mean())
        self.orders = np.array([item.order for item in items])
        self.authors = sorted({item.speaker for item in items if item.speaker})
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, count in enumerate(counts):
            for term, times in count.items():
                postings[term].append((place, times))
        self.postings = {term: np.array(pairs) for term, pairs in postings.items()}
        self.near = _neighbours(items)
        self.dated = [dates.event_time(sets.spoken(item), 0, UTC) is not None for item in items]
        self.embedder = embedder
        if embedder is not None:
            spans = [(place, text) for place, item in enumerate(items) for text in _parts(sets.spoken(item))]
            self.vectors = embedder.embed_documents([text for _, text in spans])
            self.starts = np.searchsorted([place for place, _ in spans], np.arange(len(items)))

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many items each term occurs."""
        return {term: len(self.postings[term]) for term in terms if term in self.postings}

    def bm25(self, terms: Sequence[str]) -> np.ndarray:
        """BM25 of all items for an OR of terms."""
        scores = np.zeros(len(self.items))
        for term in terms:
            if term in self.postings:
                places, times = self.postings[term].T
                norm = K1 * (1 - B + B * self.lengths[places] / self.average)
                idf = evidence.idf_of(len(places), len(self.items))
                scores[places] += idf * times * (K1 + 1) / (times + norm)
        return scores

    def cosines(self, text: str) -> np.ndarray:
        """The cosine of each item's best passage."""
        assert self.embedder is not None
        query = self.embedder.embed_queries([text])[0]
        return np.maximum.reduceat(self.vectors @ query, self.starts)


def ask(group: Group, query: Any, text: str | None = None, *, understood: bool = True) -> Asked:
    """Propose candidates for a question and lay out what scoring needs of them.

    `text` is another way to ask it; `understood` says whether the words are read as recall reads them, or each counts.
    """
    count = len(group.items)
    admitted = np.ones(count, bool) if query.asof is None else group.orders < query.asof
    text, undated = query.text if text is None else text, None
    if understood:
        asked = understand(text, 0, UTC)
        text, undated = asked.text, asked.undated
    question = evidence.ask(text, group.frequencies, count, group.average, group.authors, undated=undated)
    cosines = None
    if group.embedder is not None:
        cosines = group.cosines(naming.without_names(text, question.named))
        known = cosines[admitted] if admitted.any() else cosines
        native = fluency.reads(group.embedder, text)
        question = replace(question, background=(float(known.mean()), float(known.std())), native=native)
    places = _propose(group, question.terms, admitted, cosines)
    return Asked(
        id=query.id,
        category=query.category,
        gold=frozenset(query.gold),
        question=question,
        candidates=[_candidate(group, place, admitted, cosines) for place in places],
        ids=[group.items[place].id for place in places],
    )


def plain(group: Group, query: Any) -> list[str]:
    """Rank by BM25 alone: the row to compare with."""
    scores = group.bm25(tokens.content_terms(query.text) or tokens.terms(query.text))
    if query.asof is not None:
        scores[group.orders >= query.asof] = 0
    return [group.items[place].id for place in np.argsort(-scores, kind="stable")[:20] if scores[place] > 0]


def one(hits: list[bool], gold: int) -> float:
    """The mean of recall and nDCG at 10 of one question."""
    gain = sum(1 / math.log2(rank + 2) for rank, hit in enumerate(hits) if hit)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(10, gold)))
    return (sum(hits) / gold + gain / ideal) / 2


def _propose(group: Group, terms: Sequence[str], admitted: np.ndarray, cosines: np.ndarray | None) -> list[int]:
    found = group.frequencies(terms)
    most = max(COMMON_SHARE * len(group.items), COMMON_COUNT)
    rare = [term for term in terms if 0 < found.get(term, 0) <= most] or terms
    scores = np.where(admitted, group.bm25(rare), 0)
    lists = [[int(place) for place in np.argsort(-scores, kind="stable")[:WORDS] if scores[place] > 0]]
    if cosines is not None:
        order = np.argsort(-np.where(admitted, cosines, -2), kind="stable")[:MEANING]
        lists.append([int(place) for place in order if admitted[place]])
    depth = max(map(len, lists), default=0)
    pool = dict.fromkeys(each[rank] for rank in range(depth) for each in lists if rank < len(each))
    for place in list(pool)[:NEIGHBOURED]:
        pool |= dict.fromkeys(near for near in group.near[place] if near >= 0 and admitted[near])
    return list(pool)


def _candidate(group: Group, place: int, admitted: np.ndarray, cosines: np.ndarray | None) -> evidence.Candidate:
    around = [group.shadows[near] if near >= 0 and admitted[near] else "" for near in group.near[place]]
    item = group.items[place]
    return evidence.Candidate(
        group.shadows[place],
        *around,
        author=item.speaker or None,
        content=item.text,
        cosine=None if cosines is None else float(cosines[place]),
        at=item.order,
        dated=group.dated[place],
    )


def _parts(text: str) -> list[str]:
    return [text[start:end] for start, end in passages.passages(text)] or [""]


def _neighbours(items: Sequence[Any]) -> list[tuple[int, int, int, int]]:
    sessions: dict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        sessions[item.session].append(place)
    near: dict[int, tuple[int, int, int, int]] = {}
    for places in sessions.values():
        padded = [-1, -1, *places, -1, -1]
        for rank, place in enumerate(places, 2):
            near[place] = (padded[rank - 2], padded[rank - 1], padded[rank + 1], padded[rank + 2])
    return [near[place] for place in range(len(items))]
