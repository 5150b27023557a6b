"""Every command has help that is true: its words, its examples, and the table from which the program's help is made."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

import click
import pytest

from mnemopi.cli.app import COMMANDS, mnemopi
from mnemopi.cli.everywhere import Command, Group


def commands(
    path: tuple[str, ...] = (), group: click.Group = mnemopi
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield each command with the words that lead to it."""
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands((*path, name), command)


ALL = list(commands())
PARAMETERS = pytest.mark.parametrize(("path", "command"), ALL, ids=[" ".join(path) for path, _ in ALL])


@PARAMETERS
def test_help_shows_usage_examples_and_the_options_of_everywhere(
    path: tuple[str, ...], command: Any, call: Any
) -> None:
    done = call(*path, "--help")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("Usage: mnemopi " + " ".join(path))
    for part in ("\nExamples:\n", "\nOptions:\n", "\nEverywhere:\n", "--json"):
        assert part in done.out
    assert call(*path, "-h").out == done.out
    assert call("help", *path).out == done.out


@PARAMETERS
def test_each_example_is_a_call_that_the_command_takes(path: tuple[str, ...], command: Any) -> None:
    assert isinstance(command, Command | Group)
    calls = [found for line in command.examples for found in re.findall(r"(?:^|[|(] *)(mnemopi [^|)#>]*)", line)]
    assert calls
    for line in calls:
        context = mnemopi.make_context("mnemopi", shlex.split(line)[1:])
        assert context._protected_args or context.args
        words = [*context._protected_args, *context.args]
        group: click.Command = mnemopi
        while isinstance(group, click.Group) and words:
            name, found, words = group.resolve_command(context, words)
            assert found is not None
            context = found.make_context(name, words, parent=context)
            words = [*context._protected_args, *context.args]
            group = found


@PARAMETERS
def test_each_option_says_what_it_does(path: tuple[str, ...], command: click.Command) -> None:
    options = [option for option in command.params if isinstance(option, click.Option)]
    assert [option.name for option in options if not option.help] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_of_commands_says_what_the_command_says_of_itself(name: str) -> None:
    command = mnemopi.get_command(click.Context(mnemopi), name)
    assert command is not None and command.name == name
    assert (command.help or "").splitlines()[0] == COMMANDS[name].words


def test_every_name_and_alias_is_in_the_help_of_the_program(call: Any) -> None:
    shown = call("--help").out
    for name, entry in COMMANDS.items():
        assert re.search(rf"^  {', '.join((name, *entry.aliases))} +{re.escape(entry.words)}$", shown, re.MULTILINE)


def test_without_a_command_and_with_help_the_help_is_shown(call: Any) -> None:
    shown = call("--help").out
    assert call().out == call("help").out == call("-h").out == shown


def test_help_for_what_is_not_there_is_an_error(call: Any) -> None:
    assert call("help", "frobnicate").status == 2
    assert call("help", "recall", "more").status == 2


def test_without_a_command_json_is_an_error_in_json(call: Any) -> None:
    done = call("--json")
    assert (done.status, done.err) == (2, "")
    assert done.json["error"]["hint"] == "`mnemopi --help` lists them"


def test_the_version_is_told(call: Any) -> None:
    assert call("--version", "--json").json == call("--json", "--version").json
    assert call("--version").out == f"mnemopi {call('--version', '--json').json['version']}\n"
    assert re.fullmatch(r"mnemopi \d+\.\d+.*\n", call("--version").out)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["recal", "x"], "did you mean `recall`? `mnemopi --help` lists them"),
        (["serch", "x"], "did you mean `search`, `serve`? `mnemopi --help` lists them"),
        (["bank", "lst"], "did you mean `list`? `mnemopi bank --help` lists them"),
        (["memory", "serch"], "did you mean `search`? `mnemopi memory --help` lists them"),
        (["help", "recal"], "did you mean `recall`? `mnemopi --help` lists them"),
        (["frobnicate"], "`mnemopi --help` lists them"),
        (["recall", "billing", "port"], "words that belong together stand in quotes"),
        (["surface", "remember", "Mara", "likes", "tabs"], "words that belong together stand in quotes"),
        (["store", "x", "--metadata", "{a"], """such as '{"ticket": 42}'"""),
        (["history", "0123456789abcdef"], "`recall` shows ids"),
        (["get", "0123456789abcdef"], "`recall` shows ids"),
        (["bank", "create", "default"], "use it, or choose another name"),
        (["skills", "show", "nope"], "`mnemopi skills` lists them"),
        (["store", "x" * 300_000], "raise MNEMOPI_MAX_CONTENT_CHARS"),
    ],
)
def test_an_error_says_what_to_do_next(call: Any, arguments: list[str], hint: str) -> None:
    done = call(*arguments, "--json")
    assert done.status in (2, 3, 4)
    assert hint in done.json["error"]["hint"]


def test_a_name_that_is_too_long_is_no_reason_to_raise_a_limit(call: Any) -> None:
    error = call("store", "x", "--source", "s" * 300, "--json").json["error"]
    assert (error["message"], error["hint"]) == ("source has 300 characters, at most 200 are taken", "")


def test_a_line_that_is_no_json_is_shown_one_that_is(call: Any) -> None:
    error = call("import", "-", "--json", input='{"content": "x"}\n{bad\n').json["error"]
    assert error["message"].startswith("line 2: not JSON") and error["message"].endswith("; 0 are committed")
    assert error["hint"] == 'one JSON object a line, such as {"content": "..."}'
