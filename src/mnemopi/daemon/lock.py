"""One server for a user and data folder: the lock that it holds while it lives, its record, and its socket.

The lock is the operating system's (`flock`), so that it ends with its holder, however that ends. A record without a
lock is of somebody who died, and is written over; a process id from a record is believed only while the lock is held,
and where the process began when the record says so: ids are used again.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import stat
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from mnemopi.daemon import protocol
from mnemopi.errors import DaemonError, InUseError, ReadOnlyError
from mnemopi.storage.store import make_private

try:
    import fcntl
except ImportError:  # Windows
    IS_POSSIBLE = False
else:
    IS_POSSIBLE = True
"""Whether this system has what a resident process is made of."""

_LONGEST_PATH: Final = 100
"""Bytes of a socket's path: Linux takes 107, macOS 103."""
_LOOK_S: Final = 0.05


class Lock:
    """The lock of a data folder, held until `close` or the end of the process."""

    def __init__(self, folder: Path, wait: float = 0.0) -> None:
        """Take the lock, waiting for a holder that is about to end. Raises InUseError, ReadOnlyError, DaemonError."""
        make_private(folder)
        self.path = folder / protocol.RECORD
        self._file = _opened(self.path)
        until = time.monotonic() + wait
        while not _took(self._file):
            if time.monotonic() >= until:
                os.close(self._file)
                pid = protocol.record(str(folder)).get("pid", "unknown")
                raise InUseError("a resident process has this data folder", hint=f"its process id is {pid}")
            time.sleep(_LOOK_S)

    def write(self, told: dict[str, Any]) -> None:
        """Put a record into the file; nothing empties it."""
        os.ftruncate(self._file, 0)
        if told:
            os.pwrite(self._file, json.dumps(told).encode(), 0)

    def is_in_place(self) -> bool:
        """Whether the file is still there: whoever deletes the folder wants no server of it."""
        try:
            return os.path.samestat(os.fstat(self._file), self.path.stat())
        except OSError:
            return False

    def close(self) -> None:
        """Empty the record, and let go."""
        self.write({})
        os.close(self._file)


def is_held(folder: Path) -> bool:
    """Whether somebody holds the lock of a data folder. Raises DaemonError for a file of somebody else."""
    if not (folder / protocol.RECORD).exists():
        return False
    file = _opened(folder / protocol.RECORD)
    try:
        return not _took(file)
    finally:
        os.close(file)


def describe(where: Path, folder: Path) -> dict[str, Any]:
    """Return the record of this process."""
    pid = os.getpid()
    told = {"pid": pid, "started": began(pid), "version": protocol.VERSION}
    return told | {"socket": str(where), "data_dir": str(folder)}


def began(pid: int) -> str:
    """Say when a process began, in words that tell it from a later one of the same id; empty where there is none."""
    try:
        line = Path(f"/proc/{pid}/stat").read_text()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {line.rpartition(')')[2].split()[19]}"
    except OSError:
        pass
    if Path("/proc/self/stat").exists():
        return ""
    told = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return told.stdout.strip()


def holder(folder: Path) -> int | None:
    """Return the process id of the server that holds a data folder, None where that is not beyond doubt."""
    told = protocol.record(str(folder))
    pid = told.get("pid")
    if not isinstance(pid, int) or not is_held(folder):
        return None
    return pid if told.get("started") and began(pid) == told["started"] else None


def runtime(given: str, user: int) -> Path:
    """Return the folder for sockets: in `given` (XDG_RUNTIME_DIR) where that is ours, else among the temporary ones.

    Raises DaemonError where somebody else has taken the name.
    """
    if given and _is_ours(Path(given), user):
        return _private(Path(given, "mnemopi"), user)
    return _private(Path(tempfile.gettempdir(), f"mnemopi-{user}"), user)


def address(runtime: Path, folder: Path) -> Path:
    """Return the path of a data folder's socket: a short name, since the system allows no long ones."""
    import hashlib  # noqa: PLC0415

    name = f"{hashlib.blake2s(os.fsencode(folder), digest_size=8).hexdigest()}.sock"
    found = runtime / name
    if len(os.fsencode(found)) > _LONGEST_PATH:
        found = Path("/tmp", f"mnemopi-{os.getuid()}")
        found = _private(found, os.getuid()) / name
    return found


def listening(path: Path) -> socket.socket:
    """Return a socket that listens at a path, for its owner alone.

    Whoever calls holds the lock, so that a socket which is there is stale. Raises DaemonError for what is not ours, or
    no socket.
    """
    try:
        found = path.lstat()
        if found.st_uid != os.getuid() or not stat.S_ISSOCK(found.st_mode):
            raise DaemonError(f"{path} is in the way: it is no socket of yours", hint="see whose it is")
        path.unlink()
    except FileNotFoundError:
        pass
    made = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        made.bind(str(path))
        made.listen(128)
    except OSError as error:
        made.close()
        raise DaemonError(f"cannot listen at {path}: {error.strerror}", hint="see whose folder it is") from error
    finally:
        os.umask(before)
    return made


def _opened(path: Path) -> int:
    """Open the lock file. Raises DaemonError where it belongs to somebody else, ReadOnlyError where it cannot be."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM):
            raise DaemonError(f"{path} belongs to another user", hint="use a data folder of your own") from error
        raise ReadOnlyError(f"{path} cannot be opened: {error.strerror}", hint="name another data folder") from error
    if os.fstat(file).st_uid != os.getuid():
        os.close(file)
        raise DaemonError(f"{path} belongs to another user", hint="use a data folder of your own")
    return file


def _took(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_ours(folder: Path, user: int) -> bool:
    try:
        return folder.is_absolute() and folder.stat().st_uid == user
    except OSError:
        return False


def _private(folder: Path, user: int) -> Path:
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise DaemonError(f"{folder} cannot be made: {error.strerror}", hint="XDG_RUNTIME_DIR names another") from error
    if found.st_uid != user or not stat.S_ISDIR(found.st_mode) or found.st_mode & 0o077:
        hint = "remove it, or name a folder of your own in XDG_RUNTIME_DIR"
        raise DaemonError(f"{folder} is not a folder that is yours alone", hint=hint)
    return folder
