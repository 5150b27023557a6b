"""Work off the jobs of a project: sessions first, several at a time, then its documents. Never raises for a job.

Where the language model is out of reach, refuses or has no budget left, work stops: it is no session's fault, counts as
no attempt, and goes on with the next start. What fails on its own account waits longer each time, and is given up.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeAlias

from mnemopi.backends.local import reading, writing
from mnemopi.backends.local.heart import Lost
from mnemopi.backends.local.kit import ATTEMPTS, DOCUMENTS, SESSION, Kit
from mnemopi.backends.local.places import Project
from mnemopi.backends.local.reading import Stopped
from mnemopi.errors import BudgetError, MnemopiError, RefusedError, UnavailableError
from mnemopi.ingest.answers import BadAnswer
from mnemopi.model.values import dataclass
from mnemopi.storage.jobs import Claim

Stop: TypeAlias = Callable[[], bool]
_NOT_NOW: Final = frozenset({401, 402, 403, 429})
"""What a server answers to each request then, whatever is in it."""


@dataclass(frozen=True, slots=True)
class Worked:
    """What was done: sessions read, whether documents were written, what failed, and why it stopped before the end."""

    sessions: int = 0
    documents: bool = False
    failures: int = 0
    error: str = ""


class Work:
    """The work on one project, by one process."""

    def __init__(self, kit: Kit, project: Project, stop: Stop) -> None:
        self._kit, self._project, self._stop = kit, project, stop
        self._guard = threading.Lock()
        self._left = kit.config.max_rollouts_per_startup
        self._sessions = self._failures = 0
        self._error = ""

    def run(self) -> Worked:
        """Work until nothing is due, `stop()` says so, or the model cannot go on."""
        due = self._kit.file.jobs.due(SESSION, self._project.scope, self._kit.clock(), ATTEMPTS)
        others = [
            threading.Thread(target=self._read_on, name="mnemopi-reader", daemon=True)
            for _ in range(min(due, self._left, self._kit.config.stage1_concurrency) - 1)
        ]
        if self._kit.asker is None:
            others = []  # rules take no time that could be shared
        for each in others:
            each.start()
        self._read_on()
        for each in others:
            each.join()
        written = self._write()
        return Worked(self._sessions, written, self._failures, self._error)

    def _read_on(self) -> None:
        config = self._kit.config
        while not self._is_over() and self._take_one():
            lease = round(config.stage1_lease_seconds * 1000)
            claim = self._claim(SESSION, lease, config.stage1_concurrency)
            if claim is None:
                return
            with self._kit.heart.holding(claim, lease):
                if self._tried(claim, lambda claim=claim: self._read(claim)):  # type: ignore[misc]
                    with self._guard:
                        self._sessions += 1

    def _write(self) -> bool:
        lease = round(self._kit.config.phase2_lease_seconds * 1000)
        claim = None if self._is_over() else self._claim(DOCUMENTS, lease, 1)
        if claim is None:
            return False
        with self._kit.heart.holding(claim, lease):
            return self._tried(
                claim,
                lambda: writing.write(self._kit, claim, self._project, self._is_over),
                lambda error: self._write_failed(claim, error),
            )

    def _write_failed(self, claim: Claim, error: Exception) -> None:
        """Let the documents wait; at the last attempt rules write them, so that what is known gets in."""
        if claim.attempt < ATTEMPTS:
            pause = round(self._kit.config.phase2_retry_delay_seconds * 1000)
            self._kit.file.jobs.fail(claim, self._kit.clock(), _why(error), pause)
            return
        writing.write(replace(self._kit, asker=None), claim, self._project, self._is_over)

    def _claim(self, kind: str, lease_ms: int, at_once: int) -> Claim | None:
        now = self._kit.clock()
        return self._kit.file.jobs.claim(kind, self._project.scope, now, lease_ms, attempts=ATTEMPTS, at_once=at_once)

    def _read(self, claim: Claim) -> None:
        reading.read(self._kit, claim, self._project.scope, self._is_over)

    def _tried(
        self, claim: Claim, work: Callable[[], None], failed: Callable[[Exception], object] | None = None
    ) -> bool:
        """Do a job; say whether it is done."""
        jobs, now = self._kit.file.jobs, self._kit.clock
        try:
            work()
        except Lost:
            return False
        except Stopped:
            jobs.put_back(claim, now())
            return False
        except (BadAnswer, MnemopiError, OSError) as error:
            if _is_out_of_reach(error):
                pause = round(self._kit.config.stage1_retry_delay_seconds * 1000)
                jobs.put_back(claim, now() + pause, str(error))
                self._error = str(error)
                return False
            self._failures += 1
            try:
                (failed or (lambda why: reading.failed(self._kit, claim, self._project.scope, why)))(error)
            except (Lost, MnemopiError, OSError):
                jobs.fail(claim, now(), _why(error), round(self._kit.config.stage1_retry_delay_seconds * 1000))
            return False
        return True

    def _take_one(self) -> bool:
        with self._guard:
            self._left -= 1
            return self._left >= 0

    def _is_over(self) -> bool:
        return bool(self._error) or self._stop()


def _why(error: Exception) -> str:
    return f"the answer cannot be used: {error}" if isinstance(error, BadAnswer) else str(error)


def _is_out_of_reach(error: Exception) -> bool:
    """Whether the model would not answer another question either."""
    if isinstance(error, RefusedError) and not isinstance(error, BudgetError):
        return error.status in _NOT_NOW
    return isinstance(error, UnavailableError | BudgetError)
