"""What a ranking is worth: figures of one question, and how sure their mean is.

R@k is the share of gold among the first k, All@k whether all of it is there, MRR the inverse place of the first,
nDCG@10 of binary gains. LongMemEval's official figures are its own: any or all of the gold among the first k, and an
nDCG whose first two places weigh the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

CUTS: Final = (1, 5, 10, 20)
OFFICIAL_CUTS: Final = (5, 10)
ROUNDS: Final = 2000
SEED: Final = 6


def question(ranked: Sequence[str], gold: Sequence[str]) -> dict[str, float]:
    """The figures of one ranking."""
    wanted = set(gold)
    places = _places(ranked, wanted)
    found = {f"R@{cut}": sum(place < cut for place in places) / len(wanted) for cut in CUTS}
    found |= {f"All@{cut}": float(sum(place < cut for place in places) == len(wanted)) for cut in (5, 10)}
    ideal = sum(1 / math.log2(place + 2) for place in range(min(10, len(wanted))))
    gain = sum(1 / math.log2(place + 2) for place in places if place < 10)
    return found | {"MRR": 1 / (places[0] + 1) if places else 0.0, "nDCG@10": gain / ideal}


def official(ranked: Sequence[str], gold: Sequence[str]) -> dict[str, float]:
    """LongMemEval's retrieval figures of one ranking."""
    wanted, found = set(gold), {}
    places = _places(ranked, wanted)
    for cut in OFFICIAL_CUTS:
        inside = [place for place in places if place < cut]
        found[f"recall_any@{cut}"] = float(bool(inside))
        found[f"recall_all@{cut}"] = float(len(inside) == len(wanted))
        ideal = sum(map(_weight, range(min(cut, len(wanted)))))
        found[f"ndcg_any@{cut}"] = sum(map(_weight, inside)) / ideal
    return found


def by_session(ranked: Iterable[str], session: Mapping[str, str]) -> list[str]:
    """The sessions of ranked texts, each at its best place."""
    return list(dict.fromkeys(session[each] for each in ranked if each in session))


def interval(values: Sequence[float], rounds: int = ROUNDS, seed: int = SEED) -> tuple[float, float, float]:
    """The mean and its 95 % interval by bootstrap over questions; questions of one conversation are no strangers."""
    given = np.asarray(values, float)
    drawn = np.random.default_rng(seed).integers(0, len(given), (rounds, len(given)))
    means = given[drawn].mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(given.mean()), float(low), float(high)


def gain(ours: Mapping[str, float], theirs: Mapping[str, float]) -> tuple[float, float, float]:
    """By how much ours is above theirs on the questions that both were asked, with its interval."""
    both = [name for name in ours if name in theirs]
    return interval([ours[name] - theirs[name] for name in both])


def _places(ranked: Sequence[str], wanted: set[str]) -> list[int]:
    return [place for place, each in enumerate(dict.fromkeys(ranked)) if each in wanted]


def _weight(place: int) -> float:
    return 1.0 if place == 0 else 1 / math.log2(place + 1)
