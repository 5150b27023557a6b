"""Facts on the command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Call = Callable[..., Any]


def test_facts_are_stated_listed_and_ended(call: Call) -> None:
    stated = call("facts", "assert", "staging", "port", "5433", "--json").json
    assert (stated["subject"], stated["object"]) == ("staging", "5433")
    assert [fact["id"] for fact in call("facts", "--json").json["facts"]] == [stated["id"]]
    assert "staging port 5433" in call("facts").out
    assert call("facts", "end", stated["id"], "--quiet").out.strip() == stated["id"]
    assert call("facts", "--json").json["count"] == 0
    assert call("facts", "--all", "--json").json["count"] == 1
    assert call("facts", "list", "staging", "--all", "--json").json["count"] == 1


def test_what_is_no_verb_is_a_query(call: Call) -> None:
    call("facts", "assert", "staging", "port", "5433")
    call("facts", "assert", "reviewer", "name", "Ines")
    assert call("facts", "staging port", "--json").json["count"] == 1
    assert call("facts", "--subject", "reviewer", "--json").json["count"] == 1
    assert call("--json", "facts", "nothing").json["facts"] == []
    assert "No facts" in call("facts", "nothing").out


def test_a_question_may_be_about_another_time(call: Call) -> None:
    call("facts", "assert", "staging", "port", "5432", "--from", "2020-01-01")
    call("facts", "assert", "staging", "port", "5433", "--from", "2024-01-01")
    then = call("facts", "--as-of", "2022-01-01", "--json").json["facts"]
    assert [fact["object"] for fact in then] == ["5432"]
    assert call("facts", "--known-at", "2020-01-01", "--json").json["count"] == 0


def test_the_names_of_the_library_are_understood_too(call: Call) -> None:
    stated = call(
        "facts", "assert", "crane", "pier", "7", "--valid-from", "2020-01-01", "--valid-to", "2021-01-01", "--json"
    ).json
    assert (stated["valid_from"][:10], stated["valid_to"][:10]) == ("2020-01-01", "2021-01-02")
    assert call("facts", "--json").json["count"] == 0
    assert call("facts", "--include-ended", "--json").json["count"] == 1


def test_contradictions_are_listed_and_settled(call: Call) -> None:
    assert "No contradictions" in call("conflicts").out
    ids = [
        call("facts", "assert", "launch", "date", day, "--from", "2026-01-01", "--json").json["id"]
        for day in ("5 May", "6 May")
    ]
    (conflict,) = call("conflicts", "--json").json["conflicts"]
    assert {side["id"] for side in conflict["sides"]} == set(ids)
    assert "6 May" in call("conflicts").out
    assert call("facts", "prefer", ids[1], "--reason", "asked", "--json").json["contested"] is False
    assert call("conflicts", "--json").json["count"] == 0


def test_bad_input_has_the_status_of_its_kind(call: Call) -> None:
    assert call("facts", "--kind", "rumour").status == 2
    assert call("facts", "assert", "staging", "port").status == 2
    assert call("facts", "end", "nobody").status == 3
    fact = call("facts", "assert", "staging", "port", "5433", "--json").json["id"]
    assert call("invalidate", fact).status == 4
    assert "facts" in call("invalidate", fact).err


def test_a_stated_fact_is_erased_only_when_it_is_said_to(call: Call) -> None:
    id = call("facts", "assert", "vault", "port", "8200", "--json").json["id"]
    assert call("facts", "erase", id, input="n\n").status != 0
    assert call("facts", "--json").json["count"] == 1
    assert call("facts", "erase", id, "--yes", "--reason", "wrong bank", "--json").json["deleted"][0]["id"] == id
    assert call("facts", "--all", "--json").json["count"] == 0
    assert [each["verb"] for each in call("history", id, "--json").json["history"]] == ["asserted", "forgot"]
    assert call("facts", "erase", id, "--yes").status != 0


def test_the_history_of_a_fact_names_the_memories_behind_it(call: Call) -> None:
    said = call("store", "The staging server listens on port 5432.", "--json").json["id"]
    (fact,) = call("facts", "--json").json["facts"]
    told = call("history", fact["id"], "--json").json["history"]
    assert [(each["verb"], each["memory"]) for each in told] == [("stated", said)]
    assert f"memory {said}" in call("history", fact["id"]).out
