"""The engine: it builds the ports from the settings, opens banks, and lends them one worker thread.

`Mnemopi` is a bank with everything around it. One instance may be used from many threads, and goes on in a fork's
child. Nothing heavy is imported here: embedders and vector indexes come with the first question that needs them.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from mnemopi.bank import BATCH, Bank
from mnemopi.config import Config
from mnemopi.doors.banks import BankList
from mnemopi.errors import UsageError
from mnemopi.ingest.draft import When
from mnemopi.keeping import Works
from mnemopi.model.hit import Hits
from mnemopi.model.memory import Event, Identity, Receipt
from mnemopi.ports import Clock, Embedder
from mnemopi.providers import llms, registry, rerankers
from mnemopi.retrieval.index import Indexes
from mnemopi.retrieval.retrievers import Retrievers
from mnemopi.schedule import Background
from mnemopi.settings import IdentityConfig
from mnemopi.storage import forks
from mnemopi.storage.banks import FILE, Banks
from mnemopi.storage.store import Store
from mnemopi.verbs import Verbs

if TYPE_CHECKING:
    from mnemopi.doors.surface import Surface
    from mnemopi.maintenance import backup as backups
    from mnemopi.maintenance.compact import Compacted

_DRAIN_S: Final = 2.0


def system_clock() -> int:
    """Return the time now: UTC milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


class Mnemopi(Verbs):
    """Long-term memory in one SQLite file.

    Args:
        db_path: the file of the default bank (other banks lie beside it), or `:memory:`; default: `mnemopi.db` in the
            data folder.
        bank: which bank this instance works on; made where it does not exist.
        create: False: a bank that does not exist is not made; it is empty here, and takes no writes.
        data_dir: the data folder; default: MNEMOPI_DATA_DIR, else the platform's.
        session_id, author_id, author_type, channel_id: who acts; provenance of what is stored, and permission.
        no_embeddings, embedding_model, embedding_api_url, embedding_api_key: shorthands for settings.
        embeddings: None (as configured), False (none), a mapping of settings, or a callable from texts to vectors.
        llm_base_url, llm_api_key, llm_model, llm_enabled: shorthands for settings; `llm_enabled=False` wins over all.
        llm: None (as configured: none, where nothing is), False (none), "host" (the one that `llms.register_host` was
            given), a command as a list, a mapping of settings, or a callable from a prompt to an answer.
        reranker: None (as configured: none, where nothing is), False (none), a mapping of settings, or a callable from
            a question and a list of texts to a number for each; asked by `recall(rerank=True)`, or by MNEMOPI_RERANK.
        config: a Config, or a mapping of `group.name` to values.
        clock: a callable that gives UTC milliseconds.

    Raises ConfigError, UsageError, StorageError kinds and MissingExtraError.
    """

    def __init__(
        self,
        db_path: str | Path | None = None,
        bank: str | None = None,
        *,
        create: bool = True,
        data_dir: str | Path | None = None,
        session_id: str | None = None,
        author_id: str | None = None,
        author_type: str | None = None,
        channel_id: str | None = None,
        no_embeddings: bool = False,
        embedding_model: str | None = None,
        embedding_api_url: str | None = None,
        embedding_api_key: str | Callable[[], str] | None = None,
        embeddings: bool | Mapping[str, Any] | Callable[..., Any] | Embedder | None = None,
        llm: llms.Given = None,
        llm_base_url: str | None = None,
        llm_api_key: str | Callable[[], str] | None = None,
        llm_model: str | None = None,
        llm_enabled: bool | None = None,
        reranker: rerankers.Given = None,
        config: Config | Mapping[str, Any] | None = None,
        clock: Clock | None = None,
    ) -> None:
        _check(db_path=db_path, data_dir=data_dir, clock=clock, embedding_api_key=embedding_api_key)
        wished = llms.wish(llm, base_url=llm_base_url, api_key=llm_api_key, model=llm_model, enabled=llm_enabled)
        given: dict[str, Any] = {
            "storage.data_dir": None if data_dir is None else str(data_dir),
            "identity.session_id": session_id,
            "identity.author_id": author_id,
            "identity.author_type": author_type,
            "identity.channel_id": channel_id,
            "embedding.enabled": False if no_embeddings else None,
            "embedding.model": embedding_model,
            "embedding.api_url": embedding_api_url,
            "embedding.api_key": embedding_api_key if isinstance(embedding_api_key, str) else None,
        }
        judging = rerankers.wish(reranker)
        given = {name: value for name, value in given.items() if value is not None}
        given |= {**wished.settings, **judging.settings}
        self.config = _configured(config, given)
        self.clock: Clock = clock or system_clock
        if callable(embedding_api_key):
            embeddings = {"api_key": embedding_api_key, **(embeddings if isinstance(embeddings, Mapping) else {})}
        data = self.config.data_dir
        self._banks = Banks(db_path if db_path is not None else data / FILE, self.config.storage)
        self.embedder = registry.open_embedder(self.config.embedding, given=embeddings, data_dir=str(data))
        self.llm = llms.open_llm(self.config.llm, wished)
        self.reranker = rerankers.open_reranker(
            self.config.rerank, judging, embedding=self.config.embedding, data_dir=str(data)
        )
        self._closed = False
        self._opening, self._beside = forks.Lock(), Indexes()
        self._shared: Bank | None = None
        self._owner: Mnemopi | None = None
        self._background = Background(
            self.embedder,
            self.config.write.settle,
            self.clock,
            settle=lambda stop: self.bank.settle(stop=stop, read=False),
            reopen=lambda model: registry.reopen(model, self.config.embedding, str(data)),
            write_counts=lambda counts: self.bank.count_recalls(counts),
            waits=lambda: self.bank.waits(),
            sleep=(lambda stop: self.bank.sleep_if_enough(stop)) if self.config.sleep.auto else None,
            read=(lambda stop: self.bank.read(stop=stop).error) if self.llm is not None else None,
            unread=lambda: self.bank.is_read_due(),
        )
        opened = self._banks.open if create else self._banks.look
        self.bank = self._bank_of(opened(self.config.identity.bank if bank is None else bank, self.clock()))
        forks.join(self._background)
        self._background.opened(self.bank.pending())

    # -- writing

    def remember(
        self,
        content: str,
        *,
        source: str = "conversation",
        importance: float = 0.5,
        veracity: str | bool = "unknown",
        scope: str = "bank",
        session_id: str | None = None,
        position: int | None = None,
        author_id: str | None = None,
        author_type: str | None = None,
        channel_id: str | None = None,
        external_id: str | None = None,
        timestamp: When | None = None,
        valid_until: When | None = None,
        metadata: Mapping[str, Any] | None = None,
        memory_type: str = "unknown",
        trust_tier: str | None = None,
        embed_text: str | None = None,
        extract: bool | None = None,
        extract_text: str | None = None,
        pinned: bool = False,
        **unknown: Any,
    ) -> Receipt:
        """Store one memory. The receipt is a string, the committed id, and says what was done and redacted.

        With `session_id`, `position` or `external_id` the memory is a turn of a conversation, which never merges;
        without, it is a note, which merges with an equal note of the same scope and author. `importance` is clamped to
        0..1. `timestamp` and `valid_until` take ISO 8601 (UTC where no zone is given), a datetime, a date or epoch
        milliseconds. Facts are read from `extract_text`, the part that users said ("": from nothing), by default from
        all that a user said; by rules at once, and with `extract=True` later by the language model too, where one is
        set (False: not at all; None: as MNEMOPI_EXTRACT says). Raises UsageError for an unknown option and for what
        cannot be stored; then nothing is written.
        """
        return self.bank.remember(
            content,
            source=source,
            importance=importance,
            veracity=veracity,
            scope=scope,
            session_id=session_id,
            position=position,
            author_id=author_id,
            author_type=author_type,
            channel_id=channel_id,
            external_id=external_id,
            timestamp=timestamp,
            valid_until=valid_until,
            metadata=metadata,
            memory_type=memory_type,
            trust_tier=trust_tier,
            embed_text=embed_text,
            extract=extract,
            extract_text=extract_text,
            pinned=pinned,
            **unknown,
        )

    def remember_many(
        self,
        items: Iterable[Mapping[str, Any]],
        batch_size: int = BATCH,
        on_batch: Callable[[Sequence[Receipt]], None] | None = None,
    ) -> list[Receipt]:
        """Store many memories: mappings with the keyword names of `remember` and `content`.

        Each batch is one transaction, and `on_batch` after its commit is the acknowledgement. A bad item raises
        UsageError before its batch is written, and says how many are committed. Receipts come in order. While a batch
        is committed the next is taken and prepared, and no more than that.
        """
        return self.bank.remember_many(items, batch_size, on_batch)

    # -- reading

    def recall(self, query: str, top_k: int = 5, **options: Any) -> Hits:
        """Find memories, best first; which retrievers ran is in `hits.retrievers`.

        Options: `session_id, author_id, author_type, channel_id, source, scope, tier, kind, veracity, memory_type`
        (filters that only narrow), `from_date, to_date` (said or happened within; a bare date is the whole day),
        `as_of` (what was known and valid then), `include_invalid`, `query_time` (what `now` means to the question),
        `temporal_weight, temporal_halflife` (h), `vec_weight, fts_weight, importance_weight`, `min_score` (0..1, a
        threshold of belief), `profile` ("default", "lexical", "recent", "facts", "polyphonic"), `use_mmr, mmr_lambda`,
        `quotas` (kind to most hits), `content_preview_chars` (0: whole texts), `retrievers` (names; fewer than the
        profile's), `rerank` (whether the reranker reads the best; None: as MNEMOPI_RERANK says; `hits.reranker` and
        `hits.notes` tell what came of it). A hit that is a fact (kind `fact`) has it as `hit.fact`.
        Raises UsageError for an unknown or unusable one. A blank query finds nothing.
        """
        with self.beside() as banks:
            return self.bank.recall(query, top_k, beside=banks, **options)

    def context(self, query: str | None = None, budget: int = 4000, **options: Any) -> str:
        """Return a block of text for a prompt, within `budget` characters: pinned memories, then what was recalled.

        Without a query: the most important and latest. Recalled text is fenced as data with its origin. With nothing
        to say, the block is empty. Options as for `recall`; `min_score` defaults to MNEMOPI_CONTEXT_BELIEF.
        """
        with self.beside() as banks:
            return self.bank.context(query, budget, beside=banks, **options)

    def stats(self) -> dict[str, Any]:
        """Return counts, modes and coverage, with the reference's keys (`total_memories` ...) and more."""
        return self.bank.stats() | {"banks": self.banks.list(), "background_error": self._background.error}

    # -- upkeep

    def restore(self, source: str | Path) -> backups.Restored:
        """Put a backup in the bank's place; what it replaces is kept beside it. Refused while others have it open."""
        with self._reopening():
            return self.bank.restore(source)

    def compact(self) -> Compacted:
        """Make the bank's file small again: unused room, vectors of former models, events older than the journal keeps.

        It works on a copy that takes the file's place when it has passed its check. Refused while others have it open.
        """
        with self._reopening():
            return self.bank.compact()

    @property
    def surface(self) -> Surface:
        """What all agents of a person share, in a bank of its own: `remember`, `recall`, `list`, `forget`."""
        owner = self._owner or self
        with self._opening:
            if owner._shared is None:
                owner._shared = owner._bank_of(self._banks.surface(self.clock()), alone=False)
        return owner._shared.acting_as(_identity(self.config.identity)).surface

    def subscribe(self, handler: Callable[[Sequence[Event]], None]) -> Callable[[], None]:
        """Have a handler called after each commit of this engine with its events; the result takes it off again.

        Events have ids, no texts. The handler runs in the thread that wrote; what it raises is logged, and breaks
        nothing. What other processes write is in `events`.
        """
        return self._background.heard.add(handler)

    @property
    def banks(self) -> BankList:
        """The banks beside this one: `list`, `create`, `rename`, `delete`."""
        return BankList(self._banks, self.clock, self.bank.name)

    def acting_as(self, **changes: Any) -> Bank:
        """Return a view of the bank for another identity (`session_id`, `author_id`, `channel_id`, `scopes` ...)."""
        return self.bank.acting_as(**changes)

    def seen_by(self, identity: IdentityConfig) -> Mnemopi:
        """Return this engine as somebody else sees it: all is shared but the identity. Closing it closes nothing."""
        seen = copy.copy(self)
        seen._owner, seen._closed = self._owner or self, True
        seen.config = replace(self.config, identity=identity)
        seen.bank = self.bank.acting_as(_identity(identity))
        return seen

    @contextmanager
    def beside(self, only: Collection[str] | None = None) -> Iterator[list[Bank]]:
        """Open other banks, all or those named, that hold memories for all banks; nothing else of them is to be seen.

        It is what `recall` and `context` look into, for those who call them on a view of the bank.
        """
        with ExitStack() as opened:
            stores = self._banks.with_global(self.bank.path, self.clock())
            found = [opened.enter_context(closing(self._bank_of(store, global_only=True))) for store in stores]
            yield [bank for bank in found if only is None or bank.name in only]

    def close(self, timeout: float = _DRAIN_S) -> int:
        """Drain the worker for up to `timeout` seconds, close the files, and return how many memories still wait."""
        if self._closed:
            return 0
        self._closed = True
        try:
            if not self._background.close(timeout):
                self.bank.let_go()
            return self.bank.pending()
        finally:
            self.bank.close()
            if self._shared is not None:
                self._shared.close()

    def take_back(self) -> None:
        """Close, and delete the bank where this engine made it and nobody has written into it since.

        For a call that was refused: it is to leave nothing behind, not even an empty bank.
        """
        name, is_new = self.bank.name, self.bank.is_new
        self.close()
        if is_new:
            self._banks.unmake(name, self.clock())

    def __enter__(self) -> Mnemopi:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- within

    @contextmanager
    def _reopening(self) -> Iterator[None]:
        """Let the bank's file be replaced, and open it again whatever came of it."""
        name = self.bank.name
        self._background.counts.flush()
        try:
            yield
        finally:
            self.bank = self._bank_of(self._banks.look(name, self.clock()))

    def _bank_of(self, store: Store, *, global_only: bool = False, alone: bool = True) -> Bank:
        """Build a bank over a store; where it is not the one that this engine is about, its recalls are not counted."""
        store.journal.listen(self._background.heard)
        indexes = self._beside.of(store.edition) if global_only else None
        llm = llms.budgeted(self.llm, store.spending, self.clock, self.config.llm)
        works = Works(
            config=self.config,
            clock=self.clock,
            embedder=self.embedder,
            retrievers=Retrievers(store, self.embedder, self.config.embedding.index, self._background.serving, indexes),  # type: ignore[arg-type]
            holder=lambda: self._background.holder,
            turn=lambda: self._background.turn,
            global_only=global_only,
            written=self._background.written,
            handed_out=lambda ids, at: self._background.counts.add(ids, at) if alone and not global_only else None,
            llm=llm,
            ask=llms.asking(llm, self.config.llm, "sleep"),
            reranker=self.reranker,
        )
        return Bank(store, _identity(self.config.identity), works)


def _check(*, clock: object, embedding_api_key: object, **paths: object) -> None:
    """Refuse arguments of another kind than what they are for; settings are checked where they are read."""
    for name, path in paths.items():
        if not (path is None or isinstance(path, str) or hasattr(path, "__fspath__")):
            raise UsageError(f"{name} is a path, not {path!r:.60}")
    if clock is not None and not callable(clock):
        raise UsageError(f"clock is a function that gives UTC milliseconds, not {clock!r:.60}")
    if not (embedding_api_key is None or isinstance(embedding_api_key, str) or callable(embedding_api_key)):
        raise UsageError("embedding_api_key is a string, or a function that gives one")


def _identity(config: IdentityConfig) -> Identity:
    scopes = tuple(scope.strip() for scope in config.scopes.split(",") if scope.strip())
    names = (config.author_id or None, config.author_type or None, config.channel_id or None)
    return Identity(config.session_id, *names, scopes)


def _configured(config: Config | Mapping[str, Any] | None, given: dict[str, Any]) -> Config:
    if isinstance(config, Config):
        return config.changed(given)
    if config is not None and not isinstance(config, Mapping):
        raise UsageError(f"config is a Config or a mapping of settings, not {type(config).__name__}")
    return Config.load({**(config or {}), **given})
