"""The main path of reading: from a question to hits with their reasons.

asked  = understand(text)                      what time it asks about
question = evidence.ask(text)                  terms, weights, names, what is to be found to the letter
vector = retrievers.ask(...)                   while nothing is locked: a slow provider keeps nobody waiting
said   = judge.hear(...)                       where a reranker is asked: of the best so far, likewise
pool   = retrievers.run(...)                   row keys; filters inside each statement
found  = candidates + their neighbours         one SELECT each, shadow texts with them
ranked = scoring.rank(question, found)         the score is its explanation
hits   = arrange(ranked)                       threshold, quotas, diversity, cut; then whole texts and previews
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from typing import Final

from mnemopi.errors import UsageError
from mnemopi.model.hit import Explanation, Hit, Hits
from mnemopi.model.interval import Interval
from mnemopi.model.memory import Memory
from mnemopi.model.values import dataclass
from mnemopi.ports import Value
from mnemopi.retrieval import arrange, evidence, factual, overtaken, render, rerank, scoring
from mnemopi.retrieval.evidence import Question
from mnemopi.retrieval.profiles import Options, last_moment
from mnemopi.retrieval.rerank import Judge
from mnemopi.retrieval.retrievers import DEPTH, Pool, Retrievers, Search
from mnemopi.retrieval.understand import Asked, directed, understand
from mnemopi.storage import filters
from mnemopi.storage.memories import Candidate
from mnemopi.storage.store import Store
from mnemopi.text import intent, tokens

__all__ = ["last_moment", "merged", "recall"]

SEEDS: Final = 20
"""How many of the best candidates bring the texts around them along."""
REACH: Final = 1
"""How far around a seed a text is a candidate itself."""
READ: Final = REACH + 2
"""How far around a seed texts are read: a candidate is judged by what stands up to two away from it."""
_LONGEST_QUESTION: Final = 20_000
_LANDMARKS: Final = 10
_UNKNOWN: Final = 5
"""Words that are said to be unknown, at most."""
_LONGEST_WORD: Final = 40
_DERIVED: Final = ("episode", "fact")


_NO_TERMS: Final[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True)
class _Found:
    """The candidates with what stands around them, by session and position."""

    rows: dict[int, Candidate]
    places: dict[tuple[str, int], Candidate]

    def around(self, row: Candidate, step: int) -> str:
        if row.position is None:
            return ""
        near = self.places.get((row.session_id, row.position + step))
        return near.shadow if near else ""


def recall(
    store: Store,
    text: str,
    options: Options,
    retrievers: Retrievers,
    now: int,
    zone: tzinfo,
    judge: Judge | None = None,
) -> Hits:
    """Find the memories that answer a question, best first. A blank question finds nothing."""
    if not isinstance(text, str):
        raise UsageError(f"a query is a string, not {text!r:.60}")
    if not text.strip() or options.top_k == 0:
        return Hits((), text, (), store.name)
    asked = understand(text[:_LONGEST_QUESTION], now, zone, options.query_time)
    admitted = filters.parameters(store.bank, options.filter, now)
    with store.reading():
        asked = _placed(store, asked, admitted)
        question, frequencies = _question(store, asked)
    pool = Pool(max(DEPTH, 2 * options.top_k))
    search = Search(asked, question, frequencies, admitted, _is_narrow(options), pool, now)
    retrievers.ask(options.retrievers, search)
    if judge is not None:
        search = _heard(store, search, options, retrievers, judge)
    with store.reading():
        ran = retrievers.run(options.retrievers, search)
        chosen, crowded = _judged(store, search, options, retrievers)
        if crowded and "lexical" in ran and retrievers.deeper(search):
            chosen, _ = _judged(store, search, options, retrievers)
        hits = _hits(store, chosen, search, options)
    verdict = search.pool.verdict
    return Hits(hits, text, ran, store.name, verdict.reranker, verdict.notes)


def _heard(store: Store, search: Search, options: Options, retrievers: Retrievers, judge: Judge) -> Search:
    """Have the best candidates judged, and begin anew with what was said: what was written meanwhile counts."""
    pool = search.pool
    with store.reading():
        retrievers.run(options.retrievers, search)
        best = [row for row, _ in _ordered(store, search, options, retrievers)[: judge.depth]]
        texts = store.memories.contents(row.rowkey for row in best) | {key: pool.facts[key].text for key in pool.facts}
        wanted = _wanted(search.question)
        shown = {
            pool.named(row.rowkey): rerank.passage(
                texts[row.rowkey], row.author_id, wanted, _anchor(store, row.rowkey, pool)
            )
            for row in best
        }
    return replace(
        search,
        pool=Pool(pool.depth, asked=pool.asked, native=pool.native, verdict=judge.hear(search.asked.text, shown)),
    )


def _placed(store: Store, asked: Asked, admitted: dict[str, Value]) -> Asked:
    """Where a question names its time by an event ("before the launch"), find when that was: the latest word on it."""
    named = intent.landmark(asked.text) if asked.period is None else None
    terms = tokens.content_terms(named[1]) if named else []
    if named is None or not terms:
        return asked
    match = " AND ".join(f'"{term}"' for term in terms)
    found = store.memories.lexical(match, admitted, _LANDMARKS)
    told = [
        row for row in store.memories.candidates([key for key, _ in found], admitted) if row.event_start is not None
    ]
    if not told:
        return asked
    event = _when(max(told, key=lambda row: row.timestamp))
    return replace(asked, period=directed(named[0], event))


def merged(own: Hits, others: Sequence[Hits], top_k: int) -> Hits:
    """Merge hits of several banks by their scores, which are beliefs and so compare; a bank's own order stays."""
    everything = [*own, *(hit for hits in others for hit in hits)]
    everything.sort(key=lambda hit: -hit.score)
    notes = dict.fromkeys(note for hits in (own, *others) for note in hits.notes)
    return Hits(everything[:top_k], own.query, own.retrievers, own.bank, own.reranker, tuple(notes))


def _ordered(
    store: Store, search: Search, options: Options, retrievers: Retrievers
) -> list[tuple[Candidate, Explanation]]:
    found = _with_neighbours(store, search)
    retrievers.measure(search.pool, list(found.rows))
    _take_places(search, found, options)
    ranked = _ranked(store, search, found, options)
    asked = search.asked
    if search.pool.known is not None and (asked.period is None or asked.current) and not asked.past:
        ranked = factual.lifted(ranked, search.pool.known)
    return ranked


def _judged(store: Store, search: Search, options: Options, retrievers: Retrievers) -> tuple[arrange.Ranked, bool]:
    ranked = _ordered(store, search, options, retrievers)
    facts = search.pool.facts
    derived = {row.rowkey for row, _ in ranked if row.kind == "episode"}
    if derived:
        search.pool.parts = store.episodes.parts(row.rowkey for row, _ in ranked if row.rowkey > 0)
    if options.facts != "first":
        derived |= set(facts)
    if not derived:
        return arrange.arrange(ranked, options)
    chosen, crowded = arrange.arrange([each for each in ranked if each[0].rowkey not in derived], options)
    listed = {row.rowkey for row, _ in chosen}
    attached = factual.attached(facts, search.pool.known, listed) | arrange.attached(search.pool.parts, listed)
    if attached >= derived:
        return chosen, crowded
    return arrange.arrange([each for each in ranked if each[0].rowkey not in attached], options)


def _take_places(search: Search, found: _Found, options: Options) -> None:
    """Let facts that may take a place be candidates among the memories."""
    known = search.pool.known
    if known is None:
        return
    only_facts = options.filter.kind == "fact"
    facts = known.rows("first" if only_facts else options.facts, search.narrowed and not only_facts)
    search.pool.facts = facts
    for rowkey, fact in facts.items():
        found.rows[rowkey] = factual.row_of(rowkey, fact)
        search.pool.found_by[rowkey] = ["fact"]


def _question(store: Store, asked: Asked) -> tuple[Question, Mapping[str, int]]:
    count, average = store.averages()
    seen: dict[str, int] = {}

    def frequency(terms: Sequence[str]) -> Mapping[str, int]:
        if missing := [term for term in terms if term not in seen]:
            seen.update(dict.fromkeys(missing, 0) | store.memories.frequencies(missing))
            if unseen := [term for term in missing if not seen[term]]:
                seen.update(store.facts.frequencies(unseen))
        return seen

    authors = store.memories.authors()
    return evidence.ask(asked.text, frequency, count, average, authors, undated=asked.undated), seen


def _is_narrow(options: Options) -> bool:
    asked = options.filter
    parts = (asked.session_id, asked.author_id, asked.author_type, asked.channel_id, asked.source, asked.scope)
    return any((*parts, asked.tier, asked.kind, asked.veracity, asked.memory_type, asked.within, asked.global_only))


def _with_neighbours(store: Store, search: Search) -> _Found:
    """Read the candidates, and around the best short ones what the filter admits there."""
    memories, pool = store.memories, search.pool
    rows = {row.rowkey: row for row in memories.candidates(pool.found_by, search.admitted)}
    rows = {rowkey: rows[rowkey] for rowkey in pool.in_turn() if rowkey in rows}
    seeds = [row for row in rows.values() if row.position is not None and _is_short(row)][:SEEDS]
    places: dict[tuple[str, int], Candidate] = {}
    for row in memories.places(_stretches(seeds), search.admitted):
        if row.position is not None:
            places.setdefault((row.session_id, row.position), row)
    for seed in seeds:
        assert seed.position is not None
        for step in range(-REACH, REACH + 1):
            near = places.get((seed.session_id, seed.position + step))
            if near is not None and near.rowkey not in rows:
                rows[near.rowkey] = near
                pool.propose([near.rowkey], "nearby")
    return _Found(rows, places)


def _is_short(row: Candidate) -> bool:
    return evidence.shortness(row.shadow.count(" ") + 1) > 0.02


def _stretches(seeds: Iterable[Candidate]) -> list[tuple[str, int, int]]:
    """Join the surroundings of seeds that overlap, so that no row is read twice."""
    spans = sorted((row.session_id, (row.position or 0) - READ, (row.position or 0) + READ) for row in seeds)
    joined: list[tuple[str, int, int]] = []
    for session, first, last in spans:
        if joined and joined[-1][0] == session and first <= joined[-1][2] + 1:
            joined[-1] = (session, joined[-1][1], max(last, joined[-1][2]))
        else:
            joined.append((session, first, last))
    return joined


def _ranked(store: Store, search: Search, found: _Found, options: Options) -> list[tuple[Candidate, Explanation]]:
    pool = search.pool
    question = replace(
        search.question,
        background=pool.background,
        native=pool.native,
        current=search.question.current and search.asked.current,
    )
    rows = list(found.rows.values())
    by_time = sorted(rows, key=lambda row: (row.timestamp, row.rowkey)) if question.current else rows
    turns = {row.rowkey: turn for turn, row in enumerate(by_time)}
    verbatim = question.verbatim or question.phrase
    contents = store.memories.contents(found.rows) if verbatim else {}
    contents |= {rowkey: fact.text for rowkey, fact in pool.facts.items()}
    candidates = [
        scoring.Candidate(
            shadow=row.shadow,
            before2=found.around(row, -2),
            before=found.around(row, -1),
            after=found.around(row, 1),
            after2=found.around(row, 2),
            author=row.author_id,
            content=contents.get(row.rowkey, ""),
            cosine=pool.cosines.get(row.rowkey),
            importance=row.importance,
            trust=options.trust[row.veracity] * options.detail.get(row.detail, 1.0),
            recency=_recency(row, search.asked, options),
            period=search.asked.closeness(_when(row), options.temporal_halflife),
            at=turns[row.rowkey],
            dated=row.event_start is not None,
            derived=row.kind in _DERIVED,
            otherwise=pool.otherwise.get(row.rowkey, _NO_TERMS),
            linked=pool.linked.get(row.rowkey, 0.0),
            relevance=pool.verdict.shares.get(pool.named(row.rowkey)),
        )
        for row in rows
    ]
    ranked = scoring.rank(question, candidates, scales=options.scales)
    return [(rows[place], explanation) for place, explanation in ranked]


def _recency(row: Candidate, asked: Asked, options: Options) -> float:
    if options.recent:
        return asked.age(row.timestamp, options.recency_halflife)
    return asked.freshness(row.timestamp, options.recency_halflife)


def _when(row: Candidate) -> Interval:
    if row.event_start is not None and row.event_end is not None:
        return Interval(row.event_start, row.event_end)
    return Interval(row.timestamp, row.timestamp + 1)


def _hits(
    store: Store,
    chosen: Sequence[tuple[Candidate, Explanation]],
    search: Search,
    options: Options,
) -> list[Hit]:
    memories = store.memories.get([row.rowkey for row, _ in chosen if row.rowkey > 0])
    rowkeys = {memory.id: rowkey for rowkey, memory in memories.items()}
    stated, stale = factual.told(store, search.pool.known, rowkeys, search.admitted, search.asked.current)
    memories |= {rowkey: factual.memory_of(fact) for rowkey, fact in search.pool.facts.items()}
    parts = arrange.notes(search.pool.parts)
    doubts = _doubts(chosen, memories, search.question)
    unknown = _unknown(search.question)
    wanted = _wanted(search.question)
    best = max((explanation.terms.get("words", 0.0) for _, explanation in chosen), default=0.0)
    hits = []
    for row, explanation in chosen:
        memory = memories[row.rowkey]
        anchor = _anchor(store, row.rowkey, search.pool)
        start, stop = render.window(memory.content, wanted, options.preview_chars, anchor)
        hits.append(
            Hit(
                memory=memory,
                content=render.preview(memory.content, start, stop),
                score=explanation.score,
                explanation=replace(
                    explanation,
                    found_by=tuple(dict.fromkeys(search.pool.found_by[row.rowkey])),
                    notes=memory.against(search.now)
                    + _said(row.rowkey, stated, stale, doubts)
                    + tuple(parts.get(row.rowkey, ()))
                    + unknown,
                ),
                span=(start, stop),
                truncated=(start, stop) != (0, len(memory.content)),
                full_length=len(memory.content),
                vec_score=min(1.0, max(0.0, search.pool.cosines.get(row.rowkey, 0.0))),
                fts_score=explanation.terms.get("words", 0.0) / best if best > 0 else 0.0,
                importance_score=row.importance,
                recency_score=search.asked.age(row.timestamp, options.recency_halflife),
                temporal_score=search.asked.closeness(_when(row), options.temporal_halflife),
                bank=store.name,
                fact=search.pool.facts.get(row.rowkey),
            )
        )
    return hits


def _doubts(
    chosen: Sequence[tuple[Candidate, Explanation]], memories: Mapping[int, Memory], question: Question
) -> dict[int, str]:
    """Name, where the present is asked about, the later memory that may have superseded each."""
    told = [row for row, _ in chosen if row.rowkey > 0 and row.kind not in _DERIVED] if question.current else []
    marks = overtaken.marks([(row.timestamp, memories[row.rowkey].content) for row in told], question.told)
    return {told[earlier].rowkey: memories[told[later].rowkey].id for earlier, later in marks.items()}


def _said(
    rowkey: int, stated: Mapping[int, Sequence[str]], stale: Mapping[int, str], doubts: Mapping[int, str]
) -> tuple[str, ...]:
    """What a memory states, and what superseded it, or may have."""
    if rowkey in stale:
        return (*stated.get(rowkey, ()), f"stale: superseded by {stale[rowkey]}")
    if rowkey in doubts:
        return (*stated.get(rowkey, ()), f"doubtful: may be superseded by {doubts[rowkey]}")
    return tuple(stated.get(rowkey, ()))


def _unknown(question: Question) -> tuple[str, ...]:
    """Say which words of a question no memory has: what is found may be about something else."""
    named = ", ".join(f'"{word[:_LONGEST_WORD]}"' for word in question.unknown[:_UNKNOWN])
    return (f"unknown here: {named}",) if named else ()


def _wanted(question: Question) -> dict[str, float]:
    """What a preview shows first: what is found to the letter, then the question's terms by their weight."""
    exact = [part for part, _ in question.verbatim] + ([question.phrase] if question.phrase else [])
    return dict(zip(question.terms, question.idf, strict=True)) | dict.fromkeys(exact, question.mass)


def _anchor(store: Store, rowkey: int, pool: Pool) -> int:
    """Where the passage that is nearest in meaning begins."""
    passage = pool.passages.get(rowkey, 0)
    if not passage:
        return 0
    return next((start for number, start, _ in store.vectors.passages(rowkey) if number == passage), 0)
