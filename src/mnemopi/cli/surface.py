"""The command `surface`: what all agents of a person share, in a bank of its own."""

from __future__ import annotations

import click

from mnemopi.cli import opening, output, rendering
from mnemopi.cli.everywhere import Group, asked
from mnemopi.cli.failures import NothingDone
from mnemopi.cli.reading import show_hits
from mnemopi.doors.surface import KINDS
from mnemopi.model.interval import iso

_KIND_HELP = f"What it is: {', '.join(KINDS)}"


@click.group(
    "surface",
    cls=Group,
    examples=(
        'mnemopi surface remember "Mara wants answers in German" --kind preference',
        'mnemopi surface recall "which language?"',
        "mnemopi surface list --kind correction",
    ),
)
def surface() -> None:
    """Remember, find and list what all agents share.

    It is the bank `surface`, or the file that MNEMOPI_SHARED_SURFACE_DB names.
    """


@surface.command("remember", examples=('mnemopi surface remember "The user is called Mara" --kind identity',))
@click.argument("content")
@click.option("--kind", default="meta", show_default=True, help=f"{_KIND_HELP}.")
@click.option("--importance", type=float, default=0.5, show_default=True, help="From 0 to 1, clamped to that.")
@click.pass_context
def remember(context: click.Context, content: str, kind: str, importance: float) -> None:
    """Put something on the surface."""
    wanted = asked(context)
    with opening.surface(wanted) as memory:
        rendering.receipt(wanted, "Stored", memory.surface.remember(content, kind, importance=importance, source="cli"))


@surface.command("recall", examples=('mnemopi surface recall "how should I write?" 3 --kind preference',))
@click.argument("query")
@click.argument("top_k", required=False, type=int, default=5)
@click.option("--kind", help=f"Only this: {', '.join(KINDS)}.")
@click.pass_context
def recall(context: click.Context, query: str, top_k: int, kind: str | None) -> None:
    """Find what is on the surface, the best first."""
    wanted = asked(context)
    with opening.surface(wanted) as memory:
        show_hits(wanted, memory.surface.recall(query, top_k, kind=kind), explain=False, full=False)


@surface.command("list", examples=("mnemopi surface list", "mnemopi surface list --kind preference --json"))
@click.option("--kind", help=f"Only this: {', '.join(KINDS)}.")
@click.option("--limit", type=int, default=50, show_default=True, help="Most to show.")
@click.pass_context
def list_all(context: click.Context, kind: str | None, limit: int) -> None:
    """List what is on the surface, the latest first."""
    wanted = asked(context)
    with opening.surface(wanted) as memory:
        found = memory.surface.list(kind, limit)
        if wanted.json:
            output.document({"count": len(found), "memories": [rendering.document_of(each) for each in found]})
            return
        rows = [(each.id, each.memory_type, iso(each.timestamp), output.shortened(each.content, 200)) for each in found]
        output.table(("ID", "Kind", "When", "Content"), rows, prose=("Content",), quiet=wanted.quiet)


@surface.command("forget", examples=("mnemopi surface forget 4f2a... --yes",))
@click.argument("id")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.pass_context
def forget(context: click.Context, id: str, yes: bool) -> None:
    """Erase something from the surface for good."""
    wanted = asked(context)
    with opening.surface(wanted) as memory:
        if not output.confirm(wanted, f"Erase {id} from the surface for good?", yes=yes):
            raise NothingDone("nothing was erased")
        rendering.erasures(wanted, [memory.surface.forget(id)])
