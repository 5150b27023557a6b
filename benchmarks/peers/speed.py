"""How fast beside the others? Memories taken in and questions answered, in turns, in one run.

    python -m benchmarks.peers.speed --n 1000,10000 --embedder none

The corpus of `benchmarks.speed`. Each peer's bank is open at once; they take in a tenth of the corpus each in turn, and
answer each question in turn, so that whatever else the machine does meets all alike. Vectors come from one server that
asks the same model; ours calls the model itself. The figures are medians, and ratios to ours. A peer that needs longer
than the limit for a size, to take it in or to answer, says how far it came, and is not asked at a larger one.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from typing import Any, Final

from benchmarks import runlog
from benchmarks.peers import asking, places, process, roster
from benchmarks.speed import corpus

PARTS: Final = 10
KINDS: Final = ("content", "mixed")
ASKED: Final = 20
"""Questions of a kind."""
OURS: Final = "mnemopi"


def main() -> int:
    """Print and log a table a size and embedder."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers.speed", description=__doc__)
    parser.add_argument("--n", default="1000,10000", help="sizes, separated by commas")
    parser.add_argument("--embedder", choices=("none", "static"), default="none")
    parser.add_argument("--peers", default="all", help="peers, separated by commas, or `all`")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds that a peer may take for a size")
    options = parser.parse_args()
    try:
        corpus.source()
    except corpus.NoData as error:
        print(f"skipped: {error}")
        return 0
    served = [peer.name for peer in roster.PEERS.values() if peer.kind != "plain"]
    names = served if options.peers == "all" else [OURS, *options.peers.split(",")]
    if unknown := set(names) - set(served):
        parser.error(f"no peer {', '.join(sorted(unknown))}: there are {', '.join(served)}")
    rows: list[dict[str, Any]] = []
    for count in sorted(map(int, options.n.split(","))):
        slow = {name: reason for name in names if (reason := _too_slow(name, count, rows, options.limit))}
        found = _measured(names, count, options.embedder, options.limit, slow)
        _show(count, options.embedder, found)
        rows += found
    head = runlog.head("peers-speed", runlog.command(), embedder=options.embedder)
    runlog.write(f"peers-speed-{options.embedder}", head, rows)
    return 0


def _too_slow(name: str, count: int, rows: Sequence[dict[str, Any]], limit: float) -> str:
    """Why a peer is not asked at a size, by what it took at a smaller one; "" where it is."""
    smaller = [row for row in rows if row["peer"] == name][-1:]
    for row in smaller if name != OURS else ():
        if row["skipped"]:
            return str(row["skipped"])
        if row["filled"] * count / row["n"] > limit:
            return f"taking in {row['n']:,} took {row['filled']:.0f} s"
    return ""


def _measured(
    names: Sequence[str], count: int, embedder: str, limit: float, slow: Mapping[str, str]
) -> list[dict[str, Any]]:
    patient = 2 * limit * (len(names) + 1)  # a peer waits while the others have their turns
    with ExitStack() as stack:
        banks: dict[str, Any] = {}
        rows: dict[str, dict[str, Any]] = {}
        for name in names:
            rows[name] = {
                "peer": name,
                "n": count,
                "embedder": embedder,
                "filled": 0.0,
                "asked": 0.0,
                "skipped": slow.get(name, ""),
            }
            if name in slow:
                continue
            try:
                opened = stack.enter_context(asking.opener(roster.PEERS[name], embedder, patient))
                banks[name] = stack.enter_context(closing(opened()))
                rows[name]["version"] = banks[name].version
            except (asking.Unfit, places.Unavailable, process.Stopped) as error:
                rows[name]["skipped"] = str(error)
        items = _items(count)
        step = max(1, count // PARTS)
        for start in range(0, count, step):
            for name in list(banks):
                _fill(banks, rows[name], items[start : start + step], limit, start)
        for name in banks:
            rows[name]["rate"] = count / max(rows[name]["filled"], 1e-9)
        _ask(banks, rows, limit)
    return list(rows.values())


def _fill(
    banks: dict[str, Any], row: dict[str, Any], items: Sequence[Mapping[str, Any]], limit: float, there: int
) -> None:
    name = row["peer"]
    try:
        row["filled"] += banks[name].fill(items)
    except process.Stopped as error:
        row["skipped"] = str(error)
    if row["filled"] > limit and name != OURS and there + len(items) < row["n"]:
        row["skipped"] = f"took in {there + len(items):,} in {row['filled']:.0f} s"
    if row["skipped"]:
        del banks[name]


def _ask(banks: dict[str, Any], rows: dict[str, dict[str, Any]], limit: float) -> None:
    for name, bank in banks.items():
        _one(bank, rows[name], corpus.questions("common")[0], limit)  # the first question loads what the others need
    for kind in KINDS:
        samples: dict[str, list[float]] = {name: [] for name in banks}
        for question in corpus.questions(kind)[:ASKED]:
            for name, bank in banks.items():
                took = _one(bank, rows[name], question, limit)
                samples[name] += [] if took is None else [took]
        for name, found in samples.items():
            if found and not rows[name]["skipped"]:
                rows[name][kind] = statistics.median(found)


def _one(bank: Any, row: dict[str, Any], question: str, limit: float) -> float | None:
    if row["skipped"]:
        return None
    try:
        took = float(bank.ask(question, 10)[1])
    except process.Stopped as error:
        row["skipped"] = str(error)
        return None
    row["asked"] += took
    if row["asked"] > limit and row["peer"] != OURS:
        row["skipped"] = f"a question took {took:.0f} s"
    return took


def _items(count: int) -> list[dict[str, Any]]:
    return [
        {
            "id": str(place),
            "text": row["content"],
            "bare": row["content"],
            "author": row["author_id"],
            "session": row["session_id"],
            "position": row["position"],
            "at": None,
        }
        for place, row in enumerate(corpus.rows(count))
    ]


def _show(count: int, embedder: str, rows: Sequence[dict[str, Any]]) -> None:
    ours = rows[0]
    print(f"\n{count:,} memories, embedder {embedder}: value, and how many times ours")
    for row in rows:
        if row["skipped"]:
            print(f"{row['peer']:12s} skipped: {row['skipped']}")
            continue
        cells = [f"{row['rate']:9,.0f} a second ({ours['rate'] / row['rate']:.1f} times the time)"]
        cells += [f"{kind} {row[kind] * 1e3:8.1f} ms ({row[kind] / ours[kind]:.1f})" for kind in KINDS]
        print(f"{row['peer']:12s} " + "  ".join(cells), flush=True)


if __name__ == "__main__":
    sys.exit(main())
