"""Tools for what is known and how memories hang together: facts, triples, contradictions, links."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from mnemopi.errors import UsageError
from mnemopi.model import trust
from mnemopi.model.fact import Fact
from mnemopi.text import names
from mnemopi.tools import shape
from mnemopi.tools.caller import Caller, Effect
from mnemopi.tools.tool import Flag, InBank, Number, Output, Tool, Whole

_MOST: Final = 10_000
_BELIEF: Final[Mapping[str, str]] = {"EXTERNAL_WRITE": "tool", "IMPORTED": "imported"}
"""What a statement of an untrusted source counts as."""
When = Annotated[str | None, Field(description="ISO time; a bare date is its last moment.")]


class TripleAdd(InBank):
    """Arguments of mnemopi_triple_add."""

    subject: str
    predicate: Annotated[str, Field(description="Such as works_at, prefers, deployed_on.")]
    object: str
    valid_from: Annotated[str | None, Field(description="ISO time since when it is so; by default now.")] = None
    source: Annotated[
        str, Field(description="Who said so: conversation, user, tool, web, import ...; it decides how far to trust.")
    ] = "conversation"
    confidence: Annotated[Number, Field(description="Above 0, up to 1.")] = 1.0


class TripleAdded(Output):
    """Answer of mnemopi_triple_add."""

    status: str
    triple_id: str
    store: str
    bank: str
    contested: bool


def triple_add(caller: Caller, asked: TripleAdd) -> TripleAdded:
    """State a fact."""
    with caller.writing(asked.bank) as bank:
        made = bank.facts.assert_(
            asked.subject,
            asked.predicate,
            asked.object,
            valid_from=asked.valid_from,
            veracity=_BELIEF.get(trust.tier(None, asked.source), "stated"),
            confidence=asked.confidence,
            reason=f"source: {asked.source}",
        )
    return TripleAdded(status="stored", triple_id=made.id, store="triples", bank=bank.name, contested=made.contested)


class TripleQuery(InBank):
    """Arguments of mnemopi_triple_query."""

    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    as_of: When = None
    limit: Annotated[Whole, Field(ge=1, le=1000)] = 100


class Triples(Output):
    """Answer of mnemopi_triple_query."""

    count: int
    results: list[dict[str, Any]]
    results_count: int
    store: str
    bank: str
    truncated: bool
    notice: str


def triple_query(caller: Caller, asked: TripleQuery) -> Triples:
    """List facts by their parts."""
    bank = caller.bank(asked.bank)
    found = bank.facts.list(subject=asked.subject, predicate=asked.predicate, as_of=asked.as_of, limit=_MOST)
    if asked.object is not None:
        wanted = names.object_key(asked.object)
        found = [fact for fact in found if names.object_key(fact.object) == wanted]
    rows = [shape.fact(fact) | {"triple_id": fact.id} for fact in found[: asked.limit]]
    return Triples(
        count=len(rows),
        results=rows,
        results_count=len(rows),
        store="triples",
        bank=bank.name,
        truncated=len(found) > len(rows),
        notice=shape.NOTICE,
    )


class Facts(InBank):
    """Arguments of mnemopi_facts."""

    action: Annotated[
        Literal["read", "end", "prefer", "erase"],
        Field(
            description="read lists; end says that one stopped holding; prefer settles a contradiction; erase takes "
            "what persons stated off the disk, for good."
        ),
    ] = "read"
    query: Annotated[str | None, Field(description="read: words to look for.")] = None
    subject: Annotated[str | None, Field(description="read: of whom or what.")] = None
    predicate: Annotated[str | None, Field(description="read.")] = None
    kind: Annotated[
        str | None, Field(description="read: fact, preference, instruction, event, relation or identity.")
    ] = None
    as_of: Annotated[str | None, Field(description="read: ISO time; what was so then.")] = None
    known_at: Annotated[str | None, Field(description="read: ISO time; what was known then.")] = None
    include_ended: Annotated[Flag | None, Field(description="read: also what ended.")] = None
    limit: Annotated[Whole | None, Field(description="read: most facts, by default 20.")] = None
    fact_id: Annotated[str | None, Field(description="end, prefer, erase: which.")] = None
    at: Annotated[str | None, Field(description="end: ISO time, by default now.")] = None
    reason: Annotated[str | None, Field(description="end, prefer, erase: why.")] = None
    confirm: Annotated[str | None, Field(description="erase: token of an answer that asked for it.")] = None


class Known(Output):
    """Answer of mnemopi_facts."""

    status: str
    count: int
    results: list[dict[str, Any]]
    bank: str
    notice: str
    held_by: Annotated[
        list[str] | None, Field(description="erase: what still holds the erased text: backups, readers.")
    ] = None


_READ: Final = ("query", "subject", "predicate", "kind", "as_of", "known_at", "include_ended", "limit")
_TAKES: Final[Mapping[str, tuple[str, ...]]] = {
    "read": _READ,
    "end": ("fact_id", "at", "reason"),
    "prefer": ("fact_id", "reason"),
    "erase": ("fact_id", "reason", "confirm"),
}
_DOES: Final[Mapping[str, Effect]] = {"read": "read", "end": "change", "prefer": "change", "erase": "destroy"}


def facts(caller: Caller, asked: Facts) -> Known:
    """Read what is known, end a fact, prefer one, or erase it."""
    takes = _TAKES[asked.action]
    given = asked.given(*_READ, "fact_id", "at", "reason", "confirm")
    if stray := sorted(set(given) - set(takes)):
        raise UsageError(f"{asked.action} does not take {', '.join(stray)}", hint=f"it takes {', '.join(takes)}")
    door = caller.bank(asked.bank).facts
    if asked.action == "read":
        found: list[Fact] = door.list(**{"limit": 20} | given)
        return _known("ok", found, caller.name(asked.bank))
    if asked.fact_id is None:
        raise UsageError("fact_id is required", hint="action read lists facts with their ids")
    if asked.action == "erase":
        return _erased(caller, asked, asked.fact_id)
    if asked.action == "end":
        return _known("ended", [door.end(asked.fact_id, asked.at, asked.reason)], caller.name(asked.bank))
    return _known("preferred", [door.prefer(asked.fact_id, asked.reason)], caller.name(asked.bank))


def _erased(caller: Caller, asked: Facts, id: str) -> Known:
    bank = caller.bank(asked.bank)
    fact = bank.facts.get(id)
    if fact is not None:
        preview = {"tool": "mnemopi_facts", "bank": bank.name, "fact_id": id, "fact": shape.neutral(fact.dated)}
        caller.confirmations.require(f"Erase fact {id} for good?", preview, asked.confirm)
    done = bank.facts.erase(id, asked.reason)
    held = list(done.held_by) or None
    return Known(status="erased", count=1, results=[{"id": id}], bank=bank.name, notice=shape.NOTICE, held_by=held)


def _known(status: str, found: list[Fact], bank: str) -> Known:
    rows = [shape.fact(fact) for fact in found]
    return Known(status=status, count=len(rows), results=rows, bank=bank, notice=shape.NOTICE)


class Conflicts(InBank):
    """Arguments of mnemopi_conflicts."""


class Conflicting(Output):
    """Answer of mnemopi_conflicts."""

    status: str
    count: int
    conflicts: Annotated[
        list[dict[str, Any]], Field(description="Each with its sides, the most believed first; prefer one by its id.")
    ]
    bank: str
    notice: str


def conflicts(caller: Caller, asked: Conflicts) -> Conflicting:
    """List contradictions."""
    bank = caller.bank(asked.bank)
    found = [shape.neutral(each.as_dict()) for each in bank.facts.conflicts()]
    return Conflicting(status="ok", count=len(found), conflicts=found, bank=bank.name, notice=shape.NOTICE)


class GraphQuery(InBank):
    """Arguments of mnemopi_graph_query."""

    seed_memory_id: Annotated[str, Field(description="Memory to start from.")]
    max_hops: Annotated[Whole, Field(description="1 to 20.")] = 2
    edge_type: Annotated[str | None, Field(description="Walk along links of this type only.")] = None
    min_weight: Annotated[Number, Field(description="Least weight of a link, 0 to 1.")] = 0.0
    limit: Annotated[Whole, Field(ge=1, le=500)] = 50


class Related(Output):
    """Answer of mnemopi_graph_query."""

    status: str
    seed_memory_id: str
    count: int
    results_count: int
    results: Annotated[list[dict[str, Any]], Field(description="The fewest hops first, then the strongest way.")]
    bank: str
    notice: str


def graph_query(caller: Caller, asked: GraphQuery) -> Related:
    """Walk along links."""
    bank = caller.bank(asked.bank)
    found = bank.graph.related(asked.seed_memory_id, asked.max_hops, asked.edge_type, asked.min_weight, asked.limit)
    rows = [shape.related(each) for each in found]
    return Related(
        status="ok",
        seed_memory_id=asked.seed_memory_id,
        count=len(rows),
        results_count=len(rows),
        results=rows,
        bank=bank.name,
        notice=shape.NOTICE,
    )


class GraphLink(InBank):
    """Arguments of mnemopi_graph_link."""

    source_id: str
    target_id: str
    relationship: Annotated[
        str, Field(description="related_to, references, contradicts, supersedes, caused_by, follows, or a word.")
    ]
    weight: Annotated[Number, Field(description="0 to 1.")] = 0.5


class Linked(Output):
    """Answer of mnemopi_graph_link."""

    status: str
    source_id: str
    target_id: str
    relationship: str
    edge_type: str
    weight: float
    bank: str


def graph_link(caller: Caller, asked: GraphLink) -> Linked:
    """Link two memories."""
    bank = caller.bank(asked.bank)
    edge = bank.graph.link(asked.source_id, asked.target_id, asked.relationship, asked.weight)
    return Linked(
        status="linked",
        source_id=edge.source,
        target_id=edge.target,
        relationship=asked.relationship,
        edge_type=edge.type,
        weight=edge.weight,
        bank=bank.name,
    )


TOOLS = (
    Tool(
        "mnemopi_facts",
        "Facts",
        "Read what is known of somebody or something, now or as of a time; end a fact that stopped holding; prefer "
        "one side of a contradiction; or erase what was stated. Facts follow from memories and keep their history.",
        Facts,
        Known,
        facts,
        "destroy",
        core=True,
        least="read",
        by=lambda asked: _DOES[asked.action],
    ),
    Tool(
        "mnemopi_conflicts",
        "Contradictions",
        "List contradictions among facts that no rule settles. mnemopi_facts with action prefer settles one.",
        Conflicts,
        Conflicting,
        conflicts,
        "read",
    ),
    Tool(
        "mnemopi_triple_add",
        "State a fact",
        "State a fact as subject, predicate and object. Where there is one object at a time, the later one supersedes.",
        TripleAdd,
        TripleAdded,
        triple_add,
        "add",
    ),
    Tool(
        "mnemopi_triple_query",
        "Find facts by parts",
        "List facts by subject, predicate or object, as they hold now or held at a time.",
        TripleQuery,
        Triples,
        triple_query,
        "read",
    ),
    Tool(
        "mnemopi_graph_query",
        "Related memories",
        "Walk from a memory along its links, and return what is found with the way there.",
        GraphQuery,
        Related,
        graph_query,
        "read",
    ),
    Tool(
        "mnemopi_graph_link",
        "Link memories",
        "Link one memory to another. A link of the same type between them is replaced. It hides nothing.",
        GraphLink,
        Linked,
        graph_link,
        "change",
        again=True,
    ),
)
