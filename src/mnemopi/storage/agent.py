"""The agent layer's own file, open: its jobs, the past sessions that it knows and what it spends.

It is no bank, and carries an application id of its own, so that neither is taken for the other. Opening looks before it
touches: a file of another program, or of a newer version, is refused.
"""

from __future__ import annotations

import os
import struct
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

import apsw

from mnemopi.errors import ForeignError, StorageError, TooNewError
from mnemopi.storage import queries, slack
from mnemopi.storage.jobs import Jobs
from mnemopi.storage.sessions import Sessions
from mnemopi.storage.spending import Spending
from mnemopi.storage.sqlite import SqliteConnection, translated
from mnemopi.storage.store import make_private

APPLICATION_ID: Final = 0x6D6E6F61
"""`mnoa`, big endian, at byte 68."""
VERSION: Final = 1
_HEADER: Final = 100
_PAYER: Final = "agent"


class AgentFile:
    """The open file. `timeout` is how long (s) to wait for another writer."""

    def __init__(self, path: Path, *, timeout: float) -> None:
        _make(path, timeout)
        self.path = path
        self.connection = SqliteConnection(str(path), writable=True, timeout=timeout)
        sql = queries.agent()
        self.jobs = Jobs(self.connection, sql)
        self.sessions = Sessions(self.connection, sql)
        self.spending = Spending(self.connection, _PAYER, queries.sqlite())

    def transaction(self) -> AbstractContextManager[None]:
        """Hold the write lock: one logical write, one transaction."""
        return self.connection.transaction()

    def close(self) -> None:
        """Close the file; safe to call twice."""
        self.connection.close()


def _make(path: Path, timeout: float) -> None:
    """Make the file with its schema, where it is not there; the second of two that try finds it made."""
    try:
        make_private(path.parent)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        header = slack.head(path, _HEADER)
    except OSError as error:
        raise StorageError(f"{path} cannot be made: {error.strerror}", hint="check its permissions") from error
    if len(header) == _HEADER:
        application, version = struct.unpack(">I", header[68:72])[0], struct.unpack(">I", header[60:64])[0]
        if application == APPLICATION_ID:
            if version > VERSION:
                raise TooNewError(f"{path} was written by a newer version of mnemopi", hint="upgrade mnemopi")
            return
        raise ForeignError(f"{path} is a database of another program; it was not touched", hint="move it elsewhere")
    if header:
        raise ForeignError(f"{path} is no database; it was not touched", hint="move it elsewhere")
    try:
        _apply(path, timeout)
    except apsw.Error as error:
        raise translated(error, str(path)) from error


def _apply(path: Path, timeout: float) -> None:
    raw = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        raw.set_busy_timeout(int(timeout * 1000))
        raw.execute(queries.sqlite().begin)
        if not raw.pragma("user_version"):
            raw.execute((queries.FOLDER / "agent_schema.sql").read_text("utf-8"))
            raw.pragma("application_id", APPLICATION_ID)
            raw.pragma("user_version", VERSION)
        raw.execute(queries.sqlite().commit)
    finally:
        raw.close()
