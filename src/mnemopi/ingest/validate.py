"""A person's word on a memory: attest it, correct it, hide it or erase it, with who says so and why in the journal.

And the other way round: which of the derived rests on sources that nobody should build on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from mnemopi.errors import UsageError
from mnemopi.ingest import derive, edits
from mnemopi.ingest import draft as drafts
from mnemopi.ingest.prepare import Gate, analysed
from mnemopi.model import numbers
from mnemopi.model.doubt import Contaminated
from mnemopi.model.memory import Erasure, Event, Identity, Memory, Receipt
from mnemopi.model.trust import TRUST_TIERS
from mnemopi.model.values import dataclass
from mnemopi.storage.doubts import Doubts
from mnemopi.storage.store import Store

ACTIONS: Final = ("attest", "update", "invalidate", "delete")
_BELIEVED: Final = ("stated", "likely_true", "true")
"""What is believed already is true once somebody vouches for it; anything else is then as good as stated."""

Eraser = Callable[[str, Identity, str | None], Erasure]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a validator does to a memory: one of `ACTIONS`, and why. `content` is the corrected text of an update."""

    action: str
    validator: str
    reason: str | None = None
    content: str | None = None

    @classmethod
    def of(cls, action: object, validator: object, reason: object, content: str | None) -> Verdict:
        """Check a verdict. Raises UsageError for an unknown action, nobody as validator, or a text out of place."""
        if action not in ACTIONS:
            raise UsageError(f"unknown action {action!r:.60}", hint=f"one of {', '.join(ACTIONS)}")
        who = drafts.name(validator, "validator", optional=False)
        if (content is None) == (action == "update"):
            raise UsageError("content goes with `update`, and with nothing else", hint="say what it should read")
        return cls(str(action), str(who), drafts.name(reason, "reason"), content)


def validate(
    store: Store, id: str, verdict: Verdict, who: Identity, gate: Gate, now: int, erase: Eraser
) -> Receipt | Erasure:
    """Do what the verdict says, in the validator's name. Raises NotFoundError and ConflictError as the verbs do.

    `who` says what may be seen, `erase` is how a memory is forgotten here: (id, who, reason).
    """
    validator = replace(who, author_id=verdict.validator)
    if verdict.action == "delete":
        return erase(id, validator, verdict.reason)
    if verdict.action == "invalidate":
        return edits.invalidate(store, id, validator, now, replacement=None, reason=verdict.reason)
    if verdict.action == "update":
        return edits.update(
            store,
            id,
            validator,
            gate,
            now,
            content=verdict.content,
            importance=None,
            pinned=None,
            expected_version=None,
            reason=verdict.reason,
        )
    return _attest(store, id, validator, now, verdict.reason)


def contaminated(store: Store, who: Identity, now: int, limit: int, min_importance: float) -> list[Contaminated]:
    """Return the episodes and facts in force with a weak source, the most important first.

    Weak is what a tool wrote, what was imported, inferred, contested or false, what no longer holds, and what was
    forgotten. An episode has its own importance, a fact that of its weak sources.
    """
    limit = numbers.whole(limit, "limit")
    least = drafts.importance(min_importance)
    doubts = Doubts(store.connection, store.bank, store.sql)
    found = [each for each in (*doubts.episodes(who, now), *doubts.facts(who, now)) if each.importance >= least]
    return sorted(found, key=lambda each: (-each.importance, each.id))[:limit]


def _attest(store: Store, id: str, validator: Identity, now: int, reason: str | None) -> Receipt:
    """Raise what is believed of a memory. It is journalled also where there is nothing to raise: a second voucher."""
    with store.transaction():
        memory = edits.found(store, id, validator)
        attested = _vouched(memory)
        if attested != memory:
            memory = store.memories.succeed(memory, analysed(attested), now)
            derive.restated(store, memory, derive.said(store, memory.id), now)
        store.journal.append([Event(now, "attested", memory.id, memory.version, validator.author_id, reason)])
    return Receipt(memory.id, store.name, "attested", memory.version)


def _vouched(memory: Memory) -> Memory:
    veracity = "true" if memory.veracity in _BELIEVED else "stated"
    return replace(memory, veracity=veracity, trust_tier=TRUST_TIERS[0])
