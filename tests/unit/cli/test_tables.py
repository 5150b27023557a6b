from __future__ import annotations

import io
from collections.abc import Callable
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.cli import output, tables

Terminal: TypeAlias = Callable[[int], io.StringIO]
HEADINGS = ("Score", "Content", "Age", "Source", "Why", "ID")
PROSE = ("Content", "Why")
ROWS = [
    ("0.91", "The staging database moves to Frankfurt " * 4, "3 d", "cli", "lexical, temporal, identifier", "4f2a" * 4),
    ("0.85", "船は八番埠頭に着く" * 12, "12 min", "chat (mara), session standup", "lexical", "9c01" * 4),
]
WHOLE = ("0.91", "3 d", "4f2a" * 4, "12 min", "chat (mara), session standup", "9c01" * 4)


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120, 200])
def test_what_is_copied_is_never_broken(width: int, terminal: Terminal) -> None:
    shown = terminal(width)
    tables.drawn(HEADINGS, ROWS, PROSE)
    assert [cell for cell in WHOLE if cell not in shown.getvalue()] == []


@pytest.mark.parametrize(("width", "drawn"), [(60, False), (80, False), (120, True)])
def test_a_terminal_too_narrow_for_a_table_gets_a_line_for_each_field(
    width: int, drawn: bool, terminal: Terminal
) -> None:
    shown = terminal(width)
    tables.drawn(HEADINGS, ROWS, PROSE)
    told = shown.getvalue().splitlines()
    assert any("━" in line for line in told) is drawn
    assert (f"ID:      {ROWS[0][-1]}" in told) is not drawn


def test_a_list_keeps_the_lines_of_a_field_apart_from_fields(terminal: Terminal) -> None:
    shown = terminal(10)
    tables.drawn(("ID", "Who", "Text"), [("4f2a4f2a", "", "one\nID: 9c01"), ("9c019c01", "bo", "two")], ("Text",))
    assert shown.getvalue() == "ID:   4f2a4f2a\nText: one\n  ID: 9c01\n\nID:   9c019c01\nWho:  bo\nText: two\n"


@pytest.mark.parametrize("width", [20, 120])
def test_nothing_in_a_table_steers_the_terminal(width: int, terminal: Terminal) -> None:
    shown = terminal(width)
    output.table(("ID", "Text"), [("4f2a", "a\x1b[2J\x9bb\u202e")], prose=("Text",))
    assert "a\\u001b[2J\\u009bb\\u202e" in shown.getvalue()
    assert not set(shown.getvalue()) & set("\x9b\u202e")


def test_the_last_of_prose_shrinks_first() -> None:
    assert tables.shared([4, 100, 50], [1, 2], 1000) == [4, 100, 50]
    assert tables.shared([4, 100, 50], [1, 2], 150) == [4, 100, 36]
    assert tables.shared([4, 100, 50], [1, 2], 80) == [4, 50, 16]
    assert tables.shared([4, 100, 50], [1, 2], 46) == [4, 16, 16]
    assert tables.shared([4, 100, 50], [1, 2], 45) is None


@given(st.lists(st.integers(0, 60), min_size=1, max_size=7), st.data(), st.integers(1, 200))
def test_columns_fit_the_room_and_only_prose_is_narrower_than_its_cells(
    needed: list[int], data: st.DataObject, room: int
) -> None:
    prose = data.draw(st.lists(st.integers(0, len(needed) - 1), unique=True))
    widths = tables.shared(needed, prose, room)
    if widths is not None:
        assert sum(widths) + 3 * len(widths) + 1 <= room
        assert all(width == needed[place] for place, width in enumerate(widths) if place not in prose)
        assert all(min(needed[place], tables.READABLE) <= widths[place] <= needed[place] for place in prose)
