"""To clear a session's scope: its own bank and no other, as a whole, with a week to take it back.

An empty bank takes the place of the full one in one step, and the full one is kept beside it. To take it back, what was
remembered since is added to a copy of the full one, which takes the place in one step, too. Others that have the bank
open are in the way of both. What is begun is noted first: where a process dies before it could note the end, the file
that it left tells.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

from mnemopi.bank import Bank
from mnemopi.engine import Mnemopi
from mnemopi.errors import NotFoundError, UsageError
from mnemopi.maintenance import backup
from mnemopi.model.interval import iso
from mnemopi.model.session import Cleared
from mnemopi.model.values import dataclass
from mnemopi.projects.scopes import Scope
from mnemopi.storage import copy, private
from mnemopi.storage.banks import DEFAULT
from mnemopi.storage.store import Store

WEEK_MS: Final = 7 * 86_400_000
UNDO: Final = "mnemopi memory undo"
_WORKSHOP: Final = ".clearing-"
_FILES: Final = ("", "-wal", "-shm", "-journal", ".lock")
"""How the names of a bank's files end."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A bank that was cleared: where what it held is kept, and when that was (UTC ms).

    Until it is done, `kept` is the first of the names that the file can have.
    """

    bank: str
    kept: str
    at: int
    memories: int
    done: bool = True


class Clearing:
    """What was cleared and can be taken back, in one file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def preview(self, engine: Mnemopi | None, scope: Scope) -> Cleared:
        """Say what would be taken away. Raises UsageError where the session has no bank of its own."""
        others = [name for name in scope.recall if name != scope.retain]
        spared = (f"Spared: {', '.join(others)}.",) if others else ()
        if engine is None:
            return Cleared((f"Bank {scope.retain} does not exist: there is nothing to clear.", *spared))
        if scope.retain == scope.shared:
            raise _not_ones_own(engine.bank)
        count = engine.stats()["total_memories"]
        return Cleared((f"Bank {scope.retain}: {count} memories, in {engine.bank.path}.", *spared))

    def clear(self, engine: Mnemopi | None, scope: Scope, now: int) -> Cleared:
        """Empty the session's own bank. Raises InUseError while others have it open."""
        told = self.preview(engine, scope)
        if engine is None:
            return told
        self.expire(now)
        self._settle(scope.retain)
        first = f"{engine.bank.path}.replaced-{backup.stamp(now)}"
        begun = Taken(scope.retain, first, now, engine.stats()["total_memories"], done=False)
        self._note(lambda known: [*known, begun])
        try:
            with _workshop(engine) as folder:
                restored = engine.restore(_empty(folder / "empty.db", engine, now))
        finally:
            self._settle(scope.retain)
        until = now + WEEK_MS
        return Cleared((*told.lines, f"Kept until {iso(until)[:10]} in {restored.kept}."), True, UNDO, until)

    def undo(self, engine: Mnemopi, scope: Scope, now: int) -> Cleared:
        """Take the last clearing of a scope back. Raises NotFoundError where there is none or its week is over."""
        self.expire(now)
        self._settle(scope.retain)
        mine = [taken for taken in self._all() if taken.bank == scope.retain and Path(taken.kept).exists()]
        if not mine:
            raise NotFoundError(f"nothing that was cleared of {scope.retain} can be taken back", hint="a week is kept")
        last = max(mine, key=lambda taken: taken.at)
        with _workshop(engine) as folder:
            replaced = engine.restore(_whole(folder, engine, Path(last.kept), now))
        _discard(replaced.kept)
        _discard(Path(last.kept))
        self._note(lambda known: [taken for taken in known if taken != last])
        return Cleared((f"Bank {scope.retain}: {last.memories} memories are back.",), done=True)

    def expire(self, now: int) -> None:
        """Delete what was cleared more than a week ago."""
        for taken in self._over(now):
            self._settle(taken.bank)
        over = self._over(now)
        for taken in over:
            _discard(Path(taken.kept))
        if over:
            self._note(lambda known: [taken for taken in known if taken not in over])

    def _over(self, now: int) -> list[Taken]:
        return [taken for taken in self._all() if now - taken.at > WEEK_MS]

    def _settle(self, bank: str) -> None:
        """Complete what was begun with a bank: with the file that was kept, or, where there is none, not at all."""

        def settled(known: list[Taken]) -> list[Taken]:
            return [each for taken in known for each in ([taken] if taken.bank != bank else _completed(taken, known))]

        if any(not taken.done and taken.bank == bank for taken in self._all()):
            self._note(settled)

    def _all(self) -> list[Taken]:
        try:
            return [Taken(**each) for each in json.loads(private.read(self._path) or "[]")]
        except (ValueError, TypeError):
            return []

    def _note(self, change: Callable[[list[Taken]], list[Taken]]) -> None:
        """Change the list, which other processes change too."""
        with private.locked(self._path):
            taken = change(self._all())
            private.write(self._path, json.dumps([asdict(each) for each in taken], indent=1) + "\n")


def _not_ones_own(bank: Bank) -> UsageError:
    whole = f"its file is {bank.path}" if bank.name == DEFAULT else f"`mnemopi bank delete {bank.name}` deletes it"
    return UsageError(
        f"bank {bank.name} is the memory of all projects: this one has no scope of its own to clear",
        hint=f"`mnemopi forget` erases single memories; for all projects, {whole}",
    )


@contextmanager
def _workshop(engine: Mnemopi) -> Iterator[Path]:
    """Give a folder beside a bank, and leave nothing of it; nor, once all is done, of those that a killed process
    left: nobody else can be at work with the bank then."""
    beside = engine.bank.path.parent
    with tempfile.TemporaryDirectory(prefix=_WORKSHOP, dir=beside) as folder:
        yield Path(folder)
    for left in beside.glob(f"{_WORKSHOP}*"):
        shutil.rmtree(left, ignore_errors=True)


def _whole(folder: Path, engine: Mnemopi, kept: Path, now: int) -> Path:
    """Make a bank of what was cleared and of what was remembered since."""
    from mnemopi.transfer import load  # noqa: PLC0415 -- sessions do without

    since = folder / "since.jsonl"
    engine.bank.export(since)
    with closing(_opened(copy.online(kept, folder / "whole.db"), engine, now)) as store:
        load.load(store, since, now, engine.bank.gate, force=False, skip_bad=False)
        return store.path


def _empty(path: Path, engine: Mnemopi, now: int) -> Path:
    """Make an empty bank of the same id and name."""
    with closing(_opened(path, engine, now)):
        return path


def _opened(path: Path, engine: Mnemopi, now: int) -> Store:
    """Open a file as the bank of an engine."""
    return Store(path, str(engine.bank.stats()["bank_id"]), engine.bank.name, engine.config.storage, now=now)


def _completed(taken: Taken, known: list[Taken]) -> list[Taken]:
    if taken.done:
        return [taken]
    first, noted = Path(taken.kept), {each.kept for each in known if each.done}
    names = f"{first.name.rpartition('-')[0]}-*"
    left = sorted(path for path in first.parent.glob(names) if path.name >= first.name and str(path) not in noted)
    return [replace(taken, kept=str(path), done=True) for path in left[:1]]


def _discard(kept: Path) -> None:
    """Delete a kept file with what belongs to it."""
    for end in _FILES:
        kept.with_name(kept.name + end).unlink(missing_ok=True)
