"""Command line of the speed benchmark."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks.speed import (
    agent,
    claims,
    corpus,
    figures,
    following,
    knowledge,
    reading,
    resident,
    size,
    startup,
    vectors,
    writing,
)
from benchmarks.speed.figures import Figure

Part = Callable[[Path, Sequence[int], Sequence[str]], list[Figure]]


def _recall(folder: Path, counts: Sequence[int], embedders: Sequence[str]) -> list[Figure]:
    return [figure for embedder in embedders for figure in reading.recall(folder, counts, embedder)]


def _agent(folder: Path, counts: Sequence[int], embedders: Sequence[str]) -> list[Figure]:
    return [figure for embedder in embedders for figure in agent.agent(folder, counts, embedder)]


PARTS: Mapping[str, Part] = {
    "remember": lambda folder, counts, embedders: writing.remember(folder),
    "ingest": lambda folder, counts, embedders: writing.ingest(folder, counts),
    "claims": lambda folder, counts, embedders: claims.claims(folder),
    "recall": _recall,
    "agent": _agent,
    "knowledge": lambda folder, counts, embedders: knowledge.knowledge(folder, counts),
    "follow": lambda folder, counts, embedders: following.follow(folder, counts),
    "vectors": lambda folder, counts, embedders: vectors.vectors(folder, max(counts)),
    "startup": lambda folder, counts, embedders: startup.startup(folder),
    "resident": lambda folder, counts, embedders: resident.resident(folder),
    "size": lambda folder, counts, embedders: size.size(folder, max(counts)),
}


def main() -> int:
    """Measure the asked parts; print tables, write logs, and return 0 whatever the figures say."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("part", nargs="?", choices=(*PARTS, "all"), default="all")
    parser.add_argument("--n", default="1000,10000,100000", help="sizes of the banks to ask, separated by commas")
    parser.add_argument("--embedder", choices=("none", "static"), help="only with this one (default: both)")
    parser.add_argument("--folder", type=Path, help="where banks are made and found again (default: a passing one)")
    options = parser.parse_args()
    counts = [int(number) for number in options.n.split(",")]
    embedders = [options.embedder] if options.embedder else ["none", "static"]
    try:
        corpus.source()
    except corpus.NoData as error:
        print(f"skipped: {error}")
        return 0
    with tempfile.TemporaryDirectory(prefix="mnemopi-speed-") as passing:
        for name in PARTS if options.part == "all" else [options.part]:
            found = PARTS[name](_folder(options.folder, Path(passing)), counts, embedders)
            figures.show(name, found)
            print(f"log: {figures.log(name, found)}")
    return 0


def _folder(kept: Path | None, passing: Path) -> Path:
    if kept is None:
        return passing
    kept.mkdir(parents=True, exist_ok=True)
    return kept.resolve()


if __name__ == "__main__":
    sys.exit(main())
