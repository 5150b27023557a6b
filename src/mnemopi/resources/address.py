"""The grammar of addresses: `memory://` and what may stand behind it. Nothing is looked up here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal, TypeAlias
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from mnemopi.errors import UsageError
from mnemopi.model.values import dataclass

Place: TypeAlias = Literal["memory", "root", "index", "facts", "banks", "session", "skills"]
_PLACES: Final[Mapping[str, Place]] = {"index": "index", "facts": "facts", "banks": "banks", "skills": "skills"}
_NAMED: Final[Mapping[str, Place]] = {"session": "session", "skills": "skills"}
_SHOWN: Final = 100
_BROKEN: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class Address:
    """Where something stands. `name` is the id of a memory or session, or the name of a skill."""

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
    mime: str = "text/plain"


def parse(uri: str) -> Address:
    """Read an address. Raises UsageError for one that is none of ours."""
    steps, bank = steps_of(uri)
    head, below = steps[0], steps[1:]
    if head not in ("-", "root"):
        if below:
            raise UsageError(f"nothing lies below a memory: {shown(uri)}")
        return Address("memory", head, bank)
    if head == "root" and not below:
        return Address("root", "", bank)
    if len(below) == 1 and (place := _PLACES.get(below[0])) is not None:
        return Address(place, "", bank)
    if len(below) == 2 and (place := _NAMED.get(below[0])) is not None:
        return Address(place, below[1], bank)
    raise UsageError(f"nothing stands at {shown(uri)}", hint=f"memory://{head}/index, /facts, /banks or /session/<id>")


def steps_of(uri: str) -> tuple[list[str], str | None]:
    """Return the steps of an address, each decoded once, and the bank that it names. Raises UsageError.

    No step is empty, leads up, or holds a separator or a control character, however it was written.
    """
    try:
        parts = urlsplit(uri)
        steps = [unquote(step, errors="strict") for step in (parts.netloc + parts.path).split("/")]
    except ValueError as error:  # no address, or bytes that are no UTF-8
        raise UsageError(f"{shown(uri)} is no address", hint="such as memory://root") from error
    odd = _BROKEN.search(uri) or any(ord(char) < 32 for char in uri)
    if parts.scheme != "memory" or parts.fragment or odd or not all(map(_is_plain, steps)):
        raise UsageError(f"{shown(uri)} is no address here", hint="such as memory://root or memory://-/index")
    return steps, _bank(parts.query)


def shown(uri: str) -> str:
    """Return an address as an error may name it."""
    return repr(uri[:_SHOWN])


def _bank(query: str) -> str | None:
    given = parse_qsl(query, keep_blank_values=True)
    if not given:
        return None
    if len(given) > 1 or given[0][0] != "bank" or not given[0][1]:
        raise UsageError("an address takes ?bank=NAME and nothing else")
    return given[0][1]


def _is_plain(step: str) -> bool:
    return step not in ("", ".", "..") and not any(char in "/\\" or ord(char) < 32 for char in step)
