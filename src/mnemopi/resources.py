"""Addresses of what is remembered, and what stands there. Read only; a caller sees what their identity may see.

    memory://<id>             a memory whole, as JSON: never a preview
    memory://root             what one should know first: the context block
    memory://-/index          the latest memories, a line each
    memory://-/facts          what is known, a line each
    memory://-/banks          the names of the banks
    memory://-/session/<id>   what was said in a session, from its beginning, a line each
    memory://root/<path>      the same as memory://-/<path>

`?bank=NAME` names the bank; else it is the caller's. Names are percent-encoded where they hold other characters.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from mnemopi.bank import Bank
from mnemopi.errors import NotFoundError, UsageError
from mnemopi.model.interval import iso
from mnemopi.model.memory import Memory
from mnemopi.model.values import dataclass
from mnemopi.tools import shape
from mnemopi.tools.caller import Caller

Place: TypeAlias = Literal["memory", "root", "index", "facts", "banks", "session"]
JSON: Final = "application/json"
PLAIN: Final = "text/plain"
_PLACES: Final[Mapping[str, Place]] = {"index": "index", "facts": "facts", "banks": "banks"}
_LINES: Final = 200
_LINE: Final = 300
_LATEST: Final = 20
_COMPLETIONS: Final = 100
_BUDGET: Final = 8000


@dataclass(frozen=True, slots=True)
class Address:
    """Where something stands. `name` is the id of a memory or session."""

    place: Place
    name: str = ""
    bank: str | None = None

    def __str__(self) -> str:
        tail = f"?bank={quote(self.bank, safe='')}" if self.bank else ""
        if self.place == "memory":
            return f"memory://{quote(self.name, safe='')}{tail}"
        if self.place == "root":
            return f"memory://root{tail}"
        name = f"/{quote(self.name, safe='')}" if self.name else ""
        return f"memory://-/{self.place}{name}{tail}"


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the list of resources, or a template (RFC 6570) for many."""

    uri: str
    name: str
    words: str
    mime: str = PLAIN


STANDING: Final = (
    Entry("memory://root", "root", "What one should know first: pinned memories, then the most important and latest."),
    Entry("memory://-/index", "index", "The latest memories, a line each."),
    Entry("memory://-/facts", "facts", "What is known, a line each."),
    Entry("memory://-/banks", "banks", "The names of the banks.", JSON),
)
TEMPLATES: Final = (
    Entry("memory://{id}{?bank}", "memory", "A memory whole.", JSON),
    Entry("memory://-/session/{session}{?bank}", "session", "What was said in a session."),
    Entry("memory://root{/path*}{?bank}", "root", "What one should know first, and what lies below it."),
    Entry("memory://-/facts{?bank}", "facts", "What is known."),
    Entry("memory://-/index{?bank}", "index", "The latest memories."),
)


def parse(uri: str) -> Address:
    """Read an address. Raises UsageError for one that is none of ours."""
    try:
        parts = urlsplit(uri)
    except ValueError as error:
        raise UsageError(f"{uri[:100]!r} is no address") from error
    steps = [unquote(step) for step in (parts.netloc + parts.path).split("/")]
    if parts.scheme != "memory" or parts.fragment or not all(map(_is_plain, steps)):
        raise UsageError(f"{uri[:100]!r} is no address here", hint="such as memory://root or memory://-/index")
    bank = _bank(parts.query)
    head, below = steps[0], steps[1:]
    if head not in ("-", "root"):
        if below:
            raise UsageError(f"nothing lies below a memory: {uri[:100]!r}")
        return Address("memory", head, bank)
    if head == "root" and not below:
        return Address("root", "", bank)
    if len(below) == 1 and (place := _PLACES.get(below[0])) is not None:
        return Address(place, "", bank)
    if len(below) == 2 and below[0] == "session":
        return Address("session", below[1], bank)
    raise UsageError(f"nothing stands at {uri[:100]!r}", hint=f"memory://{head}/index, /facts, /banks or /session/<id>")


def read(caller: Caller, uri: str) -> tuple[str, str]:
    """Return the text at an address and its media type. Raises UsageError and NotFoundError."""
    address = parse(uri)
    if address.place == "banks":
        return _json({"banks": banks(caller)}), JSON
    bank = caller.bank(address.bank)
    if address.place == "memory":
        return _json(_whole(bank, address.name)), JSON
    return f"{shape.NOTICE}\n\n{_text(bank, address)}\n", PLAIN


def listed(caller: Caller) -> list[Entry]:
    """Return what always stands, and the latest memories of the caller's bank."""
    latest = caller.bank(None).surface.list(limit=_LATEST)
    entries = [Entry(f"memory://{quote(each.id, safe='')}", each.id, _preview(each, 80), JSON) for each in latest]
    return [*STANDING, *entries]


def complete(caller: Caller, argument: str, begun: str, bank: str | None = None) -> list[str]:
    """Return what an argument of a template may be, given its beginning: the latest first, or by name."""
    if argument == "bank":
        found = banks(caller)
    elif argument in ("id", "session"):
        latest = caller.bank(bank).surface.list(limit=1000)
        found = [each.id if argument == "id" else each.session_id for each in latest]
    elif argument == "path":
        found = ["index", "facts", "banks", "session"]
    else:
        found = []
    return [each for each in dict.fromkeys(found) if each.startswith(begun)][:_COMPLETIONS]


def banks(caller: Caller) -> list[str]:
    """Return the names of the banks that the caller may see."""
    names = caller.engines.banks.names()
    return [name for name in names if caller.only is None or name in caller.only]


def _text(bank: Bank, address: Address) -> str:
    if address.place == "facts":
        return _or_nothing([f"- {shape.neutral(fact.dated)} [{fact.id}]" for fact in bank.facts.list(limit=_LINES)])
    if address.place == "index":
        return _or_nothing([_line(each) for each in bank.surface.list(limit=_LINES)])
    if address.place == "session":
        turns = bank.page(limit=_LINES + 1, session_id=address.name)
        if not turns:
            raise NotFoundError(f"there is no session {address.name[:100]!r} in bank {bank.name!r}")
        more = ["- ... mnemopi_recall finds the rest"] if len(turns) > _LINES else []
        return "\n".join([_line(each) for each in turns[:_LINES]] + more)
    return bank.context(None, _BUDGET) or "Nothing is remembered yet."


def _whole(bank: Bank, id: str) -> dict[str, object]:
    kept = bank.get(id)
    if kept is None:
        raise NotFoundError(f"there is no memory {id[:100]!r} in bank {bank.name!r}")
    return {"memory": shape.memory(kept), "bank": bank.name, "notice": shape.NOTICE}


def _line(kept: Memory) -> str:
    origin = shape.neutral(", ".join((kept.id, iso(kept.timestamp)[:10], kept.author_id or kept.source)))
    return f"- [{origin}] {_preview(kept, _LINE)}"


def _preview(kept: Memory, most: int) -> str:
    return " ".join(shape.preview(kept.content, most).split())


def _or_nothing(lines: Sequence[str]) -> str:
    return "\n".join(lines) or "Nothing is remembered yet."


def _json(told: object) -> str:
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def _bank(query: str) -> str | None:
    given = parse_qsl(query, keep_blank_values=True)
    if not given:
        return None
    if len(given) > 1 or given[0][0] != "bank" or not given[0][1]:
        raise UsageError("an address takes ?bank=NAME and nothing else")
    return given[0][1]


def _is_plain(step: str) -> bool:
    return step not in ("", ".", "..") and not any(char in "/\\" or ord(char) < 32 for char in step)
