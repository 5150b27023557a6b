"""Which questions want what holds now, or the newest."""

from __future__ import annotations

import pytest

from mnemopi.text import intent


@pytest.mark.parametrize(
    "question",
    [
        "Which database do we use now?",
        "What is the CURRENT version",
        "what is currently deployed",
        "the latest decision about the cache",
        "what did I read recently",
        "the most recent one",
        "does it still fail",
        "who is on call at the moment",
        "the up-to-date list",
        "现在用什么数据库",
        "現在用什麼資料庫",
        "目前的负责人是谁",
        "最新的决定",
        "最近在看什么书",
    ],
)
def test_words_of_the_present_ask_for_what_holds_now(question: str) -> None:
    assert intent.wants_current(question)


@pytest.mark.parametrize(
    "question",
    [
        "Which database did we use?",
        "do you know the answer",
        "who is the president of the club",
        "the current2 branch of nowhere",
        "a distillery in Scotland",
        "用户喜欢什么茶",
        "",
    ],
)
def test_words_that_only_contain_them_do_not(question: str) -> None:
    assert not intent.wants_current(question)


@pytest.mark.parametrize("question", ["鬣齿兽出现在哪一时期？", "这种力量体现在哪里？", "他发现在哪里有水？"])
def test_a_word_that_ends_where_another_begins_is_not_the_present(question: str) -> None:
    assert not intent.wants_current(question)
    assert not intent.asks_state(question)


def test_what_asks_for_a_state_is_not_what_asks_for_something_recent() -> None:
    assert intent.asks_state("which port do we use now?")
    assert intent.asks_state("我们现在用哪个端口？")
    assert not intent.asks_state("what did he buy recently?")


def test_the_words_that_ask_for_the_present_are_told() -> None:
    assert intent.words("what is our current port now?").split() == ["current", "now"]


@pytest.mark.parametrize(
    "question", ["Which port is it?", "tell me WHO owns it", "端口是什么", "誰負責部署", "how's it going"]
)
def test_a_question_with_a_word_that_stands_for_the_answer_is_open(question: str) -> None:
    assert intent.is_open(question)


@pytest.mark.parametrize("question", ["staging port", "Is the kettle red?", "somewhat", "端口是 8080 吗", ""])
def test_words_to_search_for_and_yes_or_no_are_not_open(question: str) -> None:
    assert not intent.is_open(question)


@pytest.mark.parametrize(
    "question",
    [
        "When did Mara move to Lisbon?",
        "when's the release",
        "Since when do we use Postgres?",
        "What date is the launch?",
        "which year was the kiln built",
        "How long ago did we rename it?",
        "When the deploy froze",
        "Can you tell me when the launch is?",
        "我们什么时候搬家？",
        "發布會是什麼時間",
        "截止日期是几号？",
        "哪一年改名的",
        "何时上线",
        "多久之前换的端口",
    ],
)
def test_a_question_that_asks_for_a_time_is_known(question: str) -> None:
    assert intent.asks_when(question)


@pytest.mark.parametrize(
    "question",
    [
        "When I deploy, which region is used?",
        "who was there when it broke",
        "the day after",
        "多久能到",
        "how long?",
        "任何时候都行吗",
        "",
    ],
)
def test_a_time_that_is_only_named_is_not_asked_for(question: str) -> None:
    assert not intent.asks_when(question)


@pytest.mark.parametrize(
    "question", ["What port did I choose?", "how old is my cat", "我上周买了什么？", "我的狗叫什么名字"]
)
def test_a_question_of_ones_own_life_is_known(question: str) -> None:
    assert intent.asks_of_oneself(question)


@pytest.mark.parametrize(
    "question",
    [
        "What did you tell me?",
        "remind me what the port is",
        "Which port do we use, and who is my reviewer?",
        "my port",
        "who owns I/O",
        "我们用哪个端口？",
        "你推荐我什么？",
        "",
    ],
)
def test_what_others_said_or_share_is_not_ones_own(question: str) -> None:
    assert not intent.asks_of_oneself(question)
