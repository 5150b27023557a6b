"""What makes a sentence worth keeping."""

from __future__ import annotations

import pytest

from mnemopi.consolidation import sentences


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("Always run the tests first", "He often runs the tests first"),
        ("We decided on the blue logo", "We looked at the blue logo"),
        ("It opens on Monday", "It opens for people"),
        ("It costs 40 euros", "It costs some euros"),
        ("不要直接改主分支", "他直接改主分支"),
        ("我们决定用蓝色", "我们看看蓝色"),
        ("Look at src/app.py", "Look at the app"),
        ("The crane is broken.", "The crane is broken?"),
    ],
)
def test_rules_decisions_dates_and_figures_count_more_and_questions_less(more: str, less: str) -> None:
    assert sentences.weight(more) > sentences.weight(less)


def test_the_figures_of_a_text_are_its_numbers() -> None:
    assert sentences.figures("From 3.5 to 12:30 on 2026-03-01, v2") == {"3.5", "12:30", "2026-03-01", "2"}
