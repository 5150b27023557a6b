"""Copies of a bank's file: made while it is in use, listed, rotated, and put back.

A backup stands alone (the log is in it), is private, and appears under its name only when it has passed its check.
Its name tells bank id and time; whose it is, it says itself: a default bank elsewhere has the same id.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from mnemopi.errors import (
    ConflictError,
    CorruptError,
    MnemopiError,
    NotFoundError,
    ReadOnlyError,
    StorageError,
    UsageError,
)
from mnemopi.maintenance import folders, swap
from mnemopi.maintenance.swap import Restored
from mnemopi.model.interval import iso
from mnemopi.model.values import dataclass
from mnemopi.storage import copy
from mnemopi.storage.peek import Introduction, peek
from mnemopi.storage.store import Store

__all__ = ["Backup", "Restored", "holding", "listed", "make", "restore"]

_STAMP = "%Y%m%dT%H%M%S"
# Compiled by `re` when first used: this module is on the way of every start.
_NAME = r"(?P<bank>.+)-(?P<stamp>\d{8}T\d{9}Z)(?:-(?P<again>\d+))?\.db(?P<part>\.part)?"
_BESIDE = r"\.(?:replaced-\d{8}T\d{9}Z|schema\d+-\d+|restoring)\b.*"


@dataclass(frozen=True, slots=True)
class Backup:
    """One copy. `size` is in bytes, `created_at` UTC ms, `memories` the number of live ones.

    `verified` is True where the copy has just passed its check, False where it cannot be read, None where nobody
    has looked further than what it says of itself.
    """

    path: Path
    bank: str
    size: int
    created_at: int
    memories: int
    verified: bool | None

    def as_dict(self) -> dict[str, Any]:
        """Render the backup for programs."""
        return {
            "path": str(self.path),
            "bank": self.bank,
            "size": self.size,
            "created_at": iso(self.created_at),
            "memories": self.memories,
            "verified": self.verified,
        }


class _File(NamedTuple):
    """A file in a backup folder that is named as ours are."""

    created_at: int
    again: int
    path: Path
    bank: str


def make(store: Store, folder: Path, now: int, keep: int) -> Backup:
    """Copy the bank's file into a folder, verify the copy, and delete all but the newest `keep` of this bank.

    Raises UsageError for a bank in memory, and StorageError kinds; a failed copy leaves nothing and deletes nothing.
    """
    if store.in_memory:
        raise UsageError("a bank in memory has no file to copy", hint="`export` writes what it holds")
    target = _reserved(folder, store.bank, now)
    try:
        if store.writable:  # before there is a copy, so that none is unknown, and in the copy too
            folders.note(store, [folder])
        before = store.inventory.ever()
        copy.online(store.path, target)
        made = peek(target)
        if not before <= made.ever <= store.inventory.ever():
            raise CorruptError(f"{target} holds {made.ever} memories of {before}", hint="try again")
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    _rotate(folder, target, made, keep)
    return Backup(target, store.name, target.stat().st_size, now, made.memories, verified=True)


def listed(folder: Path, store_name: str | None = None) -> list[Backup]:
    """Return the backups in a folder, the newest first; `store_name` keeps those of a bank with that name or id."""
    found = []
    for file in sorted(_files(folder), reverse=True):
        said = _said(file.path)
        if store_name in (None, file.bank, said.name if said else None):
            name, memories = (said.name, said.memories) if said else (file.bank, 0)
            size = file.path.stat().st_size
            found.append(Backup(file.path, name, size, file.created_at, memories, None if said else False))
    return found


def restore(store: Store, source: Path, now: int) -> Restored:
    """Put a backup in the place of the bank's file; what was there is kept beside it. Closes the store.

    What has been forgotten since stays forgotten. Raises InUseError while others have the bank open, NotFoundError,
    ConflictError for a backup of another bank, and StorageError kinds; the bank's file is as it was then.
    """
    if store.in_memory:
        raise UsageError("a bank in memory has no file to replace", hint="`load` takes an export")
    if not store.writable:
        raise ReadOnlyError(f"{store.path} is open for reading only", hint="check the permissions of file and folder")
    if not source.exists():
        raise NotFoundError(f"there is no backup {source}", hint="the list of backups shows them")
    if source.samefile(store.path):
        raise UsageError(f"{source} is the bank itself", hint="name a backup")
    said = peek(source)
    if said.bank != store.bank:
        raise ConflictError(
            f"{source} is a backup of bank {said.name!r}, not of {store.name!r}", hint="open that bank, and restore it"
        )
    return swap.swap(store, source, stamp(now), now)


def holding(folder: Path, store: Store, held: Callable[[Path], bool]) -> tuple[str, ...]:
    """Name the copies of this bank that still hold what is erased now; `held` says whether a file does.

    These are its backups in `folder` and wherever else one was written to (those by their paths), what a restore
    replaced, what a migration copied, and what a crash left of them. What cannot be looked into may hold anything. When
    a copy was made says nothing: clocks are set back, and a load brings times from other machines.
    """
    if store.in_memory:
        return ()
    mine = peek(store.path)
    names = [path.name for path in _kin(folder, store, mine, held)]
    for other in folders.noted(store):
        if other != folder.absolute():
            names += [str(path) for path in _kin(other, store, mine, held)]
    for path in sorted(store.path.parent.glob(f"{store.path.name}.*")):
        if re.fullmatch(_BESIDE, path.name.removeprefix(store.path.name)) and _may_hold(path, held):
            names.append(path.name)
    return tuple(names)


def _kin(folder: Path, store: Store, mine: Introduction, held: Callable[[Path], bool]) -> list[Path]:
    """Return the backups in a folder that may hold what of this bank is erased; the folder itself where it cannot be
    looked into."""
    try:
        return [
            file.path
            for file in sorted(_files(folder, unfinished=True))
            if file.bank == store.bank and _may_be_kin(file.path, mine) and _may_hold(file.path, held)
        ]
    except OSError:
        return [folder]


def stamp(moment: int) -> str:
    """Write a moment (UTC ms) for a file's name: `20260305T101500123Z`."""
    return f"{datetime.fromtimestamp(moment // 1000, UTC).strftime(_STAMP)}{moment % 1000:03}Z"


def _reserved(folder: Path, bank: str, now: int) -> Path:
    """Make an empty private file of a name that nobody has."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for again in range(1, 1000):
            suffix = f"-{again}" if again > 1 else ""
            target = folder / f"{bank}-{stamp(now)}{suffix}.db"
            try:
                os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            except FileExistsError:
                continue
            return target
    except OSError as error:
        raise StorageError(f"{folder} cannot be written to: {error.strerror}", hint="name another folder") from error
    raise StorageError(f"{folder} holds too many backups of one moment", hint="name another folder")


def _rotate(folder: Path, newest: Path, made: Introduction, keep: int) -> None:
    """The copy that was just made counts as the newest, even where the clock was set back."""
    mine = [file for file in sorted(_files(folder), reverse=True) if file.path != newest and file.bank == made.bank]
    kin = [file for file in mine if (said := _said(file.path)) is not None and said.is_kin_of(made)]
    for file in kin[keep - 1 :]:
        file.path.unlink(missing_ok=True)


def _files(folder: Path, *, unfinished: bool = False) -> Iterator[_File]:
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        found = re.fullmatch(_NAME, path.name)
        if found and path.is_file() and (unfinished or (not found["part"] and path.stat().st_size)):
            yield _File(_moment(found["stamp"]), int(found["again"] or 1), path, found["bank"])


def _said(path: Path) -> Introduction | None:
    try:
        return peek(path)
    except MnemopiError:
        return None


def _may_be_kin(path: Path, mine: Introduction) -> bool:
    """What cannot be read may hold anything."""
    said = _said(path)
    return said is None or said.is_kin_of(mine)


def _may_hold(path: Path, held: Callable[[Path], bool]) -> bool:
    try:
        return held(path)
    except MnemopiError:
        return True


def _moment(stamped: str) -> int:
    seconds = datetime.strptime(stamped[:15], _STAMP).replace(tzinfo=UTC).timestamp()
    return int(seconds) * 1000 + int(stamped[15:18])
