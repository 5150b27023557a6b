"""The one list of operations: those of each part, and one for each tool of the catalog."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from mnemopi.http import banks, changes, journal, memories, moving, searching, status, storing
from mnemopi.http.operation import Call, Operation, Reply
from mnemopi.tools.tool import Tool

REST: Final[tuple[Operation, ...]] = (
    *memories.OPERATIONS,
    *storing.OPERATIONS,
    *changes.OPERATIONS,
    *searching.OPERATIONS,
    *journal.OPERATIONS,
    *banks.OPERATIONS,
    *moving.OPERATIONS,
    *status.OPERATIONS,
)


def operations(tools: Sequence[Tool]) -> tuple[Operation, ...]:
    """Return all operations, with those of a set of tools."""
    return (*REST, *map(of_tool, tools))


def of_tool(tool: Tool) -> Operation:
    """Render a tool: its arguments are the body, its answer is the answer, as an agent gets it."""
    more = f" By its arguments, it may {tool.effect}." if tool.least else ""
    return Operation(
        "POST",
        f"/api/v1/tools/{tool.name}",
        tool.name,
        tool.words + more,
        tool.least or tool.effect,
        tool.output,
        partial(_run, tool),
        body=tool.input,
        tag="tools",
    )


def _run(tool: Tool, call: Call) -> Reply:
    return Reply(tool.done(call.caller, call.body).as_dict())
