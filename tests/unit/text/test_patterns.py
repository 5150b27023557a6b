"""What a sentence states, and what only looks like a statement."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.model.fact import KINDS, Claim
from mnemopi.text import rivals
from mnemopi.text.patterns import MOST, READ, claims_in, is_end

NOW = int(datetime(2026, 3, 11, 10, tzinfo=UTC).timestamp() * 1000)
CORPUS = Path(__file__).parents[2] / "data" / "extraction.jsonl"


def read(text: str, author: str = "user") -> list[Claim]:
    return claims_in(text, author=author, now=NOW, zone=UTC)


def said(text: str) -> list[tuple[str, str, str]]:
    return [(claim.subject, claim.predicate, claim.object) for claim in read(text)]


def day(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


# --- the corpus ---


def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]


def expected(claim: dict[str, Any]) -> tuple[str, str, str, str, bool]:
    return (claim["kind"], claim["subject"], claim["predicate"], claim["object"], bool(claim.get("ended")))


def found(text: str) -> list[tuple[str, str, str, str, bool]]:
    return [(each.kind, each.subject, each.predicate, each.object, is_end(each, NOW)) for each in read(text)]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_rules_alone_are_precise_and_find_most_of_the_corpus(lang: str) -> None:
    right = claimed = wanted = 0
    for row in rows():
        if row["lang"] == lang:
            want, got = {expected(claim) for claim in row["claims"]}, set(found(row["text"]))
            right, claimed, wanted = right + len(want & got), claimed + len(got), wanted + len(want)
    assert right / claimed >= 0.95
    assert right / wanted >= 0.9


def test_the_corpus_is_large_and_half_of_it_states_nothing() -> None:
    every = rows()
    assert len(every) >= 300
    assert sum(not row["claims"] for row in every) >= len(every) / 2
    assert 0.3 <= sum(row["lang"] == "zh" for row in every) / len(every) <= 0.6


def test_dates_of_the_corpus_say_since_when_and_until_when() -> None:
    for row in rows():
        for want in row["claims"]:
            for got in read(row["text"]):
                if got.object != want["object"]:
                    continue
                if "from" in want:
                    assert got.valid_from == day(want["from"]), row["text"]
                if "to" in want:
                    assert got.valid_to == day(want["to"]), row["text"]
                if isinstance(want.get("ended"), str):
                    assert got.valid_to == day(want["ended"]), row["text"]


# --- statements ---


def test_a_switch_ends_the_old_and_begins_the_new() -> None:
    old, new = read("We switched from Jenkins to GitHub Actions.")
    assert (old.object, old.valid_from, old.valid_to) == ("Jenkins", None, NOW)
    assert (new.object, new.valid_from, new.valid_to) == ("GitHub Actions", None, None)
    assert is_end(old, NOW) and not is_end(new, NOW)


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        ("We switched CI from GitHub Actions to Buildkite.", ["GitHub Actions"]),
        ("We moved our CI from GitHub Actions to Buildkite.", ["GitHub Actions"]),
        ("We moved CI to Buildkite.", []),
    ],
)
def test_a_switch_may_name_what_the_tool_is_for(text: str, ended: list[str]) -> None:
    *old, new = read(text)
    assert [claim.object for claim in old if is_end(claim, NOW)] == ended
    assert (new.predicate, new.object, new.valid_to) == ("uses", "Buildkite", None)


@pytest.mark.parametrize("text", ["We moved CI to the new cluster.", "We switched CI to nightly builds."])
def test_what_is_no_name_of_a_tool_is_not_in_use(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "subject", "who"),
    [
        ("Ines is now the owner of the payments module.", "payments module", "Ines"),
        ("The platform team is the owner of the gateway.", "gateway", "platform team"),
        ("李雷现在是支付模块的负责人。", "支付模块", "李雷"),
        ("Ines 是网关的新负责人。", "网关", "Ines"),
    ],
)
def test_an_owner_may_be_named_before_what_is_owned(text: str, subject: str, who: str) -> None:
    assert [(claim.subject, claim.predicate, claim.object) for claim in read(text)] == [(subject, "owner", who)]


@pytest.mark.parametrize(
    "text",
    [
        "Who is the owner of the payments module?",
        "Ines is no longer the owner of payments.",
        "李雷不是支付模块的负责人。",
        "李雷不负责支付模块。",
        "李雷不再是支付模块的负责人。",
    ],
)
def test_who_does_not_own_a_thing_is_not_said_to(text: str) -> None:
    assert read(text) == []


def test_what_is_no_longer_used_is_an_end_and_never_a_use() -> None:
    for text in ("We no longer use Redux.", "I don't use Redux anymore.", "我们不再使用Redux了。"):
        (claim,) = read(text)
        assert (claim.predicate, claim.object) == ("uses", "Redux")
        assert is_end(claim, NOW)


def test_an_end_takes_the_date_that_is_told() -> None:
    (claim,) = read("I stopped using Chrome last month.")
    assert claim.valid_to == day("2026-02-01")


def ends(text: str) -> set[tuple[str, str]]:
    return {(claim.predicate, claim.object) for claim in read(text) if is_end(claim, NOW)}


@pytest.mark.parametrize(
    "text",
    [
        "I now prefer spaces.",
        "I prefer spaces now.",
        "Nowadays I prefer spaces.",
        "我现在更喜欢空格。",
        "如今我更喜欢空格。",
    ],
)
def test_what_one_now_prefers_ends_its_rival_in_either_language(text: str) -> None:
    assert ends(text) == {("prefers", "tabs"), ("prefers", "制表符")}


@pytest.mark.parametrize(
    "text",
    [
        "I prefer spaces.",
        "I prefer spaces right now.",
        "I prefer spaces over tabs.",
        "The build is green now and I prefer spaces.",
        "In YAML I now prefer spaces.",
        "I now prefer Postgres.",
        "我更喜欢空格。",
    ],
)
def test_a_preference_ends_nothing_where_its_sentence_tells_of_no_change_or_none_is_known(text: str) -> None:
    assert {claim.predicate for claim in read(text)} == {"prefers"}
    assert ends(text) == set()


def test_what_a_change_names_is_over_and_nothing_else() -> None:
    assert ends("I prefer spaces instead of tabs.") == {("prefers", "tabs")}
    assert ends("I now prefer Postgres over MySQL in tests.") == {("prefers", "MySQL")}
    assert ends("我现在更喜欢空格而不是制表符。") == {("prefers", "制表符")}


@pytest.mark.parametrize("text", ["I switched to spaces.", "我改用空格了。"])
def test_who_switches_neither_uses_nor_prefers_the_rival_any_longer(text: str) -> None:
    assert said(text)[0] == ("user", "uses", "spaces" if text.isascii() else "空格")
    assert ends(text) == {(verb, old) for verb in ("uses", "prefers") for old in ("tabs", "制表符")}


def test_what_is_liked_no_longer_is_not_preferred_either() -> None:
    for text in ("I no longer like tabs.", "I don't like tabs anymore.", "I no longer prefer tabs."):
        assert ends(text) == {("likes", "tabs"), ("prefers", "tabs")}


def test_what_was_before_a_turn_to_the_present_does_not_hide_the_present() -> None:
    assert said("I used to live in Prague but now I live in Porto.") == [("user", "location", "Porto")]
    assert said("I used to live in Prague, and I work at Acme.") == []


def test_what_we_use_is_the_teams_whichever_named_author_says_it() -> None:
    for text in ("We use Postgres.", "Our database is Postgres.", "我们用Postgres。"):
        assert {claim.subject for claim in read(text, author="dana")} == {"team"}
        assert {claim.subject for claim in read(text)} == {"user"}
    for text in ("I use Postgres.", "My database is Postgres.", "我用Postgres。", "We live in Porto."):
        assert {claim.subject for claim in read(text, author="dana")} == {"dana"}


def test_the_stop_that_ends_a_sentence_is_no_part_of_an_hour() -> None:
    assert said("The demo is on Friday at 3pm.") == [("demo", "date", "Friday at 3pm")]


def test_which_database_it_is_takes_the_place_of_the_former() -> None:
    assert said("数据库从MySQL改为PostgreSQL了。") == [("user", "database", "PostgreSQL")]
    assert [each[1] for each in said("我们从MySQL换成了PostgreSQL。")] == ["uses", "uses"]


def test_the_author_is_the_subject_of_what_is_said_in_the_first_person() -> None:
    (claim,) = read("I live in Porto.", author="dana")
    assert claim.subject == "dana"


def test_a_thing_is_the_subject_of_what_is_said_about_it() -> None:
    assert said("The port of the API server is 8081.") == [("API server", "port", "8081")]
    assert said("支付模块的负责人是张磊。") == [("支付模块", "owner", "张磊")]


def test_several_clauses_of_a_sentence_each_have_their_say() -> None:
    assert said("I'm Bob, I live in Berlin and we use Vim.") == [
        ("user", "name", "Bob"),
        ("user", "location", "Berlin"),
        ("user", "uses", "Vim"),
    ]


def test_an_enumeration_is_a_claim_for_each_of_its_parts() -> None:
    assert [claim.object for claim in read("We use Terraform, Ansible and Packer.")] == [
        "Terraform",
        "Ansible",
        "Packer",
    ]


def test_the_same_claim_counts_once() -> None:
    assert len(read("I live in Porto. Yes, I live in Porto!")) == 1


def test_a_rule_keeps_its_words_and_loses_its_reasons() -> None:
    assert said("Never push directly to main, because the hooks would not run.") == [
        ("user", "never", "push directly to main")
    ]


def test_a_rule_keeps_the_quotes_and_the_code_it_names() -> None:
    assert said("Always start variable names with 'w_'.") == [
        ("variable names", "prefix", "start variable names with 'w_'")
    ]
    assert said("Always run `make lint test docs` before pushing.") == [
        ("user", "always", "run `make lint test docs` before pushing")
    ]


def test_do_not_use_one_but_the_other_is_two_rules() -> None:
    assert said("Don't use npm, use pnpm.") == [("user", "never", "use npm"), ("user", "always", "use pnpm")]


def test_from_may_on_begins_in_may_and_until_june_ends_where_june_begins() -> None:
    (since,) = read("From May on we use ruff instead of black.")
    (until,) = read("Until June, never merge without two approvals.")
    assert (since.valid_from, since.valid_to) == (day("2026-05-01"), None)
    assert (until.valid_from, until.valid_to) == (None, day("2026-06-01"))


def test_until_a_weekday_is_the_one_to_come() -> None:
    (claim,) = read("Until Friday, don't deploy to production.")
    assert claim.valid_to == day("2026-03-14")


def test_the_date_of_a_deadline_is_its_object_and_not_since_when_it_holds() -> None:
    (claim,) = read("The deadline moved to Friday.")
    assert (claim.object, claim.valid_from, claim.valid_to) == ("Friday", None, None)


def test_a_doing_with_a_date_is_an_event_of_that_day() -> None:
    (claim,) = read("We released version 2.0 on 3 March.")
    assert (claim.kind, claim.object) == ("event", "released version 2.0")
    assert (claim.valid_from, claim.valid_to) == (day("2026-03-03"), day("2026-03-04"))


def test_traditional_characters_are_read_and_kept_as_written() -> None:
    assert said("我喜歡喝烏龍茶。") == [("user", "likes", "喝烏龍茶")]


def test_typographic_apostrophes_are_read() -> None:
    assert said("I can’t stand ORMs.") == [("user", "dislikes", "ORMs")]


def test_an_attribute_takes_only_what_can_be_its_value() -> None:
    assert said("Our database is slow today.") == []
    assert said("The owner is on vacation.") == []
    assert said("The deadline is too tight.") == []


def test_a_remembered_sentence_is_a_note_only_where_no_rule_knows_what_it_says() -> None:
    assert said("Remember that the office closes at six.") == [("user", "note", "office closes at six")]
    assert said("Remember that I live in Porto, and that it rains.") == [("user", "location", "Porto")]


# --- what states nothing ---

STATEMENTS = ("I live in Porto", "we use Postgres", "the port of the gateway is 9000", "I like green tea")
FRAMES = (
    "Is it true that {}?",
    "Do you know whether {}",
    "I wonder if {}.",
    "If {}, we can skip this.",
    "Maybe {}.",
    "Suppose {}.",
    "Imagine {} and nobody knows.",
    "I wish {}.",
    "Tom said {}.",
    "According to Anna, {}.",
    '"{} and that is all," she wrote.',
    "He told me that {}.",
    "{}, just kidding.",
    "I think {}.",
    "It is not true that {}.",
    "> {}",
    "`{}`",
    "```\n{}\n```",
    "Translate to French: {}.",
    "Here is the text:\n{}.",
    "2026-03-01 12:00:01 INFO {}",
    "[ERROR] {}",
    "<memories>\n{}\n</memories>",
    "Alex: {}.",
)


@pytest.mark.parametrize(("frame", "statement"), list(product(FRAMES, STATEMENTS)))
def test_a_statement_that_is_asked_supposed_told_by_others_or_quoted_is_none(frame: str, statement: str) -> None:
    assert said(f"{statement}.") != []
    assert said(frame.format(statement)) == []


STATEMENTS_ZH = ("我住在成都", "我们用Redis", "网关的端口是9000", "我喜欢喝茶")
FRAMES_ZH = (
    "{}吗",
    "你知道{}吗？",
    "如果{}就好了。",
    "也许{}。",
    "假设{}。",
    "小王说{}。",
    "听说{}。",
    "{}，开玩笑的。",
    "文档里写着“{}”。",
    "翻译成英文：{}。",
    "不确定是不是{}。",
    "> {}",
)


@pytest.mark.parametrize(("frame", "statement"), list(product(FRAMES_ZH, STATEMENTS_ZH)))
def test_a_chinese_statement_that_is_asked_supposed_or_told_by_others_is_none(frame: str, statement: str) -> None:
    assert said(f"{statement}。") != []
    assert said(frame.format(statement)) == []


@pytest.mark.parametrize(
    "text",
    [
        "I don't use Vim.",
        "We never used Mongo.",
        "The port is not 8080.",
        "I used to live in Prague.",
        "Previously we used Subversion.",
        "我不用Vim。",
        "端口不是8080。",
        "我以前住在重庆。",
    ],
)
def test_what_is_denied_or_over_is_not_stated(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "My favorite editor is not Vim.",
        "My favorite editor is certainly not Vim.",
        "My favourite colour is never green.",
        "My favourite colour is still unknown.",
        "My favourite colour is a secret.",
        "None of these is my favourite colour.",
        "My name is a secret.",
        "We use neither Redis nor Kafka.",
        "We use no database.",
        "We chose not Redis but Kafka.",
        "We deploy to neither AWS nor GCP.",
        "I own no car.",
        "I like neither tea nor coffee.",
        "I'm a fan of neither.",
        "The gateway is hosted on neither AWS nor GCP.",
        "The billing service is owned by no team.",
        "The status of the gateway is unknown.",
        "Our default branch is never main.",
        "我最喜欢的编辑器不是Vim。",
        "我最喜欢的颜色是个秘密。",
        "我的名字是秘密。",
        "网关的代号是未定。",
        "我们既不用Redis也不用Kafka。",
        "我对花生不过敏。",
    ],
)
def test_what_denies_a_value_or_keeps_it_back_is_none(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    ("text", "object"),
    [
        ("My favourite game is No Man's Sky.", "No Man's Sky"),
        ("My favourite book is The Secret.", "Secret"),
        ("I like a good mystery.", "good mystery"),
        ("We use a secret manager.", "secret manager"),
        ("We use no-code tools.", "no-code tools"),
        ("We use Redis and no Kafka.", "Redis"),
        ("我受不了没有测试的代码。", "没有测试的代码"),
        ("我喜欢无线耳机。", "无线耳机"),
    ],
)
def test_a_name_or_a_thing_that_begins_like_a_denial_is_a_value(text: str, object: str) -> None:
    assert [claim.object for claim in read(text)] == [object]


def test_a_rule_may_begin_with_a_denial() -> None:
    assert said("Never push to main.") == [("user", "never", "push to main")]
    assert said("Remember: not all of the servers reboot.") == [("user", "note", "not all of the servers reboot")]


@pytest.mark.parametrize(
    "text",
    [
        "Please run the tests.",
        "Fix the bug in a.py.",
        "Don't touch this file.",
        "Don't worry about the warnings.",
        "Use the second approach here.",
        "Make sure this compiles.",
        "She always forgets her keys.",
        "The README says to always run make.",
        "帮我跑一下测试。",
        "别删这个文件。",
        "这个接口总是超时。",
    ],
)
def test_a_task_a_kindness_or_a_habit_is_no_rule(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize("text", ["I like it.", "We use this a lot.", "I prefer that.", "我喜欢这个。"])
def test_a_pronoun_is_no_object(text: str) -> None:
    assert said(text) == []


# --- dialogues ---


def test_in_a_dialogue_each_speaker_speaks_for_themselves() -> None:
    text = "Emma: I live in Oslo.\nOliver: And I live in Bergen."
    assert said(text) == [("Emma", "location", "Oslo"), ("Oliver", "location", "Bergen")]


def test_what_an_assistant_says_is_left_out_and_the_user_is_the_author() -> None:
    text = "User: I live in Oslo.\nAssistant: I live in the cloud and we use Postgres."
    assert said(text) == [("user", "location", "Oslo")]


# --- laws ---

CUED = st.lists(
    st.sampled_from(
        [
            "I",
            "we",
            "use",
            "like",
            "live",
            "in",
            "the",
            "port",
            "is",
            "now",
            "8080",
            "always",
            "never",
            "don't",
            "remember",
            "that",
            "from",
            "to",
            ",",
            ".",
            "?",
            "\n",
            '"',
            "`",
            ">",
            ":",
            "我",
            "我们",
            "用",
            "喜欢",
            "住在",
            "不要",
            "总是",
            "端口",
            "是",
            "改成",
            "。",
            "，",
            "3月",
            "Friday",
            "until",
            "May",
            "Redis",
            "x_y",
            "O'Neil",
            "'a",
            "b'",
            "name",
            "my",
        ]
    ),
    max_size=40,
).map(" ".join)


@given(st.one_of(st.text(max_size=300), CUED))
def test_any_text_is_read_without_an_error_and_claims_stand_in_it(text: str) -> None:
    claims = read(text)
    assert claims == read(text)
    for claim in claims:
        assert 0 <= claim.start < claim.stop <= len(text)
        assert claim.object in text[claim.start : claim.stop] or rivals.of(claim.object)
        assert claim.object in text[claim.start : claim.stop] or is_end(claim, NOW)
        assert 0 < len(claim.object) <= 120
        assert claim.subject and claim.predicate.replace("_", "").isalnum()
        assert claim.kind in KINDS
        assert claim.valid_from is None or claim.valid_to is None or claim.valid_from < claim.valid_to


@given(CUED, st.integers(min_value=-(2**62), max_value=2**62))
def test_no_moment_of_reading_is_an_error(text: str, now: int) -> None:
    claims_in(text, now=now, zone=UTC)


def test_a_long_text_is_read_to_a_bound_and_yields_a_bounded_number_of_claims() -> None:
    many = " ".join(f"I live in Porto{number}." for number in range(100))
    assert len(read(many)) == MOST
    assert read("word " * READ + "I live in Porto.") == []


@pytest.mark.parametrize(
    "part",
    [
        "I ",
        "我们用",
        "the port ",
        '"',
        "<a>",
        "<memories>",
        "always ",
        "X: ",
        "Ab: I live in.\n",
        "`",
        "\n>",
        "says: ",
        "- ",
    ],
)
def test_a_long_text_of_one_part_is_read_to_its_end(part: str) -> None:
    text = "I live in Porto.\n" + part * (READ // len(part))
    assert len(read(text)) <= MOST
