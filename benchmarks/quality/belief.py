"""Does a belief mean a probability, and what does a threshold on it lose and refuse?

    python -m benchmarks.quality.belief
    python -m benchmarks.quality.belief locomo_dev

Each set's questions are asked of their own group, and of another one, which cannot answer them. Over the ten best
candidates: the expected calibration error and the reliability curve, ten bins of equal count. Over the best alone: the
share of answerable questions that a threshold would lose, and of unanswerable ones that it would refuse.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks import runlog
from benchmarks.quality import sets
from benchmarks.quality.sampling import Sample, samples
from mnemopi.retrieval import scoring
from mnemopi.retrieval.weights import CALIBRATION, Calibration

THRESHOLDS = (0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3)
BINS = 10


def main() -> int:
    """Print and log the table of the shipped calibration."""
    names, log, folder = sets.asked("belief", __doc__)
    if not names:
        return 0
    found = show(row(own, other, CALIBRATION) for own, other in pairs(names))
    head = runlog.head("belief", runlog.command(), thresholds=THRESHOLDS)
    runlog.write(log, head, found, folder)
    return 0


def pairs(names: Iterable[str]) -> Iterator[tuple[Sample, Sample]]:
    """The questions of each set and embedder, asked of their own groups and of those that cannot answer them."""
    for name in names:
        yield from zip(samples([name]), samples([name], foreign=True), strict=True)


def show(found: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Print rows as they come, and return them."""
    print(f"{'':38s}{'error':>8s}{'gold':>8s}{'belief':>8s}   lost / refused at " + "  ".join(map(str, THRESHOLDS)))
    shown = []
    for each in found:
        cells = "  ".join(f"{lost:.2f}/{refused:.2f}" for lost, refused in each["cut"])
        label = f"{each['set']} {each['embedder']}"
        print(f"{label:38s}{each['error']:8.3f}{each['gold']:8.3f}{each['belief']:8.3f}   {cells}", flush=True)
        shown.append(each)
    return shown


def bins(beliefs: np.ndarray, truths: np.ndarray) -> list[tuple[float, float, int]]:
    """The reliability curve: mean belief, share of truth and count of each of ten bins of equal count."""
    parts = np.array_split(np.argsort(beliefs, kind="stable"), BINS)
    return [(float(beliefs[each].mean()), float(truths[each].mean()), len(each)) for each in parts if len(each)]


def calibration_error(curve: Sequence[tuple[float, float, int]]) -> float:
    """The expected calibration error of a reliability curve."""
    return sum(count * abs(belief - truth) for belief, truth, count in curve) / sum(count for *_, count in curve)


def row(own: Sample, other: Sample, calibration: Calibration) -> dict[str, Any]:
    """What a calibration makes of one set and embedder: its errors, its curve, and what thresholds lose and refuse."""
    bests, places, truths = [], [], []
    for asked in own.asked:
        ranked = scoring.rank(asked.question, asked.candidates, calibration=calibration)[:10]
        bests.append(ranked[0][1].score if ranked else 0.0)
        places += [explanation.score for _, explanation in ranked]
        truths += [asked.ids[place] in asked.gold for place, _ in ranked]
    strange = [scoring.rank(each.question, each.candidates, calibration=calibration)[:1] for each in other.asked]
    foreign = [ranked[0][1].score if ranked else 0.0 for ranked in strange]
    curve = bins(np.array(places), np.array(truths, float))
    return {
        "set": own.name,
        "embedder": own.embedder,
        "n": len(own.asked),
        "error": calibration_error(curve),
        "gold": float(np.mean(truths)),
        "belief": float(np.mean(places)),
        "curve": curve,
        "cut": [(_below(bests, threshold), _below(foreign, threshold)) for threshold in THRESHOLDS],
    }


def _below(values: Sequence[float], threshold: float) -> float:
    return sum(value < threshold for value in values) / len(values)


if __name__ == "__main__":
    sys.exit(main())
