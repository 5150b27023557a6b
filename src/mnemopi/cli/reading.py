"""Commands that look memories up: recall, get, context."""

from __future__ import annotations

import sys
from typing import Any

import click

from mnemopi.cli import narrowing, opening, output, rendering
from mnemopi.cli.everywhere import Asked, asked, command
from mnemopi.errors import UsageError
from mnemopi.model.hit import Hits


@command(
    "recall",
    examples=(
        'mnemopi recall "where is the staging database?"',
        'mnemopi recall "what did we decide?" 10 --from 2026-03-01 --to 2026-03-31 --author mara',
        'mnemopi recall "who is the reviewer?" --as-of 2026-02-01 --explain',
        "mnemopi recall deploy --json | jq -r '.results[].content'",
    ),
)
@click.argument("query")
@click.argument("top_k", required=False, type=int)
@click.option("--top-k", "-k", "top_k_option", type=int, help="Most hits [default: 5].")
@narrowing.options
@click.option("--explain", is_flag=True, help="Show all terms of each score.")
@click.option("--full", is_flag=True, help="Show whole texts instead of previews.")
def recall(
    context: click.Context,
    query: str,
    top_k: int | None,
    top_k_option: int | None,
    explain: bool,
    full: bool,
    **options: Any,
) -> None:
    """Find memories, the best first.

    TOP_K is the most hits to show, 5 unless given.
    """
    wanted = asked(context)
    if top_k is not None and top_k_option is not None:
        raise UsageError("top_k is given twice", hint="as an argument or as an option, not both")
    given = narrowing.given(options)
    if full:
        given["content_preview_chars"] = 0
    most = next((value for value in (top_k, top_k_option) if value is not None), 5)
    with opening.engine(wanted) as memory:
        show_hits(wanted, memory.recall(query, most, **given), explain=explain, full=full)


@command(
    "get",
    examples=(
        "mnemopi get 4f2a...",
        "mnemopi get 4f2a... --as-of 2026-02-01",
        "mnemopi get 4f2a... --history",
    ),
)
@click.argument("id")
@click.option("--version", type=int, help="This version instead of the one in force.")
@click.option("--as-of", metavar="ISO", help="The version that was in force then.")
@click.option("--history", is_flag=True, help="What happened to it, the oldest first.")
def get(context: click.Context, id: str, version: int | None, as_of: str | None, history: bool) -> None:
    """Show one memory whole.

    Also one that is invalidated: what superseded it is named.
    """
    wanted = asked(context)
    if history and (version is not None or as_of is not None):
        raise UsageError("--history goes with neither --version nor --as-of")
    with opening.engine(wanted) as memory:
        if history:
            rendering.history(wanted, id, memory.history(id))
            return
        found = memory.get(id, version=version, as_of=as_of)
        if found is None:
            raise memory.bank.missing(id, version=version, as_of=as_of)
        if wanted.json:
            output.document(rendering.document_of(found))
        elif wanted.quiet:
            output.lines(found.content)
        else:
            rendering.whole(found)


@command(
    "context",
    examples=(
        'mnemopi context "release plan" --budget 2000',
        "mnemopi context --kind note --in-session s1 -k 5",
        "mnemopi context                      # pinned, most important and latest memories",
    ),
)
@click.argument("query", required=False)
@click.option("--budget", type=int, default=4000, show_default=True, help="Longest block, in characters.")
@click.option("--top-k", "-k", type=int, help="Most memories that are recalled [default: 20].")
@narrowing.options
def context(context: click.Context, query: str | None, budget: int, **options: Any) -> None:
    """Print a block of memories for a prompt.

    Pinned memories first, then what answers QUERY. With nothing to say the block is empty.
    """
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        block = memory.context(query, budget, **narrowing.given(options))
        if wanted.json:
            told = {"query": query, "context": block, "length": len(block), "budget": budget}
            output.document({**told, "bank": memory.bank.name})
        elif block:
            output.lines(block.rstrip("\n"))


def show_hits(wanted: Asked, hits: Hits, *, explain: bool, full: bool) -> None:
    """Print hits in the form that was asked for."""
    if wanted.json:
        told = {"query": hits.query, "count": len(hits), "results": [hit.as_dict() for hit in hits]}
        judged = {"reranker": hits.reranker, "notes": list(hits.notes)}
        ran = {"retrievers": list(hits.retrievers), "bank": hits.bank}
        output.document({**told, **ran, **{name: value for name, value in judged.items() if value}})
        return
    for note in hits.notes:
        output.note(wanted, note)
    if wanted.quiet:
        output.table((), [(hit.id, f"{hit.score:.3f}", hit.content) for hit in hits], quiet=True)
    elif not len(hits):
        output.lines("", f"Results for: {hits.query}", "", "  Nothing found.")
    elif sys.stdout.isatty() and not explain:
        rendering.drawn(hits, full=full)
    else:
        rendering.listed(hits, explain=explain, full=full)
