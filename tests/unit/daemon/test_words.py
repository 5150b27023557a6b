"""Which command a command line holds: as the real parser sees it, or not at all."""

from __future__ import annotations

import click
import pytest

from mnemopi.cli import app
from mnemopi.cli.everywhere import Everywhere, _options
from mnemopi.daemon import words
from mnemopi.tools import catalog


def test_the_listed_commands_are_there() -> None:
    known = {*app.COMMANDS, *(alias for entry in app.COMMANDS.values() for alias in entry.aliases)}
    assert known >= words.READS | words.WRITES | words.ALONE | {"mcp"}
    assert not words.READS & words.WRITES


def test_aliases_go_the_same_way() -> None:
    for name, entry in app.COMMANDS.items():
        for kind in (words.READS, words.WRITES):
            assert (name in kind) == all(alias in kind for alias in entry.aliases) or not entry.aliases


def test_the_options_of_everywhere_are_those_of_the_parser() -> None:
    given = [option for option in _options() if isinstance(option, Everywhere)]
    assert set(words.WITH_VALUE) == {name for option in given if not option.is_flag for name in option.opts}
    flags = {name for option in given if option.is_flag for name in option.opts}
    assert flags == set(words.FLAGS) | {"--debug"}


def test_the_tools_that_may_be_called_again_are_those_that_read() -> None:
    assert {tool.name for tool in catalog.TOOLS if tool.effect == "read"} == words.TOOLS_THAT_READ


@pytest.mark.parametrize("name", sorted(words.READS | words.WRITES))
def test_no_command_that_is_sent_on_asks_or_reads_a_file(name: str) -> None:
    found = app.mnemopi.get_command(click.Context(app.mnemopi), name)
    assert found is not None
    assert not isinstance(found, click.Group)
    kinds = {type(parameter.type) for parameter in found.params}
    assert not kinds & {click.Path, click.File}
    assert "--yes" not in {option for parameter in found.params for option in parameter.opts}


@pytest.mark.parametrize(
    ("argv", "name"),
    [
        ([], ""),
        (["recall", "x"], "recall"),
        (["--bank", "recall", "store", "x"], "store"),
        (["--bank=work", "--json", "-q", "get", "x"], "get"),
        (["--set", "a.b=c", "--db", "f", "--session", "s", "mcp"], "mcp"),
        (["--unknown", "recall"], ""),
        (["--version"], ""),
        (["--bank"], ""),
        (["--", "recall"], ""),
        (["-qh", "recall"], ""),
    ],
)
def test_the_command_is_the_first_word_that_is_no_option(argv: list[str], name: str) -> None:
    assert words.command(argv) == name


@pytest.mark.parametrize(
    ("argv", "home"),
    [
        (["recall", "x"], False),
        (["recall", "x", "--help"], True),
        (["store", "-"], True),
        (["store", "x", "--debug"], True),
        (["recall", "x", "--set", "daemon.use=off"], True),
        (["recall", "x", "--set=storage.data_dir=/x"], True),
        (["recall", "x", "--set", "recall.dense=off"], False),
    ],
)
def test_what_is_for_this_process_alone_stays_here(argv: list[str], home: bool) -> None:
    assert words.is_at_home(argv) is home


@pytest.mark.parametrize(
    ("argv", "alone"),
    [
        (["compact"], True),
        (["restore", "x"], True),
        (["bank", "list"], False),
        (["bank", "delete", "x"], True),
        (["memory", "view"], False),
        (["memory", "clear", "--yes"], True),
        (["memory", "undo"], True),
        (["recall", "delete"], False),
    ],
)
def test_only_what_wants_a_bank_for_itself_has_it_let_go_of(argv: list[str], alone: bool) -> None:
    assert words.is_alone(argv[0], argv) is alone


@pytest.mark.parametrize(
    ("argv", "again"),
    [
        (["recall", "x"], True),
        (["pin", "x"], True),
        (["store", "x"], False),
        (["store", "x", "--external-id", "7"], True),
        (["remember", "x", "--external-id=7"], True),
        (["update", "x", "y", "--external-id", "7"], False),
    ],
)
def test_only_what_is_the_same_when_done_twice_is_done_twice(argv: list[str], again: bool) -> None:
    assert words.may_repeat(argv[0], argv) is again
