"""The command `mnemopi`: a table of commands, of which only the one that is called is imported.

Help needs the table alone. Everything that goes wrong below ends here: this is the one broad handler of the face.
"""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import Any, Final, NoReturn

import click

from mnemopi.cli import everywhere, failures, output
from mnemopi.errors import UsageError
from mnemopi.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a command is: `module:attribute` below `mnemopi.cli`, its other names, and its short words."""

    place: str
    words: str
    aliases: tuple[str, ...] = ()


COMMANDS: Final = {
    "store": Entry("writing:store", "Store a memory.", ("remember",)),
    "recall": Entry("reading:recall", "Find memories, the best first.", ("search",)),
    "get": Entry("reading:get", "Show one memory whole."),
    "update": Entry("writing:update", "Replace the text or importance of a memory.", ("edit",)),
    "delete": Entry("writing:delete", "Erase memories for good.", ("forget",)),
    "invalidate": Entry("writing:invalidate", "Hide a memory from recall, and say what replaces it."),
    "context": Entry("reading:context", "Print a block of memories for a prompt."),
    "facts": Entry("facts:facts", "List, state, end, prefer and erase facts."),
    "related": Entry("graph:related", "Show the memories linked to one, the nearest first."),
    "path": Entry("graph:path", "Show the shortest way along links between two memories."),
    "link": Entry("graph:link", "Link one memory to another."),
    "unlink": Entry("graph:unlink", "Take the links between two memories away."),
    "annotations": Entry("graph:list_annotations", "Show what is said of a memory in a word or two."),
    "annotate": Entry("graph:annotate", "Say something of a memory in a word or two."),
    "entities": Entry("graph:entities", "List what memories mention."),
    "conflicts": Entry("facts:conflicts", "List contradictions that no rule settles."),
    "stats": Entry("upkeep:stats", "Count what is stored."),
    "export": Entry("moving:export", "Write a bank to a file of JSON lines."),
    "import": Entry("moving:take_in", "Take in an export, lines, or another system's memories."),
    "pin": Entry("validate:pin", "Make a memory part of `context` always."),
    "unpin": Entry("validate:unpin", "Make a memory part of `context` only where asked for."),
    "validate": Entry("validate:validate", "Vouch for a memory, correct it, hide it or erase it."),
    "contaminated": Entry("validate:contaminated", "List episodes and facts that rest on weak sources."),
    "history": Entry("journal:history", "Show what happened to a memory or fact."),
    "undo": Entry("journal:undo", "Take back the last change of a memory."),
    "events": Entry("journal:events", "Show what was done to the bank, in order."),
    "scratchpad": Entry("scratchpad:scratchpad", "Write, read and clear the working paper of a session.", ("sp",)),
    "surface": Entry("surface:surface", "Remember, find and list what all agents share."),
    "compact": Entry("journal:compact", "Make the file of a bank small again."),
    "sleep": Entry("sleep:sleep", "Sum up what waits in episodes that cite it.", ("consolidate",)),
    "health": Entry("sleep:health", "Say whether sleep runs, and what waits for it."),
    "settle": Entry("upkeep:settle", "Work off what waits for vectors or a language model."),
    "backup": Entry("copies:backup", "Copy a bank while it is in use."),
    "backups": Entry("copies:backups", "List the backups."),
    "restore": Entry("copies:restore", "Put a backup in the place of a bank."),
    "project": Entry("project:project", "Say which project a folder is, and what else is the same."),
    "memory": Entry("memory:memory", "See, search and clear the memory of agents' sessions."),
    "skills": Entry("skills:skills", "List, show and delete the skills that agents wrote."),
    "bank": Entry("banks:bank", "List, create, rename and delete banks."),
    "models": Entry("models:models", "List, fetch and check local models, which embed or rerank."),
    "diagnose": Entry("upkeep:diagnose", "Examine a bank, and say what is wrong.", ("doctor",)),
    "mcp": Entry("mcp:mcp", "Serve an agent over standard input and output."),
    "serve": Entry("serve:serve", "Serve agents and programs over HTTP."),
    "token": Entry("tokens:token", "Make, list and revoke tokens of the HTTP server."),
    "daemon": Entry("daemon:daemon", "Keep a process that holds banks and models ready."),
    "config": Entry("settings:config", "Show the settings in force, and where each came from."),
    "completion": Entry("completion:completion", "Print the completion script of a shell."),
    "help": Entry("completion:show_help", "Show the help of a command."),
}
_ALIASES: Final = {alias: name for name, entry in COMMANDS.items() for alias in entry.aliases}


class Program(everywhere.Group):
    """The whole command line."""

    def run(self, arguments: Sequence[str]) -> int:
        """Run one command and return its exit status."""
        return self._guarded(list(arguments), "mnemopi", {})

    def main(self, args: Any = None, prog_name: str | None = None, *_: Any, **extra: Any) -> NoReturn:
        """Run one command and exit, as click's own method of this name does."""
        extra.pop("standalone_mode", None)
        sys.exit(self._guarded(list(sys.argv[1:] if args is None else args), prog_name or "mnemopi", extra))

    def _guarded(self, arguments: list[str], name: str, extra: dict[str, Any]) -> int:
        _speak_utf8()
        try:
            status = super().main(arguments, name, standalone_mode=False, **extra)
            sys.stdout.flush()
            return status if isinstance(status, int) else 0
        except (click.Abort, KeyboardInterrupt):
            return failures.INTERRUPTED
        except BrokenPipeError:
            return failures.reader_gone()
        except Exception as error:  # noqa: BLE001 -- the face of people: one line instead of a trace
            return _shown(error, arguments)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a reader that went away is no error to talk about."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            return failures.reader_gone()

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order of the table."""
        return list(COMMANDS)

    def spellings(self, ctx: click.Context) -> list[str]:
        """Return the names and aliases of all commands."""
        return [*COMMANDS, *_ALIASES]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command by its name or alias."""
        entry = COMMANDS.get(_ALIASES.get(cmd_name, cmd_name))
        if entry is None:
            return None
        module, _, attribute = entry.place.partition(":")
        found: click.Command = getattr(importlib.import_module(f"mnemopi.cli.{module}"), attribute)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(", ".join((name, *entry.aliases)), entry.words) for name, entry in COMMANDS.items()])


def _shown(error: Exception, arguments: list[str]) -> int:
    try:
        status = failures.show(error, arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        return failures.reader_gone()
    except OSError:  # the disk that stdout goes to is full, say: Python would try again at its end, and complain
        failures.reader_gone()
        return failures.known(error).exit_code


def _speak_utf8() -> None:
    """Whatever the locale says: a memory is Unicode, and what cannot be written is no reason to fail."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115, PTH123
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")


def _show_version(context: click.Context) -> NoReturn:
    from importlib.metadata import version  # noqa: PLC0415 -- reads the file system

    told = version("mnemopi")
    if everywhere.asked(context).json:
        output.document({"version": told})
    else:
        output.lines(f"mnemopi {told}")
    context.exit()


@click.group(
    "mnemopi",
    cls=Program,
    invoke_without_command=True,
    context_settings={"max_content_width": 100},
    examples=(
        'mnemopi store "The staging database moves to Frankfurt on 3 March"',
        'mnemopi recall "where is the staging database?"',
        "mnemopi --bank work import conversation.jsonl",
    ),
)
@click.option("--version", is_flag=True, help="Show the version.")
@click.pass_context
def mnemopi(context: click.Context, version: bool) -> None:
    """Long-term memory for AI agents in one SQLite file."""
    if version:
        _show_version(context)
    if context.invoked_subcommand is None:
        if everywhere.asked(context).json:
            raise UsageError("no command is named", hint="`mnemopi --help` lists them")
        output.lines(context.get_help())
