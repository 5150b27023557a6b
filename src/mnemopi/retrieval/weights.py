"""The numbers of ranking, and where they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each evidence counts. The unit of order is the words of the best candidate: 1."""

    # BM25: saturation, length normalisation, and the length (terms) below which shortness earns nothing
    k1: float = 1.2
    b: float = 0.8
    least_length: float = 25.0

    # Words beyond the text's own, by how short it is (a logistic of the logarithm of its length in terms)
    short_middle: float = 35.0
    short_width: float = 0.45
    context: float = 0.9
    before: float = 0.05
    around: float = 0.2
    answer: float = 0.2
    asking: float = 0.05

    coverage: float = 0.15
    speaker: float = 0.25
    speaker_floor: float = 0.4
    meaning: float = 0.07
    foreign: float = 0.25
    when: float = 0.2
    exact: float = 1.5

    # The prior: at most `prior_limit` in all
    importance: float = 0.08
    trust: float = 0.3
    trust_middle: float = 0.8
    recency: float = 0.15
    period: float = 0.35
    prior_limit: float = 0.5


@dataclass(frozen=True, slots=True)
class Calibration:
    """The logistic model of belief; all its inputs are absolute, so that beliefs compare across questions."""

    bias: float = -4.0
    coverage: float = 3.0
    gain: float = 2.0
    mass: float = 0.5
    exact: float = 3.0
    speaker: float = 0.5
    meaning: float = 0.5
    meaning_bias: float = -1.0
    prior: float = 2.0


WEIGHTS: Final = Weights()
CALIBRATION: Final = Calibration()
