"""Words that are known by no other terms than those that are given."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.text import tokens, unknown


@pytest.mark.parametrize(
    ("text", "known", "expected"),
    [
        ("What is the port of the upload service?", "ports and services", ["upload"]),
        ("Where are the anchors?", "an anchor", []),
        ("Who reviewed `parse_config.py`?", "review", ["parse_config.py"]),
        ("Is parse_config.py here?", "parse the config", []),
        ("Does Müller know Ångström?", "Mueller knows", ["Ångström"]),
        ("上传服务的端口是什么？", "账单服务的端口是8080", ["上传"]),
        ("上传服务", "上传账单 服务", []),
        ("老张结婚了", "老张去年结了婚", []),
        ("搜索API网关", "搜索 api", ["网关"]),
        ("the of", "", []),
        ("", "", []),
    ],
)
def test_a_word_is_unknown_when_none_of_its_terms_is_known(text: str, known: str, expected: list[str]) -> None:
    absent = set(tokens.content_terms(text)) - set(tokens.shadow(known).split())
    assert unknown.words(text, absent) == expected


@given(st.text(st.sampled_from("ab 上传服务的,-_1é"), max_size=30))
def test_where_every_term_is_known_no_word_is_unknown(text: str) -> None:
    assert unknown.words(text, frozenset()) == []


@given(st.text(max_size=60))
def test_what_is_unknown_stands_in_the_text_once_and_says_something(text: str) -> None:
    words = unknown.words(text, set(tokens.content_terms(text)))
    assert len(words) == len(set(words))
    for word in words:
        assert word in unicodedata.normalize("NFKC", text)
        assert tokens.content_terms(word)
