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
_VERBS = "like love enjoy adore hate dislike detest loathe despise use"
_FINISHED = "switched migrated changed ported converted transitioned upgraded moved"
_SETTLED = ("decided to use", "decided on", "settled on", "standardized on", "went with", "chose", "picked", "adopted")
_DONE = (
    "met visited went attended started finished launched shipped released deployed signed bought sold adopted married "
    "graduated ran won joined left moved completed passed failed gave presented published merged migrated celebrated "
    "traveled travelled flew drove hired founded quit retired had saw booked held hosted broke got took opened closed "
    "submitted delivered interviewed defended upgraded switched lost planted climbed hiked"
)
WAYS = [
    *(f"I {often}{verb} Redis." for verb in _VERBS.split() for often in ("", "really ", "also just ")),
    *(f"We {often}{verb} from Jenkins to Buildkite." for verb in _FINISHED.split() for often in ("", "recently ")),
    *(f"{who} {verb} Postgres." for who in ("We", "We've", "The team has") for verb in _SETTLED),
    *(f"I {just}{verb} the offices in Porto on 3 March." for verb in _DONE.split() for just in ("", "finally ")),
    *(f"I {verb} Northwind." for verb in ("joined", "have joined", "started at", "started working at", "work at")),
    *(f"{who} {often}based in Porto." for who in ("I'm", "I am", "We're", "We are") for often in ("", "now ")),
    *(f"{who} in Porto." for who in ("I live", "We live", "I'm living", "I've been living", "I reside")),
    *(f"My {who} is Mia." for who in ("manager", "line manager", "new boss", "wife", "dentist", "name", "full name")),
    *(f"I {verb} using Chrome." for verb in ("stopped", "quit", "have stopped")),
    *(f"{who} a data engineer." for who in ("I'm", "I am", "im", "I'm now", "I am currently", "I'm Bob Lee,")),
    *(
        f"{when}, answer in German."
        for when in ("From now on", "Going forward", "Henceforth", "In future", "From May on")
    ),
    *(
        f"Use tabs {when}."
        for when in ("everywhere", "by default", "in all files", "instead of spaces", "at all times")
    ),
    *(f"{what} must be in English." for what in ("All commit messages", "Commit messages", "Each title", "Any reply")),
    *(f"Commit messages {verb} be long." for verb in ("should never", "must not", "must always", "have to always")),
    *(f"No {what}." for what in ("merges on Fridays", "emojis in titles", "jokes, please", "pushes without review")),
    *(f"The port of the gateway {verb} 9000." for verb in ("is", "is now", "was changed to", "remains", "moved to")),
    *(f"The gateway's {what}." for what in ("port is 80", "owner: Mia", "timeout = 30 s", "version stays 2.1")),
    *(f"{verb} the port from 5432 to 5433." for verb in ("Change", "Update", "We changed", "I've bumped", "We moved")),
    *(
        f"The API {verb}."
        for verb in ("is now frozen", "is down", "has been archived", "was deprecated", "is at x.dev")
    ),
    *(
        f"{verb} that the office closes at six."
        for verb in ("Remember", "Keep in mind", "Don't forget", "Please remember")
    ),
    *(f"{who} never push to main." for who in ("You must", "Always and", "Please", "We should", "Developers must")),
    *(f"I want you {what} add emojis." for what in ("not to", "to not", "to always", "to never")),
    *(f"My favorite {what} Python." for what in ("language is", "scripting language is", "languages are")),
    *(f"Make sure {what} run the tests before merging." for what in ("to", "you", "that you", "we", "to always")),
]
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


@pytest.mark.parametrize("text", WAYS)
def test_no_way_to_say_it_is_lost_by_a_glance(text: str) -> None:
    assert read(text) == read_slowly(text)
    assert read(f"Well, I see. {text} And so it goes.") == read_slowly(f"Well, I see. {text} And so it goes.")


def test_most_ways_to_say_it_are_read() -> None:
    assert sum(bool(read(text)) for text in WAYS) > 0.8 * len(WAYS)


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
