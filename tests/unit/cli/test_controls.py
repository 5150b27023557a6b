from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.cli import controls


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("\x1b[2Jgone", "\\u001b[2Jgone"),
        ("\x1b]0;title\x07", "\\u001b]0;title\\u0007"),
        ("\x9b31m", "\\u009b31m"),
        ("safe\rgone", "safe\\u000dgone"),
        ("del\x7f\x08", "del\\u007f\\u0008"),
        ("\u202egpj.exe\u2066", "\\u202egpj.exe\\u2066"),
    ],
)
def test_what_steers_a_terminal_is_shown(text: str, told: str) -> None:
    assert controls.shown(text) == told


@pytest.mark.parametrize("text", ["one\ntwo\tthree", "one\r\ntwo", "café 部署 😀 \u200e שלום", ""])
def test_any_other_text_stays_as_it_is(text: str) -> None:
    assert controls.shown(text) == text


@given(st.text())
def test_only_ends_of_lines_and_tabs_are_left_of_controls(text: str) -> None:
    shown = controls.shown(text).replace("\r\n", "\n")
    assert {letter for letter in shown if unicodedata.category(letter) == "Cc"} <= {"\n", "\t"}
    assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@given(st.dictionaries(st.text(), st.text()))
def test_a_document_stays_the_same_document(content: dict[str, str]) -> None:
    assert json.loads(controls.shown(json.dumps(content, ensure_ascii=False, indent=2))) == content
