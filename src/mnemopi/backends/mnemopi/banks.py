"""The banks of sessions: which a session writes and sees, and one open engine for each.

Engines are opened without a worker of their own: what can wait is done when `upkeep` says, and not at each message.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mnemopi.backends.means import Means
from mnemopi.doors.banks import BankList
from mnemopi.engine import Mnemopi
from mnemopi.errors import MnemopiError, warn
from mnemopi.model.session import SessionRef
from mnemopi.projects import identity, scopes
from mnemopi.projects.identity import Identity
from mnemopi.projects.registry import Registry
from mnemopi.projects.scopes import Scope
from mnemopi.storage.banks import DEFAULT, FILE, Banks

if TYPE_CHECKING:
    from mnemopi.maintenance.diagnose import Report

_PROBED: Final = 64
"""Banks at most that are looked into for a project's former names."""
_PAGE: Final = 500


class SessionBanks:
    """The banks under one data folder, as sessions see them."""

    def __init__(self, means: Means) -> None:
        config = means.config
        own = Path(config.mnemopi.db_path).expanduser() if config.mnemopi.db_path else None
        self.path = means.db_path or own or config.data_dir / FILE
        self._means = replace(means, db_path=self.path, config=config.changed({"write.settle": "off"}))
        self._banks = Banks(self.path, config.storage)
        self.list = BankList(self._banks, means.clock, DEFAULT)
        self.registry = Registry(means.agent_dir)
        self._scopes: dict[str, Scope] = {}
        self._engines: dict[str, Mnemopi] = {}
        self._lock = threading.RLock()

    def here(self, cwd: str) -> Identity:
        """Return what a folder is."""
        return identity.identify(cwd, self._means.config.memory.projects)

    def scope(self, session: SessionRef, *, anew: bool = False) -> Scope:
        """Return the banks of a session; looked up once, `anew` where somebody may have told of the project since."""
        if anew or session.cwd not in self._scopes:
            config = self._means.config.mnemopi
            project = None if config.scoping == scopes.GLOBAL else self.registry.of(self.here(session.cwd))
            self._scopes[session.cwd] = scopes.scope(config.scoping, config.bank, project)
        return self._scopes[session.cwd]

    def written(self, scope: Scope) -> Mnemopi:
        """Return the engine of the bank that a session writes, made where it does not exist."""
        return self.engine(scope.retain)

    def seen(self, scope: Scope) -> list[Mnemopi]:
        """Return the engines of the banks that a session recalls, of those that exist, its own first."""
        return [self.engine(name) for name in scope.recall if self.exists(name)]

    def exists(self, name: str) -> bool:
        """Whether there is such a bank; the default one is there when its file is."""
        if name in self._engines:
            return True
        if name == DEFAULT and not self._banks.in_memory:
            return self._banks.default_file.exists()
        return not self._banks.in_memory and self._banks.exists(name)

    def engine(self, name: str) -> Mnemopi:
        """Return the open engine of a bank, made where it does not exist."""
        with self._lock:
            if name not in self._engines:
                self._engines[name] = self._means.open(name)
            return self._engines[name]

    def examine(self, name: str) -> Report:
        """Examine a bank, as `mnemopi diagnose` does."""
        from mnemopi.maintenance import diagnose  # noqa: PLC0415

        engine = self.engine(name)
        return diagnose.diagnose(self._means.config, self._banks, name, engine.clock(), engine.embedder)

    def adopt(self, session: SessionRef) -> tuple[str, ...]:
        """Look once for banks of former names, which were derived from paths; return those that are the project's.

        A bank is, where each memory in it says that it comes from this folder: one that says nothing of it may hold
        what is another's.
        """
        here = self.here(session.cwd)
        if self._means.config.mnemopi.scoping == scopes.GLOBAL or self.registry.of(here).looked:
            return ()
        places = {session.cwd, str(Path(session.cwd).resolve()), here.root}
        known = self.scope(session).banks
        stems = tuple(f"{identity.bank_name('', Path(place).name).rpartition('-')[0]}-" for place in places)
        names = [name for name in self.list.list() if name.startswith(stems) and name not in known][:_PROBED]
        found = tuple(name for name in names if self._is_all_of(name, places))
        self.registry.adopt(here, found)
        self.scope(session, anew=True)
        return found

    def _is_all_of(self, name: str, places: set[str]) -> bool:
        """Whether a bank holds memories of these folders and no others; it is not kept open."""
        try:
            with self._means.open(name) as engine:
                after = 0
                while page := engine.bank.page(after, _PAGE, include_invalid=True):
                    if any((memory.metadata or {}).get("cwd") not in places for memory in page):
                        return False
                    after = page[-1].rowkey
                return after > 0
        except MnemopiError as error:
            warn("bank %s was passed over: %s", name, error.code)
            return False

    def close(self, timeout: float = 2.0) -> None:
        """Close all that is open."""
        with self._lock:
            engines, self._engines = list(self._engines.values()), {}
        for engine in engines:
            engine.close(timeout)
