import pytest

from mnemopi.retrieval import overtaken

ASKED = frozenset({"bill", "timeout"})
EARLY = (1, "let's set the billing timeout to 45 s for a start")
LATE = (2, "ok, the billing timeout is 90 s from today on")


def test_another_figure_of_the_same_that_is_told_as_a_change_overtakes() -> None:
    assert overtaken.marks([LATE, EARLY], ASKED) == {1: 0}
    assert overtaken.marks([EARLY, LATE, (3, "The billing timeout is now 30 s.")], ASKED) == {0: 2, 1: 2}
    zh = [(1, "账单服务的超时设为 45 秒。"), (2, "账单服务的超时改为 90 秒。")]
    assert overtaken.marks(zh, frozenset({"账单", "超时"})) == {0: 1}


@pytest.mark.parametrize(
    "later",
    [
        "ok, the mail timeout is 90 s from today on",
        "ok, the billing timeout is 45 s from today on",
        "the billing timeout is 90 s",
        "Is the billing timeout 90 s now?",
        "the billing timeout is retried 3 times from now on",
        "We talked of billing. The timeout of mail is 90 s from today on.",
        "the billing timeout is 90 s from today on. " + "And more. " * 100,
    ],
)
def test_what_speaks_of_something_else_or_of_no_change_overtakes_nothing(later: str) -> None:
    assert overtaken.marks([EARLY, (2, later)], ASKED) == {}


def test_what_was_told_at_the_same_time_or_before_overtakes_nothing() -> None:
    assert overtaken.marks([(2, EARLY[1]), LATE], ASKED) == {}
    assert overtaken.marks([(3, EARLY[1]), LATE], ASKED) == {}


def test_a_question_of_one_word_names_no_one_thing() -> None:
    assert overtaken.marks([EARLY, LATE], frozenset({"timeout"})) == {}
