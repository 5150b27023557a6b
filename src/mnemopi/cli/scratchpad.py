"""The command `scratchpad`: the working paper of the session that acts."""

from __future__ import annotations

from typing import Final

import click

from mnemopi.cli import incoming, opening, output
from mnemopi.cli.everywhere import Group, asked
from mnemopi.cli.failures import NothingDone
from mnemopi.model.interval import iso

_MANY: Final = 20
"""From more notes than these on, clearing wants to be confirmed."""


@click.group(
    "scratchpad",
    cls=Group,
    examples=(
        'mnemopi scratchpad write "tried the old key: refused"',
        "mnemopi --session deploy-7 sp read",
        "mnemopi sp clear --yes",
    ),
)
def scratchpad() -> None:
    """Write, read and clear the working paper of a session.

    What stands there is no memory: recall does not find it, and only its own session sees it.
    """


@scratchpad.command(
    "write", examples=('mnemopi scratchpad write "next: the migration"', "make 2>&1 | mnemopi sp write -")
)
@click.argument("content")
@click.pass_context
def write(context: click.Context, content: str) -> None:
    """Note something down.

    CONTENT is the text, or - for standard input.
    """
    wanted = asked(context)
    text = incoming.text(content)
    with opening.engine(wanted, makes=True) as memory:
        receipt = memory.scratchpad.write(text)
        if wanted.json:
            output.document(receipt.as_dict())
        elif wanted.quiet:
            output.lines(receipt.id)
        else:
            redacted = [f"  redacted: {number} {kind}" for kind, number in sorted(receipt.redacted.items())]
            output.lines(f"Scratchpad stored: {receipt.id}", *redacted)


@scratchpad.command("read", examples=("mnemopi scratchpad read", "mnemopi sp read --limit 5"))
@click.option("--limit", type=int, help="Most notes to show [default: MNEMOPI_SP_MAX].")
@click.pass_context
def read(context: click.Context, limit: int | None) -> None:
    """Show the notes, the newest first."""
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        notes = memory.scratchpad.read(limit)
        if wanted.json:
            output.document({"count": len(notes), "notes": [note.as_dict() for note in notes]})
        elif wanted.quiet:
            for note in notes:
                output.lines(note.content)
        elif not notes:
            output.lines("The scratchpad is empty.")
        else:
            for note in notes:
                content = note.content.replace("\n", "\n    ")
                output.lines(f"  ID: {note.id}", f"  When: {iso(note.updated_at)}", f"  Content: {content}", "")


@scratchpad.command("clear", examples=("mnemopi scratchpad clear", "mnemopi sp clear --yes"))
@click.option("--yes", "-y", is_flag=True, help="Do not ask, however many notes there are.")
@click.pass_context
def clear(context: click.Context, yes: bool) -> None:
    """Erase the notes of the session.

    More than 20 want to be confirmed.
    """
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        count = memory.scratchpad.count()
        if count > _MANY and not output.confirm(wanted, f"Erase {count:,} notes for good?", yes=yes):
            raise NothingDone("nothing was erased")
        cleared = memory.scratchpad.clear()
        if wanted.json:
            output.document({"status": "cleared", "count": cleared})
        elif not wanted.quiet:
            output.lines(f"Scratchpad cleared: {cleared:,} notes")
