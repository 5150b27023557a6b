"""What every agent of a person should know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mnemopi.errors import NotFoundError, UsageError
from mnemopi.tools import catalog
from mnemopi.tools.caller import Caller, Engines

Call = Callable[..., dict[str, Any]]


def test_what_is_shared_is_labelled_and_found_from_every_bank(call: Call, engines: Engines) -> None:
    made = call("shared_remember", content="Answers in German", kind="preference")
    assert (made["status"], made["kind"]) == ("stored_shared", "preference")
    assert made["content_preview"] == "Surface preference: Answers in German"
    other = Caller.of(engines, own="work")
    found = catalog.find("mnemopi_shared_recall").run(other, {"query": "German"})
    (row,) = found["results"]
    assert (row["id"], row["bank"], row["shared_surface"]) == (made["memory_id"], "surface", True)
    assert row["metadata"] == {"shared_memory": True, "surface_kind": "preference"}
    assert (row["importance"], row["source"]) == (0.8, "surface_manual")


def test_a_label_is_not_put_twice(call: Call) -> None:
    made = call("shared_remember", content="Surface meta: short answers")
    assert made["content_preview"] == "Surface meta: short answers"


def test_each_argument_of_a_shared_memory_is_kept(call: Call) -> None:
    id = call("shared_remember", content="x y z", importance=0.3, veracity="inferred", metadata={"a": 1})["memory_id"]
    kept = call("get", memory_id=id, bank="surface")["memory"]
    assert (kept["importance"], kept["veracity"], kept["metadata"]["a"]) == (0.3, "inferred", 1)


def test_a_kind_that_is_none_is_an_error(call: Call) -> None:
    with pytest.raises(UsageError, match="kind"):
        call("shared_remember", content="x", kind="gossip")


def test_nothing_is_not_shared(call: Call) -> None:
    with pytest.raises(UsageError):
        call("shared_remember", content="  ")


def test_the_limit_of_shared_recall_counts(call: Call) -> None:
    for number in range(3):
        call("shared_remember", content=f"Likes tea number {number}")
    assert call("shared_recall", query="tea", limit=2)["count"] == 2


def test_shared_memories_are_counted_and_forgotten(call: Call) -> None:
    id = call("shared_remember", content="Answers in German")["memory_id"]
    assert call("shared_stats")["working"]["total"] == 1
    assert call("shared_forget", memory_id=id)["status"] == "deleted"
    assert call("shared_stats")["working"]["total"] == 0
    with pytest.raises(NotFoundError):
        call("shared_forget", memory_id=id)
