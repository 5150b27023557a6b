"""The engine itself: a bank a group, filled and asked through the public API."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.quality import embedders, rerankers
from mnemopi import Mnemopi

_FORMS = (
    (r"(\d{4})[-/](\d\d)[-/](\d\d)(?: \(\w+\))? (\d\d:\d\d)", "%Y %m %d %H:%M"),
    (r"(\d{4})[-/](\d\d)[-/](\d\d)", "%Y %m %d"),
    (r"(\d+:\d\d [ap]m) on (\d+) (\w+), (\d{4})", "%I:%M %p %d %B %Y"),
)
_HOUR = 3_600_000
_DAY = 24 * _HOUR
TOP = 20
T = TypeVar("T")


class Banks:
    """The banks of one set, made as they are asked for, in a folder that goes with `close`.

    A question is asked when the set says, else an hour after the last that was said: dates in it are read from there.
    """

    def __init__(self, groups: dict[str, list[Any]], embedder: str, reranker: str = "none") -> None:
        self._groups, self._embedder, self._reranker = groups, embedder, reranker
        self._folder = tempfile.TemporaryDirectory(prefix="mnemopi-quality-")
        self._open: dict[str, tuple[Mnemopi, dict[str, str]]] = {}
        self._now = 0

    def ask(self, query: Any) -> list[dict[str, Any]]:
        """Recall a question; return the explained hits, best first, by the ids of the set."""
        engine, ids = self._bank(query.group)
        said = [item for item in self._groups[query.group] if query.asof is None or item.order < query.asof]
        last = max((moment(item.timestamp) or 0 for item in said), default=0)
        self._now = moment(query.meta.get("question_date", "")) or last + _HOUR
        options = {} if query.asof is None else {"to_date": last}
        hits = engine.recall(query.text, TOP, **options)
        return [{"id": ids.get(hit.id, f"{hit.kind}:{hit.id}"), **hit.explanation.as_dict()} for hit in hits]

    def opened(self, group: str) -> tuple[Mnemopi, dict[str, str]]:
        """Return the bank of a group, and the ids of the set by its own."""
        return self._bank(group)

    def at_ease(self, group: str, work: Callable[[Mnemopi], T]) -> T:
        """Do something in a bank a day after the last was said."""
        self._now = max(moment(item.timestamp) or 0 for item in self._groups[group]) + _DAY
        done = work(self._bank(group)[0])
        self._bank(group)[0].settle()
        return done

    def close(self) -> None:
        """Close the banks and remove them."""
        for engine, _ in self._open.values():
            engine.close()
        self._folder.cleanup()

    def _bank(self, group: str) -> tuple[Mnemopi, dict[str, str]]:
        if group not in self._open:
            path = Path(self._folder.name) / f"{len(self._open)}.db"
            engine = Mnemopi(
                path,
                embeddings=embedders.given(self._embedder),
                reranker=rerankers.opened(self._reranker),
                config=rerankers.settings(self._reranker),
                clock=lambda: self._now,
            )
            items = self._groups[group]
            receipts = engine.remember_many(_turns(items))
            engine.settle()
            self._open[group] = engine, {str(receipt): item.id for receipt, item in zip(receipts, items, strict=True)}
        return self._open[group]


def _turns(items: Sequence[Any]) -> list[dict[str, Any]]:
    places: Counter[str] = Counter()
    turns = []
    for item in items:
        turn = {
            "content": item.text,
            "session_id": item.session or None,
            "position": places[item.session] if item.session else None,
            "author_id": item.speaker or None,
            "timestamp": moment(item.timestamp),
        }
        places[item.session] += 1
        turns.append({name: value for name, value in turn.items() if value is not None})
    return turns


def moment(said: str) -> int | None:
    """Read the sets' ways of giving a time, in UTC ms."""
    for form, layout in _FORMS:
        if found := re.search(form, said):
            moment = datetime.strptime(" ".join(found.groups()), layout).replace(tzinfo=UTC)
            return int(moment.timestamp() * 1000)
    return None
