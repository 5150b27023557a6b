"""Commands about what ties memories together: link, unlink, related, path, annotate, annotations, entities."""

from __future__ import annotations

from collections.abc import Sequence

import click

from mnemopi.cli import opening, output
from mnemopi.cli.everywhere import Asked, asked, command
from mnemopi.engine import Mnemopi
from mnemopi.model.graph import Edge, Related

_SHOWN = 80


@command(
    "related",
    examples=("mnemopi related 4f2a...", "mnemopi related 4f2a... --hops 3 --type caused_by --type follows --json"),
)
@click.argument("id")
@click.option("--hops", "max_hops", type=int, default=2, show_default=True, help="Most links away.")
@click.option("--type", "types", metavar="TYPE", multiple=True, help="Only along links of this type; may be repeated.")
@click.option("--min-weight", type=float, default=0.0, show_default=True, help="Least weight of a link, 0 to 1.")
@click.option("--limit", type=int, default=50, show_default=True, help="Most memories.")
def related(
    context: click.Context, id: str, max_hops: int, types: tuple[str, ...], min_weight: float, limit: int
) -> None:
    """Show the memories linked to one, the nearest first."""
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        found = memory.graph.related(id, max_hops, types or None, min_weight, limit)
        if wanted.json:
            told = {"id": id, "count": len(found), "related": [each.as_dict() for each in found]}
            output.document({**told, "bank": memory.bank.name})
        elif found:
            _steps(wanted, found)
        elif not wanted.quiet:
            output.lines("Nothing is linked to it.")


@command("path", examples=("mnemopi path 4f2a... 9c01...", "mnemopi path 4f2a... 9c01... --hops 10 --json"))
@click.argument("start")
@click.argument("end")
@click.option("--hops", "max_hops", type=int, default=6, show_default=True, help="Most links between them.")
def path(context: click.Context, start: str, end: str, max_hops: int) -> None:
    """Show the shortest way along links between two memories."""
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        found = memory.graph.path(start, end, max_hops)
        if wanted.json:
            told = {"start": start, "end": end, "found": bool(found), "path": [each.as_dict() for each in found]}
            output.document({**told, "bank": memory.bank.name})
        elif found:
            _steps(wanted, found)
        elif not wanted.quiet:
            output.lines(f"No way of at most {max_hops} links.")


@command(
    "link",
    examples=(
        "mnemopi link 4f2a... 9c01... --type caused_by --weight 0.8",
        'mnemopi link 4f2a... 9c01... --type contradicts --evidence "two ports are named"',
    ),
)
@click.argument("source")
@click.argument("target")
@click.option("--type", default="related_to", show_default=True, help="What the link means.")
@click.option("--weight", type=float, default=1.0, show_default=True, help="How strong it is, 0 to 1.")
@click.option("--evidence", metavar="WORDS", help="What speaks for it.")
def link(context: click.Context, source: str, target: str, type: str, weight: float, evidence: str | None) -> None:
    """Link one memory to another.

    TYPE is related_to, references, contradicts, supersedes, caused_by, follows, or a word of your own. A link hides
    nothing: `invalidate` does.
    """
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        edge = memory.graph.link(source, target, type, weight, evidence=evidence)
        if wanted.json:
            output.document({**edge.as_dict(), "bank": memory.bank.name})
        elif not wanted.quiet:
            output.lines(f"Linked: {_told(edge)}")


@command("unlink", examples=("mnemopi unlink 4f2a... 9c01...", "mnemopi unlink 4f2a... 9c01... --type follows"))
@click.argument("source")
@click.argument("target")
@click.option("--type", help="Only links of this type.")
def unlink(context: click.Context, source: str, target: str, type: str | None) -> None:
    """Take the links between two memories away.

    In either direction.
    """
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        count = memory.graph.unlink(source, target, type)
        if wanted.json:
            output.document({"source": source, "target": target, "unlinked": count, "bank": memory.bank.name})
        elif not wanted.quiet:
            output.lines(f"Links taken away: {count}")


@command("annotations", examples=("mnemopi annotations 4f2a...", "mnemopi annotations 4f2a... --kind mentions --json"))
@click.argument("id")
@click.option("--kind", help="Only this kind.")
def list_annotations(context: click.Context, id: str, kind: str | None) -> None:
    """Show what is said of a memory in a word or two.

    Whom it mentions, other names, when it happened, where it came from, and what was given.
    """
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        found = memory.graph.annotations(id, kind)
        if wanted.json:
            told = {"id": id, "count": len(found), "annotations": [each.as_dict() for each in found]}
            output.document({**told, "bank": memory.bank.name})
        elif found or wanted.quiet:
            rows = [(each.kind, each.value, each.source, f"{each.confidence:.2f}") for each in found]
            output.table(("Kind", "Value", "From", "Sure"), rows, prose=("Value",), quiet=wanted.quiet)
        else:
            output.lines("Nothing is said of it.")


@command(
    "annotate",
    examples=(
        'mnemopi annotate 4f2a... mentions "Mara Lindt"',
        'mnemopi annotate 4f2a... alias "Kubernetes = K8s"',
        'mnemopi annotate 4f2a... mentions "Mara Lindt" --remove',
    ),
)
@click.argument("id")
@click.argument("kind")
@click.argument("value")
@click.option("--confidence", type=float, default=1.0, show_default=True, help="How sure it is, 0 to 1.")
@click.option("--remove", is_flag=True, help="Take it back instead.")
def annotate(context: click.Context, id: str, kind: str, value: str, confidence: float, remove: bool) -> None:
    """Say something of a memory in a word or two.

    It stays when the memory is updated. KIND is mentions, alias (`A = B`), occurred_on, has_source, or a word of your
    own.
    """
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        if remove:
            done = memory.graph.unannotate(id, kind, value)
            if wanted.json:
                output.document({"id": id, "kind": kind, "value": value, "removed": done, "bank": memory.bank.name})
            elif not wanted.quiet:
                output.lines("Taken back." if done else "It was not said.")
            return
        made = memory.graph.annotate(id, kind, value, confidence)
        if wanted.json:
            output.document({**made.as_dict(), "bank": memory.bank.name})
        elif not wanted.quiet:
            output.lines(f"Annotated: {made.kind} {made.value}")


@command("entities", examples=("mnemopi entities", "mnemopi entities Kubernetes", "mnemopi entities --limit 10 --json"))
@click.argument("name", required=False)
@click.option("--limit", type=int, default=50, show_default=True, help="Most of them.")
def entities(context: click.Context, name: str | None, limit: int) -> None:
    """List what memories mention.

    The most mentioned first; with NAME, the memories that mention it, under any of its names.
    """
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        if name is not None:
            _mentioning(wanted, memory, name, limit)
            return
        found = memory.graph.entities(limit)
        if wanted.json:
            told = {"count": len(found), "entities": [each.as_dict() for each in found]}
            output.document({**told, "bank": memory.bank.name})
        elif found or wanted.quiet:
            rows = [(each.name, str(each.count), ", ".join(each.aliases)) for each in found]
            output.table(("Name", "Memories", "Also"), rows, prose=("Also",), quiet=wanted.quiet)
        else:
            output.lines("Nothing is mentioned.")


def _mentioning(wanted: Asked, memory: Mnemopi, name: str, limit: int) -> None:
    memories, also = memory.graph.mentioning(name, limit), memory.graph.aliases(name)
    if wanted.json:
        rows = [{"id": each.id, "content": each.content} for each in memories]
        told = {"name": name, "aliases": also, "count": len(memories), "memories": rows}
        output.document({**told, "bank": memory.bank.name})
        return
    if also and not wanted.quiet:
        output.lines(f"Also called {', '.join(also)}.")
    if memories or wanted.quiet:
        shown = [(each.id, output.shortened(each.content, _SHOWN)) for each in memories]
        output.table(("Id", "Text"), shown, prose=("Text",), quiet=wanted.quiet)
    else:
        output.lines("Nothing mentions it.")


def _steps(wanted: Asked, found: Sequence[Related]) -> None:
    rows = [
        (
            each.id,
            str(each.hops),
            f"{each.weight:.2f}",
            _told(each.path[-1]) if each.path else "",
            output.shortened(each.memory.content, _SHOWN),
        )
        for each in found
    ]
    output.table(("Id", "Hops", "Weight", "By", "Text"), rows, prose=("Text",), quiet=wanted.quiet)


def _told(edge: Edge) -> str:
    why = f" ({edge.evidence})" if edge.evidence else ""
    return f"{edge.source} {edge.type} {edge.target}{why}"
