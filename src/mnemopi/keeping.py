"""What a bank is besides its memories: whose store it is, who looks at it, its doors, and how it is kept well.

`bank` builds on this what one does with memories: write, change, read. Most that is named here is imported where it is
used, since no recall needs it and every start would wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mnemopi.config import Config
from mnemopi.errors import UsageError
from mnemopi.ingest import draft as drafts
from mnemopi.ingest import prepare as preparing
from mnemopi.model.memory import Identity, Loaded, Memory, Receipt, Settled
from mnemopi.model.values import dataclass
from mnemopi.ports import LLM, Clock, Embedder, Reranker
from mnemopi.retrieval.retrievers import Retrievers
from mnemopi.storage.store import Store

if TYPE_CHECKING:
    from mnemopi.consolidation.means import Means
    from mnemopi.doors.facts import FactDoor
    from mnemopi.doors.graph import GraphDoor
    from mnemopi.doors.scratchpad import Scratchpad
    from mnemopi.ingest.extract import Read
    from mnemopi.ingest.settle import Task
    from mnemopi.maintenance.backup import Backup, Restored
    from mnemopi.maintenance.compact import Compacted
    from mnemopi.model.sleep import Health, Slept
    from mnemopi.transfer.cargo import Taken


@dataclass(frozen=True, slots=True)
class Works:
    """What the engine lends to its banks."""

    config: Config
    clock: Clock
    embedder: Embedder | None
    retrievers: Retrievers
    holder: Callable[[], str]
    turn: Callable[[], AbstractContextManager[object]]
    global_only: bool
    written: Callable[[], None]
    handed_out: Callable[[Sequence[str], int], None]
    llm: LLM | None = None
    ask: Callable[[str], str] | None = None
    reranker: Reranker | None = None


class Keeping:
    """One bank, seen by one identity, as it is kept."""

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
    def gate(self) -> preparing.Gate:
        """How what comes in is checked, cleaned and read."""
        return self._gate

    @property
    def name(self) -> str:
        """What people call the bank."""
        return self._store.name

    @property
    def path(self) -> Path:
        """The bank's file."""
        return self._store.path

    @property
    def is_new(self) -> bool:
        """Whether this opening made it."""
        return self._store.is_new

    @property
    def is_absent(self) -> bool:
        """Whether there is no such bank: it is empty, and takes no writes."""
        return self._store.is_absent

    @property
    def identity(self) -> Identity:
        """Who acts."""
        return self._who

    @property
    def facts(self) -> FactDoor:
        """What is known: state, ask, end, prefer, erase."""
        from mnemopi.doors.facts import FactDoor  # noqa: PLC0415

        return FactDoor(self._store, self._who, self._works.clock, self._gate, self._works.config.backup_dir)

    @property
    def graph(self) -> GraphDoor:
        """What ties memories together: annotate, link, walk."""
        from mnemopi.doors.graph import GraphDoor  # noqa: PLC0415

        return GraphDoor(self._store, self._who, self._works.clock, self._gate)

    @property
    def scratchpad(self) -> Scratchpad:
        """The working paper of the caller's session."""
        from mnemopi.doors.scratchpad import Scratchpad  # noqa: PLC0415

        most = self._works.config.storage.scratchpad_notes
        return Scratchpad(self._store, self._who, self._works.clock, self._gate, most)

    @property
    def llm(self) -> LLM | None:
        """Who answers prompts, within what the bank may spend in an hour; None where nobody does."""
        return self._works.llm

    # -- upkeep

    def stats(self) -> dict[str, Any]:
        """Return counts, modes and coverage. See `Mnemopi.stats`."""
        from mnemopi.maintenance import stats  # noqa: PLC0415

        told = stats.stats(self._store, self._works.embedder, self._works.clock())
        spent = stats.spending(self._store, self._works.llm, self._works.config.llm, self._works.clock())
        return told | spent | {"sleep": self.health().as_dict()}

    def settle(self, limit: int | None = None, stop: Callable[[], bool] | None = None, *, read: bool = True) -> Settled:
        """Work off what is pending now; without `read`, what waits for a language model waits on.

        See `Mnemopi.settle`.
        """
        from mnemopi.ingest import settle  # noqa: PLC0415

        self._store.check_there()
        works = self._works
        with works.turn():
            done = settle.settle(
                self._store,
                works.embedder,
                works.holder(),
                works.clock,
                limit=limit,
                stop=stop,
                tasks=self._tasks(),
            )
        if not read or works.llm is None:
            return done
        said = self.read(None if limit is None else limit - done.embedded - done.reindexed, stop)
        why = done.error or said.error
        return replace(
            done, extracted=said.memories, unread=self.unread(), error=why, failed=done.failed or bool(said.error)
        )

    def read(self, limit: int | None = None, stop: Callable[[], bool] | None = None) -> Read:
        """Have the language model read up to `limit` memories that wait for it; none where there is no model."""
        from mnemopi.ingest import extract  # noqa: PLC0415

        works, config = self._works, self._works.config
        if works.llm is None:
            return extract.Read()
        asked = extract.Reader(
            works.llm, config.llm.max_tokens, config.llm.timeout, config.knowledge.extraction_prompt, self._gate.zone
        )
        return extract.work_off(self._store, asked, works.holder(), works.clock, limit=limit, stop=stop)

    def is_read_due(self) -> bool:
        """Whether the language model has something to read now."""
        from mnemopi.ingest import extract  # noqa: PLC0415

        return self._works.llm is not None and extract.is_due(self._store, self._works.clock())

    def unread(self) -> int:
        """Return how many memories wait for a language model."""
        return self._store.readings.counts(self._works.clock())[0]

    def catch_up(self, limit: int) -> Settled:
        """Work off what is pending and wants no vectors: what memories mention, and what they are near."""
        from mnemopi.ingest import settle  # noqa: PLC0415

        works = self._works
        with works.turn():
            return settle.settle(self._store, None, works.holder(), works.clock, limit=limit, tasks=self._tasks())

    def waits(self) -> bool:
        """Whether anything but vectors is pending."""
        from mnemopi.ingest import annotate, link  # noqa: PLC0415

        if self._store.unclaimed.count(1):
            return True
        linking = self._works.config.knowledge.link
        return annotate.waiting(self._store) > 0 or (linking and link.waiting(self._store) > 0)

    def pending(self) -> int:
        """Return how many memories wait for a vector."""
        from mnemopi.ingest import settle  # noqa: PLC0415

        return settle.pending(self._store, self._works.embedder)[0]

    def sleep(self, dry_run: bool = False) -> Slept:
        """Sum up what waits in the caller's session. See `Mnemopi.sleep`."""
        return self._slept(self._who.session_id, dry_run=drafts.flag(dry_run, "dry_run"))

    def sleep_all_sessions(self, dry_run: bool = False) -> Slept:
        """Sum up what waits in every session. See `Mnemopi.sleep_all_sessions`."""
        return self._slept(None, dry_run=drafts.flag(dry_run, "dry_run"))

    def sleep_if_enough(self, stop: Callable[[], bool]) -> Slept | None:
        """Sum up a batch where at least MNEMOPI_SLEEP_AUTO more memories wait than the last sleep left; else None."""
        from mnemopi.consolidation import sleep as sleeping  # noqa: PLC0415

        if not self._store.writable or not sleeping.is_due(self._means()):
            return None
        return self._slept(None, limit=self._works.config.sleep.batch, stop=stop)

    def sleep_some(self, stop: Callable[[], bool]) -> Slept:
        """Sum up a batch of what waits in all sessions, until `stop()`."""
        return self._slept(None, limit=self._works.config.sleep.batch, stop=stop)

    def consolidate(self, ids: Iterable[str], summary: str | None = None) -> Receipt:
        """Make an episode of given memories by hand. See `Mnemopi.consolidate`."""
        from mnemopi.consolidation import byhand  # noqa: PLC0415

        receipt = byhand.consolidate(self._means(), self._who, ids, summary)
        self._works.written()
        return receipt

    def restore_detail(self, id: str) -> Receipt:
        """Tell an episode that was shortened in full again. See `Mnemopi.restore_detail`."""
        from mnemopi.consolidation import degrade  # noqa: PLC0415

        receipt = degrade.restore(self._means(), self._who, id)
        self._works.written()
        return receipt

    def health(self, stale_hours: float = 24.0) -> Health:
        """Say whether sleep runs. See `Mnemopi.health`."""
        from mnemopi.consolidation import health as examining  # noqa: PLC0415

        return examining.health(self._store, self._works.config.sleep, self._works.clock(), stale_hours)

    def let_go(self) -> None:
        """Give back the leases on work that was cut short, so that others may go on with it at once."""
        if self._store.writable:
            self._store.meta.release_all(self._works.holder())

    def count_recalls(self, counts: Mapping[str, tuple[int, int]]) -> None:
        """Add to the recall counts (id to number and last moment, UTC ms)."""
        if self._store.writable:
            self._store.memories.count_recalls(counts)

    def export(self, target: str | Path) -> dict[str, int]:
        """Write the whole bank as JSON lines. See `Mnemopi.export`."""
        from mnemopi.transfer import export  # noqa: PLC0415

        self._read_claims()
        return export.to_file(self._store, _path(target, "a target"))

    def export_mnemopi(self, target: str | Path) -> dict[str, int]:
        """Write what the TypeScript engine imports. See `Mnemopi.export_mnemopi`."""
        from mnemopi.transfer import mnemopi_json  # noqa: PLC0415

        self._read_claims()
        return mnemopi_json.to_file(self._store, _path(target, "a target"), self._works.clock())

    def take_over(
        self, system: str, source: str | Path | None = None, *, keep_scope: bool = False, dry_run: bool = False
    ) -> Taken:
        """Take in what another system remembers. See `Mnemopi.take_over`."""
        from mnemopi.transfer import systems  # noqa: PLC0415

        taken = systems.take_over(
            self._store,
            system,
            None if source is None else _path(source, "a source"),
            self._works.clock(),
            self._gate,
            keep_scope=drafts.flag(keep_scope, "keep_scope"),
            dry_run=drafts.flag(dry_run, "dry_run"),
            actor=self._who.author_id,
        )
        self._works.written()
        return taken

    def load(self, source: str | Path | Iterable[str], *, force: bool = False, skip_bad: bool = False) -> Loaded:
        """Take in what `export` wrote. See `Mnemopi.load`."""
        from mnemopi.transfer import load  # noqa: PLC0415

        lines = _path(source, "an export") if isinstance(source, str | PathLike) else _lines(source)
        report = load.load(self._store, lines, self._works.clock(), self._gate, force=force, skip_bad=skip_bad)
        self._works.written()
        return report

    def backup(self, folder: str | Path | None = None) -> Backup:
        """Make a verified online copy. See `Mnemopi.backup`."""
        from mnemopi.maintenance import backup as backups  # noqa: PLC0415

        self._store.check_there()
        config = self._works.config
        target = _path(folder, "a folder") if folder not in (None, "") else config.backup_dir
        return backups.make(self._store, target, self._works.clock(), config.storage.backup_keep)

    def restore(self, source: str | Path) -> Restored:
        """Put a backup in this bank's place. The bank is closed then; open it again."""
        from mnemopi.maintenance import backup as backups  # noqa: PLC0415

        return backups.restore(self._store, _path(source, "a backup"), self._works.clock())

    def compact(self) -> Compacted:
        """Make this bank's file small again. The bank is closed then; open it again."""
        from mnemopi.maintenance import compact as compacting  # noqa: PLC0415

        self._store.check_there()
        config, embedder = self._works.config, self._works.embedder
        model = None if embedder is None else embedder.name
        return compacting.compact(self._store, model, config.journal.keep_days, self._works.clock())

    def known_as(self, external_id: str) -> list[Memory]:
        """Return the memories that hosts know by an id, in any session, as far as the caller may see them."""
        found = self._store.memories.external_between(external_id, f"{external_id}\x00")
        return [each for each in found if self._store.memories.current(each.id, self._who) is not None]

    def has_global(self) -> bool:
        """Whether there are memories here that other banks may see."""
        return self._store.memories.has_global()

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def _tasks(self) -> dict[str, Task]:
        from mnemopi.ingest import annotate, link, unclaimed  # noqa: PLC0415

        claims: Task = partial(unclaimed.work, zone=self._gate.zone)
        tasks: dict[str, Task] = {"claimed": claims, "annotated": annotate.work}
        return {**tasks, "linked": link.work} if self._works.config.knowledge.link else tasks

    def _read_claims(self) -> None:
        """Before it is asked what is known: read the claims that wait."""
        from mnemopi.ingest import unclaimed  # noqa: PLC0415

        unclaimed.catch_up(self._store, self._gate.zone, self._works.clock())

    def _glance_at_claims(self) -> None:
        """Before a recall that looks for facts: read some of the claims that wait, where nothing is in the way."""
        if self._store.writable and self._store.unclaimed.count(1):
            from mnemopi.ingest import unclaimed  # noqa: PLC0415 -- rules, which no recall needs

            unclaimed.glance(self._store, self._gate.zone, self._works.clock())

    def _means(self) -> Means:
        from mnemopi.consolidation.means import Means  # noqa: PLC0415

        works = self._works
        return Means(self._store, works.config.sleep, self._gate, self._who.author_id, works.clock, works.ask)

    def _slept(self, session: str | None, **options: Any) -> Slept:
        from mnemopi.consolidation import sleep as sleeping  # noqa: PLC0415

        if not options.get("dry_run"):
            self._store.check_there()
        report = sleeping.sleep(self._means(), session, **options)
        if report.episodes:
            self._works.written()
        return report


def _path(value: object, what: str) -> Path:
    if not isinstance(value, str | PathLike):
        raise UsageError(f"{what} is a path, not {value!r:.60}")
    return Path(value)


def _lines(source: object) -> Iterator[str]:
    """Yield the lines of an export, each of which is a string."""
    if isinstance(source, bytes | bytearray) or not isinstance(source, Iterable):
        raise UsageError(f"an export is a path, or its lines, not {source!r:.60}")
    return map(_line, source)


def _line(value: object) -> str:
    if not isinstance(value, str):
        raise UsageError(f"a line of an export is a string, not {value!r:.60}")
    return value
