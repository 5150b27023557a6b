"""An episode of a group: what it takes over from its sources, and how it is put into the bank.

It has no validity of its own: it holds as long as its sources do. Pure but for the random id and `put`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from mnemopi.consolidation.summarize import Summary
from mnemopi.ingest.prepare import analysed
from mnemopi.model import trust
from mnemopi.model.interval import Interval
from mnemopi.model.memory import Event, Memory
from mnemopi.storage import ids
from mnemopi.storage.store import Store

SOURCE = "sleep"
_T = TypeVar("_T")


def of(sources: Sequence[Memory], summary: Summary, now: int) -> Memory:
    """Build the episode of a group. `now` is UTC ms."""
    first, last = min(s.timestamp for s in sources), max(s.timestamp for s in sources)
    return Memory(
        id=ids.new(),
        version=1,
        kind="episode",
        content=summary.text,
        recorded_at=now,
        timestamp=last,
        session_id=sources[0].session_id,
        scope=sources[0].scope,
        source=SOURCE,
        tier="episodic",
        importance=max(source.importance for source in sources),
        veracity=common_veracity(sources),
        trust_tier=max(("DERIVED", *(source.trust_tier for source in sources)), key=trust.TRUST_TIERS.index),
        author_id=_common([source.author_id for source in sources]),
        author_type=_common([source.author_type for source in sources]),
        channel_id=_common([source.channel_id for source in sources]),
        event=Interval(first, last + 1, "span"),
        metadata=told(sources, summary, now),
    )


def told(sources: Sequence[Memory], summary: Summary, now: int, detail: int = 1) -> dict[str, object]:
    """What an episode says of itself: its sources, where each line comes from, by whom, its level of detail (1 is
    full), and since when it was last in full (UTC ms)."""
    return {"sources": [s.id for s in sources], **summary.as_metadata(), "detail": detail, "since": now}


def common_veracity(sources: Sequence[Memory]) -> str:
    """Return the label that most sources have, the weaker of two where they tie; `unknown` ones do not count."""
    counts = Counter(source.veracity for source in sources if source.veracity != "unknown")
    if not counts:
        return "unknown"
    return min(counts, key=lambda label: (-counts[label], trust.VERACITY[label], label))


def put(store: Store, episode: Memory, sources: Sequence[Memory], actor: str | None, now: int) -> int:
    """Write an episode with its citations and journal; return how many former ones it takes over from.

    The caller holds the transaction, and has checked that the sources are free.
    """
    cited = [(source.id, source.version) for source in sources]
    former = store.episodes.replaced_by(cited, now)
    store.memories.put([analysed(episode)])
    store.episodes.cite(episode.id, cited)
    events = [Event(now, "slept", episode.id, 1, actor, f"{len(sources)} sources")]
    for old in former:
        ended = replace(
            old,
            valid_until=now,
            superseded_by=episode.id,
            metadata={**(old.metadata or {}), "remade_by": episode.id},
        )
        ended = store.memories.succeed(old, analysed(ended), now)
        events.append(Event(now, "remade", old.id, ended.version, actor, f"by {episode.id}"))
    store.journal.append(events)
    return len(former)


def _common(values: Sequence[_T]) -> _T | None:
    return values[0] if len(set(values)) == 1 else None
