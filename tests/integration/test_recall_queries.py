"""Any question is answered: nothing that is asked, and nothing that is stored, makes recall fail."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemopi import Mnemopi
from mnemopi.errors import UsageError
from mnemopi.testing import FixedClock, HashingEmbedder

CONFIG = {"write.timezone": "UTC", "write.settle": "inline"}

ODD = [
    '" OR * NEAR( )',
    "AND OR NOT NEAR",
    "body: rowid: * ^ - + ( ) { }",
    '"""',
    "'; DROP TABLE memory; --",
    "%_\\%",
    "the of and",
    "什么 的 了",
    "🎉👨‍👩‍👧‍👦",
    "a\x00b\x00",
    "\ud800 key \udfff",
    "\u202e\u200b\ufeff",
    "?",
    "\u0301" * 50,
    "((((((((((",
    "https://example.com/?q=%00&x=<y>",
    "２０２６年３月５日",
    "\x1b[31mred\x1b[0m",
]


@pytest.fixture(scope="module", params=["words only", "with vectors"])
def bank(request: pytest.FixtureRequest) -> Iterator[Mnemopi]:
    given: dict[str, Any] = {"no_embeddings": True}
    if request.param == "with vectors":
        given = {"embeddings": HashingEmbedder(64)}
    with Mnemopi(":memory:", clock=FixedClock(), config=CONFIG, **given) as opened:
        for text in ("the red key", "what is it to be or not to be", "钥匙是红色的", "🎉 party", '" OR * NEAR( )'):
            opened.remember(text)
        yield opened


@pytest.mark.parametrize("question", ODD, ids=ascii)
def test_odd_questions_are_answered(bank: Mnemopi, question: str) -> None:
    hits = bank.recall(question)
    assert hits.query == question
    assert all(0 <= hit.score <= 1 for hit in hits)


@pytest.mark.parametrize("question", ["", " ", "\n\t", "\u3000"])
def test_a_blank_question_finds_nothing(bank: Mnemopi, question: str) -> None:
    hits = bank.recall(question)
    assert len(hits) == 0
    assert hits.retrievers == ()


@pytest.mark.parametrize("question", [None, 5, b"key", ["key"], {"q": "key"}])
def test_a_question_that_is_no_string_is_an_error(bank: Mnemopi, question: Any) -> None:
    with pytest.raises(UsageError):
        bank.recall(question)


def test_a_question_of_function_words_alone_still_matches(bank: Mnemopi) -> None:
    assert bank.recall("to be or not to be")[0].content == "what is it to be or not to be"


def test_a_question_of_operators_finds_the_text_of_operators(bank: Mnemopi) -> None:
    assert '" OR * NEAR( )' in [hit.content for hit in bank.recall("OR NEAR")]


@pytest.mark.parametrize("piece", ["key ", "钥匙", "x", "word{} ", '"key" ', "2026-03-05 ", "src/a.py:{} ", "🎉"])
def test_a_question_of_20000_characters_is_answered(bank: Mnemopi, piece: str) -> None:
    question = "".join(piece.format(n) for n in range(20_000))[:20_000]
    hits = bank.recall(question)
    assert hits.query == question
    assert len(hits) <= 5


def test_what_stands_behind_20000_characters_is_not_asked(bank: Mnemopi) -> None:
    assert all("lexical" not in hit.explanation.found_by for hit in bank.recall("zzz " * 5001 + "red key"))


@pytest.mark.parametrize("top_k", [0, 1, 2, 100, 10_000])
def test_top_k_is_the_most_that_is_handed_out(bank: Mnemopi, top_k: int) -> None:
    assert len(bank.recall("key", top_k)) <= top_k


def test_top_k_0_hands_out_nothing_but_checks_its_arguments(bank: Mnemopi) -> None:
    assert len(bank.recall("key", 0)) == 0
    with pytest.raises(UsageError):
        bank.recall("key", 0, limit=3)


def test_as_many_as_match_are_handed_out_when_asked_for() -> None:
    with Mnemopi(":memory:", no_embeddings=True, clock=FixedClock(), config=CONFIG) as bank:
        bank.remember_many([{"content": f"kettle {n} of shelf {n * 7} in hall {n * 13}"} for n in range(300)])
        assert len(bank.recall("kettle", 250)) == 250
        assert len(bank.recall("kettle", 250, use_mmr=True)) == 250
        assert len(bank.recall("kettle", 1000)) == 300


def test_an_empty_bank_answers_nothing() -> None:
    ways: list[dict[str, Any]] = [{"no_embeddings": True}, {"embeddings": HashingEmbedder(64)}]
    for way in ways:
        with Mnemopi(":memory:", clock=FixedClock(), config=CONFIG, **way) as bank:
            assert len(bank.recall("key", profile="recent")) == 0
            assert len(bank.recall("key yesterday E1234")) == 0
            assert bank.context("key") == bank.context() == ""


STORABLE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=80).filter(
    lambda text: bool(text.strip())
)
ASKED = st.one_of(
    st.text(max_size=80),
    st.text(st.characters(categories=["Cs", "Cc", "Mn", "So", "Lo"]), max_size=30),
    st.text("\"'*()^:-+ ORANDNE茶key", max_size=30),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(STORABLE, min_size=1, max_size=6), question=ASKED, gone=st.integers(0, 5))
def test_any_question_over_any_texts_finds_live_ones_in_order(texts: list[str], question: str, gone: int) -> None:
    with Mnemopi(":memory:", clock=FixedClock(), config=CONFIG, embeddings=HashingEmbedder(32)) as bank:
        receipts = bank.remember_many([{"content": text} for text in texts])
        hidden = receipts[gone % len(receipts)].id
        bank.invalidate(hidden)
        hits = bank.recall(question, 10)
        context = bank.context(question, 600)
    ids = [hit.id for hit in hits]
    assert len(ids) == len(set(ids))
    assert set(ids) <= {receipt.id for receipt in receipts} - {hidden}
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len(context) <= 600


@settings(max_examples=40, deadline=None)
@given(text=STORABLE)
def test_a_text_with_words_is_found_by_itself(text: str) -> None:
    with Mnemopi(":memory:", no_embeddings=True, clock=FixedClock(), config={**CONFIG, "write.redact": "off"}) as bank:
        id = bank.remember(text)
        bank.remember("something else altogether")
        hits = bank.recall(text)
        if hits:
            assert hits[0].id == id
        else:
            assert not any(char.isalnum() for char in text)
