"""The door to the facts of a bank: state, ask, end, prefer, erase.

A fact is never edited: a statement is added, and what follows is derived. Facts that rest on memories go with them;
what a person states here rests on nobody, and is ended, or erased by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from mnemopi.errors import ConflictError, NotFoundError, UsageError
from mnemopi.ingest import draft as drafts
from mnemopi.ingest import prepare as preparing
from mnemopi.ingest import unclaimed
from mnemopi.ingest.draft import When
from mnemopi.knowledge import conflicts, facts, slots, story
from mnemopi.knowledge.conflicts import Conflict
from mnemopi.model import numbers, trust
from mnemopi.model.fact import KINDS, Fact, Statement, Verb
from mnemopi.model.memory import Erasure, Event, Identity
from mnemopi.model.values import dataclass
from mnemopi.ports import Clock, Value
from mnemopi.retrieval.profiles import last_moment
from mnemopi.storage import filters
from mnemopi.storage.facts import ANY, Facts
from mnemopi.storage.store import PENDING_ERASURE, Store
from mnemopi.text import dates, names, redact, tokens

LONGEST: Final = 2000
"""Characters that a subject, predicate or object may have."""
_EMPTY: Final = " \t\n.,;:!?…。，；：！？_-"
_BATCH: Final = 200
_MOST: Final = 10_000
_PATIENCE_S: Final = 1.0
Found: TypeAlias = list[Fact]


@dataclass(frozen=True, slots=True)
class FactDoor:
    """The facts of one bank, seen by one identity."""

    store: Store
    who: Identity
    clock: Clock
    gate: preparing.Gate
    backup_dir: Path

    def assert_(
        self,
        subject: str,
        predicate: str,
        object: str,
        *,
        kind: str = "fact",
        valid_from: When | None = None,
        valid_to: When | None = None,
        veracity: str | bool = "stated",
        confidence: float = 0.95,
        scope: str = "bank",
        reason: str | None = None,
    ) -> Fact:
        """State a fact and return it as it stands then.

        It is so from `valid_from` (default: now) until `valid_to` (default: until something supersedes or ends it; a
        bare date is included). In a slot with one object at a time the later valid time supersedes. `kind` is one of
        fact, preference, instruction, event, relation, identity. Raises UsageError.
        """
        now = self.clock()
        start = now if valid_from is None else dates.moment(valid_from)
        stop = preparing.until(valid_to)
        if stop is not None and stop <= start:
            raise UsageError("valid_to lies not after valid_from")
        statement = self._statement(
            "assert",
            self._part(subject, "subject"),
            self._part(predicate, "predicate"),
            self._part(object, "object"),
            now,
            start,
            kind=_kind(kind),
            valid_to=stop,
            confidence=_confidence(confidence),
            veracity=trust.veracity(veracity),
            scope=self._scope(scope),
        )
        if kind == "relation" and names.key(subject) == names.key(object):
            raise UsageError(f"{subject!r:.60} cannot be related to itself", hint="name another object")
        return self._stated(statement, now, "asserted", reason)

    def list(
        self,
        query: str | None = None,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        kind: str | None = None,
        as_of: When | None = None,
        known_at: When | None = None,
        include_ended: bool = False,
        limit: int = 50,
    ) -> Found:
        """Return facts: those that match `query`, the best first, else all by subject and predicate.

        `as_of` asks what was so then, `known_at` what was known then; without `as_of` what holds now, or with
        `include_ended` also what ended and what is yet to begin. A bare date is its last moment.
        """
        limit = numbers.whole(limit, "limit")
        asked = self._asked(subject, predicate, kind, as_of, known_at, include_ended=include_ended)
        if query is None:
            return self._known.admitted(asked, limit)
        if not isinstance(query, str):
            raise UsageError(f"a query is a string, not {query!r:.60}")
        terms = (tokens.content_terms(query) or tokens.terms(query))[:_BATCH]
        match = " OR ".join(f'"{term}"' for term in terms)
        return self._known.search(match, asked, limit) if match else []

    search = list

    def get(self, id: str, as_of: When | None = None) -> Fact | None:
        """Return a fact as it stands, or as it was known at a moment; None where there is none to see."""
        if not isinstance(id, str):
            raise UsageError(f"an id is a string, not {id!r:.60}")
        return self._known.get(id, self.who, None if as_of is None else last_moment(as_of))

    def end(self, id: str, at: When | None = None, reason: str | None = None) -> Fact:
        """Say that a fact stopped holding at a moment (default: now); return it. Raises NotFoundError, UsageError."""
        now = self.clock()
        fact = self._found(id)
        moment = now if at is None else dates.moment(at)
        if moment < fact.valid_from:
            raise UsageError(f"fact {id} begins only after that", hint="name a later moment")
        if fact.valid_to is not None and fact.valid_to <= moment:
            return fact
        return self._follow(fact, "end", moment, now, "ended", reason)

    def prefer(self, id: str, reason: str | None = None) -> Fact:
        """Settle a contradiction: this side holds, the others do not. It is journalled. Raises NotFoundError."""
        now = self.clock()
        fact = self._found(id)
        ended = fact.valid_to is not None and fact.valid_to <= now
        moment = now if ended else fact.valid_from
        return self._follow(fact, "prefer", moment, now, "preferred", reason)

    def conflicts(self) -> Sequence[Conflict]:
        """Return the contradictions that no rule has settled and that matter now or later."""
        now = self.clock()
        asked = self._asked(None, None, None, None, None, include_ended=True)
        found = self._known.contested(asked, _MOST)
        return conflicts.of(fact for fact in found if fact.valid_to is None or fact.valid_to > now)

    def history(self, id: str) -> Sequence[Event]:
        """Return the past of a fact, the oldest first: what said so, ended or superseded it. Raises NotFoundError.

        An event that a memory brought about (stated, ended, superseded, contradicted, withdrawn) names it as `memory`;
        what persons did (asserted, ended, preferred, forgot) has the actor and the reason.
        """
        done = self.store.journal.history(id) if isinstance(id, str) else []
        fact = self._known.last(id, self.who) if isinstance(id, str) else None
        if fact is None and done and self.store.memories.is_buried(id):
            return done
        if fact is None:
            raise self._unknown(id)
        after = self.store.facts.last(fact.superseded_by, self.who) if fact.superseded_by else None
        return story.of(fact, self.store.facts.statements([fact.slot])[fact.slot], after, done)

    def erase(self, id: str, reason: str | None = None) -> Erasure:
        """Erase what persons stated of a fact, overwritten on the disk; no load brings it back.

        `end` keeps it in history instead. Raises NotFoundError, and ConflictError for a fact that a memory states: it
        goes with `forget` of that memory.
        """
        why = drafts.name(reason, "reason")
        with self.store.transaction():
            now, fact = self.clock(), self._found(id)
            if fact.sources:
                told = ", ".join(dict.fromkeys(source.memory for source in fact.sources))
                raise ConflictError(f"fact {id} rests on memories", hint=f"forget them first: {told}")
            versions = len([each for each in self.store.facts.versions([fact.slot]) if each.id == id])
            words = facts.erase_stated(self.store, fact, now)
            self.store.journal.append([Event(now, "forgot", id, fact.version, self.who.author_id, why)])
            self.store.meta.set(PENDING_ERASURE, "1")
        held = self.store.finish_erasure(_PATIENCE_S, words) + self._copies(fact)
        return Erasure(id, "pending" if held else "erased", versions, held)

    def _copies(self, fact: Fact) -> tuple[str, ...]:
        """Name the copies elsewhere that hold what was stated of a fact."""
        from mnemopi.maintenance import backup  # noqa: PLC0415
        from mnemopi.storage.peek import has_stated  # noqa: PLC0415

        held = partial(has_stated, bank=self.store.bank, slot=fact.slot, object=fact.object)
        return backup.holding(self.backup_dir, self.store, held)

    def reconcile(self) -> dict[str, int]:
        """Derive every slot anew, so that one fact told by many sources is one. Idempotent. Returns counts."""
        slots_seen, after, before = 0, "", self._known.counts(self.clock())
        while batch := self.store.facts.slots(after, _BATCH):
            with self.store.transaction():
                facts.refresh(self.store, batch, self.clock())
            slots_seen += len(batch)
            after = batch[-1]
        held, ended, contested = self.store.facts.counts(self.clock())
        changed = abs(sum(before[:2]) - held - ended)
        return {"slots": slots_seen, "facts": held + ended, "merged": changed, "contested": contested}

    # -- within

    @property
    def _known(self) -> Facts:
        """The facts, once the claims that waited were read."""
        unclaimed.catch_up(self.store, self.gate.zone, self.clock())
        return self.store.facts

    def _stated(self, statement: Statement, now: int, verb: str, reason: str | None) -> Fact:
        why = drafts.name(reason, "reason")
        unclaimed.catch_up(self.store, self.gate.zone, self.clock())
        with self.store.transaction():
            moment = facts.state(self.store, [statement], now)
            made = self._result(statement)
            self.store.journal.append([Event(moment, verb, made.id, made.version, self.who.author_id, why)])
        return made

    def _result(self, statement: Statement) -> Fact:
        """The fact that a statement supports: of its object, the stretch in which its moment lies."""
        wanted = names.object_key(statement.object)
        same = [
            fact
            for fact in self.store.facts.live([slots.slot_of(statement)])
            if names.object_key(fact.object) == wanted and fact.valid_from <= statement.valid_from
        ]
        return max(same, key=lambda fact: fact.valid_from)

    def _follow(self, fact: Fact, verb: Verb, moment: int, now: int, logged: str, reason: str | None) -> Fact:
        """Add a statement about a fact, under the same scope, session and channel, so that it falls in its slot."""
        statement = replace(
            self._statement(verb, fact.subject, fact.predicate, fact.object, now, moment, kind=fact.kind),
            scope=fact.scope,
            session_id=fact.session_id,
            channel_id=fact.channel_id,
            confidence=0.98,
        )
        return self._stated(statement, now, logged, reason)

    def _statement(
        self, verb: Verb, subject: str, predicate: str, object: str, now: int, moment: int, **more: Any
    ) -> Statement:
        return Statement(
            verb=verb,
            subject=subject,
            predicate=predicate,
            object=object,
            at=now,
            valid_from=moment,
            session_id=self.who.session_id,
            channel_id=self.who.channel,
            author_id=self.who.author_id,
            origin="person",
            **more,
        )

    def _found(self, id: str) -> Fact:
        fact = self.get(id)
        if fact is None:
            raise self._unknown(id)
        return fact

    def _unknown(self, id: object) -> NotFoundError:
        return NotFoundError(f"there is no fact {str(id)[:100]!r} in bank {self.store.name!r}", hint="list shows ids")

    def _asked(
        self,
        subject: str | None,
        predicate: str | None,
        kind: str | None,
        as_of: When | None,
        known_at: When | None,
        *,
        include_ended: bool,
    ) -> dict[str, Value]:
        now = self.clock()
        holds_at = last_moment(as_of) if as_of is not None else None if include_ended else now
        return (
            ANY
            | filters.identity(self.who)
            | {
                "holds_at": holds_at,
                "known_at": None if known_at is None else last_moment(known_at),
                "subject_key": None if subject is None else names.key(self._part(subject, "subject")),
                "predicate": None if predicate is None else names.predicate_key(self._part(predicate, "predicate")),
                "kind": None if kind is None else _kind(kind),
            }
        )

    def _part(self, value: object, what: str) -> str:
        """Check and clean a part of a fact."""
        told = redact.redact(drafts.text(value, what, LONGEST), self.gate.redact).text.strip()
        if not told.strip(_EMPTY):
            raise UsageError(f"{what} says nothing", hint="give it a word")
        return told

    def _scope(self, value: object) -> str:
        scope = drafts.name(value, "scope", optional=False) or "bank"
        known = ("bank", "session", "channel", "global", *self.who.scopes)
        if scope not in known:
            raise UsageError(f"scope {scope!r} is none that you belong to", hint=f"one of {', '.join(known)}")
        return scope


def _kind(value: object) -> Any:
    if not isinstance(value, str) or value not in KINDS:
        raise UsageError(f"unknown kind {value!r:.60}", hint=f"one of {', '.join(KINDS)}")
    return value


def _confidence(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise UsageError(f"confidence is a number above 0, up to 1, not {value!r:.60}")
    return float(value)
