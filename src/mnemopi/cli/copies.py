"""Commands for whole copies: backup, backups, restore."""

from __future__ import annotations

from pathlib import Path

import click

from mnemopi.cli import opening, output
from mnemopi.cli.everywhere import asked, command
from mnemopi.cli.failures import NothingDone
from mnemopi.maintenance import backup as copies
from mnemopi.model.interval import iso


@command("backup", examples=("mnemopi backup", "mnemopi --bank work backup --to /mnt/backups"))
@click.option("--to", "folder", metavar="DIR", help="Folder of the copy [default: the one of the settings].")
def backup(context: click.Context, folder: str | None) -> None:
    """Copy a bank while it is in use.

    The copy is checked before it counts; of each bank the newest are kept.
    """
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        made = memory.backup(folder)
        if wanted.json:
            output.document(made.as_dict())
        else:
            output.lines(str(made.path) if wanted.quiet else f"Backed up: {made.path}")


@command("backups", examples=("mnemopi backups", "mnemopi backups --json | jq -r '.backups[0].path'"))
@click.option("--from", "folder", metavar="DIR", help="Folder to look into [default: the one of the settings].")
def backups(context: click.Context, folder: str | None) -> None:
    """List the backups.

    Of all banks, the newest first.
    """
    wanted = asked(context)
    found = copies.listed(Path(folder) if folder else opening.config(wanted).backup_dir)
    if wanted.json:
        output.document({"count": len(found), "backups": [copy.as_dict() for copy in found]})
        return
    rows = [(iso(copy.created_at), copy.bank, f"{copy.memories:,}", f"{copy.size:,}", str(copy.path)) for copy in found]
    output.table(("Made", "Bank", "Memories", "Bytes", "File"), rows, quiet=wanted.quiet)


@command(
    "restore",
    examples=("mnemopi restore ~/backups/default-20260302T091500000Z.db", "mnemopi restore FILE --yes"),
)
@click.argument("file", type=click.Path())
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
def restore(context: click.Context, file: str, yes: bool) -> None:
    """Put a backup in the place of a bank.

    What it replaces is kept beside it. Refused while anybody else has the bank open.
    """
    wanted = asked(context)
    with opening.engine(wanted, makes=True) as memory:
        if not output.confirm(wanted, f"Replace bank {memory.bank.name} by {file}?", yes=yes):
            raise NothingDone("nothing was replaced")
        done = memory.restore(file)
        if wanted.json:
            output.document(done.as_dict())
        elif not wanted.quiet:
            output.lines(f"Restored: {done.memories:,} memories in {done.path}", f"  what they replaced: {done.kept}")
            if done.forgotten:
                output.lines(f"  left out, since they were erased after the backup: {done.forgotten:,}")
