"""Rank candidates, and say how far to believe each: the score is its own explanation.

*Order* ranks the candidates of one question; it is a sum of named terms, some of them relative to the best candidate.
*Belief* says how likely a candidate answers; it uses absolute evidence only, so that it compares across questions and
banks and may be low for all: it is how likely the bank answers at all, times how likely it is this candidate that
does. A *score* is belief made monotone along the order.

Both are pure, and monotone in every evidence. An evidence that means something only in chatter (what stands around a
text, who spoke) is weighted by how short the text is, and by whether the question names a speaker. Importance, trust,
recency and period are a prior: bounded, so that no hit without evidence passes an exact match.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from mnemopi.model.hit import Explanation
from mnemopi.model.values import dataclass
from mnemopi.retrieval import standing
from mnemopi.retrieval.evidence import Candidate, Evidence, Question, gather, shortness
from mnemopi.retrieval.weights import CALIBRATION, WEIGHTS, Calibration, Weights

__all__ = ["SCALES", "Candidate", "Scales", "believe", "level", "logit", "order_terms", "prior_terms", "rank", "score"]


@dataclass(frozen=True, slots=True)
class Scales:
    """What a caller multiplies the terms of order by; 1 is as fitted, and none may be negative."""

    words: float = 1.0
    meaning: float = 1.0
    importance: float = 1.0
    trust: float = 1.0
    recency: float = 1.0
    period: float = 1.0


SCALES = Scales()


def rank(
    question: Question,
    candidates: Sequence[Candidate],
    weights: Weights = WEIGHTS,
    scales: Scales = SCALES,
    calibration: Calibration = CALIBRATION,
) -> list[tuple[int, Explanation]]:
    """Return (index of the candidate, explanation), best first; equal ones keep the order they came in."""
    found = gather(question, candidates, weights)
    told = [each for each, candidate in zip(found, candidates, strict=True) if not candidate.derived]
    best = _best(told) or _best(found)
    saying = _best(each for each in told if not each.echo) or _best(each for each in found if not each.echo) or best
    known = answerable(question, found, calibration)
    scored = [
        (place, score(each, best, question.mass, weights, scales, calibration, known, min(best, saying)))
        for place, each in enumerate(found)
    ]
    if question.current:
        scored = _later_first(scored, found, candidates)
    scored.sort(key=lambda pair: -pair[1].order)
    return level(scored)


def _best(found: Iterable[Evidence]) -> float:
    return max((each.bm25 for each in found), default=0.0)


def _later_first(
    scored: Sequence[tuple[int, Explanation]],
    found: Sequence[Evidence],
    candidates: Sequence[Candidate],
) -> list[tuple[int, Explanation]]:
    """Where the present is asked about, the later of those that say the same comes first."""
    lifts = standing.lifts(
        [explanation.order for _, explanation in scored],
        [0.0 if candidate.derived else each.together for each, candidate in zip(found, candidates, strict=True)],
        [each.at for each in candidates],
    )
    return [
        (place, replace(told, order=told.order + lift, terms={**told.terms, "latest": lift}) if lift else told)
        for (place, told), lift in zip(scored, lifts, strict=True)
    ]


def score(
    evidence: Evidence,
    best: float,
    mass: float,
    weights: Weights = WEIGHTS,
    scales: Scales = SCALES,
    calibration: Calibration = CALIBRATION,
    known: float = 1.0,
    saying: float | None = None,
) -> Explanation:
    """Score one candidate: `best` is the highest BM25 among those it is ranked with, `mass` the question's idf mass.

    `known` is how likely the bank answers at all, `saying` the highest BM25 of those that do more than to repeat the
    question (by default `best`); `score` is still the belief.
    """
    terms = order_terms(evidence, best, mass, weights, scales)
    prior = prior_terms(evidence, weights, scales)
    belief = known * believe(
        evidence, best if saying is None else saying, mass, sum(prior.values()), weights, calibration
    )
    terms |= prior
    return Explanation(order=sum(terms.values()), belief=belief, score=belief, terms=terms, answerable=known)


def order_terms(
    evidence: Evidence, best: float, mass: float, weights: Weights = WEIGHTS, scales: Scales = SCALES
) -> dict[str, float]:
    """The terms of order that come from evidence; those that say nothing are left out.

    `best` and `mass` are as in `score`.
    """
    unit = 1 / best if best > 0 else 0.0
    words, short = evidence.bm25 * unit, shortness(evidence.length, weights)
    terms = {
        "words": words,
        "context": short * weights.context * evidence.gain,
        "nearby": short * weights.around * evidence.around * unit,
        "answer": short * weights.answer * evidence.before * unit * evidence.after_question,
        "speaker": weights.speaker * evidence.speaker * (weights.speaker_floor + words),
        "dated": weights.dated * words * evidence.dated,
        "exact": weights.exact * evidence.exact,
        "together": standing.WEIGHT * evidence.together,
        "linked": weights.linked * evidence.linked,
    }
    terms = {name: value * scales.words for name, value in terms.items() if value}
    if evidence.meaning is not None:
        near = evidence.meaning / math.hypot(1, evidence.meaning / weights.meaning_limit)
        terms["meaning"] = weights.meaning * lacking(best, mass) * near * scales.meaning
    if evidence.relevance is not None:
        # What is met to the letter counts as relevant, whatever a model says: it is never pushed below by one.
        terms["rerank"] = weights.rerank * max(evidence.relevance, evidence.exact)
    return terms


def lacking(best: float, mass: float) -> float:
    """How much of a question the words leave open, 0 to 1: the share of its idf mass beyond the best BM25.

    Where one text says what was asked, what is merely near in meaning confuses; a prompt that tells a story is met word
    for word nowhere. It is one figure for all candidates of a question, so that the nearer of two never loses by it.
    """
    return 1 - min(1.0, best / mass) if mass > 0 else 1.0


def prior_terms(evidence: Evidence, weights: Weights, scales: Scales) -> dict[str, float]:
    """The terms of order known before the question is: less than `weights.prior_limit` together, either way.

    However large the weights, more of one of them still counts for more: total / sqrt(1 + (total / limit)**2).
    """
    terms = {
        "importance": scales.importance * weights.importance * 2 * (evidence.importance - 0.5),
        "trust": scales.trust * weights.trust * (evidence.trust - weights.trust_middle),
        "recency": scales.recency * weights.recency * evidence.recency,
        "period": scales.period * weights.period * evidence.period,
    }
    total, limit = sum(terms.values()), weights.prior_limit
    shrink = 1 / math.hypot(1, total / limit)
    return {name: value * shrink for name, value in terms.items() if value}


def answerable(question: Question, found: Sequence[Evidence], calibration: Calibration = CALIBRATION) -> float:
    """How likely the bank answers the question at all, 0 to 1; 1 where nothing can be said.

    What counts is the best candidate: the share of the question's idf mass that its BM25 reaches, a nearness in meaning
    far from the usual, and that it is met to the letter; besides, whether the question names somebody who speaks in the
    bank. What names a kind of answer need not be met. A prompt of several sentences is not held to its every word: the
    doubt is divided by their number squared.
    """
    if not found or question.mass <= 0:
        return 1.0
    met = max(_met(each, question.mass - question.spare, calibration) for each in found)
    met += calibration.named if question.named else 0.0
    doubt = 1 / (1 + math.exp(calibration.slope * (met - calibration.middle)))
    return 1 - doubt / question.sentences**2


def _met(each: Evidence, mass: float, calibration: Calibration) -> float:
    near = 0.0 if each.meaning is None else max(0.0, each.meaning - calibration.near_from)
    return min(1.0, each.bm25 / mass) + calibration.near * near + calibration.letter * each.exact


def believe(
    evidence: Evidence, best: float, mass: float, prior: float, weights: Weights, calibration: Calibration
) -> float:
    """How likely the candidate answers if any does, 0 to 1: a logistic function of absolute evidence and the prior."""
    return 1 / (1 + math.exp(-logit(evidence, best, mass, prior, weights, calibration)))


def logit(
    evidence: Evidence, best: float, mass: float, prior: float, weights: Weights, calibration: Calibration
) -> float:
    """The log-odds that the candidate answers; `best` and `mass` are as in `score`.

    What stays far behind the best is likely not what was asked for: what its BM25 lacks counts as a share of the
    question's idf mass.
    """
    of_meaning = 0.0
    if evidence.meaning is not None:
        of_meaning = calibration.meaning_bias + calibration.meaning * evidence.meaning
    behind = max(0.0, best - evidence.bm25) / mass if mass > 0 else 0.0
    return (
        calibration.bias
        + calibration.coverage * evidence.coverage
        + calibration.gain * shortness(evidence.length, weights) * evidence.gain
        - calibration.behind * behind
        + calibration.exact * evidence.exact
        - calibration.other * max(0.0, -evidence.speaker)
        + of_meaning
        + calibration.prior * prior
    )


def level(scored: Sequence[tuple[int, Explanation]]) -> list[tuple[int, Explanation]]:
    """Make `score` fall along the order: neighbours whose beliefs contradict it share their mean.

    The least change that does it (isotonic regression by pooling adjacent violators).
    """
    blocks: list[tuple[float, int]] = []
    for _, explanation in scored:
        total, size = explanation.belief, 1
        while blocks and blocks[-1][0] / blocks[-1][1] < total / size:
            above = blocks.pop()
            total, size = total + above[0], size + above[1]
        blocks.append((total, size))
    scores = [total / size for total, size in blocks for _ in range(size)]
    return [(place, _at(explanation, score)) for (place, explanation), score in zip(scored, scores, strict=True)]


def _at(told: Explanation, score: float) -> Explanation:
    if told.score == score:
        return told
    return Explanation(told.order, told.belief, score, told.terms, told.found_by, told.notes, told.answerable)
