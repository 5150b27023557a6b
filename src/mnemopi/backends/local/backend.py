"""The backend `local`: documents made of past sessions, and lessons in a file. A session begins with both.

start     finish what died, look for past sessions, give the frozen blocks; a thread works while the host goes on
turn_end  nothing, where the host keeps a file of the session; else what was said is written down for later
enqueue   read all that waits, now

A subagent only reads. There is nothing before a prompt: what is wanted stands in the prefix, the rest is searched for.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mnemopi.backends.backend import Folders
from mnemopi.backends.local import clearing, lessons, prefix, publish, reports, scanning, spool
from mnemopi.backends.local.heart import Heart
from mnemopi.backends.local.kit import ATTEMPTS, DOCUMENTS, SESSION, Kit
from mnemopi.backends.local.places import SUMMARY, Places, Project
from mnemopi.backends.local.scanning import Seeing
from mnemopi.backends.means import Means
from mnemopi.errors import ConflictError, StorageError, UsageError, warn
from mnemopi.model.session import (
    Block,
    Cleared,
    Effect,
    Lesson,
    LessonScope,
    Message,
    Saved,
    Search,
    SessionRef,
    StartReason,
    Status,
    Turn,
)
from mnemopi.storage import private
from mnemopi.storage.agent import AgentFile

if TYPE_CHECKING:
    from mnemopi.backends.asking import Asker
    from mnemopi.backends.local.working import Worked

_MONTH_MS: Final = 30 * 86_400_000
_PATIENCE: Final = 1.0
"""Seconds that closing waits for work to come to its end."""
_CALM: Final = 5.0
_LEAST_ANSWER, _MOST_ANSWER, _ANSWER_SHARE = 1024, 4096, 0.2


class Local:
    """Memory in files, of one person on one machine."""

    name = "local"

    def __init__(
        self,
        means: Means,
        *,
        background: bool = True,
        calm: float = _CALM,
        scope_of: Callable[[str], str] | None = None,
    ) -> None:
        """`background`: work goes on beside the host after a start, a model's from `calm` seconds on, since a process
        that a host starts for one event is over by then; else only `enqueue` and `work` do it."""
        self._config, self._clock, self._background = means.config, means.clock, background
        self._places = Places(means.config, scope_of)
        self._means = means
        self._guard = threading.RLock()
        self._file: AgentFile | None = None
        self._kit: Kit | None = None
        self._worker: threading.Thread | None = None
        self._calm = calm
        self._wanted: dict[str, Project] = {}
        self._over = threading.Event()
        atexit.register(self.close)

    # -- events

    def start(self, session: SessionRef, reason: StartReason, *, deadline: float) -> Effect:
        """Give the frozen blocks, and let past sessions be read."""
        project = self._project(session)
        if publish.is_half_done(project.root):
            with project.locked():
                pass  # which finishes it
        blocks: tuple[Block, ...] = ()
        try:
            blocks = self._frozen(session, project, anew=reason == "clear")
            return Effect(blocks, jobs=0 if session.parent is not None else self._looked_after(session, project))
        except (StorageError, ConflictError) as error:  # what stands in files is shown, though nothing can be noted
            return Effect(blocks or _blocks(self._block(project)), degraded=error.message)

    def instructions(self, session: SessionRef | None) -> str:
        """Say what stands where, and how far to trust it."""
        return prefix.INSTRUCTIONS

    def before_prompt(
        self, session: SessionRef, prompt: Message, recent: Sequence[Message], *, deadline: float
    ) -> Effect:
        """Do nothing: the prefix holds what is to be known."""
        return Effect()

    def turn_end(self, session: SessionRef, turn: Turn, *, deadline: float) -> Effect:
        """Write down what was said, for a host that keeps no file of the session."""
        return self._spooled(session, turn.messages)

    def before_compaction(self, session: SessionRef, dropping: Sequence[Message], *, deadline: float) -> Effect:
        """Write down what is about to be dropped, for a host that keeps no file of the session."""
        return self._spooled(session, dropping)

    def end(self, session: SessionRef, *, deadline: float) -> Effect:
        """Say what waits; the session itself is read when it has rested."""
        return Effect(jobs=self._waiting(self._project(session)) if session.parent is None else 0)

    def enqueue(self, session: SessionRef) -> Effect:
        """Read all past sessions that wait, also those that rest for a short time, or were given up; then the
        documents."""
        if session.parent is not None:
            return Effect(degraded="a subagent only reads")
        project, kit = self._project(session), self._ready()
        from mnemopi.backends.local import working  # noqa: PLC0415 -- with the rules of a language and all

        self._scan(project, session, 0)
        kit.file.jobs.retry(project.scope, self._clock())
        sessions, written = 0, False
        while True:  # a run takes no more than a start may
            done = working.Work(kit, project, self._over.is_set).run()
            sessions, written = sessions + done.sessions, written or done.documents
            waiting = self._waiting(project)
            if not waiting or not done.sessions or done.error:
                break
        notices = (f"{sessions} sessions read" + (", documents written" if written else ""),)
        return Effect((), notices, waiting, done.error or None)

    def work(self, session: SessionRef) -> Worked:
        """Do what is due in a session's project, in this thread: for a host's own worker."""
        from mnemopi.backends.local import working  # noqa: PLC0415

        return working.Work(self._ready(), self._project(session), self._over.is_set).run()

    # -- questions and commands

    def clear(self, session: SessionRef, *, dry_run: bool = True) -> Cleared:
        """Take the project's memory away, or say what that would be."""
        taking = clearing.Clearing(self._places, self._ready().file)
        project = self._project(session)
        return Cleared(taking.lines(project)) if dry_run else taking.clear(project, self._clock())

    def undo_clear(self, session: SessionRef) -> Cleared:
        """Bring back what the last clearing took, within its week. Raises NotFoundError."""
        taking = clearing.Clearing(self._places, self._ready().file)
        return taking.undo(self._project(session), self._clock())

    def status(self, session: SessionRef | None) -> Status:
        """Say what there is, without starting anything."""
        if session is None:
            return Status(self.name, active=True, writable=True, searchable=True)
        project, is_there = self._project(session), self._places.database.exists()
        accounts = self._ready().file.sessions.accounts(project.scope, _ALL) if is_there else ()
        return Status(
            self.name,
            active=True,
            writable=session.parent is None,
            searchable=True,
            scope=project.scope,
            retain_bank=project.scope,
            recall_banks=(project.scope,),
            working_count=len(lessons.of(private.read(project.root / lessons.FILE) or "")),
            episodic_count=len(accounts),
            last_memory=max((each.made_at for each in accounts), default=None),
            last_recall=bool(self._block(project)),
            database=str(self._places.database),
            message=None if self._has_model() else reports.BY_RULES,
        )

    def search(self, session: SessionRef, query: str, limit: int = 10) -> Search:
        """Find what documents, playbooks, lessons and summaries say."""
        from mnemopi.backends.local import lookup  # noqa: PLC0415

        items = lookup.search(self._project(session).roots, query, limit)
        return Search(self.name, query, items, None if items else "nothing in the documents says anything of that")

    def save(self, session: SessionRef, lessons_: Sequence[Lesson]) -> Saved:
        """Keep lessons. Raises UsageError for one that is for all projects, and where nothing of one remains."""
        if session.parent is not None:
            raise UsageError("a subagent only reads memory", hint="let the session that started it save this")
        if any(each.everywhere for each in lessons_):
            raise UsageError("this memory has no place for all projects", hint="the backend `mnemopi` has one")
        new = [lessons.line(each) for each in lessons_]
        kept = [each for each in new if each is not None]
        if len(kept) < len(new):
            return Saved(
                self.name, message="nothing was stored: nothing of a lesson remains without control characters"
            )
        project = self._project(session)
        with project.locked():
            lessons.save(project.root, kept)
        return Saved(self.name, tuple(lessons.id_of(each) for each in kept), len(kept))

    def lesson_scopes(self, session: SessionRef) -> tuple[LessonScope, ...]:
        """Return where lessons may go: nowhere but to the project."""
        return ("project",) if session.parent is None else ()

    def folders(self, session: SessionRef) -> Folders:
        """Return where the project's documents lie, the summary to be read first."""
        return Folders(self._project(session).roots, SUMMARY)

    def stats(self, session: SessionRef | None) -> str:
        """Count what there is of the session's project."""
        return (
            _NO_SESSION if session is None else reports.stats(self._ready().file, self._project(session), self._clock())
        )

    def diagnose(self, session: SessionRef | None) -> str:
        """Say what is wrong."""
        if session is None:
            return _NO_SESSION
        return reports.diagnose(self._ready().file, self._project(session), self._clock(), self._has_model())

    def view(self, session: SessionRef | None) -> str:
        """Show what the model is given."""
        if session is None:
            return prefix.INSTRUCTIONS
        project = self._project(session)
        known = self._ready().file.sessions.prefix(session.host, session.id, project.scope)
        text = prefix.block(project, self._config.memories.summary_injection_token_limit) if known is None else known
        return f"{prefix.INSTRUCTIONS}\n\n{text}".strip()

    def queue(self, session: SessionRef | None) -> str:
        """List what waits."""
        if session is None:
            return _NO_SESSION
        return reports.queue(self._ready().file.jobs.list(self._project(session).scope), self._clock())

    def close(self) -> None:
        """Stop working, give back what is not done, and close the file; safe to call twice."""
        self._over.set()
        atexit.unregister(self.close)
        with self._guard:
            kit, worker = self._kit, self._worker
            self._kit = self._worker = None
        if kit is not None:
            kit.heart.give_back()
        if worker is not None and worker is not threading.current_thread():
            worker.join(_PATIENCE)
        if self._file is not None:
            self._file.close()

    # -- within

    def _project(self, session: SessionRef) -> Project:
        return self._places.project(session.cwd)

    def _ready(self) -> Kit:
        """Return what work is done with, opened when it is first needed."""
        with self._guard:
            if self._over.is_set():
                raise UsageError("this backend is closed", hint="resolve_backend() makes another")
            if self._kit is None:
                config = self._config.memories
                file = self._file = AgentFile(self._places.database, timeout=self._config.storage.busy_timeout)
                lease = min(config.stage1_lease_seconds, config.phase2_lease_seconds)
                heart = Heart(file.jobs, self._clock, min(config.phase2_heartbeat_seconds, lease / 3))
                self._kit = Kit(file, config, self._clock, self._config.zone, heart, self._asker(file))
            return self._kit

    def _asker(self, file: AgentFile) -> Asker | None:
        llm, told = self._means.language_model(), self._config.llm
        if llm is None:
            return None
        from mnemopi.backends.asking import Asker  # noqa: PLC0415
        from mnemopi.providers.budget import BudgetedLLM  # noqa: PLC0415

        config = self._config.memories
        whole = config.fallback_token_limit
        paid = BudgetedLLM(llm, file.spending, self._clock, calls=told.calls_per_hour, tokens=told.tokens_per_hour)
        answer = min(max(round(whole * _ANSWER_SHARE), _LEAST_ANSWER), _MOST_ANSWER, told.max_tokens)
        limit = min(config.phase1_input_token_limit, int(whole * config.rollout_payload_percent))
        return Asker(paid, answer, told.timeout, limit)

    def _has_model(self) -> bool:
        return self._kit.asker is not None if self._kit is not None else self._means.language_model() is not None

    def _looked_after(self, session: SessionRef, project: Project) -> int:
        """Look for past sessions, and have them read; return how many jobs wait."""
        self._sweep(self._clock())
        self._scan(project, session, self._config.memories.min_rollout_idle_hours)
        waiting = self._waiting(project)
        if waiting and self._background:
            self._wake(self._ready(), project)
        return waiting

    def _frozen(self, session: SessionRef, project: Project, anew: bool) -> tuple[Block, ...]:
        """Return the session's block, the same to the byte from its first start on."""
        sessions, now = self._ready().file.sessions, self._clock()
        text = None if anew else sessions.prefix(session.host, session.id, project.scope)
        if text is None:
            text = self._block(project)
            sessions.freeze(session.host, session.id, project.scope, text, now, now - _MONTH_MS)
        return _blocks(text)

    def _block(self, project: Project) -> str:
        return prefix.block(project, self._config.memories.summary_injection_token_limit)

    def _scan(self, project: Project, session: SessionRef, idle_hours: float) -> None:
        kit = self._ready()
        folders: dict[str, Path] = {**self._config.session_dirs, "mnemopi": self._places.spool}
        seeing = Seeing(kit.config, folders, self._places.scopes(), kit.asker is not None)
        scanning.scan(kit.file, seeing, project.scope, session, self._clock(), idle_hours)

    def _waiting(self, project: Project) -> int:
        jobs, now = self._ready().file.jobs, self._clock()
        return sum(jobs.due(kind, project.scope, now, ATTEMPTS) for kind in (SESSION, DOCUMENTS))

    def _spooled(self, session: SessionRef, messages: Sequence[Message]) -> Effect:
        if session.parent is None and session.transcript is None:
            spool.add(self._places.spool, session, messages)
        return Effect()

    def _sweep(self, now: int) -> None:
        spool.sweep(self._places.spool, now, self._config.memories.max_rollout_age_days)
        clearing.Clearing(self._places, self._ready().file).sweep(now)

    def _wake(self, kit: Kit, project: Project) -> None:
        """Work beside the host: one thread, one project after the other."""
        with self._guard:
            self._wanted[project.scope] = project
            if self._worker is None or not self._worker.is_alive():
                self._worker = threading.Thread(target=self._work_off, args=(kit,), name="mnemopi-local", daemon=True)
                self._worker.start()

    def _work_off(self, kit: Kit) -> None:
        if kit.asker is not None and self._over.wait(self._calm):
            return
        from mnemopi.backends.local import working  # noqa: PLC0415

        try:
            while not self._over.is_set() and (project := self._next()) is not None:
                done = working.Work(kit, project, self._over.is_set).run()
                if done.error:
                    warn("memory of past sessions waits: %s", done.error)
        except Exception as error:  # noqa: BLE001 -- nobody waits for this thread; what it left is taken up later
            if not self._over.is_set():
                warn("memory of past sessions stopped: %s", error)

    def _next(self) -> Project | None:
        """Return the next project to work on; where there is none, this thread is over."""
        with self._guard:
            if not self._wanted:
                self._worker = None
                return None
            return self._wanted.pop(next(iter(self._wanted)))


def _blocks(text: str) -> tuple[Block, ...]:
    return (Block("local", text, "prefix"),) if text else ()


_NO_SESSION: Final = "Local memory is by project; name a session, or run this in its folder."
_ALL: Final = 1_000_000
