"""What can wait until nobody waits for it: vectors, links, reading by a model, sleep, and what other sessions left.

One worker thread does it, as it is told to, bank by bank. What is not done when the process ends is in the files and
goes on next time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from mnemopi.engine import Mnemopi
from mnemopi.errors import MnemopiError, warn
from mnemopi.schedule import Worker

_HOUR_MS: Final = 3_600_000


class Upkeep:
    """The work that waits. `mode` is the setting `write.settle`: `off` does nothing by itself, `inline` does it now."""

    def __init__(self, mode: str) -> None:
        self._mode = mode
        self.error = ""
        """Why the last job failed, empty where it did not."""
        self._lock = threading.Lock()
        self._due: dict[str, Callable[[Callable[[], bool]], object]] = {}
        self._idle = threading.Event()
        self._idle.set()
        self._worker = Worker(self._work_off, lambda: None)

    def settle(self, engine: Mnemopi) -> int:
        """Have what is pending in a bank done; return how many jobs wait now."""
        if self._mode == "off":
            return self.waiting
        if self._mode == "inline":
            engine.bank.settle()
            return self.waiting
        return self.put(f"settle {engine.bank.name}", lambda stop: engine.bank.settle(stop=stop))

    def sleep(self, engine: Mnemopi, hours: float) -> int:
        """Have some of what waits for sleep summed up, where the last sleep is so long ago."""

        def run(stop: Callable[[], bool]) -> None:
            last = engine.bank.health().last
            if last is None or engine.clock() - last >= hours * _HOUR_MS:
                engine.bank.sleep_some(stop)

        return self.waiting if self._mode == "off" else self.put(f"sleep {engine.bank.name}", run)

    def put(self, name: str, run: Callable[[Callable[[], bool]], object]) -> int:
        """Have something done once by the worker; return how many jobs wait now."""
        with self._lock:
            self._due[name] = run
            self._idle.clear()
        self._worker.poke()
        return self.waiting

    @property
    def waiting(self) -> int:
        """How many jobs wait or run."""
        with self._lock:
            return len(self._due)

    def wait(self, timeout: float) -> bool:
        """Wait for what is due, and return whether it was done in time."""
        return self._idle.wait(max(timeout, 0))

    def close(self, timeout: float) -> None:
        """Stop: what is at work ends at its next step."""
        self._worker.close(timeout)

    def _work_off(self, stop: Callable[[], bool]) -> None:
        while not stop():
            with self._lock:
                name = next(iter(self._due), None)
                if name is None:
                    self._idle.set()
                    return
                run = self._due[name]
            try:
                run(stop)
                self.error = ""
            except MnemopiError as error:
                self.error = f"{name}: {error}"
                warn("memory: %s: %s", name, error.code)
            finally:
                with self._lock:
                    if self._due.get(name) is run:
                        del self._due[name]
                    if not self._due:
                        self._idle.set()
