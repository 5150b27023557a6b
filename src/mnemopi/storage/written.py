"""Values as the parameters of the statements that write them."""

from __future__ import annotations

from mnemopi.model.graph import Annotation, Edge
from mnemopi.model.memory import Occurrence
from mnemopi.ports import Value


def of_annotation(bank: str, annotation: Annotation) -> dict[str, Value]:
    """Write an annotation."""
    return {
        "bank": bank,
        "memory": annotation.memory,
        "kind": annotation.kind,
        "value": annotation.value,
        "value_key": annotation.key,
        "source": annotation.source,
        "confidence": annotation.confidence,
        "at": annotation.at,
    }


def of_occurrence(bank: str, occurrence: Occurrence) -> dict[str, Value]:
    """Write one more occurrence of a note."""
    return {
        "bank": bank,
        "id": occurrence.id,
        "at": occurrence.at,
        "session_id": occurrence.session_id,
        "author_id": occurrence.author_id,
        "channel_id": occurrence.channel_id,
        "source": occurrence.source,
    }


def of_edge(bank: str, edge: Edge) -> dict[str, Value]:
    """Write an edge."""
    return {
        "bank": bank,
        "source": edge.source,
        "target": edge.target,
        "type": edge.type,
        "weight": edge.weight,
        "evidence": edge.evidence,
        "origin": edge.origin,
        "at": edge.at,
    }
