"""What goes to stdout: one JSON document, a table on a terminal, aligned text into a pipe. Notes go to stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from mnemopi.cli import lending
from mnemopi.cli.everywhere import Asked
from mnemopi.errors import UsageError

Rows = Sequence[Sequence[str]]


def document(content: Mapping[str, Any]) -> None:
    """Print one JSON document: indented on a terminal, one line into a pipe."""
    indent = 2 if sys.stdout.isatty() else None
    print(json.dumps(content, ensure_ascii=False, indent=indent), flush=True)


def lines(*texts: str) -> None:
    """Print lines for people, and let them out at once."""
    print("\n".join(texts), flush=True)


def note(asked: Asked, text: str) -> None:
    """Say something beside the result, unless quiet."""
    if not asked.quiet:
        print(text, file=sys.stderr, flush=True)


def flush() -> None:
    """Let everything out before something slow begins."""
    sys.stdout.flush()


def table(headings: Sequence[str], rows: Rows, *, wide: int = -1, quiet: bool = False) -> None:
    """Print rows: a table on a terminal, whose column `wide` takes the room; else columns aligned by spaces.

    Quiet, the columns are separated by tabs and have no headings.
    """
    if quiet:
        lines(*("\t".join(_one_line(cell) for cell in row) for row in rows)) if rows else None
    elif sys.stdout.isatty():
        _drawn(headings, rows, wide)
    else:
        _aligned([headings, *rows])


def pairs(rows: Rows, indent: int = 0) -> None:
    """Print names and values, the values aligned."""
    width = max((len(row[0]) for row in rows), default=0) + 1
    lines(*(f"{'':{indent}}{name + ':':<{width}} {value}".rstrip() for name, value in rows))


def confirm(asked: Asked, question: str, *, yes: bool, typed: str | None = None) -> bool:
    """Ask on the terminal before something is destroyed. Without one, `--yes` must say it: else UsageError.

    With `typed`, the answer is that word instead of y or n.
    """
    if yes:
        return True
    if asked.json or not sys.stdin.isatty():
        raise UsageError("this needs confirmation, and nobody can be asked", hint="--yes confirms it")
    if typed is None:
        return click.confirm(question, err=True)
    answer: str = click.prompt(f"{question} Type {typed} to confirm", err=True, default="", show_default=False)
    return answer == typed


def shortened(text: str, most: int) -> str:
    """Put a text on one line of at most `most` characters."""
    flat = _one_line(text)
    return flat if len(flat) <= most else flat[: most - 3] + "..."


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _aligned(rows: Rows) -> None:
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]) - 1)]
    for row in rows:
        lines("  ".join([*(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)), row[-1]]).rstrip())


def _drawn(headings: Sequence[str], rows: Rows, wide: int) -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    drawn = Table(show_lines=False, header_style="bold")
    widest = wide % len(headings)
    for place, heading in enumerate(headings):
        drawn.add_column(heading, ratio=1 if place == widest else None, no_wrap=place == 0, overflow="fold")
    for row in rows:
        drawn.add_row(*(Text(cell) for cell in row))
    Console(file=sys.stdout, width=lending.width()).print(drawn)
