"""Where copies of a bank were written to: noted in the bank, so that an erasure can say what still holds the text.

A folder that is gone holds nothing, and one that comes back, as a stick does, is looked into again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from mnemopi.storage.store import Store

_NOTED: Final = "backup_folders"


def noted(store: Store) -> list[Path]:
    """Return the folders to which copies of the bank were written."""
    return [Path(folder) for folder in json.loads(store.meta.get(_NOTED) or "[]")]


def note(store: Store, folders: Iterable[Path]) -> None:
    """Note that copies lie in these folders; nothing is written where that is known."""
    with store.transaction():
        known = noted(store)
        new = {folder.absolute() for folder in folders} - set(known)
        if new:
            store.meta.set(_NOTED, json.dumps([str(folder) for folder in sorted({*known, *new})]))
