"""How tools and their answers look on the wire.

Hosts show a model the text or the structure, seldom both: so both carry the same JSON, compact. An error is an answer
too, which the model can read and correct itself by: code, message and hint. It is text alone, since a structure has to
be what the tool's output schema says, and clients drop an answer whose structure is not.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any, Final

from mcp_types import CallToolResult, TextContent, ToolAnnotations
from mcp_types import Tool as Listed

from mnemopi.errors import MnemopiError
from mnemopi.tools.tool import Tool

_LOG: Final = logging.getLogger(__name__)
ALWAYS_LOAD: Final = "anthropic/alwaysLoad"
"""Under this key of a tool's `_meta`, Claude Code reads that the tool is to be there from the first turn."""


def listed(tool: Tool) -> Listed:
    """Render a tool for the list."""
    return Listed(
        name=tool.name,
        title=tool.title,
        description=tool.words,
        input_schema=tool.input_schema(),
        output_schema=tool.output_schema(),
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.effect == "read",
            destructive_hint=tool.effect == "destroy",
            idempotent_hint=tool.idempotent,
            open_world_hint=False,
        ),
        _meta={ALWAYS_LOAD: True} if tool.core else None,
    )


def answer(told: Mapping[str, Any]) -> CallToolResult:
    """Render an answer: the same compact JSON as text and as structure."""
    return CallToolResult(content=[TextContent(text=_compact(told))], structured_content=dict(told))


def failure(error: Exception, tool: str) -> CallToolResult:
    """Render an error. What is none of ours is logged by its kind and place; what it says may hold content."""
    if isinstance(error, MnemopiError):
        return _failed(error.as_dict())
    _LOG.error("%s: unexpected %s at %s", tool, type(error).__name__, _place(error))
    told = f"unexpected {type(error).__name__}"
    return _failed({"code": "internal", "message": told, "hint": "the server's log on standard error says where"})


def _failed(told: Mapping[str, Any]) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=_compact(told))], is_error=True)


def _compact(told: Mapping[str, Any]) -> str:
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def _place(error: Exception) -> str:
    trace, place = error.__traceback__, "nowhere"
    while trace is not None:
        place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
