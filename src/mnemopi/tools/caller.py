"""Who calls a tool, and on what: open engines by bank, the caller's identity, and the folder for files.

Nothing is opened before the first call that needs it. One `Engines` serves a whole process; a `Caller` is a cheap view
of it for one connection, which may see fewer banks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeAlias, cast

from mnemopi.bank import Bank
from mnemopi.config import Config
from mnemopi.engine import Mnemopi, system_clock
from mnemopi.errors import NotFoundError, UsageError
from mnemopi.model.hit import Hits
from mnemopi.model.values import dataclass
from mnemopi.ports import Clock
from mnemopi.storage.banks import FILE, SURFACE, Banks, check_name
from mnemopi.tools.confirm import Confirmations

Effect: TypeAlias = Literal["read", "add", "change", "destroy"]
EFFECTS: Final[tuple[Effect, ...]] = ("read", "add", "change", "destroy")
"""What a tool does to what is stored, from the most harmless: a limit of one allows those before it."""


class Asking(Protocol):
    """Whoever calls tools: what they may do at most."""

    @property
    def most(self) -> Effect:
        """The most that they may do."""
        ...

    def may(self, effect: Effect) -> bool:
        """Whether they may use tools of an effect."""
        ...


def allows(most: Effect, effect: Effect) -> bool:
    """Whether a limit allows an effect."""
    return EFFECTS.index(effect) <= EFFECTS.index(most)


class Engines:
    """Open engines, one a bank; the first call to a bank opens it.

    `session` gives the session of those who name none, by the bank: where MNEMOPI_SESSION_ID is set, that counts.
    `given` are further arguments of `Mnemopi`, the same for each.
    """

    def __init__(
        self,
        config: Config,
        db_path: str | Path | None = None,
        *,
        session: Callable[[str], str] | None = None,
        clock: Clock | None = None,
        **given: Any,
    ) -> None:
        self.config, self.clock = config, clock or system_clock
        self.banks = Banks(db_path if db_path is not None else config.data_dir / FILE, config.storage)
        self._db_path, self._given = db_path, given
        self._session = None if "identity.session_id" in config.origins else session
        self._open: dict[str, Mnemopi] = {}
        self._absent: dict[str, Mnemopi] = {}
        self._in_the_making: dict[str, int] = {}
        self._opening = threading.Lock()
        self._listeners: list[Callable[[str, Mnemopi], None]] = []

    def get(self, bank: str, *, create: bool = False, absent: bool = False) -> Mnemopi:
        """Return the engine of a bank.

        Where there is no such bank, it is made if `create`; with `absent` it is empty, and still not there. Else this
        raises NotFoundError.
        """
        with self._opening:
            if bank not in self._open and not create and not self.banks.exists(bank):
                if absent:
                    return self._absent.get(bank) or self._absent.setdefault(bank, self._made(bank, create=False))
                raise NotFoundError(f"there is no bank {bank!r}", hint=f"one of {', '.join(self.banks.names())}")
            self._in_the_making.pop(bank, None)  # others are at it from now on: it stays
            return self._got(bank)

    @contextmanager
    def making(self, bank: str) -> Iterator[Mnemopi]:
        """Lend the engine of a bank to a call that writes. It is made where it does not exist.

        Where all such calls fail and none has written anything, the bank that was made for them is gone again.
        """
        with self._opening:
            was_open, engine = bank in self._open, self._got(bank)
            if bank in self._in_the_making or (engine.bank.is_new and not was_open):
                self._in_the_making[bank] = self._in_the_making.get(bank, 0) + 1
        try:
            yield engine
        except BaseException:
            self._failed(bank)
            raise
        with self._opening:
            self._in_the_making.pop(bank, None)

    def on_open(self, listener: Callable[[str, Mnemopi], None]) -> None:
        """Have a listener called with each engine that is opened from now on, and with those that are open."""
        with self._opening:
            self._listeners.append(listener)
            for bank, engine in self._open.items():
                listener(bank, engine)

    @property
    def opened(self) -> tuple[str, ...]:
        """The names of the banks that are open here."""
        with self._opening:
            return tuple(self._open)

    def let_go(self, bank: str) -> None:
        """Close a bank, so that it may be renamed or deleted; the next call to it opens it again."""
        with self._opening:
            self._in_the_making.pop(bank, None)
            engine = self._open.pop(bank, None)
            if engine is not None:
                engine.close()

    def close(self, timeout: float = 2.0) -> int:
        """Close all, and return how many memories still wait for a vector."""
        with self._opening:
            engines = [*self._open.values(), *self._absent.values()]
            self._open, self._absent, self._in_the_making = {}, {}, {}
        return sum(engine.close(timeout) for engine in engines)

    def _got(self, bank: str) -> Mnemopi:
        if bank not in self._open:
            engine = self._open[bank] = self._made(bank, create=True)
            for listener in self._listeners:
                listener(bank, engine)
        return self._open[bank]

    def _made(self, bank: str, *, create: bool) -> Mnemopi:
        return Mnemopi(
            self._db_path,
            bank,
            create=create,
            config=self.config,
            session_id=None if self._session is None else self._session(bank),
            clock=self.clock,
            **self._given,
        )

    def _failed(self, bank: str) -> None:
        """Take a bank back when the last of the calls that it was made for has failed."""
        with self._opening:
            left = self._in_the_making.pop(bank, 0) - 1
            if left > 0:
                self._in_the_making[bank] = left
            elif left == 0:
                self._open.pop(bank).take_back()


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls. `who` changes the engine's identity; `only` names the banks that may be seen (None: all)."""

    engines: Engines
    confirmations: Confirmations
    who: Mapping[str, Any] = field(default_factory=dict)
    only: frozenset[str] | None = None
    own: str | None = None
    """The bank of calls that name none; None: as configured."""
    most: Effect = "destroy"
    """What the caller may do at most."""

    @classmethod
    def of(cls, engines: Engines, **given: Any) -> Caller:
        """Make a caller of these engines."""
        return cls(engines, Confirmations(engines.clock), **given)

    def may(self, effect: Effect) -> bool:
        """Whether the caller may use tools of an effect."""
        return allows(self.most, effect)

    @property
    def files_dir(self) -> Path:
        """The folder that exports go to and imports come from."""
        return self.engines.config.files_dir

    def name(self, bank: str | None) -> str:
        """Return the name of the bank to work on. Raises UsageError, and NotFoundError for one that is not seen."""
        config = self.engines.config
        name = check_name(bank or self.own or config.mcp.bank or config.identity.bank)
        if self.only is not None and name not in self.only:
            raise NotFoundError(f"there is no bank {name!r}", hint=f"one of {', '.join(sorted(self.only))}")
        return name

    def engine(self, bank: str | None) -> Mnemopi:
        """Return the engine of a bank. The caller's own, and the surface, are empty until something is written."""
        name = self.name(bank)
        return self.engines.get(name, absent=name in (self.name(None), SURFACE))

    def bank(self, bank: str | None) -> Bank:
        """Return a bank as the caller sees it; `surface` is what all agents share."""
        return self._seen(self._surface_apart() if self._is_apart(bank) else self.engine(bank).bank)

    @contextmanager
    def writing(self, bank: str | None) -> Iterator[Bank]:
        """Lend a bank, as the caller sees it, to a call that writes: it is made where it does not exist.

        Where the call fails before anything is written, a bank that was made for it is gone again.
        """
        if self._is_apart(bank):
            yield self._seen(self._surface_apart())
            return
        with self.engines.making(self.name(bank)) as engine:
            yield self._seen(engine.bank)

    def recall(self, bank: str | None, query: str, top_k: int, options: Mapping[str, Any]) -> Hits:
        """Recall from a bank, and what other banks that the caller may see share with all."""
        with self._beside(bank) as others:
            return self.bank(bank).recall(query, top_k, beside=others, **options)

    def context(self, bank: str | None, query: str | None, budget: int, options: Mapping[str, Any]) -> str:
        """Return a block of memories of a bank, and of what other banks share with all, as in `recall`."""
        with self._beside(bank) as others:
            return self.bank(bank).context(query, budget, beside=others, **options)

    def within(self, path: str) -> Path:
        """Return a path within the folder for files. Raises UsageError for any that leads elsewhere."""
        folder = self.files_dir.expanduser().resolve()
        if not path.strip() or "\x00" in path:
            raise UsageError("a path names a file", hint=f"within {folder}")
        found = (folder / path).resolve()
        if found == folder or not found.is_relative_to(folder):
            raise UsageError(
                f"{path!r:.200} lies outside the folder for files",
                hint=f"name a file within {folder} (setting mcp.files_dir)",
            )
        return found

    def _seen(self, bank: Bank) -> Bank:
        return bank.acting_as(**self.who) if self.who else bank

    def _is_apart(self, bank: str | None) -> bool:
        """Whether a bank is the surface, in a file that lies elsewhere."""
        return self.name(bank) == SURFACE and bool(self.engines.config.storage.surface_db)

    def _surface_apart(self) -> Bank:
        return cast("Bank", self.engine(None).surface.bank)

    @contextmanager
    def _beside(self, bank: str | None) -> Iterator[list[Bank]]:
        """Open what else is looked into: beside the surface, which all share, nothing."""
        if self.name(bank) == SURFACE:
            yield []
            return
        with self.engine(bank).beside(self.only) as others:
            yield [other.acting_as(**self.who) for other in others]
