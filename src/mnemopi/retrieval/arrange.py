"""From a ranking to what is handed out: threshold, quotas, diversity, and the cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from mnemopi.model.hit import Explanation
from mnemopi.retrieval.profiles import Options
from mnemopi.storage.memories import Candidate

Ranked: TypeAlias = Sequence[tuple[Candidate, Explanation]]
ALIKE: Final = 0.8
"""Share of terms from which two texts count as near-duplicates (Jaccard)."""
MOST_ALIKE: Final = 2
"""How many near-duplicates of one text are handed out while others wait."""
_MMR_POOL: Final = 50


def arrange(ranked: Ranked, options: Options) -> Ranked:
    """Return at most `top_k`, best first: those above the threshold, within quotas, near-duplicates kept apart."""
    kept = [each for each in ranked if each[1].score >= options.min_score]
    kept = _within_quotas(kept, options.quotas)
    if options.use_mmr:
        return _marginal(kept[:_MMR_POOL], options.top_k, options.mmr_lambda)
    return _apart(kept, options.top_k)


def _within_quotas(ranked: Ranked, quotas: Mapping[str, int] | None) -> list[tuple[Candidate, Explanation]]:
    if quotas is None:
        return list(ranked)
    left = dict(quotas)
    kept = []
    for row, explanation in ranked:
        if left.get(row.kind, 1) > 0:
            left[row.kind] = left.get(row.kind, len(ranked) + 1) - 1
            kept.append((row, explanation))
    return kept


def _apart(ranked: Ranked, top_k: int) -> list[tuple[Candidate, Explanation]]:
    """Take the best in order, but only so many near-duplicates of one text; passed-over ones fill what is left."""
    chosen: list[tuple[Candidate, Explanation]] = []
    terms: list[frozenset[str]] = []
    passed: list[tuple[Candidate, Explanation]] = []
    for each in ranked:
        if len(chosen) == top_k:
            break
        own = frozenset(each[0].shadow.split())
        if sum(_alike(own, other) >= ALIKE for other in terms) >= MOST_ALIKE:
            passed.append(each)
            continue
        chosen.append(each)
        terms.append(own)
    chosen += passed[: top_k - len(chosen)]
    return chosen


def _marginal(ranked: Ranked, top_k: int, balance: float) -> list[tuple[Candidate, Explanation]]:
    """Maximal marginal relevance (Carbonell and Goldstein 1998), with Jaccard over terms as similarity."""
    left = [(each, frozenset(each[0].shadow.split())) for each in ranked]
    chosen: list[tuple[tuple[Candidate, Explanation], frozenset[str]]] = []
    while left and len(chosen) < top_k:

        def worth(item: tuple[tuple[Candidate, Explanation], frozenset[str]]) -> float:
            nearest = max((_alike(item[1], other) for _, other in chosen), default=0.0)
            return balance * item[0][1].score - (1 - balance) * nearest

        best = max(left, key=worth)
        left.remove(best)
        chosen.append(best)
    return [each for each, _ in chosen]


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard similarity of two sets of terms."""
    together = len(one & other)
    return together / (len(one) + len(other) - together) if together else 0.0
