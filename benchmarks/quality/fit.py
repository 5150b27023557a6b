"""Fit the numbers of ranking, and the belief that goes with them; prints what `mnemopi.retrieval.weights` should hold.

    python -m benchmarks.quality.fit order --trials 300
    python -m benchmarks.quality.fit belief
    python -m benchmarks.quality.fit ablate

*Order*: random search around the present weights over all sets but the one that is only measured, with and without
vectors at once; the mean of the best trials is proposed, not the best one. Each set is then left out in
turn: what the others choose is looked at on it. *Belief*: logistic regression on the candidates of answerable
questions, over all those sets and with each left out in turn. *Ablate*: what each weight is good for: the
figures of every set with that weight alone at nothing.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from benchmarks import runlog
from benchmarks.quality import belief, harness, sets
from benchmarks.quality.sampling import SEED, Sample, samples
from mnemopi.retrieval import evidence, scoring
from mnemopi.retrieval.evidence import Evidence
from mnemopi.retrieval.weights import CALIBRATION, WEIGHTS, Calibration, Weights

FITTED = {
    "short_middle": (20.0, 60.0),
    "short_width": (0.3, 0.8),
    "context": (0.3, 1.2),
    "around": (0.0, 0.35),
    "meaning": (0.1, 0.6),
    "meaning_limit": (2.0, 5.0),
}
ABLATED = ("context", "around", "answer", "speaker", "dated", "exact", "meaning")
FEATURES = ("bias", "coverage", "gain", "behind", "meaning", "meaning_bias")
NOTHING = Calibration(**dict.fromkeys(Calibration.__slots__, 0.0))
BASES = [{"b": b, "least_length": least} for b in (0.65, 0.75, 0.85) for least in (20.0, 30.0)]


def main() -> int:
    """Fit and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.fit", description=__doc__)
    parser.add_argument("what", choices=("order", "belief", "ablate"))
    parser.add_argument("--trials", type=int, default=300)
    options = parser.parse_args()
    try:
        names = [name for name in sets.names() if name != sets.MEASURED_ONLY]
    except sets.NoData as error:
        print(f"skipped: {error}")
        return 0
    if options.what == "order":
        fit_order(list(samples(names)), options.trials)
    elif options.what == "belief":
        fit_belief(names)
    else:
        ablate(list(samples(sets.names())))
    return 0


def fit_order(found: list[Sample], trials: int) -> None:
    """Search, propose, and leave each set out."""
    rng = random.Random(SEED)
    tried: list[tuple[dict[str, float], list[float]]] = []
    for base in BASES:
        weights = replace(WEIGHTS, **base)
        gathered = [
            [evidence.gather(asked.question, asked.candidates, weights) for asked in sample.asked] for sample in found
        ]
        for trial in range(trials // len(BASES)):
            drawn = {name: rng.uniform(*limits) for name, limits in FITTED.items()} if trial else {}
            tried.append((base | drawn, _evaluate(found, gathered, replace(weights, **drawn))))
    labels = [(sample.name, sample.embedder) for sample in found]
    floors = [sample.floor for sample in found]
    worth = [_worth(figures, floors, range(len(found))) for _, figures in tried]
    best = sorted(range(len(tried)), key=lambda place: -worth[place])
    for place in best[:5]:
        print(f"{worth[place]:.4f}", {name: round(value, 3) for name, value in tried[place][0].items()})
    top = [tried[place][0] for place in best[: max(5, len(tried) // 20)] if len(tried[place][0]) > 2]
    proposed = {name: sum(each[name] for each in top) / len(top) for name in [*BASES[0], *FITTED]}
    print("proposed", {name: round(value, 3) for name, value in proposed.items()})
    print(f"{'left out':38s}{'BM25':>8s}{'others':>8s}{'all':>8s}")
    for name in dict.fromkeys(name for name, _ in labels):
        rest = [place for place, label in enumerate(labels) if label[0] != name]
        choice = max(range(len(tried)), key=lambda place: _worth(tried[place][1], floors, rest))
        for place, label in enumerate(labels):
            if label[0] == name:
                others, own = tried[choice][1][place], tried[best[0]][1][place]
                print(f"{' '.join(label):38s}{floors[place]:8.3f}{others:8.3f}{own:8.3f}")


def ablate(found: list[Sample]) -> None:
    """Print the mean of R@10 and nDCG@10 of each sample, and how it changes without each weight; log it as a table."""
    gathered = [[evidence.gather(asked.question, asked.candidates) for asked in sample.asked] for sample in found]
    whole = _evaluate(found, gathered, WEIGHTS)
    rows = [
        {"set": sample.name, "embedder": sample.embedder, "n": len(sample.asked), "bm25": sample.floor, "all": figure}
        for sample, figure in zip(found, whole, strict=True)
    ]
    print(f"{'':10s}" + "".join(f"{sample.name[:9]:>10s}" for sample in found))
    print(f"{'':10s}" + "".join(f"{sample.embedder:>10s}" for sample in found))
    print(f"{'BM25':10s}" + "".join(f"{sample.floor:10.3f}" for sample in found))
    print(f"{'all':10s}" + "".join(f"{figure:10.3f}" for figure in whole))
    for name in ABLATED:
        without = _evaluate(found, gathered, replace(WEIGHTS, **{name: 0.0}))
        print(f"- {name:8s}" + "".join(f"{less - more:+10.3f}" for less, more in zip(without, whole, strict=True)))
        rows = [row | {name: less - row["all"]} for row, less in zip(rows, without, strict=True)]
    head = runlog.head("ablation", runlog.command(), weights=ABLATED)
    runlog.write("ablation", head, rows)


def _worth(figures: Sequence[float], floors: Sequence[float], places: Iterable[int]) -> float:
    """The mean gain over BM25, a loss counting three times."""
    gains = [figures[place] - floors[place] for place in places]
    return sum(gain if gain > 0 else 3 * gain for gain in gains) / len(gains)


def _evaluate(found: list[Sample], gathered: list[list[list[Evidence]]], weights: Weights) -> list[float]:
    figures = []
    for sample, candidates in zip(found, gathered, strict=True):
        total = 0.0
        for asked, each in zip(sample.asked, candidates, strict=True):
            orders = _orders(each, asked.question.mass, weights)
            ranked = sorted(range(len(orders)), key=orders.__getitem__, reverse=True)[:10]
            total += harness.one([asked.ids[place] in asked.gold for place in ranked], len(asked.gold))
        figures.append(total / len(sample.asked))
    return figures


def _orders(found: Sequence[Evidence], mass: float, weights: Weights) -> list[float]:
    best = max((each.bm25 for each in found), default=0.0)
    return [sum(scoring.order_terms(each, best, mass, weights).values()) for each in found]


def fit_belief(names: Sequence[str]) -> None:
    """Print the coefficients, and for each set what those that the others choose are worth on it; log it as a table."""
    looked_at = list(belief.pairs([*names, sets.MEASURED_ONLY]))
    told = [[row for asked in own.asked for row in _beliefs(asked)] for own, _ in looked_at]
    of = [own.name for own, _ in looked_at]

    def without(left: str) -> Calibration:
        return _fitted([each for name, each in zip(of, told, strict=True) if name not in (left, sets.MEASURED_ONLY)])

    fitted = without(sets.MEASURED_ONLY)
    print("fitted", {name: round(getattr(fitted, name), 2) for name in FEATURES})
    print("left out:")
    rows = belief.show(belief.row(own, other, without(own.name)) for own, other in looked_at)
    head = runlog.head("belief", runlog.command(), thresholds=belief.THRESHOLDS, left_out=True)
    runlog.write("belief-left-out", head, rows)


def _fitted(told: Sequence[Sequence[tuple[list[float], bool]]]) -> Calibration:
    """The calibration that samples choose by the features and truths of their candidates; each sample counts alike."""
    rows = np.array([row for each in told for row, _ in each])
    labels = np.array([label for each in told for _, label in each], float)
    shares = np.array([1 / len(each) for each in told for _ in each])
    chosen = _logistic(rows, labels, shares)
    return replace(CALIBRATION, **{name: float(value) for name, value in zip(FEATURES, chosen, strict=True)})


def _beliefs(asked: harness.Asked) -> list[tuple[list[float], bool]]:
    """The features and the truth of the ten best candidates."""
    found = evidence.gather(asked.question, asked.candidates, WEIGHTS)
    orders = _orders(found, asked.question.mass, WEIGHTS)
    best = sorted(range(len(orders)), key=orders.__getitem__, reverse=True)[:10]
    most = max((each.bm25 for each in found), default=0.0)
    return [(_features(found[place], most, asked.question.mass), asked.ids[place] in asked.gold) for place in best]


def _features(each: Evidence, best: float, mass: float) -> list[float]:
    """In the order of `FEATURES`: each is read off `scoring.logit` by switching on one coefficient."""
    return [scoring.logit(each, best, mass, 0.0, WEIGHTS, replace(NOTHING, **{name: 1.0})) for name in FEATURES]


def _logistic(rows: np.ndarray, labels: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Weighted logistic regression with a small ridge; but for the two constants no coefficient is negative."""
    free = np.array([name in ("bias", "meaning_bias") for name in FEATURES])
    active = np.ones(len(FEATURES), bool)
    while True:
        beta = np.zeros(len(FEATURES))
        for _ in range(50):
            chance = 1 / (1 + np.exp(-rows @ beta))
            gradient = rows.T @ (shares * (labels - chance)) - 1e-3 * beta
            curve = (rows * (shares * chance * (1 - chance))[:, None]).T @ rows + 1e-3 * np.eye(len(beta))
            step = np.zeros(len(beta))
            step[active] = np.linalg.solve(curve[np.ix_(active, active)], gradient[active])
            beta += step
        negative = (beta < 0) & ~free & active
        if not negative.any():
            return beta
        active &= ~negative


if __name__ == "__main__":
    sys.exit(main())
