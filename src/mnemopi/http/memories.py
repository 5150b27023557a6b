"""Memories over REST: list, store, read, change, hide, erase. The version of a memory is its ETag."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final
from urllib.parse import quote

from pydantic import Field

from mnemopi.bank import Bank
from mnemopi.errors import ChangedError, UsageError
from mnemopi.http.operation import Call, Operation, Reply
from mnemopi.http.refusals import NoMemoryError, PreconditionError
from mnemopi.http.shapes import NOTICE, Erased, Kept, Stored
from mnemopi.model.memory import Memory
from mnemopi.tools.tool import BankName, Flag, InBank, Input, Number, Output, Whole

_MOST: Final = 1000
_PATH: Final = "/api/v1/memories"
_NARROW: Final = ("session_id", "author_id", "author_type", "channel_id", "source", "scope", "tier", "kind")
_FILTERS: Final = (*_NARROW, "memory_type", "veracity", "from_date", "to_date", "as_of", "include_invalid")
_ETAG: Final = {"ETag": "The version, in quotation marks."}
_IF_MATCH: Final = {"If-Match": 'Versions that may be changed, such as "3"; another one is refused with 412.'}


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
    limit: Annotated[int, Field(description="Most memories of a page.", ge=1, le=_MOST)] = 100
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


class Draft(Input):
    """A memory to store: with a session, position or external id a turn of a conversation, else a note."""

    content: str
    source: str = "conversation"
    importance: Annotated[Number, Field(description="0 to 1.")] = 0.5
    veracity: str = "unknown"
    scope: Annotated[str, Field(description="bank, session, channel, global, or a custom scope.")] = "bank"
    session_id: str | None = None
    position: Whole | None = None
    author_id: str | None = None
    author_type: str | None = None
    channel_id: str | None = None
    external_id: str | None = None
    timestamp: Annotated[str | Whole | None, Field(description="ISO 8601 (UTC where no zone is given), or UTC ms.")] = (
        None
    )
    valid_until: Annotated[str | Whole | None, Field(description="As timestamp; a bare date is included.")] = None
    metadata: dict[str, Any] | None = None
    memory_type: str = "unknown"
    trust_tier: str | None = None
    embed_text: str | None = None
    extract: Annotated[Flag | None, Field(description="Have the language model, where one is set, read it.")] = None
    extract_text: Annotated[str | None, Field(description="The part that facts are read from.")] = None
    pinned: Flag = False

    def options(self) -> dict[str, Any]:
        """Return what was given, as the options of `remember`."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class InBankDraft(Draft):
    """A memory to store, and where."""

    bank: BankName = None


def store(call: Call) -> Reply:
    """Store one memory."""
    bank = call.caller.bank(call.body.bank, create=True)
    options = call.body.options()
    options.pop("bank", None)
    receipt = bank.remember(options.pop("content"), **options)
    return Reply(Stored.of(receipt), {"ETag": etag(receipt.version), "Location": _place(receipt.id, call.body.bank)})


class Batch(InBank):
    """Memories to store in one transaction."""

    items: Annotated[list[Draft], Field(description="All are stored, or none.", max_length=_MOST)]


class Receipts(Output):
    """Receipts, in the order of the items."""

    receipts: list[Stored]
    bank: str


def store_many(call: Call) -> Reply:
    """Store memories, all or none."""
    bank = call.caller.bank(call.body.bank, create=True)
    done = bank.remember_many([item.options() for item in call.body.items], batch_size=_MOST)
    return Reply(Receipts(receipts=[Stored.of(each) for each in done], bank=bank.name))


class Which(InBank):
    """Query of one memory."""

    version: Annotated[int | None, Field(description="A numbered version.", ge=1, lt=2**63)] = None
    as_of: Annotated[str | None, Field(description="ISO time: the version of then.")] = None


def read(call: Call) -> Reply:
    """Read one memory whole."""
    bank = call.caller.bank(call.query.bank)
    kept = bank.get(call.path["id"], version=call.query.version, as_of=call.query.as_of)
    if kept is None:
        raise _missing(bank, call.path["id"])
    headers = {"ETag": etag(kept.version)}
    if etag(kept.version) in _tags(call.headers.get("if-none-match", "")):
        return Reply(None, headers, 304)
    return Reply(Kept.of(kept), headers)


class Change(Input):
    """What is to be another: at least one of them."""

    content: Annotated[str | None, Field(description="The whole new text.")] = None
    importance: Annotated[Number | None, Field(description="0 to 1.")] = None
    pinned: Flag | None = None


def change(call: Call) -> Reply:
    """Change a memory."""
    bank, id, asked = call.caller.bank(call.query.bank), call.path["id"], call.body
    expected = _expected(bank, id, call)
    try:
        done = bank.update(id, asked.content, asked.importance, pinned=asked.pinned, expected_version=expected)
    except ChangedError as error:
        raise PreconditionError(error.message, hint=error.hint) from error
    return Reply(Stored.of(done), {"ETag": etag(done.version)})


class Invalidation(Input):
    """Why a memory holds no more."""

    replacement: Annotated[str | None, Field(description="Id of the memory that supersedes it.")] = None
    reason: Annotated[str | None, Field(description="Why, for the history.")] = None


def invalidate(call: Call) -> Reply:
    """Hide a memory from recall."""
    bank, id = call.caller.bank(call.query.bank), call.path["id"]
    _expected(bank, id, call)
    done = bank.invalidate(id, call.body.replacement, reason=call.body.reason)
    return Reply(Stored.of(done), {"ETag": etag(done.version)})


def forget(call: Call) -> Reply:
    """Erase a memory."""
    bank, id = call.caller.bank(call.query.bank), call.path["id"]
    _expected(bank, id, call)
    return Reply(Erased.of(bank.forget(id)))


def etag(version: int) -> str:
    """Return the tag of a version."""
    return f'"{version}"'


def _expected(bank: Bank, id: str, call: Call) -> int | None:
    """Return the version in force where If-Match names it, None where nothing is named. Raises PreconditionError."""
    wanted = call.headers.get("if-match")
    if wanted is None:
        return None
    tags = _tags(wanted)
    if not tags:
        raise UsageError("If-Match names no version", hint='such as "3", or *')
    kept: Memory | None = bank.get(id)
    if kept is None:
        raise _missing(bank, id)
    if "*" not in tags and etag(kept.version) not in tags:
        raise PreconditionError(f"version {kept.version} is in force", hint="read it again, then change that")
    return kept.version


def _tags(header: str) -> Sequence[str]:
    return [tag.strip().removeprefix("W/") for tag in header.split(",") if tag.strip()]


def _missing(bank: Bank, id: str) -> NoMemoryError:
    return NoMemoryError(f"there is no memory {id[:100]!r} in bank {bank.name!r}")


def _place(id: str, bank: str | None) -> str:
    return f"{_PATH}/{quote(id, safe='')}" + (f"?bank={quote(bank, safe='')}" if bank else "")


OPERATIONS: Final = (
    Operation(
        "GET",
        _PATH,
        "listMemories",
        "List memories in the order of their recording.",
        "read",
        Page,
        page,
        query=Listing,
    ),
    Operation(
        "POST",
        _PATH,
        "storeMemory",
        "Store one memory.",
        "add",
        Stored,
        store,
        body=InBankDraft,
        status=201,
        tells=_ETAG | {"Location": "Where it stands."},
    ),
    Operation(
        "POST",
        "/api/v1/batches",
        "storeMemories",
        "Store many memories in one transaction.",
        "add",
        Receipts,
        store_many,
        body=Batch,
        status=201,
    ),
    Operation(
        "GET",
        f"{_PATH}/{{id}}",
        "readMemory",
        "Read a memory whole, also an invalidated one.",
        "read",
        Kept,
        read,
        query=Which,
        tells=_ETAG,
        also={304: "It is the version that If-None-Match names."},
        headers={"If-None-Match": "Versions that are known already."},
    ),
    Operation(
        "PATCH",
        f"{_PATH}/{{id}}",
        "changeMemory",
        "Replace text, importance or pin by a new version.",
        "change",
        Stored,
        change,
        query=InBank,
        body=Change,
        tells=_ETAG,
        headers=_IF_MATCH,
    ),
    Operation(
        "DELETE",
        f"{_PATH}/{{id}}",
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
        f"{_PATH}/{{id}}/invalidation",
        "invalidateMemory",
        "Hide a memory that no longer holds from recall.",
        "change",
        Stored,
        invalidate,
        query=InBank,
        body=Invalidation,
        tells=_ETAG,
        headers=_IF_MATCH,
    ),
)
