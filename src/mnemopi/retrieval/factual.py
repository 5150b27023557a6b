"""What facts do to a ranking: attach to the memories that say them, mark what is stale, or take a place.

A fact is derived, so where a memory that says it is in the list, the fact is a note on that memory. Where the present
is asked about, the memory whose fact is in force ranks above those whose facts of the same slot it superseded. A fact
takes a place of its own only where none of its sources made the list, or where facts are what is asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Final, Literal, TypeAlias, cast

from mnemopi.model.fact import Fact
from mnemopi.model.hit import Explanation
from mnemopi.model.memory import Memory
from mnemopi.model.values import dataclass
from mnemopi.ports import Value
from mnemopi.retrieval import evidence, scoring
from mnemopi.retrieval.evidence import Question
from mnemopi.storage.facts import ANY
from mnemopi.storage.memories import Candidate
from mnemopi.storage.store import Store
from mnemopi.text import tokens

Mode: TypeAlias = Literal["attach", "place", "first"]
"""Facts attach to memories; or take a place where no source is listed; or stand on their own like memories."""
Ranked: TypeAlias = list[tuple[Candidate, Explanation]]
RELEVANT: Final = 0.3
"""Share of a question (by idf) that a fact covers at least, to be mentioned."""
_SEES: Final = ("my_session", "my_channel", "my_scopes", "global_only")
"""Of the filter of memories, what says who may see a fact."""
_STEP: Final = 1e-3
_SHOWN: Final = 3
"""Facts that are noted on one memory."""
_MOST_RESTING: Final = 1000


@dataclass(slots=True)
class Known:
    """The facts that may bear on a question, with the row keys of the admitted memories that say each (by fact id).

    `moment` is when they are asked to hold (UTC ms); `successors` are facts that superseded others, by id.
    """

    moment: int
    facts: list[Fact] = field(default_factory=list)
    sources: dict[str, list[int]] = field(default_factory=dict)
    successors: dict[str, Fact] = field(default_factory=dict)

    def rows(self, mode: Mode, narrowed: bool) -> dict[int, Fact]:
        """Return the facts that may take a place, under negative row keys."""
        holding = [fact for fact in self.facts if fact.holds(self.moment) and self._may_stand(fact, mode, narrowed)]
        return {-place: fact for place, fact in enumerate(holding, 1)}

    def _may_stand(self, fact: Fact, mode: Mode, narrowed: bool) -> bool:
        if self.sources.get(fact.id):
            return mode != "attach"
        return not narrowed and (mode != "attach" or not fact.sources)

    def notes(self) -> dict[int, list[str]]:
        """Say of each memory (by row key) what it states, and how that stands."""
        noted: dict[int, list[str]] = {}
        for fact in self.facts:
            for rowkey in self.sources.get(fact.id, ()):
                lines = noted.setdefault(rowkey, [])
                if len(lines) < _SHOWN:
                    lines.append(f"states: {fact.text} ({self._state(fact)})")
        return noted

    def stale(self) -> dict[int, str]:
        """Name what superseded each memory all of whose facts here are superseded: its memory, else its fact."""
        standing = {key for fact in self.facts if fact.holds(self.moment) for key in self.sources.get(fact.id, ())}
        found: dict[int, str] = {}
        for fact in self.facts:
            successor = self.successors.get(fact.superseded_by or "")
            if fact.holds(self.moment) or successor is None or not successor.valid_from <= self.moment:
                continue
            name = successor.sources[-1].memory if successor.sources else successor.id
            found |= {key: name for key in self.sources.get(fact.id, ()) if key not in standing}
        return found

    def beside(self, more: Known) -> Known:
        """Return these facts, and behind them what else is known; of that, what holds no longer comes first."""
        here = {fact.id for fact in self.facts}
        others = sorted((fact for fact in more.facts if fact.id not in here), key=lambda fact: fact.holds(self.moment))
        sources, successors = more.sources | self.sources, more.successors | self.successors
        return Known(self.moment, [*self.facts, *others], sources, successors)

    def _state(self, fact: Fact) -> str:
        successor = self.successors.get(fact.superseded_by or "")
        state = fact.state(self.moment)
        return f"superseded by {successor.text}" if state.startswith("superseded") and successor else state


def seen(admitted: Mapping[str, Value]) -> dict[str, Value]:
    """Turn the filter of memories into that of facts: who asks, and what was known when."""
    return ANY | {name: admitted[name] for name in _SEES} | {"known_at": admitted["as_of"]}


def relevant(facts: Sequence[Fact], question: Question) -> list[Fact]:
    """Keep the facts that cover enough of a question."""
    found = evidence.gather(question, [_asked(fact) for fact in facts])
    return [fact for fact, each in zip(facts, found, strict=True) if each.coverage >= RELEVANT]


def traced(store: Store, facts: Sequence[Fact], admitted: Mapping[str, Value]) -> Known:
    """Find the admitted memories that say each of some facts, and what superseded it."""
    said = {source.memory for fact in facts for source in fact.sources}
    rowkeys = store.memories.admitted_of(said, dict(admitted)) if said else {}
    return _known(store, facts, rowkeys, admitted)


def resting(store: Store, rowkeys: Mapping[str, int], admitted: Mapping[str, Value]) -> Known:
    """Find the facts that rest on some memories (row keys by id), and what superseded each."""
    facts = store.facts.resting_on(list(rowkeys), seen(admitted), _MOST_RESTING) if rowkeys else []
    return _known(store, facts, rowkeys, admitted)


def told(
    store: Store, known: Known | None, rowkeys: Mapping[str, int], admitted: Mapping[str, Value], current: bool
) -> tuple[dict[int, list[str]], dict[int, str]]:
    """Say of memories (row keys by id) what they state, and name what superseded those that are stale.

    `known` are the facts that the question finds, None where facts are left out. Those of a memory say whether it is
    stale; where they are none, for the question has other words than they, all that the memory states does. What is
    not asked about the present (`current`) finds nothing stale.
    """
    if known is None:
        return {}, {}
    everything = known.beside(resting(store, rowkeys, admitted))
    return everything.notes(), everything.stale() | known.stale() if current else {}


def _known(store: Store, facts: Sequence[Fact], rowkeys: Mapping[str, int], admitted: Mapping[str, Value]) -> Known:
    sources = {
        fact.id: list(dict.fromkeys(rowkeys[each.memory] for each in fact.sources if each.memory in rowkeys))
        for fact in facts
    }
    successors = {fact.id: fact for fact in facts}
    missing = {fact.superseded_by for fact in facts if fact.superseded_by} - set(successors)
    successors |= {each.id: each for each in store.facts.some(missing, seen(admitted))} if missing else {}
    return Known(cast("int", admitted["at"]), list(facts), sources, successors)


def lifted(ranked: Ranked, known: Known) -> Ranked:
    """Put the memories whose facts are in force above those of the same slot whose facts are not."""
    orders = {row.rowkey: explanation.order for row, explanation in ranked}
    lifts: dict[int, float] = {}
    for slot in {fact.slot for fact in known.facts}:
        here = [fact for fact in known.facts if fact.slot == slot]
        standing = _said([fact for fact in here if fact.holds(known.moment)], known.sources, orders)
        fallen = _said([fact for fact in here if fact.state(known.moment)[:5] == "super"], known.sources, orders)
        above = max((orders[key] for key in fallen - standing), default=None)
        if above is None or not standing:
            continue
        for key in standing:
            lifts[key] = max(lifts.get(key, 0.0), above + _STEP - orders[key])
    lifts = {key: lift for key, lift in lifts.items() if lift > 0}
    if not lifts:
        return ranked
    moved = [(row, _higher(told, lifts.get(row.rowkey, 0.0))) for row, told in ranked]
    moved.sort(key=lambda pair: -pair[1].order)
    levelled = scoring.level([(place, told) for place, (_, told) in enumerate(moved)])
    return [(moved[place][0], told) for place, told in levelled]


def attached(facts: Mapping[int, Fact], known: Known | None, listed: Collection[int]) -> set[int]:
    """Return those facts (row keys) that one of the listed memories says: they need no place of their own."""
    sources = known.sources if known else {}
    return {rowkey for rowkey, fact in facts.items() if any(key in listed for key in sources.get(fact.id, ()))}


def row_of(rowkey: int, fact: Fact) -> Candidate:
    """Return a fact as a candidate among memories."""
    return Candidate(
        rowkey=rowkey,
        session_id=fact.session_id,
        position=None,
        kind="fact",
        author_id=None,
        importance=0.5,
        veracity=fact.veracity,
        trust_tier="DERIVED",
        timestamp=fact.valid_from,
        event_start=None,
        event_end=None,
        pinned=0,
        shadow=tokens.shadow(fact.text),
    )


def memory_of(fact: Fact) -> Memory:
    """Return a fact in the shape of a memory, for whom a hit is a memory that was found."""
    return Memory(
        id=fact.id,
        version=fact.version,
        kind="fact",
        content=fact.dated,
        recorded_at=fact.recorded_at,
        timestamp=fact.valid_from,
        session_id=fact.session_id,
        scope=fact.scope,
        source="fact",
        tier="fact",
        veracity=fact.veracity,
        trust_tier="DERIVED",
        memory_type=fact.kind,
        channel_id=fact.channel_id,
        valid_until=fact.valid_to,
        superseded_by=fact.superseded_by,
        retired_at=fact.retired_at,
    )


def _said(facts: Iterable[Fact], sources: Mapping[str, Sequence[int]], orders: Mapping[int, float]) -> set[int]:
    return {key for fact in facts for key in sources.get(fact.id, ()) if key in orders}


def _higher(told: Explanation, lift: float) -> Explanation:
    return replace(told, order=told.order + lift, terms={**told.terms, "in force": lift}) if lift else told


def _asked(fact: Fact) -> evidence.Candidate:
    return evidence.Candidate(tokens.shadow(fact.text))
