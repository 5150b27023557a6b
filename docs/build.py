"""Write the reference pages that are renderings of the code (`make docs`): settings, command line, tools, HTTP.

With `--check` nothing is written: exit status 1 where a page differs from the code. Prose pages are not made here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import Field
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from mnemopi import config
from mnemopi.cli import app
from mnemopi.http import openapi, table
from mnemopi.http.operation import JSON
from mnemopi.tools import catalog, offer
from mnemopi.tools.tool import Tool

REFERENCE = Path(__file__).resolve().parent / "reference"
WIDTH = 96

ABSENT = {
    "nothing behaves otherwise under test": "NODE_ENV BUN_ENV",
    "folders are the platform's, or MNEMOPI_DATA_DIR": "HOME",
}
"""What mnemopi does instead, by the names of the reference that ask for something else."""


def settings_page() -> str:
    """Render every setting, a table a group, then the names of the reference that have no effect."""
    lines = [
        "# Settings",
        "",
        "Each setting has a name in the environment and a name in the configuration file, `group.name`, where",
        "`group` is a TOML table. The first that is given counts: argument, environment, file, default.",
        "The file is `config.toml` in the platform's configuration folder, or the one that MNEMOPI_CONFIG names.",
        "`mnemopi config` shows the values in force and where each came from.",
        "",
    ]
    for group, members in groupby(config.settings(), key=lambda setting: setting[0].split(".")[0]):
        holder = type(getattr(config.Config(), group))
        lines += [f"## {group}", "", (holder.__doc__ or "").strip(), ""]
        lines += ["| file | environment | default | unit | what it does |", "|---|---|---|---|---|"]
        lines += [_row(name, told) for name, told in members]
        lines.append("")
    return "\n".join([*lines, *_other_names()]) + "\n"


def _row(name: str, told: Field[Any]) -> str:
    meta = told.metadata
    shown = f"`{str(told.default).lower() if isinstance(told.default, bool) else told.default}`"
    words = meta["help"] + (f" ({', '.join(f'`{choice}`' for choice in meta['choices'])})" if meta["choices"] else "")
    bounds = [
        f"{word} {meta[key]:g}" for key, word in (("least", "at least"), ("most", "at most")) if meta[key] is not None
    ]
    words += f"; {', '.join(bounds)}" if bounds else ""
    return f"| `{name}` | `{meta['env']}` | {shown if told.default != '' else ''} | {meta['unit']} | {words} |"


def _other_names() -> Iterator[str]:
    yield "## Names that have no effect"
    yield ""
    yield "Other programs of this kind read the names below. They do nothing here, and the reason is this:"
    yield ""
    yield "| name | instead |"
    yield "|---|---|"
    rows = config.REFUSED | {name: instead for instead, names in ABSENT.items() for name in names.split()}
    for name in sorted(rows):
        yield f"| `{name}` | {rows[name]} |"


def cli_page() -> str:
    """Render the help of every command, as the terminal shows it."""
    lines = ["# Command line", "", "The help of each command, as `--help` prints it.", ""]
    for context in _commands(app.mnemopi, None):
        lines += [f"## {context.command_path}", "", "```text", context.get_help().rstrip(), "```", ""]
    return "\n".join(lines)


def _commands(command: click.Command, parent: click.Context | None) -> Iterator[click.Context]:
    settings = command.context_settings | {"terminal_width": WIDTH}
    context = click.Context(command, parent=parent, info_name=command.name, **settings)
    yield context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            if found is not None and not found.hidden:
                yield from _commands(found, context)


def tools_page() -> str:
    """Render the catalog: each tool with its arguments and the keys of its answer."""
    core = ", ".join(f"`{tool.name}`" for tool in catalog.chosen("core"))
    lines = [
        "# Tools",
        "",
        "What an agent can do, whichever way it reaches mnemopi. An argument that is unknown or unusable is an error;",
        "an error has `code`, `message` and `hint`. What is recalled is data with its origin, not instructions.",
        "",
        f"The set `core` has {core}; the set `full` has all.",
        "",
    ]
    for tool in catalog.TOOLS:
        lines += _tool(tool)
    lines += [
        "# Tools of a session",
        "",
        "What `mnemopi mcp --tools agent` serves: the memory of an agent's session, whichever backend keeps it. It is",
        "offered what its backend can do: `retain`, `recall` and `reflect` with mnemopi and hindsight, `memory_edit`",
        "with mnemopi; where `autolearn.enabled` is set, `manage_skill` always and `learn` with what keeps lessons.",
        "`scope` can be given where projects share a bank.",
        "",
    ]
    for tool in offer.TOOLS:
        lines += _tool(tool)
    return "\n".join(lines).rstrip() + "\n"


def _tool(tool: Tool) -> list[str]:
    return [
        *(f"## {tool.name}", "", tool.words, "", f"Effect: {_effect(tool)}.", "", *_arguments(tool)),
        *(f"Answer: {', '.join(f'`{key}`' for key in tool.output.model_fields)}.", ""),
    ]


def _effect(tool: Tool) -> str:
    again = "; a second call with the same arguments changes nothing more" if tool.idempotent else ""
    effect = f"{tool.least} to {tool.effect}, by its arguments" if tool.least else tool.effect
    return effect + (again if tool.effect != "read" else "")


def _arguments(tool: Tool) -> list[str]:
    schema = tool.input_schema()
    if not schema.get("properties"):
        return ["It takes no arguments.", ""]
    lines = ["| argument | type | default | what it does |", "|---|---|---|---|"]
    for name, told in schema["properties"].items():
        kind = " or ".join(f"`{each}`" for each in told["enum"]) if "enum" in told else told.get("type", "")
        default = "required" if name in schema.get("required", ()) else ""
        if "default" in told:
            default = f"`{str(told['default']).lower() if isinstance(told['default'], bool) else told['default']}`"
        lines.append(f"| `{name}` | {kind} | {default} | {told.get('description', '')} |")
    return [*lines, ""]


def http_page() -> str:
    """Render the operations of the HTTP server by what they are about; tools have a page of their own."""
    lines = [
        "# HTTP",
        "",
        "What `mnemopi serve` answers, beside MCP at `/mcp`. `/api/v1/openapi.json` has the schemas of all bodies.",
        "Each tool is an operation too: `POST /api/v1/tools/<name>`, with its arguments as the body, and its answer",
        "([the tools](tools.md)). A token that may do less than an operation's effect is refused with 403.",
        "",
    ]
    for tag, members in groupby(sorted(table.REST, key=lambda each: each.tag), key=lambda each: each.tag):
        lines += [f"## {tag}", "", "| operation | effect | query | body | answer |", "|---|---|---|---|---|"]
        for each in members:
            query = ", ".join(f"`{name}`" for name in each.query.model_fields)
            body = "" if each.body is None else ", ".join(f"`{name}`" for name in each.body.model_fields)
            answer = each.answer if isinstance(each.answer, Mapping) else each.answer.model_fields
            told = f"{each.status}: {', '.join(f'`{name}`' for name in answer)}"
            words = f"`{each.method} {each.path}`<br>{each.words}"
            lines.append(f"| {words} | {each.effect} | {query} | {body or _lines(each.takes)} | {told} |")
        lines.append("")
    lines += ["## Errors", "", "| status | code | |", "|---|---|---|"]
    lines += [f"| {status} | `{code}` | {words} |" for status, code, words in openapi.refused()]
    return "\n".join(lines) + "\n"


def _lines(media: str) -> str:
    return "" if media == JSON else f"`{media}`"


def pages() -> dict[Path, str]:
    """Return the text of each generated page by its path."""
    return {
        REFERENCE / "settings.md": settings_page(),
        REFERENCE / "cli.md": cli_page(),
        REFERENCE / "tools.md": tools_page(),
        REFERENCE / "http.md": http_page(),
    }


def main(arguments: list[str]) -> int:
    """Write the pages, or with `--check` say which are stale."""
    stale = [(path, text) for path, text in pages().items() if not path.exists() or path.read_text("utf-8") != text]
    for path, text in stale:
        print(f"{'stale' if '--check' in arguments else 'written'}: {path.relative_to(REFERENCE.parent.parent)}")
        if "--check" not in arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
