"""Sleep of many waiting memories: its rate, and whether memory use stays flat: `python -m benchmarks.load.sleep`.

Each size is slept in a process of its own, with pages of 1,000 so that several are read. What the process held at most
is compared over the sizes: flat means that ten times as many memories want hardly more. The corpus is that of
`benchmarks.speed`, once in its own sessions of 30, once as one long session.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.speed import corpus, figures
from benchmarks.speed.figures import Figure, Target
from mnemopi import Mnemopi

_MB = 1 << 20
_FIRST, _MINUTE = 1_700_000_000_000, 60_000
_GROWTH = 1.5
"""Most that what the process holds may grow by, where ten times as many memories wait."""
_KINDS = ("sessions of 30", "one session")


def main() -> int:
    """Print a row a size, and write the log."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load.sleep", description=__doc__)
    parser.add_argument("--n", default="1000,10000", help="how many memories wait, separated by commas")
    options = parser.parse_args()
    try:
        corpus.source()
    except corpus.NoData as error:
        print(f"skipped: {error}")
        return 0
    with tempfile.TemporaryDirectory(prefix="mnemopi-load-") as folder:
        counts = [int(count) for count in options.n.split(",")]
        found = [figure for kind in _KINDS for figure in _figures(Path(folder), counts, kind)]
    figures.show("sleep", found)
    print(f"log: {figures.log('sleep', found)}")
    return 0


def _figures(folder: Path, counts: list[int], kind: str) -> Iterator[Figure]:
    held = []
    for count in counts:
        path = folder / f"{kind}-{count}.db"
        with corpus.opened(path) as memory:
            memory.remember_many(_waiting(count, kind))
        done = subprocess.run(
            [sys.executable, "-c", f"from benchmarks.load import sleep; sleep.once({str(path)!r})"],
            cwd=corpus.ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        seconds, most, made, slept, waiting, again = map(float, done.stdout.split())
        held.append(most)
        told = {"seconds": seconds, "episodes": made, "left": waiting, "second sleep": again, "MB held": most / _MB}
        yield Figure(f"memories a second, {count:,} in {kind}", slept / seconds, None, told)
    if len(held) > 1:
        yield Figure(f"held, {counts[-1]:,} to {counts[0]:,} in {kind}", held[-1] / held[0], Target(_GROWTH))


def _waiting(count: int, kind: str) -> Iterator[dict[str, Any]]:
    for number, row in enumerate(corpus.rows(count)):
        place = {} if kind == _KINDS[0] else {"session_id": "one", "position": number}
        yield {**row, "timestamp": _FIRST + number * _MINUTE, **place}


def once(path: str) -> None:
    """Sleep, and print seconds, bytes held at most, episodes, memories, those left, and what a second makes."""
    settings = {"write.settle": "off", "sleep.batch": 1000}
    with Mnemopi(path, no_embeddings=True, data_dir=Path(path).parent, config=settings) as memory:
        began = time.perf_counter()
        report = memory.sleep_all_sessions()
        seconds = time.perf_counter() - began
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        print(seconds, most, report.made, report.memories, report.waiting, memory.sleep_all_sessions().made)


if __name__ == "__main__":
    sys.exit(main())
