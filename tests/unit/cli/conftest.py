"""A terminal of any width: what is written to it is kept."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable

import pytest


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], io.StringIO]:
    """Put a terminal in the place of standard output: `shown = terminal(80)`."""

    def made(width: int) -> io.StringIO:
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setattr(sys, "stdout", Terminal())
        return sys.stdout  # type: ignore[return-value]

    return made
