"""The door to one bank: each method is one call down.

A Bank is a store seen by somebody: `acting_as` gives a cheap view for another identity, and the identity travels with
every request. What runs in the background is handed in by the engine as callables; a Bank schedules nothing itself.
What only writers need is imported where it is used, as in `keeping`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from mnemopi import errors
from mnemopi.errors import NotFoundError, UsageError
from mnemopi.ingest import draft as drafts
from mnemopi.ingest import prepare as preparing
from mnemopi.ingest.draft import Draft, When
from mnemopi.keeping import Keeping
from mnemopi.model import numbers
from mnemopi.model.hit import Hit, Hits
from mnemopi.model.memory import Erasure, Event, Identity, Memory, Occurrence, Receipt
from mnemopi.retrieval import foremost, render
from mnemopi.retrieval import recall as recalling
from mnemopi.retrieval.profiles import Options
from mnemopi.retrieval.rerank import Judge
from mnemopi.storage import filters as storing

if TYPE_CHECKING:
    from mnemopi.doors.surface import Surface
    from mnemopi.model.doubt import Contaminated

BATCH: Final = 500
_NAMES: Final = ("session_id", "author_id", "author_type", "channel_id", "source", "scope", "tier", "kind")
_NARROWING: Final = frozenset({*_NAMES, "memory_type", "veracity", "from_date", "to_date", "as_of", "include_invalid"})
"""Options of `recall` that are filters."""


class Bank(Keeping):
    """One bank, seen by one identity."""

    @property
    def surface(self) -> Surface:
        """This bank as a shared surface. See `Mnemopi.surface`."""
        from mnemopi.doors.surface import Surface  # noqa: PLC0415

        return Surface(self, self._store, self._who, self._works.clock)

    def acting_as(self, identity: Identity | None = None, **changes: Any) -> Bank:
        """Return a view of the same bank for another identity, given whole or as changes to this one."""
        try:
            return Bank(self._store, replace(identity or self._who, **changes), self._works)
        except TypeError as error:
            raise UsageError(f"an identity has no {', '.join(changes)}") from error

    # -- writing

    def remember(self, content: str, **options: Any) -> Receipt:
        """Store one memory and return its receipt, which behaves as the id. See `Mnemopi.remember`."""
        return self._write([self._ready(_draft({"content": content, **options}))])[0]

    def remember_many(
        self,
        items: Iterable[Mapping[str, Any]],
        batch_size: int = BATCH,
        on_batch: Callable[[Sequence[Receipt]], None] | None = None,
    ) -> list[Receipt]:
        """Store many, one transaction a batch; receipts in order. See `Mnemopi.remember_many`."""
        from mnemopi.ingest import bulk  # noqa: PLC0415

        size = numbers.whole(batch_size, "batch_size")

        def acknowledge(receipts: Sequence[Receipt]) -> None:
            self._works.written()
            if on_batch is not None:
                on_batch(receipts)

        gate = replace(self._gate, at_once=False)
        line = bulk.Line(self._store, self._works.clock, acknowledge, gate.zone)
        return bulk.remember_many(line, items, lambda item: self._ready(_draft(item), gate), size)

    def update(
        self,
        id: str,
        content: str | None = None,
        importance: float | None = None,
        *,
        pinned: bool | None = None,
        expected_version: int | None = None,
    ) -> Receipt:
        """Replace text, importance or pin by a new version. See `Mnemopi.update`."""
        from mnemopi.ingest import edits  # noqa: PLC0415

        self._read_first(id)
        receipt = edits.update(
            self._store,
            id,
            self._who,
            self._gate,
            self._works.clock(),
            content=content,
            importance=importance,
            pinned=pinned,
            expected_version=expected_version,
        )
        self._works.written()
        return receipt

    def invalidate(
        self,
        id: str,
        replacement: str | None = None,
        *,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Receipt:
        """Hide a memory from recall, and name what replaces it. See `Mnemopi.invalidate`."""
        from mnemopi.ingest import edits  # noqa: PLC0415

        checked = drafts.name(reason, "reason")
        self._read_first(id)
        return edits.invalidate(
            self._store,
            id,
            self._who,
            self._works.clock(),
            replacement=replacement,
            reason=checked,
            expected_version=expected_version,
        )

    def forget(self, id: str, *, expected_version: int | None = None) -> Erasure:
        """Erase a memory and all that hangs on it. See `Mnemopi.forget`."""
        return self._erase(id, self._who, expected=expected_version)

    def pin(self, id: str) -> Receipt:
        """Make a memory part of `context` always. See `Mnemopi.pin`."""
        return self.update(id, pinned=True)

    def unpin(self, id: str) -> Receipt:
        """Make a memory part of `context` only where it is asked for. See `Mnemopi.unpin`."""
        return self.update(id, pinned=False)

    def validate(
        self, id: str, action: str, *, validator: str, reason: str | None = None, content: str | None = None
    ) -> Receipt | Erasure:
        """Vouch for, correct, hide or erase a memory in somebody's name. See `Mnemopi.validate`."""
        from mnemopi.ingest import validate as validating  # noqa: PLC0415

        verdict = validating.Verdict.of(action, validator, reason, content)
        self._read_first(id)
        done = validating.validate(self._store, id, verdict, self._who, self._gate, self._works.clock(), self._erase)
        self._works.written()
        return done

    def undo(self, id: str, *, reason: str | None = None) -> Receipt:
        """Take back the last change of a memory. See `Mnemopi.undo`."""
        from mnemopi.ingest import undo as undoing  # noqa: PLC0415

        self._read_first(id)
        receipt = undoing.undo(self._store, id, self._who, self._works.clock(), drafts.name(reason, "reason"))
        self._works.written()
        return receipt

    def _read_first(self, id: object) -> None:
        """Before a memory is changed: read its claims, should they wait."""
        from mnemopi.ingest import unclaimed  # noqa: PLC0415

        if isinstance(id, str) and self._store.writable:
            unclaimed.first(self._store, id, self._gate.zone, self._works.clock())

    def _erase(self, id: str, who: Identity, reason: str | None = None, *, expected: int | None = None) -> Erasure:
        """Forget, and name the copies elsewhere that hold the bytes still."""
        from mnemopi.ingest import edits  # noqa: PLC0415
        from mnemopi.maintenance import backup as backups  # noqa: PLC0415
        from mnemopi.storage.peek import has_memory  # noqa: PLC0415

        erasure = edits.forget(self._store, id, who, self._works.clock(), reason, expected)
        held = partial(has_memory, bank=self._store.bank, id=erasure.id)
        if copies := backups.holding(self._works.config.backup_dir, self._store, held):
            return replace(erasure, status="pending", held_by=(*erasure.held_by, *copies))
        return erasure

    # -- reading

    def recall(self, query: str, top_k: int = 5, *, beside: Sequence[Bank] = (), **options: Any) -> Hits:
        """Find memories, also in the banks beside this one. See `Mnemopi.recall`."""
        own = self._recalled(query, top_k, options)
        others = [bank._recalled(query, top_k, options) for bank in beside]
        return recalling.merged(own, others, top_k) if any(others) else own

    def _recalled(self, query: str, top_k: int, options: Mapping[str, Any]) -> Hits:
        asked = self._asked(options, top_k)
        if "fact" in asked.retrievers:
            self._glance_at_claims()
        works, judge = self._works, self._judge(asked.rerank)
        hits = recalling.recall(self._store, query, asked, works.retrievers, works.clock(), self._gate.zone, judge)
        self._works.handed_out([hit.id for hit in hits if hit.fact is None], self._works.clock())
        self._journal_recall(hits)
        return hits

    def _judge(self, asked: bool | None) -> Judge | None:
        """Return who is to judge the best candidates, None for nobody. Raises UsageError where there is nobody."""
        config, reranker = self._works.config.rerank, self._works.reranker
        if not (config.enabled if asked is None else asked):
            return None
        if reranker is None and asked:
            hint = "MNEMOPI_RERANK_PROVIDER names one (local or api), Mnemopi(reranker=...) takes a function"
            raise UsageError("rerank was asked for, and there is no reranker", hint=hint)
        return None if reranker is None else Judge(reranker, config.depth)

    def context(
        self, query: str | None = None, budget: int = 4000, *, beside: Sequence[Bank] = (), **options: Any
    ) -> str:
        """Return a block of text for a prompt, also from the banks beside this one. See `Mnemopi.context`."""
        budget = numbers.whole(budget, "budget, in characters,")
        if query is not None and not isinstance(query, str):
            raise UsageError(f"a query is a string, not {query!r:.60}")
        top_k = options.pop("top_k", 20)
        asked = [(bank._store, bank._asked(options, top_k, whole=True)) for bank in (self, *beside)]
        if query is None or not query.strip():
            first = foremost.foremost(asked, self._works.clock(), top_k)
            return render.context([(memory, memory.content, notes) for memory, notes in first], budget)
        pinned = foremost.pinned(asked, self._works.clock())
        usual = {"min_score": self._works.config.recall.context_belief, "content_preview_chars": render.LINE}
        hits: Sequence[Hit] = self.recall(query, top_k, beside=beside, **usual | options)
        lines: list[render.Shown] = [(memory, memory.content, notes) for memory, notes in pinned]
        return render.context([*lines, *((hit.memory, hit.content, hit.explanation.notes) for hit in hits)], budget)

    def _asked(self, options: Mapping[str, Any], top_k: int, *, whole: bool = False) -> Options:
        asked = Options.of(options, top_k, self._who, self._works.config.recall, whole=whole)
        if self._works.global_only:
            asked = replace(asked, filter=replace(asked.filter, global_only=True))
        return asked

    def get(self, id: str, *, version: int | None = None, as_of: When | None = None) -> Memory | None:
        """Return a memory whole: the version in force, a numbered one, or the one of a moment; None where not seen."""
        if not isinstance(id, str):
            raise UsageError(f"an id is a string, not {id!r:.60}")
        if version is None and as_of is None:
            return self._store.memories.current(id, self._who)
        if version is not None and as_of is not None:
            raise UsageError("a version has its number, or is that of a moment", hint="give version or as_of")
        number = None if version is None else numbers.whole(version, "version")
        moment = None if as_of is None else recalling.last_moment(as_of)
        return self._store.memories.version(id, self._who, number=number, as_of=moment)

    def missing(self, id: str, *, version: int | None = None, as_of: When | None = None) -> NotFoundError:
        """Make the error of what `get` does not return: there is no such memory to see, or it has no such version."""
        if self.get(id) is None or (version is None and as_of is None):
            return errors.no_memory(id, self.name)
        versions = [each.version for each in self._store.memories.versions(id)]
        which = f"no version {version}" if version is not None else "no version of that time"
        return NotFoundError(f"memory {id} has {which}", hint=f"it has {versions[0]} to {versions[-1]}")

    def page(self, after: int = 0, limit: int = 100, **filters: Any) -> list[Memory]:
        """Return memories in the order of their recording, after the one with that `rowkey`. See `Mnemopi.page`."""
        if unknown := sorted(set(filters) - _NARROWING):
            known = ", ".join(sorted(_NARROWING))
            raise UsageError(f"unknown filter {', '.join(map(repr, unknown))}", hint=f"known: {known}")
        after, limit = numbers.whole(after, "after", 0), numbers.whole(limit, "limit")
        asked = Options.of(filters, 0, self._who, self._works.config.recall).filter
        return self._store.memories.page(storing.parameters(self._store.bank, asked, self._works.clock()), after, limit)

    def history(self, id: str) -> list[Event]:
        """Return what happened to a memory or fact, the oldest first. NotFoundError for one that is not to be seen."""
        if isinstance(id, str) and self._store.facts.last(id, self._who):
            return [*self.facts.history(id)]
        if not (self.get(id) or self._store.memories.is_buried(id)):
            raise errors.no_memory(id, self.name)
        return self._store.journal.history(id)

    def events(self, after: str | None = None, limit: int = 1000) -> list[Event]:
        """Return the journal in order, after the event with that cursor. See `Mnemopi.events`."""
        return self._store.journal.stream(after, numbers.whole(limit, "limit"), self._who)

    def last_event(self) -> str | None:
        """Return the cursor after which only what happens from now on comes; None in a bank without a past."""
        return self._store.journal.last()

    def contaminated(self, limit: int = 50, min_importance: float = 0.0) -> list[Contaminated]:
        """Return what rests on weak sources. See `Mnemopi.contaminated`."""
        from mnemopi.ingest import validate as validating  # noqa: PLC0415

        self._read_claims()
        return validating.contaminated(self._store, self._who, self._works.clock(), limit, min_importance)

    def occurrences(self, id: str) -> list[Occurrence]:
        """Return the further times that a note was stated."""
        from mnemopi.ingest import edits  # noqa: PLC0415

        edits.found(self._store, id, self._who)
        return self._store.memories.occurrences(id)

    def _ready(self, draft: Draft, gate: preparing.Gate | None = None) -> preparing.Ready:
        ready = preparing.prepare(draft, self._who, self._works.clock(), gate or self._gate)
        known = (*drafts.SCOPES, *self._who.scopes)
        if ready.memory.scope not in known:
            raise UsageError(
                f"scope {ready.memory.scope!r} is none that you belong to",
                hint=f"one of {', '.join(known)}; `acting_as(scopes=...)` or MNEMOPI_SCOPES name custom ones",
            )
        return ready

    def _write(self, batch: Sequence[preparing.Ready]) -> list[Receipt]:
        from mnemopi.ingest import remember as remembering  # noqa: PLC0415

        receipts = remembering.remember(self._store, batch, self._works.clock(), zone=self._gate.zone)
        self._works.written()
        return receipts

    def _journal_recall(self, hits: Hits) -> None:
        """Where the setting asks for it: who was given which memory."""
        if hits and self._store.writable and self._works.config.journal.recalls and not self._works.global_only:
            now, actor = self._works.clock(), self._who.author_id
            with self._store.transaction():
                self._store.journal.append([Event(now, "recalled", hit.id, hit.version, actor) for hit in hits])


def _draft(item: Mapping[str, Any]) -> Draft:
    try:
        return drafts.of(item)
    except TypeError as error:
        raise UsageError(str(error)) from error
