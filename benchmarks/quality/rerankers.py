"""The rerankers of the tables: none, and a stand-in.

No package of the indexes in reach ships a trained cross-encoder. `late` is late interaction over the token states of
the MiniLM of `embedders`: for each token of the question its nearest token of the text, by cosine, and their mean. It
was never trained to judge: its rows show how a judgement is weighed, not what a cross-encoder adds.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from benchmarks.quality import embedders

NAMES: Final = ("none", "late")
PATIENCE: Final = 600.0
"""Seconds: a row is about what is found, on a machine that may be busy."""


@cache
def opened(name: str) -> Any:
    """Return what `Mnemopi(reranker=...)` takes for a reranker of the tables. Raises embedders.Unavailable."""
    return Late() if name == "late" else False


def settings(name: str) -> dict[str, Any]:
    """Return the settings under which each recall asks it."""
    return {} if name == "none" else {"rerank.enabled": True, "rerank.timeout": PATIENCE}


class Late:
    """Late interaction over MiniLM's tokens; judgements are kept in a file, by the hash of question and text."""

    name = "benchmark:minilm-late-interaction"

    def __init__(self) -> None:
        self._model = embedders.MiniLM()
        path = embedders.cache_folder() / "judgements-minilm-late.db"
        self._file = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=60)
        self._file.execute("create table if not exists judgement (key blob primary key, value real) without rowid")

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Judge texts: the mean cosine, -1 to 1."""
        keys = [hashlib.sha256(f"{question}\0{text}".encode()).digest() for text in texts]
        found = {key: self._kept(key) for key in keys}
        lacking = {key: text for key, text in zip(keys, texts, strict=True) if found[key] is None}
        if lacking:
            asked = self._model.tokens([question])[0]
            told = self._model.tokens(list(lacking.values()))
            made = {key: _nearest(asked, each) for key, each in zip(lacking, told, strict=True)}
            self._file.executemany("insert or ignore into judgement values (?, ?)", made.items())
            found |= made
        return [float(found[key]) for key in keys]

    def _kept(self, key: bytes) -> float | None:
        row = self._file.execute("select value from judgement where key = ?", (key,)).fetchone()
        return None if row is None else float(row[0])


def _nearest(question: Any, text: Any) -> float:
    return float((question @ text.T).max(axis=1).mean()) if len(question) and len(text) else 0.0
