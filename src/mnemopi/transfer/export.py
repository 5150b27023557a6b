"""Write a whole bank as JSON lines: a manifest of counts, then everything that was said and done.

Memories stand in the order in which they were first recorded, each with all its versions, then occurrences, recall
counts, tombstones, what episodes cite, what was stated, what has yet to be read, the notes of the scratchpads, and the
journal. No time of export and no name of the bank is written, so that export, load into an empty bank and export again
give the same bytes. What is derived (search rows, passages, vectors, facts) is not in it.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from mnemopi.errors import FullError, NotFoundError, StorageError, UsageError
from mnemopi.storage.inventory import Inventory
from mnemopi.storage.store import Store
from mnemopi.transfer import lines, record

COUNTS: Final = (
    "memories",
    "versions",
    "occurrences",
    "recalled",
    "tombstones",
    "citations",
    "statements",
    "annotations",
    "edges",
    "unclaimed",
    "readings",
    "notes",
    "events",
)
LOADED: Final = "loaded"
"""The verb of a load: it belongs to the bank that was loaded into, and is not exported."""
_PAGE: Final = 500
_DATABASE = b"SQLite format 3\x00"


def to_file(store: Store, path: Path) -> dict[str, int]:
    """Write a bank to a file of mode 0600 and return the counts of its manifest.

    The file appears when it is complete and on disk; a former one is replaced then. Raises NotFoundError for a folder
    that is not there, UsageError for a target that is no plain file, and StorageError kinds.
    """
    with appearing(path) as file:
        return write(store, file)


@contextlib.contextmanager
def appearing(path: Path) -> Iterator[IO[str]]:
    """Open a file for writing that appears when the block ends, complete and on disk. Raises as `to_file` does."""
    _check_target(path)
    working = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        handle = os.open(working, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with open(handle, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123 -- it has the mode already
            yield file
            file.flush()
            os.fsync(file.fileno())
        working.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        kind = FullError if error.errno == errno.ENOSPC else StorageError
        raise kind(f"{path} cannot be written: {error.strerror}", hint="name another file") from error
    finally:
        working.unlink(missing_ok=True)


def write(store: Store, file: IO[str]) -> dict[str, int]:
    """Write a bank to an open text file, page by page, as it is at one moment; return the counts of its manifest."""
    with store.snapshot() as bank:
        counts = dict(zip(COUNTS, bank.contents(), strict=True))
        head = {record.MANIFEST: record.FORMAT, "counts": counts}
        file.write(json.dumps(head, separators=(",", ":")) + "\n")
        for of_a_kind in _LINES:
            file.writelines(of_a_kind(bank))
    return counts


def _memories(bank: Inventory) -> Iterator[str]:
    after = 0
    while page := bank.memories(after, _PAGE):
        for versions in page:
            yield from map(lines.of_memory, versions)
        after = page[-1][0].rowkey


def _occurrences(bank: Inventory) -> Iterator[str]:
    after = ("", 0)
    while page := bank.occurrences(after, _PAGE):
        yield from (lines.of_occurrence(occurrence) for occurrence, _ in page)
        after = (page[-1][0].id, page[-1][1])


def _recalled(bank: Inventory) -> Iterator[str]:
    after = ""
    while page := bank.recalled(after, _PAGE):
        yield from (lines.of_recalled(record.Recalled(*row)) for row in page)
        after = page[-1][0]


def _tombstones(bank: Inventory) -> Iterator[str]:
    after = ""
    while page := bank.tombstones(after, _PAGE):
        yield from (lines.of_tombstone(record.Tombstone(*row)) for row in page)
        after = page[-1][0]


def _citations(bank: Inventory) -> Iterator[str]:
    after = ("", "")
    while page := bank.citations(after, _PAGE):
        yield from (lines.of_citation(record.Citation(*row)) for row in page)
        after = page[-1][:2]


def _statements(bank: Inventory) -> Iterator[str]:
    after = 0
    while page := bank.statements(after, _PAGE):
        yield from map(lines.of_statement, page)
        after = page[-1].rowkey


def _annotations(bank: Inventory) -> Iterator[str]:
    after = ("", "", "")
    while page := bank.annotations(after, _PAGE):
        yield from map(lines.of_annotation, page)
        after = (page[-1].memory, page[-1].kind, page[-1].key)


def _edges(bank: Inventory) -> Iterator[str]:
    after = ("", "", "")
    while page := bank.edges(after, _PAGE):
        yield from map(lines.of_edge, page)
        after = (page[-1].source, page[-1].target, page[-1].type)


def _unclaimed(bank: Inventory) -> Iterator[str]:
    after = 0
    while page := bank.unclaimed(after, _PAGE):
        yield from (lines.of_unclaimed(record.Unclaimed(*row[1:])) for row in page)
        after = page[-1][0]


def _readings(bank: Inventory) -> Iterator[str]:
    after = ""
    while page := bank.readings(after, _PAGE):
        yield from (lines.of_reading(record.Reading(*row)) for row in page)
        after = page[-1][0]


def _notes(bank: Inventory) -> Iterator[str]:
    yield from map(lines.of_note, bank.notes())


def _events(bank: Inventory) -> Iterator[str]:
    after = ("", 0)
    while page := bank.events(after, _PAGE):
        yield from (lines.of_event(event) for event in page if event.verb != LOADED)
        after = (page[-1].writer, page[-1].seq)


_LINES: Final = (
    _memories,
    _occurrences,
    _recalled,
    _tombstones,
    _citations,
    _statements,
    _annotations,
    _edges,
    _unclaimed,
    _readings,
    _notes,
    _events,
)


def _check_target(path: Path) -> None:
    """A device is not replaced by a file, and a database not by lines: that would be a slip of the hand."""
    if not path.parent.is_dir():
        raise NotFoundError(f"there is no folder {path.parent}", hint="make it first")
    if path.exists():
        if not path.is_file():
            raise UsageError(f"{path} is no plain file", hint="name a file")
        with contextlib.suppress(OSError), path.open("rb") as file:
            if file.read(len(_DATABASE)) == _DATABASE:
                raise UsageError(f"{path} is a database, which an export would replace", hint="name another file")


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":  # elsewhere a folder cannot be opened
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
