from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.text import forms

MONTHS = [date(2026, month, 1).strftime("%B") for month in range(1, 13)]
DAYS = st.dates(min_value=date(1000, 1, 1), max_value=date(2999, 12, 31))
PIECES = st.lists(
    st.one_of(
        st.sampled_from(["13", "January", "2026,", "1月", "12,500", "1.25", "万", "300", "1.000,1.000", "2026-01-13x"]),
        st.text(alphabet="0123456789,.-/kM月日年万 JanuarySept", min_size=1, max_size=12).filter(
            lambda text: len(text.split()) == 1 and not text[0].isspace() and not text[-1].isspace()
        ),
    ),
    max_size=12,
)


def ways(day: date) -> list[str]:
    month = MONTHS[day.month - 1]
    return [
        f"{day.year}-{day.month:02}-{day.day:02}",
        f"{day.year}/{day.month}/{day.day}",
        f"{day.day}.{day.month}.{day.year}",
        f"{day.day} {month} {day.year}",
        f"{month[:3]} {day.day}, {day.year}",
        f"{day.year}年{day.month}月{day.day}日",
        f"{day.year}년 {day.month}월 {day.day}일",
    ]


@given(DAYS)
def test_all_ways_to_write_a_date_meet(day: date) -> None:
    spelled = [day.isoformat(), str(day.year), MONTHS[day.month - 1], str(day.day)]
    for way in ways(day):
        assert forms.instead(way.split()) == spelled
    assert set(forms.instead(spelled)) == set(spelled)


@given(st.integers(1, 10**9))
def test_all_ways_to_write_a_number_meet(thousands: int) -> None:
    spelled = [str(thousands * 1000)]
    for way in (f"{thousands}k", f"{thousands} thousand", f"{thousands / 10:.1f}万", f"{thousands * 1000:,}"):
        assert forms.instead(way.split()) == spelled
    assert forms.instead(spelled) == spelled or len(spelled[0]) == 8


@given(PIECES)
def test_where_no_piece_looks_like_a_part_there_is_no_form(pieces: list[str]) -> None:
    places = [place for place, piece in enumerate(pieces) if forms.may_be_in(piece)]
    within = {at for start, stop in forms.around(pieces, places) for at in range(start, stop)}
    assert {place for place, words in forms.beside(pieces).items() if words} <= within


@given(PIECES)
def test_what_is_added_for_a_piece_alone_is_added_among_others(pieces: list[str]) -> None:
    among = [word for words in forms.beside(pieces).values() for word in words]
    for piece in pieces:
        assert set(forms.beside([piece]).get(0, ())) <= {*among, *pieces}


@given(PIECES)
def test_what_is_added_stands_behind_a_piece_that_is_there(pieces: list[str]) -> None:
    assert all(0 <= place < len(pieces) for place in forms.beside(pieces))


@pytest.mark.parametrize(
    "text",
    [
        "10.0.0.100",
        "v1.2.3",
        "port 8080 and 443",
        "2026-13-41",
        "31 of 2026",
        "3千米",
        "parse 12 files",
        "9:30",
        "12/24",
    ],
)
def test_what_is_neither_date_nor_number_is_left_alone(text: str) -> None:
    assert forms.instead(text.split()) == text.split()
    assert not forms.beside(text.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("src/2026-01-13.log", "src/2026-01-13.log 2026-01-13 January"),
        ("À1月", "À1月 January"),
        ("6 348ms", "6 348ms 6348"),
        ("12.500", "12.500 12500"),
        ("on 3/4/2026", "on 2026-03-04 2026 March 4 2026-04-03 April 3"),
    ],
)
def test_what_may_mean_something_else_stays(text: str, expected: str) -> None:
    assert forms.instead(text.split()) == expected.split()


@pytest.mark.parametrize(
    "text", ["1.000," * 50_000, "2026年1月13日" * 20_000, "9" * 100_000 + "k", "1" + "万" * 100_000]
)
def test_a_huge_piece_is_read_in_time(text: str) -> None:
    assert len(forms.beside([text])) <= 1
    assert forms.instead([text])


def test_of_a_day_that_no_month_has_the_month_is_left() -> None:
    assert forms.beside(["1月32日"]) == {0: ["January"]}
