"""Take back the last change of a memory: the version before it is in force again, as a version of its own.

Nothing is removed by that: the journal says what was undone, and the version that was in force stays in the history.
Undoing again goes further back, until only the memory as it was first stored is left. That one cannot be undone, but
forgotten; and what is forgotten cannot come back.
"""

from __future__ import annotations

from mnemopi.errors import ConflictError, NotFoundError
from mnemopi.ingest import derive, edits
from mnemopi.ingest.derive import Told
from mnemopi.ingest.prepare import analysed
from mnemopi.model.fact import Statement
from mnemopi.model.memory import Event, Identity, Memory, Receipt
from mnemopi.storage.store import Store

UNDONE = "undone"
"""The verb by which the journal tells which versions took others back; retention keeps these events."""


def undo(store: Store, id: str, who: Identity, now: int, reason: str | None = None) -> Receipt:
    """Reopen the version before the last change. Raises NotFoundError, and ConflictError where that is impossible."""
    with store.transaction():
        if isinstance(id, str) and store.memories.is_buried(id):
            raise ConflictError(f"{id} was forgotten, and what is erased cannot come back")
        memory = edits.found(store, id, who)
        former = _former(store, memory, who)
        if edits.is_circle(store, id, former.superseded_by, who):
            raise ConflictError(
                f"{id} was superseded by {former.superseded_by} then, which is superseded by {id} itself now",
                hint=f"undo the last change of {former.superseded_by} first",
            )
        again = store.memories.succeed(memory, analysed(former), now, like=former)
        _derive(store, again, memory, former, now)
        store.journal.append([Event(again.recorded_at, UNDONE, id, again.version, who.author_id, reason)])
    return Receipt(id, store.name, "undone", again.version)


def _former(store: Store, memory: Memory, who: Identity) -> Memory:
    """Return the version to go back to."""
    standing = _standing(store, memory.id)
    if len(standing) < 2:
        raise ConflictError(
            f"{memory.id} is as it was first stored: there is no change to undo",
            hint="`invalidate` hides it",
        )
    former = store.memories.version(memory.id, who, number=standing[-2], as_of=None)
    if former is None:
        raise NotFoundError(f"version {standing[-2]} of {memory.id} is not there to be seen")
    return former


def _standing(store: Store, id: str) -> list[int]:
    """Replay the versions: each change stands on the one before, and an undone one falls with the undoing.

    A version is known by its moment too: after a restore or a load another one may have the number of one that undid.
    """
    undoing = {(event.version, event.at) for event in store.journal.history(id) if event.verb == UNDONE}
    standing: list[int] = []
    for version in store.memories.versions(id):
        if (version.version, version.recorded_at) in undoing and len(standing) > 1:
            standing.pop()
        else:
            standing.append(version.version)
    return standing


def _derive(store: Store, again: Memory, undone: Memory, former: Memory, now: int) -> None:
    """What followed from the former version follows again."""
    if (again.content, again.holds(now)) != (undone.content, undone.holds(now)):
        derive.withdraw(store, again.id, now)
        if again.holds(now):
            derive.derived(store, [Told(again, ())], now)
    said = _said(store, former) if former.holds(now) else []
    if any(each.withdrawn_at is not None for each in said) or derive.said(store, again.id) != said:
        derive.restated(store, again, said, now)


def _said(store: Store, former: Memory) -> list[Statement]:
    """Return what a version said when it was replaced: what was read from it, or from one before of the same text."""
    same: list[int] = []
    for version in reversed(store.memories.versions(former.id)[: former.version]):
        if version.content != former.content or not version.holds(version.recorded_at):
            break
        same.append(version.version)
    until = former.retired_at or 0
    said = [
        each
        for each in store.facts.statements_from(former.id)
        if each.version in same and (each.withdrawn_at is None or each.withdrawn_at >= until)
    ]
    read = max((each.version or 0 for each in said), default=0)
    return [each for each in said if each.version == read]
