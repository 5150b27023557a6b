"""Less detail with age: an old episode is told in fewer of its sources' sentences, as its next version.

Detail 1 is full, 2 at most half of it, 3 a few sentences. Only sentences are left out, none is changed; `restore`
tells the episode in full again, from its sources. What a person wrote is left as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from mnemopi.consolidation import episode, summarize
from mnemopi.consolidation.means import Means, rarity
from mnemopi.errors import ConflictError, UsageError
from mnemopi.ingest import edits
from mnemopi.ingest.prepare import analysed
from mnemopi.model.memory import Event, Identity, Memory, Receipt

_DAY_MS: Final = 86_400_000
BY_HAND: Final = "hand"


def degrade(means: Means, *, dry_run: bool) -> tuple[int, int]:
    """Bring episodes that are old enough to detail 2, then 3; return how many of each. At most a batch of each."""
    settings, now, counts = means.settings, means.clock(), []
    for level, days in ((1, settings.tier2_days), (2, settings.tier3_days)):
        found = means.store.episodes.of_detail(level, now - round(days * _DAY_MS), settings.degrade_batch)
        if not dry_run:
            for each in found:
                _shorten(means, each, level + 1)
        counts.append(len(found))
    return counts[0], counts[1]


def restore(means: Means, who: Identity, id: str) -> Receipt:
    """Tell an episode in full again, from its sources. Raises NotFoundError, UsageError for what is no episode, and
    ConflictError where a source no longer holds."""
    store, now = means.store, means.clock()
    with store.transaction():
        old = edits.found(store, id, who)
        if old.kind != "episode":
            raise UsageError(f"{id} is no episode, but a {old.kind}")
        if level_of(old) == 1 or by(old) == BY_HAND:
            return Receipt(old.id, store.name, "unchanged", old.version)
        if id in store.episodes.released(now):
            raise ConflictError(f"a source of {id} no longer holds", hint="the next sleep makes it anew")
        new = _retold(means, old, 1, means.settings.max_episode_chars, summarize.SHARE)
        store.journal.append([Event(now, "restored", new.id, new.version, who.author_id)])
        return Receipt(new.id, store.name, "updated", new.version)


def level_of(memory: Memory) -> int:
    """Return the level of detail of an episode."""
    return int((memory.metadata or {}).get("detail", 1))


def by(memory: Memory) -> str:
    """Return who wrote an episode: `rules`, `llm` or `hand`."""
    return str((memory.metadata or {}).get("by", "rules"))


def _shorten(means: Means, old: Memory, level: int) -> None:
    store, least = means.store, means.settings.tier3_max_chars
    room = least if level == 3 else max(least, len(old.content) // 2)
    with store.transaction():
        current = store.episodes.current([old.id])
        if current != [old]:
            return  # somebody was faster
        new = _retold(means, old, level, room, 1.0)
        store.journal.append([Event(new.recorded_at, "shortened", new.id, new.version, None, f"detail {level}")])


def _retold(means: Means, old: Memory, level: int, room: int, share: float) -> Memory:
    """Write the next version of an episode, in at most `room` characters; what says nothing shorter stays."""
    store, now = means.store, means.clock()
    sources: Sequence[Memory] = store.episodes.cited_memories(old.id)
    metadata = {**(old.metadata or {}), "detail": level}
    content = old.content
    summary = summarize.extract(sources, rarity(store), room, share)
    if by(old) != BY_HAND and summary.text and (level == 1 or len(summary.text) < len(content)):
        since = now if level == 1 else metadata.get("since", now)
        content = summary.text
        metadata = {**metadata, **episode.told(sources, summary, since, level)}
    return store.memories.succeed(old, analysed(replace(old, content=content, metadata=metadata)), now)
