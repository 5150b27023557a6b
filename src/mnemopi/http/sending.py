"""What the client writes: arguments as a request can carry them. What none can carry is a UsageError."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from mnemopi.errors import NotFoundError, UsageError
from mnemopi.http import values
from mnemopi.http.refusals import NoMemoryError
from mnemopi.ingest.draft import FIELDS

ROOM: Final = 2 * 2**20
"""Bytes of a batch: half of what a server takes as it comes (`http.max_body`)."""


def if_match(version: int | None) -> dict[str, str]:
    """Return the header that a version is expected with."""
    return {} if version is None else {"if-match": f'"{version}"'}


def memory(id: str) -> str:
    """Return the path of a memory. Raises UsageError for what is no id, NoMemoryError for what no path can name."""
    if not isinstance(id, str) or not id:
        raise UsageError(f"an id is a non-empty string, not {id!r:.60}")
    if not _is_part(id):
        raise NoMemoryError(f"there is no memory {id[:100]!r}", hint="`recall` shows ids")
    return f"/memories/{quoted(id, 'an id')}"


def bank(name: str) -> str:
    """Return the path of a bank. Raises UsageError for what is no name."""
    written = quoted(name, "a bank")
    if not _is_part(name):
        raise UsageError(f"{name[:60]!r} is no name of a bank")
    return f"/banks/{written}"


def _is_part(value: str) -> bool:
    """Whether a path can have it for a part: dots lead elsewhere, and a slash parts it, however it is written."""
    return "/" not in value and value not in (".", "..")


def quoted(value: str, what: str) -> str:
    """Write a name for a path or a header. Raises UsageError for what is no name; `what` it is of."""
    try:
        return quote(value, safe="")
    except (TypeError, ValueError) as error:
        raise UsageError(f"{what} is a string of whole characters, not {value!r:.60}") from error


def why(error: Exception) -> str:
    """Say why something cannot be written as JSON."""
    if isinstance(error, UnicodeEncodeError):
        return "half a character (a lone surrogate)"
    return "it has no end" if isinstance(error, RecursionError) else str(error)


def draft(item: Mapping[str, Any]) -> dict[str, Any]:
    """Write a memory to store. Raises UsageError for an unknown option."""
    if not isinstance(item, Mapping):
        raise UsageError(f"a memory is a mapping, not {type(item).__name__}", hint='such as {"content": "..."}')
    if unknown := sorted(set(item) - FIELDS):
        raise UsageError(f"unknown option {', '.join(map(repr, unknown))}", hint=f"known: {', '.join(sorted(FIELDS))}")
    return {name: values.when(value) for name, value in item.items() if value is not None}


def given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Write the arguments that were given."""
    return {name: values.argument(name, value) for name, value in arguments.items() if value is not None}


def batches(items: Iterable[Mapping[str, Any]], size: int) -> Iterator[list[dict[str, Any]]]:
    """Write items, in batches that a server takes: at most `size`, and at most `ROOM` bytes where there are several.

    A batch goes as soon as it is full, and the next is asked for once it is committed. Raises UsageError for what are
    no items; an error of one names it by its number among all, and says how many are committed.
    """
    if isinstance(items, Mapping | str | bytes) or not isinstance(items, Iterable):
        raise UsageError(f"items are an iterable of mappings, not {type(items).__name__}")
    batch: list[dict[str, Any]] = []
    done = held = 0
    for number, item in enumerate(items):
        try:
            made = draft(item)
        except UsageError as error:
            message = f"item {number}: {error.message}; {done} are committed, none after them"
            raise UsageError(message, hint=error.hint) from error
        length = _bytes(made)
        if batch and held + length > ROOM:
            yield batch
            done, batch, held = done + len(batch), [], 0
        batch.append(made)
        held += length
        if len(batch) == size:
            yield batch
            done, batch, held = done + len(batch), [], 0
    if batch:
        yield batch


def _bytes(made: Mapping[str, Any]) -> int:
    try:
        return len(json.dumps(made, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    except (TypeError, ValueError, RecursionError):
        return 0  # it is refused where it is sent, which says why


def lines(source: str | Path | Iterable[str]) -> Iterator[bytes]:
    """Yield an export in pieces. Raises NotFoundError and UsageError for what cannot be read."""
    if isinstance(source, str | Path):
        try:
            with Path(source).open("rb") as file:
                while chunk := file.read(1 << 16):
                    yield chunk
        except OSError as error:
            raise NotFoundError(f"{source} cannot be read: {error.strerror}") from error
        return
    for line in source:
        try:
            yield line.encode("utf-8", "surrogateescape") if line.endswith("\n") else f"{line}\n".encode()
        except UnicodeEncodeError as error:
            raise UsageError(f"a line holds {why(error)}", hint="repair the text") from error
