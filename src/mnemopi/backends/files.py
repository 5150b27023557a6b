"""The agent layer's own files: those of `storage.private`, JSON in them, and a lock that is not waited for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mnemopi.errors import InUseError
from mnemopi.storage.locks import OpenLock
from mnemopi.storage.private import folder, locked, read, write

__all__ = ["folder", "locked", "locked_now", "read", "read_json", "write", "write_json"]


def read_json(path: Path) -> dict[str, Any] | None:
    """Return a file's JSON object, None where there is none or it is broken: such a file is never deleted here."""
    text = read(path)
    if text is None:
        return None
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Put a JSON object there in one step."""
    write(path, json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n")


@contextmanager
def locked_now(path: Path) -> Iterator[bool]:
    """Hold the lock file `path` if nobody else does; the value says whether that went. It ends with the process."""
    folder(path.parent)
    try:
        lock = OpenLock(path, alone=True)
    except InUseError:
        yield False
        return
    try:
        yield True
    finally:
        lock.close()
