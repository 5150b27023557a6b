"""What an engine does beside its callers: it works off what is pending and writes what was buffered.

There is one worker thread per engine. It starts with the first thing to do, and ends with the engine. What it has not
done is in the database and is found again. It must not break its host: a failure is kept, and shown in stats, and
what it left is tried again by itself, at ever longer intervals.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from mnemopi import errors
from mnemopi.errors import MnemopiError, StorageError, UsageError
from mnemopi.ingest import settle as settling
from mnemopi.model.memory import Event, Settled
from mnemopi.ports import Clock, Embedder
from mnemopi.storage import ids
from mnemopi.storage.store import Store

_FRESHEN: Final = 64
"""How many waiting memories a recall embeds first."""
_PATIENCE_S: Final = 1.0
"""How long a recall waits for somebody of its engine who is about to have these few embedded."""
_QUIET_S = 5.0
_MOST_RESTS: Final = 60
"""So many quiet times of `_QUIET_S` at most pass before work that failed is tried again: 5 minutes."""
_LULL_S = 0.1
"""So long nothing more may come before work begins: who writes many one after the other is not hindered by it."""
_LONGEST_LULL_S: Final = 10.0
"""So long that is waited for at most."""
_STOP_S = 1.0
"""How long work that is told to stop may take for it."""
_LOOK_MS: Final = 60_000
"""How often it is looked whether enough waits for sleep."""


class Background:
    """The pending work of one engine's bank: when it is done, and whose vectors answer meanwhile.

    `mode` is the setting `write.settle`, `settle` does the bank's whole work until told to stop, `reopen` gives the
    embedder of a former model by its name, `write_counts` puts recall counts into the bank, `waits` says whether
    anything but vectors is pending, `sleep` sums up some of what waits where that is enough (None: never by itself),
    `read` has a language model read what waits for it and returns why it stopped (None: there is no model), and
    `unread` says whether it has something to read. A model is only ever asked by the worker.
    """

    def __init__(
        self,
        embedder: Embedder | None,
        mode: str,
        clock: Clock,
        *,
        settle: Callable[[Callable[[], bool]], Settled],
        reopen: Callable[[str], Embedder | None],
        write_counts: Callable[[Mapping[str, tuple[int, int]]], None],
        waits: Callable[[], bool] = lambda: False,
        sleep: Callable[[Callable[[], bool]], object] | None = None,
        read: Callable[[Callable[[], bool]], str] | None = None,
        unread: Callable[[], bool] = lambda: False,
    ) -> None:
        self._embedder, self._clock = embedder, clock
        self._mode, self._waits = mode, waits
        self._settle, self._reopen, self._write_counts = settle, reopen, write_counts
        self._sleep, self._looked = sleep, 0
        self._read, self._unread = None if mode == "off" else read, unread
        self._unable, self._ending, self._read_at = "", False, 0
        self._former: dict[str, Embedder | None] = {}
        self.heard = Handlers()
        self._failure = ""
        self._begin()

    def _begin(self) -> None:
        """Make what one process cannot take over from another: the name on its leases, its buffer, its thread.

        The lease keeps other processes away, `turn` the threads of this one, which hold the lease together.
        """
        self.holder = ids.new()
        self.turn = threading.RLock()
        self.counts = Counts(self._write_counts)
        self._worker = Worker(self._work_off, self._idle)

    def before_fork(self) -> None:
        """Nothing is put down here: the files have their own turn."""

    def after_fork(self, *, child: bool) -> None:
        """Go on in a child with a worker of its own; what was counted is the parent's to write."""
        if child:
            self._begin()

    @property
    def error(self) -> str:
        """Why the last work failed, empty where it did not."""
        return self._failure or self._unable or self._worker.error

    def written(self) -> None:
        """Something new is pending."""
        if self._mode != "off" and (self._embedder is not None or self._waits()):
            if self._mode == "inline":
                self._try(lambda: self._settle(lambda: False))
            else:
                self._worker.poke()
        if (self._sleep is not None and self._is_time()) or self._is_read_due():
            self._worker.poke()

    def opened(self, pending: int) -> None:
        """So much was pending when the bank was opened."""
        if (self._mode == "auto" and (pending or self._waits())) or self._is_read_due():
            self._worker.poke()

    def serving(self, store: Store) -> Embedder | None:
        """Return the embedder whose vectors answer: the current one, or the former until the current is complete."""
        if self._embedder is None:
            return None
        self._freshen(store, self._embedder)
        model = settling.serving(store, self._embedder.name)
        if model is None or model == self._embedder.name:
            return self._embedder
        if model not in self._former:
            self._former[model] = self._reopen(model)
        return self._former[model] or self._embedder

    def close(self, timeout: float) -> bool:
        """Let the worker end what it is at within `timeout` seconds, and write the counts; False: it was cut short.

        No model is asked anew.
        """
        self._ending = True
        ended = self._worker.close(timeout)
        self.counts.flush()
        return ended

    def _freshen(self, store: Store, embedder: Embedder) -> None:
        """Before vectors are asked: embed a few that wait, unless that failed lately or was switched off.

        Where somebody is at it already, a few are waited for, and many are not.
        """
        if self._mode == "off" or self._failure or not store.writable:
            return
        if waiting := settling.pending(store, embedder)[0]:
            self._try_alone(
                lambda: settling.settle(store, embedder, self.holder, self._clock, limit=_FRESHEN),
                _PATIENCE_S if waiting <= _FRESHEN else 0,
            )

    def _work_off(self, stop: Callable[[], bool]) -> bool:
        """Do what is pending; return whether something hindered it, so that it is to be tried again."""
        hindered = self._mode == "auto" and self._try_alone(lambda: self._settle(stop))
        if self._sleep is not None and self._is_time():
            self._looked = self._clock()
            self._sleep(stop)

        if self._read is not None and not self._ending:
            self._read_at = self._clock()
            self._unable = self._read(lambda: stop() or self._ending)
        return hindered

    def _idle(self) -> None:
        """Write the counts, and see now and then whether what failed to be read may be tried again."""
        self.counts.flush()
        if self._clock() - self._read_at >= _LOOK_MS and self._is_read_due():
            self._worker.poke()

    def _is_read_due(self) -> bool:
        return self._read is not None and not self._ending and self._unread()

    def _is_time(self) -> bool:
        """Whether nobody looked lately if enough waits for sleep: to count it reads the whole bank."""
        return self._clock() - self._looked >= _LOOK_MS

    def _try_alone(self, settle: Callable[[], Settled], patience: float = 0) -> bool:
        """Settle, unless another thread is still at it after so many seconds; return as `_try` does."""
        if not self.turn.acquire(timeout=patience):
            return True
        try:
            return self._try(settle)
        finally:
            self.turn.release()

    def _try(self, settle: Callable[[], Settled]) -> bool:
        """Settle beside something that is done, or goes on, even where this fails: what waits stays pending.

        Returns whether something waits because of a failure, or because another process is at it.
        """
        try:
            report = settle()
        except StorageError as error:
            self._failure = str(error)
            return True
        self._failure = report.error if report.failed else ""
        return bool(report.error) and report.pending > 0


class Handlers:
    """Who wants to hear of what is committed. A handler that fails breaks neither the write nor the next handler."""

    def __init__(self) -> None:
        self._handlers: tuple[Callable[[Sequence[Event]], object], ...] = ()

    def add(self, handler: Callable[[Sequence[Event]], object]) -> Callable[[], None]:
        """Call a handler from now on; the result takes it off again."""
        if not callable(handler):
            raise UsageError(f"a handler is a callable, not {type(handler).__name__}")
        self._handlers = (*self._handlers, handler)

        def take_off() -> None:
            self._handlers = tuple(each for each in self._handlers if each is not handler)

        return take_off

    def __bool__(self) -> bool:
        return bool(self._handlers)

    def __call__(self, events: Sequence[Event]) -> None:
        for handler in self._handlers:
            try:
                handler(events)
            except Exception as error:  # noqa: BLE001 -- what is committed is committed
                errors.warn("a handler of events failed: %s", type(error).__name__)


class Counts:
    """How often memories were handed out since the last flush, so that reading does not write."""

    def __init__(self, write: Callable[[Mapping[str, tuple[int, int]]], None]) -> None:
        self._write = write
        self._lock = threading.Lock()
        self._counts: dict[str, tuple[int, int]] = {}

    def add(self, ids: Iterable[str], at: int) -> None:
        """Count one more time for each id, at a moment (UTC ms)."""
        self._take(dict.fromkeys(ids, (1, at)))

    def flush(self) -> None:
        """Write what was counted. Where that fails it stays here for the next time: nobody is to fail of a count."""
        with self._lock:
            counts, self._counts = self._counts, {}
        if not counts:
            return
        try:
            self._write(counts)
        except MnemopiError as error:
            errors.warn("recall counts wait: %s", error.code)
            self._take(counts)

    def _take(self, more: Mapping[str, tuple[int, int]]) -> None:
        with self._lock:
            for id, (count, at) in more.items():
                known, last = self._counts.get(id, (0, at))
                self._counts[id] = (known + count, max(last, at))


class Worker:
    """Runs `work` soon after each `poke`, once for those that come close together, and `idle` every few seconds.

    Where `work` raises, or returns that it was hindered, it is run again after one quiet time, then after two, four and
    so on, until it is not.
    """

    def __init__(self, work: Callable[[Callable[[], bool]], bool | None], idle: Callable[[], None]) -> None:
        self._work, self._idle = work, idle
        self._poked, self._closing, self._stopping = threading.Event(), threading.Event(), threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.error = ""

    def poke(self) -> None:
        """Say that there is something to do."""
        self._poked.set()
        with self._lock:
            if self._thread is None and not self._stopping.is_set():
                self._thread = threading.Thread(target=self._run, name="mnemopi-worker", daemon=True)
                self._thread.start()

    def close(self, timeout: float) -> bool:
        """Let what is going on end within `timeout` seconds, then stop; False: it goes on, and nobody waits for it."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is None:
            self._stopping.set()
            return True
        self._closing.set()
        self._poked.set()
        thread.join(timeout)
        self._stopping.set()
        self._poked.set()
        thread.join(_STOP_S)
        return not thread.is_alive()

    def _run(self) -> None:
        rests = left = 0
        while not self._stopping.is_set():
            poked = self._poked.wait(_QUIET_S)
            self._await_lull()
            left -= 1
            if poked or left == 0:
                hindered = self._guarded(lambda: self._work(self._stopping.is_set))
                longer = rests if poked else min(2 * rests, _MOST_RESTS)
                left = rests = max(longer, 1) if hindered else 0
            failed = self._guarded(self._idle)
            if not (rests or failed):
                self.error = ""
            if self._closing.is_set():
                return

    def _await_lull(self) -> None:
        """Wait until nothing more comes, or nobody wants to wait."""
        end = time.monotonic() + _LONGEST_LULL_S
        while self._poked.is_set() and time.monotonic() < end:
            self._poked.clear()
            self._closing.wait(_LULL_S)

    def _guarded(self, work: Callable[[], bool | None]) -> bool:
        """Run something, and return whether it raised or says that it was hindered: the host must not break."""
        try:
            return bool(work())
        except Exception as error:  # noqa: BLE001 -- whatever it is, it is tried again
            self.error = f"{type(error).__name__}: {error}"
            errors.warn("background work failed: %s", type(error).__name__)
            return True
