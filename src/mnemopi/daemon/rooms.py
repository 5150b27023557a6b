"""Open engines for whoever calls, each with the settings that it brought: who brings the same shares them.

A room holds the engines of one set of settings. Who somebody is makes no room of its own: an identity is a view of the
engines in it. A room in which nobody is may be closed at any time; what it held is opened again when it is needed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mnemopi.config import Config
from mnemopi.engine import Mnemopi
from mnemopi.errors import DaemonError
from mnemopi.settings import IdentityConfig
from mnemopi.storage.banks import FILE
from mnemopi.tools.caller import Engines

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from mnemopi.tools.tool import Tool

MOST: Final = 8
"""Rooms kept while nobody is in them."""
_OTHERS: Final = frozenset({"identity", "mcp", "http", "daemon", "origins"})
"""What no engine works by: it makes no room of its own."""


class View(Engines):
    """The engines of a room as one client sees them: with its settings, its identity, and nothing to close."""

    def __init__(self, shared: Engines, config: Config, session: str = "") -> None:
        """`session` begins the name of the session, before the bank's, where the settings name none."""
        self.config, self.clock, self.banks = config, shared.clock, shared.banks
        self._shared = shared
        self._prefix = "" if "identity.session_id" in config.origins else session
        self._seen: dict[str, tuple[Mnemopi, Mnemopi]] = {}

    def get(self, bank: str, *, create: bool = False, absent: bool = False) -> Mnemopi:
        """Return the engine of a bank as this client sees it. Raises NotFoundError as `Engines.get`."""
        return self._as_seen(bank, self._shared.get(bank, create=create, absent=absent))

    @contextmanager
    def making(self, bank: str) -> Iterator[Mnemopi]:
        """Lend the engine of a bank, as this client sees it, to a call that writes. See `Engines.making`."""
        with self._shared.making(bank) as engine:
            yield self._as_seen(bank, engine)

    def _as_seen(self, bank: str, engine: Mnemopi) -> Mnemopi:
        known = self._seen.get(bank)
        if known is None or known[0] is not engine:
            identity = self.config.identity
            if self._prefix:
                identity = replace(identity, session_id=f"{self._prefix}{bank}")
            known = self._seen[bank] = (engine, engine.seen_by(identity))
        return known[1]

    def on_open(self, listener: Any) -> None:
        """Have a listener called with each engine of the room."""
        self._shared.on_open(listener)

    def let_go(self, bank: str) -> None:
        """Close a bank for all in the room; the next call to it opens it again."""
        self._shared.let_go(bank)

    def close(self, timeout: float = 2.0) -> int:
        """Close nothing: others are in the room."""
        return 0


class Room:
    """The engines of one set of settings, and a server for each set of tools that is asked for."""

    def __init__(self, config: Config, db_path: str | None) -> None:
        self.engines = Engines(config, db_path)
        self.inside, self.last = 0, time.monotonic()
        self._servers: dict[tuple[str, ...], Server[Any]] = {}

    def server(self, tools: Sequence[Tool]) -> Server[Any]:
        """Return the server object of a set of tools: one for all connections, each request knows its guest."""
        key = tuple(tool.name for tool in tools)
        if key not in self._servers:
            from mnemopi.daemon import guests  # noqa: PLC0415 -- brings the SDK

            self._servers[key] = guests.built(tools, self.engines)
        return self._servers[key]


class Rooms:
    """All rooms of a process. `folder` is the one data folder that it serves."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._rooms: dict[Any, Room] = {}
        self._guard = threading.Lock()

    def __len__(self) -> int:
        return len(self._rooms)

    @contextmanager
    def entered(self, config: Config, db_path: str | None) -> Iterator[Room]:
        """Be in the room of some settings. Raises DaemonError for those that this process cannot work by."""
        check(config, db_path, self._folder)
        shared = _shared(config)
        key = _key(shared, db_path)
        with self._guard:
            self._close_some()
            room = self._rooms.get(key)
            if room is None:
                room = self._rooms[key] = Room(shared, db_path)
            room.inside += 1
        try:
            yield room
        finally:
            with self._guard:
                room.inside -= 1
                room.last = time.monotonic()

    def release(self) -> None:
        """Close every bank, for somebody who wants one alone: who is in a room opens what it needs again."""
        with self._guard:
            rooms = list(self._rooms.values())
        for room in rooms:
            room.engines.close()

    def close(self) -> int:
        """Close all rooms, and return how many memories still wait for a vector."""
        with self._guard:
            rooms, self._rooms = list(self._rooms.values()), {}
        return sum(room.engines.close() for room in rooms)

    def _close_some(self) -> None:
        """Close the rooms that nobody has been in for longest, where there are too many."""
        empty = sorted((room.last, key) for key, room in self._rooms.items() if not room.inside)
        for _, key in empty[: max(len(self._rooms) - MOST, 0)]:
            self._rooms.pop(key).engines.close()


def check(config: Config, db_path: str | None, folder: Path) -> None:
    """Raise DaemonError for settings that mean something else here than where they were made.

    Raises ConfigError for a zone that is none, while it is known who named it: a room does not know.
    """
    if config.data_dir.absolute() != folder:
        raise DaemonError(f"this process serves {folder}", hint="each data folder has its own")
    settings = config.storage, config.mcp, config.embedding
    paths = [settings[0].data_dir, settings[0].backup_dir, settings[0].surface_db, settings[1].files_dir]
    paths += [settings[2].cache_dir, db_path or str(folder / FILE)]
    if any(path and not Path(path).expanduser().is_absolute() for path in paths):
        raise DaemonError("a path is relative to where the client stands", hint="name it from the root on")
    _ = config.zone


def _shared(config: Config) -> Config:
    """Return the settings of a room: nobody's identity, and native models in a process of their own."""
    apart = {} if "embedding.apart" in config.origins else {"embedding.apart": True}
    return replace(config, identity=IdentityConfig(), origins={}).changed(apart)


def _key(config: Config, db_path: str | None) -> Any:
    groups = (each.name for each in fields(config) if each.name not in _OTHERS)
    return repr((db_path, [getattr(config, name) for name in groups]))
