"""Commands about what is known: facts, facts assert, facts end, facts prefer, facts erase, conflicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from mnemopi.cli import opening, output, rendering
from mnemopi.cli.everywhere import Asked, Verbs, asked, command
from mnemopi.cli.failures import NothingDone
from mnemopi.engine import system_clock
from mnemopi.model.fact import Fact


@click.group(
    "facts",
    cls=Verbs,
    usual="list",
    examples=(
        "mnemopi facts",
        'mnemopi facts "staging port"',
        "mnemopi facts --subject staging --as-of 2026-03-01",
        "mnemopi facts assert staging port 5433",
        "mnemopi facts end 9c01...",
    ),
)
def facts() -> None:
    """List, state, end, prefer and erase facts.

    Without a verb, facts are listed: those that match QUERY, or all that hold.
    """


@facts.command("list", examples=('mnemopi facts list "staging port"', "mnemopi facts list --all --json"))
@click.argument("query", required=False)
@click.option("--subject", metavar="NAME", help="Only about this.")
@click.option("--predicate", metavar="NAME", help="Only with this predicate.")
@click.option(
    "--kind", metavar="KIND", help="Only this kind: fact, preference, instruction, event, relation, identity."
)
@click.option("--as-of", metavar="ISO", help="What was so then.")
@click.option("--known-at", metavar="ISO", help="What was known then.")
@click.option(
    "--all", "--include-ended", "include_ended", is_flag=True, help="Also what ended and what is yet to begin."
)
@click.option("--limit", type=int, default=50, show_default=True, help="Most facts.")
@click.pass_context
def list_facts(context: click.Context, /, query: str | None, **options: Any) -> None:
    """List facts: those that match QUERY, the best first, or all that hold."""
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        found = memory.facts.list(query, **options)
        if wanted.json:
            told = {"query": query, "count": len(found), "facts": [fact.as_dict() for fact in found]}
            output.document({**told, "bank": memory.bank.name})
        elif found or wanted.quiet:
            _table(wanted, found)
        else:
            output.lines("No facts.")


@facts.command("assert", examples=("mnemopi facts assert staging port 5433 --from 2026-03-01",))
@click.argument("subject")
@click.argument("predicate")
@click.argument("object")
@click.option("--kind", default="fact", show_default=True, metavar="KIND", help="fact, preference, instruction ...")
@click.option("--from", "--valid-from", "valid_from", metavar="ISO", help="Since when it is so [default: now].")
@click.option("--to", "--valid-to", "valid_to", metavar="ISO", help="Until when it is so; a bare date is included.")
@click.option("--veracity", default="stated", show_default=True, help="How true it is.")
@click.option("--scope", default="bank", show_default=True, help="Who may see it.")
@click.option("--reason", help="Why, for the history.")
@click.pass_context
def state(context: click.Context, /, subject: str, predicate: str, object: str, **options: Any) -> None:
    """State a fact. In a slot with one object at a time, the later valid time supersedes."""
    wanted = asked(context)
    with opening.engine(wanted, makes=True) as memory:
        _acknowledge(wanted, "Stated", memory.facts.assert_(subject, predicate, object, **options))


@facts.command("end", examples=("mnemopi facts end 9c01... --at 2026-03-01",))
@click.argument("id")
@click.option("--at", metavar="ISO", help="When it stopped holding [default: now].")
@click.option("--reason", help="Why, for the history.")
@click.pass_context
def end(context: click.Context, /, id: str, at: str | None, reason: str | None) -> None:
    """Say that a fact stopped holding. It stays in history."""
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        _acknowledge(wanted, "Ended", memory.facts.end(id, at, reason))


@facts.command("prefer", examples=('mnemopi facts prefer 9c01... --reason "asked Ines"',))
@click.argument("id")
@click.option("--reason", help="Why, for the history.")
@click.pass_context
def prefer(context: click.Context, /, id: str, reason: str | None) -> None:
    """Settle a contradiction: this side holds, the others do not."""
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        _acknowledge(wanted, "Preferred", memory.facts.prefer(id, reason))


@facts.command("erase", examples=("mnemopi facts erase 9c01... --yes",))
@click.argument("id")
@click.option("--reason", help="Why, for the history.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.pass_context
def erase(context: click.Context, /, id: str, reason: str | None, yes: bool) -> None:
    """Erase what persons stated of a fact, for good.

    It is overwritten on the disk, and no load brings it back; `facts end` keeps it in history. A fact that a memory
    states goes with that memory: `delete`.
    """
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        if memory.facts.get(id) is not None and not output.confirm(wanted, f"Erase fact {id} for good?", yes=yes):
            raise NothingDone("nothing was erased")
        rendering.erasures(wanted, [memory.facts.erase(id, reason)])


@command("conflicts", examples=("mnemopi conflicts", "mnemopi conflicts --json"))
def conflicts(context: click.Context) -> None:
    """List contradictions that no rule settles.

    `facts prefer` settles one.
    """
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        found = memory.facts.conflicts()
        if wanted.json:
            output.document({"count": len(found), "conflicts": [each.as_dict() for each in found]})
        elif found or wanted.quiet:
            _table(wanted, [side for each in found for side in each.sides])
        else:
            output.lines("No contradictions.")


def _table(wanted: Asked, found: Sequence[Fact]) -> None:
    now = system_clock()
    rows = [(fact.dated, fact.kind, fact.state(now), f"{fact.belief:.2f}", fact.id) for fact in found]
    output.table(("Fact", "Kind", "State", "Belief", "ID"), rows, prose=("Fact",), quiet=wanted.quiet)


def _acknowledge(wanted: Asked, verb: str, fact: Fact) -> None:
    if wanted.json:
        output.document(fact.as_dict())
    elif wanted.quiet:
        output.lines(fact.id)
    else:
        output.lines(f"{verb}: {fact.id}", f"  {fact.dated}")
