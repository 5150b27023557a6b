"""All tests run without the settings of whoever runs them: no variables of ours, no configuration file, no data."""

from __future__ import annotations

import io
import os
import secrets
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mnemopi import config


@pytest.fixture(scope="session", autouse=True)
def nobodys_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Hide the settings of this machine, also from the processes that tests start."""
    names = {field.metadata["env"] for _, field in config.settings()} | {"MNEMOPI_CONFIG", *config.REFUSED}
    with pytest.MonkeyPatch.context() as patch:
        for name in names & set(os.environ):
            patch.delenv(name)
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            patch.setenv(name, str(tmp_path_factory.mktemp("nobody")))
        yield


@pytest.fixture(autouse=True)
def own_data(nobodys_settings: None, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test a data folder of its own, made where something is put there: backups of one test are no other's.

    It lies in no `tmp_path`, so that a test which looks through its own folder finds what it put there itself.
    """
    folder = tmp_path_factory.getbasetemp() / "data" / secrets.token_hex(8)
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    return folder


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], io.StringIO]:
    """Put a terminal in the place of standard output, and keep what it shows: `stream = terminal(80)`."""

    def made(width: int) -> io.StringIO:
        stream = Terminal()
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setattr(sys, "stdout", stream)
        return stream

    return made
