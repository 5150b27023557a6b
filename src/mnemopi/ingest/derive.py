"""What follows from a memory, and how it is taken back: one place for everything that is derived from its text.

Claims are read before (`claiming`); here they are written in the transaction of their memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from mnemopi.knowledge import facts
from mnemopi.model.fact import Claim, Statement
from mnemopi.model.memory import Event, Memory
from mnemopi.storage.store import Store


@dataclass(frozen=True, slots=True)
class Told:
    """A memory as it was written, and the claims of its text."""

    memory: Memory
    claims: Sequence[Claim]


def derived(store: Store, told: Iterable[Told], now: int) -> None:
    """Write what follows from new versions of memories; the caller holds the transaction."""
    statements = [_statement(each.memory, claim, now) for each in told for claim in each.claims]
    if statements:
        facts.state(store, statements, now)


def withdraw(store: Store, memory: str, now: int) -> None:
    """Take back what followed from a memory: it was changed or hidden. The caller holds the transaction."""
    facts.withdraw(store, memory, now)


def erase(store: Store, memory: str, now: int) -> None:
    """Erase what followed from a memory, from history too. The caller holds the transaction.

    The episodes that sum it up go, and their other sources wait for sleep again.
    """
    facts.erase(store, memory)
    gone = store.episodes.erase_citing(memory)
    for episode in gone:
        facts.erase(store, episode)
        store.memories.erase(episode, now, store.tombstone_key())
    store.journal.append([Event(now, "forgot", episode, reason="a source was forgotten") for episode in gone])


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


def _statement(memory: Memory, claim: Claim, now: int) -> Statement:
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
    )
