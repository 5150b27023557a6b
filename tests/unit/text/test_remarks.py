"""What a memory's own text and fields say of it."""

from __future__ import annotations

from dataclasses import replace

from mnemopi.model.interval import Interval
from mnemopi.model.memory import Memory
from mnemopi.text import remarks

DAY = 86_400_000
PLAIN = Memory(id="m1", version=1, kind="note", content="", recorded_at=5, timestamp=5, session_id="s")


def said(memory: Memory, kind: str) -> list[str]:
    return [each.value for each in remarks.of(memory) if each.kind == kind]


def test_a_memory_mentions_what_its_text_names() -> None:
    assert said(replace(PLAIN, content="We met Bob in Rome."), "mentions") == ["Bob", "Rome"]


def test_an_alias_is_found_under_either_name_and_told_as_one() -> None:
    memory = replace(PLAIN, content="Kubernetes (K8s) runs it.")
    keys = {each.key for each in remarks.of(memory) if each.kind == "alias"}
    assert keys == {"kubernetes = k8s", "k8s = kubernetes"}
    assert set(said(memory, "alias")) == {"Kubernetes = K8s"}
    assert set(said(memory, "mentions")) == {"Kubernetes", "K8s"}


def test_the_event_date_is_the_memorys_own() -> None:
    day = Interval(0, DAY, "day")
    assert said(replace(PLAIN, content="on 5 May", event=day), "occurred_on") == ["1970-01-01"]
    assert said(replace(PLAIN, content="on 5 May"), "occurred_on") == []


def test_a_source_that_says_something_is_kept() -> None:
    assert said(replace(PLAIN, source="github"), "has_source") == ["github"]
    assert said(PLAIN, "has_source") == []


def test_an_alias_that_is_given_is_keyed_as_one_that_was_read() -> None:
    assert remarks.keyed("alias", "Kubernetes = K8s") == ["kubernetes = k8s", "k8s = kubernetes"]
    assert remarks.keyed("mentions", "The Ops Team") == ["ops team"]
