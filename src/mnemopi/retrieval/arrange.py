"""From a ranking to what is handed out: threshold, quotas, diversity, episodes beside their sources, and the cut."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from mnemopi.model.hit import Explanation
from mnemopi.retrieval.profiles import Options
from mnemopi.storage.memories import Candidate

_Judged: TypeAlias = tuple[Candidate, Explanation]
Ranked: TypeAlias = Sequence[_Judged]
ALIKE: Final = 0.8
"""Share of terms from which two texts count as near-duplicates (Jaccard)."""
MOST_ALIKE: Final = 2
"""How many near-duplicates of one text are handed out while others wait."""
_MMR_POOL: Final = 50
FEW: Final = 2
"""An episode needs no place of its own where so many of its sources are listed."""
Parts: TypeAlias = Mapping[int, tuple[str, Collection[int]]]
"""The id of each episode among the candidates by its row key, with the row keys of its sources among them."""


def arrange(ranked: Ranked, options: Options) -> tuple[Ranked, bool]:
    """Return at most `top_k`, best first: those above the threshold, within quotas, near-duplicates kept apart.

    The second value says that the candidates are crowded: near-duplicates, or kinds whose quota is used up, took the
    places of others that may be further down.
    """
    above = [each for each in ranked if each[1].score >= options.min_score]
    kept = _within_quotas(above, options.quotas)
    chosen, passed = _apart(kept, options.top_k)
    crowded = len(chosen) < options.top_k and (bool(passed) or len(kept) < len(above))
    if options.use_mmr:
        return _marginal(kept[: max(_MMR_POOL, options.top_k)], options.top_k, options.mmr_lambda), crowded
    return chosen + passed[: options.top_k - len(chosen)], crowded


def attached(parts: Parts, listed: Collection[int]) -> set[int]:
    """Return those episodes (row keys) of which enough sources are listed: their sources speak for them."""
    return {rowkey for rowkey, (_, sources) in parts.items() if sum(key in listed for key in sources) >= FEW}


def notes(parts: Parts) -> dict[int, list[str]]:
    """Say of each source (by row key) which episode among the candidates it is part of."""
    noted: dict[int, list[str]] = {}
    for id, sources in parts.values():
        for rowkey in sources:
            noted.setdefault(rowkey, []).append(f"part of episode {id}")
    return noted


def _within_quotas(ranked: Ranked, quotas: Mapping[str, int] | None) -> list[_Judged]:
    if quotas is None:
        return list(ranked)
    left = dict(quotas)
    kept = []
    for row, explanation in ranked:
        if left.get(row.kind, 1) > 0:
            left[row.kind] = left.get(row.kind, len(ranked) + 1) - 1
            kept.append((row, explanation))
    return kept


def _apart(ranked: Ranked, top_k: int) -> tuple[list[_Judged], list[_Judged]]:
    """Take the best in order, but only so many near-duplicates of one text; return the passed-over ones, too."""
    chosen: list[_Judged] = []
    passed: list[_Judged] = []
    texts = _Texts(row.shadow for row, _ in ranked[:top_k])
    for each in ranked:
        if len(chosen) == top_k:
            break
        if texts.add(frozenset(each[0].shadow.split()), MOST_ALIKE):
            chosen.append(each)
        else:
            passed.append(each)
    return chosen, passed


class _Texts:
    """Sets of terms, found by their rarest ones, so that not each is compared with each.

    Of two near-duplicates each has at least `ALIKE` of its terms in common with the other. So the rarest terms of both,
    one more than either may have for itself, meet (prefix filter, Chaudhuri and others 2006). Any order of rarity does,
    if it is one for all: terms are counted in `some` texts only.
    """

    def __init__(self, some: Iterable[str]) -> None:
        self._counts: defaultdict[str, int] = defaultdict(int)
        for text in some:
            for term in set(text.split()):
                self._counts[term] += 1
        self._texts: list[frozenset[str]] = []
        self._places: defaultdict[str, list[int]] = defaultdict(list)

    def add(self, own: frozenset[str], most: int) -> bool:
        """Take a text in and return True, unless it has `most` near-duplicates here."""
        enough = len(own) - int(ALIKE * len(own)) + 1
        rarest = sorted(sorted(own), key=self._counts.__getitem__)[:enough]
        met = {place for term in rarest for place in self._places.get(term, ())}
        if sum(_alike(own, self._texts[place]) >= ALIKE for place in met) >= most:
            return False
        for term in rarest:
            self._places[term].append(len(self._texts))
        self._texts.append(own)
        return True


def _marginal(ranked: Ranked, top_k: int, balance: float) -> list[_Judged]:
    """Maximal marginal relevance (Carbonell and Goldstein 1998), with Jaccard over terms as similarity."""
    terms = [frozenset(row.shadow.split()) for row, _ in ranked]
    nearest = [0.0] * len(ranked)
    left = list(range(len(ranked)))
    chosen: list[int] = []
    while left and len(chosen) < top_k:
        best = max(left, key=lambda place: balance * ranked[place][1].score - (1 - balance) * nearest[place])
        left.remove(best)
        chosen.append(best)
        for place in left:
            nearest[place] = max(nearest[place], _alike(terms[place], terms[best]))
    return [ranked[place] for place in chosen]


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard similarity of two sets of terms."""
    together = len(one & other)
    return together / (len(one) + len(other) - together) if together else 0.0
