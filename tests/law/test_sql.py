"""SQL lives in SQL files: named, described, and understood by the engine it is for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import pytest

STATEMENT = re.compile(
    r"""\s*(?:
        select\s.+\sfrom\s | insert\s+(?:or\s+\w+\s+)?into\s+\w+\s*[(\s] | replace\s+into\s | update\s+\w+\s+set\s
      | delete\s+from\s+\w+(?:\s+where\s|\s*;?\s*$) | with\s+\w+(?:\s*\([^)]*\))?\s+as\s*\(
      | create\s+(?:unique\s+|virtual\s+|temp\s+)*(?:table|index|view|trigger)\s | alter\s+table\s
      | drop\s+(?:table|index|view|trigger)\s
    )""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)


class Block(NamedTuple):
    """One statement of an SQL file."""

    file: str
    name: str
    words: str
    sql: str


def literals(tree: ast.Module) -> Iterator[ast.Constant]:
    """Yield the string literals of a module that are not docstrings."""
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node


def blocks(package: Path) -> list[Block]:
    """Read the named statements of `storage/sql`."""
    found = []
    for path in sorted((package / "storage" / "sql").glob("*.sql")):
        for part in re.split(r"^-- name: *", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
            name, _, rest = part.partition("\n")
            lines = rest.strip().splitlines()
            words = [line.removeprefix("--").strip() for line in lines if line.startswith("--")]
            sql = "\n".join(line for line in lines if not line.startswith("--")).strip()
            found.append(Block(path.name, name.strip(), " ".join(words), sql))
    return found


def fresh(package: Path) -> apsw.Connection:
    """Make a database in memory with the schema of today."""
    connection = apsw.Connection(":memory:")
    connection.execute((package / "storage" / "sql" / "schema.sql").read_text("utf-8"))
    return connection


def shape(connection: apsw.Connection) -> dict[str, str]:
    """Describe what a database holds: each table and index, with white space and comments put aside."""
    rows = connection.execute("select type || ' ' || name, coalesce(sql, '') from sqlite_schema")
    return {name: " ".join(re.sub(r"--.*", "", sql).split()) for name, sql in rows}


def prepare(connection: apsw.Connection, sql: str) -> None:
    """Compile a statement and do not run it. Raises apsw.SQLError where it does not compile."""
    cursor = connection.cursor()
    cursor.exec_trace = lambda *_: False
    with pytest.raises(apsw.ExecTraceAbort):
        cursor.execute(sql, {}, can_cache=False)


def test_no_statement_stands_outside_the_sql_files(sources: tuple[Any, ...]) -> None:
    found = {
        (source.name, node.lineno)
        for source in sources
        for node in literals(source.tree)
        if STATEMENT.match(str(node.value))
    }
    assert found == set()


@pytest.mark.parametrize(
    "text",
    ["select a from b", "INSERT INTO t (a) VALUES (1)", "delete from t where a = 1", "create table t (a)"],
)
def test_the_law_knows_a_statement_when_it_sees_one(text: str) -> None:
    assert STATEMENT.match(text)


@pytest.mark.parametrize("text", ["select a bank", "update the memory", "delete from the bank what is old"])
def test_the_law_lets_prose_through(text: str) -> None:
    assert not STATEMENT.match(text)


def test_each_statement_has_a_name_of_its_own(package: Path) -> None:
    names = [(block.file, block.name) for block in blocks(package)]
    assert len(names) == len(set(names)) > 0
    assert [name for _, name in names if not re.fullmatch(r"[a-z][a-z0-9_]*", name)] == []


def test_each_statement_is_described_in_one_sentence(package: Path) -> None:
    wrong = [block.name for block in blocks(package) if not re.fullmatch(r"[A-Z`][^.]*(?:\.\w[^.]*)*\.", block.words)]
    assert wrong == []


def test_each_statement_is_understood_by_sqlite(package: Path) -> None:
    connection = fresh(package)
    for block in blocks(package):
        prepare(connection, block.sql)


def test_each_parameter_is_a_named_one(package: Path) -> None:
    strings = re.compile(r"'[^']*'")
    assert [block.name for block in blocks(package) if "?" in strings.sub("", block.sql)] == []


def test_each_statement_on_a_table_names_the_bank_or_the_row(package: Path) -> None:
    tables = re.compile(
        r"\b(?:from|into|update|join)\s+(?:memory|occurrence|event|tombstone|meta|lease|recalled)\b", re.I
    )
    loose = [
        block.name
        for block in blocks(package)
        if tables.search(block.sql) and not re.search(r":bank\b|:rowkey\b|\bbank\b", block.sql)
    ]
    assert loose == []


def test_a_fresh_schema_equals_all_migrations_applied(package: Path) -> None:
    migrated = apsw.Connection(":memory:")
    steps = sorted((package / "storage" / "migrations").glob("*.sql"))
    assert [step.name[:4] for step in steps] == [f"{number:04}" for number in range(1, len(steps) + 1)]
    for step in steps:
        migrated.execute(step.read_text("utf-8"))
    assert shape(migrated) == shape(fresh(package))
