"""What a hit carries, how scores behave, and what a recall costs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemopi import Mnemopi
from mnemopi.ports import NOTHING, Row, Value
from mnemopi.testing import FixedClock, HashingEmbedder

CONFIG = {"write.timezone": "UTC", "write.settle": "inline"}

FIELDS = {
    "id", "content", "score", "vec_score", "fts_score", "importance_score", "recency_score", "temporal_score", "tier",
    "source", "timestamp", "session_id", "scope", "importance", "veracity", "metadata", "valid_until",
    "superseded_by", "truncated", "full_length", "explanation", "span", "version",
}  # fmt: skip

CHATTER = [
    ("ann", "Did you feed the parrot this morning?"),
    ("bob", "Yes, and I cleaned the cage as well."),
    ("ann", "Great. The parrot likes sunflower seeds best."),
    ("bob", "The new bike has red wheels and a bell."),
    ("ann", "We should ride to the lake on Sunday."),
    ("bob", "The lake was frozen last winter, the parrot would not like it."),
]


@pytest.fixture(params=["words only", "with vectors"])
def bank(request: pytest.FixtureRequest) -> Iterator[Mnemopi]:
    given: dict[str, Any] = {"no_embeddings": True}
    if request.param == "with vectors":
        given = {"embeddings": HashingEmbedder(64)}
    with Mnemopi(":memory:", clock=FixedClock(), config=CONFIG, **given) as opened:
        yield opened


def chat(bank: Mnemopi) -> None:
    bank.remember_many([{"content": text, "author_id": who, "session_id": "s"} for who, text in CHATTER])


def test_a_hit_carries_every_field_and_writes_itself_as_json(bank: Mnemopi) -> None:
    bank.remember(
        "the parrot is green",
        importance=0.7,
        metadata={"page": 3, "tags": ["鸟"]},
        valid_until="2999-01-01",
        timestamp="2025-06-01T10:00:00Z",
        session_id="s",
        veracity="stated",
    )
    hit = bank.recall("which colour is the parrot")[0]
    told = hit.as_dict()
    assert told.keys() >= FIELDS
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert told["metadata"] == {"page": 3, "tags": ["鸟"]}
    assert told["timestamp"] == "2025-06-01T10:00:00.000Z"
    assert told["importance"] == told["importance_score"] == 0.7
    assert (told["session_id"], told["tier"], told["scope"], told["version"]) == ("s", "working", "bank", 1)
    assert told["span"] == [0, len("the parrot is green")]
    assert not told["truncated"]
    assert hit["content"] == hit.content == told["content"]


def test_a_preview_says_where_in_the_whole_it_lies(bank: Mnemopi) -> None:
    bank.remember("The quick brown fox jumps over the lazy dog in the morning sun")
    hit = bank.recall("lazy dog", content_preview_chars=10)[0]
    assert len(hit.content) <= 10
    assert hit.truncated
    assert hit.full_length == 62
    start, stop = hit.span
    assert hit.content == "…" + hit.memory.content[start:stop] + "…"
    assert "dog" in hit.content
    assert bank.recall("lazy dog", content_preview_chars=0)[0].content == hit.memory.content


def test_previews_are_500_characters_unless_told_otherwise(bank: Mnemopi) -> None:
    bank.remember("parrots everywhere. " * 100)
    assert 400 < len(bank.recall("parrots")[0].content) <= 500


def test_scores_are_between_0_and_1_and_fall_along_the_order(bank: Mnemopi) -> None:
    chat(bank)
    for question in ("what does the parrot like", "the lake", "ann", "red wheels", "Did you feed the parrot?"):
        hits = bank.recall(question, 10)
        assert hits, question
        for hit in hits:
            parts = (hit.score, hit.vec_score, hit.fts_score, hit.importance_score, hit.recency_score)
            assert all(0 <= part <= 1 for part in (*parts, hit.temporal_score))
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_the_terms_of_an_explanation_add_up_to_the_order_of_the_hits(bank: Mnemopi) -> None:
    chat(bank)
    hits = bank.recall("what does the parrot like at the lake", 10)
    for hit in hits:
        assert math.fsum(hit.explanation.terms.values()) == pytest.approx(hit.explanation.order)
        assert hit.explanation.score == hit.score
        assert hit.explanation.found_by
    orders = [hit.explanation.order for hit in hits]
    assert orders == sorted(orders, reverse=True)


def test_the_same_question_twice_gives_the_same(bank: Mnemopi) -> None:
    chat(bank)
    for question in ("what does the parrot like", "the lake last winter"):
        first, second = ([hit.as_dict() for hit in bank.recall(question, 10)] for _ in range(2))
        assert first == second


def test_nothing_is_handed_out_below_the_threshold(bank: Mnemopi) -> None:
    chat(bank)
    everything = bank.recall("the frozen lake", 10)
    middle = everything[len(everything) // 2].score
    kept = bank.recall("the frozen lake", 10, min_score=middle)
    assert [hit.id for hit in kept] == [hit.id for hit in everything if hit.score >= middle]
    assert len(bank.recall("volcanoes of Iceland", min_score=0.9)) == 0


def test_the_first_score_of_a_good_answer_is_above_that_of_none(bank: Mnemopi) -> None:
    chat(bank)
    good, none = bank.recall("the new bike has red wheels"), bank.recall("volcanoes of Iceland in the morning")
    assert good[0].score > 0.5 > (none[0].score if none else 0)


def test_a_quota_leaves_its_places_to_other_kinds(bank: Mnemopi) -> None:
    bank.remember_many([{"content": f"parrot news of day {n * 17}", "session_id": "s"} for n in range(200)])
    bank.remember_many(
        [{"content": f"a long note with some words on birds, the parrot among them, {n}"} for n in "abc"]
    )
    hits = bank.recall("parrot news", 5, quotas={"turn": 2})
    assert [hit.memory.kind for hit in hits].count("turn") == 2
    assert [hit.memory.kind for hit in hits].count("note") == 3


PARROTS = [
    "our parrot saw the vet on Tuesday",
    "a bigger cage for the parrot costs ninety",
    "sunflower seeds make any parrot fat, says grandmother",
    "who taught this parrot to whistle Mozart?",
    "parrot feathers everywhere behind the sofa again",
    "they live sixty years: a parrot is a commitment",
    "bell, ladder and mirror, the favourite toys of our parrot",
    "cover it at nine or the parrot will not sleep",
]


@pytest.mark.parametrize("copies", [50, 300])
def test_near_duplicates_take_2_of_10_places_while_others_are_relevant(bank: Mnemopi, copies: int) -> None:
    same = "the backup of the parrot database ran at night and took four minutes without errors"
    bank.remember_many([{"content": f"{same} ({n})"} for n in range(copies)])
    bank.remember_many([{"content": text} for text in PARROTS])
    found = [hit.content for hit in bank.recall("backup of the parrot database", 10)]
    assert sum(text.startswith(same) for text in found) == 2
    assert len(found) == 10


def test_more_importance_never_lowers_the_place_of_the_important(bank: Mnemopi) -> None:
    for n in range(8):
        bank.remember(f"parrot fact number {n * 31}", importance=n / 7)
    bank.remember("parrot parrot parrot fact", importance=0.0)
    last = 10**9
    for weight in (0, 0.1, 0.2, 0.5, 1):
        place = [hit.importance for hit in bank.recall("parrot fact", 9, importance_weight=weight)].index(1.0)
        assert place <= last, weight
        last = place
    assert last <= 1, "a prior is bounded: only what is nearer in meaning may stay above"


WEIGHTS = {
    "fts_weight": ("words", [0.1, 0.3, 0.6, 2]),
    "vec_weight": ("meaning", [0.1, 0.5, 1, 4]),
}
PRIORS = {"importance_weight": "importance", "temporal_weight": "period"}


@pytest.mark.parametrize("name", WEIGHTS)
def test_a_weight_scales_its_own_term(name: str) -> None:
    term, values = WEIGHTS[name]
    with Mnemopi(":memory:", clock=FixedClock(), config=CONFIG, embeddings=HashingEmbedder(64)) as bank:
        chat(bank)
        id = bank.remember("the parrot sang on 2025-06-10", importance=0.9)
        terms = []
        for value in values:
            hits = bank.recall("when did the parrot sing in June 2025", 10, **{name: value})
            terms.append(next(hit for hit in hits if hit.id == id).explanation.terms[term])
    assert terms == [pytest.approx(terms[0] * value / values[0]) for value in values]
    assert terms[0] > 0


@pytest.mark.parametrize("name", PRIORS)
def test_more_weight_of_what_is_known_before_is_more_of_its_term_though_never_more_than_the_limit(name: str) -> None:
    with Mnemopi(":memory:", clock=FixedClock(), config=CONFIG, no_embeddings=True) as bank:
        chat(bank)
        id = bank.remember("the parrot sang on 2025-06-10", importance=0.9)
        terms = []
        for value in (0.001, 0.01, 0.1, 1, 10, 1000):
            hits = bank.recall("when did the parrot sing in June 2025", 10, **{name: value})
            terms.append(next(hit for hit in hits if hit.id == id).explanation.terms[PRIORS[name]])
    assert terms == sorted(set(terms)) and terms[-1] <= 0.5
    assert terms[1] == pytest.approx(10 * terms[0], rel=0.01)


def test_a_weight_of_0_takes_its_term_away() -> None:
    with Mnemopi(":memory:", clock=FixedClock(), config=CONFIG, embeddings=HashingEmbedder(64)) as bank:
        chat(bank)
        for name, (term, _) in WEIGHTS.items():
            for hit in bank.recall("the parrot in June 2025", 10, **{name: 0}):
                assert not hit.explanation.terms.get(term), name


def test_trust_orders_equals_by_where_they_come_from(bank: Mnemopi) -> None:
    for veracity in ("contested", "tool", "imported", "inferred", "unknown", "stated"):
        bank.remember("the parrot is nine years old", veracity=veracity, author_id=f"from-{veracity}")
    found = [hit.veracity for hit in bank.recall("how old is the parrot", 6)]
    assert found == ["stated", "unknown", "inferred", "imported", "tool", "contested"]


class Counting:
    """A Connection that counts what it is asked."""

    def __init__(self, within: Any) -> None:
        self._within, self.statements = within, 0

    def execute(self, sql: str, parameters: Mapping[str, Value] = NOTHING) -> int:
        self.statements += 1
        return int(self._within.execute(sql, parameters))

    def all(self, sql: str, parameters: Mapping[str, Value] = NOTHING) -> list[Row]:
        self.statements += 1
        rows: list[Row] = self._within.all(sql, parameters)
        return rows

    def execute_many(self, sql: str, parameters: Any) -> None:
        self._within.execute_many(sql, parameters)

    def transaction(self) -> AbstractContextManager[None]:
        return self._within.transaction()  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._within, name)


def statements_of(bank: Mnemopi, question: str, **options: Any) -> int:
    """Count the statements of one recall, once all is warm."""
    store = bank.bank._store
    bank.recall(question, **options)
    counting = Counting(store.connection)
    parts = (store, store.memories, store.vectors, store.meta)
    kept = [(part, name) for part in parts for name in ("connection", "_connection") if hasattr(part, name)]
    for part, name in kept:
        setattr(part, name, counting)
    bank.recall(question, **options)
    for part, name in kept:
        setattr(part, name, counting._within)
    return counting.statements


QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("which number has the kettle", {}),
    ("kettle E1234 src/a/b.py:31 yesterday", {}),
    ("kettle", {"session_id": "s1"}),
    ("kettle", {"profile": "recent", "top_k": 50}),
]


@pytest.mark.parametrize(("question", "options"), QUESTIONS)
@pytest.mark.parametrize("vectors", [False, True])
def test_the_number_of_statements_does_not_grow_with_the_bank(
    question: str, options: dict[str, Any], vectors: bool
) -> None:
    counts = []
    for size in (30, 2000):
        given: dict[str, Any] = {"embeddings": HashingEmbedder(32)} if vectors else {"no_embeddings": True}
        with Mnemopi(":memory:", clock=FixedClock(), config=CONFIG, **given) as bank:
            bank.remember_many(
                [
                    {"content": f"kettle number {n} of E{n} in src/a/b.py:{n % 40} {n * 7}", "session_id": f"s{n % 3}"}
                    for n in range(size)
                ]
            )
            counts.append(statements_of(bank, question, **options))
    assert max(counts) <= 30
    assert abs(counts[1] - counts[0]) <= 3


@settings(max_examples=30, deadline=None)
@given(
    importances=st.lists(st.floats(0, 1), min_size=2, max_size=8, unique=True),
    weight=st.floats(0.01, 50),
)
def test_of_equals_the_more_important_never_comes_later(importances: list[float], weight: float) -> None:
    with Mnemopi(":memory:", no_embeddings=True, clock=FixedClock(), config=CONFIG) as bank:
        for place, importance in enumerate(importances):
            bank.remember("the parrot is green", importance=importance, session_id=f"s{place}")
        hits = bank.recall("green parrot", 8, importance_weight=weight)
    orders = [hit.explanation.order for hit in hits]
    by_importance = sorted(hits, key=lambda hit: -hit.importance)
    assert orders == pytest.approx([hit.explanation.order for hit in by_importance], rel=1e-12)
