"""Taking a project's decisions away, and bringing them back within a week."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from mnemopi.backends import files
from mnemopi.backends.sharpshooter import consolidating
from mnemopi.backends.sharpshooter.shelf import Shelf
from mnemopi.errors import InUseError, NotFoundError
from mnemopi.model.session import Cleared

WEEK_MS: Final = 7 * 86_400_000
_HOW: Final = "mnemopi memory undo"


def clear(folder: Path, shelf: Shelf, now: int, *, dry_run: bool) -> Cleared:
    """Put the project's folder among the cleared ones. Raises InUseError while a model works on it."""
    lines = [f"{name}: {consolidating.lines(text)} lines" for name, text in shelf.texts().items()]
    lines += [f"waiting: {len(shelf.prompts())} prompts, {len(shelf.deltas())} deltas", "other projects: nothing"]
    if dry_run:
        return Cleared(tuple(lines))
    _purge(folder, now)
    _moved(folder, shelf, now)
    return Cleared(tuple(lines), done=True, undo=_HOW, until=now + WEEK_MS)


def undo(folder: Path, shelf: Shelf, now: int) -> Cleared:
    """Put what was cleared last back in its place. Raises NotFoundError."""
    _purge(folder, now)
    found = sorted((folder / ".cleared").glob(f"{shelf.root.name}@*"), key=_at)
    if not found:
        raise NotFoundError("nothing that was cleared here can be brought back", hint="it is kept for a week")
    aside = _moved(folder, shelf, max(now, _at(found[-1]) + 1)) if shelf.root.exists() else False
    found[-1].replace(shelf.root)
    more = ("what was decided since is put aside, and comes back with another undo",) if aside else ()
    return Cleared((f"decisions of {shelf.root.name} are back", *more), done=True)


def _moved(folder: Path, shelf: Shelf, now: int) -> bool:
    if not shelf.root.exists():
        return False
    files.folder(folder / ".cleared")
    with files.locked_now(shelf.root / "work.lock") as alone:
        if not alone:
            raise InUseError("a model is at work on these decisions", hint="try again in a moment")
        shelf.root.replace(folder / ".cleared" / f"{shelf.root.name}@{now}")
    return True


def _purge(folder: Path, now: int) -> None:
    for path in (folder / ".cleared").glob("*@*"):
        if _at(path) + WEEK_MS < now:
            shutil.rmtree(path, ignore_errors=True)


def _at(path: Path) -> int:
    return int(path.name.rpartition("@")[2])
