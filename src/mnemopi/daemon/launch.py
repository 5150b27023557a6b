"""Start, stop and ask after the resident process of a data folder."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from mnemopi.config import ground
from mnemopi.daemon import client, lock, log, protocol
from mnemopi.errors import DaemonError

_RUNTIME: Final = "XDG_RUNTIME_DIR"
_UP_S: Final = 30.0
"""How long a start may take."""
_DOWN_S: Final = 20.0
"""How long an end may take: calls that are under way may end first."""
_LOOK_S: Final = 0.05


def ask(folder: Path, kind: str = "status") -> dict[str, Any]:
    """Ask the process of a data folder for its status, or to finish; empty where none runs. Raises DaemonError."""
    link, answer = client.dial(str(folder), protocol.hello(kind, ground(protocol.GROUND)))
    if link is not None:
        link.close()
    if "refused" in answer:
        raise DaemonError(str(answer.get("message")), hint="`mnemopi daemon stop --force` ends one that is yours")
    return answer


def address(folder: Path) -> Path:
    """Return the path of the socket of a data folder, in a folder that is its owner's alone. Raises DaemonError."""
    given = ground((_RUNTIME,))[_RUNTIME]
    return lock.address(lock.runtime(given, os.getuid()), folder)


def start(folder: Path, options: Sequence[str]) -> tuple[dict[str, Any], bool]:
    """See that a process of this version runs; return its status, and whether it was started by this call.

    One of an older version is asked to finish first. `options` are those of the command line that it gets.
    Raises DaemonError where it does not come up, or a newer version is there.
    """
    address(folder)
    found = ask(folder)
    if found and found["version"] == protocol.VERSION:
        return found, False
    if found and not protocol.is_older(found["version"]):
        raise DaemonError(f"version {found['version']} runs already", hint="`mnemopi daemon stop` ends it")
    if found:
        stop(folder)
    command = [sys.executable, "-m", "mnemopi", *options, "daemon", "run", "--log"]
    child = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
    )
    until = time.monotonic() + _UP_S
    while time.monotonic() < until:
        ended = child.poll()
        found = ask(folder)
        if found:
            if found["pid"] != child.pid:
                _call_off(child)
            return found, found["pid"] == child.pid
        if ended is not None and not lock.is_held(folder):
            raise DaemonError(f"it ended at once, with status {ended}", hint=f"see {folder / log.NAME}")
        time.sleep(_LOOK_S)
    _call_off(child)
    raise DaemonError(f"it did not come up within {_UP_S:g} s", hint=f"see {folder / log.NAME}")


def stop(folder: Path, *, force: bool = False) -> bool:
    """End the process of a data folder; return whether there was one. Raises DaemonError where it does not end.

    What it does not do when asked, a signal asks; with `force`, a signal that cannot be refused follows. Nothing that
    was acknowledged is lost by any of them.
    """
    if not lock.is_held(folder):
        return False
    with contextlib.suppress(DaemonError):
        ask(folder, "finish")
    if _ends(folder, _DOWN_S):
        return True
    for number in (signal.SIGTERM, signal.SIGKILL) if force else (signal.SIGTERM,):
        pid = lock.holder(folder)
        if pid is not None:
            os.kill(pid, number)
        if _ends(folder, _DOWN_S / 2):
            return True
    raise DaemonError("the resident process does not end", hint="`mnemopi daemon stop --force` ends it by a signal")


def _call_off(child: subprocess.Popen[bytes]) -> None:
    """End a start that somebody else was faster at: it would come up when that one has ended."""
    child.kill()
    child.wait()


def _ends(folder: Path, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not lock.is_held(folder):
            return True
        time.sleep(_LOOK_S)
    return False
