"""The library never writes to the terminal: standard output belongs to the face that called it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any


def writes(tree: ast.Module) -> Iterator[int]:
    """Yield the lines that print, or that touch the standard streams."""
    streams = {"sys.stdout", "sys.stderr", "sys.__stdout__", "sys.__stderr__"}
    for node in ast.walk(tree):
        prints = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
        if prints or (isinstance(node, ast.Attribute) and ast.unparse(node) in streams):
            yield node.lineno


def test_nothing_below_the_command_line_prints(sources: tuple[Any, ...]) -> None:
    faces = {"cli", "__main__"}
    found = {(source.name, line) for source in sources if source.floor not in faces for line in writes(source.tree)}
    assert found == set()
