import re

from hypothesis import given
from hypothesis import strategies as st

from mnemopi.text import letters

WORDS = st.text(alphabet="aéüßøłİıçñжйёςάأىक्षि部テ각", max_size=12)


@given(st.one_of(st.text(), WORDS))
def test_the_plain_letters_of_plain_letters_are_themselves(text: str) -> None:
    once = letters.plain(text)
    assert letters.plain(once) == once


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_a_text_in_ascii_is_plain(text: str) -> None:
    assert letters.plain(text) == text
    assert letters.umlauts_spelled(text) == []


def test_vowel_signs_of_india_are_kept_and_accents_are_not() -> None:
    assert letters.plain("हिन्दी") == "हिन्दी"
    assert letters.plain("Ægir ŁÓDŹ Straße naïve") == "AEgir LODZ Strasse naive"


def test_a_word_with_umlauts_is_spelled_without_them() -> None:
    assert letters.umlauts_spelled("Größe und Öl, nicht Mass") == ["Groeße", "Oel"]


def test_a_picture_is_one_whatever_colour_or_flag() -> None:
    assert re.findall(letters.EMOJI, "👍🏽✅️ 🇩🇪→x") == ["👍", "✅", "🇩🇪"]
