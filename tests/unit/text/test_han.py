from hypothesis import given
from hypothesis import strategies as st

from mnemopi.text import han


def test_traditional_characters_become_simplified_ones() -> None:
    assert han.simplified("這個國家的資料庫與網路") == "这个国家的资料库与网路"


@given(st.text(alphabet="這个國後发發髮臺乾了的着著A1 "))
def test_a_simplified_text_stays_as_it_is(text: str) -> None:
    once = han.simplified(text)
    assert han.simplified(once) == once
    assert len(once) == len(text)


def test_no_character_is_in_both_columns() -> None:
    table, _ = han._table()
    assert not {chr(each) for each in table} & set(table.values())
