"""Where candidates come from: each retriever proposes row keys that the filter admits, and scores nothing.

A retriever is an entry in `RETRIEVERS`. Filters are part of each candidate statement, so that rows of others never use
up the places.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final

from mnemopi import errors
from mnemopi.errors import ProviderError
from mnemopi.model.fact import Fact
from mnemopi.model.values import dataclass
from mnemopi.ports import Embedder, Value
from mnemopi.retrieval import factual, fluency, naming, ties
from mnemopi.retrieval.evidence import Question
from mnemopi.retrieval.factual import Known
from mnemopi.retrieval.index import Kind, VectorIndex
from mnemopi.retrieval.rerank import Key, Verdict
from mnemopi.retrieval.understand import Asked
from mnemopi.storage.store import Store
from mnemopi.text import language, tokens

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


DEPTH: Final = 40
"""Candidates by words and by meaning, unless more hits are wanted."""
FEW: Final = 20
MOST_MATCHES: Final = 6000
"""Rows that a full-text query may have to rank; commoner terms are left out while rarer ones are there."""
MOST_FACTS: Final = 600
"""The same of facts, which are short and say little beyond their names."""
_NARROW: Final = 20_000
_DEEPER: Final = 16
"""How many times as many candidates are taken where near-duplicates, or kinds without places, fill the usual ones."""
_MOST_PHRASES: Final = 4


@dataclass(slots=True)
class Pool:
    """The candidates so far: who proposed each, and the nearest passage and cosine where vectors were asked.

    `known` are the facts that bear on the question, `facts` those that may take a place, under negative row keys.
    `parts` are the episodes among the candidates, with their sources. `otherwise` are the question's terms that a
    candidate says by another name, `linked` the weights of the links by which candidates came.
    `depth` is how many each of the broad retrievers proposes; `asked` the model and vector of the question, where one
    was made; `verdict` what a reranker said.
    """

    depth: int = DEPTH

    found_by: dict[int, list[str]] = field(default_factory=dict)
    lists: list[list[int]] = field(default_factory=list)
    passages: dict[int, int] = field(default_factory=dict)
    cosines: dict[int, float] = field(default_factory=dict)
    asked: tuple[str, npt.NDArray[np.float32]] | None = None
    background: tuple[float, float] | None = None
    native: bool = True
    known: Known | None = None
    facts: Mapping[int, Fact] = field(default_factory=dict)
    parts: Mapping[int, tuple[str, set[int]]] = field(default_factory=dict)
    otherwise: dict[int, frozenset[str]] = field(default_factory=dict)
    linked: dict[int, float] = field(default_factory=dict)
    verdict: Verdict = Verdict()

    def named(self, rowkey: int) -> Key:
        """Return what names a candidate from one look to the next: the row keys of facts are given anew each time."""
        return self.facts[rowkey].id if rowkey in self.facts else rowkey

    def propose(self, rowkeys: Sequence[int], name: str) -> None:
        """Add candidates, the best first."""
        self.lists.append(list(rowkeys))
        for rowkey in rowkeys:
            self.found_by.setdefault(rowkey, []).append(name)

    def in_turn(self) -> dict[int, None]:
        """All candidates: the best of each list, then the second of each, and so on."""
        depth = max(map(len, self.lists), default=0)
        return {each[place]: None for place in range(depth) for each in self.lists if place < len(each)}


@dataclass(frozen=True, slots=True)
class Search:
    """One question on its way through the retrievers. `admitted` are the parameters of the filter, `now` is UTC ms."""

    asked: Asked
    question: Question
    frequencies: Mapping[str, int]
    admitted: dict[str, Value]
    narrowed: bool
    pool: Pool
    now: int


class Retrievers:
    """The retrievers of one bank. `lent` returns the embedder of a model whose vectors still serve, or None.

    `indexes` are those that the bank's vectors have already, by model.
    """

    def __init__(
        self,
        store: Store,
        embedder: Embedder | None,
        kind: Kind,
        lent: Callable[[Store], Embedder | None],
        indexes: dict[str, VectorIndex] | None = None,
    ) -> None:
        self._store, self._embedder, self._kind, self._lent = store, embedder, kind, lent
        self._indexes = {} if indexes is None else indexes

    def run(self, names: Sequence[str], search: Search) -> tuple[str, ...]:
        """Run the named retrievers in turn, the one that starts from what others found last; return those that ran."""
        in_turn = sorted(names, key="graph".__eq__)
        return tuple(name for name in in_turn if RETRIEVERS[name](self, search))

    def ask(self, names: Sequence[str], search: Search) -> None:
        """Embed the question, where one of the named retrievers needs it; call this before the bank is locked.

        A provider that fails leaves the question to the others.
        """
        embedder = self._lent(self._store) if "dense" in names and self._embedder is not None else None
        if embedder is None:
            return
        try:
            vector = embedder.embed_queries([naming.without_names(search.asked.text, search.question.named)])[0]
            search.pool.native = fluency.reads(embedder, search.asked.text)
        except ProviderError as error:
            errors.warn("recall goes on without vectors: %s", error.code)
        else:
            search.pool.asked = embedder.name, vector

    def lexical(self, search: Search) -> bool:
        """By words: BM25 over the question's rarer terms."""
        match = _match(search.question.terms, search.frequencies)
        if match:
            self._propose(match, search, search.pool.depth, "lexical")
        return True

    def deeper(self, search: Search) -> bool:
        """Take many more candidates by words; False where there are no more."""
        pool, match = search.pool, _match(search.question.terms, search.frequencies)
        if not match or sum("lexical" in names for names in pool.found_by.values()) < pool.depth:
            return False
        pool.depth *= _DEEPER
        return self._propose(match, search, pool.depth, "lexical") > pool.depth // _DEEPER

    def identifier(self, search: Search) -> bool:
        """By each identifier and each phrase alone, so that words around it cannot push it out of the candidates."""
        wanted = [term for term in search.question.terms if tokens.is_identifier(term)]
        for term in wanted[:4]:
            if 0 < search.frequencies.get(term, 0) <= MOST_MATCHES:
                self._propose(_quoted(term), search, FEW, "identifier")
        matches = _phrases(search)
        for match in matches:
            self._propose(match, search, FEW, "phrase")
        return bool(wanted or matches)

    def dense(self, search: Search) -> bool:
        """By nearness in meaning, where the question was embedded."""
        if search.pool.asked is None:
            return False
        model, vector = search.pool.asked
        index = self._index(model)
        nearest = self._nearest(index, vector, search)
        search.pool.propose([rowkey for rowkey, _, _ in nearest], "dense")
        for rowkey, passage, cosine in nearest:
            search.pool.passages[rowkey], search.pool.cosines[rowkey] = passage, cosine
        search.pool.background = index.background(vector)
        return True

    def temporal(self, search: Search) -> bool:
        """By time: what happened, or was said, in the period that the question names."""
        period = search.asked.period
        if period is None:
            return False
        search.pool.propose(self._store.memories.within(period, search.admitted, FEW), "temporal")
        return True

    def recent(self, search: Search) -> bool:
        """The latest memories."""
        search.pool.propose(self._store.memories.latest(search.admitted, FEW), "recent")
        return True

    def fact(self, search: Search) -> bool:
        """By what is known: the memories that say facts which match; what that means is seen when all are judged."""
        terms = search.question.terms
        match = _match(terms, self._store.facts.frequencies(terms), MOST_FACTS) if terms else ""
        facts = self._store.facts.search(match, factual.seen(search.admitted), FEW) if match else []
        facts = factual.relevant(facts, search.question)
        known = search.pool.known = factual.traced(self._store, facts, search.admitted)
        search.pool.propose(list(dict.fromkeys(key for keys in known.sources.values() for key in keys)), "fact")
        return bool(facts)

    def entity(self, search: Search) -> bool:
        """By what the question names, under any of its names."""
        return ties.entity(self._store, search)

    def graph(self, search: Search) -> bool:
        """By links from the best candidates so far."""
        return ties.graph(self._store, search)

    def measure(self, pool: Pool, rowkeys: Sequence[int]) -> None:
        """Give the cosine to candidates that others proposed, so that all are judged by the same evidence."""
        missing = [rowkey for rowkey in rowkeys if rowkey not in pool.cosines]
        if not missing or pool.asked is None or pool.background is None:
            return
        model, vector = pool.asked
        for rowkey, passage, cosine in self._index(model).measured(self._store.vectors, vector, missing):
            pool.passages[rowkey], pool.cosines[rowkey] = passage, cosine

    def _propose(self, match: str, search: Search, limit: int, name: str) -> int:
        found = self._store.memories.lexical(match, search.admitted, limit)
        search.pool.propose([rowkey for rowkey, _ in found], name)
        return len(found)

    def _nearest(
        self, index: VectorIndex, vector: npt.NDArray[np.float32], search: Search
    ) -> list[tuple[int, int, float]]:
        """Scan everything and keep what is admitted; where little of it is, scan only what is admitted."""
        memories, table, depth = self._store.memories, self._store.vectors, search.pool.depth
        if search.narrowed:
            allowed = memories.admitted(search.admitted, _NARROW)
            if len(allowed) < _NARROW:
                return index.search(table, vector, depth, allowed)
        count = depth
        while True:
            found = index.search(table, vector, count)
            live = memories.admitted_among([rowkey for rowkey, _, _ in found], search.admitted)
            kept = [each for each in found if each[0] in live][:depth]
            if len(kept) >= depth or count >= len(index):
                return kept
            count *= 8

    def _index(self, model: str) -> VectorIndex:
        return self._indexes.setdefault(model, VectorIndex(model, self._kind))


RETRIEVERS: Final[Mapping[str, Callable[[Retrievers, Search], Any]]] = {
    "lexical": Retrievers.lexical,
    "identifier": Retrievers.identifier,
    "dense": Retrievers.dense,
    "temporal": Retrievers.temporal,
    "recent": Retrievers.recent,
    "fact": Retrievers.fact,
    "entity": Retrievers.entity,
    "graph": Retrievers.graph,
}


def _match(terms: Sequence[str], frequencies: Mapping[str, int], most: int | None = None) -> str:
    """Write the full-text query: rare terms by OR, as many as keep the ranking short.

    Where even the rarest is too common, the rarest are asked together (AND) until few enough are expected.
    """
    most = MOST_MATCHES if most is None else most
    known = sorted((term for term in terms if frequencies.get(term)), key=lambda term: frequencies[term])
    chosen: list[str] = []
    total = 0
    for term in known:
        total += frequencies[term]
        if chosen and total > most:
            break
        chosen.append(term)
    if len(chosen) == 1 and frequencies[chosen[0]] > most:
        return " AND ".join(map(_quoted, known[:3]))
    return " OR ".join(map(_quoted, chosen))


def _phrases(search: Search) -> list[str]:
    """Write full-text queries for what is quoted, and for a short question that is itself a phrase (an error message).

    The index tells that the words stand in this order; that they do so to the letter is seen when they are judged.
    """
    question, text = search.question, search.asked.text
    parts = [_as_written(part, text) for part, _ in question.verbatim if " " in part or not part.isascii()]
    if question.phrase and not tokens.asks(tokens.shadow(text)):
        parts.append(text)
    matches = [_phrase(part, search.frequencies) for part in parts[:_MOST_PHRASES]]
    return [match for match in dict.fromkeys(matches) if match]


def _phrase(text: str, frequencies: Mapping[str, int]) -> str:
    """Join the runs of neighbouring terms by AND; "" where one occurs nowhere, or all are common."""
    terms = [term for term in tokens.shadow(text).split() if term != tokens.ASKS and not tokens.is_function_word(term)]
    counts = [frequencies.get(term, 1) for term in terms]
    if len(terms) < 2 or not 0 < min(counts) <= MOST_MATCHES:
        return ""
    runs: list[list[str]] = [[]]
    for term in terms:
        unspaced = language.has_unspaced_script(term)
        if unspaced and len(term) > 1:  # a pair says again what its characters say, and stands after all of them
            runs.append([])
            continue
        if runs[-1] and language.has_unspaced_script(runs[-1][-1]) != unspaced:
            runs.append([])
        runs[-1].append(term)
    return " AND ".join(_quoted(" ".join(run)) for run in runs if run)


def _as_written(part: str, text: str) -> str:
    """Find a part, given without regard to case, as the question spells it: names in camel case depend on it."""
    place = text.casefold().find(part)
    return text[place : place + len(part)] if place >= 0 and len(text.casefold()) == len(text) else part


def _quoted(term: str) -> str:
    return f'"{term}"'
