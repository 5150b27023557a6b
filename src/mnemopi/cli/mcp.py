"""The command that serves agents over standard input and output."""

from __future__ import annotations

import click

from mnemopi.cli import lending, opening
from mnemopi.cli.everywhere import asked, command
from mnemopi.errors import UsageError
from mnemopi.mcp import stdio


@command(
    "mcp",
    examples=(
        "mnemopi mcp",
        "mnemopi --bank work mcp --tools core",
        "mnemopi mcp --tools remember,recall,get",
    ),
)
@click.option("--tools", metavar="SET", help="full, core, or names separated by commas [default: full].")
def mcp(context: click.Context, tools: str | None) -> None:
    """Serve an agent over standard input and output.

    The Model Context Protocol, a JSON message a line. The bank is opened by the first call that needs it; the session
    is `mcp_` and the bank's name unless --session or MNEMOPI_SESSION_ID names one. Ends with its input.
    """
    wanted = asked(context)
    if wanted.json or wanted.quiet:
        raise UsageError("--json and --quiet say nothing here: the protocol decides what is printed")
    settings = opening.config(wanted)
    bank = None if wanted.bank is None else opening.bank_name(wanted, settings)
    call = lending.current()
    if call is not None:  # the resident process serves this agent
        from mnemopi.daemon import work  # noqa: PLC0415

        call.agent = work.Agent(settings, wanted.db, bank, tools or settings.mcp.tools)
        return
    stdio.serve(settings, wanted.db, bank, tools or settings.mcp.tools)
