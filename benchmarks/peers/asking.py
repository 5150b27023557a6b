"""Tell a ranker the items of each group, ask it the questions, and keep what it said, question by question.

A question that was asked at a moment is put before later items are told, so that a peer that knows no time is not asked
what it cannot know. Everybody gets the same texts: who spoke, then what was said.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from types import SimpleNamespace
from typing import Any, Final

from benchmarks import measures
from benchmarks.peers import embedding, ours, places, plain, process
from benchmarks.peers.roster import Peer
from benchmarks.quality import embedders, engine, rerankers, sets

TOP: Final = 50
"""How many hits are asked for: enough to find ten sessions among their turns."""
KEPT: Final = 20
POOL: Final = "*"
Groups = Mapping[str, Sequence[Any]]
Opened = Callable[[], Any]


class Unfit(Exception):
    """A peer that has no row in this table, and why."""


@contextmanager
def opener(peer: Peer, embedder: str, limit: float, reranker: str = "none") -> Iterator[Opened]:
    """Yield what opens a bank of a peer; `reranker` is for ours alone.

    Raises Unfit, places.Unavailable and embedders.Unavailable.
    """
    if embedder not in peer.embedders:
        raise Unfit(f"no search {'without' if embedder == 'none' else 'with'} vectors of ours")
    given = embedders.opened(embedder)
    if peer.kind == "ours":
        rerankers.opened(reranker)
        yield lambda: ours.Ours(embedder, reranker)
    elif peer.kind == "plain":
        yield lambda: plain.Plain(words=peer.name != "dense", embedder=given)
    else:
        places.command(peer)
        ends = time.monotonic() + limit
        with embedding.served(given) as url:
            dimensions = 0 if given is None else given.dimensions
            yield lambda: process.Worker(peer, url, dimensions, max(1.0, ends - time.monotonic()))


def pooled(groups: Groups, queries: Sequence[Any]) -> tuple[Groups, list[Any]]:
    """All groups as one: equal texts of one speaker are one item, and gold follows. Raises Unfit where time matters."""
    if any(query.asof is not None for query in queries):
        raise Unfit("its questions are asked at moments of their own conversation, which one pool has not")
    first: dict[tuple[str, str], str] = {}
    same: dict[str, str] = {}
    items = []
    for item in (each for group in groups.values() for each in group):
        same[item.id] = first.setdefault((item.speaker, item.text), item.id)
        if same[item.id] == item.id:
            items.append(_moved(item, session=f"{item.group}/{item.session}"))
    asked = [_moved(query, gold=sorted({same[gold] for gold in query.gold})) for query in queries]
    return {POOL: items}, asked


def rows(opened: Opened, groups: Groups, queries: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """A row a question: its ranking in turns and in sessions, the figures of both, and the time it took."""
    asked: dict[str, list[Any]] = defaultdict(list)
    for query in queries:
        asked[query.group].append(query)
    for group, questions in asked.items():
        items = sorted(groups[group], key=lambda item: item.order) if group != POOL else list(groups[group])
        session = {item.id: item.session for item in items}
        texts = _told(items)
        bank = opened()
        with closing(bank):
            told = 0
            for query in sorted(questions, key=lambda query: float("inf") if query.asof is None else query.asof):
                until = sum(query.asof is None or item.order < query.asof for item in items)
                if until > told:
                    bank.fill(texts[told:until])
                    told = until
                yield _row(bank, query, session)


def _row(bank: Any, query: Any, session: Mapping[str, str]) -> dict[str, Any]:
    at = {"at": engine.moment(query.meta.get("question_date", ""))} if isinstance(bank, ours.Ours) else {}
    ranked, seconds = bank.ask(query.text, TOP, **at)
    row = {
        "id": query.id,
        "category": query.category,
        "gold": query.gold,
        "ranked": ranked[:KEPT],
        "seconds": round(seconds, 6),
        "turn": measures.question(ranked, query.gold),
        "official": measures.official(ranked, query.gold),
        "version": bank.version,
    }
    if any(session.values()):
        by, gold = measures.by_session(ranked, session), measures.by_session(query.gold, session)
        row |= {"session": measures.question(by, gold), "official_session": measures.official(by, gold)}
    if query.meta.get("abstention"):
        row["abstention"] = True
    return row


def _told(items: Sequence[Any]) -> list[dict[str, Any]]:
    places: Counter[str] = Counter()
    texts = []
    for item in items:
        texts.append(
            {
                "id": item.id,
                "text": sets.spoken(item),
                "bare": item.text,
                "author": item.speaker or None,
                "session": item.session,
                "position": places[item.session],
                "at": engine.moment(item.timestamp),
            }
        )
        places[item.session] += 1
    return texts


def _moved(each: Any, **changes: Any) -> Any:
    names = ("id", "text", "session", "speaker", "timestamp", "order", "category", "gold", "asof", "meta")
    known = {name: getattr(each, name) for name in names if hasattr(each, name)}
    return SimpleNamespace(**known | changes, group=POOL)
