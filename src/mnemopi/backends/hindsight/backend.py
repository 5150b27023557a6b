"""The backend: what each event of a session does with the server. See `sessions` for how.

A prompt waits for the server for a moment only, and not at all while it is known to be down. Each turn recalls, and
shows what was not shown before. What was said is in the ledger when an event returns; whether it has reached the
server by then is another matter.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from mnemopi.backends import framing, stripping
from mnemopi.backends.hindsight import capture, clearing, models, reports, shown
from mnemopi.backends.hindsight.ledger import Kept
from mnemopi.backends.hindsight.outbox import Sent
from mnemopi.backends.hindsight.sessions import Sessions
from mnemopi.backends.means import Means
from mnemopi.errors import ProviderError, ReadOnlyError, UnavailableError, UsageError
from mnemopi.model.session import (
    Block,
    Cleared,
    Effect,
    Found,
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

NO_SERVER: Final = "no server is set: hindsight.api_url is empty"
SAVE_S: Final = 2.0
"""So long a lesson waits to be sent at once; it is on disk before that."""
_SHARE: Final = 0.9
"""The part of a deadline that sending may take."""
_ANEW: Final = frozenset({"startup", "clear", "compact"})
"""Starts after which the model no longer has before it what was shown."""


class Hindsight:
    """Memory kept by a Hindsight server."""

    name = "hindsight"

    def __init__(self, means: Means) -> None:
        """Nothing is sent before the first event. Raises ConfigError."""
        self.sessions = Sessions(means)
        self._config = means.config.hindsight

    def start(self, session: SessionRef, reason: StartReason, *, deadline: float) -> Effect:
        """Give the mental models, the same ones until a new transcript begins, and send what was left over."""
        if not self.sessions.is_configured:
            return Effect(degraded=NO_SERVER)
        end = time.monotonic() + self._moment(deadline)
        kept = self.sessions.ledger.read(session)
        text, degraded = kept.models or "", ""
        if kept.models is None or reason in ("startup", "clear", "fork"):
            text, degraded = self._models(session, kept, end - time.monotonic())
        anew = reason in _ANEW

        def begin(now: Kept) -> Kept:
            return replace(now, models=text, shown=() if anew else now.shown)

        self.sessions.ledger.change(session, begin)
        if session.parent is None:
            self.sessions.seal_orphans(session)
            self.sessions.prune()
        sent = self.sessions.flush(max(end - time.monotonic(), 0.0))
        blocks = (Block("hindsight-models", text, "prefix"),) if text else ()
        return self._effect(sent, blocks, degraded)

    def instructions(self, session: SessionRef | None) -> str:
        """Return what the model should know of this memory."""
        return reports.instructions(self._config)

    def before_prompt(
        self, session: SessionRef, prompt: Message, recent: Sequence[Message], *, deadline: float
    ) -> Effect:
        """Recall what the prompt calls up and was not shown yet, in a moment or not at all."""
        text = stripping.stripped(prompt.text).text
        if not self._config.auto_recall or not framing.is_substantive(text):
            return Effect()
        if not self.sessions.is_configured or self.sessions.reads.is_resting:
            return Effect(degraded=self.sessions.reads.error or NO_SERVER)
        query = framing.question(text, recent, self._config.recall_context_turns, self._config.recall_max_query_chars)
        try:
            found = self.sessions.recall(session, query, self._moment(deadline))
        except ProviderError as error:
            return Effect(degraded=str(error))
        known = set(self.sessions.ledger.read(session).shown)
        new = [memory for memory in shown.worth_showing(found) if memory.id not in known]
        if not new:
            return Effect()
        ids = [memory.id for memory in new]
        self.sessions.ledger.change(session, lambda kept: kept.with_shown(ids))
        return Effect((Block(f"hindsight-recall:{prompt.entry}", shown.block(new), "turn"),))

    def turn_end(self, session: SessionRef, turn: Turn, *, deadline: float) -> Effect:
        """Keep the turn, and send what makes enough turns."""
        if self._captures(session):
            self.sessions.keep(session, turn.messages, least_turns=self._config.retain_every_n_turns)
        return self._effect(self.sessions.flush(deadline * _SHARE))

    def before_compaction(self, session: SessionRef, dropping: Sequence[Message], *, deadline: float) -> Effect:
        """Keep what is dropped, and recall what its last turns are about."""
        if self._captures(session):
            self.sessions.keep(session, dropping, least_turns=0)
        asked = next((message.text for message in reversed(dropping) if message.role == "user"), "")
        if not self._config.auto_recall or not framing.is_substantive(asked):
            return Effect()
        if not self.sessions.is_configured or self.sessions.reads.is_resting:
            return Effect(degraded=self.sessions.reads.error or NO_SERVER)
        config = self._config
        query = framing.question(asked, dropping, config.recall_context_turns, config.recall_max_query_chars)
        try:
            found = self.sessions.recall(session, query, min(deadline * _SHARE, config.recall_timeout_ms / 1000))
        except ProviderError as error:
            return Effect(degraded=str(error))
        text = shown.block(shown.worth_showing(found))
        return Effect((Block("hindsight-recall", text, "summary"),) if text else ())

    def end(self, session: SessionRef, *, deadline: float) -> Effect:
        """Send what is left; what does not arrive in time is sent by the next session."""
        if self._captures(session):
            self.sessions.keep(session, (), least_turns=0)
        return self._effect(self.sessions.flush(deadline * _SHARE))

    def enqueue(self, session: SessionRef) -> Effect:
        """Send all that waits, also to a server that was left alone and what it would not have before."""
        if self._captures(session):
            self.sessions.keep(session, (), least_turns=0)
        self.sessions.retry_refused()
        return self._effect(self.sessions.flush(self._config.retain_timeout_ms / 1000, force=True))

    def clear(self, session: SessionRef, *, dry_run: bool = True) -> Cleared:
        """Delete the documents of the session's scope on the server, after a copy, and what waits for it."""
        self._check()
        return clearing.clear(self.sessions, session, dry_run=dry_run)

    def undo_clear(self, session: SessionRef) -> Cleared:
        """Send again what the last `clear` of the scope took; the server reads it anew."""
        self._check()
        return clearing.undo(self.sessions, session)

    def status(self, session: SessionRef | None) -> Status:
        """Return what is known without asking the server."""
        return reports.status(self.sessions, session)

    def search(self, session: SessionRef, query: str, limit: int = 10) -> Search:
        """Ask the server. Raises ProviderError: a failure is not the same as nothing."""
        self._check()
        if not framing.is_substantive(query):
            return Search(self.name, query, message="a search needs a word")
        found = self.sessions.recall(session, query, self._config.recall_timeout_ms / 1000)[:limit]
        bank = self.sessions.scope(session).bank
        items = tuple(
            Found(each.text, each.id, each.kind or None, reports.ms(each.mentioned), each.score, bank) for each in found
        )
        return Search(self.name, query, items)

    def save(self, session: SessionRef, lessons: Sequence[Lesson]) -> Saved:
        """Keep lessons on disk, and send them; the server reads them in its own time."""
        if session.parent is not None:
            raise ReadOnlyError("a subagent's session only reads", hint="the session that started it may save")
        if self._config.scoping == "per-project" and any(lesson.everywhere for lesson in lessons):
            raise UsageError("there is no bank that all projects share", hint="HINDSIGHT_SCOPING=per-project-tagged")
        by, here = self.sessions.sealing(), self.sessions.scope(session)
        names: tuple[str, ...] = ()

        def change(kept: Kept) -> Kept:
            nonlocal names
            changed, names = capture.with_lessons(capture.within(kept, here, by), by, lessons)
            return changed

        self.sessions.ledger.change(session, change)
        sent = self.sessions.flush(SAVE_S)
        waits = f"{sent.waiting} still to be sent: {sent.error or 'the server was left alone'}"
        message = waits if sent.waiting and names else None if names else "nothing was left to keep"
        return Saved(self.name, names, queued=len(names), message=message)

    def lesson_scopes(self, session: SessionRef) -> tuple[LessonScope, ...]:
        """Return where lessons may go: to all projects as well, where they share a bank."""
        if session.parent is not None or not self.sessions.is_configured:
            return ()
        return ("project",) if self._config.scoping == "per-project" else ("project", "global")

    def reflects(self) -> bool:
        """Whether there is a server that can."""
        return self.sessions.is_configured

    def reflect(self, session: SessionRef, query: str, context: str | None = None) -> Reflection:
        """Have the server answer from what it knows. Raises ProviderError."""
        self._check()
        here = self.sessions.scope(session)
        body: dict[str, object] = {
            "query": "\n\n".join((query, context)) if context else query,
            "budget": self._config.recall_budget,
            "include": {"facts": {}},
            "tags": list(here.recall_tags) or None,
            "tags_match": "any" if here.recall_tags else None,
        }
        limit = self._config.reflect_timeout_ms / 1000
        told = self.sessions.client.ask("reflect", "POST", here.bank, "reflect", body=body, timeout=limit)
        based = told.get("based_on") or {}
        ids = [str(each["id"]) for each in based.get("memories") or ()]
        ids += [f"mental-model:{each['id']}" for each in based.get("mental_models") or ()]
        return Reflection(self.name, query, str(told.get("text") or ""), tuple(ids))

    def models(self, session: SessionRef) -> models.MentalModels:
        """Return the door to the mental models."""
        self._check()
        return self.sessions.models(session)

    def reload_models(self, session: SessionRef) -> Effect:
        """Show the mental models as they are now: the block of the start changes for the rest of the transcript."""
        if not self._config.mental_models_enabled or session.parent is not None:
            return Effect()
        text = self.sessions.load_models(session, self._config.request_timeout_ms / 1000)
        self.sessions.ledger.change(session, lambda kept: replace(kept, models=text))
        return Effect((Block("hindsight-models", text, "prefix"),) if text else ())

    def stats(self, session: SessionRef | None) -> str:
        """Return counts of what the server has, and of what waits here."""
        return reports.stats(self.sessions, session)

    def diagnose(self, session: SessionRef | None) -> str:
        """Return whether the server answers and takes the token, and what is stuck."""
        return reports.diagnose(self.sessions, session)

    def view(self, session: SessionRef | None) -> str:
        """Return the instructions and the mental models."""
        told = self.sessions.ledger.read(session).models if session is not None else ""
        return "\n\n".join(part for part in (self.instructions(session), told) if part)

    def queue(self, session: SessionRef | None) -> str:
        """Return what waits to be sent, and what the server would not have."""
        return reports.queue(self.sessions)

    def close(self) -> None:
        """Let go of the connections."""
        self.sessions.client.close()

    def _models(self, session: SessionRef, kept: Kept, limit: float) -> tuple[str, str]:
        """Return the block of mental models and why there may be less of it; a failure keeps the former one."""
        if not self._config.mental_models_enabled:
            return "", ""
        if self.sessions.reads.is_resting:
            return kept.models or "", self.sessions.reads.error
        try:
            return self.sessions.load_models(session, limit), ""
        except ProviderError as error:
            return kept.models or "", str(error)

    def _captures(self, session: SessionRef) -> bool:
        return self._config.auto_retain and session.parent is None and self.sessions.is_configured

    def _moment(self, deadline: float) -> float:
        return min(deadline, self._config.prompt_timeout_ms / 1000)

    def _effect(self, sent: Sent, blocks: tuple[Block, ...] = (), degraded: str = "") -> Effect:
        refused = f"the memory server would not have {sent.refused} of what was sent; `mnemopi memory queue` says why"
        return Effect(blocks, (refused,) if sent.refused else (), sent.waiting, degraded or sent.error or None)

    def _check(self) -> None:
        if not self.sessions.is_configured:
            raise UnavailableError(NO_SERVER, hint="set HINDSIGHT_API_URL")
