"""The graph through the engine: links, walks, annotations, what becomes of them, and who sees them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import apsw
import pytest

from mnemopi import Mnemopi
from mnemopi.errors import NotFoundError, UsageError


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Mnemopi]:
    with Mnemopi(tmp_path / "m.db", no_embeddings=True, author_id="mara", config={"write.settle": "off"}) as made:
        yield made


def ids(found: Any) -> list[str]:
    return [each.id for each in found]


def stored(memory: Mnemopi, *texts: str, **fields: Any) -> list[str]:
    return [str(memory.remember(text, **fields)) for text in texts]


# -- links


def test_a_link_shows_at_both_ends_with_its_evidence(memory: Mnemopi) -> None:
    a, b = stored(memory, "the pump failed", "the quay was flooded")
    edge = memory.graph.link(b, a, "caused-by", 0.8, evidence="the report says so")
    assert (edge.type, edge.weight, edge.evidence, edge.origin) == ("caused_by", 0.8, "the report says so", "given")
    assert memory.graph.edges(a) == memory.graph.edges(b) == [edge]


def test_a_link_of_the_same_type_is_replaced_and_others_stand_beside(memory: Mnemopi) -> None:
    a, b = stored(memory, "one", "two")
    memory.graph.link(a, b, "follows", 0.2)
    memory.graph.link(a, b, "follows", 0.9)
    memory.graph.link(a, b, "contradicts", 0.5)
    assert [(edge.type, edge.weight) for edge in memory.graph.edges(a)] == [("follows", 0.9), ("contradicts", 0.5)]


@pytest.mark.parametrize("weight", [math.nan, math.inf, -math.inf, -0.1, 1.1, "1", True, None])
def test_a_weight_is_a_finite_number_from_0_to_1(memory: Mnemopi, weight: Any) -> None:
    a, b = stored(memory, "one", "two")
    with pytest.raises(UsageError, match="weight"):
        memory.graph.link(a, b, weight=weight)
    assert memory.graph.edges(a) == []


@pytest.mark.parametrize("type", ["", "two words!", "1st", None, "x" * 60])
def test_a_type_is_a_word(memory: Mnemopi, type: Any) -> None:
    a, b = stored(memory, "one", "two")
    with pytest.raises(UsageError, match="type"):
        memory.graph.link(a, b, type)


def test_nothing_is_linked_to_itself_or_to_what_is_not_there(memory: Mnemopi) -> None:
    [a] = stored(memory, "one")
    with pytest.raises(UsageError, match="itself"):
        memory.graph.link(a, a)
    with pytest.raises(NotFoundError):
        memory.graph.link(a, "nobody")


def test_links_are_taken_away_in_either_direction_or_by_type(memory: Mnemopi) -> None:
    a, b = stored(memory, "one", "two")
    memory.graph.link(a, b, "follows")
    memory.graph.link(b, a, "contradicts")
    assert memory.graph.unlink(b, a, "follows") == 1
    assert memory.graph.unlink(a, b) == 1
    assert memory.graph.unlink(a, b) == 0 and memory.graph.edges(a) == []


def test_evidence_passes_the_write_gate(memory: Mnemopi) -> None:
    a, b = stored(memory, "one", "two")
    secret = "sk-" + "proj-" + "A1b2" * 12
    assert "[REDACTED:" in memory.graph.link(a, b, evidence=f"the key is {secret}").evidence


def test_what_was_done_to_the_graph_is_in_the_history(memory: Mnemopi) -> None:
    a, b = stored(memory, "one", "two")
    memory.graph.link(a, b, "follows")
    memory.graph.unlink(a, b)
    memory.graph.annotate(a, "mentions", "Bob")
    assert [event.verb for event in memory.history(a)] == ["remembered", "linked", "unlinked", "annotated"]


# -- walks


def chain(memory: Mnemopi, count: int = 4, weight: float = 0.5) -> list[str]:
    made = stored(memory, *(f"note {number}" for number in range(count)))
    for one, other in pairwise(made):
        memory.graph.link(one, other, "follows", weight)
    return made


def test_a_walk_goes_two_hops_unless_told_otherwise(memory: Mnemopi) -> None:
    a, b, c, d = chain(memory)
    assert [(each.id, each.hops, each.weight) for each in memory.graph.related(a)] == [(b, 1, 0.5), (c, 2, 0.25)]
    assert ids(memory.graph.related(a, max_hops=3)) == [b, c, d]
    assert ids(memory.graph.related(d, 1)) == [c]
    assert ids(memory.graph.related(a, 3, limit=1)) == [b]


def test_a_walk_keeps_to_types_and_weights(memory: Mnemopi) -> None:
    a, b, c = stored(memory, "one", "two", "three")
    memory.graph.link(a, b, "follows", 0.9)
    memory.graph.link(a, c, "blocks", 0.2)
    assert ids(memory.graph.related(a, types=["follows"])) == [b]
    assert ids(memory.graph.related(a, types="blocks")) == [c]
    assert ids(memory.graph.related(a, min_weight=0.5)) == [b]
    assert memory.graph.related(a, types=["contradicts"]) == []


def test_a_type_that_nothing_has_is_an_error_unless_it_is_always_known(memory: Mnemopi) -> None:
    [a] = stored(memory, "one")
    with pytest.raises(UsageError, match="blocks"):
        memory.graph.related(a, types=["blocks"])
    assert memory.graph.related(a, types=["supersedes"]) == []


@pytest.mark.parametrize(
    "options",
    [{"max_hops": 0}, {"max_hops": 99}, {"limit": 0}, {"min_weight": math.nan}, {"types": []}, {"types": ["?"]}],
)
def test_a_walk_refuses_what_it_cannot_use(memory: Mnemopi, options: dict[str, Any]) -> None:
    [a] = stored(memory, "one")
    with pytest.raises(UsageError):
        memory.graph.related(a, **options)


def test_circles_end(memory: Mnemopi) -> None:
    made = chain(memory)
    memory.graph.link(made[-1], made[0], "follows")
    assert sorted(ids(memory.graph.related(made[0], 20))) == sorted(made[1:])


def test_a_path_holds_both_ends(memory: Mnemopi) -> None:
    a, b, c, d = chain(memory)
    found = memory.graph.path(d, a)
    assert ids(found) == [d, c, b, a]
    assert [each.hops for each in found] == [0, 1, 2, 3] and found[-1].weight == 0.125
    assert memory.graph.path(a, d, max_hops=2) == []
    assert ids(memory.graph.path(a, a)) == [a]


@pytest.mark.parametrize("gone", ["invalidated", "forgotten", "false"])
def test_what_is_not_valid_is_not_walked_through(memory: Mnemopi, gone: str) -> None:
    a, b, c = chain(memory, 3)
    if gone == "invalidated":
        memory.invalidate(b)
    elif gone == "forgotten":
        memory.forget(b)
    else:
        [b] = stored(memory, "a lie", veracity="false")
        memory.graph.link(a, b)
        memory.graph.link(b, c)
        memory.graph.unlink(a, ids(memory.graph.related(a, 1))[0])
    assert memory.graph.related(a, 3) == [] and memory.graph.path(a, c) == []


def test_what_is_valid_again_is_walked_through_again(memory: Mnemopi) -> None:
    a, b, c = chain(memory, 3)
    memory.invalidate(b)
    memory.undo(b)
    assert ids(memory.graph.path(a, c)) == [a, b, c]


def test_what_one_may_not_see_is_neither_shown_nor_walked_through(memory: Mnemopi) -> None:
    other = memory.acting_as(session_id="theirs")
    a, c = stored(memory, "one", "three")
    b = str(other.remember("what only they may see", scope="session"))
    other.graph.link(a, b)
    other.graph.link(b, c)
    assert ids(other.graph.path(a, c)) == [a, b, c]
    assert memory.graph.path(a, c) == [] and memory.graph.related(a) == [] and memory.graph.edges(a) == []
    for refused in (
        lambda: memory.graph.link(a, b),
        lambda: memory.graph.related(b),
        lambda: memory.graph.annotations(b),
    ):
        with pytest.raises(NotFoundError):
            refused()


# -- annotations


def told(memory: Mnemopi, id: str, kind: str | None = None) -> set[tuple[str, str]]:
    return {(each.kind, each.value) for each in memory.graph.annotations(id, kind)}


def test_a_memory_says_whom_it_mentions_and_when_it_happened(memory: Mnemopi) -> None:
    [a] = stored(memory, "We moved Kubernetes (K8s) to Oslo on 2026-03-03.", source="github")
    assert told(memory, a) == {
        ("mentions", "Kubernetes"),
        ("mentions", "K8s"),
        ("mentions", "Oslo"),
        ("alias", "Kubernetes = K8s"),
        ("occurred_on", "2026-03-03"),
        ("has_source", "github"),
    }


def test_given_ones_stay_over_updates_and_derived_ones_follow_the_text(memory: Mnemopi) -> None:
    [a] = stored(memory, "We met Bob in Oslo.")
    made = memory.graph.annotate(a, "mood", "cheerful", 0.7)
    assert (made.source, made.confidence) == ("mara", 0.7)
    memory.update(a, "We met Eve.")
    assert told(memory, a) == {("mentions", "Eve"), ("mood", "cheerful")}
    assert memory.graph.unannotate(a, "mood", "cheerful") and not memory.graph.unannotate(a, "mood", "cheerful")
    assert told(memory, a) == {("mentions", "Eve")}


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("", "x"),
        ("two words!", "x"),
        ("mood", ""),
        ("mood", " "),
        ("alias", "K8s"),
        ("alias", " = K8s"),
        ("occurred_on", "soon"),
    ],
)
def test_an_annotation_that_cannot_be_is_refused(memory: Mnemopi, kind: str, value: str) -> None:
    [a] = stored(memory, "one")
    with pytest.raises(UsageError):
        memory.graph.annotate(a, kind, value)
    assert told(memory, a) == set()


def test_entities_are_counted_with_their_other_names(memory: Mnemopi) -> None:
    stored(memory, "We use Kubernetes (K8s).", "Bob likes K8s.", "We fear K8s at night.")
    found = {each.name: (each.count, each.aliases) for each in memory.graph.entities()}
    assert found["K8s"] == (3, ("Kubernetes",)) and found["Kubernetes"] == (1, ("K8s",)) and found["Bob"] == (1, ())
    assert memory.graph.entities(1)[0].name == "K8s"


def test_what_mentions_a_thing_is_found_under_any_of_its_names(memory: Mnemopi) -> None:
    a, b, _ = stored(memory, "We use Kubernetes (K8s).", "Bob likes K8s.", "Bob sleeps.")
    assert ids(memory.graph.mentioning("kubernetes")) == [b, a]
    assert memory.graph.aliases("k8s") == ["Kubernetes"]
    memory.forget(a)
    assert memory.graph.aliases("k8s") == [] and ids(memory.graph.mentioning("Kubernetes")) == []


def test_a_given_alias_counts_as_one_that_was_read(memory: Mnemopi) -> None:
    a, b = stored(memory, "We trust Robert.", "Bob likes tea.")
    memory.graph.annotate(a, "alias", "Robert = Bob")
    assert ids(memory.graph.mentioning("Robert")) == [b, a]


def test_what_was_written_in_bulk_is_read_before_it_is_asked_for(memory: Mnemopi) -> None:
    memory.remember_many([{"content": f"We met Bob {number}"} for number in range(100)])
    assert memory.graph.entities()[0].count == 100


def test_settle_reads_what_waits_and_links_where_it_is_switched_on(tmp_path: Path) -> None:
    config = {"write.settle": "off", "knowledge.link": True}
    with Mnemopi(tmp_path / "m.db", no_embeddings=True, config=config) as memory:
        memory.remember_many([{"content": f"the tide gauge of pier {name}"} for name in ("alder", "birch")])
        memory.remember_many([{"content": f"We met Bob {number}"} for number in range(50)])
        report = memory.settle()
        assert report.annotated == 50 and report.linked == 52
        [edge] = memory.bank._store.connection.all("select origin, type from edge")
        assert edge == ("rule", "related_to")
        assert memory.settle().linked == 0


def test_linking_is_off_unless_it_is_switched_on(memory: Mnemopi) -> None:
    stored(memory, "the tide gauge of the pier", "the tide gauge of the quay")
    assert memory.settle().linked == 0
    assert memory.bank._store.connection.all("select * from edge") == []


# -- forgetting


def test_after_forget_nothing_of_the_graph_holds_the_id_or_the_text(memory: Mnemopi, tmp_path: Path) -> None:
    a, b = stored(memory, "Zyxwvut (Z5t) sang in Qpponml.", "Zyxwvut sleeps")
    memory.graph.link(a, b, evidence="both speak of Zyxwvut")
    memory.graph.annotate(a, "mood", "kjihgfed")
    memory.graph.annotations(b)
    memory.forget(a)
    memory.forget(b)
    raw = apsw.Connection(str(tmp_path / "m.db"))
    for table in ("annotation", "edge"):
        assert raw.execute(f"select * from {table}").fetchall() == []
    for word in (b"Zyxwvut", b"zyxwvut", b"Qpponml", b"kjihgfed"):
        assert all(word not in file.read_bytes() for file in tmp_path.iterdir() if file.name.startswith("m.db"))


# -- moving


def test_what_was_given_moves_with_an_export_and_what_was_derived_is_made_again(
    memory: Mnemopi, tmp_path: Path
) -> None:
    a, b = stored(memory, "We met Bob in Oslo.", "Eve sleeps.")
    edge = memory.graph.link(a, b, "caused_by", 0.4, evidence="Mara says so")
    bare = memory.graph.link(b, a, "blocks")
    memory.graph.annotate(a, "mood", "calm", 0.5)
    memory.graph.annotate(a, "alias", "Bob = Robert")
    first, second = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    counts = memory.export(first)
    assert (counts["annotations"], counts["edges"]) == (3, 2)
    with Mnemopi(tmp_path / "other" / "m.db", no_embeddings=True, config={"write.settle": "off"}) as other:
        other.load(first)
        assert set(other.graph.edges(a)) == {edge, bare}
        assert told(other, a) == told(memory, a) and other.graph.aliases("robert") == ["Bob"]
        other.export(second)
    assert first.read_bytes() == second.read_bytes()


def test_what_hangs_on_a_memory_that_was_here_before_is_left_as_it_is(memory: Mnemopi, tmp_path: Path) -> None:
    a, b = stored(memory, "one", "two")
    memory.graph.link(a, b, "follows", 0.4)
    memory.export(tmp_path / "one.jsonl")
    memory.graph.unlink(a, b)
    memory.load(tmp_path / "one.jsonl")
    assert memory.graph.edges(a) == []
    memory.forget(b)
    memory.load(tmp_path / "one.jsonl", force=True)
    assert memory.graph.edges(a) == []


@pytest.mark.parametrize(
    "line",
    [
        '{"edge":{"source":"a","target":"b","type":"follows","weight":"heavy","origin":"given","at":"2026-01-01T00:00:00.000Z"}}',
        '{"edge":{"source":"a","target":"b","weight":1,"origin":"given","at":"2026-01-01T00:00:00.000Z"}}',
        '{"annotation":{"memory":"a","kind":"mood","value":"","key":"x","source":"m","confidence":1,"at":"2026-01-01T00:00:00.000Z"}}',
    ],
)
def test_a_broken_line_is_refused_with_its_number(memory: Mnemopi, line: str) -> None:
    kind = "edges" if "edge" in line else "annotations"
    with pytest.raises(UsageError, match="line 2"):
        memory.load(['{"mnemopi_export":1,"counts":{"' + kind + '":1}}', line])
