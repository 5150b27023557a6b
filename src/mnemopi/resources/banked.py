"""What stands at the addresses of banks: memories, and lines about many of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import quote

from mnemopi import errors
from mnemopi.bank import Bank
from mnemopi.errors import NotFoundError, UsageError
from mnemopi.model.interval import iso
from mnemopi.model.memory import Memory
from mnemopi.model.values import dataclass
from mnemopi.resources.address import Address, Entry
from mnemopi.tools import shape

JSON: Final = "application/json"
PLAIN: Final = "text/plain"
EMPTY: Final = "Nothing is remembered yet."
_LINES: Final = 200
_LINE: Final = 300
_LATEST: Final = 20
_COMPLETIONS: Final = 100
_BUDGET: Final = 8000

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


@dataclass(frozen=True, slots=True)
class Sight:
    """What somebody sees: a bank by its name (None: their own), and the names of all that they see."""

    bank: Callable[[str | None], Bank]
    names: Callable[[], Sequence[str]]


def read(sight: Sight, address: Address) -> tuple[str, str]:
    """Return the text at an address and its media type. Raises UsageError and NotFoundError."""
    if address.place == "skills":
        raise UsageError(f"nothing stands at {address}", hint="a session of an agent has skills: `mcp --tools agent`")
    if address.place == "banks":
        return as_json({"banks": list(sight.names())}), JSON
    bank = sight.bank(address.bank)
    if address.place == "memory":
        return as_json(_whole(bank, address.name)), JSON
    return f"{shape.NOTICE}\n\n{_text(bank, address)}\n", PLAIN


def listed(sight: Sight) -> list[Entry]:
    """Return what always stands, and the latest memories of the caller's bank."""
    latest = sight.bank(None).surface.list(limit=_LATEST)
    entries = [Entry(f"memory://{quote(each.id, safe='')}", each.id, _preview(each, 80), JSON) for each in latest]
    return [*STANDING, *entries]


def complete(sight: Sight, argument: str, begun: str, bank: str | None = None) -> list[str]:
    """Return what an argument of a template may be, given its beginning: the latest first, or by name."""
    if argument == "bank":
        found = list(sight.names())
    elif argument in ("id", "session"):
        latest = sight.bank(bank).surface.list(limit=1000)
        found = [each.id if argument == "id" else each.session_id for each in latest]
    elif argument == "path":
        found = ["index", "facts", "banks", "session"]
    else:
        found = []
    return begins(found, begun)


def begins(found: Sequence[str], begun: str) -> list[str]:
    """Return each of what begins so once, no more than a client wants."""
    return [each for each in dict.fromkeys(found) if each.startswith(begun)][:_COMPLETIONS]


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
    return bank.context(None, _BUDGET) or EMPTY


def _whole(bank: Bank, id: str) -> dict[str, object]:
    kept = bank.get(id)
    if kept is None:
        raise errors.no_memory(id, bank.name)
    return {"memory": shape.memory(kept), "bank": bank.name, "notice": shape.NOTICE}


def _line(kept: Memory) -> str:
    origin = shape.neutral(", ".join((kept.id, iso(kept.timestamp)[:10], kept.author_id or kept.source)))
    return f"- [{origin}] {_preview(kept, _LINE)}"


def _preview(kept: Memory, most: int) -> str:
    return " ".join(shape.preview(kept.content, most).split())


def _or_nothing(lines: Sequence[str]) -> str:
    return "\n".join(lines) or EMPTY


def as_json(told: object) -> str:
    """Render an answer as compact JSON."""
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))
