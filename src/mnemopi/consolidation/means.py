"""What sleep works with, and what counts as waiting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mnemopi.consolidation.summarize import Ask, Rarity
from mnemopi.ingest.prepare import Gate
from mnemopi.model.values import dataclass
from mnemopi.ports import Clock
from mnemopi.retrieval import evidence
from mnemopi.settings import SleepConfig
from mnemopi.storage.episodes import Horizon
from mnemopi.storage.store import Store

HOUR_MS: Final = 3_600_000
_REMEMBERED: Final = 50_000


@dataclass(frozen=True, slots=True)
class Means:
    """What sleep works with: the bank, its settings and gate, who acts, the clock, and a model where one is lent."""

    store: Store
    settings: SleepConfig
    gate: Gate
    actor: str | None
    clock: Clock
    ask: Ask | None = None


def horizon(store: Store, settings: SleepConfig, now: int) -> Horizon:
    """Return what counts as waiting at a moment (UTC ms)."""
    before = now - round(settings.min_age_hours * HOUR_MS)
    return Horizon(now, before, store.episodes.released(now))


def rarity(store: Store) -> Rarity:
    """Return a function that weighs terms by how rare they are in the bank (idf, nats).

    What it has read once it keeps, so that a night asks for each term about once; episodes that are made meanwhile
    hardly change how rare a term is.
    """
    known: dict[str, float] = {}

    def weigh(terms: Sequence[str]) -> dict[str, float]:
        missing = [term for term in terms if term not in known]
        if missing:
            if len(known) > _REMEMBERED:
                known.clear()
                missing = list(terms)
            count, _ = store.averages()
            found = store.memories.frequencies(missing)
            known.update((term, evidence.idf_of(found.get(term, 1), max(count, 1))) for term in missing)
        return {term: known[term] for term in terms}

    return weigh
