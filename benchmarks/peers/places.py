"""Where peers are installed: an environment each, made once, below the cache folder."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.peers.roster import Peer
from benchmarks.quality import embedders

WORKERS: Final = Path(__file__).resolve().parent / "workers"
LEAST_FREE: Final = 3 << 30
INSTALL_LIMIT: Final = 900.0
_READY: Final = ".ready"
_KEPT: Final = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "LD_LIBRARY_PATH")


class Unavailable(Exception):
    """A peer that cannot be had here, and why."""


def command(peer: Peer) -> list[str]:
    """The command that starts a peer's worker; installs it first where it is not there. Raises Unavailable."""
    folder = _folder(peer)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:  # another run may be installing the same
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / _READY).exists():
            shutil.rmtree(folder, ignore_errors=True)
            _install(peer, folder)
            (folder / _READY).touch()
    script = str(WORKERS / peer.worker)
    if peer.kind == "npm":
        # the script must stand beside `node_modules`, for that is where its imports are looked up
        script = str(shutil.copy(script, folder / peer.worker))
        return [str(folder / "node_modules" / ".bin" / "bun"), script]
    return [str(folder / "bin" / "python"), script]


def environment(home: Path) -> dict[str, str]:
    """What a worker sees of the environment: no key, no proxy, no folder of the person who runs this."""
    kept = {name: value for name, value in os.environ.items() if name in _KEPT}
    quiet = {"ANONYMIZED_TELEMETRY": "False", "MEM0_TELEMETRY": "False", "DO_NOT_TRACK": "1", "NO_PROXY": "127.0.0.1"}
    places = {"HOME": str(home), "XDG_DATA_HOME": str(home), "MEM0_DIR": str(home), "MNEMOSYNE_DATA_DIR": str(home)}
    return kept | quiet | places | {"PYTHONUNBUFFERED": "1", "PYTHONUTF8": "1"}


def _folder(peer: Peer) -> Path:
    digest = hashlib.sha256(" ".join(peer.packages).encode()).hexdigest()[:12]
    return embedders.cache_folder() / "peers" / f"{peer.name}-{digest}"


def _install(peer: Peer, folder: Path) -> None:
    if shutil.disk_usage(folder.parent).free < LEAST_FREE:
        raise Unavailable("less than 3 GB of disk are free")
    # an environment holds its own path, so it is made where it stays, and removed where that fails
    try:
        if peer.kind == "npm":
            folder.mkdir()
            (folder / "package.json").write_text('{"private": true, "type": "module"}\n', "utf-8")
            _run(["npm", "install", "--no-audit", "--no-fund", *peer.packages], folder)
        else:
            _run([sys.executable, "-m", "venv", "--without-pip", str(folder)], folder.parent)
            _run([sys.executable, "-m", "pip", "--python", str(folder), "install", "-q", *peer.packages], folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _run(command: Sequence[str], folder: Path) -> None:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_LIMIT)
    except FileNotFoundError as error:
        raise Unavailable(f"{command[0]} is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise Unavailable(f"installing took more than {INSTALL_LIMIT:.0f} s") from error
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no message"]
        raise Unavailable(f"not to be installed: {last[0][:200]}")
