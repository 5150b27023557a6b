"""Summaries: sentences of the sources word for word, or a model's lines as far as they are founded."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.consolidation import summarize
from mnemopi.consolidation.summarize import Summary
from mnemopi.model.memory import Memory

from .conftest import BOATS, BREAD, waiting

PROMPT = "{count} notes:\n{lines}"


def plain(terms: Sequence[str]) -> dict[str, float]:
    return dict.fromkeys(terms, 1.0)


def sources(*texts: str, author: str | None = None) -> list[Memory]:
    return [waiting(text, number, author_id=author).memory for number, text in enumerate(texts)]


def backed(summary: Summary, found: list[Memory]) -> bool:
    """Whether each line is, to the letter, the spans it names."""
    by_id = {memory.id: memory for memory in found}
    made = [summarize.line_of(by_id[line.memory], line) for cited in summary.lines for line in cited]
    return "\n".join(made) == summary.text


def test_each_line_is_a_span_of_its_source() -> None:
    found = sources(*BOATS, author="mara")
    summary = summarize.extract(found, plain, 10_000)
    assert backed(summary, found)
    assert summary.text.startswith("mara: The harbour crane broke down on 3 March")
    assert summary.sentences == len(summary.text.splitlines())


def test_lines_keep_the_order_in_which_things_were_said() -> None:
    summary = summarize.extract(sources(*BOATS), plain, 10_000)
    ids = [cited[0].memory for cited in summary.lines]
    assert ids == sorted(ids)


def test_what_is_said_twice_is_taken_once() -> None:
    summary = summarize.extract(sources(*BREAD, *BREAD), plain, 10_000, share=1.0)
    lines = summary.text.splitlines()
    assert len(lines) == len(set(lines)) == len(BREAD)


def test_a_rule_comes_before_chatter_of_its_length() -> None:
    rule, chatter = "Never push to the main branch on Fridays", "We went past the main gate on foot later"
    summary = summarize.extract(sources(chatter, rule), plain, 45)
    assert summary.text == rule


def test_a_summary_keeps_within_its_room() -> None:
    for room in (80, 200, 400):
        assert len(summarize.extract(sources(*BOATS, *BREAD), plain, room).text) <= room


def test_a_summary_of_much_takes_half_of_it_at_most() -> None:
    many = [f"Sentence number {n} talks about topic{n} and thing{n} and matter{n}." for n in range(60)]
    summary = summarize.extract(sources(*many), plain, 100_000)
    assert len(summary.text) <= sum(map(len, many)) // 2


def test_pleasantries_alone_are_no_summary() -> None:
    assert summarize.extract(sources("Hi!", "Thanks, you too.", "Bye!"), plain, 1000).sentences == 0


@given(st.lists(st.sampled_from([*BOATS, *BREAD, "ok", "我们决定改成蓝色。不要忘记！"]), min_size=1, max_size=12))
def test_nothing_is_made_up_whatever_was_said(texts: list[str]) -> None:
    found = sources(*texts)
    summary = summarize.extract(found, plain, 500)
    assert backed(summary, found)
    assert len(summary.text) <= 500


def test_a_models_founded_lines_are_kept_with_what_they_cite() -> None:
    found = sources(*BOATS, author="mara")
    answer = "- The harbour crane broke down on 3 March [1]\nFerreira moved the barge Aurora to pier 7. [4, 2]"
    asked: list[str] = []
    summary = summarize.written(found, plain, 1000, lambda prompt: asked.append(prompt) or answer, PROMPT)
    assert summary is not None
    assert summary.by == "llm"
    assert summary.text.splitlines() == [
        "The harbour crane broke down on 3 March",
        "Ferreira moved the barge Aurora to pier 7.",
    ]
    assert [[line.memory for line in cited] for cited in summary.lines] == [["m0"], ["m3", "m1"]]
    assert asked[0].startswith("5 notes:\n[1] mara: The harbour crane")


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I am sorry, I cannot do that.",
        "The crane broke down on 3 March [1]\nThe crane broke down on 3 March [99]\nIt is sunny [2]\nAnd warm [2]",
        "The crane costs 90000 euros [5]\nThe crane was sold to a circus [1]",
        "One line alone is no summary of the crane repair [1]",
        "The barge sank with all hands [4]\nThe harbour master resigned in anger [2]",
    ],
)
def test_an_answer_that_does_not_hold_is_refused(answer: str) -> None:
    assert summarize.written(sources(*BOATS), plain, 1000, lambda prompt: answer, PROMPT) is None


def test_a_models_answer_beyond_the_room_is_refused() -> None:
    answer = f"{BOATS[0]} [1]\n{BOATS[3]} [4]"
    assert summarize.written(sources(*BOATS), plain, 60, lambda prompt: answer, PROMPT) is None
