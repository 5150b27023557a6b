"""What many memories state is known as if each had been written alone, however late it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemopi import Mnemopi
from mnemopi.storage.store import Store
from mnemopi.testing import FixedClock
from mnemopi.transfer import export

START = 1_772_323_200_000
"""2026-03-01T00:00Z."""
LATER = START + 3_600_000
"""When all that was told holds."""
MANY = 40
"""More than are read with the write itself."""
OPTIONS: dict[str, Any] = {"write.timezone": "UTC", "write.settle": "off"}
SAID = (
    "The staging port is 5433.",
    "The staging port is now 5434.",
    "My name is Ines.",
    "I like green tea.",
    "I no longer like green tea.",
    "Our database is Postgres since May 2024.",
    "We moved from Postgres to SQLite yesterday.",
    "我叫小明。",
    "我喜欢喝茶。",
    "Nothing to see here.",
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def bank(path: Path) -> Iterator[Mnemopi]:
    with Mnemopi(path, no_embeddings=True, clock=FixedClock(LATER), config=OPTIONS) as opened:
        yield opened


def turns(*texts: str) -> list[dict[str, Any]]:
    """Make turns of texts, a minute apart, and enough others to make them many."""
    padded = [*texts, *(f"Remark {number} of nobody." for number in range(MANY))]
    return [{"content": text, "session_id": "s", "timestamp": START + 60_000 * n} for n, text in enumerate(padded)]


def known(bank: Mnemopi) -> list[tuple[object, ...]]:
    held = bank.facts.list(include_ended=True, limit=1000)
    return sorted((each.text, each.valid_from, each.valid_to or 0, each.contested) for each in held)


def waiting(bank: Mnemopi) -> int:
    return int(bank.stats()["facts"]["waiting"])


def alone(items: list[dict[str, Any]], after: Callable[[Mnemopi, list[Any]], object] = lambda *_: None) -> Any:
    with Mnemopi(":memory:", no_embeddings=True, clock=FixedClock(START), config=OPTIONS) as other:
        ids = [other.remember(**item) for item in items]
        after(other, ids)
        return known(other)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(SAID), max_size=12))
def test_what_is_known_of_many_is_what_is_known_of_each(said: list[str]) -> None:
    items = turns(*said)
    with Mnemopi(":memory:", no_embeddings=True, clock=FixedClock(START), config=OPTIONS) as bank:
        bank.remember_many(items)
        assert known(bank) == alone(items)


def test_a_few_are_known_with_the_write(bank: Mnemopi) -> None:
    bank.remember_many([{"content": "My name is Ines."}, {"content": "I like green tea."}])
    assert bank.stats()["facts"] == {"in_force": 2, "ended": 0, "contested": 0, "waiting": 0}


def test_many_wait_and_say_so_until_somebody_asks(bank: Mnemopi) -> None:
    bank.remember_many(turns("My name is Ines."))
    assert waiting(bank) == MANY + 1 and bank.stats()["facts"]["in_force"] == 0
    assert [each.text for each in bank.facts.list()] == ["user name Ines"]
    assert waiting(bank) == 0


def test_settling_reads_what_waits_and_counts_it(bank: Mnemopi) -> None:
    bank.remember_many(turns("My name is Ines."))
    assert bank.settle().claimed == MANY + 1 and bank.settle().claimed == 0
    assert bank.stats()["facts"]["in_force"] == 1


def test_the_worker_reads_what_waits_by_itself(path: Path) -> None:
    with Mnemopi(path, no_embeddings=True, config=OPTIONS | {"write.settle": "inline"}) as bank:
        bank.remember_many(turns("My name is Ines."))
        assert waiting(bank) == 0 and bank.stats()["facts"]["in_force"] == 1


def test_a_recall_right_after_knows_the_facts(bank: Mnemopi) -> None:
    bank.remember_many(turns("The staging port is 5433.", "The staging port is now 5434."))
    best = bank.recall("staging port")[0]
    assert best.content == "The staging port is now 5434." and "states: staging port 5434" in str(
        best.explanation.notes
    )


def test_a_recall_reads_a_bounded_number_and_the_rest_waits(bank: Mnemopi) -> None:
    bank.remember_many({"content": f"The port of shop{number} is {number}."} for number in range(200))
    bank.recall("port of shop3")
    assert 0 < waiting(bank) < 200


def test_a_recall_neither_waits_for_another_writer_nor_fails_of_it(path: Path) -> None:
    with Mnemopi(path, no_embeddings=True, config=OPTIONS | {"storage.busy_timeout": 3600}) as bank:
        bank.remember_many(turns("My name is Ines."))
        with closing(apsw.Connection(str(path))) as other:
            other.execute("BEGIN IMMEDIATE")
            assert bank.recall("what is my name")[0].content == "My name is Ines."
            assert waiting(bank) == MANY + 1, "it is read another time"
            other.execute("ROLLBACK")
        bank.recall("what is my name")
        assert waiting(bank) == 0
        assert bank.remember("A write waits as long as the setting says again.")


def test_what_waits_outlives_the_process_that_wrote_it(bank: Mnemopi, path: Path) -> None:
    bank.remember_many(turns("My name is Ines."))
    bank.close()
    with Mnemopi(path, no_embeddings=True, config=OPTIONS) as again:
        assert waiting(again) == MANY + 1 and [each.text for each in again.facts.list()] == ["user name Ines"]


def test_what_nobody_wants_read_does_not_wait(path: Path) -> None:
    with Mnemopi(path, no_embeddings=True, config=OPTIONS | {"knowledge.extract": "off"}) as bank:
        bank.remember_many(turns("My name is Ines."))
        assert waiting(bank) == 0
    with Mnemopi(path, no_embeddings=True, config=OPTIONS) as bank:
        bank.remember_many({"content": "My name is Ada.", "extract": False} for _ in range(MANY))
        bank.remember_many({"content": f"My name is Bot {number}.", "source": "assistant"} for number in range(MANY))
        assert waiting(bank) == 0 and bank.facts.list() == []


def test_of_a_part_that_users_said_only_that_is_read(bank: Mnemopi) -> None:
    text = "Assistant: My name is Bot. User: My name is Ines."
    items = [{"content": f"{text} {number}", "extract_text": "My name is Ines."} for number in range(MANY)]
    bank.remember_many(items)
    assert {each.object for each in bank.facts.list()} == {"Ines"}


@pytest.mark.parametrize(
    "change",
    [
        lambda bank, id: bank.update(id, "My name is Ada."),
        lambda bank, id: bank.update(id, importance=0.9),
        lambda bank, id: bank.invalidate(id),
        lambda bank, id: (bank.invalidate(id), bank.undo(id)),
        lambda bank, id: (bank.update(id, "My name is Ada."), bank.undo(id)),
        lambda bank, id: bank.validate(id, "attest", validator="Mara"),
        lambda bank, id: bank.forget(id),
    ],
    ids=["another text", "importance", "hidden", "hidden and back", "another text and back", "attested", "forgotten"],
)
def test_what_waits_may_be_changed_meanwhile(bank: Mnemopi, change: Callable[[Mnemopi, str], object]) -> None:
    items = turns("My name is Ines.", "I like green tea.")
    ids = bank.remember_many(items)
    change(bank, ids[0])
    assert known(bank) == alone(items, lambda other, ids: change(other, ids[0]))


def test_a_turn_that_is_sent_again_otherwise_says_what_it_says_now(bank: Mnemopi) -> None:
    items = turns("My name is Ines.")
    items[0]["external_id"] = "x"
    bank.remember_many(items)
    bank.remember_many([items[0] | {"content": "My name is Ada."}])
    assert [each.text for each in bank.facts.list()] == ["user name Ada"]
    bank.undo(bank.recall("Ada", 1)[0].id)
    assert [each.text for each in bank.facts.list()] == ["user name Ines"]


def test_what_is_forgotten_waits_no_more_and_leaves_no_word(bank: Mnemopi, path: Path) -> None:
    item = {"content": "Before. My name is Zanzibar.", "extract_text": "My name is Zanzibar."}
    ids = bank.remember_many([item, *turns()])
    assert bank.forget(ids[0]).status == "erased" and waiting(bank) == MANY
    bank.close()
    assert b"Zanzibar" not in path.read_bytes()


def test_an_export_holds_what_many_stated(bank: Mnemopi, tmp_path: Path) -> None:
    bank.remember_many(turns("My name is Ines."))
    bank.export(tmp_path / "bank.jsonl")
    with Mnemopi(":memory:", no_embeddings=True, config=OPTIONS) as other:
        other.load(tmp_path / "bank.jsonl")
        assert [each.text for each in other.facts.list()] == ["user name Ines"]


def test_a_bank_of_the_first_schema_gets_its_queue(bank: Mnemopi, path: Path) -> None:
    bank.remember("I like green tea.")
    bank.close()
    file = apsw.Connection(str(path))
    file.execute("DROP TABLE unclaimed; PRAGMA user_version = 1")
    file.close()
    with Mnemopi(path, no_embeddings=True, config=OPTIONS) as again:
        again.remember_many(turns("My name is Ines."))
        assert {each.text for each in again.facts.list()} == {"user name Ines", "user likes green tea"}


def test_what_waits_moves_with_an_export_that_cannot_read_it_first(bank: Mnemopi, tmp_path: Path) -> None:
    bank.remember_many(turns(*SAID))
    counts = export.to_file(bank.bank._store, tmp_path / "bank.jsonl")  # as of a bank that is read only
    assert (counts["statements"], counts["unclaimed"]) == (0, waiting(bank))
    with Mnemopi(tmp_path / "other.db", no_embeddings=True, clock=FixedClock(LATER), config=OPTIONS) as other:
        other.load(tmp_path / "bank.jsonl")
        assert waiting(other) == waiting(bank) > MANY
        export.to_file(other.bank._store, tmp_path / "again.jsonl")
        assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "bank.jsonl").read_bytes()
        assert known(other) == known(bank) != []


def test_what_another_process_writes_while_an_export_begins_is_not_lost(
    bank: Mnemopi, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = Store.snapshot

    def late(store: Store) -> Any:
        monkeypatch.undo()
        with Mnemopi(path, no_embeddings=True, clock=FixedClock(LATER), config=OPTIONS) as writer:
            writer.remember_many(turns(*SAID))
        return snapshot(store)

    monkeypatch.setattr(Store, "snapshot", late)
    bank.export(tmp_path / "bank.jsonl")
    with Mnemopi(tmp_path / "other.db", no_embeddings=True, clock=FixedClock(LATER), config=OPTIONS) as other:
        other.load(tmp_path / "bank.jsonl")
        assert known(other) == known(bank) != []


def test_a_memory_that_a_load_overwrites_says_nothing_twice(bank: Mnemopi, tmp_path: Path) -> None:
    ids = bank.remember_many(turns("The port of the shop is 1000."))
    copy = bank.backup().path
    bank.update(ids[0], "The port of the shop is 2000.")
    bank.export(tmp_path / "bank.jsonl")
    bank.restore(copy)
    assert waiting(bank) > MANY
    bank.load(tmp_path / "bank.jsonl", force=True)
    (fact,) = bank.facts.list()
    assert [(event.verb, event.version) for event in bank.facts.history(fact.id)] == [("stated", 2)]
