"""Facts, triples, contradictions and links."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mnemopi.errors import ConflictError, ForbiddenError, NotFoundError, UsageError
from mnemopi.tools import catalog
from mnemopi.tools.caller import Caller, Effect, Engines
from mnemopi.tools.confirm import UnconfirmedError

Call = Callable[..., dict[str, Any]]
Stored = Callable[..., str]


def test_a_triple_is_found_by_each_of_its_parts(call: Call) -> None:
    made = call("triple_add", subject="Ines", predicate="works_at", object="the harbour")
    assert (made["status"], made["store"]) == ("stored", "triples")
    for given in ({"subject": "ines"}, {"predicate": "works_at"}, {"object": "The Harbour"}):
        assert [row["triple_id"] for row in call("triple_query", **given)["results"]] == [made["triple_id"]]
    assert call("triple_query", object="the dock")["count"] == 0
    assert call("triple_query", subject="jun")["count"] == 0


def test_a_triple_holds_from_when_it_is_said_to(call: Call) -> None:
    call("triple_add", subject="Ines", predicate="works_at", object="the harbour", valid_from="2020-01-01")
    assert call("triple_query", as_of="2019-06-01")["count"] == 0
    assert call("triple_query", as_of="2021-06-01")["count"] == 1


def test_confidence_and_source_say_how_far_a_triple_is_believed(call: Call) -> None:
    given = {"predicate": "likes", "object": "tea"}
    sure = call("triple_add", subject="Ines", **given)
    call("triple_add", subject="Jun", **given, confidence=0.3)
    call("triple_add", subject="Mara", **given, source="web")
    rows = {row["subject"]: row for row in call("triple_query")["results"]}
    assert rows["Ines"]["belief"] > rows["Jun"]["belief"]
    assert (rows["Ines"]["veracity"], rows["Mara"]["veracity"]) == ("stated", "tool")
    assert call("history", memory_id=sure["triple_id"])["events"][0]["reason"] == "source: conversation"


def test_what_was_stated_is_erased_once_somebody_agreed(call: Call) -> None:
    id = call("triple_add", subject="Ines", predicate="works_at", object="the harbour")["triple_id"]
    with pytest.raises(UnconfirmedError) as asked:
        call("facts", action="erase", fact_id=id)
    assert "harbour" in asked.value.preview["fact"]
    assert call("facts")["count"] == 1
    erased = call("facts", action="erase", fact_id=id, reason="gone", confirm=asked.value.as_dict()["confirm"])
    assert (erased["status"], erased["results"]) == ("erased", [{"id": id}])
    assert call("facts", include_ended=True)["count"] == 0
    with pytest.raises(NotFoundError):
        call("facts", action="erase", fact_id=id)


def test_a_fact_that_a_memory_states_is_not_erased_beside_it(call: Call, stored: Stored) -> None:
    stored("I prefer tabs.", source="user")
    id = call("facts")["results"][0]["id"]
    with pytest.raises(UnconfirmedError) as asked:
        call("facts", action="erase", fact_id=id)
    with pytest.raises(ConflictError, match="rests on memories"):
        call("facts", action="erase", fact_id=id, confirm=asked.value.as_dict()["confirm"])
    assert call("facts")["count"] == 1


@pytest.mark.parametrize(("most", "may"), [("read", ["read"]), ("change", ["read", "end", "prefer"])])
def test_what_one_may_do_with_facts_depends_on_what_it_does(engines: Engines, most: Effect, may: list[str]) -> None:
    caller, tool = Caller.of(engines, most=most), catalog.find("mnemopi_facts")
    assert tool.run(caller, {})["count"] == 0
    for action in ("end", "prefer", "erase"):
        with pytest.raises(NotFoundError if action in may else ForbiddenError):
            tool.run(caller, {"action": action, "fact_id": "none"})


def test_the_list_of_triples_has_an_end(call: Call) -> None:
    for name in ("Ines", "Jun", "Mara"):
        call("triple_add", subject=name, predicate="likes", object="tea")
    found = call("triple_query", limit=2)
    assert (found["count"], found["truncated"]) == (2, True)


def test_facts_are_read_by_words_parts_and_time(call: Call, stored: Stored) -> None:
    stored("I prefer tabs over spaces")
    assert call("facts")["count"] == 1
    for given in ({"query": "tabs"}, {"subject": "user"}, {"kind": "preference"}, {"limit": 1}):
        assert call("facts", **given)["count"] == 1, given
    for given in ({"query": "harbour"}, {"predicate": "lives_in"}, {"as_of": "2020-01-01"}, {"known_at": "2020-01-01"}):
        assert call("facts", **given)["count"] == 0, given


def test_a_fact_is_ended_and_then_only_read_where_asked_for(call: Call, stored: Stored) -> None:
    stored("I prefer tabs over spaces")
    id = call("facts")["results"][0]["id"]
    ended = call("facts", action="end", fact_id=id, at="2026-06-01", reason="changed her mind")
    assert (ended["status"], ended["count"]) == ("ended", 1)
    assert call("facts", as_of="2026-07-01")["count"] == 0
    assert call("facts", include_ended=True)["count"] == 1


def test_a_contradiction_is_settled_by_a_preference(call: Call) -> None:
    for day in ("5 May", "6 May"):
        call("triple_add", subject="launch", predicate="date", object=day, valid_from="2026-01-01")
    found = call("conflicts")
    assert found["count"] == 1
    chosen = next(side for side in found["conflicts"][0]["sides"] if side["object"] == "6 May")
    assert call("facts", action="prefer", fact_id=chosen["id"], reason="asked her")["status"] == "preferred"
    assert call("conflicts")["count"] == 0
    assert [row["object"] for row in call("facts", subject="launch")["results"]] == ["6 May"]


@pytest.mark.parametrize(
    "given",
    [
        {"action": "end"},
        {"action": "read", "fact_id": "x"},
        {"action": "prefer", "fact_id": "x", "at": "2026-01-01"},
        {"action": "end", "fact_id": "x", "query": "y"},
        {"action": "burn"},
    ],
)
def test_an_action_takes_its_own_arguments_and_no_others(call: Call, given: Any) -> None:
    with pytest.raises(UsageError):
        call("facts", **given)


def test_a_link_is_walked_with_its_type_weight_and_length(call: Call, stored: Stored) -> None:
    one, two, three = stored("The crane"), stored("The winch"), stored("The pier")
    made = call("graph_link", source_id=one, target_id=two, relationship="caused by", weight=0.4)
    assert (made["status"], made["edge_type"], made["weight"]) == ("linked", "caused_by", 0.4)
    assert call("graph_link", source_id=two, target_id=three, relationship="follows")["weight"] == 0.5
    found = call("graph_query", seed_memory_id=one)
    assert [(row["memory_id"], row["depth"], row["edge_type"]) for row in found["results"]] == [
        (two, 1, "caused_by"),
        (three, 2, "follows"),
    ]
    assert found["count"] == found["results_count"] == 2
    for given in ({"max_hops": 1}, {"edge_type": "caused_by"}, {"limit": 1}):
        assert call("graph_query", seed_memory_id=one, **given)["count"] == 1, given
    assert call("graph_query", seed_memory_id=one, min_weight=0.45)["count"] == 0


def test_a_link_needs_both_ends(call: Call, stored: Stored) -> None:
    with pytest.raises(NotFoundError):
        call("graph_link", source_id=stored("The crane"), target_id="nothing", relationship="follows")
