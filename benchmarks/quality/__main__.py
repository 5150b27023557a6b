"""Command line of the quality benchmark."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.quality import embedders, engine, harness, rerankers, sets
from mnemopi.retrieval import scoring

COLUMNS = ("n", "R@1", "R@5", "R@10", "R@20", "Hit@5", "Hit@10", "All@5", "All@10", "MRR", "nDCG@10")


def main() -> int:
    """Print the figures of a set, or of all, and save what was found for each question."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("name", help="a set, or `all`")
    parser.add_argument("--embedder", choices=embedders.NAMES, default="none")
    parser.add_argument("--rerank", choices=rerankers.NAMES, default="none", help="who reads the best last")
    parser.add_argument("--pool", choices=("engine", "harness"), default="engine", help="where candidates come from")
    parser.add_argument("--log", type=Path, help="where the per-question log goes (default: benchmarks/logs)")
    options = parser.parse_args()
    if options.rerank != "none" and options.pool == "harness":
        parser.error("only the engine asks a reranker: leave out --pool harness")
    if not (names := sets.wanted(parser, options.name)):
        return 0
    try:
        embedders.opened(options.embedder)
        rerankers.opened(options.rerank)
    except embedders.Unavailable as error:
        print(f"skipped: {error}")
        return 0
    for name in names:
        _measure(name, options.embedder, options.rerank, options.pool, options.log)
    return 0


def _measure(name: str, embedder: str, reranker: str, pool: str, log: Path | None) -> None:
    started = time.perf_counter()
    groups, queries = sets.load(name)
    if pool == "harness":
        rows = list(_by_harness(groups, queries, embedder))
    else:
        rows = list(_by_engine(groups, queries, embedder, reranker))
    ours = sets.scorer().score({row["id"]: [hit["id"] for hit in row["hits"]] for row in rows}, queries)
    plain = sets.scorer().score({row["id"]: row["bm25"] for row in rows}, queries)
    took = time.perf_counter() - started
    ranked = "" if reranker == "none" else f", reranker {reranker}"
    print(f"\n{name}, embedder {embedder}{ranked}, pool {pool}: {len(queries)} questions in {took:.0f} s")
    print(f"{'':34s}" + "".join(f"{column:>9s}" for column in COLUMNS))
    for part, figures in ours.items():
        _line(f"{part[:26]}", figures)
        if part == "all":
            _line("  plain BM25", plain["all"])
    if held := [_stands(row) for row in rows if "stale" in row]:
        print(f"{'in force above stale':34s}{len(held):9d}{sum(held) / len(held):9.3f}")
    judged = "" if reranker == "none" else f"-{reranker}"
    path = log or sets.ROOT / "benchmarks" / "logs" / f"quality-{name}-{embedder}{judged}-{pool}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _by_engine(
    groups: dict[str, list[Any]], queries: list[Any], embedder: str, reranker: str
) -> Iterator[dict[str, Any]]:
    plain: dict[str, harness.Group] = {}
    banks = engine.Banks(groups, embedder, reranker)
    try:
        for query in queries:
            if query.group not in plain:
                plain[query.group] = harness.Group(groups[query.group], None)
            yield _row(query, banks.ask(query), harness.plain(plain[query.group], query))
    finally:
        banks.close()


def _by_harness(groups: dict[str, list[Any]], queries: list[Any], embedder: str) -> Iterator[dict[str, Any]]:
    indexed: dict[str, harness.Group] = {}
    opened = embedders.opened(embedder)
    for query in queries:
        if query.group not in indexed:
            indexed[query.group] = harness.Group(groups[query.group], opened)
        group = indexed[query.group]
        asked = harness.ask(group, query)
        ranked = scoring.rank(asked.question, asked.candidates)[:20]
        hits = [{"id": asked.ids[place], **explanation.as_dict()} for place, explanation in ranked]
        yield _row(query, hits, harness.plain(group, query))


def _row(query: Any, hits: list[dict[str, Any]], bm25: list[str]) -> dict[str, Any]:
    gold = {"id": query.id, "text": query.text, "category": query.category, "gold": query.gold}
    if stale := query.meta.get("stale"):
        gold["stale"] = stale
    return gold | {"hits": hits, "bm25": bm25}


def _stands(row: dict[str, Any]) -> bool:
    """Whether what is in force ranks above all that it replaced."""
    places = {hit["id"]: place for place, hit in enumerate(row["hits"])}
    gold = min((places[id] for id in row["gold"] if id in places), default=None)
    return gold is not None and all(places.get(id, gold + 1) > gold for id in row["stale"])


def _line(label: str, figures: dict[str, float]) -> None:
    values = (f"{figures[column]:9d}" if column == "n" else f"{figures[column]:9.3f}" for column in COLUMNS)
    print(f"{label:34s}" + "".join(values))


if __name__ == "__main__":
    sys.exit(main())
