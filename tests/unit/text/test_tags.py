"""Blocks of a text are found in one reading, whatever tags are left open."""

from __future__ import annotations

import re

import pytest

from mnemopi.text import prose, tags

OPENING = re.compile(r"<(\w+)>")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a<x>b</x>c", "a_c"),
        ("<x>a</x><y>b</y>", "__"),
        ("<x>a</y>b</x>c", "_c"),
        ("<x>a<x>b</x>c</x>", "_c</x>"),
        ("<y><x>a</x>", "<y>_"),
        ("</x><x>a", "</x><x>a"),
        ("no block", "no block"),
    ],
)
def test_a_block_ends_with_the_first_tag_that_closes_it(text: str, left: str) -> None:
    assert tags.replaced(text, OPENING, lambda _: "_") == left


def test_a_block_that_reaches_too_far_is_none() -> None:
    assert tags.replaced("<x>1234</x><x>123</x>", OPENING, lambda _: "_", 3) == "<x>1234</x>_"


@pytest.mark.parametrize("opened", ["<x>", "<x></y>", "<x>" + "-" * 4000])
def test_tags_that_nothing_closes_are_read_once(opened: str) -> None:
    text = opened * (2_000_000 // len(opened)) + "<y>z</y>"
    assert tags.replaced(text, OPENING, lambda _: "", 5000) == text.removesuffix("<y>z</y>")


def test_names_that_nothing_closes_are_read_once() -> None:
    text = "".join(f"<x{number}>" for number in range(300_000))
    assert prose.plain(text + "<y>z</y>") == text + prose.BLANK * 8
