"""The command `token`: who may come in over HTTP."""

from __future__ import annotations

import click

from mnemopi.cli import opening, output
from mnemopi.cli.everywhere import Group, asked
from mnemopi.engine import system_clock


@click.group(
    "token",
    cls=Group,
    examples=(
        "mnemopi token create laptop",
        "mnemopi token create reader --only work --may read",
        "mnemopi token list",
        "mnemopi token revoke laptop",
    ),
)
def token() -> None:
    """Make, list and revoke tokens of the HTTP server."""


@token.command("create", examples=("mnemopi token create reader --only work --only home --may read",))
@click.argument("name")
@click.option("--only", metavar="BANK", multiple=True, help="See this bank only; given again, that one too.")
@click.option(
    "--may",
    type=click.Choice(["read", "add", "change", "destroy"]),
    default="destroy",
    show_default=True,
    help="What may be done at most.",
)
@click.pass_context
def create(context: click.Context, name: str, only: tuple[str, ...], may: str) -> None:
    """Make a token and print it: it is shown this once.

    Only its hash is kept. The first bank that --only names is the one of requests that name none.
    """
    from mnemopi.http.keys import Keys  # noqa: PLC0415

    wanted = asked(context)
    keys = Keys(opening.config(wanted).data_dir)
    made = keys.create(name, only, may, system_clock())  # type: ignore[arg-type]
    if wanted.json:
        output.document({"name": name, "token": made, "banks": list(only), "may": may})
        return
    output.lines(made)
    output.note(wanted, "Keep it: it is not shown again.")


@token.command("list", examples=("mnemopi token list --json",))
@click.pass_context
def list_tokens(context: click.Context) -> None:
    """List the named tokens, and where the owner's lies."""
    from mnemopi.http.keys import OWNER, Keys  # noqa: PLC0415

    wanted = asked(context)
    keys = Keys(opening.config(wanted).data_dir)
    known = [key.as_dict() for key in keys.named()]
    if wanted.json:
        output.document({"tokens": known, "owner_file": str(keys.owner_file)})
        return
    rows = [[OWNER, "all", "destroy", str(keys.owner_file)]] if keys.owner_file.exists() else []
    rows += [[key["name"], ", ".join(key["banks"]) or "all", key["may"], key["made_at"][:10]] for key in known]
    output.table(("Name", "Banks", "May", "Since"), rows, quiet=wanted.quiet)


@token.command("revoke", examples=("mnemopi token revoke laptop",))
@click.argument("name")
@click.pass_context
def revoke(context: click.Context, name: str) -> None:
    """Let a token open nothing any more; that of the owner is made anew by the next server."""
    from mnemopi.http.keys import Keys  # noqa: PLC0415

    wanted = asked(context)
    Keys(opening.config(wanted).data_dir).revoke(name)
    if wanted.json:
        output.document({"name": name, "revoked": True})
    elif not wanted.quiet:
        output.lines(f"Revoked token: {name}")
