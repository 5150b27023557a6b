"""Command line of the comparison."""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import measures, runlog
from benchmarks.peers import asking, languages, places, process, roster
from benchmarks.peers.roster import Peer
from benchmarks.quality import embedders, rerankers, sets

COLUMNS = ("R@1", "R@5", "R@10", "R@20", "MRR", "nDCG@10")


def main() -> int:
    """Ask a peer, or all, the questions of a set, or of all; print the figures and save a log a row."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("name", choices=(*roster.PEERS, "all", "plain", "list"), help="a peer, or what `list` prints")
    parser.add_argument("set", nargs="?", default="all", help=f"a set, `{languages.NAME}`, or `all`")
    parser.add_argument("--embedder", choices=embedders.NAMES, default="none")
    parser.add_argument("--rerank", choices=rerankers.NAMES, default="none", help="who reads ours last: mnemopi alone")
    parser.add_argument("--haystack", choices=("own", "pool"), default="own", help="a question's own, or all as one")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds that a peer may take for a set")
    parser.add_argument("--logs", type=Path, default=runlog.LOGS, help="where logs go (default: benchmarks/logs)")
    options = parser.parse_args()
    if options.name == "list":
        return _list()
    if options.rerank != "none" and options.name != "mnemopi":
        parser.error("only mnemopi asks a reranker of ours")
    try:
        names = [*sets.names(), languages.NAME] if options.set == "all" else [options.set]
        if unknown := set(names) - {*_names(), languages.NAME}:
            parser.error(f"no set {', '.join(unknown)}: there are {', '.join([*_names(), languages.NAME])}")
    except sets.NoData as error:
        names = [languages.NAME]
        print(f"only {languages.NAME} is asked: {error}")
    peers = [peer for peer in roster.PEERS.values() if options.name in (peer.name, peer.kind, "all")]
    # a plain ranker without its embedder is no row, where a peer's lack of one is a fact about it
    peers = [peer for peer in peers if peer.kind not in ("plain", "ours") or options.embedder in peer.embedders]
    for name in names:
        for peer in peers:
            _measure(peer, name, options)
    return 0


def _names() -> list[str]:
    try:
        return sets.names()
    except sets.NoData:
        return []


def _list() -> int:
    for peer in roster.PEERS.values():
        print(f"{peer.name:12s} {', '.join(peer.embedders):28s} {' '.join(peer.packages) or '-'}: {peer.setting}")
    for name, reason in roster.ABSENT.items():
        print(f"{name:12s} no row: {reason}")
    return 0


def _measure(peer: Peer, name: str, options: argparse.Namespace) -> None:
    started, label = time.perf_counter(), peer.name if options.rerank == "none" else f"{peer.name}+{options.rerank}"
    rows: list[dict[str, Any]] = []
    skipped = ""
    try:
        groups, queries = languages.load() if name == languages.NAME else sets.load(name)
        if options.haystack == "pool":
            groups, queries = asking.pooled(groups, queries)
        with asking.opener(peer, options.embedder, options.limit, options.rerank) as opened:
            rows.extend(asking.rows(opened, groups, queries))
    except (asking.Unfit, places.Unavailable, embedders.Unavailable, process.Stopped) as error:
        skipped = str(error)
    took = time.perf_counter() - started
    head = runlog.head(
        "quality",
        ["python", "-m", "benchmarks.peers", peer.name, name, "--embedder", options.embedder]
        + (["--haystack", "pool"] if options.haystack == "pool" else [])
        + (["--rerank", options.rerank] if options.rerank != "none" else []),
        peer=label,
        set=name,
        embedder=options.embedder,
        haystack=options.haystack,
        setting=peer.setting,
        packages=peer.packages,
        version=rows[0]["version"] if rows else "",
        took=round(took, 1),
        skipped=skipped,
    )
    runlog.write(
        f"peers-{name}-{options.haystack}-{options.embedder}-{label}", head, [] if skipped else rows, options.logs
    )
    _show(f"{name}, {options.haystack}, {options.embedder}: {label}", rows, skipped, took)


def _show(label: str, rows: Sequence[dict[str, Any]], skipped: str, took: float) -> None:
    if skipped:
        print(f"{label}: skipped after {took:.0f} s: {skipped}", flush=True)
        return
    cells = []
    for column in COLUMNS:
        mean, low, high = measures.interval([row["turn"][column] for row in rows])
        cells.append(f"{column} {mean:.3f} [{low:.3f}, {high:.3f}]")
    middle = statistics.median(row["seconds"] for row in rows) * 1000
    print(f"{label}: {len(rows)} questions, {took:.0f} s, {middle:.1f} ms each\n  " + "  ".join(cells), flush=True)


if __name__ == "__main__":
    sys.exit(main())
