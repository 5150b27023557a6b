"""Commands for a person's word on memories: validate, contaminated, pin, unpin."""

from __future__ import annotations

import click

from mnemopi.cli import opening, output, rendering
from mnemopi.cli.everywhere import asked, command
from mnemopi.cli.failures import NothingDone
from mnemopi.model.doubt import Contaminated
from mnemopi.model.memory import Erasure


@command(
    "validate",
    examples=(
        "mnemopi validate 4f2a... attest --by mara",
        'mnemopi validate 4f2a... update --by mara --content "The port is 5434" --reason "checked the host"',
        'mnemopi validate 4f2a... invalidate --by mara --reason "decommissioned"',
    ),
)
@click.argument("id")
@click.argument("action")
@click.option("--by", "validator", required=True, metavar="WHO", help="Whose word it is.")
@click.option("--reason", help="Why, for the history.")
@click.option("--content", help="The corrected text of an update.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask before erasing.")
def validate(
    context: click.Context,
    id: str,
    action: str,
    validator: str,
    reason: str | None,
    content: str | None,
    yes: bool,
) -> None:
    """Vouch for a memory, correct it, hide it or erase it.

    ACTION is attest, update, invalidate or delete. Who did it and why stands in the history.
    """
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        if action == "delete" and not output.confirm(wanted, f"Erase memory {id} for good?", yes=yes):
            raise NothingDone("nothing was erased")
        done = memory.validate(id, action, validator=validator, reason=reason, content=content)
        if isinstance(done, Erasure):
            rendering.erasures(wanted, [done])
        else:
            rendering.receipt(wanted, "Validated", done)


@command("contaminated", examples=("mnemopi contaminated", "mnemopi contaminated --min-importance 0.7 --json"))
@click.option("--limit", type=int, default=50, show_default=True, help="Most to show.")
@click.option("--min-importance", type=float, default=0.0, show_default=True, help="Least importance, 0 to 1.")
def contaminated(context: click.Context, limit: int, min_importance: float) -> None:
    """List episodes and facts that rest on weak sources.

    Weak is what a tool wrote, what was imported, inferred, contested or false, what no longer holds, and what was
    erased.
    """
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        found = memory.contaminated(limit, min_importance)
        if wanted.json:
            output.document({"count": len(found), "contaminated": [each.as_dict() for each in found]})
            return
        rows = [(each.id, each.kind, _doubts(each), output.shortened(each.content, 160)) for each in found]
        output.table(("ID", "Kind", "Rests on", "Content"), rows, prose=("Content",), quiet=wanted.quiet)


@command("pin", examples=("mnemopi pin 4f2a...",))
@click.argument("id")
def pin(context: click.Context, id: str) -> None:
    """Make a memory part of `context` always."""
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        rendering.receipt(wanted, "Pinned", memory.pin(id))


@command("unpin", examples=("mnemopi unpin 4f2a...",))
@click.argument("id")
def unpin(context: click.Context, id: str) -> None:
    """Make a memory part of `context` only where asked for."""
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        rendering.receipt(wanted, "Unpinned", memory.unpin(id))


def _doubts(found: Contaminated) -> str:
    return ", ".join(f"{doubt.source or 'nothing'} ({doubt.why})" for doubt in found.doubts)
