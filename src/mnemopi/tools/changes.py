"""Tools that change a memory that is there: correct, hide, erase, vouch, pin; its history, and undoing."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from mnemopi.bank import Bank
from mnemopi.errors import UsageError
from mnemopi.model.memory import Erasure
from mnemopi.retrieval import render
from mnemopi.tools import shape
from mnemopi.tools.caller import Caller
from mnemopi.tools.tool import Flag, InBank, MemoryId, Number, Output, Tool, Whole

_PREVIOUS = 200
Reason = Annotated[str | None, Field(description="Why, for the history.")]
Version = Annotated[Whole | None, Field(description="The version you read: another in its place stays as it is.")]


class Changed(Output):
    """Answer of a change to one memory."""

    status: str
    memory_id: str
    bank: str
    version: int | None = None
    replacement_id: str | None = None
    redacted: dict[str, int] | None = None
    held_by: Annotated[list[str] | None, Field(description="What still holds the erased text: backups, readers.")] = (
        None
    )


class Update(InBank):
    """Arguments of mnemopi_update."""

    memory_id: MemoryId
    content: Annotated[str | None, Field(description="The whole new text.")] = None
    importance: Annotated[Number | None, Field(description="0 to 1.")] = None
    version: Version = None


def update(caller: Caller, asked: Update) -> Changed:
    """Replace the text or importance of a memory."""
    if asked.content is None and asked.importance is None:
        raise UsageError("content or importance is required")
    bank = caller.bank(asked.bank)
    content = None if asked.content is None else render.restored(asked.content)
    done = bank.update(asked.memory_id, content, asked.importance, expected_version=asked.version)
    redacted = dict(done.redacted) or None
    return Changed(status="updated", memory_id=done.id, bank=bank.name, version=done.version, redacted=redacted)


class Invalidate(InBank):
    """Arguments of mnemopi_invalidate."""

    memory_id: MemoryId
    replacement_id: Annotated[str | None, Field(description="Id of the memory that supersedes it.")] = None
    reason: Reason = None
    version: Version = None


def invalidate(caller: Caller, asked: Invalidate) -> Changed:
    """Hide a memory from recall."""
    bank = caller.bank(asked.bank)
    done = bank.invalidate(asked.memory_id, asked.replacement_id, reason=asked.reason, expected_version=asked.version)
    return Changed(
        status="invalidated",
        memory_id=done.id,
        bank=bank.name,
        version=done.version,
        replacement_id=asked.replacement_id,
    )


class Forget(InBank):
    """Arguments of mnemopi_forget."""

    memory_id: MemoryId
    version: Version = None


def forget(caller: Caller, asked: Forget) -> Changed:
    """Erase a memory for good."""
    bank = caller.bank(asked.bank)
    return erased(bank, bank.forget(asked.memory_id, expected_version=asked.version), "deleted")


def erased(bank: Bank, done: Erasure, status: str) -> Changed:
    """Render an erasure."""
    return Changed(status=status, memory_id=done.id, bank=bank.name, held_by=list(done.held_by) or None)


class Validate(InBank):
    """Arguments of mnemopi_validate."""

    memory_id: MemoryId
    action: Literal["attest", "update", "invalidate", "delete"]
    validator: Annotated[str | None, Field(description="Who says so; by default the author of this server.")] = None
    new_content: Annotated[str | None, Field(description="The corrected text; with update only.")] = None
    note: Reason = None
    bank: Annotated[
        str, Field(description="private (the bank of this server), surface (the shared one), or a name.")
    ] = "private"


class Validated(Changed):
    """Answer of mnemopi_validate."""

    validator: str
    author_id: str | None = None
    previous_content: str
    truncated: bool
    full_length: int


def validate(caller: Caller, asked: Validate) -> Validated:
    """Do what somebody says of a memory, in their name."""
    bank = caller.bank(None if asked.bank == "private" else asked.bank)
    validator = asked.validator or bank.identity.author_id or "unknown"
    before = bank.get(asked.memory_id)
    content = None if asked.new_content is None else render.restored(asked.new_content)
    done = bank.validate(asked.memory_id, asked.action, validator=validator, reason=asked.note, content=content)
    text = before.content if before is not None else ""
    return Validated(
        status=f"validation_{asked.action}",
        memory_id=done.id,
        bank=bank.name,
        version=None if isinstance(done, Erasure) else done.version,
        held_by=list(done.held_by) or None if isinstance(done, Erasure) else None,
        validator=validator,
        author_id=before.author_id if before is not None else None,
        previous_content=shape.preview(text, _PREVIOUS),
        truncated=len(text) > _PREVIOUS,
        full_length=len(text),
    )


class History(InBank):
    """Arguments of mnemopi_history."""

    memory_id: Annotated[str, Field(description="Id of a memory or fact.")]


class Told(Output):
    """Answer of mnemopi_history."""

    status: str
    memory_id: str
    count: int
    events: Annotated[list[dict[str, Any]], Field(description="The oldest first: at, verb, version, actor, reason.")]
    bank: str
    notice: str


def history(caller: Caller, asked: History) -> Told:
    """Say what happened to a memory."""
    bank = caller.bank(asked.bank)
    found = [shape.event(event) for event in bank.history(asked.memory_id)]
    return Told(
        status="ok", memory_id=asked.memory_id, count=len(found), events=found, bank=bank.name, notice=shape.NOTICE
    )


class Undo(InBank):
    """Arguments of mnemopi_undo."""

    memory_id: MemoryId
    reason: Reason = None


def undo(caller: Caller, asked: Undo) -> Changed:
    """Take back the last change of a memory."""
    bank = caller.bank(asked.bank)
    done = bank.undo(asked.memory_id, reason=asked.reason)
    return Changed(status="undone", memory_id=done.id, bank=bank.name, version=done.version)


class Pin(InBank):
    """Arguments of mnemopi_pin."""

    memory_id: MemoryId
    pinned: Annotated[Flag, Field(description="false takes the pin away.")] = True


def pin(caller: Caller, asked: Pin) -> Changed:
    """Make a memory part of each context, or no more."""
    bank = caller.bank(asked.bank)
    done = bank.pin(asked.memory_id) if asked.pinned else bank.unpin(asked.memory_id)
    status = "pinned" if asked.pinned else "unpinned"
    return Changed(status=status, memory_id=done.id, bank=bank.name, version=done.version)


TOOLS = (
    Tool(
        "mnemopi_update",
        "Correct a memory",
        "Replace the whole text of a memory, its importance, or both. The former version stays in its history.",
        Update,
        Changed,
        update,
        "change",
        core=True,
    ),
    Tool(
        "mnemopi_invalidate",
        "Invalidate a memory",
        "Hide a memory that no longer holds from recall, and say which one supersedes it. It can be undone.",
        Invalidate,
        Changed,
        invalidate,
        "change",
        again=True,
        core=True,
    ),
    Tool(
        "mnemopi_forget",
        "Forget a memory",
        "Erase one memory for good, with all its versions. This cannot be undone: to hide what is outdated, "
        "invalidate it.",
        Forget,
        Changed,
        forget,
        "destroy",
        again=True,
        core=True,
    ),
    Tool(
        "mnemopi_validate",
        "Validate a memory",
        "Let somebody vouch for a memory, correct it, hide it or erase it. Who said so and why stays in its history.",
        Validate,
        Validated,
        validate,
        "destroy",
    ),
    Tool(
        "mnemopi_history",
        "History of a memory",
        "Show what happened to a memory or a fact: who did what, when and why.",
        History,
        Told,
        history,
        "read",
    ),
    Tool(
        "mnemopi_undo",
        "Undo",
        "Take back the last change of a memory. Undoing again goes further back; what was erased stays erased.",
        Undo,
        Changed,
        undo,
        "change",
    ),
    Tool(
        "mnemopi_pin",
        "Pin a memory",
        "Make a memory part of every context, before all others, or take that back.",
        Pin,
        Changed,
        pin,
        "change",
    ),
)
