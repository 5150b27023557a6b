from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from mnemopi.model.fact import Statement
from mnemopi.text import dates
from mnemopi.transfer import legacy
from mnemopi.transfer.lenient import Lenient

MEMORY = {
    "id": "m1",
    "content": "Ann works at Acme",
    "timestamp": "2026-03-05T10:00:00Z",
    "session_id": "s1",
    "scope": "session",
    "author_id": "ann",
    "veracity": "stated",
}


def stated(lenient: Lenient, **tables: Sequence[Mapping[str, Any]]) -> list[Statement]:
    return legacy.cargo({"working_memory": [MEMORY], **tables}, lenient).statements


def said(statements: Sequence[Statement]) -> list[tuple[str, str, str, str]]:
    return [(each.kind, each.subject, each.predicate, each.object) for each in statements]


def test_a_fact_of_a_memory_is_seen_and_believed_as_its_memory_is(lenient: Lenient) -> None:
    row = {
        "fact_id": "f",
        "session_id": "other",
        "subject": "Ann",
        "predicate": "works_at",
        "object": "Acme",
        "timestamp": "2026-03-05T10:00:01Z",
        "source_msg_id": "m1",
        "confidence": 0.9,
    }
    (found,) = stated(lenient, facts=[row])
    assert (found.memory, found.version, found.scope, found.session_id) == ("m1", 1, "bank", "s1")
    assert (found.author_id, found.veracity, found.confidence, found.origin) == ("ann", "stated", 0.9, "import")
    assert (found.valid_from, found.valid_to) == (dates.moment("2026-03-05T10:00:01Z"), None)
    assert found.at == lenient.now, "not known before now"


def test_one_thing_in_several_tables_is_one_statement_a_source(lenient: Lenient) -> None:
    triple = {"subject": "Ann", "predicate": "works_at", "object": "Acme"}
    found = stated(
        lenient,
        triples=[triple | {"source": "m1", "valid_from": "2026-01-01"}, triple | {"source": None}],
        memoria_kg=[triple | {"source_memory_id": "m1"}],
        facts=[triple | {"source_msg_id": "m1"}],
        consolidated_facts=[triple | {"sources_json": '["m1"]'}],
    )
    assert [each.memory for each in found] == ["m1", None]
    assert said(found)[0] == ("relation", "Ann", "works_at", "Acme")


def test_the_interval_of_a_triple_is_kept(lenient: Lenient) -> None:
    row = {"subject": "Ann", "predicate": "employer", "object": "Acme", "valid_from": "2020-01-01"}
    (found,) = stated(lenient, triples=[row | {"valid_until": "2024-06-30T00:00:00Z"}])
    assert (found.valid_from, found.valid_to) == (dates.moment("2020-01-01"), dates.moment("2024-06-30"))
    (backwards,) = stated(lenient, triples=[row | {"valid_until": "2019-01-01"}])
    assert backwards.valid_to is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The user's name is Ann", ("fact", "user", "name", "Ann")),
        ("The user works at Acme", ("fact", "user", "works at", "Acme")),
        ("The user is a nurse", ("fact", "user", "is said to be", "a nurse")),
        ("Server runs on port 8080", ("fact", "Server", "port", "8080")),
        ("蓝色的门", ("fact", "note", "says", "蓝色的门")),
    ],
)
def test_a_sentence_is_read_by_the_rules_or_kept_as_one(
    text: str, told: tuple[str, str, str, str], lenient: Lenient
) -> None:
    row = {"subject": "fact", "predicate": "entity", "object": text, "source_msg_id": "m1"}
    assert said(stated(lenient, facts=[row])) == [told]


def test_preferences_and_instructions_are_of_their_kind_and_not_facts_besides(lenient: Lenient) -> None:
    texts = ("prefers dark mode", "The user hates noise", "always use tabs", "Never push to main")
    found = stated(
        lenient,
        memoria_preferences=[{"preference": text, "source_memory_id": "m1"} for text in texts[:2]],
        memoria_instructions=[{"instruction": text, "active": 1, "source_memory_id": "m1"} for text in texts[2:]],
        facts=[{"subject": "fact", "predicate": "entity", "object": text, "source_msg_id": "m1"} for text in texts],
    )
    assert sorted(said(found)) == [
        ("instruction", "user", "always", "use tabs"),
        ("instruction", "user", "never", "push to main"),
        ("preference", "user", "dislikes", "noise"),
        ("preference", "user", "prefers", "dark mode"),
    ]


def test_an_instruction_that_is_no_longer_in_force_is_left(lenient: Lenient) -> None:
    row = {"instruction": "always use tabs", "active": 0, "source_memory_id": "m1"}
    twin = {"subject": "fact", "predicate": "entity", "object": "always use tabs", "source_msg_id": "m1"}
    assert stated(lenient, memoria_instructions=[row], facts=[twin]) == []


def test_an_event_lasts_as_long_as_its_date(lenient: Lenient) -> None:
    rows = [
        {"date": "2026-12-01", "description": "release", "source_memory_id": "m1"},
        {"date": None, "description": "some day"},
        {"date": "2026-03-05", "description": MEMORY["content"], "source_memory_id": "m1"},
    ]
    first, second = stated(lenient, memoria_timelines=rows)
    assert (first.kind, first.valid_from, first.valid_to) == (
        "event",
        dates.moment("2026-12-01"),
        dates.moment("2026-12-02"),
    )
    assert second.valid_to is None


def test_what_is_about_nothing_is_left_to_the_text(lenient: Lenient) -> None:
    made = legacy.cargo(
        {
            "working_memory": [MEMORY],
            "facts": [
                {"subject": "iso_date", "predicate": "date", "object": "2026-12-24", "source_msg_id": "m1"},
                {"subject": "version", "predicate": "version", "object": "2.1.0", "source_msg_id": "m1"},
                {"subject": "response_ms", "predicate": "metric", "object": "20ms", "source_msg_id": "m1"},
            ],
        },
        lenient,
    )
    assert said(made.statements) == [("fact", "response ms", "measured", "20ms")]
    assert [count for (table, _), count in made.left.items() if table == "facts"] == [2]


def test_what_is_superseded_there_has_ended(lenient: Lenient) -> None:
    row = {"subject": "Ann", "predicate": "lives_in", "object": "Rome", "first_seen": "2026-01-01", "sources_json": "x"}
    (found,) = stated(lenient, consolidated_facts=[row | {"last_seen": "2026-02-01", "superseded_by": "cf_2"}])
    assert (found.valid_to, found.memory) == (dates.moment("2026-02-01"), None)


def test_canonical_facts_and_personas_of_mnemosyne(lenient: Lenient) -> None:
    found = stated(
        lenient,
        canonical_facts=[{"category": "project", "name": "port", "body": "8080", "valid_from": "2026-01-01"}],
        memoria_persona=[{"topic": "role", "content": "Writes firmware", "source_memory_id": "m1"}],
    )
    assert said(found) == [("fact", "project", "port", "8080"), ("identity", "user", "role", "Writes firmware")]


def test_triples_that_say_something_of_a_memory_are_no_facts(lenient: Lenient) -> None:
    row = {"subject": "m1", "predicate": "mentions", "object": "Acme"}
    made = legacy.cargo({"working_memory": [MEMORY], "triples": [row]}, lenient)
    assert made.statements == []
    assert [(each.memory, each.kind, each.value) for each in made.annotations] == [("m1", "mentions", "Acme")]


def test_half_a_triple_says_nothing(lenient: Lenient) -> None:
    assert stated(lenient, triples=[{"subject": "Ann", "predicate": " ", "object": None}]) == []
