"""Linking new memories by search: what it costs a memory as a bank grows, and how many links one gets:
`python -m benchmarks.load.linking`.

The bank grows a slice at a time, and each slice is linked among what was there before it. Flat means that a memory of
the last slices costs hardly more than one of the early ones. The corpus is that of `benchmarks.speed`, with a tenth of
the memories said again in half of their words, so that there is something to link.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw

from benchmarks.speed import corpus, figures
from benchmarks.speed.figures import Figure, Target
from mnemopi import Mnemopi
from mnemopi.ingest.link import DEGREE

_SLICES = 10
_GROWTH = 1.5
"""Most that the cost of a memory may grow by over the last slices of the bank."""


def main() -> int:
    """Print the cost a slice, and write the log."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load.linking", description=__doc__)
    parser.add_argument("--n", type=int, default=10_000, help="how many memories are linked")
    options = parser.parse_args()
    try:
        corpus.source()
    except corpus.NoData as error:
        print(f"skipped: {error}")
        return 0
    with tempfile.TemporaryDirectory(prefix="mnemopi-load-") as folder:
        found = list(_figures(Path(folder) / "m.db", options.n))
    figures.show("linking", found)
    print(f"log: {figures.log('linking', found)}")
    return 0


def _figures(path: Path, count: int) -> Iterator[Figure]:
    settings = {"write.settle": "off", "knowledge.link": True, "knowledge.extract": "off"}
    with Mnemopi(path, no_embeddings=True, data_dir=path.parent, config=settings) as memory:
        costs = []
        rows = list(_said_again(count))
        for first in range(0, count, count // _SLICES):
            memory.remember_many(rows[first : first + count // _SLICES])
            memory.graph.entities(1)  # reads what memories mention, so that only linking is timed
            began = time.process_time()
            linked = memory.settle().linked
            costs.append((time.process_time() - began) / max(linked, 1) * 1000)
        last = sorted(costs[-3:])[1]
        early = sorted(costs[1:4])[1]
        edges, degrees = _degrees(path)
        told = {f"slice {number}": cost for number, cost in enumerate(costs, 1)}
        yield Figure("milliseconds a memory, last slices", last, None, told)
        yield Figure("last slices to early ones", last / early, Target(_GROWTH))
        yield Figure("links a memory", edges / count, None, {})
        yield Figure("links of one memory, at most", max(degrees, default=0), Target(DEGREE))


def _said_again(count: int) -> Iterator[dict[str, Any]]:
    """The corpus; each tenth memory says half of the words of one before it."""
    rows = corpus.rows(count)
    for number, row in enumerate(rows):
        if number % 10 == 9:
            words = rows[number - 1 - number % 7]["content"].split()
            yield {**row, "content": " ".join(words[::2]) or row["content"]}
        else:
            yield row


def _degrees(path: Path) -> tuple[int, list[int]]:
    raw = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    degree: dict[str, int] = {}
    edges = raw.execute("select source, target from edge").fetchall()
    for ends in edges:
        for end in ends:
            degree[end] = degree.get(end, 0) + 1
    return len(edges), list(degree.values())


if __name__ == "__main__":
    sys.exit(main())
