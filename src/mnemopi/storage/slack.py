"""The unused room of a file's pages: where copies of erased rows survive, and how they go.

SQLite overwrites a row that is deleted (`secure_delete`), but not the copies that it left behind earlier, when it moved
the row to another place to make room. Those lie between a page's list of cells and its cells, and in its free blocks:
bytes that nothing reads (https://sqlite.org/fileformat2.html, "B-tree Pages"). Here they are set to zero. Files are
opened through SQLite's own layer: to open and close one by other means would take the process's locks on it away.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, cast

import apsw

_FIRST_HEADER: Final = 100
"""The first page begins with the header of the file."""
_KINDS: Final = {2: 12, 5: 12, 10: 8, 13: 8}
"""The kinds of pages of trees, and how long their headers are."""
_HEADER: Final = struct.Struct(">BHHH")
"""Of each such page: its kind, its first free block, how many cells it has, and where they begin."""
_CHUNK: Final = 1 << 20


def head(path: Path, count: int) -> bytes:
    """Read the first bytes of a file, fewer where it is shorter. Raises apsw.Error."""
    with _opened(path, apsw.SQLITE_OPEN_READONLY) as file:
        return file.xRead(min(count, file.xFileSize()), 0)


def clean(path: Path) -> int:
    """Zero the unused room of every page; return how many pages had something in it. Raises apsw.Error.

    The caller sees to it that nobody writes meanwhile and that the log is empty. Readers may go on.
    """
    cleaned = 0
    with _opened(path, apsw.SQLITE_OPEN_READWRITE) as file:
        for offset, page in _suspects(file):
            dirty = [(start, stop) for start, stop in unused(page, first=offset == 0) if _holds(page, start, stop)]
            for start, stop in dirty:
                file.xWrite(bytes(stop - start), offset + start)
            cleaned += bool(dirty)
        file.xSync(apsw.SQLITE_SYNC_FULL)
    return cleaned


def unused(page: bytes, *, first: bool = False) -> list[tuple[int, int]]:
    """Return the stretches of a page that hold nothing; none where it is not a page of a tree.

    `first`: the tree begins after the header of the file.
    """
    at = _FIRST_HEADER if first else 0
    kind, block, cells, cells_start = _HEADER.unpack_from(page, at)
    if kind not in _KINDS:
        return []
    cells_start = cells_start or 65536
    pointers_end = at + _KINDS[kind] + 2 * cells
    if not pointers_end <= cells_start <= len(page):
        return []
    blocks = list(_free_blocks(page, block))
    if not all(cells_start <= start <= stop <= len(page) for start, stop in blocks):
        return []
    return [(pointers_end, cells_start), *blocks]


def _holds(page: bytes, start: int, stop: int) -> bool:
    return page.count(0, start, stop) != stop - start


def _free_blocks(page: bytes, block: int) -> Iterator[tuple[int, int]]:
    """Walk the chain of free blocks: each begins with the place of the next and its own size."""
    last = 0
    while last < block <= len(page) - 4:
        size = int.from_bytes(page[block + 2 : block + 4], "big")
        yield block + 4, block + max(size, 4)
        last, block = block, int.from_bytes(page[block : block + 2], "big")


def _suspects(file: apsw.VFSFile) -> Iterator[tuple[int, bytes]]:
    """Yield place and bytes of the pages to look at closely; nearly all others are passed by at a glance."""
    size = file.xFileSize()
    if size < _FIRST_HEADER:
        return
    page_size = int.from_bytes(file.xRead(2, 16), "big")
    page_size = 65536 if page_size == 1 else page_size
    step = max(_CHUNK // page_size, 1) * page_size
    for start in range(0, size, step):
        chunk = file.xRead(min(step, size - start), start)
        for at in range(0, len(chunk) - page_size + 1, page_size):
            if start + at == 0 or _is_suspect(chunk, at):
                yield start + at, chunk[at : at + page_size]


def _is_suspect(chunk: bytes, at: int) -> bool:
    kind, block, cells, cells_start = cast("tuple[int, int, int, int]", _HEADER.unpack_from(chunk, at))
    if kind not in _KINDS:
        return False
    pointers_end = at + _KINDS[kind] + 2 * cells
    cells_start = at + (cells_start or 65536)
    return block != 0 or chunk.count(0, pointers_end, cells_start) != cells_start - pointers_end


@contextmanager
def _opened(path: Path, mode: int) -> Iterator[apsw.VFSFile]:
    file = apsw.VFSFile("", str(path), [apsw.SQLITE_OPEN_MAIN_DB | mode, 0])
    try:
        yield file
    finally:
        file.xClose()
