"""Changes to what is stored: update, invalidate, forget. Invalidate hides, forget erases.

Each is one transaction with one journal entry. Ids resolve across the whole bank, within what the caller may see.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mnemopi import errors
from mnemopi.errors import ChangedError, ConflictError, UsageError
from mnemopi.ingest import annotate, claiming, derive
from mnemopi.ingest import draft as drafts
from mnemopi.ingest.derive import Told
from mnemopi.ingest.prepare import Gate, analysed, retold
from mnemopi.model import numbers
from mnemopi.model.memory import Erasure, Event, Identity, Memory, Outcome, Receipt
from mnemopi.storage.store import PENDING_ERASURE, Store
from mnemopi.text import tokens

_PATIENCE_S: Final = 1.0
"""How long an erasure waits for readers and writers to end what they are at, before it is left pending."""


def found(store: Store, id: str, who: Identity) -> Memory:
    """Return the version in force. Raises NotFoundError, also for what the caller may not see."""
    memory = store.memories.current(id, who) if isinstance(id, str) else None
    if memory is None:
        if isinstance(id, str) and store.facts.get(id, who) is not None:
            raise ConflictError(
                f"{id} is a fact, derived from what was stated",
                hint="`facts.get` reads it, `facts.end` ends it, `facts.prefer` settles a contradiction, "
                "`facts.erase` erases what a person stated",
            )
        raise errors.no_memory(str(id), store.name)
    return memory


def update(
    store: Store,
    id: str,
    who: Identity,
    gate: Gate,
    now: int,
    *,
    content: str | None,
    importance: float | None,
    pinned: bool | None,
    expected_version: int | None,
    reason: str | None = None,
) -> Receipt:
    """Replace text, importance or pin by a new version. Raises ChangedError where it is not the expected one."""
    if content is None and importance is None and pinned is None:
        raise UsageError("nothing to update", hint="give content or importance")
    with store.transaction():
        old = found(store, id, who)
        _check_version(old, expected_version)
        if old.kind == "episode":
            raise ConflictError(
                f"{id} is an episode, derived from its sources", hint="update a source, or invalidate it"
            )
        new, redacted = old, {}
        if importance is not None:
            new = replace(new, importance=drafts.importance(importance))
        if pinned is not None:
            new = replace(new, pinned=drafts.flag(pinned, "pinned"))
        prepared = analysed(new)
        ready = None
        if content is not None:
            ready = retold(new, content, gate)
            prepared, redacted = ready.prepared, dict(ready.redacted)
        if prepared.memory == old:
            return Receipt(old.id, store.name, "unchanged", old.version, redacted)
        reads = old.holds(now) and _is_read(store, old, gate)
        memory = store.memories.succeed(old, prepared, now)
        if ready is not None and memory.content != old.content:
            derive.withdraw(store, memory.id, now)
            if reads:
                derive.derived(store, [Told(memory, ready.claims, ready.later)], now)
        annotate.with_the_write(store)
        return _noted(store, memory, "updated", who, now, reason=reason, redacted=redacted)


def invalidate(
    store: Store,
    id: str,
    who: Identity,
    now: int,
    *,
    replacement: str | None,
    reason: str | None,
    expected_version: int | None = None,
) -> Receipt:
    """End a memory's validity now, and name what replaces it. The chain must exist and may not turn in a circle."""
    with store.transaction():
        old = found(store, id, who)
        _check_version(old, expected_version)
        if replacement is not None:
            _check_chain(store, old.id, replacement, who)
        if not old.holds(now):
            if replacement in (None, old.superseded_by):
                return Receipt(old.id, store.name, "unchanged", old.version)
            if old.superseded_by is not None and store.memories.versions(old.superseded_by):
                raise ConflictError(
                    f"{id} was superseded by {old.superseded_by} already", hint="invalidate that one instead"
                )
        until = now if old.valid_until is None else min(now, old.valid_until)
        ended = replace(old, valid_until=until, superseded_by=replacement)
        memory = store.memories.succeed(old, analysed(ended), now)
        derive.withdraw(store, memory.id, now)
        return _noted(store, memory, "invalidated", who, now, reason=reason)


def forget(
    store: Store, id: str, who: Identity, now: int, reason: str | None = None, expected_version: int | None = None
) -> Erasure:
    """Erase a memory: all versions and all that hangs on them."""
    with store.transaction():
        memory = found(store, id, who)
        _check_version(memory, expected_version)
        words = {
            word
            for each in (memory.id, *store.episodes.citing(memory.id))
            for version in store.memories.versions(each)
            for word in tokens.shadow(version.searchable).split()
        }
        words |= derive.erase(store, memory.id, now)
        versions = store.memories.erase(memory.id, now, store.tombstone_key())
        store.journal.append([Event(now, "forgot", memory.id, memory.version, who.author_id, reason)])
        store.meta.set(PENDING_ERASURE, "1")
    held = store.finish_erasure(_PATIENCE_S, words)
    return Erasure(memory.id, "pending" if held else "erased", versions, held)


def _is_read(store: Store, memory: Memory, gate: Gate) -> bool:
    """Whether facts are to be read of a memory: not where its text has some and none is known, by somebody's wish."""
    return bool(derive.said(store, memory.id)) or not claiming.claims(memory, gate.extract, gate.zone)


def _check_version(memory: Memory, expected: int | None) -> None:
    if expected is not None and numbers.whole(expected, "expected_version") != memory.version:
        raise ChangedError(f"{memory.id} is at version {memory.version}, not {expected}", hint="read it again")


def is_circle(store: Store, id: str, replacement: str | None, who: Identity) -> bool:
    """Whether what replaces a memory would be replaced by the memory itself, now or in the end."""
    seen = {id}
    while replacement is not None and replacement not in seen:
        seen.add(replacement)
        memory = store.memories.current(replacement, who)
        replacement = memory.superseded_by if memory else None
    return replacement is not None


def _check_chain(store: Store, id: str, replacement: str, who: Identity) -> None:
    found(store, replacement, who)
    if is_circle(store, id, replacement, who):
        raise UsageError(f"{replacement} is superseded by {id} itself", hint="name another replacement")


def _noted(
    store: Store,
    memory: Memory,
    verb: Outcome,
    who: Identity,
    now: int,
    *,
    reason: str | None = None,
    redacted: dict[str, int] | None = None,
) -> Receipt:
    store.journal.append([Event(now, verb, memory.id, memory.version, who.author_id, reason)])
    return Receipt(memory.id, store.name, verb, memory.version, redacted)
