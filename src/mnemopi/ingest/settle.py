"""Work off what is pending: search rows of an older analyzer, vectors of the current model.

The database is the queue: what is pending is what is missing, so that a first embedding, a changed model, a load, a
crash and a provider's outage are one case. Work goes in bounded batches under a lease; a result counts only for the
version that it was made for. Vectors of a former model serve until those of the new one are complete. A text that the
provider refuses keeps nobody waiting: it is passed over, and counted, until its text or the model changes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from mnemopi.errors import BudgetError, ProviderError, UnavailableError
from mnemopi.model import numbers
from mnemopi.model.memory import Memory, Settled
from mnemopi.ports import Clock, Embedder
from mnemopi.storage.store import Store
from mnemopi.storage.vectors import WHOLE
from mnemopi.text import tokens

LEASE_MS: Final = 60_000
_BATCH: Final = 128
_SERVING = "serving_model"
_HARMLESS: Final = ("mnemopi",)
"""Whoever refuses to embed this as well refuses everything, whatever the text."""
_DAY_MS = 86_400_000
_UNUSED_MS = 7 * _DAY_MS

Stop: TypeAlias = Callable[[], bool]
Task: TypeAlias = Callable[[Store, int, int], int]
"""Works off up to so many memories within a transaction, at a moment (UTC ms); returns how many, fewer where all is
done."""
NOTHING: Final[Mapping[str, Task]] = {}
_SLICE: Final = 64
"""How many memories a task takes at once, so that nobody waits long for it."""


def settle(
    store: Store,
    embedder: Embedder | None,
    holder: str,
    clock: Clock,
    *,
    limit: int | None = None,
    stop: Stop | None = None,
    tasks: Mapping[str, Task] = NOTHING,
) -> Settled:
    """Work off up to `limit` memories (None: all), or until `stop()`; never raises for a provider's failure.

    `tasks` are what else is worked off, under the name by which the report counts it (`annotated`, `linked`).
    Raises UsageError for a limit that is no number from 0.
    """
    limit = None if limit is None else numbers.whole(limit, "limit", 0)
    if not store.writable:
        return Settled(pending=pending(store, embedder)[0], error="the bank is open for reading only")
    if not store.meta.claim("settle", holder, clock(), clock() + LEASE_MS):
        return Settled(pending=pending(store, embedder)[0], error="another process is settling this bank")
    work = _Work(store, embedder, holder, clock, limit, stop or (lambda: False))
    try:
        work.reindex()
        done = {name: work.besides(task) for name, task in tasks.items()}
        work.embed()
    finally:
        store.meta.release("settle", holder)
    left = pending(store, embedder)[0]
    failed = bool(work.error)
    return Settled(work.embedded, work.reindexed, left, work.error, failed, refused=work.refused, **done)


def pending(store: Store, embedder: Embedder | None) -> tuple[int, int | None]:
    """Return how many memories wait for a vector of the current model, and since when the oldest does (UTC ms)."""
    if embedder is None:
        return 0, None
    return store.vectors.count_pending(embedder.name, _mark(store, _embedded(embedder.name)))


def refused(store: Store, model: str) -> list[int]:
    """Return the row keys of what is in force and was passed over, since the model's provider refused its text."""
    known = json.loads(store.meta.get(_refused(model)) or "[]")
    return store.vectors.in_force(known) if known else []


def serving(store: Store, current: str | None = None) -> str | None:
    """Return the model whose vectors answer: the current one once it was complete, else the last that was."""
    if current is not None and store.meta.get(_complete(current)) == "1":
        return current
    return store.meta.get(_SERVING)


def drop_unused(store: Store, current: str) -> dict[str, int]:
    """Erase the vectors of all models but the current one and the one that serves; the caller holds the transaction.

    Returns how many versions had vectors of each model that is gone.
    """
    kept = (current, serving(store, current))
    gone = {model: count for model, count in store.vectors.models().items() if model not in kept}
    for model in gone:
        _drop(store, model)
    return gone


def _drop(store: Store, model: str) -> None:
    store.vectors.drop(model)
    store.meta.set(_embedded(model), "0")
    store.meta.set(_complete(model), "0")
    store.meta.set(_refused(model), "[]")


class _Work:
    def __init__(
        self, store: Store, embedder: Embedder | None, holder: str, clock: Clock, limit: int | None, stop: Stop
    ) -> None:
        self._store, self._embedder, self._holder, self._clock = store, embedder, holder, clock
        self._limit, self._stop = limit, stop
        self.embedded = self.reindexed = self.refused = 0
        self.error = ""

    def reindex(self) -> None:
        """Bring search rows that another analyzer made to the current one."""
        if self._store.meta.get("analyzer") == tokens.ANALYZER:
            return
        mark = f"analyzed:{tokens.ANALYZER}"
        while self._may_go_on():
            rows = self._store.memories.searchable(_mark(self._store, mark), self._batch())
            with self._store.transaction():
                if not rows:
                    self._store.meta.set("analyzer", tokens.ANALYZER)
                    return
                self._store.memories.reindex((row[0], tokens.shadow(_searchable(row))) for row in rows)
                self._store.meta.set(mark, str(rows[-1][0]))
                self._renew()
            self.reindexed += len(rows)

    def besides(self, task: Task) -> int:
        """Work a task off; what it did does not count against the limit of the vectors."""
        done = 0
        while not self._stop() and (self._limit is None or done < self._limit):
            wanted = _SLICE if self._limit is None else min(_SLICE, self._limit - done)
            with self._store.transaction():
                seen = task(self._store, wanted, self._clock())
                self._renew()
            done += seen
            if seen < wanted:
                break
        return done

    def embed(self) -> None:
        """Give vectors of the current model to what lacks them."""
        if self._embedder is None:
            return
        mark = _embedded(self._embedder.name)
        while self._may_go_on():
            rows = self._store.vectors.pending(self._embedder.name, _mark(self._store, mark), self._batch())
            if not rows:
                self._switch()
                return
            passed_over: list[int] = []
            try:
                made = self._vectors_of_each(rows, passed_over)
            except ProviderError as error:
                self.error = str(error)
                return
            with self._store.transaction():
                self._store.vectors.put(self._embedder.name, made)
                self._store.meta.set(mark, str(rows[-1][0]))
                self._pass_over(passed_over)
                self._renew()
            self.embedded += len(rows) - len(passed_over)
            self.refused += len(passed_over)

    def _vectors_of_each(
        self, rows: Sequence[Any], passed_over: list[int], *, sound: bool = False
    ) -> list[tuple[int, int, bytes]]:
        """Make the vectors of a batch; where it is refused, those of its halves, down to the text that is to blame.

        `sound` says that the provider takes other texts. Raises ProviderError where it does not.
        """
        assert self._embedder is not None
        try:
            return self._vectors(rows)
        except (UnavailableError, BudgetError):
            raise
        except ProviderError:
            if not sound:
                self._embedder.embed_documents(_HARMLESS)
        if len(rows) == 1:
            passed_over.append(rows[0][0])
            return []
        self._renew()
        middle = len(rows) // 2
        halves = (rows[:middle], rows[middle:])
        return [made for half in halves for made in self._vectors_of_each(half, passed_over, sound=True)]

    def _pass_over(self, rowkeys: Sequence[int]) -> None:
        """Keep in mind what was refused; what was asked once lies behind the mark, and is not asked for again."""
        assert self._embedder is not None
        if rowkeys:
            known = refused(self._store, self._embedder.name)
            self._store.meta.set(_refused(self._embedder.name), json.dumps([*known, *rowkeys]))

    def _vectors(self, rows: Sequence[Any]) -> list[tuple[int, int, bytes]]:
        assert self._embedder is not None
        keys: list[tuple[int, int]] = []
        texts: list[str] = []
        for row in rows:
            whole = _searchable(row)
            spans = self._store.vectors.passages(row[0]) if len(row[3]) > _SHORT else []
            for number, start, stop in spans or [(WHOLE, 0, len(whole))]:
                keys.append((row[0], number))
                texts.append(row[3][start:stop] if spans else whole)
        vectors = self._embedder.embed_documents(texts).astype("<f4", copy=False)
        return [(rowkey, number, vector.tobytes()) for (rowkey, number), vector in zip(keys, vectors, strict=True)]

    def _switch(self) -> None:
        """All is embedded: the current model serves. Vectors of a model that nobody used for a week go."""
        assert self._embedder is not None
        name, now = self._embedder.name, self._clock()
        last = _mark(self._store, _used(name))
        if serving(self._store) == name and now - last < _DAY_MS:
            return
        with self._store.transaction():
            self._store.meta.set(_SERVING, name)
            self._store.meta.set(_complete(name), "1")
            self._store.meta.set(_used(name), str(now))
            for model in self._store.vectors.models():
                if model != name and now - _mark(self._store, _used(model)) > _UNUSED_MS:
                    _drop(self._store, model)

    def _may_go_on(self) -> bool:
        return not self._stop() and (self._limit is None or self.embedded + self.reindexed < self._limit)

    def _batch(self) -> int:
        return _BATCH if self._limit is None else min(_BATCH, self._limit - self.embedded - self.reindexed)

    def _renew(self) -> None:
        now = self._clock()
        self._store.meta.claim("settle", self._holder, now, now + LEASE_MS)


_SHORT: Final = 1200
"""Below this many characters no memory has passages."""


def _searchable(row: Sequence[Any]) -> str:
    """The text that search and embedders see, as `Memory.searchable` says it."""
    return Memory(
        id="",
        version=0,
        kind=row[1],
        content=row[3],
        recorded_at=0,
        timestamp=0,
        session_id="",
        author_id=row[2],
        embed_text=row[4],
    ).searchable


def _embedded(model: str) -> str:
    return f"embedded:{model}"


def _complete(model: str) -> str:
    return f"complete:{model}"


def _refused(model: str) -> str:
    return f"refused:{model}"


def _used(model: str) -> str:
    return f"used:{model}"


def _mark(store: Store, name: str) -> int:
    return int(store.meta.get(name) or 0)
