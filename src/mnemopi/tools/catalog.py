"""The one list of tools. A new tool is an entry in the `TOOLS` of its module."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from mnemopi.errors import NotFoundError, UsageError
from mnemopi.tools import changes, exchange, knowledge, memory, shared, upkeep
from mnemopi.tools.tool import Tool

TOOLS: Final[tuple[Tool, ...]] = (
    *memory.TOOLS,
    *changes.TOOLS,
    *knowledge.TOOLS,
    *shared.TOOLS,
    *upkeep.TOOLS,
    *exchange.TOOLS,
)
BY_NAME: Final[Mapping[str, Tool]] = MappingProxyType({tool.name: tool for tool in TOOLS})


def find(name: str) -> Tool:
    """Return a tool by its name. Raises NotFoundError."""
    if name not in BY_NAME:
        raise NotFoundError(f"there is no tool {name[:80]!r}", hint="the list of tools names them")
    return BY_NAME[name]


def chosen(asked: str) -> tuple[Tool, ...]:
    """Return a set of tools, in the order of the catalog: `full`, `core`, or names separated by commas.

    A name may lack its beginning `mnemopi_`. Raises UsageError for an unknown one.
    """
    if asked.strip() == "full":
        return TOOLS
    if asked.strip() == "core":
        return tuple(tool for tool in TOOLS if tool.core)
    names = {name if name.startswith("mnemopi_") else f"mnemopi_{name}" for name in _parts(asked)}
    if not names or (unknown := sorted(names - set(BY_NAME))):
        said = ", ".join(unknown) if names else "nothing"
        raise UsageError(f"{said}: no such tools", hint="full, core, or names separated by commas")
    return tuple(tool for tool in TOOLS if tool.name in names)


def _parts(asked: str) -> list[str]:
    return [part.strip() for part in asked.split(",") if part.strip()]
