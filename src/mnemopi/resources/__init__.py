"""Addresses of what is remembered, and what stands there. Read only; a caller sees what their identity may see.

    memory://<id>             a memory whole, as JSON: never a preview
    memory://root             what one should know first: the context block
    memory://-/index          the latest memories, a line each
    memory://-/facts          what is known, a line each
    memory://-/banks          the names of the banks
    memory://-/session/<id>   what was said in a session, from its beginning, a line each
    memory://root/<path>      the same as memory://-/<path>

`?bank=NAME` names the bank; else it is the caller's. Names are percent-encoded where they hold other characters.

In a session of an agent, its backend says what stands where. Where memory is files, `memory://root` is the one to be
read first, and what lies below it is a file or a folder. `memory://-/skills` and `memory://-/skills/<name>` are what
agents wrote down for themselves. A form that does not apply is an error that names those that do.
"""

from __future__ import annotations

from typing import TypeAlias

from mnemopi.resources import banked, sessions
from mnemopi.resources.address import Address, Entry, parse
from mnemopi.resources.banked import Sight
from mnemopi.tools.agent_caller import AgentCaller
from mnemopi.tools.caller import Caller

__all__ = ["Address", "Anybody", "Entry", "banks", "complete", "listed", "parse", "read", "templates"]

Anybody: TypeAlias = Caller | AgentCaller


def read(caller: Anybody, uri: str) -> tuple[str, str]:
    """Return the text at an address and its media type. Raises UsageError and NotFoundError."""
    if isinstance(caller, AgentCaller):
        return sessions.read(caller, uri)
    return banked.read(_sight(caller), parse(uri))


def listed(caller: Anybody) -> list[Entry]:
    """Return what always stands, and the latest memories of the caller's bank."""
    return sessions.listed(caller) if isinstance(caller, AgentCaller) else banked.listed(_sight(caller))


def templates(caller: Anybody) -> tuple[Entry, ...]:
    """Return the templates of what stands there."""
    return sessions.templates(caller) if isinstance(caller, AgentCaller) else banked.TEMPLATES


def complete(caller: Anybody, argument: str, begun: str, bank: str | None = None) -> list[str]:
    """Return what an argument of a template may be, given its beginning: the latest first, or by name."""
    if isinstance(caller, AgentCaller):
        return sessions.complete(caller, argument, begun, bank)
    return banked.complete(_sight(caller), argument, begun, bank)


def banks(caller: Caller) -> list[str]:
    """Return the names of the banks that the caller may see."""
    names = caller.engines.banks.names()
    return [name for name in names if caller.only is None or name in caller.only]


def _sight(caller: Caller) -> Sight:
    return Sight(caller.bank, lambda: banks(caller))
