"""Changing over REST: another text, hidden, erased; where If-Match says so, only the version that was read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Final

from pydantic import Field

from mnemopi.bank import Bank
from mnemopi.errors import ChangedError, UsageError
from mnemopi.http.memories import ETAG, PATH, etag, missing, tags
from mnemopi.http.operation import Call, Operation, Reply
from mnemopi.http.refusals import PreconditionError
from mnemopi.http.shapes import Erased, Stored
from mnemopi.tools.tool import Flag, InBank, Input, Number

_IF_MATCH: Final = {"If-Match": 'Versions that may be changed, such as "3"; another one is refused with 412.'}


class Change(Input):
    """What is to be another: at least one of them."""

    content: Annotated[str | None, Field(description="The whole new text.")] = None
    importance: Annotated[Number | None, Field(description="0 to 1.")] = None
    pinned: Flag | None = None


def change(call: Call) -> Reply:
    """Change a memory."""
    bank, id, asked = call.caller.bank(call.query.bank), call.path["id"], call.body
    with _expected(bank, id, call) as version:
        done = bank.update(id, asked.content, asked.importance, pinned=asked.pinned, expected_version=version)
    return Reply(Stored.of(done), {"ETag": etag(done.version)})


class Invalidation(Input):
    """Why a memory holds no more."""

    replacement: Annotated[str | None, Field(description="Id of the memory that supersedes it.")] = None
    reason: Annotated[str | None, Field(description="Why, for the history.")] = None


def invalidate(call: Call) -> Reply:
    """Hide a memory from recall."""
    bank, id = call.caller.bank(call.query.bank), call.path["id"]
    with _expected(bank, id, call) as version:
        done = bank.invalidate(id, call.body.replacement, reason=call.body.reason, expected_version=version)
    return Reply(Stored.of(done), {"ETag": etag(done.version)})


def forget(call: Call) -> Reply:
    """Erase a memory."""
    bank, id = call.caller.bank(call.query.bank), call.path["id"]
    with _expected(bank, id, call) as version:
        return Reply(Erased.of(bank.forget(id, expected_version=version)))


@contextmanager
def _expected(bank: Bank, id: str, call: Call) -> Iterator[int | None]:
    """Give the version in force where If-Match names it, None where nothing is named. Raises PreconditionError."""
    wanted = call.headers.get("if-match")
    if wanted is None:
        yield None
        return
    named = tags(wanted)
    if not named:
        raise UsageError("If-Match names no version", hint='such as "3", or *')
    kept = bank.get(id)
    if kept is None:
        raise missing(bank, id)
    if "*" not in named and etag(kept.version) not in named:
        raise PreconditionError(f"version {kept.version} is in force", hint="read it again, then change that")
    try:
        yield kept.version
    except ChangedError as error:  # since then
        raise PreconditionError(error.message, hint=error.hint) from error


OPERATIONS: Final = (
    Operation(
        "PATCH",
        f"{PATH}/{{id}}",
        "changeMemory",
        "Replace text, importance or pin by a new version.",
        "change",
        Stored,
        change,
        query=InBank,
        body=Change,
        tells=ETAG,
        headers=_IF_MATCH,
    ),
    Operation(
        "DELETE",
        f"{PATH}/{{id}}",
        "forgetMemory",
        "Erase a memory for good, with all its versions.",
        "destroy",
        Erased,
        forget,
        query=InBank,
        headers=_IF_MATCH,
    ),
    Operation(
        "POST",
        f"{PATH}/{{id}}/invalidation",
        "invalidateMemory",
        "Hide a memory that no longer holds from recall.",
        "change",
        Stored,
        invalidate,
        query=InBank,
        body=Invalidation,
        tells=ETAG,
        headers=_IF_MATCH,
    ),
)
