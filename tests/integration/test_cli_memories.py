"""Single memories on the command line: stored, found, read, changed, hidden, erased."""

from __future__ import annotations

import re
from typing import Any

import pytest


def test_storing_prints_the_id(call: Any) -> None:
    done = call("store", "The harbour master is called Ines")
    assert re.fullmatch(r"Stored: [0-9a-f]{16,32}\n", done.out)
    assert (done.status, done.err) == (0, "")


def test_the_aliases_are_the_same_commands(call: Any) -> None:
    id = call("remember", "The crane stands on pier 7", "--json").json["id"]
    assert call("search", "crane", "--json").json["results"][0]["id"] == id
    assert call("edit", id, "The crane stands on pier 9").status == 0
    assert call("forget", id, "--yes").out == f"Deleted: {id}\n"


def test_source_and_importance_may_be_given_by_place(call: Any, stored: Any) -> None:
    told = call("get", stored("Buy rope", "shopping", "0.9"), "--json").json
    assert (told["source"], told["importance"]) == ("shopping", 0.9)


def test_what_the_command_line_stores_says_so(call: Any, stored: Any) -> None:
    assert call("get", stored("Buy rope"), "--json").json["source"] == "cli"


def test_facts_are_read_from_the_part_that_is_named(call: Any, stored: Any) -> None:
    stored("I live in Rome. The page says: I live in Paris", "--extract-text", "I live in Rome.")
    stored("I live in Oslo", "--no-extract")
    assert [fact["object"] for fact in call("facts", "--json").json["facts"]] == ["Rome"]


def test_deleting_a_fact_says_what_can_be_done_with_facts(call: Any, stored: Any) -> None:
    stored("The staging port is 5433")
    (fact,) = call("facts", "--json").json["facts"]
    done = call("delete", fact["id"], "--yes")
    assert (done.status, done.out) == (4, "")
    assert "is a fact" in done.err and "facts end" in done.err


def test_each_option_of_store_arrives(call: Any, stored: Any) -> None:
    given = {
        "--source": "chat",
        "--importance": "0.7",
        "--veracity": "stated",
        "--scope": "global",
        "--position": "4",
        "--author": "mara",
        "--author-type": "user",
        "--channel": "ops",
        "--external-id": "msg-9",
        "--timestamp": "2026-03-02T10:00:00Z",
        "--valid-until": "2027-01-01",
        "--metadata": '{"ticket": 42}',
        "--type": "decision",
        "--trust-tier": "DERIVED",
        "--embed-text": "what search sees",
        "--session": "standup",
    }
    id = stored("We sail at dawn", "--pin", *(word for pair in given.items() for word in pair))
    told = call("get", id, "--json").json
    assert told["content"] == "We sail at dawn"
    assert {
        "source": "chat",
        "importance": 0.7,
        "veracity": "stated",
        "scope": "global",
        "position": 4,
        "author_id": "mara",
        "author_type": "user",
        "channel_id": "ops",
        "external_id": "msg-9",
        "timestamp": "2026-03-02T10:00:00.000Z",
        "metadata": {"ticket": 42},
        "memory_type": "decision",
        "trust_tier": "DERIVED",
        "embed_text": "what search sees",
        "session_id": "standup",
        "kind": "turn",
        "pinned": True,
    }.items() <= told.items()
    assert told["valid_until"].startswith("2027-01-0")


def test_an_equal_note_merges_and_the_receipt_says_so(call: Any, stored: Any) -> None:
    id = stored("The pilot boards at nine")
    assert call("store", "The pilot boards at nine").out.splitlines() == [f"Stored: {id}", "  merged, version 1"]


def test_the_same_text_under_its_id_elsewhere_changes_nothing_and_another_is_its_next_version(
    call: Any, stored: Any
) -> None:
    id = stored("We sail at dawn", "--external-id", "msg-9")
    assert call("store", "We sail at dawn", "--external-id", "msg-9").out.splitlines()[1:] == ["  merged, version 1"]
    assert call("store", "We sail at noon", "--external-id", "msg-9").out.splitlines() == [
        f"Stored: {id}",
        "  updated, version 2",
    ]


def test_a_version_that_a_memory_does_not_have_is_told_apart_from_no_memory(call: Any, stored: Any) -> None:
    id = stored("We sail at dawn")
    call("update", id, "We sail at noon")
    for asked, told in ((("--version", "99"), "no version 99"), (("--as-of", "2001-01-01"), "no version of that time")):
        done = call("get", id, *asked)
        assert done.status == 3
        assert f"memory {id} has {told}" in done.err and "it has 1 to 2" in done.err
    assert "there is no memory" in call("get", "0123456789abcdef", "--version", "99").err


def test_with_a_session_it_is_a_turn_and_two_are_two(stored: Any) -> None:
    assert stored("ok", "--session", "standup") != stored("ok", "--session", "standup")


def test_what_was_redacted_is_told_and_not_stored(call: Any) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    done = call("store", f"the token is {secret[:40]}")
    assert "  redacted: 1 " in done.out
    assert secret[:40] not in call("recall", "token", "--full").out


def test_a_dash_reads_standard_input(call: Any) -> None:
    id = call("store", "-", "--json", input="first line\nsecond line: 你好\n".encode()).json["id"]
    assert call("get", id, "--json").json["content"] == "first line\nsecond line: 你好"


def test_recall_prints_the_form_for_people(call: Any, stored: Any) -> None:
    id = stored("The harbour master is called Ines")
    lines = call("recall", "harbour master").out.splitlines()
    assert lines[:5] == [
        "",
        "Results for: harbour master",
        "",
        f"  ID: {id}",
        "  Content: The harbour master is called Ines",
    ]
    assert [line.split(":")[0].strip() for line in lines[5:9]] == ["Score", "When", "Source", "Why"]
    assert re.fullmatch(r"  Score: \d\.\d{3}", lines[5])


def test_recall_as_json_has_these_keys(call: Any, stored: Any) -> None:
    stored("The harbour master is called Ines")
    told = call("recall", "harbour master", "--json").json
    assert list(told) == ["query", "count", "results", "retrievers", "bank"]
    assert (told["query"], told["count"], told["bank"]) == ("harbour master", 1, "default")
    assert "lexical" in told["retrievers"]
    assert {"id", "content", "score", "explanation", "timestamp", "span", "version"} <= set(told["results"][0])


def test_recall_takes_the_number_of_hits_by_place_or_option(call: Any, stored: Any) -> None:
    for pier in range(8):
        stored(f"Crane number {pier} stands on a pier")
    assert call("recall", "crane pier", "--json").json["count"] == 5
    assert call("recall", "crane pier", "2", "--json").json["count"] == 2
    assert call("recall", "crane pier", "-k", "7", "--json").json["count"] == 7
    assert call("recall", "crane pier", "2", "-k", "7").status == 2


def test_with_nothing_found_it_says_so_and_succeeds(call: Any) -> None:
    done = call("recall", "harbour")
    assert (done.status, done.err) == (0, "")
    assert "Nothing found." in done.out


@pytest.mark.parametrize(
    ("option", "value", "left"),
    [
        ("--in-session", "standup", 1),
        ("--author", "mara", 1),
        ("--author-type", "user", 1),
        ("--channel", "ops", 1),
        ("--source", "chat", 1),
        ("--scope", "bank", 2),
        ("--tier", "working", 2),
        ("--kind", "turn", 1),
        ("--veracity", "stated", 1),
        ("--type", "decision", 1),
        ("--from", "2026-01-01", 1),
        ("--to", "2026-01-01", 1),
        ("--as-of", "2001-01-01", 0),
        ("--profile", "lexical", 2),
        ("--retriever", "lexical", 2),
        ("--min-score", "1", 0),
        ("--mmr-lambda", "0.5", 2),
        ("--quota", "note=0", 1),
        ("--query-time", "2026-06-01", 2),
        ("--vec-weight", "0", 2),
        ("--fts-weight", "2", 2),
        ("--importance-weight", "0", 2),
        ("--temporal-weight", "0", 2),
        ("--temporal-halflife", "12", 2),
    ],
)
def test_each_option_of_recall_is_heard(option: str, value: str, left: int, call: Any, stored: Any) -> None:
    turn = ("--session", "standup", "--author", "mara", "--author-type", "user", "--channel", "ops", "--source", "chat")
    stored(
        "The crane stands on pier 7", *turn, "--veracity", "stated", "--type", "decision", "--timestamp", "2026-03-02"
    )
    stored("A crane came to the pier", "--timestamp", "2025-05-05")
    assert call("recall", "crane pier", option, value, "--json").json["count"] == left


@pytest.mark.parametrize("flag", ["--mmr", "--full", "--explain", "--include-invalid"])
def test_each_flag_of_recall_is_taken(flag: str, call: Any, stored: Any) -> None:
    stored("The crane stands on pier 7")
    assert call("recall", "crane", flag, "--json").json["count"] == 1


def test_explain_shows_every_term_of_the_score(call: Any, stored: Any) -> None:
    stored("The crane stands on pier 7")
    shown = call("recall", "crane", "--explain").out
    terms = call("recall", "crane", "--json").json["results"][0]["explanation"]["terms"]
    assert terms
    assert all(re.search(rf"^    {name} +[+-]\d", shown, re.MULTILINE) for name in terms)


def test_full_shows_the_whole_text(call: Any, stored: Any) -> None:
    stored("crane " + "x" * 3000)
    assert call("recall", "crane", "--json").json["results"][0]["truncated"]
    whole = call("recall", "crane", "--full", "--json").json["results"][0]
    assert (len(whole["content"]), whole["truncated"]) == (3006, False)


def test_quiet_prints_bare_columns(call: Any, stored: Any) -> None:
    id = stored("The crane\nstands on pier 7")
    assert call("store", "Buy rope", "--quiet").out.strip().isalnum()
    (line,) = call("recall", "crane", "--quiet").out.splitlines()
    assert line.split("\t")[0] == id
    assert line.split("\t")[2] == "The crane stands on pier 7"
    assert call("get", id, "-q").out == "The crane\nstands on pier 7\n"


def test_an_update_makes_a_version_and_get_reads_both(call: Any, stored: Any) -> None:
    id = stored("The crane stands on pier 7")
    assert call("update", id, "The crane stands on pier 9").out == f"Updated: {id}\n"
    assert call("get", id, "--json").json["content"] == "The crane stands on pier 9"
    assert call("get", id, "--version", "1", "--json").json["content"] == "The crane stands on pier 7"
    assert call("get", id, "--as-of", "2001-01-01").status == 3


def test_importance_and_pin_change_without_the_text(call: Any, stored: Any) -> None:
    id = stored("The crane stands on pier 7")
    assert call("update", id, "--importance", "0.9", "--pin").status == 0
    told = call("get", id, "--json").json
    assert (told["content"], told["importance"], told["pinned"]) == ("The crane stands on pier 7", 0.9, True)
    assert call("update", id, "--unpin").status == 0
    assert not call("get", id, "--json").json["pinned"]


def test_an_update_of_a_version_that_is_no_longer_there_is_refused(call: Any, stored: Any) -> None:
    id = stored("The crane stands on pier 7")
    call("update", id, "The crane stands on pier 8")
    done = call("update", id, "The crane stands on pier 9", "--expected-version", "1", "--json")
    assert (done.status, done.json["error"]["code"]) == (4, "changed")
    assert call("get", id, "--json").json["content"] == "The crane stands on pier 8"


def test_history_tells_what_happened_and_never_the_text(call: Any, stored: Any) -> None:
    id = stored("The crane stands on pier 7")
    call("update", id, "The crane stands on pier 8")
    done = call("get", id, "--history", "--json")
    assert [event["verb"] for event in done.json["history"]] == ["remembered", "updated"]
    assert "crane" not in done.out
    assert call("get", id, "--history").out.splitlines()[0].split() == ["When", "What", "Version", "Who", "Why"]


def test_an_invalidated_memory_is_hidden_and_names_what_replaces_it(call: Any, stored: Any) -> None:
    old, new = stored("The crane stands on pier 7"), stored("The crane moved to pier 9")
    done = call("invalidate", old, new, "--reason", "it moved")
    assert done.out == f"Invalidated: {old}\n  superseded by {new}\n"
    assert [hit["id"] for hit in call("recall", "crane pier", "--json").json["results"]] == [new]
    assert call("get", old, "--json").json["superseded_by"] == new
    assert call("recall", "crane pier", "--include-invalid", "--json").json["count"] == 2
    assert call("get", old, "--history", "--json").json["history"][-1]["reason"] == "it moved"


def test_deleting_erases_each_of_the_named(call: Any, stored: Any) -> None:
    first, second = stored("The crane stands on pier 7"), stored("Buy rope")
    done = call("delete", first, second, "--yes", "--json")
    assert (done.json["count"], [one["status"] for one in done.json["deleted"]]) == (2, ["erased", "erased"])
    assert call("get", first).status == call("get", second).status == 3


def test_deleting_one_that_is_not_there_deletes_nothing(call: Any, stored: Any) -> None:
    id = stored("The crane stands on pier 7")
    assert call("delete", id, "0123456789abcdef", "--yes").status == 3
    assert call("get", id).status == 0


def test_deleting_wants_a_yes_where_nobody_can_be_asked(call: Any, stored: Any) -> None:
    id = stored("The crane stands on pier 7")
    done = call("delete", id, input="y\n")
    assert (done.status, "--yes" in done.err) == (2, True)
    assert call("get", id).status == 0


def test_context_is_a_block_within_its_budget(call: Any, stored: Any) -> None:
    stored("The crane stands on pier 7", "--pin")
    for number in range(20):
        stored(f"The crane was painted for the {number}th time")
    told = call("context", "crane", "--budget", "600", "--json").json
    assert list(told) == ["query", "context", "length", "budget", "bank"]
    assert "pier 7" in told["context"]
    assert len(told["context"]) == told["length"] <= 600
    assert call("context", "--budget", "600").out.strip()


def test_context_takes_the_filters_of_recall_with_a_query_and_without(call: Any, stored: Any) -> None:
    stored("The crane stands on pier 7", "--source", "mail")
    stored("The crane was painted red", "--source", "talk")
    for query in (["crane"], []):
        told = call("context", *query, "--source", "mail").out
        assert "pier 7" in told and "painted" not in told
    assert call("context", "crane", "-k", "1", "--json").json["context"].count("crane") == 1
    assert call("context", "crane", "--quota", "note=1", "--json").json["context"].count("crane") == 1
    assert call("context", "crane", "--kind", "episode").out == ""
    assert call("context", "crane", "--to", "2020-01-01").out == ""
    assert call("context", "crane", "--quota", "note").status == 2
    assert call("context", "crane", "--kind", "boat").status == 2


def test_context_with_nothing_to_say_prints_nothing(call: Any) -> None:
    done = call("context", "crane")
    assert (done.status, done.out, done.err) == (0, "", "")


def test_get_prints_fields_then_the_text(call: Any, stored: Any) -> None:
    shown = call("get", stored("The crane stands on pier 7", "--author", "mara")).out
    assert re.search(r"^author_id: +mara$", shown, re.MULTILINE)
    assert shown.endswith("\n\nThe crane stands on pier 7\n")
