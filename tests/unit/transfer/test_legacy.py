from __future__ import annotations

from typing import Any

import pytest

from mnemopi.text import dates
from mnemopi.transfer import legacy
from mnemopi.transfer.lenient import Lenient

WORKING: dict[str, Any] = {
    "id": "427acb1a990c8e96",
    "content": "Carol moved to Berlin on 2026-03-05",
    "embed_text": None,
    "source": "notes",
    "timestamp": "2026-03-06T10:00:00.000Z",
    "session_id": "s1",
    "importance": 0.8,
    "metadata_json": '{"cwd":"/x","n":1}',
    "veracity": "stated",
    "memory_type": "preference",
    "recall_count": 4,
    "last_recalled": "2026-03-07T10:00:00.000Z",
    "valid_until": None,
    "superseded_by": None,
    "scope": "session",
    "author_id": "ann",
    "author_type": "human",
    "channel_id": "c1",
    "trust_tier": "EXTERNAL_WRITE",
    "event_date": None,
    "temporal_tags": "[]",
    "created_at": "2026-03-06 10:00:01",
}
EPISODE = WORKING | {
    "rowid": 1,
    "id": "067dfe9fa252168e",
    "content": "Carol: Berlin",
    "summary_of": "427acb1a990c8e96, gone",
    "tier": 2,
    "recall_count": 0,
    "metadata_json": "{}",
}


def one(lenient: Lenient, **changes: Any) -> Any:
    made = legacy.cargo({"working_memory": [WORKING | changes]}, lenient).memories
    assert len(made) == 1
    return made[0]


def test_a_row_keeps_all_its_fields(lenient: Lenient) -> None:
    memory = one(lenient)
    assert (memory.id, memory.version, memory.kind, memory.tier) == ("427acb1a990c8e96", 1, "note", "working")
    assert dates.iso(memory.timestamp) == "2026-03-06T10:00:00.000Z"
    assert dates.iso(memory.recorded_at) == "2025-06-15T15:06:40.000Z", "nothing was recorded after now"
    assert (memory.session_id, memory.author_id, memory.author_type, memory.channel_id) == ("s1", "ann", "human", "c1")
    assert (memory.importance, memory.veracity, memory.trust_tier) == (0.8, "stated", "EXTERNAL_WRITE")
    assert (memory.source, memory.memory_type, memory.scope) == ("notes", "preference", "bank")
    assert memory.metadata == {"cwd": "/x", "n": 1}
    assert dates.iso(memory.event.start)[:10] == "2026-03-05"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"embed_text": "Carol Berlin"}, {"embed_text": "Carol Berlin"}),
        ({"embed_text": WORKING["content"]}, {"embed_text": None}),
        ({"valid_until": "2026-01-31"}, {"valid_until": dates.moment("2026-01-31")}),
        ({"superseded_by": "other"}, {"superseded_by": "other"}),
        ({"scope": "global"}, {"scope": "global"}),
        ({"scope": None}, {"scope": "bank"}),
        ({"pinned": 1}, {"pinned": True}),
        ({"importance": 7.5}, {"importance": 1.0}),
        ({"veracity": "odd", "trust_tier": None, "source": "tool"}, {"trust_tier": "EXTERNAL_WRITE"}),
        ({"timestamp": None}, {"timestamp": dates.moment("2026-03-06 10:00:01")}),
        ({"event_date": "2026-04-01", "event_date_precision": "month"}, {"event": dates.parse("2026-04")}),
        ({"metadata_json": "broken {"}, {"metadata": {"value": "broken {"}}),
        ({"temporal_tags": '["spring"]', "metadata_json": None}, {"metadata": {"temporal_tags": ["spring"]}}),
    ],
)
def test_fields_are_read_as_they_mean(changes: dict[str, Any], told: dict[str, Any], lenient: Lenient) -> None:
    memory = one(lenient, **changes)
    assert {name: getattr(memory, name) for name in told} == told


def test_a_row_that_lacks_all_but_id_and_text_is_taken(lenient: Lenient) -> None:
    made = legacy.cargo({"working_memory": [{"id": "a", "content": "An old row"}]}, lenient)
    assert [(memory.id, memory.scope) for memory in made.memories] == [("a", "global")]


def test_an_episode_cites_what_it_sums_up(lenient: Lenient) -> None:
    made = legacy.cargo({"working_memory": [WORKING], "episodic_memory": [EPISODE]}, lenient)
    episode = made.memories[1]
    assert (episode.kind, episode.tier, episode.metadata["detail"]) == ("episode", "episodic", 2)
    assert made.citations == [("067dfe9fa252168e", "427acb1a990c8e96"), ("067dfe9fa252168e", "gone")]
    assert list(made.recalls) == ["427acb1a990c8e96"]
    assert made.recalls["427acb1a990c8e96"] == (4, dates.moment("2026-03-07T10:00:00Z"))


def test_the_older_table_of_mnemosyne_adds_only_what_is_nowhere_else(lenient: Lenient) -> None:
    rows = [{"id": WORKING["id"], "content": "the same"}, {"id": "old", "content": "Only here"}]
    made = legacy.cargo({"working_memory": [WORKING], "memories": rows}, lenient)
    assert [memory.content for memory in made.memories] == [WORKING["content"], "Only here"]
    assert not made.left


def test_notes_of_the_scratchpad_come_along(lenient: Lenient) -> None:
    rows = [
        {"id": "n", "content": "scratch", "session_id": "s1", "created_at": "2026-03-05 10:00:00", "updated_at": None},
        {"id": "m", "content": " "},
    ]
    made = legacy.cargo({"scratchpad": rows}, lenient)
    assert [(note.id, note.content, note.session_id) for note in made.notes] == [("n", "scratch", "s1")]
    assert made.notes[0].created_at == made.notes[0].updated_at == dates.moment("2026-03-05T10:00:00Z")


def test_what_has_no_place_is_named_with_the_reason(lenient: Lenient) -> None:
    tables = {
        "working_memory": [WORKING, WORKING, WORKING | {"id": None}, WORKING | {"id": "x", "content": "\n"}],
        "memory_embeddings": [{}, {}],
        "consolidation_log": [{}],
        "surprise": [{}],
    }
    made = legacy.cargo(tables, lenient)
    assert {(table, count) for (table, _), count in made.left.items()} == {
        ("working_memory", 1),
        ("working_memory", 2),
        ("memory_embeddings", 2),
        ("consolidation_log", 1),
        ("surprise", 1),
    }
    assert made.found["working_memory"] == 4


def test_secrets_are_redacted_in_texts_and_metadata(lenient: Lenient) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    memory = one(lenient, content=f"token {secret}", metadata_json=f'{{"k": "{secret}"}}', author_id=secret)
    assert secret not in str(memory)
    assert lenient.redacted.total() >= 3
