"""Validation, undo, pins, the scratchpad, the surface and compacting on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

# -- validate, contaminated, pin


def test_attesting_says_so_and_stands_in_the_history(call: Any, stored: Any) -> None:
    id = stored("The crane stands on pier 7", "--veracity", "inferred")
    done = call("validate", id, "attest", "--by", "mara", "--reason", "looked")
    assert done.out.splitlines() == [f"Validated: {id}", "  attested, version 2"]
    told = call("history", id, "--json").json
    assert told["id"] == id
    assert [(event["verb"], event["actor"], event["reason"]) for event in told["history"]] == [
        ("remembered", None, None),
        ("attested", "mara", "looked"),
    ]
    assert call("get", id, "--json").json["veracity"] == "stated"


def test_a_correction_is_one_command(call: Any, stored: Any) -> None:
    id = stored("The crane stands on pier 7")
    done = call("validate", id, "update", "--by", "mara", "--content", "The crane stands on pier 9", "--json")
    assert done.json["outcome"] == "updated"
    assert call("get", id, "-q").out == "The crane stands on pier 9\n"


def test_validating_by_deletion_asks_first(call: Any, stored: Any) -> None:
    id = stored("The crane stands on pier 7")
    refused = call("validate", id, "delete", "--by", "mara")
    assert refused.status == 2 and "--yes" in refused.err
    assert call("validate", id, "delete", "--by", "mara", "--yes").out == f"Deleted: {id}\n"


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["approve", "--by", "mara"], 2),
        (["attest"], 2),
        (["update", "--by", "mara"], 2),
        (["attest", "--by", "mara", "--content", "x"], 2),
    ],
)
def test_a_verdict_that_makes_no_sense_is_bad_usage(call: Any, stored: Any, arguments: list[str], status: int) -> None:
    done = call("validate", stored("The crane stands on pier 7"), *arguments)
    assert done.status == status and done.err.startswith("Error: ")


def test_contaminated_names_what_and_why(call: Any, stored: Any) -> None:
    id = stored("My name is Mara.", "chat", "--author", "mara", "--author-type", "user", "--veracity", "contested")
    told = call("contaminated", "--json").json
    assert told["count"] == 1
    assert told["contaminated"][0]["doubts"] == [{"source": id, "why": "contested"}]
    assert f"{id} (contested)" in call("contaminated").out
    assert call("contaminated", "--min-importance", "0.9", "--json").json["count"] == 0


def test_a_pin_is_set_and_taken_off(call: Any, stored: Any) -> None:
    id = stored("The crane stands on pier 7")
    assert call("pin", id).out == f"Pinned: {id}\n"
    assert call("get", id, "--json").json["pinned"] is True
    assert call("unpin", id).out == f"Unpinned: {id}\n"
    assert call("unpin", id).out.splitlines() == [f"Unpinned: {id}", "  unchanged, version 3"]
    assert call("pin", "0" * 16).status == 3


# -- undo, history, events


def test_undo_takes_the_last_change_back(call: Any, stored: Any) -> None:
    id = stored("The crane stands on pier 7")
    call("update", id, "The crane stands on pier 9")
    assert call("undo", id, "--reason", "no").out.splitlines() == [f"Undone: {id}", "  undone, version 3"]
    assert call("get", id, "-q").out == "The crane stands on pier 7\n"
    refused = call("undo", id)
    assert refused.status == 4 and "forget" not in refused.err


def test_what_is_deleted_is_not_undone(call: Any, stored: Any) -> None:
    id = stored("The crane stands on pier 7")
    call("delete", id, "--yes")
    refused = call("undo", id)
    assert refused.status == 4 and "cannot come back" in refused.err
    assert [event["verb"] for event in call("history", id, "--json").json["history"]] == ["remembered", "forgot"]


def test_events_go_on_after_a_cursor(call: Any, stored: Any) -> None:
    ids = [stored(f"Crane {number}") for number in range(3)]
    first = call("events", "--limit", "1", "--json").json["events"][0]
    assert first["memory"] == ids[0]
    rest = call("events", "--after", first["cursor"], "--json").json
    assert [event["memory"] for event in rest["events"]] == ids[1:]
    assert call("events", "--after", "nonsense").status == 2


# -- the scratchpad


def test_the_scratchpad_is_written_read_and_cleared(call: Any) -> None:
    written = call("scratchpad", "write", "next: the migration")
    id = written.out.removeprefix("Scratchpad stored: ").strip()
    lines = call("sp", "read").out.splitlines()
    assert lines[0] == f"  ID: {id}" and lines[2] == "  Content: next: the migration"
    assert call("sp", "write", "-", "--json", input=b"two\nlines\n").json["outcome"] == "created"
    told = call("sp", "read", "--json").json
    assert (told["count"], [note["content"] for note in told["notes"]]) == (2, ["two\nlines", "next: the migration"])
    assert call("sp", "clear").out == "Scratchpad cleared: 2 notes\n"
    assert call("sp", "read").out == "The scratchpad is empty.\n"


def test_the_scratchpad_is_the_sessions(call: Any) -> None:
    call("sp", "write", "mine", "--session", "a")
    assert call("sp", "read", "--session", "a", "-q").out == "mine\n"
    assert call("sp", "read", "--session", "b", "-q").out == ""


def test_clearing_more_than_20_notes_wants_to_be_confirmed(call: Any) -> None:
    for number in range(21):
        call("sp", "write", str(number))
    refused = call("sp", "clear")
    assert refused.status == 2 and "--yes" in refused.err
    assert call("sp", "read", "--json").json["count"] == 21
    assert call("sp", "clear", "--yes", "--json").json == {"status": "cleared", "count": 21}


@pytest.mark.parametrize("arguments", [["write", ""], ["write"], ["read", "--limit", "0"], ["burn"]])
def test_what_no_scratchpad_takes_is_bad_usage(call: Any, arguments: list[str]) -> None:
    assert call("scratchpad", *arguments).status == 2


# -- the surface


def test_the_surface_is_shared_by_banks(call: Any) -> None:
    id = call("surface", "remember", "Mara wants answers in German", "--kind", "preference", "--json").json["id"]
    told = call("--bank", "work", "surface", "recall", "answers", "--json").json
    assert ([hit["id"] for hit in told["results"]], told["bank"]) == ([id], "surface")
    listed = call("surface", "list", "--kind", "preference", "--json").json
    assert [each["id"] for each in listed["memories"]] == [id]
    assert call("surface", "list", "--kind", "meta", "--json").json["count"] == 0
    assert "preference" in call("surface", "list").out
    assert call("surface", "forget", id, "--yes").out == f"Deleted: {id}\n"


def test_the_surface_lies_where_the_setting_says(call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMOPI_SHARED_SURFACE_DB", str(tmp_path / "shared.db"))
    call("surface", "remember", "Mara wants answers in German")
    assert (tmp_path / "shared.db").exists()
    assert "surface" not in call("bank", "list").out


def test_an_unknown_kind_is_bad_usage(call: Any) -> None:
    assert call("surface", "remember", "text", "--kind", "gossip").status == 2


# -- compacting


def test_compacting_tells_the_bytes_before_and_after(call: Any, stored: Any, folder: Path) -> None:
    for number in range(20):
        call("delete", stored(f"Crane {number} " + "and its story " * 300), "--yes")
    kept = stored("The crane stands on pier 7")
    told = call("compact", "--json").json
    assert told["bytes_after"] == (folder / "mnemopi.db").stat().st_size < told["bytes_before"]
    assert call("get", kept, "-q").out == "The crane stands on pier 7\n"
    assert call("compact").out.startswith("Compacted: ")
    assert len(call("compact", "-q").out.split("\t")) == 2
    assert json.loads(call("diagnose", "--json").out)["healthy"]
