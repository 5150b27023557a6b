"""The door to one bank: each method is one call down.

A Bank is a store seen by somebody: `acting_as` gives a cheap view for another identity, and the identity travels with
every request. What runs in the background is handed in by the engine as callables; a Bank schedules nothing itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from mnemopi.config import Config
from mnemopi.consolidation import byhand, degrade
from mnemopi.consolidation import health as examining
from mnemopi.consolidation import sleep as sleeping
from mnemopi.consolidation.means import Means
from mnemopi.doors.facts import FactDoor
from mnemopi.errors import NotFoundError, UsageError
from mnemopi.ingest import draft as drafts
from mnemopi.ingest import edits, settle
from mnemopi.ingest import prepare as preparing
from mnemopi.ingest import remember as remembering
from mnemopi.ingest.draft import Draft, When
from mnemopi.maintenance import backup as backups
from mnemopi.maintenance import stats
from mnemopi.model.hit import Hits
from mnemopi.model.memory import Erasure, Event, Identity, Loaded, Memory, Occurrence, Receipt, Settled
from mnemopi.model.sleep import Health, Slept
from mnemopi.ports import Clock, Embedder
from mnemopi.retrieval import recall as recalling
from mnemopi.retrieval import render
from mnemopi.retrieval.profiles import Options
from mnemopi.retrieval.retrievers import Retrievers
from mnemopi.storage.store import Store
from mnemopi.transfer import export, load

BATCH: Final = 500


@dataclass(frozen=True, slots=True)
class Works:
    """What the engine lends to its banks."""

    config: Config
    clock: Clock
    embedder: Embedder | None
    retrievers: Retrievers
    holder: Callable[[], str]
    global_only: bool
    written: Callable[[], None]
    handed_out: Callable[[Sequence[str], int], None]
    ask: Callable[[str], str] | None = None


class Bank:
    """One bank, seen by one identity."""

    def __init__(self, store: Store, who: Identity, works: Works) -> None:
        self._store, self._who, self._works = store, drafts.identity(who), works
        write = works.config.write
        self._gate = preparing.Gate(
            write.max_content_chars,
            write.redact,  # type: ignore[arg-type]
            works.config.zone,
            works.config.knowledge.extract,
        )

    @property
    def name(self) -> str:
        """What people call the bank."""
        return self._store.name

    @property
    def path(self) -> Path:
        """The bank's file."""
        return self._store.path

    @property
    def identity(self) -> Identity:
        """Who acts."""
        return self._who

    @property
    def facts(self) -> FactDoor:
        """What is known: state, ask, end, prefer."""
        return FactDoor(self._store, self._who, self._works.clock, self._gate)

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
        if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
            raise UsageError(f"batch_size is a whole number from 1, not {batch_size!r:.60}")
        receipts: list[Receipt] = []
        batch: list[preparing.Ready] = []
        for number, item in enumerate(items):
            try:
                batch.append(self._ready(_draft(item)))
            except UsageError as error:
                message = f"item {number}: {error.message}; {len(receipts)} are committed, none after them"
                raise UsageError(message, hint=error.hint) from error
            if len(batch) == batch_size:
                receipts += self._acknowledged(batch, on_batch)
                batch = []
        if batch:
            receipts += self._acknowledged(batch, on_batch)
        return receipts

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

    def invalidate(self, id: str, replacement: str | None = None, *, reason: str | None = None) -> Receipt:
        """Hide a memory from recall, and name what replaces it. See `Mnemopi.invalidate`."""
        checked = drafts.name(reason, "reason")
        return edits.invalidate(
            self._store, id, self._who, self._works.clock(), replacement=replacement, reason=checked
        )

    def forget(self, id: str) -> Erasure:
        """Erase a memory and all that hangs on it. See `Mnemopi.forget`."""
        memory, erasure = edits.forget(self._store, id, self._who, self._works.clock())
        first = min(self._first_recorded(memory), memory.recorded_at)
        if copies := backups.holding(self._works.config.backup_dir, self._store, first):
            return replace(erasure, status="pending", held_by=(*erasure.held_by, *copies))
        return erasure

    # -- reading

    def recall(self, query: str, top_k: int = 5, **options: Any) -> Hits:
        """Find memories. See `Mnemopi.recall`."""
        asked = Options.of(options, top_k, self._who, self._works.config.recall)
        if self._works.global_only:
            asked = replace(asked, filter=replace(asked.filter, global_only=True))
        hits = recalling.recall(self._store, query, asked, self._works.retrievers, self._works.clock(), self._gate.zone)
        self._works.handed_out([hit.id for hit in hits if hit.fact is None], self._works.clock())
        return hits

    def context(self, query: str | None = None, budget: int = 4000, **options: Any) -> str:
        """Return a block of text for a prompt. See `Mnemopi.context`."""
        if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
            raise UsageError(f"budget is a number of characters from 1, not {budget!r:.60}")
        if query is not None and not isinstance(query, str):
            raise UsageError(f"a query is a string, not {query!r:.60}")
        top_k = options.pop("top_k", 20)
        asked = Options.of(options, top_k, self._who, self._works.config.recall, whole=True)
        if query is None or not query.strip():
            foremost = recalling.foremost(self._store, asked, self._works.clock())
            return render.context([(memory, memory.content) for memory in foremost], budget)
        pinned = recalling.pinned(self._store, asked, self._works.clock())
        usual = {"min_score": self._works.config.recall.context_belief, "content_preview_chars": render.LINE}
        hits = self.recall(query, top_k, **usual | options)
        lines = [(memory, memory.content) for memory in pinned] + [(hit.memory, hit.content) for hit in hits]
        return render.context(lines, budget)

    def get(self, id: str, *, version: int | None = None, as_of: When | None = None) -> Memory | None:
        """Return a memory whole: the version in force, a numbered one, or the one of a moment; None where not seen."""
        if not isinstance(id, str):
            raise UsageError(f"an id is a string, not {id!r:.60}")
        if version is None and as_of is None:
            return self._store.memories.current(id, self._who)
        moment = None if as_of is None else recalling.last_moment(as_of)
        return self._store.memories.version(id, self._who, number=version, as_of=moment)

    def history(self, id: str) -> list[Event]:
        """Return what happened to a memory, the oldest first. Raises NotFoundError for one the caller may not see."""
        if self.get(id) is None and not self._store.memories.is_buried(id):
            raise NotFoundError(f"there is no memory {id[:100]!r} in bank {self.name!r}")
        return self._store.journal.history(id)

    def occurrences(self, id: str) -> list[Occurrence]:
        """Return the further times that a note was stated."""
        edits.found(self._store, id, self._who)
        return self._store.memories.occurrences(id)

    def stats(self) -> dict[str, Any]:
        """Return counts, modes and coverage. See `Mnemopi.stats`."""
        return stats.stats(self._store, self._works.embedder, self._works.clock())

    # -- upkeep

    def settle(self, limit: int | None = None, stop: Callable[[], bool] | None = None) -> Settled:
        """Work off what is pending now. See `Mnemopi.settle`."""
        return settle.settle(
            self._store, self._works.embedder, self._works.holder(), self._works.clock, limit=limit, stop=stop
        )

    def pending(self) -> int:
        """Return how many memories wait for a vector."""
        return settle.pending(self._store, self._works.embedder)[0]

    def sleep(self, dry_run: bool = False) -> Slept:
        """Sum up what waits in the caller's session. See `Mnemopi.sleep`."""
        return self._slept(self._who.session_id, dry_run=drafts.flag(dry_run, "dry_run"))

    def sleep_all_sessions(self, dry_run: bool = False) -> Slept:
        """Sum up what waits in every session. See `Mnemopi.sleep_all_sessions`."""
        return self._slept(None, dry_run=drafts.flag(dry_run, "dry_run"))

    def sleep_if_enough(self, stop: Callable[[], bool]) -> Slept | None:
        """Sum up a batch where at least MNEMOPI_SLEEP_AUTO more memories wait than the last sleep left; else None."""
        if not self._store.writable or not sleeping.is_due(self._means()):
            return None
        return self._slept(None, limit=self._works.config.sleep.batch, stop=stop)

    def consolidate(self, ids: Iterable[str], summary: str | None = None) -> Receipt:
        """Make an episode of given memories by hand. See `Mnemopi.consolidate`."""
        receipt = byhand.consolidate(self._means(), self._who, ids, summary)
        self._works.written()
        return receipt

    def restore_detail(self, id: str) -> Receipt:
        """Tell an episode that was shortened in full again. See `Mnemopi.restore_detail`."""
        receipt = degrade.restore(self._means(), self._who, id)
        self._works.written()
        return receipt

    def health(self, stale_hours: float = 24.0) -> Health:
        """Say whether sleep runs. See `Mnemopi.health`."""
        return examining.health(self._store, self._works.config.sleep, self._works.clock(), stale_hours)

    def count_recalls(self, counts: Mapping[str, tuple[int, int]]) -> None:
        """Add to the recall counts (id to number and last moment, UTC ms)."""
        if self._store.writable:
            self._store.memories.count_recalls(counts)

    def export(self, target: str | Path) -> dict[str, int]:
        """Write the whole bank as JSON lines. See `Mnemopi.export`."""
        return export.to_file(self._store, Path(target))

    def load(self, source: str | Path | Iterable[str], *, force: bool = False, skip_bad: bool = False) -> Loaded:
        """Take in what `export` wrote. See `Mnemopi.load`."""
        lines = Path(source) if isinstance(source, str | Path) else source
        report = load.load(self._store, lines, self._works.clock(), self._gate, force=force, skip_bad=skip_bad)
        self._works.written()
        return report

    def backup(self, folder: str | Path | None = None) -> backups.Backup:
        """Make a verified online copy. See `Mnemopi.backup`."""
        config = self._works.config
        return backups.make(
            self._store, Path(folder) if folder else config.backup_dir, self._works.clock(), config.storage.backup_keep
        )

    def restore(self, source: str | Path) -> backups.Restored:
        """Put a backup in this bank's place. The bank is closed then; open it again."""
        return backups.restore(self._store, Path(source), self._works.clock())

    def has_global(self) -> bool:
        """Whether there are memories here that other banks may see."""
        return self._store.memories.has_global()

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def _means(self) -> Means:
        works = self._works
        return Means(self._store, works.config.sleep, self._gate, self._who.author_id, works.clock, works.ask)

    def _slept(self, session: str | None, **options: Any) -> Slept:
        report = sleeping.sleep(self._means(), session, **options)
        if report.episodes:
            self._works.written()
        return report

    def _ready(self, draft: Draft) -> preparing.Ready:
        ready = preparing.prepare(draft, self._who, self._works.clock(), self._gate)
        known = (*drafts.SCOPES, *self._who.scopes)
        if ready.memory.scope not in known:
            raise UsageError(
                f"scope {ready.memory.scope!r} is none that you belong to",
                hint=f"one of {', '.join(known)}; `acting_as(scopes=...)` or MNEMOPI_SCOPES name custom ones",
            )
        return ready

    def _write(self, batch: Sequence[preparing.Ready]) -> list[Receipt]:
        receipts = remembering.remember(self._store, batch, self._works.clock())
        self._works.written()
        return receipts

    def _acknowledged(
        self, batch: Sequence[preparing.Ready], on_batch: Callable[[Sequence[Receipt]], None] | None
    ) -> list[Receipt]:
        receipts = self._write(batch)
        if on_batch is not None:
            on_batch(receipts)
        return receipts

    def _first_recorded(self, memory: Memory) -> int:
        events = self._store.journal.history(memory.id)
        return min((event.at for event in events), default=memory.recorded_at)


def _draft(item: Mapping[str, Any]) -> Draft:
    try:
        return drafts.of(item)
    except TypeError as error:
        raise UsageError(str(error)) from error
