"""Values of memories: receipts that are ids, what search sees, and the channel acted in."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

from mnemopi.model.memory import Erasure, Identity, Loaded, Memory, Receipt, Settled

TURN = Memory(
    id="a" * 16,
    version=1,
    kind="turn",
    content="the port is 5433",
    recorded_at=0,
    timestamp=0,
    session_id="s",
    author_id="Ines",
)


def test_a_receipt_is_the_id_and_knows_more() -> None:
    receipt = Receipt("abc", "default", "merged", 3, {"aws": 1})
    assert receipt == "abc" and {"abc": 1}[receipt] == 1
    assert type(receipt.id) is str
    assert receipt.as_dict() == {
        "id": "abc",
        "bank": "default",
        "outcome": "merged",
        "version": 3,
        "redacted": {"aws": 1},
    }


@pytest.mark.parametrize("sent", [lambda one: pickle.loads(pickle.dumps(one)), copy.copy, copy.deepcopy])
def test_a_receipt_survives_being_copied_and_sent(sent: object) -> None:
    receipt = Receipt("abc", "default", "merged", 3, {"aws": 1})
    assert callable(sent)
    twin = sent(receipt)
    assert (type(twin), twin.as_dict()) == (Receipt, receipt.as_dict())


def test_a_turn_is_found_by_who_said_it_and_a_note_is_not() -> None:
    assert TURN.searchable == "Ines: the port is 5433"
    assert replace(TURN, author_id=None).searchable == "the port is 5433"
    assert replace(TURN, kind="note").searchable == "the port is 5433"
    assert replace(TURN, embed_text="port of the database").searchable == "Ines: port of the database"


def test_the_channel_acted_in_is_the_named_one_or_the_session() -> None:
    assert Identity("s", channel_id="c").channel == "c"
    assert Identity("s").channel == "s"


def test_values_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        TURN.content = "other"  # type: ignore[misc]


def test_reports_render_for_programs() -> None:
    assert Erasure("a", "pending", 2, ("a backup",)).as_dict()["held_by"] == ["a backup"]
    assert Loaded(inserted=1, problems=("line 2: x",)).as_dict()["problems"] == ["line 2: x"]
    assert Settled(embedded=3, error="away", failed=True).as_dict()["failed"] is True
