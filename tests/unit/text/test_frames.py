"""A question without the words by which somebody asks it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.text import frames, tokens


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Can you remind me which port we chose?", "which port we chose?"),
        ("Please tell us again about the rollout.", "the rollout."),
        ("Find out which port the staging database listens on.", "which port the staging database listens on."),
        ("Do you still remember who reviewed it?", "who reviewed it?"),
        ("Do we know who reviewed it?", "who reviewed it?"),
        ("I was wondering if you could tell me what Mara said", "what Mara said"),
        ("I'm going back to our previous conversation about lutes. You mentioned strings.", "lutes. strings."),
        ("I’d like to know the port", "the port"),
        ("你还记得服务器的端口吗？", "服务器的端口吗？"),
        ("请告诉我服务器的端口是多少", "服务器的端口是多少"),
        ("帮我查一下密码的轮换规则", "密码的轮换规则"),
        ("我们上次的讨论里你提到的端口是多少？", "端口是多少？"),
        ("请问端口是多少", "端口是多少"),
    ],
)
def test_what_is_asked_is_a_question_without_its_frame(question: str, asked: str) -> None:
    assert frames.without(question) == asked


@pytest.mark.parametrize(
    "question",
    [
        "Do you remember?",
        "Tell me.",
        "你还记得吗？",
        "What did I tell Bob about the port?",
        "Remind Ada of the port",
        "Which conversation was about cats?",
        "What was mentioned in the tell-tale heart?",
        "When did we let Mira know about the outage?",
        "我说的是什么",
        "谁帮我看孩子？",
        "谁告诉我作业的事？",
        "谁提醒我吃药",
        "What will Mara show me on Monday?",
        "What did Tom give me for my birthday?",
        "My boss will give me a raise in May",
        "Which tool will let us know of failing builds?",
        'Who wrote "could you tell me the time"?',
        "",
        "  \n",
    ],
)
def test_words_that_ask_for_something_stay(question: str) -> None:
    assert frames.without(question) == question


@pytest.mark.parametrize(
    ("question", "searched"),
    [
        ("备份什么时候做？", "备份 做？"),
        ("自行车花了多少钱？", "自行车花了 钱？"),
        ("小雨会不会游泳？", "小雨 会游泳？"),
        ("他喜不喜欢苹果", "他 喜欢苹果"),
        ("婚礼在哪里办？", "婚礼在 办？"),
        ("几何作业", "几何作业"),
        ("哪天发布？", " 发布？"),
        ("星期几开会", " 开会"),
        ("她住几楼", "她住 "),
        ("是否备份", " 备份"),
        ("How much is it?", "How much is it?"),
    ],
)
def test_words_that_stand_for_the_answer_are_not_searched_for(question: str, searched: str) -> None:
    assert frames.searched(question) == searched


WORDS = ["tell ", "me ", "do ", "you ", "know ", "a\n", "port ", "请", "告诉", "我", "端口", "? "]


@given(st.lists(st.sampled_from(WORDS), max_size=9).map("".join))
def test_what_is_left_says_something_where_the_question_does_and_nothing_is_added(question: str) -> None:
    left = frames.without(question)
    assert set(tokens.content_terms(left)) <= set(tokens.content_terms(question))
    assert bool(tokens.content_terms(left)) == bool(tokens.content_terms(question))
    assert left.strip().count("\n") <= question.count("\n")


@pytest.mark.parametrize(
    ("question", "required"),
    [
        ("How long was it down?", "How  was it down?"),
        ("At what time does it run?", "At what  does it run?"),
        ("What is the name of the cat?", "What is  the cat?"),
        ("which kind of tea", "which  tea"),
        ("What a long day, and how are the many?", "What a long day, and how are the many?"),
        ("端口是多少", "端口是多少"),
    ],
)
def test_a_word_that_names_a_kind_of_answer_need_not_be_met(question: str, required: str) -> None:
    assert frames.required(question).replace("   ", "  ") == required
