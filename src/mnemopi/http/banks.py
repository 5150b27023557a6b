"""Banks over REST: list, create, rename, delete. A bank that the token may not see is not there."""

from __future__ import annotations

from typing import Annotated, Final
from urllib.parse import quote

from pydantic import Field

from mnemopi import resources
from mnemopi.errors import NotFoundError
from mnemopi.http.operation import Call, Operation, Reply
from mnemopi.tools.tool import Input, Output

_PATH: Final = "/api/v1/banks"


class Names(Output):
    """Names of banks, the default one first."""

    banks: list[str]
    own: Annotated[str, Field(description="The bank of requests that name none.")]


class Named(Input):
    """A name for a bank."""

    name: Annotated[str, Field(description="1 to 64 letters, digits, `-`, `_` or `.`.")]


class One(Output):
    """One bank."""

    bank: str


class Confirmed(Input):
    """Query of a deletion."""

    confirm: Annotated[str | None, Field(description="Token of the answer that asked for it.")] = None


def names(call: Call) -> Reply:
    """List banks."""
    return Reply(Names(banks=resources.banks(call.caller), own=call.caller.name(None)))


def create(call: Call) -> Reply:
    """Make an empty bank."""
    name, engines = call.caller.name(call.body.name), call.caller.engines
    engines.banks.create(name, engines.clock())
    return Reply(One(bank=name), {"Location": f"{_PATH}/{quote(name, safe='')}"})


def read(call: Call) -> Reply:
    """Say that a bank is there."""
    return Reply(One(bank=_there(call)))


def rename(call: Call) -> Reply:
    """Give a bank another name."""
    old, new, engines = _there(call), call.caller.name(call.body.name), call.caller.engines
    engines.let_go(old)
    engines.banks.rename(old, new, engines.clock())
    return Reply(One(bank=new), {"Location": f"{_PATH}/{quote(new, safe='')}"})


def delete(call: Call) -> Reply:
    """Delete a bank, where somebody agreed."""
    name, engines = _there(call), call.caller.engines
    engines.banks.check_apart(name)  # nobody is asked to agree to what cannot be
    stats = call.caller.bank(name).stats()
    preview = {"bank": name, "memories": stats["total_memories"]}
    call.caller.confirmations.require(
        f"Delete bank {name!r} and all that it holds?", {"tool": "deleteBank", **preview}, call.query.confirm
    )
    engines.let_go(name)
    engines.banks.delete(name, engines.clock())
    return Reply(One(bank=name))


def _there(call: Call) -> str:
    name = call.caller.name(call.path["bank"])
    if not call.caller.engines.banks.exists(name):
        raise NotFoundError(f"there is no bank {name!r}", hint="GET /api/v1/banks names them")
    return name


_LOCATION: Final = {"Location": "Where it stands."}
OPERATIONS: Final = (
    Operation("GET", _PATH, "listBanks", "List the banks that the token may see.", "read", Names, names, tag="banks"),
    Operation(
        "POST",
        _PATH,
        "createBank",
        "Make an empty bank.",
        "add",
        One,
        create,
        body=Named,
        status=201,
        tells=_LOCATION,
        tag="banks",
    ),
    Operation(
        "GET", f"{_PATH}/{{bank}}", "readBank", "Say whether there is such a bank.", "read", One, read, tag="banks"
    ),
    Operation(
        "PATCH",
        f"{_PATH}/{{bank}}",
        "renameBank",
        "Give a bank another name, while nobody else has it open.",
        "change",
        One,
        rename,
        body=Named,
        tells=_LOCATION,
        tag="banks",
    ),
    Operation(
        "DELETE",
        f"{_PATH}/{{bank}}",
        "deleteBank",
        "Delete a bank and all that it holds. The first answer is 409 with what would go and a token that agrees "
        "to it, valid for five minutes.",
        "destroy",
        One,
        delete,
        query=Confirmed,
        tag="banks",
    ),
)
