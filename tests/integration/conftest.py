"""How the tests drive the command line: in this process for most, as a real one where streams and signals count."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mnemopi.cli.app import mnemopi


@dataclass(frozen=True)
class Done:
    """What a command did: its exit status, and both streams."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The data folder of the test."""
    return tmp_path / "data"


@pytest.fixture
def environment(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A clean environment, of this process too: no settings but the data folder and no embeddings, an empty home."""
    for name in [name for name in os.environ if name.startswith("MNEMOPI_")]:
        monkeypatch.delenv(name)
    (tmp_path / "home").mkdir()
    own = {
        "MNEMOPI_DATA_DIR": str(folder),
        "MNEMOPI_NO_EMBEDDINGS": "1",
        "MNEMOPI_TIMEZONE": "UTC",
        "HOME": str(tmp_path / "home"),
        "XDG_CONFIG_HOME": str(tmp_path / "home"),
        "COLUMNS": "100",
    }
    for name, value in own.items():
        monkeypatch.setenv(name, value)
    return dict(os.environ)


@pytest.fixture
def call(environment: dict[str, str]) -> Callable[..., Done]:
    """Run a command within this process: `call("store", "text", input="...")`."""

    def made(*arguments: object, input: str | bytes | None = None) -> Done:
        result = CliRunner().invoke(mnemopi, [str(argument) for argument in arguments], input=input)
        return Done(result.exit_code, result.stdout, result.stderr)

    return made


@pytest.fixture
def run(environment: dict[str, str]) -> Callable[..., Done]:
    """Run a command as a process of its own: `run("store", "text", input=b"...", LC_ALL="C")`."""

    def made(*arguments: str | bytes, input: bytes | None = None, **changes: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "mnemopi", *arguments],
            env={**environment, **changes},
            input=input,
            stdin=subprocess.DEVNULL if input is None else None,
            capture_output=True,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))

    return made


@pytest.fixture
def stored(call: Callable[..., Done]) -> Callable[..., str]:
    """Store a memory and return its id."""

    def made(*arguments: object) -> str:
        done = call("store", *arguments, "--json")
        assert done.status == 0, done.out
        return str(done.json["id"])

    return made
