import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.retrieval import evidence
from mnemopi.retrieval.evidence import Candidate, Evidence, Question
from mnemopi.text import tokens

TEXTS = [
    "Mira: The deploy of the cluster is on Friday",
    "Tomas: Did parseConfig_v2 fail again?",
    "Mira: Yes, with E1234 in src/core/db.py:31",
    "Tomas: Lunch?",
    "我们周五部署集群",
]
AUTHORS = ("Mira", "Tomas", "user", "王伟", "build-bot", "Jun Park", "staging@example.com")


def frequency(terms: Sequence[str]) -> Mapping[str, int]:
    shadows = [set(tokens.shadow(text).split()) for text in TEXTS]
    return {term: sum(term in shadow for shadow in shadows) for term in terms}


def ask(text: str, authors: Sequence[str] = AUTHORS) -> Question:
    return evidence.ask(text, frequency, len(TEXTS), 8.0, authors)


def read(question: Question, text: str, **more: str | float) -> Evidence:
    return evidence.gather(question, [Candidate(tokens.shadow(text), content=text, **more)])[0]  # type: ignore[arg-type]


def test_a_rare_term_weighs_more_than_a_common_one_and_none_weighs_nothing() -> None:
    weights = [evidence.idf_of(frequency, 10) for frequency in (0, 1, 5, 10, 12)]
    assert weights == sorted(weights, reverse=True)
    assert weights[-1] > 0
    assert evidence.idf_of(1, 3) == pytest.approx(math.log(1 + 2.5 / 1.5))


def test_terms_that_occur_nowhere_are_not_searched_but_count_in_the_mass() -> None:
    question = ask("deploy the zeppelin")
    assert question.terms == ("deploy",)
    assert question.mass == pytest.approx(question.idf[0] + evidence.idf_of(0, 100))
    assert read(question, "deploy").coverage == pytest.approx(question.idf[0] / question.mass)


def test_a_word_that_names_a_kind_of_answer_need_not_be_met() -> None:
    plain, asked = ask("was the cluster down?"), ask("how long was the cluster down?")
    assert asked.mass > plain.mass
    assert asked.mass - asked.spare == pytest.approx(plain.mass)
    assert asked.unknown == plain.unknown


def test_a_named_author_is_evidence_of_who_spoke_and_no_word_to_search_for() -> None:
    question = ask("What did Mira deploy?")
    assert question.named == {"Mira"}
    assert question.terms == ("deploy",)
    assert read(question, "deploy", author="Mira").speaker == 1
    assert read(question, "deploy", author="Tomas").speaker == -1
    assert read(question, "deploy").speaker == 0


def test_who_is_spoken_of_counts_as_well_as_who_speaks() -> None:
    question = ask("Who is Mira's dentist?")
    assert read(question, "Mira's dentist is Dr Kim", author="Tomas").speaker > 1
    assert read(question, "I met Mira on the way to a dentist", author="Tomas").speaker == -0.5
    assert read(question, "my dentist is Dr Kim", author="Mira").speaker == 1


def test_who_asks_for_something_of_their_own_has_said_it() -> None:
    question = ask("What port did I choose?")
    assert read(question, "port 8080 it is", author="user").speaker == 1
    assert read(question, "port 8080 it is", author="assistant").speaker == 0
    assert read(question, "port 8080 it is").speaker == 0
    assert read(ask("What port did you choose?"), "port 8080 it is", author="user").speaker == 0
    assert read(ask("I changed the host. What port did I choose?"), "port 8080", author="user").speaker == 0


def test_a_date_counts_where_one_is_asked_for() -> None:
    assert read(ask("When did we deploy?"), "deploy", dated=True).dated
    assert not read(ask("When did we deploy?"), "deploy").dated
    assert not read(ask("Who may deploy?"), "deploy", dated=True).dated


def test_a_question_of_nothing_but_a_name_searches_for_the_name() -> None:
    assert ask("Mira?").terms == ("mira",)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("What did the user deploy?", set()),
        ("MIRA and Tomas", {"Mira", "Tomas"}),
        ("王伟部署了什么", {"王伟"}),
        ("王先生部署了什么", set()),
        ("Why did the build fail?", set()),
        ("What does Build-Bot do?", {"build-bot"}),
        ("is the park closed", set()),
        ("What does Jun like?", {"Jun Park"}),
        ("Is staging down?", set()),
        ("Did staging@example.com write?", {"staging@example.com"}),
    ],
)
def test_a_role_or_half_a_name_names_nobody(text: str, named: set[str]) -> None:
    assert ask(text).named == named


def test_a_text_covers_what_its_words_weigh_and_its_neighbours_add_the_rest() -> None:
    question = ask("deploy cluster friday lunch")
    alone = read(question, "deploy cluster")
    joined = read(question, "deploy cluster", before=tokens.shadow("friday"), after=tokens.shadow("lunch deploy"))
    assert alone.gain == 0
    assert joined.coverage == pytest.approx(alone.coverage)
    assert joined.coverage + joined.gain == pytest.approx(1)


def test_what_stands_around_is_read_from_its_own_place() -> None:
    question = ask("deploy cluster")
    found = read(question, "yes", before=tokens.shadow("Do we deploy?"), after2=tokens.shadow("the cluster"))
    assert (found.bm25, found.after_question) == (0, True)
    assert found.before > 0
    assert found.around > 0


def test_bm25_grows_with_each_occurrence_and_falls_with_length() -> None:
    question = ask("deploy")
    once, twice = read(question, "deploy now"), read(question, "deploy now deploy")
    long = read(question, "deploy " + "word " * 200)
    assert once.bm25 < twice.bm25 < 2 * once.bm25
    assert long.bm25 < once.bm25


def test_the_cosine_is_told_in_deviations_from_the_background() -> None:
    question = replace(ask("deploy"), background=(0.2, 0.1))
    assert read(question, "x", cosine=0.5).meaning == pytest.approx(3)
    assert read(question, "x").meaning is None
    foreign = replace(question, native=False)
    assert 0 < (read(foreign, "x", cosine=0.5).meaning or 0) < 3


def test_without_a_background_the_candidates_stand_in() -> None:
    found = evidence.gather(ask("deploy"), [Candidate("x", cosine=value) for value in (0.1, 0.3)])
    assert [each.meaning for each in found] == pytest.approx([-1, 1])


@pytest.mark.parametrize(
    ("question", "text", "exact"),
    [
        ("why does parseConfig_v2 fail", "see parseConfig_v2 here", 1),
        ("why does parseConfig_v2 fail", "see parseConfig_v21 here", 0),
        ("what is `rm -x`", "run rm -x now", 1),
        ("why does parseConfig_v2 fail", "see parseConfig_v2_old here", 0),
        ("why does parseConfig_v2 fail", "see old_parseConfig_v2 here", 0),
        ("why does parseConfig_v2 fail", "it is parseConfig_v2. That fails", 1),
        ("why does parseConfig_v2 fail", "parseConfig_v2 - it fails", 1),
        ("why does parseConfig_v2 fail", "因为parseConfig_v2出错", 1),
        ("what does `--no-cache` do", "pass --no-cache-3 here", 0),
        ("what does `--no-cache` do", "pass --no-cache-", 1),
        ("what does `--no-cache` do", "pass --no-cache, then", 1),
        ("what is in `b.py`", "see b.py.bak", 0),
        ("what is in `b.py`", "see a-b.py", 0),
        ("what is in `b.py`", "see src/b.py.", 1),
        ("what is in `b.py`", "see ...b.py...", 1),
        ('who said "deploy the cluster"?', "I said: deploy the cluster!", 1),
        ('who said "deploy the cluster"?', "deploy a cluster", 0),
        ("Deploy the cluster?", "please deploy the cluster", 1),
        ("Deploy the cluster?", "please redeploy the cluster", 0),
        ("部署集群？", "我们部署集群吧", 1),
        ("deploy and lunch", "parseConfig_v2", 0),
    ],
)
def test_identifiers_quotations_and_short_questions_are_found_to_the_letter(
    question: str, text: str, exact: float
) -> None:
    assert read(ask(question), text).exact == pytest.approx(exact, abs=0.01)


def test_an_identifier_that_stands_everywhere_tells_nothing() -> None:
    question = evidence.ask("about mnemopi_v2 and lunch", lambda terms: dict.fromkeys(terms, 1000), 1000, 8.0)
    assert read(question, "mnemopi_v2").exact < 0.01


def test_a_long_question_keeps_its_rarest_terms_and_reads_alike() -> None:
    words = [f"word{number}" for number in range(1000)]
    question = evidence.ask(
        " ".join(words), lambda terms: {term: 1 + len(term) for term in terms if "word" in term}, 1000, 8.0
    )
    assert len(question.terms) == 256
    term = question.terms[0]
    found = evidence.gather(question, [Candidate(f"{term} x {term}")])[0]
    few = Question(terms=(term,), idf=(question.idf[0],), mass=question.mass, average=8.0)
    assert found.bm25 == pytest.approx(evidence.gather(few, [Candidate(f"{term} x {term}")])[0].bm25)


@given(st.lists(st.sampled_from(["deploy", "cluster", "friday", "lunch", "mira"]), max_size=12).map(" ".join))
def test_coverage_is_a_share_whatever_the_text(text: str) -> None:
    found = read(ask("deploy cluster lunch friday zeppelin"), text, before=text, after="lunch")
    assert 0 <= found.coverage <= found.coverage + found.gain <= 1 + 1e-9


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_a_longer_text_is_never_shorter(one: int, other: int) -> None:
    less, more = sorted((one, other))
    assert 0 <= evidence.shortness(more) <= evidence.shortness(less) <= 1
