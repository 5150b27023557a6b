"""The main path of writing: prepared memories become rows, in one transaction, by the rules of what a memory is.

Turns never merge: a turn stays itself, and the same host's id for it finds it again, for those who may see it: what
nobody else may see, nobody else can change. Another text under that id is its next version: what was not told with it
stays, and so does that it is hidden. Notes do merge: an equal note of the
same scope and author keeps its id, only supplied fields change, trust and importance never silently fall, the
earliest time stays, and each occurrence is kept. A note that was invalidated and is stated again gets a new version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, tzinfo
from typing import Any, Final

from mnemopi.ingest import annotate, claiming, derive, unclaimed
from mnemopi.ingest.derive import Told
from mnemopi.ingest.draft import Draft
from mnemopi.ingest.prepare import Ready, analysed, reread
from mnemopi.model import trust
from mnemopi.model.interval import Interval
from mnemopi.model.memory import Event, Memory, Occurrence, Outcome, Receipt
from mnemopi.storage.commits import Commit
from mnemopi.storage.memories import Prepared
from mnemopi.storage.rows import note_hash
from mnemopi.storage.store import Store

_USUAL: Final = Draft(content="")
"""What a caller says who says nothing but the text."""


def remember(
    store: Store, batch: Sequence[Ready], now: int, behind: Commit | None = None, zone: tzinfo = UTC
) -> list[Receipt]:
    """Write a batch in one transaction and return the receipts in order; all of it is committed, or nothing.

    With `behind`, the receipts hold once its end was waited for. `zone` is that in which claims are read that wait.
    """
    with store.transaction(behind):
        return _Batch(store, now, zone).write(batch)


class _Batch:
    """One transaction's worth: plain new rows are gathered, and written before anything looks for them."""

    def __init__(self, store: Store, now: int, zone: tzinfo) -> None:
        self._store, self._now, self._zone = store, now, zone
        self._waiting: list[Prepared] = []
        self._waiting_notes: set[bytes] = set()
        self._waiting_turns: set[tuple[str, str]] = set()
        self._positions: dict[str, int] = {}
        self._events: list[Event] = []
        self._told: list[Told] = []

    def write(self, batch: Sequence[Ready]) -> list[Receipt]:
        receipts = [self._turn(ready) if ready.memory.kind == "turn" else self._note(ready) for ready in batch]
        self._flush()
        derive.derived(self._store, self._told, self._now)
        if any(each.unclaimed for each in self._told):
            unclaimed.with_the_write(self._store, self._zone, self._now)
        annotate.with_the_write(self._store)
        self._store.journal.append(self._events)
        return receipts

    def _turn(self, ready: Ready) -> Receipt:
        memory = ready.memory
        if memory.external_id is not None:
            known = self._known_turn(memory.session_id, memory.external_id, ready)
            if known is not None:
                return self._same_turn(known, ready)
            self._waiting_turns.add((memory.session_id, memory.external_id))
        return self._create(ready, self._placed(ready.prepared))

    def _known_turn(self, session_id: str, external_id: str, ready: Ready) -> Memory | None:
        if (session_id, external_id) in self._waiting_turns:
            self._flush()
        return self._store.memories.turn_like(ready.memory, ready.who)

    def _same_turn(self, old: Memory, ready: Ready) -> Receipt:
        """The host sends a turn again: the same text changes nothing, an edited one is the next version."""
        if old.content == ready.memory.content:
            return self._answer(old, "merged", ready.redacted)
        new = reread(ready, _edited(old, ready.memory, hidden=not old.holds(self._now)))
        return self._answer(self._retell(old, new.memory, "updated", new), "updated", ready.redacted)

    def _note(self, ready: Ready) -> Receipt:
        key = note_hash(ready.memory)
        if key in self._waiting_notes:
            self._flush()
        old = self._store.memories.note_like(ready.memory)
        if old is None:
            self._waiting_notes.add(key)
            return self._create(ready, ready.prepared)
        revived = not old.holds(self._now)
        merged = _merged(old, ready.memory, revived=revived)
        if revived:
            old = self._retell(old, merged, "revived", ready)
        elif _terms(merged) != _terms(old):
            old = self._restate(old, merged, ready)
        elif merged != old:
            old = self._succeed(old, merged, "merged")
        else:
            self._log("merged", old)
        if ready.later and not revived:
            self._told.append(Told(old, (), ready.later))
        self._store.memories.occur(_occurrence(old.id, ready.memory))
        return self._answer(old, "revived" if revived else "merged", ready.redacted)

    def _create(self, ready: Ready, prepared: Prepared) -> Receipt:
        self._waiting.append(prepared)
        if ready.claims or ready.later or ready.unclaimed:
            self._told.append(Told(prepared.memory, ready.claims, ready.later, ready.unclaimed))
        self._log("remembered", prepared.memory)
        return self._answer(prepared.memory, "created", ready.redacted)

    def _placed(self, prepared: Prepared) -> Prepared:
        """Give a turn its place in the session: the one that came with it, else the next."""
        memory = prepared.memory
        last = self._positions.get(memory.session_id)
        if memory.position is not None:
            if last is not None and memory.position > last:
                self._positions[memory.session_id] = memory.position
            return prepared
        if last is None:
            self._flush()
            last = self._store.memories.last_position(memory.session_id)
        self._positions[memory.session_id] = last + 1
        return replace(prepared, memory=replace(memory, position=last + 1))

    def _retell(self, old: Memory, new: Memory, verb: str, ready: Ready) -> Memory:
        """Open a version that says something else: what followed from the one before is taken back.

        From one that is hidden nothing follows.
        """
        self._catch_up(old)
        memory = self._succeed(old, new, verb)
        holds = memory.holds(self._now)
        self._told = [Told(memory, ready.claims, ready.later, ready.unclaimed)] if holds else []
        derive.withdraw(self._store, memory.id, self._now)
        return memory

    def _restate(self, old: Memory, new: Memory, ready: Ready) -> Memory:
        """Open a version that says the same under other terms: what was read of it is said under these.

        Where nothing was, it may be a program that said so before, and a user who does now.
        """
        self._catch_up(old)
        said = derive.said(self._store, old.id)
        memory = self._succeed(old, new, "merged")
        if not memory.holds(self._now) or memory.veracity == "false":
            derive.withdraw(self._store, memory.id, self._now)
        elif said:
            moved = [derive.moved(each, old, memory) for each in said]
            derive.restated(self._store, memory, moved, self._now)
        else:
            self._told.append(Told(memory, ready.claims, None, ready.unclaimed))
        return memory

    def _catch_up(self, memory: Memory) -> None:
        """Write what follows from the batch so far, and from the version of a memory that another one replaces."""
        derive.derived(self._store, self._told, self._now)
        self._told = []
        unclaimed.first(self._store, memory.id, self._zone, self._now)

    def _succeed(self, old: Memory, new: Memory, verb: str) -> Memory:
        new = self._store.memories.succeed(old, analysed(new), self._now)
        self._log(verb, new)
        return new

    def _flush(self) -> None:
        if self._waiting:
            self._store.memories.put(self._waiting)
            self._waiting.clear()

    def _log(self, verb: str, memory: Memory) -> None:
        self._events.append(Event(self._now, verb, memory.id, memory.version, memory.author_id))

    def _answer(self, memory: Memory, outcome: Outcome, redacted: Mapping[str, int]) -> Receipt:
        return Receipt(memory.id, self._store.name, outcome, memory.version, redacted)


def _merged(old: Memory, new: Memory, *, revived: bool) -> Memory:
    """The note after one more mention. What was not supplied stays: a field that equals its default was not."""
    valid_until = None if revived else old.valid_until
    # A user who says what a program wrote before is believed, though nothing was told but the text.
    told = not _is_plain(new) or (old.source != new.source and claiming.by_user(new))
    return replace(
        old,
        importance=old.importance if new.importance == _USUAL.importance else max(old.importance, new.importance),
        veracity=trust.stronger_veracity(old.veracity, new.veracity),
        trust_tier=trust.stronger_tier(old.trust_tier, new.trust_tier) if told else old.trust_tier,
        memory_type=old.memory_type if new.memory_type == "unknown" else new.memory_type,
        pinned=old.pinned or new.pinned,
        timestamp=(max if revived else min)(old.timestamp, new.timestamp),
        event=_earlier(old.event, new.event),
        valid_until=new.valid_until if new.valid_until is not None else valid_until,
        superseded_by=None if revived else old.superseded_by,
        metadata=old.metadata if new.metadata is None else {**(old.metadata or {}), **new.metadata},
        embed_text=new.embed_text or old.embed_text,
        author_type=old.author_type or new.author_type,
        channel_id=old.channel_id or new.channel_id,
    )


def _edited(old: Memory, new: Memory, *, hidden: bool) -> Memory:
    """The turn with another text: what people set stays, who could have written it is as is told with the text."""
    merged = _merged(old, new, revived=False)
    told = old if _is_plain(new) else new
    return replace(
        merged,
        content=new.content,
        embed_text=new.embed_text,
        timestamp=old.timestamp,
        source=told.source,
        trust_tier=told.trust_tier,
        veracity=old.veracity if new.veracity == _USUAL.veracity else new.veracity,
        author_id=new.author_id or old.author_id,
        author_type=new.author_type or old.author_type,
        valid_until=old.valid_until if hidden else merged.valid_until,
    )


def _terms(memory: Memory) -> tuple[Any, ...]:
    """What besides the text decides what follows from a memory."""
    return memory.veracity, memory.trust_tier, memory.valid_until, memory.timestamp


def _is_plain(memory: Memory) -> bool:
    """Whether nothing was told of where it comes from."""
    return (memory.source, memory.trust_tier) == (_USUAL.source, trust.tier(None, _USUAL.source))


def _earlier(old: Interval | None, new: Interval | None) -> Interval | None:
    if old is None or new is None:
        return old or new
    return min(old, new, key=lambda event: event.start)


def _occurrence(id: str, memory: Memory) -> Occurrence:
    return Occurrence(
        id=id,
        at=memory.timestamp,
        session_id=memory.session_id,
        author_id=memory.author_id,
        channel_id=memory.channel_id,
        source=memory.source,
    )
