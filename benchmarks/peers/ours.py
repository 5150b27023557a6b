"""Ours, told and asked through the public interface like any peer."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from benchmarks.quality import embedders, rerankers
from mnemopi import Mnemopi

_HOUR: Final = 3_600_000


class Ours:
    """A bank in a folder that goes with it; a question is asked when the set says, else an hour after the last word."""

    version = metadata.version("mnemopi")

    def __init__(self, embedder: str, reranker: str = "none") -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="mnemopi-peer-ours-")
        self._now = self._last = 0
        self.memory = Mnemopi(
            Path(self._folder.name, "bank.db"),
            embeddings=embedders.given(embedder),
            reranker=rerankers.opened(reranker),
            config=rerankers.settings(reranker),
            clock=lambda: self._now,
        )
        self._ids: dict[str, str] = {}

    def fill(self, items: Sequence[dict[str, Any]]) -> float:
        """Store items with their author, session, place and time, and settle."""
        started = time.perf_counter()
        receipts = self.memory.remember_many(_draft(item) for item in items)
        self.memory.settle()
        took = time.perf_counter() - started
        for receipt, item in zip(receipts, items, strict=True):
            self._ids.setdefault(str(receipt), item["id"])
        self._last = max([self._last, *(item["at"] or 0 for item in items)])
        return took

    def ask(self, text: str, top: int, at: int | None = None) -> tuple[list[str], float]:
        """The best, best first."""
        self._now = at or self._last + _HOUR
        started = time.perf_counter()
        hits = self.memory.recall(text, top)
        took = time.perf_counter() - started
        return [self._ids.get(hit.id, f"{hit.kind}:{hit.id}") for hit in hits], took

    def close(self) -> None:
        """Close the bank and remove it."""
        self.memory.close()
        self._folder.cleanup()


def _draft(item: dict[str, Any]) -> dict[str, Any]:
    """A turn of its session; what belongs to none is a note, which has no neighbours."""
    draft = {
        "content": item["bare"],
        "session_id": item["session"] or None,
        "position": item["position"] if item["session"] else None,
        "author_id": item["author"],
        "timestamp": item["at"],
    }
    return {name: value for name, value in draft.items() if value is not None}
