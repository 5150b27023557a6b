"""Banks to sleep in: small talks and notes, told long enough ago."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mnemopi.engine import Mnemopi
from mnemopi.model.memory import Memory
from mnemopi.storage.episodes import Waiting
from mnemopi.testing import FixedClock
from mnemopi.text import tokens

NOW = 1_750_000_000_000
DAY = 86_400_000
BOATS = (
    "The harbour crane broke down on 3 March, and the repair takes two weeks.",
    "Always call the harbour master before you move a barge.",
    "Did anybody tell the captains?",
    "Captain Ferreira moved the barge Aurora to pier 7.",
    "The crane insurance covers 40000 euros of the repair.",
)
BREAD = (
    "My sourdough starter is called Bertha and lives in the fridge.",
    "Bertha needs feeding with 50 grams of rye flour on Sundays.",
    "The oven must reach 240 degrees before the bread goes in.",
    "I decided to bake rye bread for the whole street in April.",
)
Opened = Callable[..., Mnemopi]


def waiting(content: str, number: int = 0, **fields: Any) -> Waiting:
    """A memory that waits, without a bank."""
    usual: dict[str, Any] = {
        "id": f"m{number}",
        "version": 1,
        "kind": "turn",
        "content": content,
        "recorded_at": NOW,
        "timestamp": NOW + number * 1000,
        "session_id": "s",
        "position": number,
        "rowkey": number,
    }
    memory = Memory(**{**usual, **fields})
    return Waiting(memory, tokens.shadow(memory.searchable))


def talk(memory: Mnemopi, *texts: str, session: str = "s", days_ago: float = 2, **fields: Any) -> list[str]:
    """Remember turns of a session, a minute apart."""
    first = memory.clock() - round(days_ago * DAY)
    items = [
        {"content": text, "session_id": session, "timestamp": first + number * 60_000, **fields}
        for number, text in enumerate(texts)
    ]
    return [str(receipt) for receipt in memory.remember_many(items)]


def episodes(memory: Mnemopi) -> list[Memory]:
    """Return the episodes in force, the oldest first."""
    store = memory.bank._store
    found = [versions[-1] for versions in store.inventory.memories(0, 9999) if versions[-1].kind == "episode"]
    return [episode for episode in found if episode.valid_until is None]


@pytest.fixture
def clock() -> FixedClock:
    """The clock of the banks."""
    return FixedClock(NOW)


@pytest.fixture
def opened(tmp_path: Path, clock: FixedClock) -> Iterator[Opened]:
    """Open a bank by the name of its file, with settings of sleep; all are closed at the end."""
    made: list[Mnemopi] = []

    def engine(
        name: str = "m.db", *, session_id: str = "s", config: dict[str, Any] | None = None, **more: Any
    ) -> Mnemopi:
        given = {"write.settle": "off", "knowledge.extract": "off", "write.timezone": "UTC", **(config or {})}
        made.append(
            Mnemopi(tmp_path / name, no_embeddings=True, clock=clock, session_id=session_id, config=given, **more)
        )
        return made[-1]

    yield engine
    for each in made:
        each.close()
