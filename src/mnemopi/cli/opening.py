"""From the options of everywhere to settings, an open engine, and its end after the receipt was printed.

Vectors are made after the answer, and only where that is cheap: a process that prints its receipt and then loads a
large model, or waits for a server, would keep its caller waiting for nothing. What is left is found by `settle`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

from mnemopi.cli import lending, output, settling
from mnemopi.cli.everywhere import Asked
from mnemopi.config import Config
from mnemopi.doors.banks import BankList
from mnemopi.engine import Mnemopi, system_clock
from mnemopi.errors import NotFoundError
from mnemopi.storage.banks import DEFAULT, FILE, Banks, check_name

_CHEAP: Final = "static:"
"""Embedders whose names begin so load in a fraction of a second and ask nobody."""
_FEW: Final = 2000
"""How many memories are settled after a command that was about one of them."""


def config(asked: Asked) -> Config:
    """Read the settings, those of the command line first. Raises ConfigError and UsageError."""
    given: dict[str, Any] = dict(asked.settings)
    if asked.no_embeddings:
        given["embedding.enabled"] = False
    if asked.session is not None:
        given["identity.session_id"] = asked.session
    return Config.load(given, environ=lending.environment(), file=lending.file(asked.config_file))


def bank_name(asked: Asked, settings: Config) -> str:
    """Return the name of the bank to work on. Raises UsageError for one that no bank can have."""
    return check_name(settings.identity.bank if asked.bank is None else asked.bank)


def banks(asked: Asked, settings: Config) -> Banks:
    """Return the banks without opening any: for what must work when one of them does not."""
    return Banks(lending.file(asked.db) or settings.data_dir / FILE, settings.storage)


def bank_list(asked: Asked, settings: Config) -> BankList:
    """Return the verbs for whole banks."""
    return BankList(banks(asked, settings), system_clock, DEFAULT)


@contextmanager
def surface(asked: Asked) -> Iterator[Mnemopi]:
    """Open the engine for what is on the surface, whatever bank is named."""
    with engine(replace(asked, bank=DEFAULT)) as memory:
        yield memory


@contextmanager
def engine(asked: Asked, *, makes: bool = False, settle_all: bool = False) -> Iterator[Mnemopi]:
    """Open the engine; on leaving without an error, settle what is cheap to settle, then close.

    A command that `makes` the bank it works on says so, and where it is refused makes none. Any other raises
    NotFoundError where `--bank` names none; one that a setting names is empty until something is written.
    """
    settings = config(asked)
    name = bank_name(asked, settings)
    new = not banks(asked, settings).exists(name)
    if new and not makes:
        if asked.bank is not None:
            raise NotFoundError(f"there is no bank {name!r}", hint="`mnemopi bank list` shows them")
        output.note(asked, f"There is no bank {name} yet")
    try:
        with _engine(asked, settings, name, makes=makes, settle_all=settle_all) as memory:
            yield memory
    finally:
        if new and banks(asked, settings).exists(name):
            output.flush()
            output.note(asked, f"Made a new bank: {name}")


@contextmanager
def _engine(asked: Asked, settings: Config, name: str, *, makes: bool, settle_all: bool) -> Iterator[Mnemopi]:
    if lending.current() is not None:
        with lending.engine(settings, asked.db, name, makes=makes) as memory:
            yield memory  # its own worker settles
        return
    by_itself = settings.write.settle == "auto"
    if by_itself:
        settings = settings.changed({"write.settle": "off"})
    memory = Mnemopi(asked.db, name, create=makes, config=settings)
    try:
        yield memory
        if by_itself:
            _settle(asked, memory, None if settle_all else _FEW)
    except BaseException:
        memory.take_back()
        raise
    finally:
        memory.close()


def _settle(asked: Asked, memory: Mnemopi, most: int | None) -> None:
    if memory.bank.waits():
        output.flush()
        memory.bank.catch_up(_FEW)
    if memory.embedder is not None and (left := memory.bank.pending()):
        output.flush()
        if memory.embedder.name.startswith(_CHEAP):
            left = settling.work_off(asked, memory, most).pending
        if left:
            output.note(asked, f"{left:,} without a vector: `mnemopi settle` makes them")
