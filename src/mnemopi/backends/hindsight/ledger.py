"""What is known of each session between two events, and what has yet to reach the server: one file a session.

A message is in its file, with its id among those seen, before anything else is done with it. Messages are sealed into
a parcel in the same step that takes them off the open ones; a parcel leaves the file when the server has it. Parcels
carry names that do not change, so that one sent twice counts once there. Each change is made under the session's lock
and replaces the file; nothing is locked while a request is under way.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from mnemopi.backends import files
from mnemopi.model.session import Message, SessionRef
from mnemopi.model.values import dataclass

DAY_MS: Final = 86_400_000
KEPT_DAYS: Final = 30
"""So long after its last event a session with nothing left to send is remembered."""
_APART: Final = "\n"
_SHOWN: Final = 400
"""So many of the newest ids of shown memories are remembered."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """Something to send: a request's items, under a name of its own; `refused` says why the server will not have it."""

    key: str
    bank: str
    items: tuple[Mapping[str, Any], ...]
    at: int
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """One session: ids of entries seen, messages not yet sealed, those before them, parcels, and what was shown.

    `bank` and `tags` are where the open messages belong: the scope that they were said in.
    """

    host: str = ""
    session: str = ""
    bank: str = ""
    tags: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    open: tuple[Message, ...] = ()
    before: tuple[Message, ...] = ()
    sealed: int = 0
    parcels: tuple[Parcel, ...] = ()
    shown: tuple[str, ...] = ()
    models: str | None = None
    """The block of mental models that the session began with; None: it has not begun."""
    touched: int = 0

    @property
    def waiting(self) -> tuple[Parcel, ...]:
        """The parcels that are still to be sent, oldest first."""
        return tuple(parcel for parcel in self.parcels if not parcel.refused)

    @property
    def is_pending(self) -> bool:
        """Whether something of the session has yet to reach the server."""
        return bool(self.open or self.waiting)

    @property
    def refused(self) -> tuple[Parcel, ...]:
        """The parcels that the server will not have."""
        return tuple(parcel for parcel in self.parcels if parcel.refused)

    def with_shown(self, ids: Sequence[str]) -> Kept:
        """Return the session with some memories more that were shown in it."""
        return replace(self, shown=(*self.shown, *ids)[-_SHOWN:])


def mark(entry: str) -> str:
    """Return what an entry's id is remembered by."""
    return hashlib.sha256(entry.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Ledger:
    """The files of all sessions with one server."""

    def __init__(self, folder: Path, clock: Callable[[], int]) -> None:
        """`folder` is made when something is written."""
        self.folder = folder
        self._clock = clock

    def read(self, session: SessionRef) -> Kept:
        """Return what is known of a session."""
        return self._read(self._path(session)) or Kept(session.host, session.id)

    def change(self, session: SessionRef, change: Callable[[Kept], Kept]) -> Kept:
        """Change what is known of a session, and return it as it is then."""
        return self._change(self._path(session), Kept(session.host, session.id), change)

    def change_named(self, name: str, change: Callable[[Kept], Kept]) -> None:
        """Change a session that `sessions` named, where it is still there."""
        path = self.folder / name
        if path.exists():
            self._change(path, Kept(), change)

    def sessions(self) -> Iterator[tuple[str, Kept]]:
        """Yield each session with the name of its file."""
        for path in sorted(self.folder.glob("*.json")):
            if (kept := self._read(path)) is not None:
                yield path.name, kept

    def pending(self) -> list[tuple[str, Kept]]:
        """List the sessions of which something is to be sent, in the order of their oldest parcels."""
        paths = (self.folder / f"{mark.stem}.json" for mark in self.folder.glob("*.pending"))
        found = [(path.name, kept) for path in paths if (kept := self._read(path)) is not None and kept.is_pending]
        return sorted(found, key=lambda each: min((parcel.at for parcel in each[1].waiting), default=0))

    def broken(self) -> int:
        """Count the files that cannot be read; they were put aside."""
        return sum(1 for _ in self.folder.glob("*.broken"))

    def prune(self) -> None:
        """Delete the files of sessions that ended long ago and have nothing left to send."""
        oldest = self._clock() - KEPT_DAYS * DAY_MS
        for name, kept in self.sessions():
            if not _is_over(kept, oldest):
                continue
            path = self.folder / name
            with files.locked(path):
                now = self._read(path)  # a session may go on after years
                if now is None or not _is_over(now, oldest):
                    continue
                path.unlink(missing_ok=True)
            path.with_name(f".{name}.lock").unlink(missing_ok=True)

    def _path(self, session: SessionRef) -> Path:
        return self.folder / f"{mark(f'{session.host}{_APART}{session.id}')}.json"

    def _change(self, path: Path, new: Kept, change: Callable[[Kept], Kept]) -> Kept:
        pending = path.with_suffix(".pending")
        with files.locked(path):
            before = self._read(path)
            if before is None and path.exists():
                path.replace(path.with_name(f"{path.stem}-{self._clock()}.broken"))
            after = change(before or new)
            if after != before:
                if after.is_pending and not pending.exists():
                    files.write(pending, "")  # before what it tells of: it may be there for nothing, never missing
                files.write_json(path, asdict(replace(after, touched=self._clock())))
            if not after.is_pending:
                pending.unlink(missing_ok=True)
            return after

    def _read(self, path: Path) -> Kept | None:
        found = files.read_json(path)
        try:
            return None if found is None else _kept(found)
        except (TypeError, KeyError):
            return None


def _is_over(kept: Kept, oldest: int) -> bool:
    return kept.touched < oldest and not kept.open and not kept.parcels


def _kept(found: Mapping[str, Any]) -> Kept:
    """Read a session's file. Raises TypeError and KeyError for what is none."""
    told = dict(found)
    for name in ("open", "before"):
        told[name] = tuple(Message(**each) for each in told[name])
    told["parcels"] = tuple(Parcel(**{**each, "items": tuple(each["items"])}) for each in told["parcels"])
    for name in ("seen", "shown", "tags"):
        told[name] = tuple(told[name])
    return Kept(**told)
