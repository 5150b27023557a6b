"""Documents of sections: what changes, what stays, and what a person did to them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mnemopi.backends.local import documents
from mnemopi.backends.local.documents import Change, Hand, Section

TEXT = "# Notes\n\nAbout it.\n\n## Rules\n\n- use tabs\n- run make\n\n## Facts\n\n- port 8080\n"
ITEMS = st.lists(st.sampled_from([f"- item {number}" for number in range(9)]), max_size=6, unique=True)


def document(rules: list[str], facts: list[str]) -> str:
    return documents.written([Section("Rules", "\n".join(rules)), Section("Facts", "\n".join(facts))])


def test_a_document_is_written_as_it_was_read() -> None:
    assert documents.written(documents.sections(TEXT)) == TEXT


def test_only_the_sections_that_are_named_change() -> None:
    change = Change(
        (Section("rules", "- use spaces"), Section("New", "- first")), ("facts", "none"), (("s1",), ("s2",))
    )
    assert documents.changed(TEXT, change) == (
        "# Notes\n\nAbout it.\n\n## Rules\n\n- use spaces\n\n_Sources: s1_\n\n## New\n\n- first\n\n_Sources: s2_\n"
    )


def test_a_section_keeps_the_sessions_that_it_rested_on_before() -> None:
    once = documents.changed(TEXT, Change((Section("Rules", "- a"),), (), (("s1",),)))
    twice = documents.changed(once, Change((Section("Rules", "- b"),), (), (("s2", "s1"),)))
    assert "- b\n\n_Sources: s1, s2_\n" in twice
    assert twice.count("_Sources") == 1


def test_what_a_person_put_in_stays_and_what_they_took_out_does_not_come_back() -> None:
    edited = TEXT.replace("- use tabs\n", "").replace("- port 8080\n", "- port 8080\n- host db1\n")
    hand = documents.by_hand(TEXT, edited, Hand())
    assert hand == Hand((("Facts", "- host db1"),), ("- use tabs",))
    anew = "## Rules\n\n- use tabs\n- run make\n\n## Facts\n\n- port 9090\n\n_Sources: s1_\n"
    assert documents.respecting(anew, hand) == (
        "## Rules\n\n- run make\n\n## Facts\n\n- port 9090\n- host db1\n\n_Sources: s1_\n"
    )


def test_a_persons_line_stays_when_its_section_goes() -> None:
    hand = documents.by_hand(TEXT, TEXT.replace("- run make", "- run make\n- mine"), Hand())
    assert documents.respecting("## Facts\n\n- port 1\n", hand) == "## Facts\n\n- port 1\n\n## Rules\n\n- mine\n"


def test_a_person_may_change_their_mind() -> None:
    first = documents.by_hand(TEXT, TEXT + "- mine\n", Hand())
    second = documents.by_hand(TEXT + "- mine\n", TEXT, first)
    assert (second.put, second.out) == ((), ("- mine",))
    third = documents.by_hand(TEXT, TEXT + "- mine\n", second)
    assert (third.put, third.out) == ((("Facts", "- mine"),), ())


@given(ITEMS, ITEMS, ITEMS, ITEMS, ITEMS, ITEMS)
def test_a_persons_hand_is_stronger_than_any_rewriting(
    old_rules: list[str], old_facts: list[str], rules: list[str], facts: list[str], new: list[str], more: list[str]
) -> None:
    base, edited = document(old_rules, old_facts), document(rules, facts)
    hand = documents.by_hand(base, edited, Hand())
    result = documents.respecting(document(new, more), hand)
    lines = set(result.splitlines())
    assert set(rules + facts) - set(old_rules + old_facts) <= lines
    assert not (set(old_rules + old_facts) - set(rules + facts)) & lines
    assert documents.respecting(result, hand) == result
