"""What is known, kept in step with what was stated: record statements, and derive their slots anew.

The rows of facts are a function of the statements: at each moment, what follows from those that count then. `refresh`
takes one step forward, `rebuild` replays a slot. So a statement that is erased leaves nothing
behind, and history reads as if it had never been made. The caller holds the transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mnemopi.knowledge import replay, slots
from mnemopi.model.fact import Fact, Statement
from mnemopi.storage.store import Store
from mnemopi.text import tokens
from mnemopi.text.names import object_key


def state(store: Store, statements: Sequence[Statement], now: int) -> int:
    """Append statements and bring their slots up to date; return since when (UTC ms) that is known.

    That is `now`, unless the clock went back: what is said later of the same is known later.
    """
    placed = [(slots.slot_of(each), each) for each in statements]
    touched = [where for where, _ in placed]
    moment = store.facts.moment(touched, [each.memory for each in statements if each.memory is not None], now)
    store.facts.state((where, each if moment == now else replace(each, at=moment)) for where, each in placed)
    refresh(store, touched, moment)
    return moment


def withdraw(store: Store, memory: str, now: int, origin: str | None = None) -> None:
    """Let what a memory says (or what of it has that origin) count no longer; what nothing else supports holds no
    more."""
    if touched := store.facts.slots_from(memory):
        moment = store.facts.moment(touched, [memory], now)
        if store.facts.withdraw(memory, moment, origin):
            refresh(store, touched, moment)


def erase(store: Store, memory: str) -> set[str]:
    """Erase all that a memory ever said, and what followed from it alone, from history too.

    Returns the terms of what was known of the same: the index of facts may keep those that are gone.
    """
    touched = store.facts.slots_from(memory)
    words = {word for fact in store.facts.versions(touched) for word in tokens.shadow(fact.text).split()}
    if touched:
        store.facts.erase_statements(memory)
        rebuild(store, touched)
    return words


def erase_stated(store: Store, fact: Fact, now: int) -> set[str]:
    """Erase what persons stated of a fact's object in its slot, from history too, and leave tombstones.

    No load brings it back. Returns the terms of what was known of the same, as `erase` does.
    """
    words = {word for each in store.facts.versions([fact.slot]) for word in tokens.shadow(each.text).split()}
    for told in stated(store, fact):
        store.memories.bury(slots.id_of(told), now)
    store.memories.bury(fact.id, now)
    store.facts.erase_stated(fact.slot, fact.object)
    rebuild(store, [fact.slot])
    return words


def stated(store: Store, fact: Fact) -> list[Statement]:
    """Return what persons stated of a fact's object in its slot."""
    wanted = object_key(fact.object)
    here = store.facts.statements([fact.slot])[fact.slot]
    return [each for each in here if each.memory is None and object_key(each.object) == wanted]


def refresh(store: Store, touched: Iterable[str], now: int) -> None:
    """Bring slots from what was known to what is: facts that changed get their next version."""
    statements = store.facts.statements(touched)
    wanted: list[Fact] = []
    for here in statements.values():
        wanted += slots.derive(each for each in here if each.withdrawn_at is None)
    _step(store, store.facts.live(statements), wanted, now)


def rebuild(store: Store, touched: Iterable[str]) -> None:
    """Replay slots from their statements: afterwards their facts are what they would be had only these been made.

    Versions that are as they would be stay as they are.
    """
    for where, here in store.facts.statements(touched).items():
        wanted = {(fact.id, fact.version): fact for fact in replay.versions(here)}
        for known in store.facts.versions([where]):
            if wanted.get((known.id, known.version)) == replace(known, rowkey=0):
                del wanted[known.id, known.version]
            else:
                store.facts.erase(known)
        store.facts.put_versions(list(wanted.values()))


def _step(store: Store, known: Sequence[Fact], wanted: Sequence[Fact], now: int) -> None:
    old = {fact.id: replace(fact, version=1, recorded_at=0, retired_at=None, rowkey=0) for fact in known}
    new = {fact.id: fact for fact in wanted}
    if gone := [fact for fact in known if old[fact.id] != new.get(fact.id)]:
        store.facts.retire(gone, now)
    if come := [replace(fact, recorded_at=now) for fact in wanted if old.get(fact.id) != fact]:
        store.facts.put(come)
