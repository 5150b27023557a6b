from __future__ import annotations

import json
from datetime import UTC
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemopi.ingest import answers
from mnemopi.ingest.answers import BadAnswer, Piece
from mnemopi.model.fact import Claim
from mnemopi.text import dates

NOW = dates.moment("2025-06-15T10:00:00Z")


def piece(text: str, author: str = "ann") -> Piece:
    return Piece(text, author, NOW, UTC)


def claim(**fields: Any) -> dict[str, Any]:
    return {"kind": "fact", "subject": "user", "predicate": "uses", "object": "Postgres", "quote": "Postgres"} | fields


def read(text: str, *claims: dict[str, Any], author: str = "ann") -> tuple[list[Claim], int]:
    return answers.read(json.dumps({"claims": claims}, ensure_ascii=False), piece(text, author))


def taken(text: str, **fields: Any) -> list[Claim]:
    return read(text, claim(quote=text, **fields))[0]


# -- the shape


def test_nothing_is_an_answer() -> None:
    assert answers.read('{"claims": []}', piece("Hello there")) == ([], 0)


@pytest.mark.parametrize("fence", ["```json\n{}\n```", "```\n{}\n```", "  {}  \n"])
def test_an_answer_may_stand_in_a_fence(fence: str) -> None:
    told = json.dumps({"claims": [claim()]})
    claims, dropped = answers.read(fence.replace("{}", told), piece("We run Postgres"))
    assert ([each.object for each in claims], dropped) == (["Postgres"], 0)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "Sure! Here it is",
        "{",
        "[]",
        "7",
        "null",
        "{}",
        '{"claims": {}}',
        '{"claims": null}',
        '{"claims": [], "more": 1}',
        '{"claims": ["x"]}',
        "[" * 100_000,
        json.dumps({"claims": [claim()] * (answers.MOST + 1)}),
        json.dumps({"claims": [claim(kind="rumour")]}),
        json.dumps({"claims": [claim(kind=7)]}),
        json.dumps({"claims": [claim(subject="")]}),
        json.dumps({"claims": [claim(object=None)]}),
        json.dumps({"claims": [claim(object=8080)]}),
        json.dumps({"claims": [claim(predicate="x" * 61)]}),
        json.dumps({"claims": [claim(quote="x" * 2001)]}),
        json.dumps({"claims": [claim(mood="good")]}),
        json.dumps({"claims": [claim(valid_from="soon")]}),
        json.dumps({"claims": [claim(valid_to=7)]}),
        json.dumps({"claims": [claim(confidence="high")]}),
        json.dumps({"claims": [claim(confidence=1.5)]}),
        json.dumps({"claims": [claim(confidence=True)]}),
        '{"claims": [{"kind": "fact", "confidence": NaN}]}',
        json.dumps({"claims": [{name: value for name, value in claim().items() if name != "quote"}]}),
    ],
)
def test_an_answer_of_another_shape_is_none(answer: str) -> None:
    with pytest.raises(BadAnswer) as caught:
        answers.read(answer, piece("We run Postgres"))
    assert "Postgres" not in str(caught.value)


@given(st.text() | st.from_type(dict).map(repr))
@settings(deadline=None)
def test_whatever_comes_is_claims_or_a_bad_answer(answer: str) -> None:
    try:
        claims, dropped = answers.read(answer, piece("We run Postgres"))
    except BadAnswer:
        return
    assert claims == [] and dropped == 0


VALUES = st.text(max_size=8) | st.integers() | st.none() | st.sampled_from(["user", "Postgres", "fact", "2025"])


@given(st.lists(st.dictionaries(st.sampled_from(sorted(answers._FIELDS)), VALUES), max_size=4), st.text(max_size=40))
@settings(deadline=None)
def test_what_is_taken_always_stands_in_the_text(items: list[dict[str, Any]], text: str) -> None:
    try:
        claims, dropped = answers.read(json.dumps({"claims": items}), piece(text))
    except BadAnswer:
        return
    assert len(claims) + dropped == len(items)
    for each in claims:
        assert 0 <= each.start < each.stop <= len(text)


# -- what stands in the text


def test_a_claim_has_the_place_of_its_quote() -> None:
    text = "Hello. We run Postgres in staging."
    [found] = read(text, claim(quote="We run Postgres"))[0]
    assert text[found.start : found.stop] == "We run Postgres"
    assert (found.kind, found.subject, found.predicate, found.object) == ("fact", "ann", "uses", "Postgres")


@pytest.mark.parametrize(
    "fields",
    [
        {"quote": "We run postgres"},
        {"quote": "We run  Postgres"},
        {"quote": "We love Postgres"},
        {"object": "MySQL"},
        {"object": "Postgres 16"},
        {"object": "Postgres in production"},
        {"subject": "Bob"},
        {"subject": "the billing service"},
    ],
)
def test_what_the_text_does_not_say_is_left_out_and_counted(fields: dict[str, Any]) -> None:
    assert read("We run Postgres in staging.", claim(**({"quote": "We run Postgres"} | fields))) == ([], 1)


def test_one_invention_does_not_spoil_the_others() -> None:
    claims, dropped = read("We run Postgres in staging.", claim(), claim(object="MySQL", quote="MySQL"))
    assert ([each.object for each in claims], dropped) == (["Postgres"], 1)


def test_the_same_claim_twice_is_one() -> None:
    claims, dropped = read("We run Postgres, yes, postgres.", claim(), claim(object="postgres", quote="postgres"))
    assert (len(claims), dropped) == (1, 1)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The tests were run before each push", "run tests before each push"),
        ("The launch is on March 3rd, 2026", "2026-03-03"),
        ("我们的端口是 8123", "8123"),
        ("我喜欢喝绿茶", "绿茶"),
    ],
)
def test_an_object_may_be_said_in_other_forms_of_the_same_words(text: str, value: str) -> None:
    assert [each.object for each in taken(text, object=value)] == [value]


@pytest.mark.parametrize("subject", ["user", "User", "the user", "I", "we", "我", "我们"])
def test_who_speaks_is_the_author(subject: str) -> None:
    assert [each.subject for each in taken("We run Postgres", subject=subject)] == ["ann"]


def test_another_subject_stays_as_it_stands_in_the_text() -> None:
    [found] = taken("The billing service runs on Postgres", subject="billing service")
    assert found.subject == "billing service"


def test_a_predicate_is_normalised() -> None:
    assert [each.predicate for each in taken("We run Postgres", predicate="Runs On")] == ["runs_on"]


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("Never use yarn here", {"kind": "instruction", "predicate": "always", "object": "use yarn"}),
        ("I don't like coffee", {"kind": "preference", "predicate": "likes", "object": "coffee"}),
        ("我不喜欢咖啡", {"kind": "preference", "predicate": "likes", "object": "咖啡"}),
        ("We have never used Oracle", {"object": "Oracle"}),
    ],
)
def test_a_not_is_not_left_out(text: str, fields: dict[str, Any]) -> None:
    assert taken(text, **fields) == []


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("Never use yarn here", {"kind": "instruction", "predicate": "never", "object": "use yarn"}),
        ("Don't use yarn here", {"kind": "instruction", "predicate": "always", "object": "don't use yarn"}),
        ("I don't like coffee", {"kind": "preference", "predicate": "dislikes", "object": "coffee"}),
        ("We use Postgres, not MySQL", {"object": "Postgres"}),
        ("I no longer use Vim", {"object": "Vim", "valid_to": "2025-06-15"}),
    ],
)
def test_a_not_may_stand_in_the_claim_or_behind_what_it_is_about(text: str, fields: dict[str, Any]) -> None:
    assert len(taken(text, **fields)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Do we use Postgres?",
        "If we use Postgres, the tests will be slow",
        "我们用 Postgres 吗",
        "Suppose we use Postgres",
    ],
)
def test_a_question_or_supposition_states_nothing(text: str) -> None:
    assert read(text, claim()) == ([], 1)


def test_a_statement_beside_a_question_states_something() -> None:
    assert len(read("We use Postgres. Does that work for you?", claim())[0]) == 1


# -- when it holds


def test_an_end_that_is_today_is_now() -> None:
    [found] = taken("I no longer use Vim", object="Vim", valid_to="2025-06-15")
    assert (found.valid_from, found.valid_to) == (None, NOW)


def test_a_date_of_the_text_says_since_when() -> None:
    [found] = taken("Since May 2025 we use Postgres", valid_from="2025-05-01")
    assert found.valid_from == dates.moment("2025-05-01")


def test_a_date_that_the_text_does_not_have_is_not_believed() -> None:
    [found] = taken("We use Postgres", valid_from="2019-01-01")
    assert found.valid_from is None
    assert taken("We use Postgres", valid_to="2019-01-01") == []


@pytest.mark.parametrize(("start", "end"), [("2025-05-01", "2025-03-01"), ("1970-01-01", "1965-03-01")])
def test_an_end_before_the_beginning_is_no_claim(start: str, end: str) -> None:
    text = f"We used Postgres from {start} until {end}"
    assert taken(text, valid_from=start, valid_to=end) == []


@pytest.mark.parametrize(("told", "kept"), [(1.0, 0.9), (0.4, 0.4), (None, 0.7)])
def test_a_model_is_never_quite_sure(told: float | None, kept: float) -> None:
    assert [each.confidence for each in taken("We run Postgres", confidence=told)] == [kept]


def test_a_secret_in_a_predicate_is_no_claim() -> None:
    assert taken("We run Postgres", predicate="ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8") == []


def test_the_schema_has_the_fields_that_are_checked() -> None:
    item = answers.SCHEMA["properties"]["claims"]["items"]
    assert set(item["properties"]) == answers._FIELDS
    assert set(item["required"]) <= answers._FIELDS


@pytest.mark.parametrize(
    ("answer", "inside"),
    [
        ("```json\n{}\n```", "{}"),
        (" ```\n\n{}\n  ```\n", "\n{}"),
        ("```JSON \n{\n}\n```", "{\n}"),
        ("{}", "{}"),
        ("```json\n{}", "```json\n{}"),
        ("```python\n{}\n```", "```python\n{}\n```"),
        ("```" + "\n" * 100_000 + "x", "```" + "\n" * 100_000 + "x"),
    ],
)
def test_a_fence_around_an_answer_is_taken_off(answer: str, inside: str) -> None:
    assert answers.unfenced(answer) == inside
