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
