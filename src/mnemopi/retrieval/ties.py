"""Retrievers by what ties memories together: what they mention, under any of its names, and what they are linked to.

Both know the present only: what a memory mentions and is linked to is kept of the version in force.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from mnemopi.ports import Value
from mnemopi.storage.graph import COMMON
from mnemopi.storage.store import Store
from mnemopi.text import tokens

if TYPE_CHECKING:
    from mnemopi.retrieval.retrievers import Search

FEW: Final = 20
"""How many memories each proposes."""
SEEDS: Final = 10
"""How many of the best candidates bring along what they are linked to."""
LEAST: Final = 0.3
"""Weight of a link below which it brings nothing."""
_WIDE: Final[dict[str, Value]] = dict.fromkeys(
    ("session_id", "author_id", "author_type", "channel_id", "source", "scope", "tier", "kind", "memory_type", "since")
)
"""What a filter asks for beside what may be seen: where two names are said to be one does not matter."""
_ROWS: Final = 2000


def entity(store: Store, search: Search) -> bool:
    """Propose memories that mention what the question names, by that name or by another one of the same thing."""
    from mnemopi.text import entities  # noqa: PLC0415 -- many patterns, which no usual recall needs

    keys = entities.keys_of(search.asked.text) if search.admitted["as_of"] is None else []
    if not keys:
        return False
    others = {other: key for key, other, _ in store.graph.aliases(keys, search.admitted | _WIDE)}
    counts = store.graph.mention_counts([*keys, *(other for other in others if other not in keys)])
    telling = [key for key, count in counts.items() if count < COMMON]
    if not telling:
        return False
    mentioned: dict[int, set[str]] = {}
    for rowkey, key in store.graph.mentioning(telling, search.admitted, _ROWS):
        mentioned.setdefault(rowkey, set()).add(key)
    chosen = sorted(mentioned, key=lambda row: (-_telling(mentioned[row], counts), -row))[:FEW]
    search.pool.propose(chosen, "entity")
    for rowkey in chosen:
        said = {others[key] for key in mentioned[rowkey] if key in others} - mentioned[rowkey]
        if terms := frozenset(term for key in said for term in tokens.content_terms(key)):
            search.pool.otherwise[rowkey] = terms
    return True


def graph(store: Store, search: Search) -> bool:
    """Propose what the best candidates so far are linked to, the strongest links first."""
    seeds = list(search.pool.in_turn())[:SEEDS] if search.admitted["as_of"] is None else []
    near = store.graph.neighbours(seeds, search.admitted, LEAST)[:FEW] if seeds else []
    search.pool.propose([rowkey for rowkey, _ in near], "graph")
    search.pool.linked.update(near)
    return bool(near)


def _telling(keys: set[str], counts: Mapping[str, int]) -> float:
    """How much it tells that a memory mentions these: the rarer the more."""
    return sum(1 / counts[key] for key in keys)
