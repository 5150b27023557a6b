"""What the references tie memories together with: annotations, triples that say something of a memory, edges.

What only repeats a field of the memory (the day it was said, its source) is not taken, nor edges to what is made anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from mnemopi.model.graph import Annotation, Edge
from mnemopi.model.interval import iso
from mnemopi.text import remarks
from mnemopi.transfer import legacy_facts
from mnemopi.transfer.cargo import Cargo
from mnemopi.transfer.lenient import Lenient

Row: TypeAlias = Mapping[str, Any]
TABLES: Final = ("annotations", "graph_edges")
_TYPES: Final = {"ctx": "related_to", "rel": "related_to"}
_REPEATED: Final = "only repeats when the memory was said, or its source"


def add(made: Cargo, tables: Mapping[str, Sequence[Row]], fields: Lenient) -> None:
    """Add annotations and edges between memories."""
    known = {memory.id: memory for memory in made.memories}
    for row in tables.get("annotations", ()):
        id = fields.id(row.get("memory_id"))
        kind, value = fields.text(row.get("kind")), fields.text(row.get("value"))
        if id not in known:
            made.leave("annotations", "of memories that are not there")
        elif (kind, value) in (("occurred_on", iso(known[id].timestamp)[:10]), ("has_source", known[id].source)):
            made.leave("annotations", _REPEATED)
        elif id and kind and value:
            _annotate(made, fields, id, kind, value, row)
    for row in tables.get("triples", ()):
        id, kind = fields.id(row.get("subject")), str(row.get("predicate"))
        if id in known and kind in legacy_facts.ANNOTATING:
            _annotate(made, fields, str(id), kind, fields.text(row.get("object")), row)
    edges: dict[tuple[str, str, str], Edge] = {}
    for row in tables.get("graph_edges", ()):
        edge = _edge(fields, row)
        if edge is None or edge.source not in known or edge.target not in known or edge.source == edge.target:
            made.leave("graph_edges", "to facts and gists, which are made anew")
            continue
        key = (edge.source, edge.target, edge.type)
        edges[key] = max(edge, edges.get(key, edge), key=lambda each: each.weight)
    made.edges += edges.values()


def _annotate(made: Cargo, fields: Lenient, id: str, kind: str, value: str, row: Row) -> None:
    if not value:
        return
    sure, at = fields.share(row.get("confidence"), 1.0), fields.time(row.get("created_at"))
    source = fields.name(row.get("source")) or "import"
    kind = "_".join(kind.lower().split())[:40]
    made.annotations += [Annotation(id, kind, value[:500], key, source, sure, at) for key in remarks.keyed(kind, value)]


def _edge(fields: Lenient, row: Row) -> Edge | None:
    source, target = fields.id(row.get("source")), fields.id(row.get("target"))
    if source is None or target is None:
        return None
    told = str(row.get("edge_type") or "related_to").lower()
    at = fields.time(row.get("timestamp"), row.get("created_at"))
    return Edge(source, target, _TYPES.get(told, told)[:40], fields.share(row.get("weight"), 1.0), "", "import", at)
