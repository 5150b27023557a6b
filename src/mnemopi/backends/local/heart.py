"""Claims that are at work say so again and again, so that a lease can be short however long the work takes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from mnemopi.errors import MnemopiError, warn
from mnemopi.ports import Clock
from mnemopi.storage.jobs import Claim, Jobs


class Lost(Exception):
    """A claim is no longer ours: what was made under it does not count."""


class Heart:
    """The claims of this process, and one thread that lengthens them while there are any."""

    def __init__(self, jobs: Jobs, clock: Clock, every: float) -> None:
        """`every` is the time (s) between two beats."""
        self._jobs, self._clock, self._every = jobs, clock, every
        self._guard = threading.Lock()
        self._held: dict[str, tuple[Claim, int]] = {}
        self._thread: threading.Thread | None = None
        self._quiet = threading.Event()

    @contextmanager
    def holding(self, claim: Claim, lease_ms: int) -> Iterator[None]:
        """Keep a claim alive."""
        with self._guard:
            self._held[claim.token] = (claim, lease_ms)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._beat, args=(self._quiet,), name="mnemopi-heart", daemon=True
                )
                self._thread.start()
        try:
            yield
        finally:
            self._let_go(claim)

    def is_ours(self, claim: Claim) -> bool:
        """Whether a claim was not lost, as far as the last beat told."""
        return claim.token in self._held

    def give_back(self) -> None:
        """Give all claims back, as if they had not been tried: this process ends."""
        with self._guard:
            held = [claim for claim, _ in self._held.values()]
            self._held.clear()
        for claim in held:
            self._jobs.put_back(claim, self._clock())
        self._rest()

    def _beat(self, quiet: threading.Event) -> None:
        while not quiet.wait(self._every):
            for claim, lease_ms in list(self._held.values()):
                try:
                    if not self._jobs.beat(claim, self._clock(), lease_ms):
                        self._held.pop(claim.token, None)
                except MnemopiError as error:
                    warn("a claim could not be lengthened: %s", error)

    def _let_go(self, claim: Claim) -> None:
        with self._guard:
            self._held.pop(claim.token, None)
        self._rest()

    def _rest(self) -> None:
        """End the thread, where there is nothing to beat for; whoever takes a claim after this starts another."""
        with self._guard:
            if self._held:
                return
            thread, self._thread = self._thread, None
            self._quiet.set()
            self._quiet = threading.Event()
        if thread is not None and thread is not threading.current_thread():
            thread.join()
