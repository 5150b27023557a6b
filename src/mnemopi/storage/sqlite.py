"""The Connection of a SQLite file, over apsw.

One connection is shared by all threads of a process behind a lock, closed before a fork and opened anew after it.
Writers take the lock of the file at the start of a transaction, and each transaction checks that the file is still the
one that was opened. Errors of SQLite become errors of our tree here and nowhere else.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw

from mnemopi.errors import (
    BusyError,
    CorruptError,
    FullError,
    InUseError,
    MnemopiError,
    NotFoundError,
    ReadOnlyError,
    StorageError,
    UsageError,
)
from mnemopi.ports import NOTHING, Parameters, Row
from mnemopi.storage import forks, queries
from mnemopi.storage.commits import Commit

APPLICATION_ID: Final = 0x6D6E6F70
"""`mnop`, big endian, at byte 68 of each of our files."""

_KINDS: tuple[tuple[type[apsw.Error], type[MnemopiError], str, str], ...] = (
    (apsw.BusyError, BusyError, "another process kept the file locked", "try again; a long write may be running"),
    (apsw.LockedError, BusyError, "the file is locked", "try again"),
    (apsw.FullError, FullError, "there is no space left for the file", "free some space; nothing was half written"),
    (apsw.NotADBError, CorruptError, "the file is no SQLite database", "name another file, or restore a backup"),
    (
        apsw.CorruptError,
        CorruptError,
        "the file is damaged",
        "`mnemopi doctor` tells more; `mnemopi backups` lists copies",
    ),
    (apsw.ReadOnlyError, ReadOnlyError, "the file cannot be written to", "check its permissions"),
    (apsw.CantOpenError, StorageError, "the file cannot be opened", "check that the folder exists and may be used"),
    (apsw.IOError, StorageError, "reading or writing the file failed", "check the disk"),
)


def translated(error: apsw.Error, path: str) -> MnemopiError:
    """Return our error for one of SQLite's; the caller raises it `from` the cause."""
    for kind, ours, what, hint in _KINDS:
        if isinstance(error, kind):
            return ours(f"{path}: {what}: {error}", hint=hint)
    return StorageError(f"{path}: {error}")


class SqliteConnection:
    """A Connection to one file. `writable` False opens it for reading only."""

    def __init__(
        self, path: str, *, writable: bool, timeout: float, page_size: int = 0, secure_delete: bool = True
    ) -> None:
        self.path, self.writable = path, writable
        self._timeout, self._page_size, self._secure_delete = timeout, page_size, secure_delete
        self._lock = threading.RLock()
        self._depth = 0
        self._behind: Commit | None = None
        self._open: apsw.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._closed = False
        self._raw()
        forks.join(self)

    def execute(self, sql: str, parameters: Parameters = NOTHING) -> int:
        with self._guarded() as raw:
            before = raw.total_changes()
            raw.execute(sql, parameters)
            return raw.total_changes() - before

    def execute_many(self, sql: str, parameters: Iterable[Parameters]) -> None:
        with self._guarded() as raw:
            raw.executemany(sql, parameters)

    def all(self, sql: str, parameters: Parameters = NOTHING) -> list[Row]:
        with self._guarded() as raw:
            return raw.execute(sql, parameters).fetchall()

    @contextmanager
    def transaction(self, behind: Commit | None = None, wait: float | None = None) -> Iterator[None]:
        """Hold the write lock. `behind` is a commit to be started at the end of an outermost transaction.

        `wait` is how long (s) to wait for another process that writes; None: as the connection was opened with.
        """
        with self._lock:
            if self._depth:
                self._depth += 1
                try:
                    yield
                finally:
                    self._depth -= 1
                return
            self._check_writable()
            statements = queries.sqlite()
            self._begin(wait)
            self._depth = 1
            try:
                self._check_file()  # with the lock held, so that nobody replaces it while we wait
                yield
                if behind is None:
                    self.execute(statements.commit)
                else:
                    self._behind = behind
                    behind.start(self._commit)
            except BaseException:
                self._roll_back()
                raise
            finally:
                self._depth = 0

    def _begin(self, wait: float | None) -> None:
        with self._guarded() as raw:
            if wait is None:
                raw.execute(queries.sqlite().begin)
                return
            raw.set_busy_timeout(int(wait * 1000))
            try:
                raw.execute(queries.sqlite().begin)
            finally:
                raw.set_busy_timeout(int(self._timeout * 1000))

    def _commit(self) -> None:
        """Commit on another thread: this connection waits for it at its next use."""
        raw = self._open
        assert raw is not None
        try:
            raw.execute(queries.sqlite().commit)
        except apsw.Error as error:
            self._roll_back()
            raise translated(error, self.path) from error

    def _catch_up(self) -> None:
        if self._behind is not None:
            self._behind.end()
            self._behind = None

    @property
    def is_outermost(self) -> bool:
        """Whether the transaction that goes on is in no other."""
        return self._depth == 1

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Keep other threads out between several reads."""
        with self._lock:
            yield

    def cut_log(self, wait: float) -> bool:
        """Move the log into the file and cut it to nothing; False where others stay in the way for `wait` s."""
        with self._guarded() as raw:
            raw.set_busy_timeout(int(wait * 1000))
            try:
                (busy, _, _), *_ = raw.execute(queries.sqlite().truncate_log).fetchall()
            finally:
                raw.set_busy_timeout(int(self._timeout * 1000))
            return not busy

    @contextmanager
    def still(self) -> Iterator[bool]:
        """Hold the write lock, and say whether all is in the file and none in the log: then the file stands still.

        What the caller changes in the file itself is seen by all at their next statement: the commit tells others that
        their copies of pages are old, and this process gives its own up.
        """
        with self._lock:
            with self.transaction():
                log = Path(self.path + "-wal")
                try:
                    yield not log.exists() or log.stat().st_size == 0
                except apsw.Error as error:
                    raise translated(error, self.path) from error
            self._put_down()

    def close(self) -> None:
        """Close the file; safe to call twice."""
        with self._lock:
            self._closed = True
            self._catch_up()
            self._put_down()

    def before_fork(self) -> None:
        """Close the handle, since a child must not inherit it; a database in memory is the child's own copy."""
        self._lock.acquire()
        self._catch_up()
        if self._depth == 0 and self.path != ":memory:":
            self._put_down()

    def after_fork(self, *, child: bool) -> None:
        """Go on; the next use opens the file again. A child drops what was open: the transaction is the parent's."""
        if not child:
            self._lock.release()
            return
        self._lock, self._depth = threading.RLock(), 0
        if self._open is not None and self.path != ":memory:":
            _abandoned.append(self._open)
            self._open = None

    def _put_down(self) -> None:
        raw, self._open = self._open, None
        if raw is not None:
            raw.close()

    @contextmanager
    def _guarded(self) -> Iterator[apsw.Connection]:
        with self._lock:
            self._catch_up()
            try:
                yield self._raw()
            except apsw.Error as error:
                raise translated(error, self.path) from error
            except UnicodeEncodeError as error:
                raise UsageError("half a character (a lone surrogate) was asked for", hint="repair the text") from error
            except UnicodeDecodeError as error:
                raise CorruptError(f"{self.path}: the file is damaged: it holds text that is none") from error

    def _raw(self) -> apsw.Connection:
        if self._closed:
            raise StorageError("the bank is closed", hint="open a new Mnemopi")
        if self._open is None:
            self._open = self._opened()
        return self._open

    def _opened(self) -> apsw.Connection:
        self._check_file()
        statements = queries.sqlite()
        try:
            raw = apsw.Connection(self._address(), flags=self._flags(), statementcachesize=128)
            raw.set_busy_timeout(int(self._timeout * 1000))
            if self._page_size and self.writable:
                raw.pragma("page_size", self._page_size)
            if self.writable and not raw.pragma("application_id"):
                raw.pragma("application_id", APPLICATION_ID)
            if self.writable:
                raw.execute(statements.use_log)
            raw.execute(statements.durable)
            raw.execute(statements.overwrite if self._secure_delete else statements.leave_traces)
        except apsw.Error as error:
            raise translated(error, self.path) from error
        if self._file is None and self.path != ":memory:":
            status = Path(self.path).stat()
            self._file = (status.st_dev, status.st_ino)
        return raw

    def _flags(self) -> int:
        if self.writable:
            # The caller has made the file, with private modes: one that vanished meanwhile must not come back.
            return apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if self.path == ":memory:" else 0)
        return apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI

    def _address(self) -> str:
        if self.writable:
            return self.path
        # Where nobody can write a log beside the file, and there is none, the file stands still.
        still = not os.access(Path(self.path).parent, os.W_OK) and not Path(self.path + "-wal").exists()
        return Path(self.path).absolute().as_uri() + ("?immutable=1" if still else "")

    def _check_writable(self) -> None:
        if not self.writable:
            raise ReadOnlyError(
                f"{self.path} is open for reading only", hint="check the permissions of file and folder"
            )

    def _check_file(self) -> None:
        if self._file is None:
            return
        try:
            status = Path(self.path).stat()
        except FileNotFoundError as error:
            raise NotFoundError(f"{self.path} was deleted", hint="open the bank again") from error
        if (status.st_dev, status.st_ino) != self._file:
            raise InUseError(f"{self.path} was replaced by another file", hint="open the bank again")

    def _roll_back(self) -> None:
        raw = self._open
        if raw is not None and raw.in_transaction:
            attempt: Callable[[], object] = lambda: raw.execute(queries.sqlite().rollback)  # noqa: E731
            try:
                attempt()
            except apsw.Error:
                raw.close(True)
                self._open = None


_abandoned: list[object] = []
"""Handles in the middle of a transaction that a fork's child inherited: kept, so that nothing closes them there."""
