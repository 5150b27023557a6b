"""Sending what the ledger holds: oldest first, one sender at a time, patient with a server that does not answer.

What fails for a reason that may pass stays and is tried again, at ever longer intervals, in whatever process comes
next. What the server will not have stays too, set aside, with the reason. The request carries an id made of the
parcel's name, so that one whose answer was lost is not done twice.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from mnemopi.agent_settings import HindsightConfig
from mnemopi.backends import files
from mnemopi.backends.hindsight.client import HindsightClient, Reply
from mnemopi.backends.hindsight.ledger import Kept, Ledger, Parcel, mark
from mnemopi.model.values import dataclass

FIRST_PAUSE_MS: Final = 5_000
LONGEST_PAUSE_MS: Final = 300_000
TOKEN_PAUSE_MS: Final = 60_000
"""So long after a token was refused no request is made by itself."""
_LEAST_S: Final = 0.05


@dataclass(frozen=True, slots=True)
class Sent:
    """What a flush came to: parcels that arrived and that were refused, those that wait, and why it stopped."""

    arrived: int = 0
    refused: int = 0
    waiting: int = 0
    error: str = ""


class Health:
    """What is known of the server by all processes: whether to leave it alone for a while, and which banks it has."""

    def __init__(self, path: Path, clock: Callable[[], int]) -> None:
        """`path` is the file of it."""
        self._path = path
        self._clock = clock

    def read(self) -> Mapping[str, Any]:
        """Return `failures`, `next_at`, `error` and `banks`, as far as they are known."""
        return files.read_json(self._path) or {}

    @property
    def is_resting(self) -> bool:
        """Whether requests would only wait: the server failed lately."""
        return int(self.read().get("next_at", 0)) > self._clock()

    @property
    def error(self) -> str:
        """Why the last request failed; empty where it did not."""
        return str(self.read().get("error", ""))

    def failed(self, reply: Reply, error: str) -> None:
        """Leave the server alone for a while: longer each time, or as long as it asks."""
        failures = int(self.read().get("failures", 0)) + 1
        pause = min(FIRST_PAUSE_MS * 2 ** min(failures - 1, 10), LONGEST_PAUSE_MS)
        if reply.is_token:
            pause = TOKEN_PAUSE_MS
        elif reply.pause is not None:
            pause = min(round(reply.pause * 1000), LONGEST_PAUSE_MS)
        self.note(failures=failures, next_at=self._clock() + pause, error=error)

    def worked(self) -> None:
        """Note that the server answered; nothing is written where that is known."""
        if self.read().get("failures"):
            self.note(failures=0, next_at=0, error="")

    def has_bank(self, bank: str, missions: str) -> bool:
        """Whether the server was told of a bank, with these missions."""
        return bool(self.read().get("banks", {}).get(bank) == missions)

    def made_bank(self, bank: str, missions: str) -> None:
        """Note that the server was told of a bank."""
        self.note(banks={**self.read().get("banks", {}), bank: missions})

    def note(self, **changed: Any) -> None:
        """Put values beside what is known."""
        with files.locked(self._path):
            files.write_json(self._path, {**self.read(), **changed})


class Outbox:
    """The way from the ledger to the server."""

    def __init__(self, ledger: Ledger, client: HindsightClient, health: Health, config: HindsightConfig) -> None:
        """`config` says what new banks are told, and how long a write may take."""
        self._ledger, self._client, self._health, self._config = ledger, client, health, config

    def flush(self, limit: float, *, force: bool = False) -> Sent:
        """Send what waits within `limit` seconds; with `force` also to a server that is being left alone."""
        parcels = sum(len(kept.waiting) for _, kept in self._ledger.pending())
        if not parcels:
            return Sent()
        if self._health.is_resting and not force:
            return Sent(waiting=parcels, error=self._health.error)
        with files.locked_now(self._ledger.folder / "sender.lock") as alone:
            return self._drain(time.monotonic() + limit) if alone else Sent(waiting=parcels)

    def ensure_bank(self, bank: str, limit: float) -> Reply | None:
        """Tell the server of a bank, once: what is asked of one that is not there fails. None: it knows already."""
        missions = {
            "reflect_mission": self._config.bank_mission or None,
            "retain_mission": self._config.retain_mission or None,
        }
        told = mark(repr(missions))
        if self._health.has_bank(bank, told):
            return None
        reply = self._client.send("PUT", bank, body=missions, timeout=limit)
        if reply.is_good:
            self._health.made_bank(bank, told)
        return reply

    def _drain(self, deadline: float) -> Sent:
        counts = {"arrived": 0, "refused": 0}
        error = ""
        for name, kept in self._ledger.pending():
            for parcel in kept.waiting:
                left = min(deadline - time.monotonic(), self._config.retain_timeout_ms / 1000)
                if left < _LEAST_S:
                    return Sent(**counts, waiting=self._waiting(), error=error)
                reply = self._send(parcel, left)
                if not reply.is_good:
                    error = str(self._client.error("retain", reply))
                if reply.may_pass or reply.is_token:
                    self._health.failed(reply, error)
                    return Sent(**counts, waiting=self._waiting(), error=error)
                self._health.worked()
                counts["arrived" if reply.is_good else "refused"] += 1
                why = "" if reply.is_good else error
                self._ledger.change_named(name, partial(_done, key=parcel.key, why=why))
        return Sent(**counts, waiting=self._waiting(), error=error)

    def _send(self, parcel: Parcel, left: float) -> Reply:
        """Send one parcel; to a bank that the server was not told of, that first."""
        made = self.ensure_bank(parcel.bank, left)
        if made is not None and (made.may_pass or made.is_token):
            return made
        body = {"items": list(parcel.items), "async": True, "operation_id": _operation(parcel.key)}
        return self._client.send("POST", parcel.bank, "memories", body=body, timeout=left)

    def _waiting(self) -> int:
        return sum(len(kept.waiting) for _, kept in self._ledger.pending())


def _operation(key: str) -> str:
    """Return a UUID that says the same of a parcel each time."""
    made = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{made[:8]}-{made[8:12]}-5{made[13:16]}-a{made[17:20]}-{made[20:32]}"


def _done(kept: Kept, *, key: str, why: str) -> Kept:
    """Return the session without a parcel that arrived; one that was refused is set aside with the reason."""
    if why:
        return replace(
            kept, parcels=tuple(replace(each, refused=why) if each.key == key else each for each in kept.parcels)
        )
    return replace(kept, parcels=tuple(parcel for parcel in kept.parcels if parcel.key != key))
