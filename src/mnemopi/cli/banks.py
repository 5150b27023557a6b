"""The command `bank`: whole banks by name."""

from __future__ import annotations

import click

from mnemopi.cli import opening, output
from mnemopi.cli.everywhere import Group, asked
from mnemopi.cli.failures import NothingDone


@click.group(
    "bank",
    cls=Group,
    examples=("mnemopi bank list", "mnemopi bank create work", "mnemopi bank rename work office"),
)
def bank() -> None:
    """List, create, rename and delete banks."""


@bank.command("list", examples=("mnemopi bank list --json",))
@click.pass_context
def list_banks(context: click.Context) -> None:
    """List the banks, the default one first."""
    wanted = asked(context)
    settings = opening.config(wanted)
    names, current = opening.bank_list(wanted, settings).list(), opening.bank_name(wanted, settings)
    if wanted.json:
        output.document({"banks": names, "current": current})
    elif wanted.quiet:
        output.lines(*names)
    else:
        output.lines("Banks:", *(f"  - {name}{' (current)' if name == current else ''}" for name in names))


@bank.command("create", examples=("mnemopi bank create work",))
@click.argument("name")
@click.pass_context
def create(context: click.Context, name: str) -> None:
    """Make an empty bank."""
    wanted = asked(context)
    path = opening.bank_list(wanted, opening.config(wanted)).create(name)
    if wanted.json:
        output.document({"bank": name, "database": str(path)})
    elif not wanted.quiet:
        output.lines(f"Created bank: {name}")


@bank.command("rename", examples=("mnemopi bank rename work office",))
@click.argument("old")
@click.argument("new")
@click.pass_context
def rename(context: click.Context, old: str, new: str) -> None:
    """Give a bank another name, while nobody has it open."""
    wanted = asked(context)
    opening.bank_list(wanted, opening.config(wanted)).rename(old, new)
    if wanted.json:
        output.document({"bank": new, "before": old})
    elif not wanted.quiet:
        output.lines(f"Renamed bank: {old} is now {new}")


@bank.command("delete", examples=("mnemopi bank delete work", "mnemopi bank delete work --yes"))
@click.argument("name")
@click.option("--yes", "-y", is_flag=True, help="Do not ask for the name to be typed.")
@click.pass_context
def delete(context: click.Context, name: str, yes: bool) -> None:
    """Delete a bank and all that it holds, for good."""
    wanted = asked(context)
    settings = opening.config(wanted)
    opening.banks(wanted, settings).check_apart(name)  # nobody is asked to agree to what cannot be
    if not output.confirm(wanted, f"All of bank {name} will be lost.", yes=yes, typed=name):
        raise NothingDone("nothing was deleted")
    opening.bank_list(wanted, settings).delete(name)
    if wanted.json:
        output.document({"bank": name, "deleted": True})
    elif not wanted.quiet:
        output.lines(f"Deleted bank: {name}")
