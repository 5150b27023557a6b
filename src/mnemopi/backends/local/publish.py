"""Put several files of a folder in place as one: all of them, or none, whatever kills the process in between.

They are written beside, and a list of them last: from then on they count. Whoever finds a list puts the files in place;
whoever finds none throws them away. The caller holds the folder's lock.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from mnemopi.backends import files
from mnemopi.errors import StorageError
from mnemopi.storage import ids, private

_STAGED: Final = ".staged-"
_LIST: Final = "list.json"


def publish(root: Path, texts: Mapping[str, str | None]) -> None:
    """Write files by their path below the root; None deletes one."""
    folder = private.folder(root / f"{_STAGED}{ids.new(6)}")
    names: dict[str, str | None] = {}
    try:
        for number, (name, text) in enumerate(sorted(texts.items())):
            names[name] = None if text is None else f"{number}.new"
            if text is not None:
                private.write(folder / f"{number}.new", text)
        private.write(folder / _LIST, json.dumps(names))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    _apply(root, folder)


def recover(root: Path) -> bool:
    """Finish or undo what a process that died left half done; say whether there was any."""
    left = sorted(root.glob(f"{_STAGED}*")) if root.is_dir() else []
    for folder in left:
        if (folder / _LIST).is_file():
            _apply(root, folder)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    return bool(left)


def is_half_done(root: Path) -> bool:
    """Whether there is something to recover."""
    return next(_staged(root), None) is not None


def _staged(root: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(root) as entries:
            yield from (each for each in entries if each.name.startswith(_STAGED))
    except OSError:
        return


def _apply(root: Path, folder: Path) -> None:
    names = files.read_json(folder / _LIST) or {}
    try:
        for name, staged in names.items():
            place = root / name
            if staged is None:
                place.unlink(missing_ok=True)
                _prune(root, place.parent)
            elif (folder / staged).exists():  # else it is in place already
                private.folder(place.parent)
                (folder / staged).replace(place)
        shutil.rmtree(folder)
    except OSError as error:
        hint = "it is finished the next time that somebody writes there"
        raise StorageError(f"{root} cannot be written: {error.strerror}", hint=hint) from error


def _prune(root: Path, folder: Path) -> None:
    """Remove folders that have nothing in them any more."""
    while folder not in (root, root.parent) and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
