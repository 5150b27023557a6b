"""Writing: one memory a transaction, and many in batches, without an embedder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.speed import corpus, floors
from benchmarks.speed.figures import Figure, Samples, Target, compared, median, timed
from mnemopi import Mnemopi

ONE_TARGET = Target(3.0)
MANY_TARGET = Target(0.4, least=True)
_WARM = 1000
_ONES = 300
_STRETCH = 2000
"""Memories written at a time before the other side has its turn."""
_MANY = 10_000
_SEED = 8
"""Of the texts that are written, which are not those of the banks."""


def remember(folder: Path) -> list[Figure]:
    """One memory, one transaction, on disk when it returns; in turns, on files that hold some already."""
    texts = corpus.rows(_WARM + _ONES)
    ours, floor = Samples(), Samples()
    with corpus.opened(folder / "one.db") as memory, floors.Bare(folder / "one-bare.db") as bare:
        memory.remember_many(texts[:_WARM])
        bare.insert_many(texts[:_WARM])
        for row in texts[_WARM:]:
            ours.append(timed(_remember, memory, row))
            floor.append(timed(bare.insert, row))
    return [compared("remember: time", ours, floor, ONE_TARGET, tail=True)]


def ingest(folder: Path, counts: Sequence[int]) -> list[Figure]:
    """Batches of 500 into copies of banks that hold some already; the value is our rate over the floor's."""
    found: list[Figure] = []
    texts = list(corpus.source().corpus(_MANY, seed=_SEED))
    for count in counts:
        ours, floor = Samples(), Samples()
        with tempfile.TemporaryDirectory(prefix="ingest-", dir=folder) as passing:
            path, bare_path = (
                Path(shutil.copyfile(kept, Path(passing, kept.name)))
                for kept in (corpus.bank(folder, count), corpus.bare(folder, count))
            )
            with corpus.opened(path) as memory, floors.Bare(bare_path) as bare:
                for start in range(0, _MANY, _STRETCH):
                    stretch = texts[start : start + _STRETCH]
                    ours.append(timed(memory.remember_many, stretch))
                    floor.append(timed(_insert, bare, stretch))
        found.append(_rate(ours, floor, count))
    return found


def _rate(ours: Samples, floor: Samples, count: int) -> Figure:
    figure = compared(f"remember_many, {count:,} there: rate", ours, floor, None, per=_STRETCH)
    details = dict(figure.details)
    details["cpu ratio"] = median(floor, 1) / median(ours, 1)
    details["ours per s"] = _STRETCH / median(ours)
    details["floor per s"] = _STRETCH / median(floor)
    growth = {"one of many, taken in": median(ours) / _STRETCH, "bare rows": median(floor) / _STRETCH}
    return Figure(figure.name, 1 / figure.value, MANY_TARGET, details, count, growth)


def _remember(memory: Mnemopi, row: dict[str, Any]) -> None:
    memory.remember(**row)


def _insert(bare: floors.Bare, rows: list[dict[str, Any]]) -> None:
    for start in range(0, len(rows), floors.BATCH):
        bare.insert_many(rows[start : start + floors.BATCH])
