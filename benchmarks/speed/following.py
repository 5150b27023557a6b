"""What a recall has to take in first: all vectors at the first question, and what another process wrote since the last.

The bank is a copy, since it is written to. The floor of a first question is one bare pass over the vectors in the file;
that of a later one is the same question asked once more, when there is nothing to take in.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import apsw

from benchmarks.speed import corpus
from benchmarks.speed.figures import Figure, Samples, Target, compared, median, timed
from mnemopi import Mnemopi

ONE_TARGET = Target(3.0)
WRITTEN = (1, 100, 1000)
_ROUNDS = 5
_SEED = 8
"""Of the texts that the other process writes, which are not those of the bank."""


def follow(folder: Path, counts: Sequence[int]) -> list[Figure]:
    """Each size: the first question of a process, and the first one after another process wrote."""
    found: list[Figure] = []
    for count in counts:
        kept = corpus.bank(folder, count, "static")
        with tempfile.TemporaryDirectory(prefix="follow-", dir=folder) as passing:
            path = Path(shutil.copyfile(kept, Path(passing) / kept.name))
            bare = [timed(_pass_over, path) for _ in range(2)][1:]  # the first has the file read from disk
            with corpus.opened(path, "static") as memory:
                found.append(_first(memory, bare, count))
                found += [_after(memory, path, written, count) for written in WRITTEN]
    return found


def _first(memory: Mnemopi, bare: Samples, count: int) -> Figure:
    question = corpus.questions("content")[0]
    assert memory.embedder is not None
    memory.embedder.embed_queries([question])  # loads the embedder, whatever the size of the bank
    first = [timed(memory.recall, question, 10)]
    figure = compared(f"first recall, {count:,}", first, bare, None)
    return replace(figure, size=count, growth={"first recall of a process": median(first)})


def _after(memory: Mnemopi, path: Path, written: int, count: int) -> Figure:
    """The first recall after the other process wrote so many, over the next one; medians of rounds."""
    question = corpus.questions("content")[1]
    ours, again = Samples(), Samples()
    statements: list[int] = []
    for turn in range(_ROUNDS):
        memory.recall(question, 10)
        command = [sys.executable, "-m", "benchmarks.speed.following", str(path), str(written), str(turn)]
        subprocess.run(command, cwd=corpus.ROOT, check=True)
        connection: Any = memory.bank._store.connection
        with mock.patch.object(connection, "_guarded", wraps=connection._guarded) as asked:
            ours.append(timed(memory.recall, question, 10))
        statements.append(asked.call_count)
        again.append(timed(memory.recall, question, 10))
    figure = compared(
        f"recall after {written:,} written elsewhere, {count:,}", ours, again, ONE_TARGET if written == 1 else None
    )
    details = {**figure.details, "statements": statistics.median(statements)}
    growth = {f"recall after {written:,} written elsewhere": median(ours)}
    return replace(figure, size=count, growth=growth, details=details)


def _pass_over(path: Path) -> None:
    bare = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    for _ in bare.execute("SELECT data FROM vector NOT INDEXED ORDER BY seq"):
        pass
    bare.close()


def _write(path: Path, count: int, turn: int) -> None:
    """Write memories that the bank does not have, their vectors too."""
    texts = list(corpus.source().corpus(count, seed=_SEED + 1000 * count + turn))
    with corpus.opened(path, "static") as memory:
        memory.remember_many(texts)
        memory.settle()


if __name__ == "__main__":
    _write(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
