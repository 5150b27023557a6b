"""What is known, kept in step with what was stated: record statements, and derive their slots anew.

The rows of facts are a function of the statements: at each moment, what follows from those that count then. `refresh`
takes one step forward, `rebuild` replays a slot from its first statement. So a statement that is erased leaves nothing
behind, and history reads as if it had never been made. The caller holds the transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mnemopi.knowledge import slots
from mnemopi.model.fact import Fact, Statement
from mnemopi.storage.store import Store


def state(store: Store, statements: Sequence[Statement], now: int) -> None:
    """Append statements and bring their slots up to date; `now` is UTC ms."""
    placed = [(slots.slot_of(each), each) for each in statements]
    store.facts.state(placed)
    refresh(store, dict.fromkeys(where for where, _ in placed), now)


def withdraw(store: Store, memory: str, now: int) -> None:
    """Let what a memory says count no longer; what nothing else supports holds no more."""
    touched = store.facts.slots_from(memory)
    if touched and store.facts.withdraw(memory, now):
        refresh(store, touched, now)


def erase(store: Store, memory: str) -> None:
    """Erase all that a memory ever said, and what followed from it alone, from history too."""
    touched = store.facts.slots_from(memory)
    if touched:
        store.facts.erase_statements(memory)
        rebuild(store, touched)
        store.facts.clean()


def refresh(store: Store, touched: Iterable[str], now: int) -> None:
    """Bring slots from what was known to what is: facts that changed get their next version."""
    for where in touched:
        counting = [each for each in store.facts.statements(where) if each.withdrawn_at is None]
        _step(store, {fact.id: fact for fact in store.facts.live(where)}, slots.derive(counting), now)


def rebuild(store: Store, touched: Iterable[str]) -> None:
    """Replay slots from their statements: afterwards their facts are what they would be had only these been made."""
    for where in touched:
        for fact in store.facts.versions(where):
            store.facts.erase(fact)
        statements = store.facts.statements(where)
        for moment in moments(statements):
            known = {fact.id: fact for fact in store.facts.live(where)}
            _step(store, known, slots.derive(known_at(statements, moment)), moment)


def moments(statements: Iterable[Statement]) -> list[int]:
    """Return when something came to be known or ceased to count (UTC ms), in order."""
    told = {moment for each in statements for moment in (each.at, each.withdrawn_at) if moment is not None}
    return sorted(told)


def known_at(statements: Iterable[Statement], moment: int) -> list[Statement]:
    """Return the statements that count at a moment (UTC ms)."""
    return [
        each for each in statements if each.at <= moment and (each.withdrawn_at is None or each.withdrawn_at > moment)
    ]


def _step(store: Store, known: dict[str, Fact], wanted: Sequence[Fact], now: int) -> None:
    found = {fact.id: fact for fact in wanted}
    for id, old in known.items():
        if id not in found or not _same(old, found[id]):
            store.facts.retire(old, now)
    for id, fact in found.items():
        if id not in known or not _same(known[id], fact):
            store.facts.put(replace(fact, recorded_at=now))


def _same(one: Fact, other: Fact) -> bool:
    return replace(one, version=0, recorded_at=0, retired_at=None, rowkey=0) == replace(
        other, version=0, recorded_at=0, retired_at=None, rowkey=0
    )
