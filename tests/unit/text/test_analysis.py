import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mnemopi.text import analysis

NAMES = st.from_regex(r"[a-z_0-9]{0,4}(?:[._/:-]{1,2}[a-z0-9]{1,4}){0,4}", fullmatch=True).filter(bool)


@given(NAMES)
@example("src/main.py:12")
@example("e_v2")
@example("v2_e")
@example("_a")
@example("a__b")
def test_a_name_of_known_words_has_the_terms_that_it_had_when_they_were_new(name: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analysis, "_words", {})
        new = analysis.terms(name)
        for word in re.findall("[a-z]+|[0-9]+|[a-z0-9]+", name):
            analysis.terms(word)
            analysis.terms(f"x_{word}")
        assert analysis.terms(name) == new


def test_words_seen_before_are_forgotten_when_they_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "_words", {})
    monkeypatch.setattr(analysis, "REMEMBERED", 2)
    for word in ("deploying", "clusters", "forward"):
        assert analysis.terms(word) == analysis.terms(word)
    assert len(analysis._words) <= 2
