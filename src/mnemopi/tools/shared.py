"""Tools for the shared surface: what every agent of a person should know."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from mnemopi.storage.banks import SURFACE
from mnemopi.tools import changes, shape
from mnemopi.tools.caller import Caller
from mnemopi.tools.tool import Input, MemoryId, Number, Output, Reranked, Tool, Whole

_PREVIEW: Final = 120
_LABELLED: Final = re.compile(r"surface (?:meta|preference|correction|identity): ?", re.IGNORECASE)
Kind = Literal["meta", "preference", "correction", "identity"]


class SharedRemember(Input):
    """Arguments of mnemopi_shared_remember."""

    content: Annotated[str, Field(description="What every agent should know.")]
    kind: Kind = "meta"
    importance: Annotated[Number, Field(description="0 to 1.")] = 0.8
    veracity: Annotated[str, Field(description="As in mnemopi_remember.")] = "unknown"
    metadata: Annotated[dict[str, Any], Field(description="Your own fields, kept with it.")] = Field(
        default_factory=dict
    )


class SharedRemembered(Output):
    """Answer of mnemopi_shared_remember."""

    status: str
    memory_id: str
    kind: str
    outcome: str
    content_preview: str
    truncated: bool
    full_length: int
    redacted: dict[str, int] | None = None


def remember(caller: Caller, asked: SharedRemember) -> SharedRemembered:
    """Put something on the surface."""
    text = asked.content if _LABELLED.match(asked.content) else f"Surface {asked.kind}: {asked.content}"
    text = text if asked.content.strip() else asked.content
    with caller.writing(SURFACE) as bank:
        receipt = bank.surface.remember(
            text,
            asked.kind,
            source="surface_manual",
            importance=asked.importance,
            veracity=asked.veracity,
            metadata=asked.metadata | {"shared_memory": True, "surface_kind": asked.kind},
        )
    kept = bank.get(receipt.id)
    text = kept.content if kept is not None else text
    return SharedRemembered(
        status="stored_shared",
        memory_id=receipt.id,
        kind=asked.kind,
        outcome=receipt.outcome,
        content_preview=shape.preview(text, _PREVIEW),
        truncated=len(text) > _PREVIEW,
        full_length=len(text),
        redacted=dict(receipt.redacted) or None,
    )


class SharedRecall(Input):
    """Arguments of mnemopi_shared_recall."""

    query: Annotated[str, Field(description="A question, or words to look for.")]
    limit: Annotated[Whole, Field(description="Most results.")] = 5
    rerank: Reranked = None


class SharedRecalled(Output):
    """Answer of mnemopi_shared_recall."""

    query: str
    count: int
    results: list[dict[str, Any]]
    notice: str


def recall(caller: Caller, asked: SharedRecall) -> SharedRecalled:
    """Find what is on the surface."""
    hits = caller.bank(SURFACE).surface.recall(asked.query, asked.limit, rerank=asked.rerank)
    rows = [shape.hit(each) | {"bank": "surface", "shared_surface": True} for each in hits]
    return SharedRecalled(query=asked.query, count=len(rows), results=rows, notice=shape.NOTICE)


class SharedForget(Input):
    """Arguments of mnemopi_shared_forget."""

    memory_id: MemoryId


def forget(caller: Caller, asked: SharedForget) -> changes.Changed:
    """Erase something from the surface."""
    bank = caller.bank(SURFACE)
    return changes.erased(bank, bank.surface.forget(asked.memory_id), "deleted")


class SharedStats(Input):
    """Arguments of mnemopi_shared_stats: none."""


class SharedCounts(Output):
    """Answer of mnemopi_shared_stats."""

    provider: str
    working: dict[str, Any]
    episodic: dict[str, Any]


def stats(caller: Caller, _: SharedStats) -> SharedCounts:
    """Count what is on the surface."""
    tiers = caller.bank(SURFACE).stats()["beam"]
    return SharedCounts(provider="mnemopi_shared", working=tiers["working_memory"], episodic=tiers["episodic_memory"])


TOOLS = (
    Tool(
        "mnemopi_shared_remember",
        "Remember for all agents",
        "Store what every agent of this person should know: how to work with them (meta), a preference, a correction, "
        "or who is who (identity).",
        SharedRemember,
        SharedRemembered,
        remember,
        "add",
    ),
    Tool(
        "mnemopi_shared_recall",
        "Recall for all agents",
        "Find what is shared among all agents of this person, the best first.",
        SharedRecall,
        SharedRecalled,
        recall,
        "read",
    ),
    Tool(
        "mnemopi_shared_forget",
        "Forget for all agents",
        "Erase one shared memory for good. This cannot be undone.",
        SharedForget,
        changes.Changed,
        forget,
        "destroy",
        again=True,
    ),
    Tool(
        "mnemopi_shared_stats",
        "Count what is shared",
        "Count what is shared among all agents.",
        SharedStats,
        SharedCounts,
        stats,
        "read",
    ),
)
