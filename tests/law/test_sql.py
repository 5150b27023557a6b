"""SQL lives in SQL files: named, described, and understood by the engine it is for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import apsw.ext
import pytest

from mnemopi.storage import queries

STATEMENTS = queries.sqlite().named | queries.agent().named
OF_BANKS = queries.sqlite().named

STATEMENT = re.compile(
    r"""\s*(?:
        select\s.+\sfrom\s | insert\s+(?:or\s+\w+\s+)?into\s+\w+\s*[(\s] | replace\s+into\s | update\s+\w+\s+set\s
      | delete\s+from\s+\w+(?:\s+where\s|\s*;?\s*$) | with\s+\w+(?:\s*\([^)]*\))?\s+as\s*\(
      | create\s+(?:unique\s+|virtual\s+|temp\s+)*(?:table|index|view|trigger)\s | alter\s+table\s
      | drop\s+(?:table|index|view|trigger)\s
    )""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)


def literals(tree: ast.Module) -> Iterator[ast.Constant]:
    """Yield the string literals of a module that are not docstrings."""
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node


def declared(package: Path) -> Iterator[tuple[str, str, str]]:
    """Yield (kind, name, first line of what follows) of each block of the SQL files."""
    for path in sorted((package / "storage" / "sql").glob("*.sql")):
        for found in re.finditer(r"^-- *(name|fragment): *(.*)\n(.*)", path.read_text("utf-8"), re.MULTILINE):
            yield found[1], found[2], found[3]


@pytest.fixture(scope="module")
def agents(package: Path) -> apsw.Connection:
    """A database in memory with the schema of the agent layer's file."""
    connection = apsw.Connection(":memory:")
    connection.execute((package / "storage" / "sql" / "agent_schema.sql").read_text("utf-8"))
    return connection


@pytest.fixture(scope="module")
def fresh(package: Path) -> apsw.Connection:
    """A database in memory with the schema of today."""
    connection = apsw.Connection(":memory:")
    connection.execute((package / "storage" / "sql" / "schema.sql").read_text("utf-8"))
    return connection


def shape(connection: apsw.Connection) -> dict[str, str]:
    """Describe an empty database: each table and index, white space and comments put aside, and the search options."""
    rows = connection.execute("select type || ' ' || name, coalesce(sql, '') from sqlite_schema")
    made = {name: " ".join(re.sub(r"--.*", "", sql).split()) for name, sql in rows}
    return made | {
        f"search option {name}": str(value) for name, value in connection.execute("select * from search_config")
    }


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
    names = [name for _, name, _ in declared(package)]
    assert sorted(names) == sorted(set(names))
    assert [name for name in names if not re.fullmatch(r"[a-z][a-z0-9_]*", name)] == []
    assert set(STATEMENTS) == {name for kind, name, _ in declared(package) if kind == "name"}


@pytest.mark.parametrize("name", STATEMENTS)
def test_each_statement_is_described_in_one_sentence(name: str) -> None:
    sentence, sql = STATEMENTS[name]
    assert re.fullmatch(r"[A-Z`][^.]*(?:\.\w[^.]*)*\.", sentence)
    assert not sql.startswith("--")


@pytest.mark.parametrize("name", STATEMENTS)
def test_each_statement_is_understood_by_sqlite(name: str, fresh: apsw.Connection, agents: apsw.Connection) -> None:
    database = fresh if name in OF_BANKS else agents
    assert apsw.ext.query_info(database, STATEMENTS[name].sql).query_remaining is None


@pytest.mark.parametrize("name", STATEMENTS)
def test_each_parameter_has_a_name(name: str, fresh: apsw.Connection, agents: apsw.Connection) -> None:
    database = fresh if name in OF_BANKS else agents
    assert None not in apsw.ext.query_info(database, STATEMENTS[name].sql).bindings_names


def test_every_statement_is_used(sources: tuple[Any, ...]) -> None:
    nodes = [node for source in sources for node in ast.walk(source.tree)]
    used = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    used |= {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert [name for name in STATEMENTS if name not in used] == []


def test_a_fresh_schema_equals_all_migrations_applied(package: Path, fresh: apsw.Connection) -> None:
    migrated = apsw.Connection(":memory:")
    steps = sorted((package / "storage" / "migrations").glob("*.sql"))
    assert [step.name[:4] for step in steps] == [f"{number:04}" for number in range(1, len(steps) + 1)]
    for step in steps:
        migrated.execute(step.read_text("utf-8"))
    assert shape(migrated) == shape(fresh)
