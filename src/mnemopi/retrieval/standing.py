"""Which of those that speak of the same thing stands: for questions about what holds now.

A question about the present is answered by the latest text that says it. Two texts speak of the same thing where each
has the question's words close together (a rule in one sentence of a long talk), nearly as well as the best one does;
among those the later comes first. What merely shares words with the question, spread over a page, is not lifted. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

WEIGHT: Final = 1.5
"""What having the whole question close together adds to the order; the unit is the words of the best candidate."""
REACH: Final = 12
"""How many terms of a text are close together."""
LOOSE: Final = 0.05
"""How much looser each term between them makes it."""
RARITY: Final = 0.3
"""A term counts 1, and this times its idf."""
ALIKE: Final = 0.85
"""Texts that hold this share of what the best one holds speak of the same thing."""
LEAST: Final = 0.5
"""Below this share of the question a text does not speak of it."""
MOST_TERMS: Final = 12
"""A longer question tells a story, of which no single place says everything."""
_STEP: Final = 1e-3
"""By how much (order) the later stands above the earlier."""


def wanted(told: Mapping[str, float]) -> dict[str, float]:
    """Weigh the terms of a question (given with their idf); none where it is too long to be said in one place."""
    return {} if len(told) > MOST_TERMS else {term: 1 + RARITY * idf for term, idf in told.items()}


def together(shadow: str, wanted: Mapping[str, float]) -> float:
    """Tell how much of what is wanted, by weight, stands close together in a text, 0 to 1.

    The best stretch of at most `REACH` terms counts; each term in it that is not wanted makes it looser.
    """
    mass = sum(wanted.values())
    places = [(place, term) for place, term in enumerate(shadow.split(" ")) if term in wanted]
    best = 0.0
    for first, (start, _) in enumerate(places):
        seen: set[str] = set()
        found = 0.0
        for place, term in places[first : first + REACH]:
            span = place - start + 1
            if span > REACH:
                break
            if term not in seen:
                seen.add(term)
                found += wanted[term]
            best = max(best, found / (1 + LOOSE * (span - len(seen))))
    share = min(1.0, best / mass) if mass else 0.0
    return share if share >= LEAST else 0.0


def lifts(orders: Sequence[float], close: Sequence[float], at: Sequence[int]) -> list[float]:
    """Return what to add to each order, so that of those that say it nearly as closely as the best the later leads.

    `at` is the place in time of each; those of one moment leave each other as they are.
    """
    least = ALIKE * max(close, default=0.0)
    tied = sorted((place for place in range(len(orders)) if close[place] >= least > 0), key=at.__getitem__)
    lifted = [0.0] * len(orders)
    above, moment, highest = float("-inf"), None, float("-inf")
    for place in tied:
        if at[place] != moment:
            above, moment = highest, at[place]
        lifted[place] = max(0.0, above + _STEP - orders[place])
        highest = max(highest, orders[place] + lifted[place])
    return lifted
