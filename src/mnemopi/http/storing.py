"""Storing over REST: one memory, or many in one transaction."""

from __future__ import annotations

from typing import Annotated, Any, Final
from urllib.parse import quote

from pydantic import Field

from mnemopi.http.memories import ETAG, MOST, PATH, etag
from mnemopi.http.operation import Call, Operation, Reply
from mnemopi.http.shapes import Stored
from mnemopi.tools.tool import BankName, Flag, InBank, Input, Number, Output, Whole


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
    options = call.body.options()
    options.pop("bank", None)
    with call.caller.writing(call.body.bank) as bank:
        receipt = bank.remember(options.pop("content"), **options)
    return Reply(Stored.of(receipt), {"ETag": etag(receipt.version), "Location": _place(receipt.id, call.body.bank)})


class Batch(InBank):
    """Memories to store in one transaction."""

    items: Annotated[list[Draft], Field(description="All are stored, or none.", max_length=MOST)]


class Receipts(Output):
    """Receipts, in the order of the items."""

    receipts: list[Stored]
    bank: str


def store_many(call: Call) -> Reply:
    """Store memories, all or none."""
    with call.caller.writing(call.body.bank) as bank:
        done = bank.remember_many([item.options() for item in call.body.items], batch_size=MOST)
    return Reply(Receipts(receipts=[Stored.of(each) for each in done], bank=bank.name))


def _place(id: str, bank: str | None) -> str:
    return f"{PATH}/{quote(id, safe='')}" + (f"?bank={quote(bank, safe='')}" if bank else "")


OPERATIONS: Final = (
    Operation(
        "POST",
        PATH,
        "storeMemory",
        "Store one memory.",
        "add",
        Stored,
        store,
        body=InBankDraft,
        status=201,
        tells=ETAG | {"Location": "Where it stands."},
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
)
