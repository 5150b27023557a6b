"""Recall by what is mentioned under any of its names, and by links: only where a profile or the caller asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mnemopi import Mnemopi


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Mnemopi]:
    with Mnemopi(tmp_path / "m.db", no_embeddings=True, config={"write.settle": "off"}) as made:
        made.remember("Kubernetes, also known as K8s, runs our services.")
        for number in range(30):
            made.remember(f"Something about cluster number {number} and its upgrade")
        yield made


def found(memory: Mnemopi, query: str, top_k: int = 3, **options: Any) -> list[str]:
    return [hit.content for hit in memory.recall(query, top_k, **options)]


MARA = "The Kubernetes upgrade was done by Mara on 3 March."


def test_a_memory_that_uses_another_name_is_found_by_this_one(memory: Mnemopi) -> None:
    memory.remember(MARA)
    assert MARA in found(memory, "who did the k8s upgrade?", profile="polyphonic")
    assert MARA not in found(memory, "who did the k8s upgrade?")


def test_another_name_counts_like_the_word_itself(memory: Mnemopi) -> None:
    memory.remember(MARA)
    hits = memory.recall("who did the k8s upgrade?", 3, profile="polyphonic")
    [hit] = [hit for hit in hits if hit.content == MARA]
    assert "entity" in hit.explanation.found_by
    assert hit.explanation.terms["words"] == 1, "no other says more of what was asked"
    assert sum(hit.explanation.terms.values()) == pytest.approx(hit.explanation.order)


def test_an_alias_that_one_may_not_see_helps_nobody(tmp_path: Path) -> None:
    with Mnemopi(tmp_path / "a.db", no_embeddings=True) as memory:
        memory.acting_as(session_id="theirs").remember("Bluebird, also known as Falcon, is ours.", scope="session")
        memory.remember("Our Falcon sails on Monday.")
        asked: dict[str, Any] = {"query": "when does bluebird leave?", "retrievers": ["lexical", "entity"]}
        assert found(memory, **asked) == []
        assert "Our Falcon sails on Monday." in [
            hit.content for hit in memory.acting_as(session_id="theirs").recall(**asked)
        ]


def test_what_is_linked_to_the_best_candidates_comes_along(memory: Mnemopi) -> None:
    a = memory.remember("The northern breakwater was repaired.")
    b = memory.remember("Lena paid the diver.")
    memory.graph.link(str(a), str(b), "caused_by", 0.9)
    hits = memory.recall("northern breakwater", 5, profile="polyphonic")
    [hit] = [hit for hit in hits if hit.id == b]
    assert hit.explanation.found_by == ("recent", "graph") or "graph" in hit.explanation.found_by
    assert 0 < hit.explanation.terms["linked"] < 1
    assert found(memory, "northern breakwater")[0] == "The northern breakwater was repaired."
    assert "Lena paid the diver." not in found(memory, "northern breakwater", 5)


def test_a_weak_link_brings_nothing(memory: Mnemopi) -> None:
    a = memory.remember("The northern breakwater was repaired.")
    b = memory.remember("Lena paid the diver.")
    memory.graph.link(str(a), str(b), weight=0.2)
    assert found(memory, "northern breakwater", retrievers=["lexical", "graph"]) == [
        "The northern breakwater was repaired."
    ]


def test_links_are_followed_last_whatever_order_is_asked_for(memory: Mnemopi) -> None:
    a = memory.remember("The northern breakwater was repaired.")
    b = memory.remember("Lena paid the diver.")
    memory.graph.link(str(a), str(b))
    hits = memory.recall("northern breakwater", 5, retrievers=["graph", "lexical"])
    assert hits.retrievers == ("lexical", "graph") and b in [hit.id for hit in hits]


@pytest.mark.parametrize("filters", [{"author_id": "nobody"}, {"to_date": "2001-01-01"}])
def test_filters_hold_for_what_links_bring(memory: Mnemopi, filters: dict[str, str]) -> None:
    a = memory.remember("The northern breakwater was repaired.")
    b = memory.remember("Lena paid the diver.")
    memory.graph.link(str(a), str(b))
    assert found(memory, "northern breakwater", 5, profile="polyphonic", **filters) == []


def test_the_setting_switches_both_off(tmp_path: Path) -> None:
    config = {"recall.graph": False, "write.settle": "off"}
    with Mnemopi(tmp_path / "m.db", no_embeddings=True, config=config) as memory:
        a, b = memory.remember("Kubernetes (K8s) upgrade"), memory.remember("Lena paid the diver.")
        memory.graph.link(str(a), str(b))
        assert not {"entity", "graph"} & set(memory.recall("k8s upgrade", profile="polyphonic").retrievers)


def test_a_question_about_the_past_is_not_answered_by_links_of_today(memory: Mnemopi) -> None:
    memory.remember(MARA)
    hits = memory.recall("who did the k8s upgrade?", profile="polyphonic", as_of="2100-01-01")
    assert not {"entity", "graph"} & set(hits.retrievers)
