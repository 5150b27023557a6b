"""The main path of reading, without an engine: a store, retrievers, a moment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.errors import UsageError
from mnemopi.model.hit import Explanation, Hit, Hits
from mnemopi.model.memory import Identity, Memory
from mnemopi.retrieval import recall as recalling
from mnemopi.retrieval.profiles import Options
from mnemopi.retrieval.retrievers import Retrievers
from mnemopi.settings import RecallConfig, StorageConfig
from mnemopi.storage.memories import Candidate, Prepared
from mnemopi.storage.store import Store
from mnemopi.text import dates, tokens

NOW = dates.moment("2026-03-11T12:00:00Z")


@pytest.fixture
def store() -> Iterator[Store]:
    opened = Store(":memory:", "b", "b", StorageConfig(), now=0)
    yield opened
    opened.close()


def options(top_k: int = 5, **given: Any) -> Options:
    return Options.of(given, top_k, Identity(), RecallConfig())


def put(store: Store, *texts: str, **more: Any) -> None:
    """Store texts as one session, in their order."""
    first = store.memories.last_rowkey()
    fields = {"kind": "turn", "recorded_at": 0, "timestamp": NOW, "session_id": "s"} | more
    with store.transaction():
        store.memories.put(
            Prepared(
                Memory(f"{first + n:032x}", version=1, content=text, position=first + n, **fields), tokens.shadow(text)
            )
            for n, text in enumerate(texts)
        )


def recall(store: Store, text: str, top_k: int = 5, **given: Any) -> Hits:
    retrievers = Retrievers(store, None, "auto", lambda store: None)
    return recalling.recall(store, text, options(top_k, **given), retrievers, NOW, UTC)


def test_a_question_finds_names_its_retrievers_and_itself(store: Store) -> None:
    put(store, "the kettle is red", "the car is blue")
    hits = recall(store, "red kettle?")
    assert hits[0].content == "the kettle is red"
    assert (hits.query, hits.retrievers, hits.bank) == ("red kettle?", ("lexical",), "b")


def test_a_question_that_is_no_string_is_an_error_even_when_nothing_is_wanted(store: Store) -> None:
    with pytest.raises(UsageError):
        recall(store, 5, 0)  # type: ignore[arg-type]


def test_what_stands_beside_a_good_short_text_is_a_candidate(store: Store) -> None:
    put(store, "nothing here", "where did you put the zeppelin?", "in the hangar", *["chatter"] * 20)
    hits = recall(store, "zeppelin", 3)
    answer = next(hit for hit in hits if hit.content == "in the hangar")
    assert answer.explanation.found_by == ("nearby",)
    assert answer.explanation.terms["answer"] > 0


def test_a_neighbour_of_another_session_is_none(store: Store) -> None:
    put(store, "where did you put the zeppelin?", session_id="s")
    put(store, "in the hangar", session_id="t")
    assert [hit.content for hit in recall(store, "zeppelin")] == ["where did you put the zeppelin?"]


def test_a_long_text_brings_no_neighbours(store: Store) -> None:
    put(store, "zeppelin " + " ".join(f"word{n}" for n in range(2000)), "in the hangar")
    assert len(recall(store, "zeppelin")) == 1


def hit(bank: str, id: str, score: float) -> Hit:
    memory = Memory(id, version=1, kind="note", content=id, recorded_at=0, timestamp=0, session_id="s")
    explanation = Explanation(score, score, score, {})
    return Hit(memory, id, score, explanation, (0, len(id)), False, len(id), 0, 0, 0, 0, 0, bank)


def test_hits_of_several_banks_merge_by_score() -> None:
    own = Hits([hit("a", "1", 0.9), hit("a", "2", 0.4)], "q", ("lexical",), "a")
    other = Hits([hit("b", "3", 0.6), hit("b", "4", 0.1)], "q", ("lexical",), "b")
    merged = recalling.merged(own, [other], 3)
    assert [each.id for each in merged] == ["1", "3", "2"]
    assert (merged.query, merged.bank, merged.retrievers) == ("q", "a", ("lexical",))


@given(scores=st.lists(st.lists(st.sampled_from([0.1, 0.5, 0.9]), max_size=6), min_size=1, max_size=4))
def test_merging_keeps_the_order_of_each_bank(scores: list[list[float]]) -> None:
    banks = [
        Hits([hit(str(n), f"{n}-{m}", score) for m, score in enumerate(sorted(own, reverse=True))], "q", (), str(n))
        for n, own in enumerate(scores)
    ]
    merged = recalling.merged(banks[0], banks[1:], 100)
    assert len(merged) == sum(map(len, banks))
    for bank in banks:
        assert [each.id for each in merged if each.bank == bank.bank] == [each.id for each in bank]


def candidate(session: str, position: int) -> Candidate:
    return Candidate(0, session, position, "turn", None, 0.5, "unknown", "STATED", 0, None, None, 0, "")


@given(seeds=st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 40)), max_size=20))
def test_the_surroundings_of_seeds_are_read_once_and_whole(seeds: list[tuple[str, int]]) -> None:
    stretches = recalling._stretches([candidate(*seed) for seed in seeds])
    covered = [(session, place) for session, first, last in stretches for place in range(first, last + 1)]
    assert len(covered) == len(set(covered))
    reach = range(-recalling.READ, recalling.READ + 1)
    assert set(covered) == {(session, place + step) for session, place in seeds for step in reach}


def test_a_hit_says_what_speaks_against_it(store: Store) -> None:
    put(store, "the kettle is red", valid_until=NOW - 1)
    put(store, "the kettle is blue", valid_until=NOW - 1, superseded_by="f" * 32)
    put(store, "the kettle is green", veracity="contested")
    notes = {hit.content: hit.explanation.notes for hit in recall(store, "kettle", include_invalid=True)}
    assert notes == {
        "the kettle is red": ("no longer valid",),
        "the kettle is blue": (f"superseded by {'f' * 32}",),
        "the kettle is green": ("marked contested",),
    }


def test_the_same_words_in_other_banks_are_not_seen(store: Store) -> None:
    put(store, "the kettle is red")
    admitted = replace(options(), filter=replace(options().filter, global_only=True))
    retrievers = Retrievers(store, None, "auto", lambda store: None)
    assert len(recalling.recall(store, "kettle", admitted, retrievers, NOW, UTC)) == 0
