"""Sleep, counts, examination, and the notes of a session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mnemopi.tools.confirm import UnconfirmedError

Call = Callable[..., dict[str, Any]]
Stored = Callable[..., str]


def test_stats_count_what_is_stored(call: Call, stored: Stored) -> None:
    stored("The crane stands on pier 7")
    told = call("stats")
    assert (told["status"], told["provider"], told["bank"]) == ("ok", "mnemopi", "default")
    assert told["working"]["total"] == told["stats"]["total_memories"] == 1
    assert told["episodic"]["total"] == 0


def test_sleep_sums_up_what_waits(call: Call, stored: Stored, clock: Any) -> None:
    for number in range(6):
        stored(f"The crane number {number} was moved to pier {number} on a rainy morning by Ines Duarte")
    clock.now += 7 * 86_400_000
    dry = call("sleep", dry_run=True)
    assert (dry["dry_run"], dry["result"]["status"]) == (True, "dry_run")
    assert call("stats")["episodic"]["total"] == 0
    done = call("sleep", all_sessions=True)
    assert done["all_sessions"] is True
    assert done["episodic"]["total"] == done["result"]["summaries_created"] > 0


def test_a_healthy_bank_is_told_healthy(call: Call, stored: Stored) -> None:
    stored("The crane stands on pier 7")
    told = call("diagnose")
    assert (told["status"], told["healthy"]) == ("ok", True)
    assert told["db_path"].endswith("mnemopi.db")
    assert {"integrity", "search"} <= {check["name"] for check in told["checks"]}


def test_notes_are_written_read_and_cleared(call: Call) -> None:
    made = call("scratchpad_write", content="look at pier 7")
    assert made["id"] == made["entry_id"]
    told = call("scratchpad_read")
    assert told["entries_count"] == told["count"] == 1
    assert told["entries"][0]["content"] == "look at pier 7"
    assert call("scratchpad_clear")["count"] == 1
    assert call("scratchpad_read")["count"] == 0


def test_many_notes_are_cleared_only_with_a_token_that_agrees(call: Call, clock: Any) -> None:
    for number in range(21):
        call("scratchpad_write", content=f"note {number}")
    with pytest.raises(UnconfirmedError) as caught:
        call("scratchpad_clear")
    assert caught.value.preview["notes"] == 21
    with pytest.raises(UnconfirmedError):
        call("scratchpad_clear", confirm="guess")
    assert call("scratchpad_clear", confirm=caught.value.token)["count"] == 21


def test_a_token_ends_after_five_minutes_and_with_what_was_shown(call: Call, clock: Any) -> None:
    for number in range(21):
        call("scratchpad_write", content=f"note {number}")
    with pytest.raises(UnconfirmedError) as caught:
        call("scratchpad_clear")
    clock.now += 5 * 60_000 + 1_000
    with pytest.raises(UnconfirmedError) as again:
        call("scratchpad_clear", confirm=caught.value.token)
    call("scratchpad_write", content="one more")
    with pytest.raises(UnconfirmedError):
        call("scratchpad_clear", confirm=again.value.token)
