"""A command line that runs in the resident process: settings of its client, engines that are lent, output kept.

What belongs to one call stands in a context variable, so that many run at once. Standard output and error of the whole
process are divided: what a call prints goes to its client, anything else where it went before.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

from mnemopi.errors import DaemonError
from mnemopi.model.values import dataclass

if TYPE_CHECKING:
    from mnemopi.daemon import work


class Kept(io.StringIO):
    """What one call prints. It is a terminal where the client's is, as wide as that."""

    def __init__(self, width: int) -> None:
        super().__init__(newline="")
        self.width = width

    def isatty(self) -> bool:
        """Whether the client prints on a terminal."""
        return self.width > 0


@dataclass(slots=True)
class Call:
    """One call from elsewhere."""

    asked: work.Asked
    opener: work.Opener | None
    out: Kept
    err: Kept
    agent: work.Agent | None = None
    refused: str = ""


_CURRENT: Final[ContextVar[Call | None]] = ContextVar("call", default=None)


def current() -> Call | None:
    """Return the call that is run for a client of this process, None in a process that does its own work."""
    return _CURRENT.get()


def width() -> int | None:
    """Return the columns to draw tables for, None for those of the terminal that this process has."""
    call = _CURRENT.get()
    return None if call is None else call.out.width


class Divided(io.TextIOBase):
    """A standard stream that goes to the call that prints, else to where it went before."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, choose: Callable[[Call], Kept], before: TextIO) -> None:
        self._choose, self._before = choose, before

    def _stream(self) -> TextIO:
        call = _CURRENT.get()
        return self._before if call is None else self._choose(call)

    def write(self, text: str) -> int:
        """Write to whoever it is for."""
        return self._stream().write(text)

    def flush(self) -> None:
        """Let it out, where it goes anywhere by itself."""
        self._stream().flush()

    def isatty(self) -> bool:
        """Whether a terminal is at the end of it."""
        return self._stream().isatty()

    def writable(self) -> bool:
        """It is."""
        return True


@contextmanager
def divided() -> Iterator[None]:
    """Divide the standard streams of this process."""
    before = sys.stdout, sys.stderr
    sys.stdout = Divided(lambda call: call.out, before[0])
    sys.stderr = Divided(lambda call: call.err, before[1])
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


class Lender:
    """The command line as the resident process uses it: `run` is that of the program (see `mnemopi.daemon.work`)."""

    def __init__(self, run: Callable[[Sequence[str]], int]) -> None:
        self._run = run

    def run(self, asked: work.Asked, opener: work.Opener) -> work.Outcome:
        """Run a command with lent engines, and return what it printed."""
        return self._called(asked, opener)[0]

    def agent(self, asked: work.Asked) -> work.Agent | work.Outcome:
        """Read the arguments of `mcp`; an Outcome where they are wrong."""
        done, call = self._called(asked, None)
        return done if call.agent is None else call.agent

    def _called(self, asked: work.Asked, opener: work.Opener | None) -> tuple[work.Outcome, Call]:
        from mnemopi.daemon import work  # noqa: PLC0415 -- brings what agents need

        call = Call(asked, opener, Kept(asked.width), Kept(0))
        token = _CURRENT.set(call)
        try:
            status = self._run(asked.argv)
        finally:
            _CURRENT.reset(token)
        return work.Outcome(status, call.out.getvalue(), call.err.getvalue(), call.refused), call


def environment() -> Mapping[str, str] | None:
    """Return the environment that settings are read from: the client's, or None for that of this process."""
    call = _CURRENT.get()
    return None if call is None else call.asked.environment


def file(path: str | None) -> str | None:
    """Return the path of a file that was named; a relative one is one of the client's. Raises DaemonError for it."""
    if path is not None and _CURRENT.get() is not None and not Path(path).expanduser().is_absolute():
        raise refused(DaemonError("a path is relative to where the client stands", hint="name it from the root on"))
    return path


def refused(error: DaemonError) -> DaemonError:
    """Note that a call is not for this process, so that its client does it itself."""
    call = _CURRENT.get()
    if call is not None:
        call.refused = error.message
    return error


@contextmanager
def engine(config: Any, db_path: str | None, bank: str, *, makes: bool) -> Iterator[Any]:
    """Lend the engine of a bank to the current call. Raises DaemonError where this process will not."""
    call = _CURRENT.get()
    if call is None or call.opener is None:
        raise refused(DaemonError("this is no command to run here", hint="run it in a process of its own"))
    with ExitStack() as stack:
        try:
            lent = stack.enter_context(call.opener(config, db_path, bank, makes=makes))
        except DaemonError as error:
            raise refused(error) from error
        yield lent
