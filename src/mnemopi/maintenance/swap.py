"""Put another file in the place of a bank's: prepared beside it, swapped in one step, the former one kept.

Whatever fails on the way leaves the bank as it was. Which file may take the place is decided before (see `backup`).
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from mnemopi.errors import CorruptError, StorageError
from mnemopi.ingest import derive
from mnemopi.knowledge import facts
from mnemopi.maintenance import folders
from mnemopi.model.memory import Event
from mnemopi.model.values import dataclass
from mnemopi.storage import copy
from mnemopi.storage.store import PENDING_ERASURE, Store

_LOGS = ("-wal", "-shm")
_PAGE = 500


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did: the bank's file, what it was made from, where the former file is kept.

    `memories` are live now; `forgotten` were in the source and have been erased since it was made.
    """

    path: Path
    source: Path
    kept: Path
    memories: int
    forgotten: int

    def as_dict(self) -> dict[str, Any]:
        """Render the report for programs."""
        return {
            "path": str(self.path),
            "source": str(self.source),
            "kept": str(self.kept),
            "memories": self.memories,
            "forgotten": self.forgotten,
        }


class _Former(NamedTuple):
    """What the copy takes over of the file that it replaces: what was forgotten, the folders to which the bank was
    backed up, and the last keys given out."""

    tombstones: list[tuple[str, int]]
    copies: list[Path]
    sequences: dict[str, int]


def swap(store: Store, source: Path, stamp: str, now: int) -> Restored:
    """Swap the bank's file for a copy of `source`. Raises InUseError while others have the bank open."""
    former = _Former(_tombstones(store), _copies(store), _sequences(store))
    with store.alone(), working_file(store.path) as working:
        kept = _free(store.path, stamp)
        try:
            _keep(store.path, kept)
            copy.online(source, working)
            memories, forgotten = _adapted(store, working, former, now)
            into_place(store.path, working)
        except OSError as error:
            _discard(kept)
            raise StorageError(f"{store.path} cannot be replaced: {error.strerror}", hint="check the disk") from error
        except BaseException:
            _discard(kept)
            raise
    return Restored(store.path, source, kept, memories, forgotten)


def _tombstones(store: Store) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    try:
        while page := store.inventory.tombstones(found[-1][0] if found else "", _PAGE):
            found += page
    except CorruptError:
        return found  # a damaged file is what restores are for: what it still tells is respected
    return found


def _copies(store: Store) -> list[Path]:
    try:
        return folders.noted(store)
    except CorruptError:
        return []


@contextmanager
def working_file(path: Path) -> Iterator[Path]:
    """Give the name of a working file, and leave nothing of it."""
    working = path.with_name(f"{path.name}.restoring")
    try:
        yield working
    finally:
        for left in path.parent.glob(f"{working.name}*"):
            left.unlink(missing_ok=True)


def _discard(kept: Path) -> None:
    for end in ("", *_LOGS):
        Path(f"{kept}{end}").unlink(missing_ok=True)


def _free(path: Path, stamp: str) -> Path:
    kept, again = path.with_name(f"{path.name}.replaced-{stamp}"), 1
    while kept.exists():
        again += 1
        kept = path.with_name(f"{path.name}.replaced-{stamp}-{again}")
    return kept


def _keep(path: Path, kept: Path) -> None:
    """Copy the former file whole. A damaged one, often the reason for all this, is kept byte by byte."""
    try:
        copy.online(path, kept)
    except CorruptError:
        for end in ("", *_LOGS):
            if (part := Path(f"{path}{end}")).exists():
                shutil.copyfile(part, f"{kept}{end}")
                Path(f"{kept}{end}").chmod(0o600)


def _sequences(store: Store) -> dict[str, int]:
    try:
        return store.sequences()
    except CorruptError:
        return {}


def _adapted(store: Store, working: Path, former: _Former, now: int) -> tuple[int, int]:
    """Open the copy as the bank (which migrates an older one): its name of today, and nothing that was forgotten.

    Who read the former file up to a place reads on from there: no place is given out twice.
    """
    opened = store.beside(working, now)
    try:
        with opened.transaction():
            opened.meta.set("name", store.name)
            folders.note(opened, former.copies)
            opened.raise_sequences(former.sequences)
            # From here the copy goes its own way: its next events are not those that the former file wrote.
            opened.meta.set("writer", secrets.token_hex(8))
            opened.journal.append([Event(now, "restored")])
            forgotten = _forget(opened, former.tombstones, now)
            opened.meta.set(PENDING_ERASURE, "1" if forgotten else "0")
        memories = opened.memories.count()
        opened.finish_erasure()
    finally:
        opened.close()
    copy.check(working)
    return memories, forgotten


def _forget(opened: Store, tombstones: list[tuple[str, int]], now: int) -> int:
    """Erase what was forgotten since, and what followed from it, as was done then; return how much that was.

    In the order of then: an episode that fell with its source lets the other sources go, one that was forgotten itself
    marks them. Where both bear the same moment, the episode fell.
    """
    marks = dict(_tombstones(opened))
    since = [(id, at) for id, at in tombstones if id not in marks or marks[id] < at]
    before, stated = opened.memories.count(), 0
    for id, at in sorted(since, key=lambda mark: (mark[1], bool(opened.episodes.sources(mark[0])))):
        if fact := opened.facts.known(id):
            facts.erase_stated(opened, fact, at)
            stated += 1
        elif opened.memories.is_buried(id) or not _erased(opened, id, at):
            continue
        opened.journal.append([Event(now, "forgot", id)])
    return before - opened.memories.count() + stated


def _erased(opened: Store, id: str, at: int) -> bool:
    """Erase a memory and what followed from it, and leave its mark; say whether it was there."""
    derive.erase(opened, id, at)
    return bool(opened.memories.erase(id, at, opened.tombstone_key()))


def into_place(path: Path, working: Path) -> None:
    """Rename the copy into place. A log that is left over belongs to the former file, and would be read into this."""
    with working.open("rb+") as file:
        os.fsync(file.fileno())
    aside = [(Path(f"{path}{end}"), Path(f"{working}.former{end}")) for end in _LOGS if Path(f"{path}{end}").exists()]
    try:
        for log, place in aside:
            log.replace(place)
        working.replace(path)
    except OSError:
        for log, place in aside:
            if place.exists():
                place.replace(log)
        raise
