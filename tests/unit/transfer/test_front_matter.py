from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.transfer import front_matter


def front(*lines: str) -> dict[str, Any]:
    found, rest = front_matter.split(["---", *lines, "---", "text"])
    assert list(rest) == ["text"]
    return found


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["title: Notes"], {"title": "Notes"}),
        (["title: 'Notes: a \"b\"'"], {"title": 'Notes: a "b"'}),
        (["said: 'tis the season"], {"said": "'tis the season"}),
        (['said: "a" and "b"'], {"said": '"a" and "b"'}),
        (["日期 : 2026-03-05", "Date created: x"], {"日期": "2026-03-05", "Date created": "x"}),
        (["title: a # b"], {"title": "a # b"}),
        (['tags: [a, "b, c", d e ]'], {"tags": ["a", "b, c", "d e"]}),
        (["tags: [", "  a,", "  b,", "  ]"], {"tags": ["a", "b"]}),
        (["ties: [[Target]]"], {"ties": "[[Target]]"}),
        (["tags: [a, b] or c"], {"tags": "[a, b] or c"}),
        (["tags:", "- a", "", "- 'b: c'", "next: d"], {"tags": ["a", "b: c"], "next": "d"}),
        (["tags:", "  - a", "  - b"], {"tags": ["a", "b"]}),
        (["none:", "tags: []", "title: x"], {"title": "x"}),
        (["# how it looks", "title: x"], {"title": "x", "#": ["# how it looks"]}),
    ],
)
def test_keys_lists_and_comments_are_read(lines: list[str], told: dict[str, Any]) -> None:
    assert front(*lines) == told


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("|", "Use tabs.\n  Always.\n\nkey: no key\n---"),
        ("|-", "Use tabs.\n  Always.\n\nkey: no key\n---"),
        (">-", "Use tabs.\n  Always.\nkey: no key ---"),
        (">", "Use tabs.\n  Always.\nkey: no key ---"),
    ],
)
def test_a_block_keeps_its_text(head: str, told: str) -> None:
    below = ["  Use tabs.", "    Always.", "", "  key: no key", "  ---", ""]
    assert front(f"about: {head}", *below, "next: x") == {"about": told, "next": "x"}


def test_a_text_that_goes_on_below_is_one() -> None:
    assert front("about: Use", "  tabs: always", "next: x") == {"about": "Use tabs: always", "next": "x"}


def test_a_structure_that_is_not_known_stays_the_text_that_it_is() -> None:
    assert front("author:", "  name: Ann", "  - odd") == {"author": "name: Ann\n- odd"}
    assert front("steps:", "  - a: 1", "    b: 2") == {"steps": "- a: 1\n  b: 2"}


@pytest.mark.parametrize(
    "lines",
    [
        ["", "The port is 8123.", "", "---", "More."],
        ["The port is 8123.", "---"],
        ["title: x", "The port is 8123.", "---"],
        ["", "port: 8123", "---"],
        ["# Ports", "---"],
        ["port: 8123", "port: 8124", "---"],
        ["port: 8123", "- 8124", "---"],
        ["- 8123", "---"],
        ["  8123", "---"],
        ["see http://a.example/b", "---"],
        ["title: x", "no end"],
        [],
    ],
)
def test_what_holds_one_line_that_is_not_known_is_text(lines: list[str]) -> None:
    page = ["---", *lines]
    assert front_matter.split(page) == ({}, page)


def test_a_page_that_begins_with_text_has_none() -> None:
    assert front_matter.split([]) == ({}, [])
    assert front_matter.split(["text", "---", "a: b", "---"]) == ({}, ["text", "---", "a: b", "---"])


LINES = st.tuples(st.sampled_from(["", "a: ", "c: ", "  ", "- ", "# "]), st.text("b#-|>[]', \t", max_size=8))


@given(st.lists(LINES.map("".join), max_size=8))
def test_no_word_is_lost(lines: list[str]) -> None:
    found, rest = front_matter.split(["---", *lines, "---", "text"])
    assert (str(found) + "".join(rest)).count("b") >= "".join(lines).count("b")
