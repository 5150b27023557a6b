"""Memories over REST: lists in pages, and one whole. The version of a memory is its ETag."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import Field

from mnemopi import errors
from mnemopi.bank import Bank
from mnemopi.http.operation import Call, Operation, Reply
from mnemopi.http.refusals import NoMemoryError
from mnemopi.http.shapes import NOTICE, Kept
from mnemopi.tools.tool import InBank, Output

MOST: Final = 1000
PATH: Final = "/api/v1/memories"
_NARROW: Final = ("session_id", "author_id", "author_type", "channel_id", "source", "scope", "tier", "kind")
_FILTERS: Final = (*_NARROW, "memory_type", "veracity", "from_date", "to_date", "as_of", "include_invalid")
ETAG: Final = {"ETag": "The version, in quotation marks."}


class Narrowed(InBank):
    """Filters, which only narrow."""

    session_id: str | None = None
    author_id: str | None = None
    author_type: str | None = None
    channel_id: str | None = None
    source: str | None = None
    scope: str | None = None
    tier: str | None = None
    kind: Annotated[str | None, Field(description="turn, note or episode.")] = None
    memory_type: str | None = None
    veracity: str | None = None
    from_date: Annotated[str | None, Field(description="ISO date: said or happened from then on.")] = None
    to_date: Annotated[str | None, Field(description="ISO date, included: said or happened until then.")] = None
    as_of: Annotated[str | None, Field(description="ISO time: what was known and valid then.")] = None


class Listing(Narrowed):
    """Query of a list."""

    after: Annotated[int, Field(description="`next` of the page before.", ge=0, lt=2**63)] = 0
    limit: Annotated[int, Field(description="Most memories of a page.", ge=1, le=MOST)] = 100
    include_invalid: Annotated[bool, Field(description="Also what is invalid or superseded.")] = False


class Page(Output):
    """Memories in the order of their recording."""

    memories: list[Kept]
    next: Annotated[int | None, Field(description="`after` of the next page; absent on the last one.")] = None
    bank: str
    notice: str


def page(call: Call) -> Reply:
    """List memories."""
    bank, asked = call.caller.bank(call.query.bank), call.query
    found = bank.page(asked.after, asked.limit + 1, **asked.given(*_FILTERS))
    shown = found[: asked.limit]
    following = shown[-1].rowkey if len(found) > len(shown) else None
    return Reply(Page(memories=[Kept.of(each) for each in shown], next=following, bank=bank.name, notice=NOTICE))


class Which(InBank):
    """Query of one memory."""

    version: Annotated[int | None, Field(description="A numbered version.", ge=1, lt=2**63)] = None
    as_of: Annotated[str | None, Field(description="ISO time: the version of then.")] = None


def read(call: Call) -> Reply:
    """Read one memory whole."""
    bank = call.caller.bank(call.query.bank)
    kept = bank.get(call.path["id"], version=call.query.version, as_of=call.query.as_of)
    if kept is None:
        raise missing(bank, call.path["id"], call.query.version, call.query.as_of)
    headers = {"ETag": etag(kept.version)}
    if etag(kept.version) in tags(call.headers.get("if-none-match", "")):
        return Reply(None, headers, 304)
    return Reply(Kept.of(kept), headers)


def etag(version: int) -> str:
    """Return the tag of a version."""
    return f'"{version}"'


def tags(header: str) -> Sequence[str]:
    """Return the tags that a header names."""
    return [tag.strip().removeprefix("W/") for tag in header.split(",") if tag.strip()]


def missing(bank: Bank, id: str, version: int | None = None, as_of: str | None = None) -> NoMemoryError:
    """Return the error of a memory that is not there or not to be seen, or has no such version."""
    told = bank.missing(id, version=version, as_of=as_of)
    seen = told.message != errors.no_memory(id, bank.name).message
    return NoMemoryError(told.message, hint=told.hint if seen else "POST /api/v1/search shows ids")


OPERATIONS: Final = (
    Operation(
        "GET",
        PATH,
        "listMemories",
        "List memories in the order of their recording.",
        "read",
        Page,
        page,
        query=Listing,
    ),
    Operation(
        "GET",
        f"{PATH}/{{id}}",
        "readMemory",
        "Read a memory whole, also an invalidated one.",
        "read",
        Kept,
        read,
        query=Which,
        tells=ETAG,
        also={304: "It is the version that If-None-Match names."},
        headers={"If-None-Match": "Versions that are known already."},
    ),
)
