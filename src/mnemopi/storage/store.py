"""One bank's file, open: its memories, vectors, journal and notes about itself, behind one transaction.

Opening looks before it touches, creates or migrates, keeps files private, and finishes erasures that another reader
had held up. What a Store promises: acknowledged means on disk, and a transaction is whole or not at all.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping, Set
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final

from mnemopi import errors
from mnemopi.errors import MnemopiError, NotFoundError, ReadOnlyError, StorageError
from mnemopi.model.memory import Event
from mnemopi.ports import Value
from mnemopi.settings import StorageConfig
from mnemopi.storage import copy, ids, queries, schema, signposts, slack
from mnemopi.storage.commits import Commit
from mnemopi.storage.episodes import Episodes
from mnemopi.storage.facts import Facts
from mnemopi.storage.graph import Graph
from mnemopi.storage.inventory import Inventory
from mnemopi.storage.journal import Journal, Meta
from mnemopi.storage.locks import OpenLock
from mnemopi.storage.memories import Memories
from mnemopi.storage.readings import Readings
from mnemopi.storage.spending import Spending
from mnemopi.storage.sqlite import SqliteConnection
from mnemopi.storage.unclaimed import Waiting
from mnemopi.storage.vectors import Vectors
from mnemopi.text import tokens

MEMORY: Final = ":memory:"
PENDING_ERASURE: Final = "pending_erasure"
_TRIES: Final = 8
"""How often others may write between the cutting of the log and the cleaning of the file."""
_READING: Final = "another connection is reading the file"


class Store:
    """An open bank. `bank` is the id that its rows carry, `name` what people call it."""

    def __init__(
        self, path: str | Path, bank: str, name: str, config: StorageConfig, *, now: int, locked: bool = False
    ) -> None:
        """Open the file. `locked` says that the caller holds its lock alone (see `alone`); no `name`: it has one.

        `is_new` then says whether this opening made the bank.
        """
        self.path = Path(path).absolute() if str(path) != MEMORY else Path(MEMORY)
        self.bank, self._config, self._locked = bank, config, locked
        self.sql = queries.sqlite()
        self._lock: OpenLock | None = None
        self.is_new = self.is_absent = False
        try:
            self._open(name, now)
        except BaseException:
            self.close()
            raise

    def _open(self, name: str, now: int) -> None:
        bank = self.bank
        self.connection = self._opened(now)
        schema.prepare(self.connection, migrate=self._config.auto_migrate, copy=self._copy_before(now))
        self.meta = Meta(self.connection, bank, self.sql)
        self.memories = Memories(self.connection, bank, self.sql)
        self.episodes = Episodes(self.connection, bank, self.sql)
        self.facts = Facts(self.connection, bank, self.sql)
        self.readings = Readings(self.connection, bank, self.sql)
        self.unclaimed = Waiting(self.connection, bank, self.sql)
        self.spending = Spending(self.connection, bank, self.sql)
        self.graph = Graph(self.connection, bank, self.sql)
        self.inventory = Inventory(self.connection, bank, self.sql)
        self.vectors = Vectors(self.connection, bank, self.sql)
        self.journal = Journal(self.connection, bank, self.sql, self.meta)
        self._introduce(name, now)
        self.name = self.meta.get("name") or name

    @property
    def writable(self) -> bool:
        """Whether the file takes writes."""
        return self.connection.writable

    @classmethod
    def absent(cls, name: str, config: StorageConfig, *, now: int) -> Store:
        """Stand in for a bank that does not exist: it is empty, and a write raises NotFoundError."""
        store = cls(MEMORY, name, name, config, now=now)
        store.is_absent, store.is_new, store.connection.writable = True, False, False
        return store

    def check_there(self) -> None:
        """Raise NotFoundError for a bank that does not exist."""
        if self.is_absent:
            raise NotFoundError(f"there is no bank {self.name!r}", hint="the first memory makes it")

    @property
    def is_untouched(self) -> bool:
        """Whether nobody has written anything into it yet."""
        return not self.journal.count() and not any(self.inventory.rows().values())

    @property
    def in_memory(self) -> bool:
        """Whether there is no file at all."""
        return str(self.path) == MEMORY

    @property
    def edition(self) -> tuple[int, int, str | None]:
        """What tells this file from each other that lies, or lay, at its path."""
        status = self.path.stat()
        return status.st_dev, status.st_ino, self.meta.get("writer")

    @contextmanager
    def transaction(self, behind: Commit | None = None, wait: float | None = None) -> Iterator[None]:
        """Hold the write lock: one logical write, one transaction. After its commit the journal's listener is told.

        With `behind`, the commit goes on after the end, and the caller waits for it before it acknowledges anything.
        `wait` is how long (s) to wait for another process that writes, where that is not what the setting says.
        """
        self.check_there()
        events: list[Event] = []
        with self.connection.transaction(behind, wait):
            outermost = self.connection.is_outermost
            if outermost:
                self.journal.begun()
            yield
            if outermost:
                events = self.journal.appended()
        if behind is None:
            self.journal.tell(events)
        else:
            behind.then(lambda: self.journal.tell(events))

    def reading(self) -> AbstractContextManager[None]:
        """Keep this process's writers out between several reads."""
        return self.connection.reading()

    @contextmanager
    def snapshot(self) -> Iterator[Inventory]:
        """Read the bank as it is at one moment, whatever others write meanwhile, and without keeping them waiting."""
        connection = self.connection if self.in_memory else self._connect(writable=False)
        with connection.reading():
            connection.execute(self.sql.begin_reading)
            try:
                yield Inventory(connection, self.bank, self.sql)
            finally:
                connection.execute(self.sql.rollback)
                if connection is not self.connection:
                    connection.close()

    def schema(self) -> int:
        """Return the number of the file's schema."""
        return int(self.connection.all(self.sql.schema_version)[0][0])

    def beside(self, path: Path, now: int) -> Store:
        """Open another file as this bank, under the same settings; for a file that nobody else knows of."""
        return Store(path, self.bank, self.name, self._config, now=now, locked=True)

    def sequences(self) -> dict[str, int]:
        """Return the last key given out in each table whose keys are never given out again."""
        return dict(self.connection.all(self.sql.sequences))

    def raise_sequences(self, given: Mapping[str, int]) -> None:
        """Give out no key that was given out elsewhere; the caller holds the transaction."""
        for table, seq in given.items():
            row: dict[str, Value] = {"name": table, "seq": seq}
            if not self.connection.execute(self.sql.raise_sequence, row):
                self.connection.execute(self.sql.begin_sequence, row)

    def averages(self) -> tuple[int, float]:
        """Return the number of indexed versions and their mean length in terms.

        SQLite's full-text index keeps both in one record: variable-length integers, 7 bits a byte, high bit first.
        """
        rows = self.connection.all(self.sql.average_terms)
        numbers = _varints(rows[0][0]) if rows else []
        count, total = (*numbers, 0, 0)[:2]
        return count, total / count if count else 0.0

    def tombstone_key(self) -> bytes:
        """Return the key of this file's tombstones; made once."""
        known = self.meta.get("tombstone_key")
        if known is None:
            self.meta.set("tombstone_key", known := ids.new(32))
        return bytes.fromhex(known)

    @property
    def is_erasing(self) -> bool:
        """Whether the file may still hold what was forgotten."""
        return self.meta.get(PENDING_ERASURE) not in (None, "0")

    def finish_erasure(self, wait: float = 0, words: Set[str] | None = None) -> tuple[str, ...]:
        """See to it that what was erased is nowhere in the files; return what still holds it, nothing if all is done.

        `wait` is for how long (s) to wait for others to end what they are at, `words` the terms of what was erased
        (None: not known). The full-text index is rid of words that only it still has, the log is moved into the file
        and cut, and copies of erased rows in unused room are overwritten. The rows are gone by then, so that a file
        which cannot be cleaned is told of and not raised: the next opening tries again.
        """
        if self.in_memory:
            return ()
        try:
            return () if self._finished(wait, words) else (_READING,)
        except MnemopiError as error:
            errors.warn("what was erased may still be in the file: %s", error)
            return (f"the file cannot be cleaned: {error.message}",)

    def _finished(self, wait: float, words: Set[str] | None) -> bool:
        if self.is_erasing:
            signposts.rename(self.connection, self.sql, words)
        for _ in range(_TRIES):
            if not self.connection.cut_log(min(wait, self._config.busy_timeout)):
                return False
            if not self.is_erasing or self._cleaned():
                return True
        return False

    def _cleaned(self) -> bool:
        """Clean the file, where nobody wrote since the log was cut."""
        with self.connection.still() as is_still:
            if is_still:
                slack.clean(self.path)
                self.meta.set(PENDING_ERASURE, "0")
        return is_still

    def shrink(self) -> None:
        """Merge the search indexes and write the file anew, without what is unused. Nobody else may have it open."""
        for statement in (self.sql.optimize_search, self.sql.optimize_fact_search, self.sql.vacuum):
            self.connection.execute(statement)
        self.connection.cut_log(self._config.busy_timeout)

    def integrity(self) -> list[str]:
        """Return what SQLite and the full-text index find wrong with the file; empty where all is well."""
        found = [str(row[0]) for row in self.connection.all(self.sql.check_file) if row[0] != "ok"]
        try:
            if self.writable:  # the index's own check is written as an insert
                self.connection.execute(self.sql.check_search)
        except StorageError as error:
            found.append(f"full-text index: {error.message}")
        return found

    def close(self) -> None:
        """Close the file and give the lock back; safe to call twice."""
        if hasattr(self, "connection"):
            self.connection.close()
        if self._lock is not None:
            self._lock.close()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Close the file, and hold its lock alone; raises InUseError where others have it."""
        self.connection.close()
        if self._lock is not None:
            self._lock.close()
        lock = OpenLock(_lock_path(self.path), alone=True)
        try:
            yield
        finally:
            lock.close()

    def _opened(self, now: int) -> SqliteConnection:
        if self.in_memory:
            return self._connect(writable=True)
        exists = schema.inspect(self.path)
        if not exists:
            make_private(self.path.parent)
        folder_writable = os.access(self.path.parent, os.W_OK)
        writable = folder_writable and (not exists or os.access(self.path, os.W_OK))
        if not writable and not exists:
            raise ReadOnlyError(f"{self.path.parent} cannot be written to", hint="name another folder, or change it")
        if folder_writable and not self._locked:
            self._lock = self._shared_lock(needed=writable)
        if not exists:
            _private_file(self.path)
        return self._connect(writable=writable)

    def _shared_lock(self, *, needed: bool) -> OpenLock | None:
        try:
            return OpenLock(_lock_path(self.path))
        except ReadOnlyError:
            if needed:
                raise
            return None  # a reader of somebody else's file has nothing to keep others from

    def _connect(self, *, writable: bool) -> SqliteConnection:
        return SqliteConnection(
            str(self.path),
            writable=writable,
            timeout=self._config.busy_timeout,
            page_size=schema.page_size(self._config.db_page_size),
            secure_delete=self._config.secure_delete,
        )

    def _copy_before(self, now: int) -> copy.Namer:
        return lambda version: copy.online(self.path, self.path.with_name(f"{self.path.name}.schema{version}-{now}"))

    def _introduce(self, name: str, now: int) -> None:
        if not self.writable:
            return
        if name and self.meta.get("name") is None:
            with self.transaction():
                if self.meta.get("name") is None:
                    self.meta.set("name", name)
                    self.meta.set("created_at", str(now))
                    self.meta.set("analyzer", tokens.ANALYZER)
                    self.is_new = True
        option = self.connection.all(self.sql.search_option, {"option": "secure-delete"})
        wanted = int(self._config.secure_delete)
        if int(option[0][0] if option else 0) != wanted:
            self.connection.execute(self.sql.set_search_option, {"option": "secure-delete", "value": wanted})
        if self.is_erasing:
            self.finish_erasure()


def _lock_path(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def make_private(folder: Path) -> None:
    """Make a folder, and what is missing above it, for the owner alone. Raises ReadOnlyError."""
    try:
        missing = [each for each in (folder, *folder.parents) if not each.exists()]
        for each in reversed(missing):
            each.mkdir(mode=0o700, exist_ok=True)
        if not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    except OSError as error:
        raise ReadOnlyError(f"{folder} cannot be made: {error.strerror}", hint="name another folder") from error


def _private_file(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    except OSError as error:
        raise ReadOnlyError(f"{path} cannot be made: {error.strerror}", hint="name another file") from error


def _varints(block: bytes) -> list[int]:
    """Decode SQLite's variable-length integers (https://sqlite.org/fileformat2.html, "varint")."""
    numbers, value, length = [], 0, 0
    for byte in block:
        length += 1
        if length == 9:
            numbers.append(value << 8 | byte)
            value = length = 0
            continue
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(value)
            value = length = 0
    return numbers
