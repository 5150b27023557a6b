"""What one should know first, and how it stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mnemopi.engine import Mnemopi
from mnemopi.model.memory import Identity, Memory
from mnemopi.retrieval import foremost
from mnemopi.retrieval.profiles import Options
from mnemopi.settings import RecallConfig, StorageConfig
from mnemopi.storage.memories import Prepared
from mnemopi.storage.store import Store
from mnemopi.text import dates, tokens

NOW = dates.moment("2026-03-11T12:00:00Z")
ASKED = Options.of({}, 5, Identity(), RecallConfig())


@pytest.fixture
def store() -> Iterator[Store]:
    opened = Store(":memory:", "b", "b", StorageConfig(), now=0)
    yield opened
    opened.close()


@pytest.fixture
def memory() -> Iterator[Mnemopi]:
    with Mnemopi(":memory:", no_embeddings=True) as opened:
        yield opened


def put(store: Store, text: str, **more: Any) -> None:
    number = store.memories.last_rowkey()
    fields = {"kind": "turn", "recorded_at": 0, "timestamp": NOW, "session_id": "s", "position": number} | more
    with store.transaction():
        made = Memory(f"{number:032x}", version=1, content=text, **fields)
        store.memories.put([Prepared(made, tokens.shadow(text))])


def test_pinned_come_first_then_the_most_important_then_the_latest(store: Store) -> None:
    put(store, "plain", importance=0.5, timestamp=NOW - 5)
    put(store, "later", importance=0.5)
    put(store, "important", importance=0.9)
    put(store, "pinned", importance=0.1, pinned=True)
    first = foremost.foremost([(store, ASKED)], NOW, 3)
    assert [memory.content for memory, _ in first] == ["pinned", "important", "later"]
    assert [memory.content for memory, _ in foremost.pinned([(store, ASKED)], NOW)] == ["pinned"]


def line(block: str, text: str) -> str:
    return next(line for line in block.splitlines() if text in line)


def test_what_was_superseded_says_so_where_nothing_is_asked_and_where_it_is_pinned(memory: Mnemopi) -> None:
    old = memory.remember("The billing API listens on port 7001.", timestamp="2026-01-03")
    memory.remember("The billing API's port is now 7443.", timestamp="2026-03-03")
    assert "superseded by billing API port 7443" in line(memory.context(), "listens on port 7001")
    assert "superseded" not in line(memory.context(), "is now 7443.")
    memory.pin(old)
    assert "superseded by billing API port 7443" in line(memory.context("what is for lunch?"), "listens on port 7001")


def test_what_ended_says_so(memory: Mnemopi) -> None:
    memory.remember("We use Jenkins for CI.", timestamp="2026-01-03")
    memory.remember("We moved from Jenkins to Buildkite.", timestamp="2026-03-03")
    assert "(ended)" in line(memory.context(), "We use Jenkins")
    assert "(ended)" in line(memory.context("do we use Jenkins for CI?"), "We use Jenkins")


def test_what_contradicts_something_else_says_so_once(memory: Mnemopi) -> None:
    memory.remember("The release deadline is 10 April.", timestamp="2026-03-03")
    memory.facts.assert_("release", "deadline", "17 April", valid_from="2026-03-03")
    assert line(memory.context(), "10 April").count("contested") == 1
    memory.remember("The moon is far away", veracity="contested")
    assert line(memory.context("is the moon far away?"), "far away").count("contested") == 1
