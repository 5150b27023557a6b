"""What the resident process is lent by the command line: to read arguments, and to run a command.

The floor above hands these in, so that a command is the same code here and there, and prints the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from mnemopi.config import Config
from mnemopi.engine import Mnemopi
from mnemopi.model.values import dataclass


class Opener(Protocol):
    """Lends an engine: by settings, the file of the default bank and the bank's name."""

    def __call__(
        self, config: Config, db_path: str | None, bank: str, *, makes: bool
    ) -> AbstractContextManager[Mnemopi]:
        """Lend it; a bank that does not exist is made by a command that `makes` it. Raises DaemonError to refuse."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """A command line from elsewhere: its arguments, the settings beside them, and the columns of its terminal."""

    argv: Sequence[str]
    environment: Mapping[str, str]
    width: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command did: its exit status, what it printed, and why it was not run here, where it was not."""

    status: int = 0
    out: str = ""
    err: str = ""
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Agent:
    """What the arguments of `mcp` ask for: settings, the file of the default bank, the bank and the set of tools."""

    config: Config
    db_path: str | None
    bank: str | None
    tools: str


class Commands(Protocol):
    """The command line, as the resident process uses it."""

    def run(self, asked: Asked, opener: Opener) -> Outcome:
        """Run a command with lent engines, and return what it printed."""
        ...

    def agent(self, asked: Asked) -> Agent | Outcome:
        """Read the arguments of `mcp`; an Outcome where they are wrong."""
        ...
