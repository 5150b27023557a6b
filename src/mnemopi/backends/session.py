"""The door for hosts: one session's events, each within its time, told once, and never raising into the host.

    session = Session(resolve_backend(), SessionRef("my-agent", "s1", os.getcwd()))
    effect = session.start("startup")            # blocks for the prefix
    effect = session.before_prompt(message)      # blocks for beside the user's words
    session.turn_end(Turn(messages))
    session.end()

Events run one after the other on a thread of the session. The host waits for as long as an event may take and then goes
on with an effect that says what is missing; the event goes on too, so that what was to be kept is kept. What was
recalled too late for its prompt comes with the next, unless the session begins anew before it. An event that was done
and comes again is answered as before.

Questions and commands (`search`, `save`, `clear` ...) are asked by a person or a model: they wait, and raise as the
backend does.
"""

from __future__ import annotations

import os
import queue
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Final, Generic, TypeVar

from mnemopi.backends.backend import Editing, MemoryBackend, Noting, Reflecting
from mnemopi.errors import MnemopiError, UsageError, warn
from mnemopi.model.session import (
    Block,
    Cleared,
    Edit,
    Edited,
    Effect,
    Entry,
    Lesson,
    Message,
    Reflection,
    Saved,
    Search,
    SessionRef,
    StartReason,
    Status,
    Turn,
)
from mnemopi.text import redact

T = TypeVar("T")

DEADLINES: Final[Mapping[str, float]] = {
    "start": 3.0,
    "before_prompt": 1.5,
    "turn_end": 5.0,
    "before_compaction": 5.0,
    "end": 1.5,
    "enqueue": 600.0,
}
"""Seconds that a host waits for an event."""
_REMEMBERED: Final = 2048
"""Entries of which it is known that they were told."""


class Session:
    """One session of a host, on a backend that somebody else closes."""

    def __init__(
        self, backend: MemoryBackend, ref: SessionRef, *, deadlines: Mapping[str, float] | None = None
    ) -> None:
        self.backend, self.ref = backend, ref
        self._deadlines = {**DEADLINES, **(deadlines or {})}
        self._worker = _Worker()
        self._done: OrderedDict[Hashable, Effect] = OrderedDict()
        self._late: list[Block] = []
        """What came too late: touched on the worker's thread alone, where events are in their order."""
        self._said: set[str] = set()

    # -- events

    def start(self, reason: StartReason = "startup") -> Effect:
        """Begin or go on with the session; the blocks are for the prefix."""
        return self._event("start", lambda limit: self._begun(reason, limit))

    def before_prompt(self, prompt: Message, recent: Sequence[Message] = ()) -> Effect:
        """Return what a prompt calls up. `recent` are the messages before it, oldest first."""
        recent = tuple(recent)
        return self._event(
            "before_prompt",
            lambda limit: self._answered(prompt, recent, limit),
            key=("before_prompt", prompt.entry),
            answers=True,
        )

    def turn_end(self, turn: Turn) -> Effect:
        """Keep what the turn left; what was told before is not told again."""
        fresh = _once(turn.messages)
        told = Turn(fresh, turn.aborted)
        return self._event(
            "turn_end",
            lambda limit: self.backend.turn_end(self.ref, told, deadline=limit),
            key=("turn_end", turn.aborted, *((each.entry, hash(each.text)) for each in fresh)),
        )

    def before_compaction(self, dropping: Sequence[Message]) -> Effect:
        """Keep what is about to be dropped; the blocks are for the summary."""
        fresh = _once(dropping)
        return self._event(
            "before_compaction",
            lambda limit: self.backend.before_compaction(self.ref, fresh, deadline=limit),
        )

    def end(self) -> Effect:
        """End the session: what cannot be done in time is on disk, and done at the next start."""
        return self._event("end", lambda limit: self.backend.end(self.ref, deadline=limit))

    def enqueue(self) -> Effect:
        """Do all consolidation that waits, now."""
        return self._event("enqueue", lambda _: self.backend.enqueue(self.ref))

    def instructions(self) -> str:
        """Return what the model should know of this memory; "" where that cannot be said."""
        try:
            return self._asked(lambda: self.backend.instructions(self.ref), self._deadlines["start"])
        except Exception as error:  # noqa: BLE001 -- no failure of memory is one of the host
            warn("memory %s: instructions: %s", self.backend.name, _words(error))
            return ""

    def status(self) -> Status:
        """Return what the backend does; a failure is part of it."""
        try:
            return self._asked(lambda: self.backend.status(self.ref), self._deadlines["start"])
        except Exception as error:  # noqa: BLE001 -- as above
            return Status(self.backend.name, active=False, writable=False, searchable=False, error=_words(error))

    # -- questions and commands

    def search(self, query: str, limit: int = 10) -> Search:
        """Find memories within the session's scope."""
        return self._asked(lambda: self.backend.search(self.ref, query, limit))

    def save(self, lessons: Sequence[Lesson]) -> Saved:
        """Keep lessons."""
        return self._asked(lambda: self.backend.save(self.ref, lessons))

    def reflect(self, query: str, context: str | None = None) -> Reflection:
        """Have the backend answer from what it knows. Raises UsageError for one that cannot."""
        backend = self.backend
        if not isinstance(backend, Reflecting):
            raise self._cannot("reflect")
        return self._asked(lambda: backend.reflect(self.ref, query, context))

    def entry(self, id: str) -> Entry | None:
        """Return what stands under an id, None where nothing does. Raises UsageError for a backend without ids."""
        backend = self.backend
        if not isinstance(backend, Editing):
            raise self._cannot("read by id")
        return self._asked(lambda: backend.entry(self.ref, id))

    def edit(self, change: Edit) -> Edited:
        """Change an entry by its id. Raises UsageError for a backend without ids."""
        backend = self.backend
        if not isinstance(backend, Editing):
            raise self._cannot("edit")
        return self._asked(lambda: backend.edit(self.ref, change))

    def clear(self, *, dry_run: bool = True) -> Cleared:
        """Take away what lies in the session's own scope; with `dry_run`, say what that is."""
        return self._asked(lambda: self.backend.clear(self.ref, dry_run=dry_run))

    def undo_clear(self) -> Cleared:
        """Bring back what the last `clear` took."""
        return self._asked(lambda: self.backend.undo_clear(self.ref))

    def stats(self) -> str:
        """Return counts, as Markdown."""
        return self._asked(lambda: self.backend.stats(self.ref))

    def diagnose(self) -> str:
        """Return what is wrong, as Markdown."""
        return self._asked(lambda: self.backend.diagnose(self.ref))

    def view(self) -> str:
        """Return what the model is given at the start."""
        return self._asked(lambda: self.backend.view(self.ref))

    def queue(self) -> str:
        """Return what waits to be done, as Markdown."""
        return self._asked(lambda: self.backend.queue(self.ref))

    # -- the end

    def close(self, timeout: float = 5.0) -> bool:
        """Wait for events that go on, and return whether all came to their end; the backend stays open."""
        return self._worker.close(timeout)

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _event(
        self, name: str, run: Callable[[float], Effect], *, key: Hashable = None, answers: bool = False
    ) -> Effect:
        """Run an event within its time. `answers`: its blocks are wanted, even where they come too late."""
        if key is not None and key in self._done:
            return self._done[key]
        limit = self._deadlines[name]
        job = self._worker.put(lambda: run(limit))
        if not job.finished.wait(limit):
            job.abandon(lambda effect: self._came_late(effect, key, answers=answers))
            if not job.finished.is_set():
                return Effect(degraded=f"{name} took longer than {limit:g} s")
        if job.error is not None:
            return self._failed(name, job.error)
        return self._kept(job.value, key)

    def _begun(self, reason: StartReason, limit: float) -> Effect:
        """Begin: what was recalled for a prompt of before is no longer asked for."""
        self._late.clear()
        return self.backend.start(self.ref, reason, deadline=limit)

    def _answered(self, prompt: Message, recent: Sequence[Message], limit: float) -> Effect:
        """Answer a prompt, with what came too late for one before it."""
        backend, late = self.backend, [*self._late]
        if late and isinstance(backend, Noting):
            backend.handed_out(self.ref)
        effect = backend.before_prompt(self.ref, prompt, recent, deadline=limit)
        self._late.clear()
        known = {block.id for block in effect.blocks}
        return replace(effect, blocks=(*(block for block in late if block.id not in known), *effect.blocks))

    def _kept(self, effect: Effect, key: Hashable) -> Effect:
        """Note that the event was told."""
        if key is not None and effect.degraded is None:
            self._done[key] = effect
            while len(self._done) > _REMEMBERED:
                self._done.popitem(last=False)
        return effect

    def _came_late(self, effect: Effect, key: Hashable, *, answers: bool) -> None:
        """Keep what an event came to after its time: called on the worker's thread."""
        if answers:
            self._late += effect.blocks
        elif key is not None and effect.degraded is None:
            self._done[key] = effect

    def _failed(self, name: str, error: BaseException) -> Effect:
        """Say what went wrong: to the log each time, to the person once."""
        words = _words(error)
        warn("memory %s: %s: %s", self.backend.name, name, words)
        new = words not in self._said
        self._said.add(words)
        return Effect(notices=(f"Memory: {words}",) if new else (), degraded=f"{name} failed: {words}")

    def _cannot(self, verb: str) -> UsageError:
        return UsageError(
            f"the memory backend {self.backend.name} cannot {verb}", hint="the setting memory.backend names another"
        )

    def _asked(self, run: Callable[[], T], limit: float | None = None) -> T:
        job = self._worker.put(run)
        if not job.finished.wait(limit):
            raise TimeoutError(f"no answer within {limit:g} s")
        if job.error is not None:
            raise job.error
        return job.value


class _Job(Generic[T]):
    """One call on the worker's thread."""

    def __init__(self, run: Callable[[], T]) -> None:
        self._run, self._lock = run, threading.Lock()
        self._after: Callable[[T], None] | None = None
        self.finished = threading.Event()
        self.error: BaseException | None = None
        self.value: T

    def run(self) -> None:
        try:
            self.value = self._run()
        except BaseException as error:  # noqa: BLE001 -- a backend's failure must not end the worker
            self.error = error
        with self._lock:
            self.finished.set()
            after = self._after
        if self.error is not None and after is not None:
            warn("memory: an event failed after its time: %s", _words(self.error))
        elif after is not None:
            after(self.value)

    def abandon(self, after: Callable[[T], None]) -> None:
        """Have the value handed over where it comes after all; nothing where it is there already."""
        with self._lock:
            if not self.finished.is_set():
                self._after = after


class _Worker:
    """One thread that does what it is given in order; it starts with the first job, anew in a fork's child."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pid = 0
        self._thread: threading.Thread | None = None
        self._jobs: queue.SimpleQueue[_Job[Any] | None] = queue.SimpleQueue()

    def put(self, run: Callable[[], T]) -> _Job[T]:
        job = _Job(run)
        if self._pid != os.getpid():
            self._lock, self._thread, self._jobs, self._pid = threading.Lock(), None, queue.SimpleQueue(), os.getpid()
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=_work, args=(self._jobs,), name="mnemopi-session", daemon=True)
                self._thread.start()
            self._jobs.put(job)
        return job

    def close(self, timeout: float) -> bool:
        with self._lock:
            thread, self._thread = self._thread, None
            if thread is None or self._pid != os.getpid():
                return True
            self._jobs.put(None)
            self._jobs = queue.SimpleQueue()
        if thread is not threading.current_thread():
            thread.join(timeout)
        return not thread.is_alive()


def _work(jobs: queue.SimpleQueue[_Job[Any] | None]) -> None:
    while (job := jobs.get()) is not None:
        job.run()


def _once(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return messages without those whose entry came before in the same call."""
    return tuple({each.entry: each for each in messages}.values())


def _words(error: BaseException) -> str:
    """Say what went wrong in a few words that hold no secret."""
    said = error.message if isinstance(error, MnemopiError) else f"{type(error).__name__}: {error}"
    return redact.redact(" ".join(said.split())).text[:300]
