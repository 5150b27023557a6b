"""One worker thread per engine: it works off what is pending and writes what was buffered, so that no caller waits.

It starts with the first thing to do, and ends with the engine. What it has not done is in the database and is found
again. It must not break its host: a failure is kept as `error` and shown in stats.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

_log = logging.getLogger("mnemopi")
_QUIET_S = 5.0


class Worker:
    """Runs `work` soon after each `poke`, and `idle` every few seconds while it lives."""

    def __init__(self, work: Callable[[Callable[[], bool]], None], idle: Callable[[], None]) -> None:
        self._work, self._idle = work, idle
        self._poked, self._stopping = threading.Event(), threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.error = ""

    def poke(self) -> None:
        """Say that there is something to do."""
        self._poked.set()
        with self._lock:
            if self._thread is None and not self._stopping.is_set():
                self._thread = threading.Thread(target=self._run, name="mnemopi-worker", daemon=True)
                self._thread.start()

    def close(self, timeout: float) -> None:
        """Let what is going on end within `timeout` seconds, then stop."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is None:
            self._stopping.set()
            return
        self._closing = True
        self._poked.set()
        thread.join(timeout)
        self._stopping.set()
        self._poked.set()
        thread.join(1.0)

    _closing = False

    def _run(self) -> None:
        while not self._stopping.is_set():
            poked = self._poked.wait(_QUIET_S)
            self._poked.clear()
            try:
                if poked:
                    self._work(self._stopping.is_set)
                self._idle()
                self.error = ""
            except Exception as error:  # noqa: BLE001 -- the host must not break; the next poke tries again
                self.error = f"{type(error).__name__}: {error}"
                _log.warning("background work failed: %s", type(error).__name__)
            if self._closing:
                return
