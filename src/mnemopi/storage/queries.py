"""Named statements, read once from `sql/common.sql` and the dialect's own file.

A block is `-- name: put_memory`, one comment line that says what it does, and the statement. `-- fragment: visible`
names a part that statements take in with `{visible}`. There is no other way to make SQL in this project: filters are
parameters of fixed statements, never pasted text.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

FOLDER: Final = Path(__file__).parent / "sql"
_BLOCK = re.compile(r"^-- (name|fragment): (\w+)\n", re.MULTILINE)


class Query(NamedTuple):
    """A named statement: what it does in a sentence, and its SQL."""

    sentence: str
    sql: str


class Queries:
    """The statements of some files, each an attribute by its name."""

    def __init__(self, *files: str) -> None:
        text = "\n".join((FOLDER / f"{name}.sql").read_text("utf-8") for name in files)
        parts = _BLOCK.split(text)[1:]
        blocks = list(zip(parts[::3], parts[1::3], parts[2::3], strict=True))
        fragments = {name: body.strip() for kind, name, body in blocks if kind == "fragment"}
        self.named: dict[str, Query] = {}
        for kind, name, body in blocks:
            if kind == "name":
                sentence, _, sql = body.strip().partition("\n")
                self.named[name] = Query(sentence.removeprefix("--").strip(), _filled(sql.strip(), fragments))

    def __getattr__(self, name: str) -> str:
        try:
            return self.named[name].sql
        except KeyError:
            raise AttributeError(f"no statement is named {name!r}") from None


def _filled(sql: str, fragments: dict[str, str]) -> str:
    while found := re.search(r"\{(\w+)\}", sql):
        sql = sql.replace(found.group(0), fragments[found.group(1)])
    return sql


@cache
def sqlite() -> Queries:
    """Return the statements as SQLite takes them."""
    return Queries("common", "sqlite")


@cache
def agent() -> Queries:
    """Return the statements on the agent layer's file."""
    return Queries("agent")
