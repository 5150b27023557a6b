"""What a prompt calls up though nobody asked: little, sure of itself, and nothing that is there already.

A bank that fails does not keep the others from answering; where all fail, the first failure is raised, so that an
error never looks like an empty memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from mnemopi.engine import Mnemopi
from mnemopi.errors import MnemopiError, warn
from mnemopi.model.hit import Hit
from mnemopi.model.session import CHARS_PER_TOKEN
from mnemopi.retrieval import render

_MORE: Final = 3
"""So many times what is wanted is asked for, since some of it is there already."""


def recall(engines: Iterable[Mnemopi], query: str, limit: int, **options: Any) -> list[Hit]:
    """Recall from several banks, the best first, each memory once."""
    found: list[Hit] = []
    failures: list[MnemopiError] = []
    answered = False
    for engine in engines:
        try:
            found += engine.bank.recall(query, limit, **options)
            answered = True
        except MnemopiError as error:
            warn("bank %s did not answer: %s", engine.bank.name, error.code)
            failures.append(error)
    if failures and not answered:
        raise failures[0]
    found.sort(key=lambda hit: (-hit.score, -hit.memory.timestamp, hit.content))
    once: dict[str, Hit] = {}
    texts: set[str] = set()
    for hit in found:
        if hit.id not in once and hit.memory.content not in texts:
            once[hit.id] = hit
            texts.add(hit.memory.content)
    return list(once.values())[:limit]


def fresh(
    engines: Sequence[Mnemopi],
    query: str,
    limit: int,
    belief: float,
    is_new: Callable[[Hit], bool],
    **options: Any,
) -> list[Hit]:
    """Recall what passes a threshold of belief and is new."""
    usual = {"min_score": belief, "content_preview_chars": render.LINE}
    return [hit for hit in recall(engines, query, limit * _MORE, **usual | options) if is_new(hit)][:limit]


def block(hits: Sequence[Hit], tokens: int) -> tuple[str, dict[str, int]]:
    """Return a block of hits within a budget, and which memories, in which version, stand in it."""
    text = render.context([(hit.memory, hit.content, hit.explanation.notes) for hit in hits], tokens * CHARS_PER_TOKEN)
    return text, {hit.id: hit.memory.version for hit in hits if f"\n- [{hit.id}," in text}
