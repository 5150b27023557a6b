"""Imports point down, and each floor keeps to what it may know."""

from __future__ import annotations

import ast
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LATE = ("fastembed", "httpx", "numpy", "openai", "rich", "safetensors", "tokenizers", "turbovec", "wordllama")
LATE_OF_PYTHON = ("asyncio", "concurrent", "email", "http", "importlib.metadata", "ssl", "sqlite3", "urllib.request")
"""What is too heavy, or too optional, to be imported at the head of a module."""
SLOW = {"difflib", "hashlib", "hmac", "logging", "shutil", "statistics", "subprocess", "tomllib", "zoneinfo"}
"""What may stand in a function on the way of every start, since milliseconds count there."""

VAGUE = {"utils", "util", "helpers", "helper", "manager", "base", "common", "misc"}
LONGEST = 400


def imported(tree: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield (module, node) of every import that runs; those under TYPE_CHECKING do not."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "", node
            yield from ((f"{node.module}.{alias.name}", node) for alias in node.names)
        else:
            yield from imported(node)


def is_heavy(module: str) -> bool:
    """Say whether a module belongs to one of the packages that are imported late."""
    return any(module == name or module.startswith(f"{name}.") for name in LATE + LATE_OF_PYTHON)


def inside_functions(tree: ast.Module) -> Iterator[str]:
    """Yield the modules imported within a function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from (name for name, _ in imported(node))


def test_the_import_contracts_hold(root: Path) -> None:
    tool = Path(sysconfig.get_path("scripts"), "lint-imports")
    done = subprocess.run([tool, "--no-cache"], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_only_storage_knows_a_database(sources: tuple[Any, ...]) -> None:
    drivers = {"apsw", "sqlite3"}
    users = {source.floor for source in sources for name, _ in imported(source.tree) if name.split(".")[0] in drivers}
    assert users <= {"storage"}


def test_only_the_engine_names_a_concrete_store_or_provider(sources: tuple[Any, ...]) -> None:
    builders = {"engine", "storage", "providers", "testing"}
    concrete = ("mnemopi.storage.sqlite", "mnemopi.providers.static", "mnemopi.providers.api")
    users = {source.floor for source in sources for name, _ in imported(source.tree) if name.startswith(concrete)}
    assert users <= builders


def test_only_heavy_or_optional_packages_are_imported_late(sources: tuple[Any, ...]) -> None:
    late = {
        (source.name, name)
        for source in sources
        for name in inside_functions(source.tree)
        if not is_heavy(name) and name.split(".")[0] not in {"mnemopi", "importlib", "", *SLOW}
    }
    assert late == set()


def test_heavy_packages_are_never_imported_at_the_head_of_a_module(sources: tuple[Any, ...]) -> None:
    heads = {
        (source.name, name)
        for source in sources
        for statement in source.tree.body
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for name, _ in imported(ast.Module([statement], []))
        if is_heavy(name)
    }
    assert heads == set()


def test_every_module_says_what_it_is_for(sources: tuple[Any, ...]) -> None:
    silent = {source.name for source in sources if source.text.strip() and not ast.get_docstring(source.tree)}
    assert silent == set()


def test_no_module_has_a_name_that_says_nothing(sources: tuple[Any, ...]) -> None:
    assert {source.name for source in sources if Path(source.name).stem in VAGUE} == set()


def test_no_module_is_too_long_to_read(sources: tuple[Any, ...]) -> None:
    assert {source.name for source in sources if len(source.text.splitlines()) > LONGEST} == set()


def test_the_pure_floors_take_their_time_and_chance_from_the_caller(sources: tuple[Any, ...]) -> None:
    pure = {"model", "text", "retrieval"}
    chancy = {"time", "random", "secrets", "uuid"}
    users = {
        (source.name, name)
        for source in sources
        if source.floor in pure
        for name, _ in imported(source.tree)
        if name in chancy
    }
    assert users == set()
