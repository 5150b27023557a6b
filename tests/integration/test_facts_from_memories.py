"""Facts follow from what users say, and go with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from mnemopi import Mnemopi
from mnemopi.testing import FixedClock

START = 1_772_323_200_000
"""2026-03-01T00:00Z."""


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(START)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "m.db"


@pytest.fixture
def bank(path: Path, clock: FixedClock) -> Iterator[Mnemopi]:
    with Mnemopi(path, no_embeddings=True, clock=clock, config={"write.timezone": "UTC"}) as opened:
        yield opened


def texts(bank: Mnemopi, **asked: object) -> list[str]:
    return [fact.text for fact in bank.facts.list(**asked)]  # type: ignore[arg-type]


def test_a_fact_names_the_place_that_says_it(bank: Mnemopi) -> None:
    text = "Good morning. The staging database listens on port 5433. Bye."
    receipt = bank.remember(text)
    (fact,) = bank.facts.list()
    (source,) = fact.sources
    assert (fact.subject, fact.predicate, fact.object) == ("staging database", "port", "5433")
    assert (source.memory, source.version) == (receipt.id, 1)
    assert "5433" in text[source.start : source.stop]


def test_a_fact_begins_when_its_memory_was_said(bank: Mnemopi) -> None:
    bank.remember("My name is Ines.", timestamp="2026-01-05T10:00:00Z")
    assert bank.facts.list()[0].valid_from == START - 55 * 86_400_000 + 10 * 3_600_000


def test_the_later_said_supersedes_though_it_is_stored_first(bank: Mnemopi) -> None:
    bank.remember("The staging database's port is now 5433.", timestamp="2026-02-01")
    bank.remember("The staging database listens on port 5432.", timestamp="2026-01-01")
    assert texts(bank) == ["staging database port 5433"]


def test_what_it_is_not_supersedes_nothing(bank: Mnemopi, clock: FixedClock) -> None:
    bank.remember("My favorite editor is Helix.")
    clock.advance(days=1)
    bank.remember("My favorite editor is not Vim.")
    assert texts(bank) == ["user favorite editor Helix"]


def test_the_same_said_by_two_memories_is_one_fact_more_believed(bank: Mnemopi) -> None:
    first = bank.remember("My name is Ines.")
    (before,) = bank.facts.list()
    second = bank.remember("Well, my name is Ines.")
    (after,) = bank.facts.list()
    assert after.belief > before.belief
    assert {source.memory for source in after.sources} == {first.id, second.id}
    bank.forget(first)
    assert [[source.memory for source in fact.sources] for fact in bank.facts.list()] == [[second.id]]


def test_an_older_preference_ends_only_where_a_sentence_tells_of_a_change(bank: Mnemopi, clock: FixedClock) -> None:
    bank.remember("I prefer tabs.")
    bank.remember("I prefer dark mode.")
    clock.advance(days=1)
    bank.remember("I prefer spaces.")
    assert sorted(texts(bank)) == ["user prefers dark mode", "user prefers spaces", "user prefers tabs"]
    clock.advance(days=1)
    bank.remember("I now prefer spaces.")
    assert sorted(texts(bank)) == ["user prefers dark mode", "user prefers spaces"]
    assert sorted(texts(bank, as_of=START)) == ["user prefers dark mode", "user prefers tabs"]


def test_a_preference_ends_though_the_change_arrives_before_it(bank: Mnemopi) -> None:
    bank.remember("我现在更喜欢空格。", timestamp="2026-02-01")
    bank.remember("I prefer tabs.", timestamp="2026-01-01")
    assert texts(bank) == ["user prefers 空格"]


def test_what_several_people_say_of_their_team_meets(bank: Mnemopi) -> None:
    bank.acting_as(author_id="dana").remember("We use Postgres.")
    bank.acting_as(author_id="bo").remember("Our team uses Postgres, and I live in Porto.")
    assert texts(bank) == ["bo location Porto", "team uses Postgres"]
    assert len(bank.facts.list(subject="team")[0].sources) == 2


def test_an_update_withdraws_and_derives_anew(bank: Mnemopi, clock: FixedClock) -> None:
    receipt = bank.remember("The staging database listens on port 5432.")
    clock.advance(days=1)
    bank.update(receipt, "The staging database listens on port 5433.")
    assert texts(bank, include_ended=True) == ["staging database port 5433"]
    assert texts(bank, known_at=START) == ["staging database port 5432"]
    bank.update(receipt, importance=0.9)
    assert texts(bank) == ["staging database port 5433"]


def test_what_only_an_invalid_memory_says_holds_no_longer(bank: Mnemopi, clock: FixedClock) -> None:
    receipt = bank.remember("My name is Ines.")
    clock.advance(days=1)
    bank.invalidate(receipt)
    assert texts(bank, include_ended=True) == []
    assert texts(bank, known_at=START) == ["user name Ines"]
    clock.advance(days=1)
    bank.remember("My name is Ines.")
    assert texts(bank) == ["user name Ines"]


PORT = "The API listens on port 8080"


def test_a_note_that_is_told_again_as_no_longer_valid_states_nothing(bank: Mnemopi, clock: FixedClock) -> None:
    bank.remember(PORT)
    clock.advance(days=1)
    bank.remember(PORT, valid_until="2020-01-01")
    assert texts(bank, include_ended=True) == []
    assert texts(bank, known_at=START) == ["API port 8080"]
    bank.remember(PORT)
    assert texts(bank) == ["API port 8080"]


def test_a_fact_ends_when_its_note_does_after_a_merge_too(bank: Mnemopi) -> None:
    bank.remember(PORT)
    id = bank.remember(PORT, valid_until="2027-01-01")
    (fact,) = bank.facts.list()
    memory = bank.get(id)
    assert memory is not None and fact.valid_to == memory.valid_until
    assert [source.version for source in fact.sources] == [2]
    bank.undo(id)
    assert [fact.valid_to for fact in bank.facts.list()] == [None]


def test_a_fact_begins_when_its_note_was_said_first(bank: Mnemopi) -> None:
    bank.remember(PORT)
    bank.remember(PORT, timestamp="2026-01-05T10:00:00Z")
    assert bank.facts.list()[0].valid_from == START - 55 * 86_400_000 + 10 * 3_600_000


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize(
    ("before", "then"),
    [
        ({"source": "tool"}, {}),
        ({"veracity": "false"}, {"veracity": "stated"}),
        ({"trust_tier": "IMPORTED"}, {"source": "user"}),
    ],
)
def test_a_user_who_says_what_nothing_was_read_of_states_it(
    bank: Mnemopi, before: dict[str, str], then: dict[str, str], together: bool
) -> None:
    told = [{"content": PORT, **before}, {"content": PORT, **then}]
    if together:
        id = bank.remember_many(told)[0]
    else:
        id = bank.remember(**told[0])  # type: ignore[arg-type]
        assert texts(bank) == []
        bank.remember(**told[1])  # type: ignore[arg-type]
    assert texts(bank) == ["API port 8080"]
    memory = bank.get(id)
    assert memory is not None and memory.trust_tier == "STATED"
    bank.undo(id)
    assert texts(bank) == []


def test_a_program_that_says_what_a_user_said_takes_nothing_back(bank: Mnemopi) -> None:
    bank.remember(PORT)
    bank.remember(PORT, source="tool", veracity="tool", valid_until="2027-01-01")
    assert texts(bank) == ["API port 8080"]


def test_a_note_that_is_told_to_be_false_states_nothing(bank: Mnemopi) -> None:
    bank.remember(PORT)
    bank.remember(PORT, veracity="false")
    assert texts(bank) == []


@pytest.mark.parametrize("wish", [{"extract": False}, {"extract_text": ""}])
def test_what_was_not_to_be_read_is_not_read_after_an_update(bank: Mnemopi, wish: dict[str, object]) -> None:
    id = bank.remember(PORT, **wish)
    bank.update(id, "The API listens on port 9090")
    assert texts(bank) == []


def test_an_update_is_read_where_there_was_nothing_to_read_before(bank: Mnemopi) -> None:
    id = bank.remember("The API is slow today")
    bank.update(id, PORT)
    assert texts(bank) == ["API port 8080"]


def test_facts_of_a_turn_that_the_host_edits_follow_the_edit(bank: Mnemopi) -> None:
    bank.remember("My name is Ines.", session_id="s", external_id="7")
    bank.remember("My name is Inês Costa.", session_id="s", external_id="7")
    assert texts(bank, include_ended=True) == ["user name Inês Costa"]


@pytest.mark.parametrize("told", [{"author_type": "assistant"}, {"author_id": "assistant"}, {"source": "web"}])
def test_an_edit_of_what_a_program_said_states_nothing_though_it_is_not_told_again_who_said_it(
    bank: Mnemopi, told: dict[str, str]
) -> None:
    bank.remember("The gateway listens on port 1111.", session_id="s", external_id="7", **told)  # type: ignore[arg-type]
    bank.remember("The gateway listens on port 2222.", session_id="s", external_id="7")
    assert texts(bank) == []
    bank.remember("My name is Ines.", session_id="s", external_id="8")
    bank.remember("My name is Bo.", session_id="s", external_id="8", **told)  # type: ignore[arg-type]
    assert texts(bank) == []


def test_an_edit_that_is_told_to_be_false_states_nothing_though_the_turn_was_true(bank: Mnemopi) -> None:
    bank.remember("My name is Ines.", session_id="s", external_id="7", veracity="true")
    bank.remember("My name is Bo.", session_id="s", external_id="7", veracity="false")
    assert texts(bank) == []


def test_an_edit_in_a_large_batch_is_read_as_what_it_is_an_edit_of(bank: Mnemopi) -> None:
    bank.remember("My name is Bo.", session_id="s", external_id="7", source="web")
    edits = [{"content": "My name is Ann.", "session_id": "s", "external_id": "7"}]
    bank.remember_many(edits + [{"content": f"note {number}"} for number in range(40)])
    assert texts(bank) == []


def test_an_edit_is_credited_to_who_wrote_the_turn(bank: Mnemopi) -> None:
    bank.remember("I prefer tabs.", session_id="s", external_id="7", author_id="Jun")
    bank.remember("I prefer spaces.", session_id="s", external_id="7")
    assert texts(bank) == ["Jun prefers spaces"]
    id = bank.remember("I prefer semicolons.", session_id="s", external_id="7", author_id="Ann")
    assert texts(bank) == ["Ann prefers semicolons"]
    told = bank.get(id)
    assert told is not None
    assert told.author_id == "Ann"


def test_the_days_that_an_edit_names_are_counted_from_when_the_turn_was_said(bank: Mnemopi, clock: FixedClock) -> None:
    bank.remember("I moved to Oslo yesterday.", session_id="s", external_id="7")
    clock.advance(days=30)
    id = bank.remember("I moved to Bergen yesterday.", session_id="s", external_id="7")
    told = bank.get(id)
    assert told is not None
    assert told.event is not None
    assert told.event.start == START - 86_400_000
    assert {fact.valid_from for fact in bank.facts.list()} == {told.event.start}


def test_one_batch_that_says_and_edits_ends_with_the_edit(bank: Mnemopi) -> None:
    said = ("My name is Ines.", "My name is Bo.", "My name is Ann.")
    bank.remember_many([{"content": text, "session_id": "s", "external_id": "7"} for text in said])
    assert texts(bank, include_ended=True) == ["user name Ann"]


@pytest.mark.parametrize(
    "told",
    [
        {"author_type": "assistant"},
        {"author_type": "tool"},
        {"author_id": "assistant"},
        {"source": "tool"},
        {"trust_tier": "IMPORTED"},
        {"veracity": "false"},
        {"extract_text": ""},
    ],
)
def test_what_no_user_said_states_nothing(bank: Mnemopi, told: dict[str, str]) -> None:
    bank.remember("My name is Ines.", **told)  # type: ignore[arg-type]
    assert texts(bank) == []


def test_only_the_part_that_users_said_is_read(bank: Mnemopi) -> None:
    text = "tool: my name is Bo.\nuser: my name is Ines."
    bank.remember(text, author_type="tool", extract_text="my name is Ines.")
    (fact,) = bank.facts.list()
    assert fact.object == "Ines"
    assert text[fact.sources[0].start : fact.sources[0].stop].startswith("my name is Ines")


def test_reading_may_be_switched_off(path: Path) -> None:
    with Mnemopi(path, no_embeddings=True, config={"knowledge.extract": "off"}) as bank:
        bank.remember("My name is Ines.")
        assert texts(bank) == []


def test_facts_keep_the_permission_of_their_memory(bank: Mnemopi) -> None:
    bank.remember("My name is Ines.", scope="session", session_id="one")
    assert texts(bank) == []
    assert [fact.scope for fact in bank.acting_as(session_id="one").facts.list()] == ["session"]


def test_nothing_derived_from_a_forgotten_memory_is_left_in_any_table(bank: Mnemopi, path: Path) -> None:
    kept = bank.remember("My name is Ines.")
    gone = bank.remember("We use Zyzzyvaform. The quuxdb server listens on port 65001. My name is Ines.")
    bank.update(gone, "We use Zyzzyvaform. The quuxdb server listens on port 65002. My name is Ines.")
    bank.forget(gone)
    assert [fact.object for fact in bank.facts.list(include_ended=True)] == ["Ines"]
    traces = ("zyzzyvaform", "quuxdb", "65001", "65002")
    allowed = {("tombstone", gone.id), ("event", gone.id)}
    reader = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    tables = [row[0] for row in reader.execute("select name from sqlite_schema where type = 'table'")]
    for table in tables:
        for row in reader.execute(f'select * from "{table}"'):
            said = " ".join(
                value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value) for value in row
            ).lower()
            assert not [trace for trace in traces if trace in said], table
            assert gone.id not in said or (table, gone.id) in allowed, table
    reader.close()
    assert kept.id in {source.memory for fact in bank.facts.list() for source in fact.sources}
