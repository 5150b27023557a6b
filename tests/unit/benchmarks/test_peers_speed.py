import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from benchmarks import runlog
from benchmarks.peers import roster, speed


class Bank:
    """Takes a hundredth of a second for a memory, and the longer the more it holds where it is a slow one."""

    version = "1"

    def __init__(self, slow: bool) -> None:
        self.slow, self.held = slow, 0

    def fill(self, items: Sequence[dict[str, Any]]) -> float:
        self.held += len(items)
        return 0.01 * len(items) * (self.held if self.slow else 1)

    def ask(self, text: str, top: int) -> tuple[list[str], float]:
        return [], 0.001

    def close(self) -> None:
        pass


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[dict[str, Any]]:
    """The rows of a run at three sizes, beside one peer that grows slower with what it holds."""

    @contextmanager
    def opener(peer: roster.Peer, embedder: str, limit: float) -> Iterator[Callable[[], Bank]]:
        yield lambda: Bank(peer.name != speed.OURS)

    row = {"content": "a", "author_id": "b", "session_id": "c", "position": 0}
    monkeypatch.setattr(speed.asking, "opener", opener)
    monkeypatch.setattr(speed.corpus, "source", lambda: None)
    monkeypatch.setattr(speed.corpus, "rows", lambda count: [row] * count)
    monkeypatch.setattr(speed.corpus, "questions", lambda kind: ["q"] * speed.ASKED)
    monkeypatch.setattr(runlog, "LOGS", tmp_path)
    monkeypatch.setattr(sys, "argv", ["speed", "--n", "10,30,100", "--peers", "chromadb", "--limit", "2"])
    assert speed.main() == 0
    (log,) = runlog.read(tmp_path)
    return list(log.rows)


def test_a_peer_that_takes_too_long_says_how_far_it_came(told: list[dict[str, Any]]) -> None:
    theirs = [row["skipped"] for row in told if row["peer"] == "chromadb"]
    assert theirs[:2] == ["", "took in 21 in 3 s"]


def test_a_peer_that_took_too_long_is_not_asked_at_a_larger_size(told: list[dict[str, Any]]) -> None:
    theirs = [row for row in told if row["peer"] == "chromadb"]
    assert theirs[2]["skipped"] == theirs[1]["skipped"]
    assert theirs[2]["filled"] == 0


def test_ours_is_measured_at_each_size_whatever_it_takes(told: list[dict[str, Any]]) -> None:
    ours = [row for row in told if row["peer"] == speed.OURS]
    assert [(row["n"], row["skipped"]) for row in ours] == [(10, ""), (30, ""), (100, "")]
    assert all(row["rate"] > 0 and row["content"] > 0 for row in ours)
