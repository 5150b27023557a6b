"""What follows from a memory, and how it is taken back: one place for everything that is derived from its text.

Claims are read before (`claiming`); here they are written in the transaction of their memory, or, where many are
written at once, left to be read later (`unclaimed`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from mnemopi.ingest.claiming import Later
from mnemopi.knowledge import facts
from mnemopi.model.fact import Claim, Statement
from mnemopi.model.memory import Event, Memory
from mnemopi.model.values import dataclass
from mnemopi.storage.store import Store

MODEL: Final = "llm"
"""The origin of what a language model read."""


@dataclass(frozen=True, slots=True)
class Told:
    """A memory as it was written, its claims, and what a language model and what rules are to read of it later."""

    memory: Memory
    claims: Sequence[Claim]
    later: Later | None = None
    unclaimed: Later | None = None


def derived(store: Store, told: Iterable[Told], now: int) -> None:
    """Write what follows from new versions of memories; the caller holds the transaction."""
    statements: list[Statement] = []
    wanted: list[tuple[str, str | None]] = []
    left: list[tuple[str, str | None]] = []
    for each in told:
        statements += [_statement(each.memory, claim, now) for claim in each.claims]
        if each.later is not None:
            wanted.append((each.memory.id, each.later.said))
        if each.unclaimed is not None:
            left.append((each.memory.id, each.unclaimed.said))
    if statements:
        facts.state(store, statements, now)
    if wanted:
        store.readings.want(wanted, now)
    if left:
        store.unclaimed.leave(left)


def read(store: Store, memory: Memory, claims: Iterable[Claim], now: int) -> None:
    """Write what a language model read in a memory; the caller holds the transaction."""
    if statements := [_statement(memory, claim, now, MODEL) for claim in claims]:
        facts.state(store, statements, now)


def unread(store: Store, memory: str, now: int) -> None:
    """Take back what a language model read in a memory; the caller holds the transaction."""
    facts.withdraw(store, memory, now, MODEL)


def withdraw(store: Store, memory: str, now: int) -> None:
    """Take back what followed from a memory: it was changed or hidden. The caller holds the transaction.

    What a language model was to read of it, or has read, it is to read again, should the memory hold still.
    """
    facts.withdraw(store, memory, now)
    store.unclaimed.erase(memory)
    store.readings.again(memory, now)


def erase(store: Store, memory: str, now: int) -> set[str]:
    """Erase what followed from a memory, from history too. The caller holds the transaction.

    The episodes that sum it up go, and their other sources wait for sleep again. Returns the terms of the facts that
    were derived anew without it.
    """
    words = facts.erase(store, memory)
    store.readings.erase(memory)
    store.unclaimed.erase(memory)
    gone = store.episodes.erase_citing(memory)
    for episode in gone:
        words |= facts.erase(store, episode)
        store.memories.erase(episode, now, store.tombstone_key())
    store.journal.append([Event(now, "forgot", episode, reason="a source was forgotten") for episode in gone])
    return words


def said(store: Store, memory: str) -> list[Statement]:
    """Return what a memory says now."""
    return [each for each in store.facts.statements_from(memory) if each.withdrawn_at is None]


def moved(statement: Statement, old: Memory, new: Memory) -> Statement:
    """Return a statement with the times that it has from its memory, and not from the text, as the next version has."""
    start, stop = statement.valid_from, statement.valid_to
    return replace(
        statement,
        valid_from=new.timestamp if start == old.timestamp else start,
        valid_to=new.valid_until if stop == old.valid_until and statement.verb == "assert" else stop,
    )


def restated(store: Store, memory: Memory, statements: Iterable[Statement], now: int) -> None:
    """Let a memory say again, at its present version and veracity, what it said before, and nothing else.

    The caller holds the transaction.
    """
    facts.withdraw(store, memory.id, now)
    again = [
        replace(each, at=now, version=memory.version, veracity=memory.veracity, withdrawn_at=None, rowkey=0)
        for each in statements
    ]
    facts.state(store, again, now)


def _statement(memory: Memory, claim: Claim, now: int, origin: str = "rule") -> Statement:
    ends = claim.valid_from is None and claim.valid_to is not None and claim.valid_to <= memory.timestamp
    start = claim.valid_to if ends else claim.valid_from
    return Statement(
        verb="end" if ends else "assert",
        kind=claim.kind,
        subject=claim.subject,
        predicate=claim.predicate,
        object=claim.object,
        at=now,
        valid_from=memory.timestamp if start is None else start,
        valid_to=None if ends else memory.valid_until if claim.valid_to is None else claim.valid_to,
        confidence=claim.confidence,
        veracity=memory.veracity,
        scope=memory.scope,
        session_id=memory.session_id,
        channel_id=memory.channel_id,
        author_id=memory.author_id,
        memory=memory.id,
        version=memory.version,
        start=claim.start,
        stop=claim.stop,
        origin=origin,
    )
