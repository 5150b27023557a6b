"""Work that waits, in a file: each piece once, claimed for a time by one process, and given up after some attempts.

An attempt counts when it is claimed, so that work which kills its process is not claimed for ever. A claim ends with
its lease; who holds it lengthens the lease while at work, and finds out at the end whether it was still theirs.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from mnemopi.model.values import dataclass
from mnemopi.ports import Connection, Value
from mnemopi.storage import ids
from mnemopi.storage.queries import Queries

_LONGEST_PAUSE_MS: Final = 6 * 3_600_000
_ERROR_CHARS: Final = 300


@dataclass(frozen=True, slots=True)
class Claim:
    """A claimed job: its token, which number is to be done, which attempt this is."""

    kind: str
    key: str
    token: str
    wanted: int
    attempt: int


@dataclass(frozen=True, slots=True)
class Job:
    """A job as it stands. `status` is waiting, running, failed or done; times are UTC milliseconds."""

    kind: str
    key: str
    status: str
    wanted: int
    done: int
    attempts: int
    due_at: int
    lease_until: int
    error: str | None

    def state(self, now: int, most: int) -> str:
        """Say how it stands with the job: done, running, given up, failed or waiting."""
        if self.wanted <= self.done:
            return "done"
        if self.status == "running" and self.lease_until > now:
            return "running"
        return "given up" if self.attempts >= most else "failed" if self.error else "waiting"


class Jobs:
    """The jobs of a file."""

    def __init__(self, connection: Connection, sql: Queries) -> None:
        self._connection, self._sql = connection, sql

    def want(self, kind: str, key: str, scope: str, wanted: int, now: int) -> None:
        """Have a job done up to a number that grows with each change; nothing where it was wanted before."""
        row: dict[str, Value] = {"kind": kind, "key": key, "scope": scope, "wanted": wanted, "now": now}
        self._connection.execute(self._sql.want_job, row)

    def want_more(self, kind: str, key: str, scope: str, now: int) -> None:
        """Have a job done once more, also where somebody is at it."""
        row: dict[str, Value] = {"kind": kind, "key": key, "scope": scope, "now": now}
        self._connection.execute(self._sql.want_more, row)

    def claim(self, kind: str, scope: str, now: int, lease_ms: int, *, attempts: int, at_once: int = 1) -> Claim | None:
        """Claim the next job that is due and not given up; None where there is none, or `at_once` are running."""
        with self._connection.transaction():
            (running,) = self._connection.all(self._sql.count_running_jobs, {"kind": kind, "now": now})[0]
            found = self._connection.all(self._sql.next_job, _due(kind, scope, now, attempts))
            if running >= at_once or not found:
                return None
            key, wanted, tried = found[0]
            row: dict[str, Value] = {"kind": kind, "key": key, "token": ids.new(), "until": now + lease_ms}
            self._connection.execute(self._sql.take_job, row | {"worker": f"pid {os.getpid()}"})
            return Claim(kind, key, str(row["token"]), wanted, tried + 1)

    def due(self, kind: str, scope: str, now: int, attempts: int) -> int:
        """Count the jobs that could be claimed."""
        return int(self._connection.all(self._sql.count_due_jobs, _due(kind, scope, now, attempts))[0][0])

    def beat(self, claim: Claim, now: int, lease_ms: int) -> bool:
        """Lengthen a claim; False where it is no longer ours."""
        return self._connection.execute(self._sql.beat_job, {"token": claim.token, "until": now + lease_ms}) > 0

    def end(self, claim: Claim, now: int) -> bool:
        """Say that the work is done; False, and nothing written, where it was no longer ours."""
        return self._connection.execute(self._sql.end_job, {"token": claim.token, "now": now}) > 0

    def fail(self, claim: Claim, now: int, error: str, pause_ms: int) -> bool:
        """Say that the work failed: it is due again after a pause that doubles with each attempt, up to six hours."""
        pause = min(pause_ms * 2 ** min(claim.attempt - 1, 20), _LONGEST_PAUSE_MS)
        row: dict[str, Value] = {"token": claim.token, "due": now + pause, "error": error[:_ERROR_CHARS]}
        return self._connection.execute(self._sql.fail_job, row) > 0

    def put_back(self, claim: Claim, due: int, error: str | None = None) -> bool:
        """Give the work back, due at a time (UTC ms), as if it had not been tried: it was not its fault."""
        row: dict[str, Value] = {"token": claim.token, "due": due, "error": error and error[:_ERROR_CHARS]}
        return self._connection.execute(self._sql.put_back_job, row) > 0

    def retry(self, scope: str, now: int) -> int:
        """Let what waits, failed or was given up be tried now; return how many those are."""
        return self._connection.execute(self._sql.retry_jobs, {"scope": scope, "now": now})

    def list(self, scope: str) -> Sequence[Job]:
        """List the jobs of a scope, the open ones first."""
        return [Job(*row) for row in self._connection.all(self._sql.list_jobs, {"scope": scope})]

    def drop(self, kind: str, key: str) -> None:
        """Drop a job."""
        self._connection.execute(self._sql.drop_job, {"kind": kind, "key": key})

    def drop_all(self, scope: str) -> None:
        """Drop the jobs of a scope; who is at one finds out when it ends."""
        self._connection.execute(self._sql.drop_jobs, {"scope": scope})


def _due(kind: str, scope: str, now: int, attempts: int) -> dict[str, Value]:
    return {"kind": kind, "scope": scope, "now": now, "most": attempts}
