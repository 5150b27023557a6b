"""Who may come in over TCP: the owner's token, made on first use, and named tokens with limits.

The owner's token stands in a private file of the data folder, where programs of the same user read it. A named token
is shown once, when it is made: only its hash is kept, with the banks that it may see and what it may do at most. Tokens
are random and long, so that a plain hash gives nothing away.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, cast

from mnemopi.errors import ExistsError, NotFoundError, StorageError, UsageError
from mnemopi.model.interval import iso
from mnemopi.model.values import dataclass
from mnemopi.storage import private
from mnemopi.storage.banks import check_name
from mnemopi.storage.locks import OpenLock
from mnemopi.tools.caller import EFFECTS, Effect

OWNER: Final = "owner"
OWNER_FILE: Final = "http-token"
NAMED_FILE: Final = "http-tokens.json"
PREFIX: Final = "mnp_"
"""Tokens begin with it, so that scanners of secrets can know them."""


@dataclass(frozen=True, slots=True)
class Key:
    """A token without its secret. `banks` are those that it may see, none: all; the first is its own."""

    name: str
    hash: str
    banks: tuple[str, ...] = ()
    most: Effect = "destroy"
    made_at: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Render the key for programs, without its hash."""
        return {"name": self.name, "banks": list(self.banks), "may": self.most, "made_at": iso(self.made_at)}


class Keys:
    """The tokens of one data folder. Files are read again when they have changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: tuple[object, tuple[Key, ...]] = (None, ())

    @property
    def owner_file(self) -> Path:
        """Where the owner's token lies."""
        return self._folder / OWNER_FILE

    def owner(self) -> str:
        """Return the owner's token; it is made where there is none. Raises StorageError."""
        with self._alone():
            try:
                if token := self.owner_file.read_text("ascii").strip():
                    return token
            except FileNotFoundError:
                pass
            except (OSError, UnicodeDecodeError) as error:
                raise StorageError(f"{self.owner_file} cannot be read", hint="delete it: a new one is made") from error
            token = _new()
            private.write(self.owner_file, token + "\n")
            return token

    def find(self, token: str) -> Key | None:
        """Return the key that a token opens, or None. It takes as long whichever it is."""
        given, found = _hash(token), None
        for key in self._known():
            if hmac.compare_digest(key.hash, given):
                found = key
        return found

    def holds(self, key: Key) -> bool:
        """Whether a key that was found is one still: what goes on for long asks again."""
        return key in self._known()

    def named(self) -> list[Key]:
        """Return the named keys, in the order in which they were made."""
        return [Key(**_checked(row, self._named_file)) for row in self._rows()]

    def create(self, name: str, banks: Sequence[str], most: Effect, now: int) -> str:
        """Make a named token and return it: it is not kept. Raises ExistsError and UsageError."""
        if check_name(name) == OWNER:
            raise UsageError(f"{OWNER!r} is the token that is always there", hint="name another one")
        token = _new()
        row = {
            "name": name,
            "hash": _hash(token),
            "banks": [check_name(bank) for bank in banks],
            "most": most,
            "made_at": now,
        }
        with self._alone():
            rows = self._rows()
            if any(known["name"] == name for known in rows):
                raise ExistsError(f"there is a token {name!r} already", hint="revoke it first, or name another one")
            private.write(self._named_file, json.dumps([*rows, row], indent=1) + "\n")
        return token

    def revoke(self, name: str) -> None:
        """Let a token open nothing any more; the owner's is made anew at the next use. Raises NotFoundError."""
        with self._alone():
            if name == OWNER:
                private.remove(self.owner_file)
                return
            rows = self._rows()
            left = [row for row in rows if row["name"] != name]
            if len(left) == len(rows):
                raise NotFoundError(f"there is no token {name[:80]!r}", hint="`mnemopi token list` shows them")
            private.write(self._named_file, json.dumps(left, indent=1) + "\n")

    @property
    def _named_file(self) -> Path:
        return self._folder / NAMED_FILE

    def _known(self) -> tuple[Key, ...]:
        stamp = (_stamp(self.owner_file), _stamp(self._named_file))
        if self._read[0] != stamp:
            owner = Key(OWNER, _hash(self.owner()))
            self._read = ((_stamp(self.owner_file), stamp[1]), (owner, *self.named()))
        return self._read[1]

    def _rows(self) -> list[dict[str, Any]]:
        try:
            return cast("list[dict[str, Any]]", json.loads(self._named_file.read_text("utf-8")))
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            raise StorageError(
                f"{self._named_file} cannot be read", hint="delete it, and make the tokens anew"
            ) from error

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other processes from changing the files meanwhile."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"{self._folder} cannot be made: {error.strerror}") from error
        lock = OpenLock(self._folder / ".http-tokens.lock", alone=True, wait=True)
        try:
            yield
        finally:
            lock.close()


def _new() -> str:
    return PREFIX + secrets.token_urlsafe(32)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _stamp(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _checked(row: Mapping[str, Any], file: Path) -> dict[str, Any]:
    if not isinstance(row, dict) or set(row) != set(Key.__slots__) or row["most"] not in EFFECTS:
        raise StorageError(f"{file} holds what is no token", hint="delete it, and make the tokens anew")
    return {**row, "banks": tuple(row["banks"])}
