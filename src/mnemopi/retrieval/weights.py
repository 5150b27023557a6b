"""The numbers of ranking, and where they come from.

Order. Found by `benchmarks/quality/fit.py order` (random search, seed 20, 30 November 2026, 120 trials of up to 240
questions drawn from each set) over LongMemEval-S turns, MADial-Bench in Chinese and English, CMRC 2018, MemoryCode and
RealMem, without vectors, with the static embedder, and with a small transformer where a set is embedded in minutes, all
at once: rounded from the plateau that the best trials share. With each set left out in turn, what the others choose
stays within .005 of plain BM25 on it, or above. `around` went from .3 to .25, within the plateau, when questions lost
their frames (`text.frames`): the mean over the sets, without vectors and with the static embedder, is .002 higher.
`speaker`, `answer`, `dated`, `exact` and `linked` have hardly any case in those sets; they and the bounds of the prior
are set by hand. That users told what they ask of themselves rests on LongMemEval-S alone: no other set asks so. LoCoMo
was measured and never fitted; its figures were seen while the conditions were thought out.

`rerank` is .5 and not .8, with static vectors: MADial-Bench in English and RealMem gain with each step up to 1.2, but
LongMemEval-S turns lose .003 of nDCG@10 at .5 and .013 at .8. The judge was a stand-in that was never trained to rerank
(`benchmarks/quality/rerankers.py`): a trained one may bear more.

Belief. Logistic regression by `benchmarks/quality/fit.py belief` on the ten best candidates of the same questions; each
set and embedder counts alike. `exact` and `other` are set by hand, as above.
"""

from __future__ import annotations

from typing import Final

from mnemopi.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each evidence counts in the order. The unit is the words of the best candidate: 1.

    `k1` and `b` are BM25's saturation and length normalisation; shortness below `least_length` (terms) earns nothing,
    that of a text or of the bank's texts on the whole. `short_middle` (terms) and `short_width` (of the logarithm) say
    what is short; there count `context` (what the neighbours cover beyond the text), `around` (words two away),
    `answer` (words of a question just before). `speaker` scales `speaker_floor` plus the words, `dated` the words of a
    text that says a date where one is asked for. `meaning` counts where words say little (`scoring.lacking`), and is
    worth `meaning * meaning_limit` at most, less than `exact`; `foreign` is the share of a nearness that is left where
    the embedder was made for another language. `linked` scales the weight of the link by which a text came (only in
    profiles that follow links: in the default one, links by rule changed R@10 by less than .006 on any set, for a
    fifth to two fifths more time). The prior counts `prior_limit` at most in all.
    """

    k1: float = 1.2
    b: float = 0.8
    least_length: float = 25.0
    short_middle: float = 35.0
    short_width: float = 0.45
    context: float = 0.9
    around: float = 0.25
    answer: float = 0.2
    speaker: float = 0.25
    speaker_floor: float = 0.4
    dated: float = 0.1
    meaning: float = 0.4
    meaning_limit: float = 3.5
    foreign: float = 0.05
    exact: float = 1.5
    linked: float = 0.1
    rerank: float = 0.5
    importance: float = 0.08
    trust: float = 0.3
    trust_middle: float = 0.8
    recency: float = 0.15
    period: float = 0.35
    prior_limit: float = 0.5


@dataclass(frozen=True, slots=True)
class Calibration:
    """The logistic model of belief. Its inputs are absolute, shares of what was asked or deviations from the usual, so
    that beliefs compare across questions and banks.

    `behind` counts against a candidate by what its BM25 lacks to the best one's, as a share of the question's idf mass;
    `other` where the question names somebody, and another said it without mentioning them. `meaning_bias` counts where
    there is a similarity at all; `prior` turns units of order into log-odds.

    Those from `middle` on say how far to believe that the bank answers at all (`scoring.answerable`); they were set by
    hand where one threshold serves CMRC 2018, MemoryCode and LongMemEval at once, whose questions are one sentence.
    """

    bias: float = -1.9
    coverage: float = 3.19
    gain: float = 1.76
    behind: float = 6.39
    exact: float = 0.3
    other: float = 1.0
    meaning: float = 0.25
    meaning_bias: float = -0.32
    prior: float = 2.0
    middle: float = 0.45
    slope: float = 40.0
    named: float = 0.35
    letter: float = 0.3
    near: float = 0.04
    near_from: float = 4.0


WEIGHTS: Final = Weights()
CALIBRATION: Final = Calibration()
