"""Where banks lie: the default bank's file, and a folder of its own for each other bank beside it.

A bank's folder is its id and never moves; its name is a row in its own file, so that a folder copied elsewhere still
says what it is. The id is derived from the first name, which makes the common look-up one step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from mnemopi.errors import ConflictError, ExistsError, MnemopiError, NotFoundError, UsageError
from mnemopi.settings import StorageConfig
from mnemopi.storage.locks import OpenLock
from mnemopi.storage.peek import name_of
from mnemopi.storage.store import MEMORY, Store, make_private

DEFAULT: Final = "default"
SURFACE: Final = "surface"
FILE: Final = "mnemopi.db"
_NAME = re.compile(r"[^\W_][\w.-]{0,63}")
_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)


def check_name(name: object) -> str:
    """Return a usable bank name: 1 to 64 letters, digits, `-`, `_`, `.`, the first a letter or digit."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or _DEVICES.fullmatch(name):
        raise UsageError(
            f"impossible bank name {name!r:.80}",
            hint="1 to 64 letters, digits, `-`, `_` or `.`, starting with a letter or digit; no device names",
        )
    return name


class Banks:
    """The banks of one data folder. `default_file` is the file of the default bank; others lie beside it."""

    def __init__(self, default_file: str | Path, config: StorageConfig) -> None:
        self.in_memory = str(default_file) == MEMORY
        self.default_file = Path(default_file) if self.in_memory else Path(default_file).expanduser().absolute()
        self._config = config
        self._folder = self.default_file.parent / "banks"
        self._without_global: dict[Path, tuple[int, ...]] = {}

    def open(self, name: str, now: int, *, create: bool = True) -> Store:
        """Open a bank by name, making it where it does not exist. Raises NotFoundError when `create` is False."""
        check_name(name)
        if self.in_memory or name == DEFAULT:
            return Store(self.default_file, DEFAULT, name, self._config, now=now)
        if (folder := self.folder_of(name)) is not None:
            return self._store(folder, name, now)
        if not create:
            raise NotFoundError(f"there is no bank {name!r}", hint="the list of banks shows them")
        with self._arranging():
            return self._store(self.folder_of(name) or self._free_folder(name), name, now)

    def look(self, name: str, now: int) -> Store:
        """Open a bank for somebody who only reads: one that does not exist is empty, and is not made."""
        return self.open(name, now) if self.exists(name) else Store.absent(check_name(name), self._config, now=now)

    def surface(self, now: int) -> Store:
        """Open the shared surface: the file that the setting names, else the bank of that name beside the others."""
        if self.in_memory or not self._config.surface_db:
            return self.open(SURFACE, now)
        file = Path(self._config.surface_db).expanduser().absolute()
        return Store(file, DEFAULT, SURFACE, self._config, now=now)

    def names(self) -> list[str]:
        """Return the names of all banks, the default one first."""
        return [DEFAULT, *sorted(name for name, _ in self._named())]

    def exists(self, name: str) -> bool:
        """Whether there is such a bank; the default one is made at its first use. Raises as `folder_of` does."""
        return self.in_memory or name == DEFAULT or self.folder_of(name) is not None

    def folder_of(self, name: str) -> Path | None:
        """Return the folder of a bank that is not the default one, or None.

        Raises StorageError kinds where the bank ought to lie in a file that cannot be read: it is not made anew then.
        """
        guess = self._folder / _id(name)
        if (guess / FILE).exists() and name_of(guess / FILE) == name:
            return guess
        return next((folder for known, folder in self._named() if known == name), None)

    def with_global(self, besides: Path, now: int) -> Iterator[Store]:
        """Open each other bank that holds memories for all banks, in turn; the caller closes it.

        A bank that holds none is not opened again until its file changes.
        """
        for file in self._files():
            stamp = _stamp(file)
            if file == besides or self._without_global.get(file) == stamp:
                continue
            try:
                store = Store(
                    file, file.parent.name if file != self.default_file else DEFAULT, "", self._config, now=now
                )
            except MnemopiError:
                continue  # damaged, or being changed as a whole: it has nothing to say now
            if store.memories.has_global():
                yield store
            else:
                store.close()
                self._without_global[file] = stamp

    def _files(self) -> Iterator[Path]:
        if not self.in_memory:
            yield from (file for file in (self.default_file, *sorted(self._folder.glob(f"*/{FILE}"))) if file.exists())

    def create(self, name: str, now: int) -> Path:
        """Make an empty bank and return its file. Raises ExistsError."""
        check_name(name)
        with self._arranging():
            self._check_free(name)
            store = self._store(self._free_folder(name), name, now)
        store.close()
        return store.path

    def rename(self, old: str, new: str, now: int) -> None:
        """Give a bank another name; its folder and id stay. Refused while others have it open."""
        check_name(new)
        store = self._theirs(old, now)
        with self._arranging(), store.alone():
            self._check_free(new)
            again = Store(store.path, store.bank, old, self._config, now=now, locked=True)
            with closing(again), again.transaction():
                again.meta.set("name", new)

    def delete(self, name: str, now: int) -> None:
        """Delete a bank and all that it holds. Refused while others have it open, and for the default bank."""
        store = self._theirs(name, now)
        with store.alone():
            _remove(store.path.parent)

    def unmake(self, name: str, now: int) -> bool:
        """Delete a bank that was made for nothing, and say whether it is gone.

        It stays where somebody has written into it or has it open, where its folder holds anything else, or where it
        cannot be told.
        """
        try:
            store = self._theirs(name, now)
            with store.alone():
                again = Store(store.path, store.bank, name, self._config, now=now, locked=True)
                with closing(again):
                    is_for_nothing = again.is_untouched
                files, own = store.path.parent.iterdir(), store.path.name
                is_for_nothing = is_for_nothing and all(each.name.startswith(own) for each in files)
                if is_for_nothing:
                    _remove(store.path.parent)
        except (MnemopiError, OSError):
            return False
        return is_for_nothing

    def check_apart(self, name: str) -> None:
        """Refuse what can be neither renamed nor deleted: the default bank, and one that is not there."""
        if self.in_memory or name == DEFAULT:
            raise ConflictError("the default bank can be neither renamed nor deleted", hint="name another one")
        if not self.exists(check_name(name)):
            raise NotFoundError(f"there is no bank {name!r}", hint="the list of banks shows them")

    def _theirs(self, name: str, now: int) -> Store:
        self.check_apart(name)
        return self.open(name, now, create=False)

    def _store(self, folder: Path, name: str, now: int) -> Store:
        return Store(folder / FILE, folder.name, name, self._config, now=now)

    def _check_free(self, name: str) -> None:
        if self.exists(name):
            raise ExistsError(f"there is a bank {name!r} already", hint="use it, or choose another name")

    @contextmanager
    def _arranging(self) -> Iterator[None]:
        """Keep others from giving out names meanwhile, so that no two banks have the same."""
        make_private(self._folder)
        lock = OpenLock(self._folder / ".lock", alone=True, wait=True)
        try:
            yield
        finally:
            lock.close()

    def _named(self) -> Iterator[tuple[str, Path]]:
        for file in self._files():
            if file == self.default_file:
                continue
            try:
                name = name_of(file)
            except MnemopiError:
                continue  # damaged or foreign: it has no name here; `doctor` tells
            if name is not None:
                yield name, file.parent

    def _free_folder(self, name: str) -> Path:
        """A renamed bank may lie where this name would: then the next free id is taken."""
        number = 0
        while (file := self._folder / _id(name, number) / FILE).exists() and name_of(file) is not None:
            number += 1
        return file.parent


def _remove(folder: Path) -> None:
    import shutil  # noqa: PLC0415 -- brings archives along

    shutil.rmtree(folder)


def _stamp(file: Path) -> tuple[int, ...]:
    """Tell whether a file or its log changed: size and time of both."""
    found = [path.stat() for path in (file, Path(f"{file}-wal")) if path.exists()]
    return tuple(number for status in found for number in (status.st_mtime_ns, status.st_size))


def _id(name: str, number: int = 0) -> str:
    import hashlib  # noqa: PLC0415 -- a library of ciphers, which the default bank does not need

    return hashlib.sha256(f"{name}\x00{number}".encode()).hexdigest()[:16]
