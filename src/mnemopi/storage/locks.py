"""Who has a bank open: a lock file beside the database.

Each open store holds it shared; deleting, renaming, clearing and restoring take it alone, and refuse while anybody
else holds it. The lock is the operating system's, so it ends with the process. On Windows, where this kind of lock is
not to be had, the system itself refuses to delete or replace a file that is open.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from mnemopi.errors import InUseError, ReadOnlyError, StorageError

try:
    import fcntl
except ImportError:  # Windows
    _HAS_LOCKS = False
else:
    _HAS_LOCKS = True


_ALONE: Final = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
"""No child inherits the lock, and a link in its place makes no file elsewhere."""


class OpenLock:
    """A lock on `path`, held until `close`. `wait` lets it wait for others instead of refusing."""

    def __init__(self, path: Path, *, alone: bool = False, wait: bool = False) -> None:
        self.path = path
        while True:
            self._file = self._opened()
            try:
                self._take(alone, wait)
            except BaseException:
                self.close()
                raise
            if self._is_the_file():
                return
            self.close()  # deleted, with its bank, since it was opened: a lock on it would bind nobody

    def _opened(self) -> int:
        try:
            return os.open(self.path, os.O_RDWR | os.O_CREAT | _ALONE, 0o600)
        except PermissionError as error:
            raise ReadOnlyError(f"{self.path} cannot be opened", hint="it belongs to somebody else") from error
        except OSError as error:
            raise StorageError(f"{self.path} cannot be opened: {error.strerror}") from error

    def _is_the_file(self) -> bool:
        try:
            return os.path.samestat(os.fstat(self._file), self.path.stat())
        except FileNotFoundError:
            return False

    def _take(self, alone: bool, wait: bool) -> None:
        if not _HAS_LOCKS:
            return
        kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
        try:
            fcntl.flock(self._file, kind if wait else kind | fcntl.LOCK_NB)
        except BlockingIOError as error:
            who = "is being changed as a whole" if not alone else "is open elsewhere"
            raise InUseError(f"the bank at {self.path.parent} {who}", hint="close it there, then try again") from error

    def close(self) -> None:
        """Give the lock back."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
