"""The command that serves agents over standard input and output."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from mnemopi.cli import lending, opening
from mnemopi.cli.everywhere import Asked, asked, command
from mnemopi.config import Config
from mnemopi.errors import DaemonError, UsageError
from mnemopi.mcp import stdio
from mnemopi.model.session import SessionRef

AGENT: Final = "agent"
"""The set of tools of a session, whatever backend keeps its memory."""
_HOST: Final = "mcp"


@command(
    "mcp",
    examples=(
        "mnemopi mcp",
        "mnemopi --bank work mcp --tools core",
        "mnemopi mcp --tools remember,recall,get",
        "mnemopi mcp --tools agent",
    ),
)
@click.option("--tools", metavar="SET", help="full, core, agent, or names separated by commas [default: full].")
@click.option("--cwd", metavar="FOLDER", help="With --tools agent: the folder that the session works in [default: .].")
@click.option("--host", metavar="NAME", help=f"With --tools agent: the program that runs it [default: {_HOST}].")
def mcp(context: click.Context, tools: str | None, cwd: str | None, host: str | None) -> None:
    """Serve an agent over standard input and output.

    The Model Context Protocol, a JSON message a line. The bank is opened by the first call that needs it; the session
    is `mcp_` and the bank's name unless --session or MNEMOPI_SESSION_ID names one. Ends with its input.

    `agent` serves the memory of the session's project as the setting memory.backend says: what that can do is offered.
    """
    wanted = asked(context)
    if wanted.json or wanted.quiet:
        raise UsageError("--json and --quiet say nothing here: the protocol decides what is printed")
    settings = opening.config(wanted)
    chosen = tools or settings.mcp.tools
    if chosen.strip() == AGENT:
        _serve_session(wanted, settings, cwd or ".", host or _HOST)
        return
    if cwd is not None or host is not None:
        raise UsageError("--cwd and --host are those of a session", hint="`--tools agent` serves one")
    bank = None if wanted.bank is None else opening.bank_name(wanted, settings)
    call = lending.current()
    if call is not None:  # the resident process serves this agent
        from mnemopi.daemon import work  # noqa: PLC0415

        call.agent = work.Agent(settings, wanted.db, bank, chosen)
        return
    stdio.serve(settings, wanted.db, bank, chosen)


def _serve_session(wanted: Asked, settings: Config, folder: str, host: str) -> None:
    if wanted.bank is not None:
        raise UsageError("a session has the banks of its project", hint="the setting mnemopi.scoping says which")
    if lending.current() is not None:
        raise lending.refused(DaemonError("a session has a process of its own", hint="this is no command to run here"))
    path = Path(folder).expanduser()
    if not path.is_dir():
        raise UsageError(f"{folder!r:.200} is no folder", hint="name the folder that the session works in")
    named = "identity.session_id" in settings.origins
    ref = SessionRef(host, settings.identity.session_id if named else _HOST, str(path.resolve()))
    stdio.serve_session(settings, wanted.db, ref)
