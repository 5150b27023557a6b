"""Commands over the journal: history, undo, events; and compact, which lets go of what it need not keep."""

from __future__ import annotations

import click

from mnemopi.cli import opening, output, rendering
from mnemopi.cli.everywhere import asked, command
from mnemopi.model.interval import iso


@command("history", examples=("mnemopi history 4f2a...", "mnemopi history 4f2a... --json | jq '.history[].verb'"))
@click.argument("id")
def history(context: click.Context, id: str) -> None:
    """Show what happened to a memory or fact.

    Who did what, when and why, the oldest first; of a forgotten memory, too.
    """
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        rendering.history(wanted, id, memory.history(id))


@command("undo", examples=("mnemopi undo 4f2a...", 'mnemopi undo 4f2a... --reason "wrong file"'))
@click.argument("id")
@click.option("--reason", help="Why, for the history.")
def undo(context: click.Context, id: str, reason: str | None) -> None:
    """Take back the last change of a memory.

    The version before it is in force again, as a new one; once more goes further back. What was only just stored is
    not undone but deleted, and what is deleted cannot come back.
    """
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        rendering.receipt(wanted, "Undone", memory.undo(id, reason=reason))


@command("events", examples=("mnemopi events --limit 20", "mnemopi events --after 8c1f...:42 --json"))
@click.option("--after", metavar="CURSOR", help="Only what came after this one.")
@click.option("--limit", type=int, default=100, show_default=True, help="Most events to show.")
def events(context: click.Context, after: str | None, limit: int) -> None:
    """Show what was done to the bank, in order."""
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        found = memory.events(after, limit)
        if wanted.json:
            output.document({"count": len(found), "events": [event.as_dict() for event in found]})
            return
        rows = [
            (iso(event.at), event.verb, event.memory or "", event.actor or "", event.reason or "", event.cursor)
            for event in found
        ]
        output.table(("When", "What", "ID", "Who", "Why", "Cursor"), rows, prose=("Why",), quiet=wanted.quiet)


@command("compact", examples=("mnemopi compact", "mnemopi compact --set journal.keep_days=365"))
def compact(context: click.Context) -> None:
    """Make the file of a bank small again.

    Unused room goes, vectors of former models, and events older than the journal is to keep. It works on a copy that
    takes the file's place when it has passed its check. Refused while anybody else has the bank open.
    """
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        done = memory.compact()
        if wanted.json:
            output.document(done.as_dict())
        elif wanted.quiet:
            output.lines(f"{done.bytes_before}\t{done.bytes_after}")
        else:
            output.lines(f"Compacted: {done.bytes_before:,} bytes are {done.bytes_after:,} now")
            dropped = {"events": done.events} | {f"vectors of {model}": count for model, count in done.vectors.items()}
            for what, count in dropped.items():
                if count:
                    output.lines(f"  dropped: {count:,} {what}")
