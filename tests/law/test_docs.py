"""The pages of the project hang together."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").rglob("*.md")])
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_each_link_within_the_project_leads_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    assert [target for target in LINK.findall(text) if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("name", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE"])
def test_the_pages_that_a_newcomer_looks_for_are_there(name: str) -> None:
    assert (ROOT / name).read_text("utf-8").strip()


def test_the_architecture_page_has_a_heading_for_each_package() -> None:
    package = ROOT / "src" / "mnemopi"
    floors = {path.parent.name for path in package.glob("*/__init__.py")} | {
        "bank",
        "config",
        "engine",
        "errors",
        "ports",
    }
    headings = re.findall(r"^## .*", (ROOT / "ARCHITECTURE.md").read_text("utf-8"), re.MULTILINE)
    told = {name for heading in headings for name in re.findall(r"`(\w+)`", heading)}
    assert floors <= told


def test_the_architecture_page_draws_the_floors_that_the_contract_holds() -> None:
    (contract, *_) = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    floors = [layer for layer in contract["layers"] if not layer.startswith("(")]
    assert "```\n" + "\n".join(floors) + "\n```" in (ROOT / "ARCHITECTURE.md").read_text("utf-8")


def test_each_heading_of_the_architecture_page_is_a_question() -> None:
    headings = re.findall(r"^## (.*)", (ROOT / "ARCHITECTURE.md").read_text("utf-8"), re.MULTILINE)
    assert [heading for heading in headings if not heading.endswith("?")] == []
