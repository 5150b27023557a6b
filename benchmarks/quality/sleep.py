"""What sleep does to recall, and what its episodes hold: `python -m benchmarks.quality.sleep NAME`.

Two measures, through the public door, over the banks of a set:

- recall at 10 of the questions with several gold memories, before and after `sleep_all_sessions`; an episode counts as
  a miss;
- whether an episode holds the answer: of the questions with a gold memory that an episode cites, the share for which
  the episode's own text holds at least `HELD` of the answer's terms by their idf. The answer is the set's own where it
  has one (`meta.answer`), else the gold memory's text: a stricter stand-in, since it says more than the answer.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Iterator
from typing import Any

from benchmarks.quality import engine, sets
from mnemopi import Mnemopi
from mnemopi.retrieval import evidence
from mnemopi.text import tokens

HELD = 0.5
"""Share of the answer's terms, by idf, from which it counts as held."""
TOP = 10


def main() -> int:
    """Print the figures of a set and save what was found for each question."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.sleep", description=__doc__)
    parser.add_argument("name", nargs="?", default=sets.MEASURED_ONLY)
    parser.add_argument("--embedder", choices=("none", "static"), default="none")
    options = parser.parse_args()
    try:
        groups, queries = sets.load(options.name)
    except sets.NoData as error:
        print(f"skipped: {error}")
        return 0
    banks = engine.Banks(groups, options.embedder)
    try:
        rows = list(_rows(banks, groups, queries))
    finally:
        banks.close()
    _show(options.name, options.embedder, rows)
    path = sets.ROOT / "benchmarks" / "logs" / f"sleep-{options.name}-{options.embedder}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return 0


def _rows(banks: engine.Banks, groups: dict[str, list[Any]], queries: list[Any]) -> Iterator[dict[str, Any]]:
    for group in dict.fromkeys(query.group for query in queries):
        asked = [query for query in queries if query.group == group]
        before = {query.id: _found(banks, query) for query in asked if len(query.gold) > 1}
        memory, ids = banks.opened(group)
        began = time.perf_counter()
        report = banks.at_ease(group, lambda bank: bank.sleep_all_sessions())
        again = banks.at_ease(group, lambda bank: bank.sleep_all_sessions())
        print(
            f"{group}: {report.made} episodes of {report.memories} memories, {report.waiting} wait, "
            f"{time.perf_counter() - began:.1f} s; again {again.made}",
            file=sys.stderr,
        )
        episodes = _episodes(memory, report.episodes, ids)
        texts = {item.id: item.text for item in groups[group]}
        for query in asked:
            row = {"id": query.id, "category": query.category, "gold": query.gold}
            if query.id in before:
                row |= {"before": before[query.id], "after": _found(banks, query)}
            row["held"] = _held(memory, query, episodes, texts)
            yield row


def _found(banks: engine.Banks, query: Any) -> list[str]:
    return [hit["id"] for hit in banks.ask(query)][:TOP]


def _episodes(memory: Mnemopi, made: tuple[str, ...], ids: dict[str, str]) -> list[tuple[frozenset[str], str]]:
    """Return the sources, by the ids of the set, and the text of each episode."""
    found = [episode for id in made if (episode := memory.get(id)) is not None]
    return [(frozenset(ids[id] for id in (e.metadata or {})["sources"]), e.content) for e in found]


def _held(
    memory: Mnemopi, query: Any, episodes: list[tuple[frozenset[str], str]], texts: dict[str, str]
) -> list[float]:
    """Return, for each gold memory that an episode cites, how much of the answer the episode holds, 0 to 1."""
    shares = []
    for gold in query.gold:
        for sources, text in episodes:
            if gold in sources:
                shares.append(_share(memory, str(query.meta.get("answer") or texts[gold]), text))
    return shares


def _share(memory: Mnemopi, answer: str, text: str) -> float:
    count = memory.stats()["total_memories"]
    wanted = tokens.content_terms(answer)
    known = memory.bank._store.memories.frequencies(wanted)
    weights = {term: evidence.idf_of(known.get(term, 0), count) for term in wanted}
    there = set(tokens.terms(text))
    mass = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in there) / mass if mass else 1.0


def _show(name: str, embedder: str, rows: list[dict[str, Any]]) -> None:
    several = [row for row in rows if "before" in row]
    figures = {part: statistics.fmean(_recall(row, part) for row in several) for part in ("before", "after")}
    print(f"\n{name}, embedder {embedder}")
    print(f"R@{TOP} of {len(several)} questions with several gold memories: ", end="")
    print(f"{figures['before']:.4f} before, {figures['after']:.4f} after, {figures['after'] - figures['before']:+.4f}")
    taken = sum(len([id for id in row["after"] if id.startswith("episode:")]) for row in several)
    print(f"places taken by episodes: {taken / max(1, len(several)):.2f} a question")
    cited = [row["held"] for row in rows if row["held"]]
    for least in (0.4, HELD, 0.6, 0.7):
        best = sum(max(held) >= least for held in cited) / max(1, len(cited))
        every = sum(min(held) >= least for held in cited) / max(1, len(cited))
        print(f"holds {least:.0%} of the answer: {best:.3f} of {len(cited)} questions; for all their gold {every:.3f}")


def _recall(row: dict[str, Any], part: str) -> float:
    return len(set(row["gold"]) & set(row[part])) / len(set(row["gold"]))


if __name__ == "__main__":
    sys.exit(main())
