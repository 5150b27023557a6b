"""The backend `mnemopi`: a session's events, a few lines each.

start              the block of the prefix, the same all session; then adopt, settle and sleep, on a thread
before_prompt      recall what is new and believed, within a budget; the same entry gets the same block
turn_end           keep each message in one transaction; every so many turns what waits is worked off
before_compaction  keep what is dropped, then recall for the summary
end                work off what can be done in time

A message is on disk before `turn_end` returns; what is made of it later is derived from it. Where the bank does not
take it, it waits in a file. A subagent's session only reads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from mnemopi.backends import framing
from mnemopi.backends.means import Means
from mnemopi.backends.mnemopi import capture, clearing, editing, instructions, reflecting, reports, saving, unasked
from mnemopi.backends.mnemopi import state as stating
from mnemopi.backends.mnemopi.banks import SessionBanks
from mnemopi.backends.mnemopi.state import State, States
from mnemopi.backends.mnemopi.upkeep import Upkeep
from mnemopi.backends.mnemopi.waiting import Waiting
from mnemopi.engine import Mnemopi
from mnemopi.errors import ConflictError, ReadOnlyError, StorageError
from mnemopi.model.hit import Hit
from mnemopi.model.session import (
    CHARS_PER_TOKEN,
    Block,
    Cleared,
    Edit,
    Edited,
    Effect,
    Entry,
    Lesson,
    LessonScope,
    Message,
    Reflection,
    Saved,
    Search,
    SessionRef,
    StartReason,
    Status,
    Turn,
)
from mnemopi.retrieval.profiles import PROFILES

PREFIX: Final = "memory"
_PREFIX_SHARE: Final = 5
"""The block of the prefix takes this part of the budget of an injection at most."""
_MOST_FOUND: Final = 50
_END_SHARE: Final = 0.8
"""How much of its time the end of a session may wait for work that goes on."""


class MnemopiBackend:
    """Memory of sessions in banks."""

    name = "mnemopi"

    def __init__(self, means: Means) -> None:
        self._config, self._clock = means.config, means.clock
        self._settings = means.config.mnemopi
        self.banks = SessionBanks(means)
        folder = means.agent_dir / "mnemopi"
        self._states = States(folder / "sessions")
        self._waiting = Waiting(folder / "sessions", means.config.write.redact)
        self._clearing = clearing.Clearing(folder / "cleared.json")
        self._upkeep = Upkeep(means.config.write.settle)
        self._warm: set[str] = set()

    # -- events

    def start(self, session: SessionRef, reason: StartReason, *, deadline: float) -> Effect:
        """Begin, or go on with, a session."""
        scope = self.banks.scope(session, anew=True)
        state = self._states.change(session, lambda now: stating.begun(now, reason))
        if session.parent is None:
            self._look_after(session)
        if not self._settings.auto_recall:
            return Effect(jobs=self._upkeep.waiting, degraded=state.unwritten or None)
        at = self._clock() if state.prefix_at is None else state.prefix_at
        text = self._prefix(self.banks.seen(scope), at)
        if state.prefix_at is None:
            state = self._states.change(session, lambda now: replace(now, prefix_at=at))
        blocks = (Block(PREFIX, text, "prefix"),) if text else ()
        return Effect(blocks, jobs=self._upkeep.waiting, degraded=state.unwritten or None)

    def instructions(self, session: SessionRef | None) -> str:
        """Return what is switched on, in words."""
        return instructions.instructions(self._settings, reads_only=session is not None and session.parent is not None)

    def before_prompt(
        self, session: SessionRef, prompt: Message, recent: Sequence[Message], *, deadline: float
    ) -> Effect:
        """Recall for a prompt what is not before the model already."""
        began = time.monotonic()
        if not self._settings.auto_recall or session.parent is not None or not framing.is_substantive(prompt.text):
            return Effect()
        state = self._states.of(session)
        again = state.asked == prompt.entry
        first = state.first if again else not state.recalled
        asked = self._asked(prompt, recent, first=first)
        tokens = self._settings.injection_token_limit if first else self._settings.turn_token_limit
        wanted = unasked.again(state) if again else unasked.news(session, state, recent)
        text, shown = self._recalled(session, asked, tokens, wanted)
        in_time = time.monotonic() - began <= deadline
        if not again and in_time:
            state = self._states.change(session, lambda now: stating.answered(now, prompt.entry, text, shown))
        elif not again and shown:  # nobody may have seen it, and it is new still
            state = self._states.change(session, lambda now: replace(now, late={**now.late, **shown}))
        blocks = (Block(f"recall:{prompt.entry}", text, "turn"),) if text else ()
        return Effect(blocks, degraded=state.unwritten or None)

    def handed_out(self, session: SessionRef) -> None:
        """Note that what came too late lies before the model now."""
        self._states.change(session, lambda now: replace(now, shown={**now.shown, **now.late}, late={}))

    def turn_end(self, session: SessionRef, turn: Turn, *, deadline: float) -> Effect:
        """Keep the messages, and every so many turns do what waits."""
        state = self._captured(session, turn.messages)
        if state is None:
            return Effect(jobs=self._upkeep.waiting)
        if state.turns >= self._settings.retain_every_n_turns:
            self._states.change(session, lambda now: replace(now, turns=0))
            self._upkeep.settle(self.banks.written(self.banks.scope(session)))
        return Effect(jobs=self._upkeep.waiting)

    def before_compaction(self, session: SessionRef, dropping: Sequence[Message], *, deadline: float) -> Effect:
        """Keep what is dropped, then recall what the summary should not lose."""
        captured = self._captured(session, dropping)
        self._states.change(session, lambda now: replace(now, shown={}, dropped=now.last))
        asked = next((message for message in reversed(dropping) if message.role == "user"), None)
        if not self._settings.auto_recall or session.parent is not None or asked is None:
            return Effect()
        own = capture.session_name(session)
        text, _ = self._recalled(
            session,
            self._asked(asked, dropping, first=True),
            self._settings.injection_token_limit,
            lambda hit: hit.memory.session_id != own,
        )
        jobs = self._upkeep.waiting if captured is not None else 0
        return Effect((Block(f"summary:{dropping[-1].entry}", text, "summary"),) if text else (), jobs=jobs)

    def end(self, session: SessionRef, *, deadline: float) -> Effect:
        """Work off what can be done in time; all that was said is on disk already."""
        if session.parent is not None:
            return Effect()
        scope = self.banks.scope(session)
        if self._settings.auto_retain and self.banks.exists(scope.retain):
            self._drain(session)
            self._states.change(session, lambda now: replace(now, turns=0))
            self._upkeep.settle(self.banks.written(scope))
        self._upkeep.wait(deadline * _END_SHARE)
        return Effect(jobs=self._upkeep.waiting)

    def enqueue(self, session: SessionRef) -> Effect:
        """Settle and sleep in full, in all banks that the session writes or shares."""
        self._drain_all()
        scope = self.banks.scope(session, anew=True)
        names = dict.fromkeys(name for name in (scope.retain, scope.shared) if name and self.banks.exists(name))
        notices = []
        for engine in map(self.banks.engine, names):
            engine.bank.settle()
            slept = engine.bank.sleep_all_sessions()
            notices.append(f"Bank {engine.bank.name}: {slept.memories} memories summed up in {slept.made} episodes.")
        return Effect(notices=tuple(notices), jobs=self._upkeep.waiting)

    # -- commands and questions

    def clear(self, session: SessionRef, *, dry_run: bool = True) -> Cleared:
        """Empty the bank that the session writes, or say what that would take away."""
        scope = self.banks.scope(session, anew=True)
        engine = self.banks.engine(scope.retain) if self.banks.exists(scope.retain) else None
        if dry_run:
            return self._clearing.preview(engine, scope)
        cleared = self._clearing.clear(engine, scope, self._clock())
        self._states.change(session, lambda now: replace(now, prefix_at=None, shown={}))
        return cleared

    def undo_clear(self, session: SessionRef) -> Cleared:
        """Take the last clearing back."""
        scope = self.banks.scope(session, anew=True)
        return self._clearing.undo(self.banks.engine(scope.retain), scope, self._clock())

    def search(self, session: SessionRef, query: str, limit: int = 10) -> Search:
        """Find memories in the banks of the session."""
        engines = self.banks.seen(self.banks.scope(session))
        if not query.strip() or not engines:
            return Search(self.name, query, message=reports.NOTHING if query.strip() else "The query is empty.")
        hits = unasked.recall(engines, query, min(max(limit, 1), _MOST_FOUND), lambda _: self._profile)
        return Search(self.name, query, tuple(map(reports.found, hits)))

    def save(self, session: SessionRef, lessons: Sequence[Lesson]) -> Saved:
        """Keep lessons, each in the bank of the project or in the one that all share."""
        if session.parent is not None:
            return Saved(self.name, message=saving.READS)
        return saving.save(self.banks, session, lessons)

    def lesson_scopes(self, session: SessionRef) -> tuple[LessonScope, ...]:
        """Return where lessons may go: to all projects as well, where they share a bank."""
        if session.parent is not None:
            return ()
        return ("project",) if self.banks.scope(session).shared is None else ("project", "global")

    def engines(self, session: SessionRef) -> list[Mnemopi]:
        """Return the engines of the session's banks, of those that exist."""
        return self._seen(session)

    def entry(self, session: SessionRef, id: str) -> Entry | None:
        """Return what stands under an id in the session's banks."""
        return editing.entry(self._seen(session), id)

    def edit(self, session: SessionRef, change: Edit) -> Edited:
        """Change what stands under an id, in the first of the session's banks that has it."""
        if session.parent is not None:
            raise ReadOnlyError(saving.READS, hint="the session that started it may edit")
        return editing.edit(self._seen(session), change)

    def reflects(self) -> bool:
        """It can, with a language model or without."""
        return True

    def reflect(self, session: SessionRef, query: str, context: str | None = None) -> Reflection:
        """Answer from the session's banks, or digest them."""
        engines = self._seen(session)
        asked = "\n\n".join(part for part in (query.strip(), (context or "").strip()) if part)
        hits = unasked.recall(engines, asked, reflecting.RECALLED, lambda _: self._profile) if asked and engines else []
        llm, config = (engines[0].bank.llm if engines else None), self._config.llm
        return reflecting.reflect(query, context, hits, llm, most=config.max_tokens, timeout=config.timeout)

    def status(self, session: SessionRef | None) -> Status:
        """Return counts; a bank that does not exist is not made."""
        if session is None:
            return Status(self.name, active=False, writable=False, searchable=False, message="There is no session.")
        scope = self.banks.scope(session)
        return reports.status(
            scope,
            self.banks.seen(scope),
            active=True,
            writable=session.parent is None,
            recalled=bool(self._states.of(session).shown),
        )

    def stats(self, session: SessionRef | None) -> str:
        """Return a table of the session's banks."""
        return reports.stats(self._seen(session))

    def diagnose(self, session: SessionRef | None) -> str:
        """Examine the session's banks."""
        states = [self._states.of(session)] if session is not None else list(self._states.all())
        findings = [f"{number} {what}" for number, what in self._findings(states) if number]
        return reports.diagnosis(
            {engine.bank.name: self.banks.examine(engine.bank.name) for engine in self._seen(session)},
            [*findings, *([self._upkeep.error] if self._upkeep.error else [])],
        )

    def view(self, session: SessionRef | None) -> str:
        """Return the instructions and the block of the prefix."""
        shown = ""
        if session is not None and self._settings.auto_recall:
            at = self._states.of(session).prefix_at
            shown = self._prefix(self._seen(session), self._clock() if at is None else at)
        return "\n\n".join(part for part in (self.instructions(session), shown) if part)

    def queue(self, session: SessionRef | None) -> str:
        """Return what waits."""
        return reports.queue(self._seen(session), self._upkeep.waiting, self._waiting.count())

    def close(self) -> None:
        """Stop the worker and close the banks."""
        self._upkeep.close(2.0)
        self.banks.close()

    # -- within

    def _seen(self, session: SessionRef | None) -> list[Mnemopi]:
        if session is None:
            return []
        return self.banks.seen(self.banks.scope(session))

    @property
    def _profile(self) -> dict[str, Any]:
        return {"profile": "polyphonic"} if self._settings.polyphonic_recall else {}

    def _options(self, engine: Mnemopi) -> dict[str, Any]:
        """A prompt does not wait for a model to be loaded: until it is, it is answered without vectors."""
        if engine.embedder is None or engine.bank.name in self._warm:
            return self._profile
        names = PROFILES[self._profile.get("profile", "default")]
        return self._profile | {"retrievers": [name for name in names if name != "dense"]}

    def _warm_up(self, engine: Mnemopi, _: Callable[[], bool]) -> None:
        """Have model and vectors of a bank loaded, by a question that finds nothing."""
        engine.bank.recall("anything", 1, min_score=1.0)
        self._warm.add(engine.bank.name)

    def _recalled(
        self, session: SessionRef, asked: Sequence[str], tokens: int, is_new: Callable[[Hit], bool]
    ) -> tuple[str, dict[str, int]]:
        """Recall unasked, and put it in a block."""
        hits = unasked.fresh(
            self.banks.seen(self.banks.scope(session)),
            asked,
            self._settings.recall_limit,
            self._settings.recall_belief,
            is_new,
            self._options,
        )
        return unasked.block(hits, tokens)

    def _asked(self, prompt: Message, recent: Sequence[Message], *, first: bool) -> list[str]:
        settings = self._settings
        return unasked.queries(
            prompt.text, recent, settings.recall_context_turns, settings.recall_max_query_chars, first=first
        )

    def _prefix(self, engines: Sequence[Mnemopi], at: int) -> str:
        """Return what one should know from the start: the most important and latest of what was put down on purpose, as
        it was at a moment. So a session that goes on has the same bytes, but for what was forgotten since."""
        if not engines:
            return ""
        first, *others = (engine.bank for engine in engines)
        budget = self._settings.injection_token_limit * CHARS_PER_TOKEN // _PREFIX_SHARE
        return first.context(None, budget, beside=others, kind="note", as_of=at)

    def _captured(self, session: SessionRef, messages: Sequence[Message]) -> State | None:
        """Keep messages; None where this session keeps none. Where the bank takes none they wait, and it raises."""
        if not self._settings.auto_retain or session.parent is not None or not messages:
            return None
        try:
            self._drain(session)
            return self._kept(session, messages)
        except (StorageError, ConflictError):
            self._waiting.add(self._states.path(session), session, messages)
            raise

    def _kept(self, session: SessionRef, messages: Sequence[Message]) -> State:
        bank = self.banks.written(self.banks.scope(session)).bank
        kept = capture.keep(bank, session, messages, self._config.write)
        return self._states.change(session, lambda now: stating.told(now, kept))

    def _drain(self, session: SessionRef) -> None:
        """Keep what waits. Raises where something of this session, in this folder, waits on."""
        failed = self._waiting.drain(self._states.path(session), self._kept)
        if session in failed:
            raise failed[session]

    def _drain_all(self) -> None:
        """Keep what waits of all sessions. Raises where something waits on, once all was tried."""
        states = self._waiting.states()
        failures = [error for state in states for error in self._waiting.drain(state, self._kept).values()]
        if failures:
            raise failures[0]

    def _look_after(self, session: SessionRef) -> None:
        """Have done, on the worker's thread, what a start is the time for."""

        def look(stop: Callable[[], bool]) -> None:
            self._drain_all()
            self.banks.adopt(session)
            self._states.prune()
            self._clearing.expire(self._clock())

        self._upkeep.put(f"look after {session.cwd}", look)
        scope = self.banks.scope(session)
        writes = self._settings.auto_retain and self.banks.exists(scope.retain)
        if writes:
            self._upkeep.settle(self.banks.written(scope))
        for engine in self.banks.seen(scope) if self._settings.auto_recall else ():
            if engine.embedder is not None and engine.bank.name not in self._warm:
                self._upkeep.put(f"load {engine.bank.name}", partial(self._warm_up, engine))
        if writes:
            self._upkeep.sleep(self.banks.written(scope), self._config.sleep.min_age_hours)

    def _findings(self, states: Sequence[State]) -> list[tuple[int, str]]:
        return [
            (self._waiting.count(), "messages could not be stored yet"),
            (sum(state.repaired for state in states), "broken characters were replaced"),
            (sum(state.blocks for state in states), "blocks of memory were cut out of messages"),
        ]
