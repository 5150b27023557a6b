"""Which rules a text calls for, and that what is told at a glance changes nothing of what is read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.model.fact import Claim
from mnemopi.model.interval import Interval
from mnemopi.text import dates, patterns
from mnemopi.text.claim_rules import Draft, Rule, Saying
from mnemopi.text.cues import Vocabulary

NOW = int(datetime(2026, 3, 11, 10, tzinfo=UTC).timestamp() * 1000)
CORPUS = Path(__file__).parents[2] / "data" / "extraction.jsonl"
SLOW = Vocabulary(
    [rule._replace(cores=(), also=frozenset(), dated=False) for rule in patterns.ENGLISH],
    [rule._replace(cores=(), dated=False) for rule in patterns.CHINESE],
)
TEXTS = [json.loads(line)["text"] for line in CORPUS.read_text(encoding="utf-8").splitlines()]


def read(text: str) -> list[Claim]:
    return patterns.claims_in(text, now=NOW, zone=UTC)


def everywhere(text: str, now: int, zone: object) -> list[dates.Mention]:
    """Say that a date may stand anywhere, so that each sentence is looked at for itself."""
    return [dates.Mention(Interval(0, 1, "span"), -1, len(text) + 1, "", "")]


def read_slowly(text: str) -> list[Claim]:
    """Read with nothing told at a glance: every rule whose words are there is tried in every sentence."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patterns, "vocabulary", lambda: SLOW)
        patch.setattr(dates, "found", everywhere)
        return read(text)


def test_nothing_of_the_corpus_is_lost_by_a_glance() -> None:
    for text in TEXTS:
        assert read(text) == read_slowly(text), text


def test_nothing_is_lost_by_a_glance_where_sentences_stand_together() -> None:
    for number in range(0, len(TEXTS), 5):
        text = " ".join(TEXTS[number : number + 5])
        assert read(text) == read_slowly(text), text


def test_nothing_is_lost_by_a_glance_in_a_long_text() -> None:
    for number in range(0, len(TEXTS), 60):
        text = "\n".join(TEXTS[number : number + 60])
        assert read(text) == read_slowly(text), text


@given(st.lists(st.sampled_from(TEXTS), min_size=2, max_size=4), st.sampled_from(["", "'", '"', "\n- ", ": ", "; "]))
def test_nothing_is_lost_by_a_glance_whatever_joins_sentences(texts: list[str], joint: str) -> None:
    text = joint + joint.join(texts)
    assert read(text) == read_slowly(text)


@given(st.lists(st.sampled_from(sorted({word for text in TEXTS for word in text.split()})), max_size=14))
def test_nothing_is_lost_by_a_glance_in_any_words(words: list[str]) -> None:
    text = " ".join(words)
    assert read(text) == read_slowly(text)


# --- which rules are called ---


def nothing(found: object, say: Saying) -> Iterator[Draft]:
    return iter(())


def called(said: str, *rules: Rule, chinese: tuple[Rule, ...] = (), dated: bool = True) -> list[str]:
    return [rule.cues for rule in Vocabulary(rules, chinese).called(said, dated).rules]


def test_one_of_its_words_calls_for_a_rule() -> None:
    rule = Rule("use using", "x", nothing)
    assert called("I am USING it.", rule) == ["use using"]
    assert called("I am used to it.", rule) == []


def test_two_words_call_for_a_rule_wherever_they_stand() -> None:
    assert called("Now it is done.", Rule("is+now", "x", nothing)) == ["is+now"]
    assert called("Now it was done.", Rule("is+now", "x", nothing)) == []


def test_rules_are_called_in_their_order_english_ones_first() -> None:
    first, second, third = (Rule(cues, "x", nothing) for cues in ("tea", "like", "喜欢"))
    assert called("喜欢 tea, like", first, second, chinese=(third,)) == ["tea", "like", "喜欢"]


def test_a_core_must_stand_in_the_text_in_lower_case() -> None:
    rule = Rule("like", "x", nothing, cores=(r"i\slike\s",))
    assert called("I like tea", rule) == ["like"]
    assert called("what is it like", rule) == []


def test_each_core_must_stand() -> None:
    rule = Rule("like", "x", nothing, cores=(r"i\slike\s", "tea"))
    assert called("I like coffee", rule) == []


def test_a_core_may_ask_for_capitals_and_for_the_word_that_called() -> None:
    assert called("I am Bob", Rule("am", "x", nothing, cores=(r"am\s[A-Z]",), cased=True)) == ["am"]
    assert called("I am glad", Rule("am", "x", nothing, cores=(r"am\s[A-Z]",), cased=True)) == []
    assert called("the port is 80", Rule("port host", "x", nothing, cores=(r"{cue}\sis",))) == ["port host"]
    assert called("the port of it is 80", Rule("port host", "x", nothing, cores=(r"{cue}\sis",))) == []


def test_a_rule_that_wants_a_date_is_not_called_where_none_is() -> None:
    rule = Rule("demo", "x", nothing, dated=True)
    assert called("the demo", rule) == ["demo"]
    assert called("the demo", rule, dated=False) == []


def test_cues_tell_in_which_sentences_to_look() -> None:
    found = Vocabulary([Rule("use using", "x", nothing)], ()).called("I use it. Using it is fine.")
    assert found.cues == {"use", "using"}
