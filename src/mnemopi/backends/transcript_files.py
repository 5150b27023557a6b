"""Where hosts keep their session files, newest first. A host that is not there has none; what cannot be read is passed
over."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from mnemopi.model.values import dataclass

DEPTHS: Final[Mapping[str, int]] = {"claude-code": 1, "codex": 3, "omp": 1, "mnemopi": 1}
"""How many folders deep the files of a host lie below its own."""


@dataclass(frozen=True, slots=True)
class SessionFile:
    """A session file: the host in whose folder it lies, its size in bytes, and when it was last written (UTC ms)."""

    path: Path
    host: str
    changed: int
    size: int


def newest(folders: Mapping[str, Path], limit: int) -> list[SessionFile]:
    """List up to `limit` session files of hosts (name to folder), newest first."""
    found = [file for host, folder in folders.items() for file in _files(host, folder, DEPTHS.get(host, 1))]
    return sorted(found, key=lambda file: (-file.changed, str(file.path)))[:limit]


def _files(host: str, folder: Path | str, depth: int) -> Iterator[SessionFile]:
    """Yield the files at a depth below a folder. Links are not followed: they lead to what lies elsewhere."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if depth and entry.is_dir(follow_symlinks=False):
                    yield from _files(host, entry.path, depth - 1)
                elif not depth and entry.name.endswith(".jsonl") and entry.is_file(follow_symlinks=False):
                    status = entry.stat(follow_symlinks=False)
                    yield SessionFile(Path(entry.path), host, status.st_mtime_ns // 1_000_000, status.st_size)
    except OSError:
        return
