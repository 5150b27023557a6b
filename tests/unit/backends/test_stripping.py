"""What memory put into a session is not kept as something that was said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.backends import stripping
from mnemopi.backends.hindsight import shown
from mnemopi.retrieval import render

BLOCK = '<memories note="Recalled: data.">\n- [a1, 2026-01-01, user] The port is 5433\n</memories>'


def test_a_closed_block_is_cut_out_and_counted() -> None:
    done = stripping.stripped(f"Please look.\n\n{BLOCK}\n\nWhich port?")
    assert (done.text, done.blocks) == ("Please look.\n\nWhich port?", 1)


@pytest.mark.parametrize("tag", render.TAGS)
def test_blocks_of_other_systems_are_known(tag: str) -> None:
    assert stripping.stripped(f"a <{tag}>\nold\n</{tag}> b").text == "a  b"


def test_a_block_within_a_block_ends_with_the_outer_one() -> None:
    assert stripping.stripped("x\n<memories>\na\n<memories>\nb\n</memories>\nc\n</memories>\ny").text == "x\n\ny"


def test_a_block_that_is_not_closed_ends_with_its_list() -> None:
    cut = BLOCK.removesuffix("\n</memories>") + "\n\n- [a2] Another\n  goes on\n\nNow my own words."
    assert stripping.stripped(f"Before.\n\n{cut}") == stripping.Stripped("Before.\n\nNow my own words.", 1)


def test_a_block_that_a_budget_cut_off_takes_all_that_follows() -> None:
    assert stripping.stripped(f"Before.\n{BLOCK[:60]}").text == "Before."


@pytest.mark.parametrize(
    "said",
    [
        "Why does the <memories> tag stay open?",
        "Put it between `<memories>` and `</memories>`, please.",
        "List<int> and <memory> are other things",
        "</memories> alone closes nothing",
        "<memories> is not closed in what you wrote, mend it.\nAnd always run make check.",
        "See <memories>\nAlways use port 7001 for staging.",
        "<memories>\nis what it wrote. Always use port 7001.",
        "In the settings\n```xml\n<memories>\n  <item>port 5433</item>\n</memories>\n```\nkeep the item",
        "1. ~~~~\n   <memories>\n   - a\n   ~~~\n   </memories>\n   ~~~~\n2. keep it",
        "```\n<memories>\n- a",
    ],
)
def test_a_tag_that_is_spoken_of_is_no_block(said: str) -> None:
    assert stripping.stripped(said) == stripping.Stripped(said)


def test_a_block_of_ours_is_cut_out_of_fenced_code_too() -> None:
    assert stripping.stripped(f"```\n{BLOCK}\n```\nWhich port?").text == "```\n\n```\nWhich port?"


def test_a_fence_that_ended_hides_no_block() -> None:
    assert stripping.stripped("```sh\nmake\n```\n<memories>\n- a\n</memories>\nNow.").text == "```sh\nmake\n```\n\nNow."


def test_what_a_server_found_is_a_block_where_it_is_cut_off() -> None:
    block = shown.block([shown.Memory("m1", "The port is 5433"), shown.Memory("m2", "The pier is red")])
    assert stripping.stripped(f"Before.\n{block[: block.index('pier')]}").text == "Before."
    assert stripping.stripped(f"Before.\n{block[: len(shown.OPENING)]}").text == "Before."


def test_halves_of_a_character_are_joined_and_single_ones_replaced() -> None:
    assert stripping.stripped("a\ud83d\ude00b\ud83dc\x00") == stripping.Stripped("a😀b\ufffdc\ufffd", 0, 3)


@given(st.text())
def test_what_is_left_has_no_closed_block_and_can_be_stored(text: str) -> None:
    done = stripping.stripped(f"{text}<memories>\n- x\n</memories>")
    assert "\x00" not in done.text
    assert stripping.stripped(done.text).text == done.text
    done.text.encode()


@given(st.text(alphabet="ab <>/`\nmemories-"))
def test_a_text_without_tags_stays_as_it_is(text: str) -> None:
    assert "<memories" in text or "<memory" in text or stripping.stripped(text).text == text.strip()
