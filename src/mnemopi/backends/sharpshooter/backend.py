"""The backend: prompts wait as soon as they are typed, a model reads them beside the session, the files come next time.

What a session begins with stays as it is for its transcript. Nothing is recalled for a prompt. Without a language model
the prompts in which rules see friction wait for one, and the backend says so.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from mnemopi.backends import framing, stripping
from mnemopi.backends.backend import Folders
from mnemopi.backends.means import Means
from mnemopi.backends.sharpshooter import clearing, extracting, friction, reports
from mnemopi.backends.sharpshooter.memo import Memo, Memos
from mnemopi.backends.sharpshooter.shelf import Prompt, Shelf, mark
from mnemopi.backends.sharpshooter.working import Work
from mnemopi.model.session import (
    Block,
    Cleared,
    Effect,
    Found,
    Lesson,
    Message,
    Saved,
    Search,
    SessionRef,
    StartReason,
    Status,
    Turn,
)
from mnemopi.projects import identity
from mnemopi.projects.registry import Registry
from mnemopi.schedule import Worker
from mnemopi.text import redact

CLOSE_S: Final = 5.0
"""So long closing waits for a model that is reading."""
_RECENT: Final = 20
"""So many messages before a prompt are looked at: it is not to wait for more."""
_LOOK_MS: Final = 60_000
_MOST_UNREAD: Final = 500
"""So many prompts wait where there is no model; then the oldest go."""


class Sharpshooter:
    """Memory of decisions."""

    name = "sharpshooter"

    def __init__(self, means: Means) -> None:
        """Nothing is written before the first event."""
        self._config, self._clock = means.config.sharpshooter, means.clock
        self._patterns = means.config.memory.projects
        self._registry = Registry(means.agent_dir)
        self._folder = means.agent_dir / "memories" / "sharpshooter"
        self._memos = Memos(self._folder / ".sessions", means.clock)
        self._work = Work(means)
        self._worker = Worker(self._work_off, self._look)
        self._guard = threading.Lock()
        self._live: dict[Path, Path] = {}
        self._looked = 0
        self._ending = False

    def start(self, session: SessionRef, reason: StartReason, *, deadline: float) -> Effect:
        """Give the decisions, the same ones until a new transcript begins, and go on with what was left over."""
        shelf = self._shelf(session)
        begun = self._memos.read(session)
        text = begun.block
        if text is None or reason in ("startup", "clear", "fork"):
            text = reports.block(shelf.texts(), self._config.injection_token_limit)
            self._memos.change(session, lambda memo: replace(memo, bank=shelf.root.name, block=text))
        if session.parent is not None:
            return Effect(_blocks(text))
        self._memos.prune()
        self._poke(session)
        unread = len(shelf.prompts())
        notice = f"{unread} prompts wait for a language model, and none is set: see MNEMOPI_LLM_BASE_URL"
        return Effect(_blocks(text), (notice,) if unread and not self._work.model else (), self._jobs(shelf))

    def instructions(self, session: SessionRef | None) -> str:
        """Return what the model should know of the decisions."""
        return reports.INSTRUCTIONS

    def before_prompt(
        self, session: SessionRef, prompt: Message, recent: Sequence[Message], *, deadline: float
    ) -> Effect:
        """Let the prompt wait to be read; nothing is recalled."""
        if session.parent is None:
            self._hear(session, (*recent[-_RECENT:], prompt), early=prompt)
        return Effect()

    def turn_end(self, session: SessionRef, turn: Turn, *, deadline: float) -> Effect:
        """Let the prompts of the turn wait, and have them read beside the session."""
        if session.parent is not None:
            return Effect()
        self._hear(session, turn.messages)
        self._poke(session)
        return Effect(jobs=self._jobs(self._shelf(session)))

    def before_compaction(self, session: SessionRef, dropping: Sequence[Message], *, deadline: float) -> Effect:
        """Let the prompts that are dropped wait to be read."""
        if session.parent is None:
            self._hear(session, dropping)
        return Effect()

    def end(self, session: SessionRef, *, deadline: float) -> Effect:
        """Have what waits read; what is not done in time is on disk, for the next session."""
        if session.parent is not None:
            return Effect()
        self._poke(session)
        return Effect(jobs=self._jobs(self._shelf(session)))

    def enqueue(self, session: SessionRef) -> Effect:
        """Read and consolidate all that waits, now."""
        shelf = self._shelf(session)
        if not self._work.model:
            return Effect(jobs=self._jobs(shelf), degraded=reports.NO_MODEL)
        done = self._work.run(shelf, Path(session.cwd), force=True)
        return Effect(jobs=self._jobs(shelf), degraded=done.error or None)

    def clear(self, session: SessionRef, *, dry_run: bool = True) -> Cleared:
        """Take the project's decisions away, with all that waits."""
        cleared = clearing.clear(self._folder, self._shelf(session), self._clock(), dry_run=dry_run)
        if not dry_run:
            self._memos.forget_blocks(self._shelf(session).root.name)
        return cleared

    def undo_clear(self, session: SessionRef) -> Cleared:
        """Bring the decisions back; those made since are put aside, and come back with another undo."""
        done = clearing.undo(self._folder, self._shelf(session), self._clock())
        self._memos.forget_blocks(self._shelf(session).root.name)
        return done

    def status(self, session: SessionRef | None) -> Status:
        """Return what is there, and what waits."""
        return reports.status(self._shelf(session) if session is not None else None, self._work)

    def search(self, session: SessionRef, query: str, limit: int = 10) -> Search:
        """Find lines of the files: those with the words as they stand, then those with all of them."""
        shelf = self._shelf(session)
        asked = " ".join(query.lower().split())
        if not asked:
            return Search(self.name, query, message="a search needs a word")
        found: list[tuple[int, Found]] = []
        for name, text in shelf.texts().items():
            for number, line in enumerate(text.splitlines(), 1):
                rank = reports.matches(line, asked)
                if rank is not None:
                    found.append((rank, Found(line.strip(), f"{name}:{number}", name, bank=shelf.root.name)))
        ranked = sorted(found, key=lambda each: each[0])
        return Search(self.name, query, tuple(item for _, item in ranked[:limit]))

    def save(self, session: SessionRef, lessons: Sequence[Lesson]) -> Saved:
        """Keep nothing: a decision has to be a person's, and is read out of what they say."""
        return Saved(self.name, message="decisions are read out of what people say; the files may be edited by hand")

    def folders(self, session: SessionRef) -> Folders:
        """Return where the project's decisions lie."""
        return Folders((self._shelf(session).root,), endings=(".md",))

    def stats(self, session: SessionRef | None) -> str:
        """Return the sizes of the files, what waits, and what was done last."""
        return reports.stats(self._shelf(session) if session is not None else None)

    def diagnose(self, session: SessionRef | None) -> str:
        """Return what the work needs, when it is due, and why it failed."""
        return reports.diagnose(self._shelf(session) if session is not None else None, self._work, self._config)

    def view(self, session: SessionRef | None) -> str:
        """Return the instructions and the decisions that the session began with, else those of now."""
        if session is None:
            return reports.INSTRUCTIONS
        text = self._memos.read(session).block
        if text is None:
            text = reports.block(self._shelf(session).texts(), self._config.injection_token_limit)
        return "\n\n".join(part for part in (reports.INSTRUCTIONS, text) if part)

    def queue(self, session: SessionRef | None) -> str:
        """Return the prompts and deltas that wait."""
        return reports.queue(self._shelf(session)) if session is not None else "Name a project to see what waits in it."

    def close(self) -> None:
        """Let the model that is reading end, for a moment, and ask none anew."""
        self._ending = True
        self._worker.close(CLOSE_S)

    def _hear(self, session: SessionRef, messages: Sequence[Message], early: Message | None = None) -> None:
        """Let prompts that were not seen yet wait. `early` is told before its host wrote it down, perhaps with
        another id than later."""
        shelf = self._shelf(session)
        has_model = bool(self._work.model)
        now = self._clock()

        def change(memo: Memo) -> Memo:
            seen, waits = set(memo.seen), list(memo.early)
            for message in messages:
                if mark(message.entry) in seen:
                    continue
                seen.add(mark(message.entry))
                memo = replace(memo, seen=(*memo.seen, mark(message.entry)))
                text = redact.redact(stripping.stripped(message.text).text, "full").text
                if message.role == "user" and mark(text) in waits and message is not early:
                    waits.remove(mark(text))
                    continue
                made = self._made(message, text, memo, session, now) if message.role == "user" else None
                if made is not None and (has_model or friction.found(text)):
                    shelf.add_prompt(made)
                if message is early:
                    waits.append(mark(text))
                memo = memo.heard(message.role, text) if framing.is_substantive(text) else memo
            return replace(memo, bank=shelf.root.name, early=tuple(waits[-20:]))

        self._memos.change(session, change)
        if not has_model:
            shelf.take(path for path, _ in shelf.prompts()[:-_MOST_UNREAD])

    def _made(self, message: Message, text: str, memo: Memo, session: SessionRef, now: int) -> Prompt | None:
        before = [Message("", "user", memo.user), Message("", "assistant", memo.assistant)]
        return extracting.waiting(message, text, before, f"{session.host}:{session.id}", now)

    def _poke(self, session: SessionRef) -> None:
        """Have the worker look at a project, where there is something for it."""
        shelf = self._shelf(session)
        if self._work.model and not self._ending:
            with self._guard:
                self._live[shelf.root] = Path(session.cwd)
            if self._work.is_due(shelf):
                self._worker.poke()

    def _work_off(self, stop: object) -> bool:
        """Do what is due in the projects of this process's sessions; pauses after failures are noted there."""
        with self._guard:
            live = list(self._live.items())
        for root, project in live:
            if not self._ending:
                self._work.run(Shelf(root), project, stop=lambda: self._ending)
        return False

    def _look(self) -> None:
        """See now and then whether a pause is over."""
        now = self._clock()
        if self._ending or now - self._looked < _LOOK_MS:
            return
        self._looked = now
        with self._guard:
            live = list(self._live)
        if any(self._work.is_due(Shelf(root)) for root in live):
            self._worker.poke()

    def _shelf(self, session: SessionRef) -> Shelf:
        return Shelf(self._folder / self._registry.of(identity.identify(session.cwd, self._patterns)).bank)

    def _jobs(self, shelf: Shelf) -> int:
        return len(shelf.prompts()) + len(shelf.deltas())


def _blocks(text: str) -> tuple[Block, ...]:
    return (Block("sharpshooter-decisions", text, "prefix"),) if text else ()
