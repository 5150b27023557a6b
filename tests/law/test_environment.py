"""The environment is read in one place, and so is every setting."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

READERS = {"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"}


def looks(tree: ast.Module) -> Iterator[int]:
    """Yield the lines that read or write the process's environment."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == "os" and node.attr in READERS:
                yield node.lineno
        elif isinstance(node, ast.ImportFrom) and node.module == "os":
            yield from (node.lineno for alias in node.names if alias.name in READERS)


FIRST = "daemon/shim.py"
"""Runs before `config` could be imported, and sends the environment on to be read; a test of its own compares both."""


def test_only_config_looks_at_the_environment(sources: tuple[Any, ...]) -> None:
    others = [source for source in sources if source.name not in ("config.py", FIRST)]
    assert {(source.name, line) for source in others for line in looks(source.tree)} == set()


def test_config_does_look_at_it(sources: tuple[Any, ...]) -> None:
    (config,) = (source for source in sources if source.name == "config.py")
    assert list(looks(config.tree))


def test_no_setting_is_named_by_its_environment_name_elsewhere(sources: tuple[Any, ...]) -> None:
    named = {
        (source.name, node.value)
        for source in sources
        if source.name not in (FIRST, "settings.py", "agent_settings.py", "config.py")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("MNEMOPI_")
        if node.value.isupper() and " " not in node.value
    }
    assert named == set()
