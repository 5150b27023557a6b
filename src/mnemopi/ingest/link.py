"""Link new memories to the few nearest among the older ones, by search alone.

What is near shares rare words or rare names; pronouns, dates and what is said everywhere never link. A memory is linked
to at most five others, none gets more than twenty links by rule, and both ends are seen by the same people. The
database is the queue: all up to a row key is linked. Off unless the setting says so (MNEMOPI_PROACTIVE_LINKING).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from mnemopi.model.graph import RULE, TYPES, Edge
from mnemopi.model.memory import Identity, Memory
from mnemopi.model.query import Filter
from mnemopi.model.values import dataclass
from mnemopi.ports import Value
from mnemopi.retrieval.evidence import idf_of
from mnemopi.storage import filters
from mnemopi.storage.memories import Candidate
from mnemopi.storage.store import Store
from mnemopi.text import language, names, tokens
from mnemopi.text.entity_words import COMMON

MOST: Final = 5
"""Links drawn from one memory."""
DEGREE: Final = 20
"""Links of one memory from which on no rule adds another."""
LEAST: Final = 0.3
"""Weight below which two memories are not near."""
_RARE: Final = 20
"""What is mentioned in more memories than this is no rare name."""
_NAME: Final = 0.25
"""What one rare name that both mention speaks for, of what is left to certainty."""
_SHARE: Final = 0.02
"""A word in a greater share of memories tells nothing."""
_FEW: Final = 8
_USUAL: Final = 1000
"""A bank of fewer memories is weighed like one of so many: what few say is rare, though few is all."""
_TERMS, _ROWS, _NEAR = 8, 300, 12
"""Terms asked for at once, rows that they may lie in, and the nearest that are looked at: the same for every size."""
_READ: Final = 400
_LONGEST_WORD: Final = 40
_MARK: Final = "linked:1"
_FIGURES = re.compile(r"[\W\d]+$|\d+[a-z]{1,2}$|v?\d[\d.,:/-]*$")


def waiting(store: Store) -> int:
    """Return how many versions wait to be linked."""
    return max(0, store.memories.last_rowkey() - int(store.meta.get(_MARK) or 0))


def work(store: Store, limit: int, now: int) -> int:
    """Link up to `limit` of what waits, and return how many were looked at; the caller holds the transaction."""
    found = store.memories.in_force_after(int(store.meta.get(_MARK) or 0), limit)
    for memory in found:
        store.graph.link(links(store, memory, now))
    reached = found[-1].rowkey if len(found) == limit else store.memories.last_rowkey()
    store.meta.set(_MARK, str(reached))
    return len(found)


def links(store: Store, memory: Memory, now: int) -> list[Edge]:
    """Return the links that a memory is to get, the strongest first; none where it may not be linked."""
    asked = _who_sees(store, memory, now)
    left = MOST - store.graph.derived_from(memory.id)
    if asked is None or left <= 0:
        return []
    own = _Own.of(store, memory)
    match = " OR ".join(f'"{term}"' for term in own.rarest())
    near = store.memories.lexical(match, asked, _NEAR) if match else []
    rows = store.memories.candidates([rowkey for rowkey, _ in near if rowkey < memory.rowkey], asked)
    others = store.memories.get(row.rowkey for row in rows if row.kind != "episode")
    mentions = store.graph.mentions([memory.id, *(other.id for other in others.values())])
    rare = _rare(store, mentions.get(memory.id, set()))
    found: list[_Near] = []
    for row in rows:
        other = others.get(row.rowkey)
        if other is not None and other.id != memory.id:
            shared = rare & mentions.get(other.id, set())
            weight, words = own.nearness(row, shared)
            if weight >= LEAST:
                found.append(_Near(other.id, weight, (*sorted(shared), *words)))
    kept = _within_degree(store, memory, sorted(found, key=lambda near: (-near.weight, near.id)), left)
    spelled = _spelled(memory) if kept else {}
    return [_edge(memory, near, spelled, now) for near in kept]


@dataclass(frozen=True, slots=True)
class _Near:
    """A memory that is near, and what both say: names by their keys, and terms."""

    id: str
    weight: float
    shared: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Own:
    """The words of the memory that is linked: their idf, and in how many texts the known ones are."""

    idf: Mapping[str, float]
    frequencies: Mapping[str, int]
    most: int

    @classmethod
    def of(cls, store: Store, memory: Memory) -> _Own:
        terms = telling(tokens.content_terms(memory.embed_text or memory.content))[:_READ]
        count, _ = store.averages()
        frequencies = store.memories.frequencies(terms)
        idf = {term: idf_of(frequencies.get(term, 1), max(count, _USUAL)) for term in terms}
        return cls(idf, frequencies, max(_FEW, int(count * _SHARE)))

    def rarest(self) -> list[str]:
        """The rarest terms that others have too, as many as keep the ranking short."""
        known = sorted((count, term) for term, count in self.frequencies.items() if 2 <= count <= self.most)
        chosen: list[str] = []
        total = 0
        for count, term in known[:_TERMS]:
            total += count
            if chosen and total > _ROWS:
                break
            chosen.append(term)
        return chosen

    def nearness(self, row: Candidate, shared_names: set[str]) -> tuple[float, list[str]]:
        """Weigh what both say: the cosine of their words by idf, raised by each rare name; and the rarest words."""
        theirs = set(telling(row.shadow.split()))
        shared = [term for term in self.idf if term in theirs]
        squares = sum(self.idf[term] ** 2 for term in shared)
        usual = sum(value**2 for value in self.idf.values()) / max(len(self.idf), 1)
        own, other = usual * len(self.idf), squares + usual * (len(theirs) - len(shared))
        cosine = squares / math.sqrt(own * other) if shared else 0.0
        weight = 1 - (1 - min(1.0, cosine)) * (1 - _NAME) ** len(shared_names)
        return round(weight, 4), sorted(shared, key=lambda term: -self.idf[term])[:MOST]


def telling(terms: Iterable[str]) -> list[str]:
    """Leave out terms that never link: common words, dates and figures, single characters."""
    return [term for term in terms if _tells(term)]


@lru_cache(maxsize=1 << 14)
def _tells(term: str) -> bool:
    if len(term) < 2 or term in COMMON or tokens.is_function_word(term):
        return False
    return not language.tells_time(term) and _FIGURES.match(term) is None


def _who_sees(store: Store, memory: Memory, now: int) -> dict[str, Value] | None:
    """The filter that admits what is seen by exactly those who see this memory; None where it links to nothing."""
    ended = memory.valid_until is not None and memory.valid_until <= now
    if ended or memory.veracity == "false" or memory.kind == "episode":
        return None
    if memory.scope == "channel" and memory.channel_id is None:
        return None
    who = Identity(
        session_id=memory.session_id,
        channel_id=memory.channel_id,
        scopes=(memory.scope,),
    )
    same = Filter(
        identity=who,
        scope=memory.scope,
        session_id=memory.session_id if memory.scope == "session" else None,
        channel_id=memory.channel_id if memory.scope == "channel" else None,
    )
    return filters.parameters(store.bank, same, now)


def _rare(store: Store, keys: set[str]) -> set[str]:
    return {key for key, count in store.graph.mention_counts(keys).items() if 2 <= count <= _RARE}


def _within_degree(store: Store, memory: Memory, found: list[_Near], left: int) -> list[_Near]:
    degrees = store.graph.degrees([memory.id, *(near.id for near in found)])
    room = min(left, DEGREE - degrees.get(memory.id, 0))
    return [near for near in found if degrees.get(near.id, 0) < DEGREE][: max(room, 0)]


def _edge(memory: Memory, near: _Near, spelled: Mapping[str, str], now: int) -> Edge:
    words = list({names.key(word): word for word in (spelled.get(said, said) for said in near.shared)}.values())
    return Edge(memory.id, near.id, TYPES[0], near.weight, f"both say {', '.join(words[:MOST])}", RULE, now)


def _spelled(memory: Memory) -> dict[str, str]:
    """Return the words of a text by the terms that are made of them."""
    spelled: dict[str, str] = {}
    for word in memory.content.split():
        bare = word.strip(".,;:!?()[]\"'`")
        if len(bare) <= _LONGEST_WORD:
            for term in tokens.content_terms(bare)[:1]:
                spelled.setdefault(term, bare)
    return spelled
