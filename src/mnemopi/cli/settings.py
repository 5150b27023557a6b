"""The command `config`: the settings in force, where each came from, and names that have no effect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mnemopi import config as settings
from mnemopi.cli import opening, output
from mnemopi.cli.everywhere import Asked, Group, asked


@click.group(
    "config",
    cls=Group,
    invoke_without_command=True,
    examples=("mnemopi config", "mnemopi config path", "mnemopi --set recall.dense=off config --json"),
)
@click.pass_context
def config(context: click.Context) -> None:
    """Show the settings in force, and where each came from."""
    if context.invoked_subcommand is None:
        _show(asked(context))


@config.command("list", examples=("mnemopi config list",))
@click.pass_context
def list_settings(context: click.Context) -> None:
    """List every setting: name, value, origin and name in the environment. Secrets show as `***`."""
    _show(asked(context))


@config.command("path", examples=("mnemopi config path",))
@click.pass_context
def path(context: click.Context) -> None:
    """Print the path of the configuration file, whether or not it exists."""
    wanted = asked(context)
    file = _file(wanted)
    if wanted.json:
        output.document({"file": _name(file), "exists": file is not None and settings.is_there(file)})
    elif file is None:
        output.note(wanted, "There is none: neither is your home folder known, nor does MNEMOPI_CONFIG name a file.")
    else:
        output.lines(str(file))


def _show(wanted: Asked) -> None:
    described = list(opening.config(wanted).described())
    refused = settings.refused_in()
    if wanted.json:
        rows = [_row(*one) for one in described]
        output.document({"settings": rows, "file": _name(_file(wanted)), "refused": refused})
        return
    shown = [(name, _text(value), origin, told.metadata["env"]) for name, told, value, origin in described]
    output.table(("Setting", "Value", "Origin", "Environment"), shown, prose=("Value",), quiet=wanted.quiet)
    for name, why in refused.items():
        output.note(wanted, f"{name} is set and has no effect: {why}")


def _row(name: str, told: Any, value: Any, origin: str) -> dict[str, Any]:
    return {"name": name, "value": value, "origin": origin, "environment": told.metadata["env"]}


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _name(file: Path | None) -> str | None:
    return None if file is None else str(file)


def _file(wanted: Asked) -> Path | None:
    return Path(wanted.config_file) if wanted.config_file else settings.config_file()
