"""Files below `memory://root`: read without ever leaving the folder that they lie in.

Each step of a path is opened from the one before it, and no link is followed on the way: what a path says and where it
leads cannot differ, whatever somebody else does to the folder meanwhile. A file that has another name elsewhere is a
link, too. Names that begin with a dot are not there. Errors name the address, never the disk.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from mnemopi.backends.backend import Folders
from mnemopi.errors import NotFoundError, UsageError
from mnemopi.model.values import dataclass
from mnemopi.text import redact

MOST_BYTES: Final = 1_000_000
"""Longest file that is handed out."""
EMPTY: Final = "(empty)"
_MIME: Final = {".md": "text/markdown", ".json": "application/json"}
_DEEP: Final = 6
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


@dataclass(frozen=True, slots=True)
class Content:
    """What stands at a path: a text, or the lines of a folder."""

    text: str
    mime: str
    is_folder: bool = False


def read(folders: Folders, steps: Sequence[str], uri: str, *, as_folder: bool = False) -> Content:
    """Return what stands at a path, in the first of the folders that has it. Raises NotFoundError, UsageError.

    No steps are the file that is to be read first; or, `as_folder`, the folder of all.
    """
    wanted = list(steps) or ([folders.first] if folders.first and not as_folder else [])
    if any(step in ("", ".", "..") or "/" in step or "\\" in step or "\0" in step for step in wanted):
        raise UsageError(f"{uri!r:.120} leads out of memory", hint="memory://root/ lists what there is")
    if not any(step.startswith(".") for step in wanted):
        for root in folders.roots:
            with suppress(OSError, UnicodeError), _opened(root, wanted) as handle:
                found = _content(folders, handle, wanted, uri)
                if found is not None and (found.is_folder or not as_folder):
                    return found
    if not steps:
        raise NotFoundError(
            "nothing stands at memory://root: no document was made for this project yet",
            hint="documents are made of past sessions; `mnemopi memory queue` says what waits",
        )
    raise NotFoundError(f"there is no file at {uri!r:.120}", hint="memory://root/ lists what there is")


def names(folders: Folders) -> list[str]:
    """Return the paths of all files that are shown, by name, each once."""
    found: set[str] = set()
    for root in folders.roots:
        with suppress(OSError), _opened(root, ()) as handle:
            found.update(_below(folders, handle, "", _DEEP))
    return sorted(found)


@contextmanager
def _opened(root: Path, steps: Sequence[str]) -> Iterator[int]:
    """Open what lies at the end of some steps. Raises OSError for what is not there, and for links."""
    handle = os.open(root, _FOLDER)
    try:
        for number, step in enumerate(steps, 1):
            is_last = number == len(steps)
            following = os.open(step, _FILE if is_last else _FOLDER, dir_fd=handle)
            os.close(handle)
            handle = following
        yield handle
    finally:
        os.close(handle)


def _content(folders: Folders, handle: int, steps: Sequence[str], uri: str) -> Content | None:
    told = os.fstat(handle)
    if stat.S_ISDIR(told.st_mode):
        lines = _lines(folders, handle)
        return Content("\n".join(lines) or EMPTY, "text/plain", is_folder=True)
    if not _is_shown(folders, steps[-1], told):
        return None
    if told.st_size > MOST_BYTES:
        size = f"{told.st_size:,} bytes, of {MOST_BYTES:,} at most"
        raise UsageError(f"{uri!r:.120} takes {size}", hint="read it by hand")
    with os.fdopen(os.dup(handle), encoding="utf-8", errors="replace") as file:
        text = file.read(MOST_BYTES)
    return Content(redact.redact(text, "full").text, _MIME.get(Path(steps[-1]).suffix, "text/plain"))


def _is_shown(folders: Folders, name: str, told: os.stat_result) -> bool:
    regular = stat.S_ISREG(told.st_mode) and told.st_nlink == 1
    return regular and not name.startswith(".") and name.endswith(folders.endings)


def _lines(folders: Folders, handle: int) -> list[str]:
    """List a folder: folders that hold something first, then files."""
    files = list(_below(folders, handle, "", _DEEP))
    inner = {path.partition("/")[0] for path in files if "/" in path}
    return [*(f"{name}/" for name in sorted(inner)), *sorted(path for path in files if "/" not in path)]


def _below(folders: Folders, handle: int, before: str, depth: int) -> Iterator[str]:
    for name in os.listdir(handle):
        with suppress(OSError):
            told = os.stat(name, dir_fd=handle, follow_symlinks=False)
            if _is_shown(folders, name, told):
                yield before + name
            elif stat.S_ISDIR(told.st_mode) and not name.startswith(".") and depth:
                inner = os.open(name, _FOLDER, dir_fd=handle)
                try:
                    yield from _below(folders, inner, f"{before}{name}/", depth - 1)
                finally:
                    os.close(inner)
