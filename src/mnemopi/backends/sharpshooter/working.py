"""The model's work on one project: extraction and consolidation, when they are due, with pauses after failures.

A failure is noted with the time from which it may be tried again: twice as long each time, up to a day. After `MOST`
in a row nothing is tried by itself until there is something new, or somebody says so (`force`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

from mnemopi.backends import files
from mnemopi.backends.asking import Asker
from mnemopi.backends.local.places import DATABASE
from mnemopi.backends.means import Means
from mnemopi.backends.sharpshooter import consolidating, extracting, friction
from mnemopi.backends.sharpshooter.shelf import Shelf
from mnemopi.errors import MnemopiError
from mnemopi.ingest.answers import BadAnswer
from mnemopi.model.values import dataclass
from mnemopi.providers.budget import BudgetedLLM
from mnemopi.storage.agent import AgentFile

Stop: TypeAlias = Callable[[], bool]
MOST: Final = 8
_TOGETHER: Final = 4
"""So many prompts without friction are read together."""
_WAIT_S: Final = 60.0
"""So long somebody who asked for the work waits for another process that is at it."""
_LOOK_S: Final = 0.05
_TOKENS: Final = {"extraction": extracting.MOST_TOKENS, "consolidation": consolidating.MOST_TOKENS}
_MINUTE_MS: Final = 60_000
_DAY_MS: Final = 86_400_000
_LIMIT: Final = 16_000


@dataclass(frozen=True, slots=True)
class Worked:
    """What was done: deltas read out of prompts, deltas put into the files, and why it is not all."""

    heard: int = 0
    settled: int = 0
    error: str = ""


class Work:
    """The work, for all projects."""

    def __init__(self, means: Means) -> None:
        self._means, self._clock = means, means.clock
        self._config = means.config.sharpshooter
        if self._config.model:
            named = means.config.changed({"llm.model": self._config.model})
            means = Means(named, means.clock, means.llm, means.db_path, means.options)
        self._llm = means.language_model()

    @property
    def model(self) -> str:
        """The name of the model; empty where there is none."""
        return self._llm.name if self._llm is not None else ""

    def run(self, shelf: Shelf, project: Path, *, force: bool = False, stop: Stop = lambda: False) -> Worked:
        """Do what is due, or with `force` all that waits. One at a time works on a project."""
        if self._llm is None or not self.is_due(shelf, force=force):
            return Worked()
        end = time.monotonic() + (_WAIT_S if force else 0)
        while True:
            with files.locked_now(shelf.root / "work.lock") as alone:
                if alone:
                    return self._alone(shelf, project, force, stop)
            if time.monotonic() >= end:
                return Worked(error="another process is at it" if force else "")
            time.sleep(_LOOK_S)

    def _alone(self, shelf: Shelf, project: Path, force: bool, stop: Stop) -> Worked:
        heard = settled = 0
        error = more = ""
        if self._may_extract(shelf, force):
            heard, error = self._tried(shelf, "extraction", lambda to: extracting.extract(shelf, to, stop))
        if not stop() and self._may_consolidate(shelf, force):
            settled, more = self._tried(shelf, "consolidation", lambda to: self._consolidate(shelf, to, project))
        return Worked(heard, settled, error or more)

    def is_due(self, shelf: Shelf, *, force: bool = False) -> bool:
        """Whether there is something to do now."""
        return self._may_extract(shelf, force) or self._may_consolidate(shelf, force)

    def due_in(self, shelf: Shelf) -> int:
        """Return the seconds until the files may be rewritten."""
        state = shelf.state()
        interval = self._config.interval_minutes * _MINUTE_MS
        at = max(int(state["lastConsolidatedAt"]) + interval, int(_of(state, "consolidation").get("nextAt", 0)))
        return max(at - self._clock(), 0) // 1000

    def _consolidate(self, shelf: Shelf, asker: Asker, project: Path) -> int:
        sessions = len({made.session for _, made in shelf.deltas()})
        count = consolidating.consolidate(shelf, asker, project)
        now = self._clock()
        result = {"at": now, "sessions": sessions, "deltas": count, "model": self.model}
        shelf.note(lastConsolidatedAt=now, lastResult=result, lastError=None)
        return count

    def _tried(self, shelf: Shelf, name: str, work: Callable[[Asker], int]) -> tuple[int, str]:
        """Run one part. It counts as a failure from its beginning on: a process may be killed in the middle of it."""
        self._failed(shelf, name, "it was broken off")
        try:
            with self._asker(_TOKENS[name]) as asker:
                count = work(asker)
        except MnemopiError as error:
            return 0, self._failed(shelf, name, error.message, again=True)
        except BadAnswer as error:
            return 0, self._failed(shelf, name, f"the model's answer cannot be used: {error}", again=True)
        shelf.note(**{name: None})
        return count, ""

    def _failed(self, shelf: Shelf, name: str, words: str, *, again: bool = False) -> str:
        """Note a failure, or (`again`) why the one that was noted came about."""
        failures = int(_of(shelf.state(), name).get("failures", 0)) + (0 if again else 1)
        first = max(self._config.interval_minutes, 1) * _MINUTE_MS
        pause = min(first * 2 ** (failures - 1), _DAY_MS)
        now = self._clock()
        waiting = len(shelf.prompts()) + len(shelf.deltas())
        shelf.note(**{name: {"failures": failures, "nextAt": now + pause, "waiting": waiting, "message": words}})
        if again:
            shelf.note(lastError={"at": now, "message": words})
        return words

    def _may_extract(self, shelf: Shelf, force: bool) -> bool:
        """Whether prompts are to be read now: at once where there is friction, else some together, or after a while."""
        if not self._may(shelf, "extraction", force):
            return False
        prompts = [prompt for _, prompt in shelf.prompts()]
        if force or len(prompts) >= _TOGETHER:
            return bool(prompts)
        oldest = self._clock() - self._config.interval_minutes * _MINUTE_MS
        return any(prompt.at <= oldest or friction.found(prompt.text) for prompt in prompts)

    def _may_consolidate(self, shelf: Shelf, force: bool) -> bool:
        interval = self._config.interval_minutes * _MINUTE_MS
        rests = self._clock() - int(shelf.state()["lastConsolidatedAt"]) < interval
        return (force or not rests) and self._may(shelf, "consolidation", force) and bool(shelf.deltas())

    def _may(self, shelf: Shelf, name: str, force: bool) -> bool:
        noted = _of(shelf.state(), name)
        if force or not noted:
            return True
        if int(noted.get("failures", 0)) >= MOST:
            waiting = len(shelf.prompts()) + len(shelf.deltas())
            return waiting > int(noted.get("waiting", 0)) and int(noted.get("nextAt", 0)) <= self._clock()
        return int(noted.get("nextAt", 0)) <= self._clock()

    @contextmanager
    def _asker(self, most: int) -> Iterator[Asker]:
        """Have the model answer within the budget of an hour, which all processes of the agent layer share."""
        assert self._llm is not None
        config = self._means.config
        file = AgentFile(self._means.agent_dir / DATABASE, timeout=config.storage.busy_timeout)
        try:
            calls, tokens = config.llm.calls_per_hour, config.llm.tokens_per_hour
            paid = BudgetedLLM(self._llm, file.spending, self._clock, calls=calls, tokens=tokens)
            yield Asker(paid, most, config.llm.timeout, _LIMIT)
        finally:
            file.close()


def _of(state: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = state.get(name)
    return found if isinstance(found, dict) else {}
