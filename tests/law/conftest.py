"""What the laws look at: every module of the package, parsed once."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "mnemopi"


@dataclass(frozen=True)
class Source:
    """One module: its path below the package (`text/dates.py`), its text and its syntax tree."""

    name: str
    text: str
    tree: ast.Module

    @property
    def floor(self) -> str:
        """The package or module at the top level: `text`, `engine`."""
        return self.name.split("/")[0].removesuffix(".py")


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the project."""
    return ROOT


@pytest.fixture(scope="session")
def package() -> Path:
    """The folder of the package."""
    return PACKAGE


@pytest.fixture(scope="session")
def sources() -> tuple[Source, ...]:
    """Every module of the package."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text("utf-8")
        found.append(Source(path.relative_to(PACKAGE).as_posix(), text, ast.parse(text)))
    return tuple(found)
