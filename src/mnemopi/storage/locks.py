"""Who has a bank open: a lock file beside the database.

Each open store holds it shared; deleting, renaming, clearing and restoring take it alone, and refuse while anybody
else holds it. The lock is the operating system's, so it ends with the process. On Windows, where this kind of lock is
not to be had, the system itself refuses to delete or replace a file that is open.
"""

from __future__ import annotations

import os
from pathlib import Path

from mnemopi.errors import InUseError

try:
    import fcntl
except ImportError:  # Windows
    _HAS_LOCKS = False
else:
    _HAS_LOCKS = True


class OpenLock:
    """A lock on `path`, held until `close`."""

    def __init__(self, path: Path, *, alone: bool = False) -> None:
        self.path = path
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            self._take(alone)
        except BaseException:
            os.close(self._file)
            raise

    def _take(self, alone: bool) -> None:
        if not _HAS_LOCKS:
            return
        kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
        try:
            fcntl.flock(self._file, kind | fcntl.LOCK_NB)
        except BlockingIOError as error:
            who = "is being changed as a whole" if not alone else "is open elsewhere"
            raise InUseError(f"the bank at {self.path.parent} {who}", hint="close it there, then try again") from error

    def close(self) -> None:
        """Give the lock back."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
