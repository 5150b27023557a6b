from __future__ import annotations

from datetime import UTC, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.ingest import draft as drafts
from mnemopi.ingest.prepare import Gate
from mnemopi.text import dates
from mnemopi.transfer.lenient import Lenient

NOW = 1_750_000_000_000
SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"


def test_texts_pass_the_gate_and_what_cannot_be_stored_is_replaced(lenient: Lenient) -> None:
    assert lenient.text(f"key {SECRET}").startswith("key [REDACTED:")
    assert lenient.text("a\x00b\ud800") == "a\ufffdb\ufffd"
    assert lenient.repaired["characters"] == 1
    assert lenient.redacted.total() >= 1
    assert (lenient.text(None), lenient.text("  "), lenient.text({"a": 1})) == ("", "", '{"a": 1}')


@pytest.mark.parametrize(
    ("given_", "told"),
    [("s1", "s1"), (7, "7"), ("a\nb", "a b"), (None, None), ("", None), (True, None)],
)
def test_names_are_made_fit(given_: object, told: str | None, lenient: Lenient) -> None:
    assert lenient.name(given_) == told


@given(st.text(max_size=400))
def test_a_name_is_always_one_that_is_accepted(name: str) -> None:

    told = Lenient(Gate(1000, "full", UTC), NOW).name(name)
    assert told is None or drafts.name(told, "name") == told


def test_a_name_that_is_a_secret_is_redacted(lenient: Lenient) -> None:
    told = lenient.name(SECRET)
    assert told is not None
    assert SECRET not in told


def test_ids_stay_where_they_can(lenient: Lenient) -> None:
    assert lenient.id("abc-1:2") == "abc-1:2"
    assert (lenient.id(None), lenient.id("")) == (None, None)
    other = lenient.id("with space")
    assert other is not None
    assert other == lenient.id("with space") != lenient.id("with  space")


@pytest.mark.parametrize(
    ("given_", "told"),
    [
        ("2026-03-05T10:00:00.000Z", "2026-03-05T10:00:00.000Z"),
        ("2026-03-05 10:00:00", "2026-03-05T10:00:00.000Z"),
        ("2026-03-05T10:00:00", "2026-03-05T08:00:00.000Z"),
        ("2026-03-05", "2026-03-05T00:00:00.000Z"),
        (1_772_704_800, "2026-03-05T10:00:00.000Z"),
        (1_772_704_800_000, "2026-03-05T10:00:00.000Z"),
        ("1772704800.0", "2026-03-05T10:00:00.000Z"),
        ("yesterday-ish", None),
        (None, None),
        (True, None),
        (float("nan"), None),
    ],
)
def test_times_are_read_in_every_form(given_: object, told: str | None, lenient: Lenient) -> None:
    lenient.local = timezone(timedelta(hours=2))
    found = lenient.moment(given_)
    assert (None if found is None else dates.iso(found)) == told


def test_where_no_time_is_one_it_is_now(lenient: Lenient) -> None:
    assert lenient.time("never", None, "2026-03-05") == dates.moment("2026-03-05")
    assert lenient.time("never", "") == NOW
    assert lenient.repaired["times"] == 2


def test_scopes_of_sessions_are_the_banks_unless_kept(lenient: Lenient) -> None:
    given_ = ("session", "global", "channel", "bank", "odd")
    assert [lenient.scope(each) for each in given_] == ["bank", "global", "channel", "bank", "bank"]
    lenient.keep_scope = True
    assert [lenient.scope(each) for each in given_] == ["session", "global", "channel", "bank", "session"]


@pytest.mark.parametrize(
    ("given_", "told"),
    [
        ('{"a": [1, null]}', {"a": [1, None]}),
        ("[1]", {"value": [1]}),
        ("no json", {"value": "no json"}),
        ("", {}),
        (None, {}),
        ("{}", {}),
        ({"n": float("inf"), "s": b"x"}, {"n": None, "s": "b'x'"}),
    ],
)
def test_metadata_are_read_whatever_they_are(given_: object, told: dict[str, Any], lenient: Lenient) -> None:
    assert lenient.mapping(given_) == told


def test_unknown_labels_say_nothing(lenient: Lenient) -> None:
    assert (lenient.veracity("odd"), lenient.veracity("tool")) == ("unknown", "tool")
    assert (lenient.tier("ODD", "tool"), lenient.tier("IMPORTED", "tool")) == ("EXTERNAL_WRITE", "IMPORTED")
    assert (lenient.share("much", 0.5), lenient.share(7, 0.5), lenient.share(float("nan"), 0.5)) == (0.5, 1.0, 0.5)


def test_an_event_date_is_as_precise_as_it_is_said_to_be(lenient: Lenient) -> None:
    month = lenient.event("2026-03-01", "month", "", NOW)
    assert month is not None
    assert (month.precision, dates.iso(month.end)[:10]) == ("month", "2026-04-01")
    read = lenient.event(None, "unknown", "We met on 2026-03-05", NOW)
    assert read is not None
    assert read.precision == "day"


def test_a_text_above_the_limit_is_cut_into_several_memories(lenient: Lenient) -> None:
    text = "x" * 25_000
    made = lenient.memory("long", text, NOW, session_id="s")
    assert [memory.id for memory in made] == ["long", "long:2", "long:3"]
    assert "".join(memory.content for memory in made) == text
    assert lenient.repaired["long texts"] == 1


def test_metadata_deeper_than_is_taken_are_a_text_and_repaired(lenient: Lenient) -> None:
    deep: object = "end"
    for _ in range(80):
        deep = [deep]
    told = drafts.metadata(lenient.mapping({"a": deep, "b": 1}), 10_000)
    assert told is not None
    assert told["b"] == 1
    assert "end" in str(told["a"])
    assert lenient.repaired["nesting"] == 1
