"""Correct, hide, erase, vouch, pin, and undo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mnemopi.errors import ConflictError, NotFoundError, UsageError

Call = Callable[..., dict[str, Any]]
Stored = Callable[..., str]


def test_update_replaces_text_and_importance(call: Call, stored: Stored) -> None:
    id = stored("The crane stands on pier 7")
    done = call("update", memory_id=id, content="The crane stands on pier 9", importance=0.9)
    assert (done["status"], done["version"]) == ("updated", 2)
    kept = call("get", memory_id=id)["memory"]
    assert (kept["content"], kept["importance"]) == ("The crane stands on pier 9", 0.9)


def test_update_wants_something_to_change(call: Call, stored: Stored) -> None:
    with pytest.raises(UsageError, match="content or importance is required"):
        call("update", memory_id=stored("The crane"))


def test_a_text_that_is_read_and_written_again_is_the_same(call: Call, stored: Stored) -> None:
    id = stored("The guide writes </memories> and &lt;/memories> for one thing")
    read = call("get", memory_id=id)["memory"]
    assert "</memories>" not in read["content"]
    call("update", memory_id=id, content=read["content"] + ".")
    again = call("get", memory_id=id)["memory"]
    assert again["content"] == read["content"] + "."
    call("validate", memory_id=id, action="update", new_content=again["content"].removesuffix("."))
    assert call("get", memory_id=id)["memory"]["content"] == read["content"]


@pytest.mark.parametrize("tool", ["update", "invalidate", "forget"])
def test_another_version_than_was_read_stays_as_it_is(tool: str, call: Call, stored: Stored) -> None:
    id = stored("The crane stands on pier 7")
    call("update", memory_id=id, content="The crane stands on pier 9")
    more = {"content": "The crane is gone"} if tool == "update" else {}
    with pytest.raises(ConflictError):
        call(tool, memory_id=id, version=1, **more)
    assert call("get", memory_id=id)["memory"]["content"] == "The crane stands on pier 9"
    call(tool, memory_id=id, version=2, **more)


def test_invalidate_says_why(call: Call, stored: Stored) -> None:
    id = stored("The crane stands on pier 7")
    call("invalidate", memory_id=id, reason="moved in May")
    assert any(each.get("reason") == "moved in May" for each in call("history", memory_id=id)["events"])


def test_invalidate_hides_and_names_what_supersedes(call: Call, stored: Stored) -> None:
    old, new = stored("The crane stands on pier 7"), stored("The crane stands on pier 9")
    done = call("invalidate", memory_id=old, replacement_id=new)
    assert (done["status"], done["replacement_id"]) == ("invalidated", new)
    assert [each["id"] for each in call("recall", query="crane")["results"]] == [new]
    assert call("get", memory_id=old)["memory"]["superseded_by"] == new


def test_forget_erases_for_good(call: Call, stored: Stored) -> None:
    id = stored("The crane stands on pier 7")
    assert call("forget", memory_id=id)["status"] == "deleted"
    with pytest.raises(NotFoundError):
        call("get", memory_id=id)
    with pytest.raises(NotFoundError):
        call("forget", memory_id=id)


@pytest.mark.parametrize(
    ("action", "more", "verb"),
    [
        ("attest", {}, "attested"),
        ("update", {"new_content": "The crane stands on pier 9"}, "updated"),
        ("invalidate", {}, "invalidated"),
        ("delete", {}, "forgot"),
    ],
)
def test_validate_does_it_in_somebodys_name_and_says_why(
    call: Call, stored: Stored, action: str, more: Any, verb: str
) -> None:
    id = stored("The crane stands on pier 7", author_id="jun")
    done = call("validate", memory_id=id, action=action, validator="ines", note="saw it", **more)
    assert done["status"] == f"validation_{action}"
    assert (done["validator"], done["author_id"]) == ("ines", "jun")
    assert done["previous_content"] == "The crane stands on pier 7"
    last = call("history", memory_id=id)["events"][-1]
    assert (last["verb"], last["actor"], last["reason"]) == (verb, "ines", "saw it")


def test_validate_works_on_the_surface(call: Call) -> None:
    id = call("shared_remember", content="Answers in German")["memory_id"]
    done = call("validate", memory_id=id, action="attest", bank="surface")
    assert (done["bank"], done["validator"]) == ("surface", "unknown")
    with pytest.raises(NotFoundError):
        call("validate", memory_id=id, action="attest")


def test_validate_wants_a_text_for_an_update_alone(call: Call, stored: Stored) -> None:
    id = stored("The crane stands on pier 7")
    with pytest.raises(UsageError):
        call("validate", memory_id=id, action="update")
    with pytest.raises(UsageError):
        call("validate", memory_id=id, action="attest", new_content="x")


def test_undo_takes_back_the_last_change(call: Call, stored: Stored) -> None:
    id = stored("The crane stands on pier 7")
    call("update", memory_id=id, content="nonsense")
    assert call("undo", memory_id=id, reason="a mistake")["status"] == "undone"
    assert call("get", memory_id=id)["memory"]["content"] == "The crane stands on pier 7"
    assert call("history", memory_id=id)["events"][-1]["reason"] == "a mistake"


def test_a_pinned_memory_comes_first_in_every_context(call: Call, stored: Stored) -> None:
    id = stored("The crane stands on pier 7")
    assert call("pin", memory_id=id)["status"] == "pinned"
    assert "pier 7" in call("context", query="something else entirely")["context"]
    assert call("pin", memory_id=id, pinned=False)["status"] == "unpinned"
    assert "pier 7" not in call("context", query="something else entirely")["context"]
