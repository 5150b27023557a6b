"""Command line of the quality benchmark."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.quality import harness, sets
from mnemopi.ports import Embedder
from mnemopi.retrieval import scoring

COLUMNS = ("n", "R@1", "R@5", "R@10", "R@20", "Hit@5", "Hit@10", "All@5", "All@10", "MRR", "nDCG@10")


def main() -> int:
    """Print the figures of a set, or of all, and save what was found for each question."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("name", help="a set, or `all`")
    parser.add_argument("--embedder", choices=("none", "static"), default="none")
    parser.add_argument("--log", type=Path, help="where the per-question log goes (default: benchmarks/logs)")
    options = parser.parse_args()
    try:
        names = sets.names() if options.name == "all" else [options.name]
        if unknown := set(names) - set(sets.names()):
            parser.error(f"no set {', '.join(unknown)}: there are {', '.join(sets.names())}")
    except sets.NoData as error:
        print(f"skipped: {error}")
        return 0
    for name in names:
        _measure(name, options.embedder, options.log)
    return 0


def _measure(name: str, embedder: str, log: Path | None) -> None:
    started = time.perf_counter()
    groups, queries = sets.load(name)
    opened = _embedder(embedder)
    rows = list(_rows(groups, queries, opened))
    ours = sets.scorer().score({row["id"]: [hit["id"] for hit in row["hits"]] for row in rows}, queries)
    plain = sets.scorer().score({row["id"]: row["bm25"] for row in rows}, queries)
    took = time.perf_counter() - started
    print(f"\n{name}, embedder {embedder}: {len(queries)} questions in {took:.0f} s")
    print(f"{'':34s}" + "".join(f"{column:>9s}" for column in COLUMNS))
    for part, figures in ours.items():
        _line(f"{part[:26]}", figures)
        if part == "all":
            _line("  plain BM25", plain["all"])
    path = log or sets.ROOT / "benchmarks" / "logs" / f"quality-{name}-{embedder}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _rows(groups: dict[str, list[Any]], queries: list[Any], embedder: Embedder | None) -> Iterator[dict[str, Any]]:
    indexed: dict[str, harness.Group] = {}
    for query in queries:
        if query.group not in indexed:
            indexed[query.group] = harness.Group(groups[query.group], embedder)
        group = indexed[query.group]
        asked = harness.ask(group, query)
        ranked = scoring.rank(asked.question, asked.candidates)[:20]
        hits = [{"id": asked.ids[place], **explanation.as_dict()} for place, explanation in ranked]
        gold = {"id": query.id, "text": query.text, "category": query.category, "gold": query.gold}
        yield gold | {"hits": hits, "bm25": harness.plain(group, query)}


def _embedder(name: str) -> Embedder | None:
    if name == "none":
        return None
    from mnemopi.providers.static import StaticEmbedder

    return StaticEmbedder()


def _line(label: str, figures: dict[str, float]) -> None:
    values = (f"{figures[column]:9d}" if column == "n" else f"{figures[column]:9.3f}" for column in COLUMNS)
    print(f"{label:34s}" + "".join(values))


if __name__ == "__main__":
    sys.exit(main())
