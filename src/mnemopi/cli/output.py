"""What goes to stdout: one JSON document, a table on a terminal, aligned text into a pipe. Notes go to stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from mnemopi.cli import controls, tables
from mnemopi.cli.everywhere import Asked
from mnemopi.errors import UsageError

Rows = Sequence[Sequence[str]]


def document(content: Mapping[str, Any]) -> None:
    """Print one JSON document: indented on a terminal, one line into a pipe."""
    indent = 2 if sys.stdout.isatty() else None
    lines(json.dumps(content, ensure_ascii=False, indent=indent))


def lines(*texts: str) -> None:
    """Print lines, and let them out at once: into a pipe as they are, on a terminal so that none steers it."""
    told = "\n".join(texts)
    print(controls.shown(told) if sys.stdout.isatty() else told, flush=True)


def note(asked: Asked, text: str) -> None:
    """Say something beside the result, unless quiet."""
    if not asked.quiet:
        aside(text)


def aside(text: str) -> None:
    """Say something on stderr, which is for people wherever it goes."""
    print(controls.shown(text), file=sys.stderr, flush=True)


def flush() -> None:
    """Let everything out before something slow begins."""
    sys.stdout.flush()


def table(headings: Sequence[str], rows: Rows, *, prose: Sequence[str] = (), quiet: bool = False) -> None:
    """Print rows: a table on a terminal (see `tables`, also for `prose`); else columns aligned by spaces.

    Quiet, the columns are separated by tabs and have no headings.
    """
    if quiet:
        lines(*("\t".join(_one_line(cell) for cell in row) for row in rows)) if rows else None
    elif sys.stdout.isatty():
        tables.drawn(headings, rows, prose)
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
    question = controls.shown(question)
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
