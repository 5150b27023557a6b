"""Options that every command takes, before or after its name, and the shape that every command has.

The innermost mention counts; `--set` adds up. A command's help shows them in a section of their own, after examples
that stand as they were written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Any, Final

import click

from mnemopi.errors import UsageError
from mnemopi.model.values import dataclass

_KEY: Final = "mnemopi.everywhere"
_EXAMPLES: Final = "examples"


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for besides the command itself. None: not given, so that settings decide."""

    bank: str | None = None
    session: str | None = None
    db: str | None = None
    json: bool = False
    quiet: bool = False
    no_embeddings: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)
    config_file: str | None = None
    debug: bool = False


def asked(context: click.Context) -> Asked:
    """Return the options given so far."""
    return Asked(**context.meta.get(_KEY, {}))


class Everywhere(click.Option):
    """An option of every command."""


class Command(click.Command):
    """A command with the options of everywhere and examples in its help."""

    def __init__(self, *arguments: Any, examples: Sequence[str] = (), **given: Any) -> None:
        super().__init__(*arguments, **{**given, "add_help_option": False})
        self.examples = tuple(examples)
        self.params += _options()

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, the command's own options, then those of every command."""
        _write_help(self, ctx, formatter, self.examples)


class Group(click.Group):
    """A group of commands with the same options and shape of help."""

    command_class = Command

    def __init__(self, *arguments: Any, examples: Sequence[str] = (), **given: Any) -> None:
        given.setdefault("no_args_is_help", False)
        given.setdefault("subcommand_metavar", "COMMAND [ARGS]...")
        super().__init__(*arguments, **{**given, "add_help_option": False})
        self.examples = tuple(examples)
        self.params += _options()

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command by its name; where there is none, say which are spelt like it."""
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            raise no_command(args[0], self.spellings(ctx), ctx.command_path)
        return super().resolve_command(ctx, args)

    def spellings(self, ctx: click.Context) -> list[str]:
        """Return all names that its commands have."""
        return self.list_commands(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, the examples, the group's own options, then those of every command."""
        self.format_commands(ctx, formatter)
        _write_help(self, ctx, formatter, self.examples)


class Verbs(Group):
    """A group with a verb that is meant where none is named (what is no verb is its argument), and other names."""

    def __init__(
        self, *arguments: Any, usual: str, aliases: Mapping[str, str] = MappingProxyType({}), **given: Any
    ) -> None:
        super().__init__(*arguments, **given)
        self.usual, self.aliases = usual, aliases

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put in the verb that was left out."""
        return super().parse_args(ctx, args if self._names_a_verb(ctx, args) else [self.usual, *args])

    def spellings(self, ctx: click.Context) -> list[str]:
        """Return all names of the verbs."""
        return [*self.list_commands(ctx), *self.aliases]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a verb by its name or another one."""
        return super().get_command(ctx, self.aliases.get(cmd_name, cmd_name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the verbs with their other names."""
        others = {name: [alias for alias, meant in self.aliases.items() if meant == name] for name in self.commands}
        rows = [
            (", ".join((name, *others[name])), each.get_short_help_str(200)) for name, each in self.commands.items()
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def _names_a_verb(self, context: click.Context, args: list[str]) -> bool:
        """Whether the first word that is neither an option of the group nor its value is a verb, or help is asked.

        Where the usual verb takes no words, any word is meant for a verb.
        """
        takes_words = any(isinstance(each, click.Argument) for each in self.commands[self.usual].params)
        own = {name: each for each in self.get_params(context) for name in each.opts if isinstance(each, click.Option)}
        words = iter(args)
        for word in words:
            name, sign, _ = word.partition("=")
            if not word.startswith("-"):
                return word in self.commands or word in self.aliases or not takes_words
            if name in ("-h", "--help"):
                return True
            if name not in own:
                return False
            if not own[name].is_flag and not sign:
                next(words, None)
        return False


def no_command(name: str, known: Sequence[str], path: str) -> UsageError:
    """Make the error of a command that is not there."""
    import difflib  # noqa: PLC0415 -- needed for nothing else

    near = difflib.get_close_matches(name, known, 3)
    told = f"did you mean {', '.join(f'`{each}`' for each in near)}? " if near else ""
    return UsageError(f"there is no command `{name[:60]}`", hint=f"{told}`{path} --help` lists them")


def command(name: str, **given: Any) -> Callable[[Callable[..., Any]], Command]:
    """Make a command of a function, which gets the click context first."""

    def made(function: Callable[..., Any]) -> Command:
        return click.command(name, cls=Command, **given)(click.pass_context(function))

    return made


def _options() -> list[click.Parameter]:
    def option(*names: str, **given: Any) -> Everywhere:
        return Everywhere(names, expose_value=False, callback=_keep, is_eager=True, **given)

    # In place of click's own, which loads translations to word itself, each time a command runs.
    helped = click.Option(
        ["-h", "--help"], is_flag=True, expose_value=False, callback=_show_help, is_eager=True, help="Show this help."
    )
    return [
        helped,
        option("--bank", metavar="NAME", help="Work on this bank."),
        option("--session", metavar="ID", help="The session that acts."),
        option("--db", metavar="FILE", help="File of the default bank; other banks lie beside it."),
        option("--json", is_flag=True, default=None, help="Print one JSON document and nothing else."),
        option(
            "--quiet",
            "-q",
            is_flag=True,
            default=None,
            help="Print bare results: no headings, notes or progress.",
        ),
        option("--no-embeddings", is_flag=True, default=None, help="Work without vectors."),
        option(
            "--set",
            "settings",
            metavar="GROUP.NAME=VALUE",
            multiple=True,
            help="Change a setting for this call.",
        ),
        option("--config", "config_file", metavar="FILE", help="Read this configuration file."),
        option("--debug", is_flag=True, default=None, help="Show the trace of an unexpected error."),
    ]


def _show_help(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        click.echo(context.get_help())
        context.exit()


def _keep(context: click.Context, option: click.Parameter, value: Any) -> None:
    if value is None or value == ():
        return
    kept = context.meta.setdefault(_KEY, {})
    name = option.name or ""
    if name == "settings":
        kept[name] = {**kept.get(name, {}), **dict(_pair(text) for text in value)}
    else:
        kept[name] = value


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise UsageError(f"--set takes GROUP.NAME=VALUE, not {text!r:.80}", hint="such as --set recall.dense=off")
    return name.strip(), value


def _write_help(
    told: click.Command, context: click.Context, formatter: click.HelpFormatter, examples: Sequence[str]
) -> None:
    if examples:
        with formatter.section("Examples"):
            formatter.write("".join(f"{'':>{formatter.current_indent}}{line}\n" for line in examples))
    own: list[tuple[str, str]] = []
    shared: list[tuple[str, str]] = []
    for parameter in told.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and not isinstance(parameter, click.Argument):
            (shared if isinstance(parameter, Everywhere) else own).append(record)
    for heading, rows in (("Options", own), ("Everywhere", shared)):
        if rows:
            with formatter.section(heading):
                formatter.write_dl(rows)
