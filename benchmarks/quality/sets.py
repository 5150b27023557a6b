"""The sets with gold evidence and their scorer, found outside the project."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks import runlog

ROOT = Path(__file__).resolve().parents[2]
MEASURED_ONLY = "locomo_dev"
"""Licensed for measuring alone: never fitted."""


class NoData(Exception):
    """The sets are not on this machine."""


def folder() -> Path:
    """Where the sets are. Raises NoData."""
    place = Path(os.environ.get("MNEMOPI_EVAL_DATA") or ROOT.parent / "shared" / "data" / "eval")
    if not (place / "evalset.py").is_file():
        raise NoData(f"no evaluation sets at {place}: set MNEMOPI_EVAL_DATA to the folder that holds evalset.py")
    return place


@cache
def scorer() -> ModuleType:
    """The module that loads and scores the sets. Raises NoData."""
    path = folder() / "evalset.py"
    spec = importlib.util.spec_from_file_location("mnemopi_evalset", path)
    if spec is None or spec.loader is None:
        raise NoData(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def names() -> list[str]:
    """The names of the sets. Raises NoData."""
    found: list[str] = scorer().names()
    return found


def wanted(parser: argparse.ArgumentParser, name: str) -> list[str]:
    """The sets that a command line names: one, or `all`; none, and the reason is printed, where there are none."""
    try:
        known = names()
    except NoData as error:
        print(f"skipped: {error}")
        return []
    if name not in ("all", *known):
        parser.error(f"no set {name}: there are {', '.join(known)}")
    return known if name == "all" else [name]


def asked(table: str, text: str | None) -> tuple[list[str], str, Path]:
    """Read the command line of a table over one set or all: the sets (see `wanted`), the name of its log, and where."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.quality.{table}", description=text)
    parser.add_argument("name", nargs="?", default="all", help="a set, or `all`")
    parser.add_argument("--logs", type=Path, default=runlog.LOGS, help="where the log goes (default: benchmarks/logs)")
    options = parser.parse_args()
    log = table if options.name == "all" else f"{table}-{options.name}"
    return wanted(parser, options.name), log, options.logs


def load(name: str) -> tuple[dict[str, list[Any]], list[Any]]:
    """Return the items by group and the questions that have an answer. Raises NoData."""
    items, queries = scorer().load(name)
    return scorer().by_group(items), [query for query in queries if query.category != "adversarial"]


def spoken(item: Any) -> str:
    """The text as it is indexed: who said it, then what."""
    return f"{item.speaker}: {item.text}" if item.speaker else item.text
