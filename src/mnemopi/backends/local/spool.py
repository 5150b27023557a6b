"""Sessions of hosts that keep no file of their own: what was said, in files as those of other hosts, by entry once.

A host may number anew after a clear: another text under an id that is known is another message, and gets an id of its
own.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from mnemopi.backends import stripping, transcript
from mnemopi.backends.transcript_formats import OURS
from mnemopi.errors import MnemopiError, StorageError
from mnemopi.model.session import Message, SessionRef
from mnemopi.storage import private
from mnemopi.text import redact

_DAY_MS: Final = 86_400_000


def add(folder: Path, session: SessionRef, messages: Iterable[Message]) -> int:
    """Write down what is not there yet; return how much that was."""
    path = _path(folder, session)
    with private.locked(path):
        known = _known(path)
        lines = []
        for each in messages:
            text = _text(each)
            name = _other(each.entry, text) if each.entry in known else each.entry
            if text and name not in known:
                known |= {name, _other(each.entry, text)}
                lines.append(_line(name, each, text))
        new = len(lines)
        if new and not _is_headed(path):
            head = {"type": OURS, "host": session.host, "id": session.id, "cwd": session.cwd, "parent": session.parent}
            lines.insert(0, json.dumps(head, ensure_ascii=False))
        if new:
            _append(path, lines)
    return new


def sweep(folder: Path, now: int, days: float) -> None:
    """Delete the files of sessions that are too old to be read."""
    for path in folder.glob("*/*.jsonl"):
        try:
            if path.stat().st_mtime * 1000 < now - days * _DAY_MS:
                path.unlink()
                (path.parent / f".{path.name}.lock").unlink(missing_ok=True)
        except OSError:
            continue


def _path(folder: Path, session: SessionRef) -> Path:
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", session.id)[:40].strip("-")
    mark = hashlib.sha256(session.id.encode("utf-8", "replace")).hexdigest()[:8]
    host = re.sub(r"[^A-Za-z0-9_-]+", "-", session.host)[:40].strip("-") or "host"
    return folder / host / f"{name}-{mark}.jsonl"


def _known(path: Path) -> set[str]:
    """Return the ids that are taken, with those that the same texts would get beside them."""
    known: set[str] = set()
    with suppress(MnemopiError):
        for each in transcript.read(path).messages():
            known |= {each.entry, _other(each.entry, each.text)}
    return known


def _other(entry: str, text: str) -> str:
    """Return the id that a text gets where its own is taken."""
    return f"{entry}~{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def _is_headed(path: Path) -> bool:
    """Whether a file says whose session it holds: one whose first write was cut off does not."""
    try:
        return transcript.header(path) is not None
    except MnemopiError:
        return False


def _text(message: Message) -> str:
    return redact.redact(stripping.stripped(message.text).text, "full").text.strip()


def _line(entry: str, message: Message, text: str) -> str:
    told = {"entry": entry, "role": message.role, "text": text, "at": message.at, "author": message.author}
    return json.dumps(told, ensure_ascii=False)


def _append(path: Path, lines: Iterable[str]) -> None:
    """Write lines at the end, from the beginning of a line on: a process that died may have left half of one."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(handle, "r+b", buffering=0) as file:
            half = file.seek(0, os.SEEK_END) > 0 and os.pread(handle, 1, file.tell() - 1) != b"\n"
            rest = memoryview(("\n" if half else "").encode() + "".join(f"{line}\n" for line in lines).encode())
            while rest:
                rest = rest[file.write(rest) :]
            os.fsync(handle)
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}", hint="check the disk") from error
