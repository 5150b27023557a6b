"""One reader for the session files of all hosts: the live branch, message by message, from where one left off.

lines    = read one at a time; a broken or endless one is counted and passed over, half a last one waits
tree     = each entry and its parent, in a few bytes each: what was said stays in the file
branch   = from the last entry up to the root: what was rewound or taken back is not on it
messages = read once more at their places, as they are asked for

A `Cursor` says how far a reader came. Where the file goes on from there, only what is new is read; where it was
rewound, replaced or cut, all of the branch is read again: entry ids tell what is known already.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from mnemopi.backends import transcript_formats as formats
from mnemopi.backends.transcript_formats import BEFORE, Entry, Format, Header, Record
from mnemopi.errors import NotFoundError, StorageError, UsageError
from mnemopi.model.session import Message
from mnemopi.model.values import dataclass

LONGEST: Final = 16 * 1024 * 1024
"""Bytes of a line beyond which it is passed over as broken: no message is that long."""
_HEAD_LINES: Final = 200
_TAIL: Final = 256


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a reader came: the session, the place in bytes, the last entry, and what stood before the place."""

    session: str
    place: int
    leaf: str | None
    tail: str
    plain: bool = False
    """Whether messages were met that are no echo of others."""

    def told(self) -> str:
        """Write the cursor down."""
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, told: str) -> Cursor | None:
        """Read a cursor that was written down; None where that is none, so that all is read."""
        try:
            return cls(**json.loads(told))
        except (ValueError, TypeError):
            return None


class Node(NamedTuple):
    """An entry of the tree: its parent, where its line begins, whether a person or a model speaks, or an echo does."""

    parent: str | None
    place: int
    speaker: str
    echo: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file holds: whose session it is, where the new messages of its live branch stand, and how far it was read.

    `broken` lines could not be read. `again` says that the branch was read from its root although a cursor was given.
    """

    path: Path
    format: Format
    header: Header
    live: tuple[tuple[str, int], ...]
    cursor: Cursor
    broken: int = 0
    again: bool = False

    def messages(self) -> Iterator[Message]:
        """Yield the new messages, oldest first, one in memory at a time."""
        with _opened(self.path) as file:
            for id, place in self.live:
                file.seek(place)
                record = _record(file.readline(LONGEST))
                entry = None if record is None else self.format.entry(record, place)
                if entry is not None and entry.said is not None and entry.id == id:
                    said = entry.said
                    yield Message(id, said.role, said.text, said.at, said.author)


def header(path: str | Path) -> Header | None:
    """Return whose session a file holds, by its first lines; None where no host's format is known in them.

    Raises NotFoundError and StorageError.
    """
    try:
        return _head(Path(path))[1]
    except UsageError:
        return None


def read(path: str | Path, since: Cursor | None = None) -> Reading:
    """Read a session file, from a cursor on where it holds good. Raises NotFoundError, StorageError, and UsageError for
    a file that is no session of a known host."""
    path = Path(path)
    format, header = _head(path)
    alone = header.parent is not None
    with _opened(path) as file:
        if since is not None and _holds(file, header, since):
            tree = _Tree(since.leaf, since.plain, alone)
            place = tree.grow(file, format, since.place)
            chain = tree.branch()
            if chain is not None:
                return Reading(path, format, header, *_live(file, header, tree, place, chain), tree.broken)
        tree = _Tree(None, False, alone)
        place = tree.grow(file, format, 0)
        live = _live(file, header, tree, place, tree.branch() or [])
        return Reading(path, format, header, *live, tree.broken, again=since is not None)


def _live(
    file: BinaryIO, header: Header, tree: _Tree, place: int, chain: list[str]
) -> tuple[tuple[tuple[str, int], ...], Cursor]:
    """Return the messages of a branch, without echoes of others, and the cursor behind them."""
    spoken = [(id, tree.nodes[id]) for id in chain if tree.nodes[id].speaker]
    plain = tree.plain or any(not node.echo for _, node in spoken)
    live = tuple((id, node.place) for id, node in spoken if not (plain and node.echo))
    return live, Cursor(header.id, place, tree.leaf, _tail(file, place), plain)


class _Tree:
    """The entries of a file, or those after a cursor, whose last entry is then where the tree is rooted."""

    def __init__(self, root: str | None, plain: bool, alone: bool) -> None:
        """`alone`: the file is a subagent's own, in which nothing is aside."""
        self.nodes: dict[str, Node] = {}
        self.root, self.leaf, self.plain, self.broken = root, root, plain, 0
        self._alone = alone

    def grow(self, file: BinaryIO, format: Format, place: int) -> int:
        """Add what stands after a place; return where the last whole line ends."""
        for begin, record, end in _lines(file, place):
            place = end
            if record is None:
                self.broken += 1
                continue
            entry = format.entry(record, begin)
            if entry is not None:
                self._add(entry, begin)
        return place

    def _add(self, entry: Entry, place: int) -> None:
        if entry.side and not self._alone:
            return
        if entry.back:
            self._take_back(entry.back)
            return
        parent = self.leaf if entry.parent == BEFORE else entry.parent
        if parent is not None and self.root is None and parent not in self.nodes:
            parent = self.leaf  # its line was broken: nothing else that was said is lost by that
        if entry.id not in self.nodes:
            self.nodes[entry.id] = Node(parent, place, entry.said.role if entry.said else "", entry.echo)
        self.leaf = entry.id

    def _take_back(self, turns: int) -> None:
        """Move the leaf before the last turns of the person, beyond the root where there are not so many."""
        plain = self.plain or any(not node.echo for node in self.nodes.values() if node.speaker)
        while turns and self.leaf is not None:
            node = self.nodes.get(self.leaf)
            if node is None:
                self.leaf = None
                return
            turns -= node.speaker == "user" and not (plain and node.echo)
            self.leaf = node.parent

    def branch(self) -> list[str] | None:
        """Return the live branch, its first entry first; None where it does not go on from the root."""
        chain: list[str] = []
        seen: set[str] = set()
        id = self.leaf
        while id is not None and id != self.root and id not in seen:
            if id not in self.nodes:
                return None
            seen.add(id)
            chain.append(id)
            id = self.nodes[id].parent
        return chain[::-1] if id == self.root or self.root is None else None


def _head(path: Path) -> tuple[Format, Header]:
    """Find the head of a file among its first lines; a title or bookkeeping may stand before it."""
    with _opened(path) as file:
        for number, (_, record, _) in enumerate(_lines(file, 0)):
            found = None if record is None else formats.detect(record)
            if found is not None:
                return found
            if number >= _HEAD_LINES:
                break
    raise UsageError(
        f"{path.name} is no session of a known host", hint="known are Claude Code, Codex, oh-my-pi and mnemopi itself"
    )


def _lines(file: BinaryIO, place: int) -> Iterator[tuple[int, Record | None, int]]:
    """Yield (begin, record, end) of each line after a place, None for a broken one; half a last line is left out."""
    file.seek(place)
    while line := file.readline(LONGEST):
        begin, place = place, place + len(line)
        whole = line.endswith(b"\n")
        if len(line) == LONGEST and not whole:
            while rest := file.readline(LONGEST):
                place += len(rest)
                if rest.endswith(b"\n"):
                    break
            yield begin, None, place
            continue
        if not line.strip():
            continue
        record = _record(line)
        if record is None and not whole:
            return
        yield begin, record, place


def _record(line: bytes) -> Record | None:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) else None


def _holds(file: BinaryIO, header: Header, since: Cursor) -> bool:
    """Whether a file is the one that a cursor was made of, and was only written on since."""
    return header.id == since.session and _tail(file, since.place) == since.tail


def _tail(file: BinaryIO, place: int) -> str:
    """Tell what stands right before a place, in a few digits; nothing where the file ends before it."""
    import hashlib  # noqa: PLC0415

    begin = max(0, place - _TAIL)
    file.seek(begin)
    stands = file.read(place - begin)
    return hashlib.sha256(stands).hexdigest()[:16] if len(stands) == place - begin else ""


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError as error:
        raise NotFoundError(f"there is no session file {path}", hint="the host may have moved or deleted it") from error
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}", hint="check its permissions") from error
