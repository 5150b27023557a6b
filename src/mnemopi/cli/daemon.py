"""The command `daemon`: start, stop and see the resident process of a data folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mnemopi.cli import lending, opening, output
from mnemopi.cli.everywhere import Asked, Group, asked
from mnemopi.errors import DaemonError, UsageError

if TYPE_CHECKING:
    from mnemopi.config import Config


@click.group(
    "daemon",
    cls=Group,
    examples=("mnemopi daemon start", "mnemopi daemon status --json", "mnemopi daemon stop"),
)
def daemon() -> None:
    """Keep a process that holds banks and models ready.

    One per user and data folder. `mnemopi mcp`, `recall`, `store` and their like are then answered by it, with the same
    results; without it they do everything themselves.
    """


@daemon.command("start", examples=("mnemopi daemon start", "mnemopi daemon start --set daemon.idle_minutes=0"))
@click.pass_context
def start(context: click.Context) -> None:
    """Start it in the background, unless it runs.

    One of an older version is asked to finish, and replaced. What it has to say goes to `daemon.log` in the data
    folder.
    """
    from mnemopi.daemon import launch  # noqa: PLC0415

    wanted = asked(context)
    _, folder = _folder(wanted)
    found, new = launch.start(folder, _options(wanted))
    if wanted.json:
        output.document({"running": True, "started": new, **_told(found)})
    elif not wanted.quiet:
        output.lines(f"{'Started' if new else 'Runs already'}: process {found['pid']}")


@daemon.command("stop", examples=("mnemopi daemon stop", "mnemopi daemon stop --force"))
@click.option("--force", is_flag=True, help="End it by a signal where it does not end when asked.")
@click.pass_context
def stop(context: click.Context, force: bool) -> None:
    """Let it end what it is at, and end.

    Whoever is connected goes on in a process of its own.
    """
    from mnemopi.daemon import launch  # noqa: PLC0415

    wanted = asked(context)
    was = launch.stop(_folder(wanted)[1], force=force)
    if wanted.json:
        output.document({"running": False, "stopped": was})
    elif not wanted.quiet:
        output.lines("Stopped." if was else "None runs.")


@daemon.command("status", examples=("mnemopi daemon status", "mnemopi daemon status --json | jq .running"))
@click.pass_context
def status(context: click.Context) -> None:
    """Say whether it runs, and what it is at.

    Exits with 3 where it does not run.
    """
    from mnemopi.daemon import launch  # noqa: PLC0415

    wanted = asked(context)
    found = launch.ask(_folder(wanted)[1])
    if wanted.json:
        output.document({"running": bool(found), **_told(found)})
    elif found:
        output.pairs([(name.replace("_", " "), str(value)) for name, value in _told(found).items()])
    elif not wanted.quiet:
        output.lines("None runs.")
    if not found:
        context.exit(3)


@daemon.command("run", examples=("mnemopi daemon run", "mnemopi daemon run --set daemon.idle_minutes=0"))
@click.option("--log", "to_file", is_flag=True, help="Log to `daemon.log` in the data folder, not to standard error.")
@click.pass_context
def run(context: click.Context, to_file: bool) -> None:
    """Be it, in the foreground, for a supervisor such as systemd.

    Ends when nobody has needed it for a while, when asked to, on SIGTERM, and when its data folder goes away.
    """
    from mnemopi.cli import app  # noqa: PLC0415 -- it imports this
    from mnemopi.daemon import launch, lock, log, server  # noqa: PLC0415

    wanted = asked(context)
    settings, folder = _folder(wanted)
    held = lock.Lock(folder)
    try:
        log.to_file(folder) if to_file else log.to_stderr()
        idle = settings.daemon.idle_minutes * 60
        with lending.divided():
            server.Resident(folder, lending.Lender(app.mnemopi.run), idle=idle).run(held, launch.address(folder))
    finally:
        held.close()


def _folder(wanted: Asked) -> tuple[Config, Path]:
    """Return the settings, and the data folder that they name. Raises UsageError for what says nothing here."""
    from mnemopi.daemon import lock  # noqa: PLC0415

    if not lock.IS_POSSIBLE:
        raise DaemonError("this system has no resident process", hint="everything works without one")
    if wanted.bank is not None or wanted.session is not None or wanted.db is not None:
        raise UsageError("--bank, --session and --db say nothing here", hint="one process serves a whole data folder")
    settings = opening.config(wanted)
    return settings, settings.data_dir.absolute()


def _options(wanted: Asked) -> list[str]:
    given = [] if wanted.config_file is None else ["--config", str(Path(wanted.config_file).absolute())]
    for name, value in wanted.settings.items():
        given += ["--set", f"{name}={value}"]
    return given


def _told(found: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if name != "ok"}
