"""The engine itself: a bank a group, filled and asked through the public API."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mnemopi import Mnemopi

_FORMS = (
    (r"(\d{4})[-/](\d\d)[-/](\d\d)(?: \(\w+\))? (\d\d:\d\d)", "%Y %m %d %H:%M"),
    (r"(\d{4})[-/](\d\d)[-/](\d\d)", "%Y %m %d"),
    (r"(\d+:\d\d [ap]m) on (\d+) (\w+), (\d{4})", "%I:%M %p %d %B %Y"),
)
_FIRST = 1_700_000_000_000
_STEP = 60_000
TOP = 20


class Banks:
    """The banks of one set, made as they are asked for, in a folder that goes with `close`."""

    def __init__(self, groups: dict[str, list[Any]], embedder: str, *, staged: bool) -> None:
        """`staged` says that questions are asked before all is said: then order stands for time."""
        self._groups, self._embedder, self._staged = groups, embedder, staged
        self._folder = tempfile.TemporaryDirectory(prefix="mnemopi-quality-")
        self._open: dict[str, tuple[Mnemopi, dict[str, str]]] = {}

    def ask(self, query: Any) -> list[dict[str, Any]]:
        """Recall a question; return the explained hits, best first, by the ids of the set."""
        engine, ids = self._bank(query.group)
        options = {} if query.asof is None else {"to_date": _FIRST + query.asof * _STEP - 1}
        hits = engine.recall(query.text, TOP, **options)
        return [{"id": ids[hit.id], **hit.explanation.as_dict()} for hit in hits]

    def close(self) -> None:
        """Close the banks and remove them."""
        for engine, _ in self._open.values():
            engine.close()
        self._folder.cleanup()

    def _bank(self, group: str) -> tuple[Mnemopi, dict[str, str]]:
        if group not in self._open:
            path = Path(self._folder.name) / f"{len(self._open)}.db"
            none = self._embedder == "none"
            engine = Mnemopi(path, no_embeddings=none, embeddings=None if none else {"provider": self._embedder})
            items = self._groups[group]
            receipts = engine.remember_many(_turns(items, self._staged))
            engine.settle()
            self._open[group] = engine, {str(receipt): item.id for receipt, item in zip(receipts, items, strict=True)}
        return self._open[group]


def _turns(items: Sequence[Any], staged: bool) -> list[dict[str, Any]]:
    places: Counter[str] = Counter()
    turns = []
    for item in items:
        when = _FIRST + item.order * _STEP if staged else _moment(item.timestamp)
        turn = {
            "content": item.text,
            "session_id": item.session or "default",
            "position": places[item.session],
            "author_id": item.speaker or None,
            "timestamp": when,
        }
        places[item.session] += 1
        turns.append({name: value for name, value in turn.items() if value is not None})
    return turns


def _moment(said: str) -> datetime | None:
    for form, layout in _FORMS:
        if found := re.search(form, said):
            return datetime.strptime(" ".join(found.groups()), layout).replace(tzinfo=UTC)
    return None
