"""Groups: who may see them, what they are about, when they were said."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mnemopi.consolidation import group

from .conftest import BOATS, BREAD, NOW, Waiting, waiting

HOUR = 3_600_000
LATER = NOW + 10**12
NEVER = 0


def contents(groups: list[group.Group]) -> list[list[str]]:
    return [[each.memory.content for each in part] for part in groups]


def about(word: str, count: int, first: int = 0) -> list[Waiting]:
    """Turns that keep to one topic: each shares words with the next."""
    return [
        waiting(f"the {word} {word}{n % 3} needs {word}{(n + 1) % 3} and more {word}ness", first + n)
        for n in range(count)
    ]


def test_a_talk_about_two_things_is_cut_between_them() -> None:
    first, second = about("crane", 10), about("oven", 10, first=10)
    assert group.of_turns([*first, *second], NEVER) == [first, second]


def test_a_talk_about_one_thing_stays_together() -> None:
    turns = about("crane", 11)
    assert group.of_turns(turns, NEVER) == [turns]


def test_a_long_silence_ends_a_group() -> None:
    turns = [waiting(text, n, timestamp=NOW + n * 1000 + (5 * HOUR if n >= 3 else 0)) for n, text in enumerate(BOATS)]
    assert contents(group.of_turns(turns, NEVER)) == [list(BOATS[:3]), list(BOATS[3:])]


def test_a_group_has_a_greatest_size() -> None:
    parts = group.of_turns([waiting("the same crane again", n) for n in range(100)], NEVER)
    assert sum(map(len, parts)) == 100
    assert max(map(len, parts)) <= group.MOST


def test_what_stands_alone_waits_until_patience_ends_then_joins_its_neighbour() -> None:
    turns = [waiting(text, n, timestamp=NOW + n * 1000 + (5 * HOUR if n >= 4 else 0)) for n, text in enumerate(BOATS)]
    assert list(map(len, group.of_turns(turns, NEVER))) == [4, 1]
    assert list(map(len, group.of_turns(turns, LATER))) == [5]


def test_notes_gather_by_the_words_they_share() -> None:
    mixed = [*(note for pair in zip(BOATS, BREAD, strict=False) for note in pair), BOATS[-1]]
    notes = [waiting(text, n, kind="note", position=None) for n, text in enumerate(mixed)]
    found = contents(group.of_notes(notes, NEVER))
    assert any(set(part) <= set(BOATS) and len(part) >= 3 for part in found)
    assert not any(set(part) & set(BOATS) and set(part) & set(BREAD) for part in found)


def test_notes_that_share_nothing_wait_then_gather_by_time() -> None:
    notes = [waiting(f"alpha{n} beta{n} gamma{n}", n, kind="note", position=None) for n in range(4)]
    assert group.of_notes(notes, NEVER) == []
    assert group.of_notes(notes, LATER) == [notes]


def test_notes_of_another_year_are_not_of_the_group() -> None:
    year = 365 * 24 * HOUR
    near = [waiting(text, n, kind="note", position=None) for n, text in enumerate(BOATS)]
    far = waiting("The harbour crane barge", 9, kind="note", position=None, timestamp=NOW + year)
    assert all(far not in part for part in group.of_notes([*near, far], NEVER))


SCOPES = st.sampled_from(["bank", "session", "channel", "global", "team"])
MEMORIES = st.builds(
    lambda n, text, scope, session, channel, author, place: waiting(
        text, n, scope=scope, session_id=session, channel_id=channel, author_id=author, position=place
    ),
    st.integers(0, 50),
    st.sampled_from([*BOATS, *BREAD]),
    SCOPES,
    st.sampled_from(["a", "b"]),
    st.sampled_from([None, "c", "d"]),
    st.sampled_from([None, "mara", "jun"]),
    st.sampled_from([None, 1, 2]),
)


@given(st.lists(MEMORIES, max_size=40))
def test_no_group_mixes_memories_that_different_people_may_see(found: list[Waiting]) -> None:
    for part in group.apart(found):
        for made in (*group.of_turns(part, LATER), *group.of_notes(part, LATER)):
            seen = {(each.memory.scope) for each in made}
            assert len(seen) == 1
            if seen == {"session"}:
                assert len({each.memory.session_id for each in made}) == 1
            if seen == {"channel"}:
                assert len({each.memory.channel_id for each in made}) == 1


@given(st.lists(st.sampled_from([*BOATS, *BREAD, "ok"]), max_size=60), st.booleans())
def test_each_turn_is_in_one_group_and_in_its_place(texts: list[str], patient: bool) -> None:
    turns = [waiting(text, n) for n, text in enumerate(texts)]
    made = group.of_turns(turns, LATER if patient else NEVER)
    assert [each for part in made for each in part] == turns
