"""A commit that goes on while its writer goes on: what waits for the disk need not keep the processor waiting.

The writer ends a transaction, prepares what it writes next, and asks then whether the commit came to a good end. Until
that it acknowledges nothing. Nobody else notices: the connection lets no statement pass before its commit is over.
"""

from __future__ import annotations

import threading
from collections.abc import Callable


class Commit:
    """One commit, on a thread that lives as long as it."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None
        self._then: Callable[[], None] | None = None

    def start(self, work: Callable[[], None]) -> None:
        """Begin the work."""
        thread = threading.Thread(target=self._run, args=(work,), name="mnemopi-commit")
        thread.start()
        self._thread = thread

    def then(self, call: Callable[[], None]) -> None:
        """Have something called by the one who waits, once, when all went well."""
        self._then = call

    @property
    def is_over(self) -> bool:
        """Whether there is nothing to wait for."""
        return self._thread is None or not self._thread.is_alive()

    def end(self) -> None:
        """Wait for the end, good or bad."""
        if self._thread is not None:
            self._thread.join()

    def wait(self) -> None:
        """Wait for the end. Raises what went wrong; nothing is stored then."""
        self.end()
        if self._error is not None:
            raise self._error
        call, self._then = self._then, None
        if call is not None:
            call()

    def _run(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 -- raised again where it is waited for
            self._error = error
