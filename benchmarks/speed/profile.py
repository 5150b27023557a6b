"""Where the time goes: the top of cProfile for writing many memories, or for asking all questions.

python -m benchmarks.speed.profile ingest
python -m benchmarks.speed.profile recall --n 10000 --embedder static
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import tempfile
from pathlib import Path

from benchmarks.speed import corpus

_WARM = 2000


def main() -> int:
    """Profile and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.profile", description=__doc__)
    parser.add_argument("what", choices=("recall", "ingest"))
    parser.add_argument("--n", type=int, default=10_000, help="memories written, or asked")
    parser.add_argument("--embedder", choices=("none", "static"), default="none")
    parser.add_argument("--sort", choices=("tottime", "cumtime"), default="tottime")
    parser.add_argument("--top", type=int, default=40)
    options = parser.parse_args()
    profiler = cProfile.Profile()
    try:
        with tempfile.TemporaryDirectory(prefix="mnemopi-profile-") as folder:
            work = _ingest if options.what == "ingest" else _recall
            work(Path(folder), options.n, options.embedder, profiler)
    except corpus.NoData as error:
        print(f"skipped: {error}")
        return 0
    pstats.Stats(profiler).strip_dirs().sort_stats(options.sort).print_stats(options.top)
    return 0


def _ingest(folder: Path, count: int, embedder: str, profiler: cProfile.Profile) -> None:
    texts = corpus.rows(_WARM + count)
    with corpus.opened(folder / "profiled.db", embedder) as memory:
        memory.remember_many(texts[:_WARM])
        with profiler:
            memory.remember_many(texts[_WARM:])


def _recall(folder: Path, count: int, embedder: str, profiler: cProfile.Profile) -> None:
    asked = [question for kind in corpus.KINDS for question in corpus.questions(kind)]
    with corpus.opened(corpus.bank(folder, count, embedder), embedder) as memory:
        memory.recall(asked[0], 10)
        with profiler:
            for question in asked:
                memory.recall(question, 10)


if __name__ == "__main__":
    sys.exit(main())
