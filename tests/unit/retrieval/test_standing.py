"""Of those that say the same, the later stands."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mnemopi.retrieval import evidence, scoring, standing
from mnemopi.text import tokens

WANTED = standing.wanted({"start": 0.5, "function": 1.0, "name": 0.4})
FILLER = " ".join(f"word{number}" for number in range(200))


def candidates(*texts: str, author: str | None = None) -> list[evidence.Candidate]:
    return [evidence.Candidate(tokens.shadow(text), at=at, author=author) for at, text in enumerate(texts)]


def ranked(question: str, found: list[evidence.Candidate]) -> list[int]:
    shadows = [candidate.shadow.split() for candidate in found]

    def frequency(terms: object) -> dict[str, int]:
        return {term: sum(term in shadow for shadow in shadows) for term in terms}  # type: ignore[attr-defined]

    asked = evidence.ask(question, frequency, len(found), 60.0)
    return [place for place, _ in scoring.rank(asked, found)]


def test_words_close_together_count_more_than_words_spread_over_a_page() -> None:
    tight = standing.together(tokens.shadow(f"{FILLER} start function names with x_ {FILLER}"), WANTED)
    spread = standing.together(tokens.shadow(f"start {FILLER} function {FILLER} names"), WANTED)
    assert tight > 0.9
    assert spread == 0.0


def test_a_question_too_long_to_be_said_in_one_place_wants_nothing() -> None:
    assert standing.wanted({f"t{number}": 1.0 for number in range(13)}) == {}


def test_the_later_rule_ranks_above_the_earlier_for_a_question_about_the_present() -> None:
    old = f"Start function names with a_, all function names. Function names start so. {FILLER}"
    new = f"{FILLER} Please start function names with b_ {FILLER}"
    assert ranked("how do we start function names now?", candidates(old, new)) == [1, 0]


def test_a_question_about_no_time_ranks_by_words_alone() -> None:
    old = f"Start function names with a_, all function names. Function names start so. {FILLER}"
    new = f"{FILLER} Please start function names with b_ {FILLER}"
    assert ranked("how do we start function names?", candidates(old, new)) == [0, 1]


def test_what_is_later_and_about_something_else_is_not_lifted() -> None:
    rule, other = "Start function names with a_", "The function of a name is to be short"
    assert ranked("how do we start function names now?", candidates(rule, other, FILLER))[0] == 0


def test_a_question_and_an_echo_of_a_program_state_nothing() -> None:
    rule = candidates("Start function names with a_ please, for all of them")
    asking = [evidence.Candidate(tokens.shadow("How do we start function names?"), at=1)]
    echo = [evidence.Candidate(tokens.shadow("You start function names with a_"), at=2, author="assistant")]
    question = evidence.Question(("start", "function", "name"), (1.0, 1.0, 1.0), 3.0, 10.0, current=True)
    asked = evidence.Question(question.terms, question.idf, 3.0, 10.0, current=True, told=frozenset(question.terms))
    found = evidence.gather(asked, [*rule, *asking, *echo])
    assert [each.together > 0 for each in found] == [True, False, False]


@given(
    st.lists(
        st.tuples(st.floats(-5, 5), st.floats(0, 1), st.integers(0, 5)),
        max_size=12,
    )
)
def test_lifts_never_lower_and_put_the_later_above_the_earlier(rows: list[tuple[float, float, int]]) -> None:
    orders, close, at = [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]
    lifted = standing.lifts(orders, close, at)
    assert all(lift >= 0 for lift in lifted)
    least = standing.ALIKE * max(close, default=0.0)
    ends = [order + lift for order, lift in zip(orders, lifted, strict=True)]
    for one in range(len(rows)):
        for other in range(len(rows)):
            if close[one] >= least > 0 and close[other] >= least and at[one] < at[other]:
                assert ends[one] < ends[other]
