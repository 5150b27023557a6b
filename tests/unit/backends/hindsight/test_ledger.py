"""What is known of a session is forgotten long after its end, and never while something of it is to be sent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mnemopi.backends.hindsight.ledger import DAY_MS, KEPT_DAYS, Ledger
from mnemopi.model.session import Message, SessionRef
from mnemopi.testing import FixedClock

SESSION = SessionRef("pytest", "s1", "/home/shop")
OPEN = (Message("e1", "user", "The port is 8377.", None),)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(1_780_000_000_000)


@pytest.fixture
def ledger(tmp_path: Path, clock: FixedClock) -> Ledger:
    made = Ledger(tmp_path / "ledger", clock)
    made.change(SESSION, lambda kept: replace(kept, seen=("a",)))
    return made


def test_a_session_is_forgotten_a_month_after_its_last_event(ledger: Ledger, clock: FixedClock) -> None:
    clock.advance(seconds=(KEPT_DAYS * DAY_MS) / 1000 - 1)
    ledger.prune()
    assert ledger.read(SESSION).seen == ("a",)
    clock.advance(seconds=2)
    ledger.prune()
    assert ledger.read(SESSION).seen == () and list(ledger.folder.iterdir()) == []


def test_a_session_that_goes_on_while_old_ones_are_forgotten_loses_nothing(
    ledger: Ledger, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock.advance(seconds=(KEPT_DAYS + 1) * DAY_MS / 1000)
    seen: list[Any] = list(ledger.sessions())
    ledger.change(SESSION, lambda kept: replace(kept, open=OPEN))
    monkeypatch.setattr(ledger, "sessions", lambda: seen)
    ledger.prune()
    assert ledger.read(SESSION).open == OPEN and len(ledger.pending()) == 1
