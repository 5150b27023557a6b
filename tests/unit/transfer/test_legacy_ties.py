from __future__ import annotations

from mnemopi.transfer import legacy
from mnemopi.transfer.lenient import Lenient

MEMORIES = [{"id": id, "content": f"Text {id}", "timestamp": "2026-03-05T10:00:00Z", "source": "notes"} for id in "abc"]


def test_annotations_that_only_repeat_a_field_are_left(lenient: Lenient) -> None:
    rows = [
        {"memory_id": "a", "kind": "occurred_on", "value": "2026-03-05", "source": ""},
        {"memory_id": "a", "kind": "has_source", "value": "notes", "source": ""},
        {"memory_id": "a", "kind": "occurred_on", "value": "2024-01-01", "source": "person", "confidence": 0.5},
        {"memory_id": "a", "kind": "Mood Of", "value": "calm", "source": ""},
        {"memory_id": "gone", "kind": "mentions", "value": "Acme"},
    ]
    made = legacy.cargo({"working_memory": MEMORIES, "annotations": rows}, lenient)
    assert [(each.kind, each.value, each.source, each.confidence) for each in made.annotations] == [
        ("occurred_on", "2024-01-01", "person", 0.5),
        ("mood_of", "calm", "import", 1.0),
    ]
    assert sum(count for (table, _), count in made.left.items() if table == "annotations") == 3


def test_edges_between_memories_are_taken_once_a_type(lenient: Lenient) -> None:
    rows = [
        {"source": "a", "target": "b", "edge_type": "ctx", "weight": 0.3},
        {"source": "a", "target": "b", "edge_type": "related_to", "weight": 0.4},
        {"source": "b", "target": "a", "edge_type": "references", "weight": 9},
        {"source": "a", "target": "gist_a", "edge_type": "ctx", "weight": 1},
        {"source": "c", "target": "c", "edge_type": "ctx", "weight": 1},
        {"source": None, "target": "c", "edge_type": "ctx"},
    ]
    made = legacy.cargo({"working_memory": MEMORIES, "graph_edges": rows}, lenient)
    assert [(each.source, each.target, each.type, each.weight, each.origin) for each in made.edges] == [
        ("a", "b", "related_to", 0.4, "import"),
        ("b", "a", "references", 1.0, "import"),
    ]
    assert sum(made.left.values()) == 3
