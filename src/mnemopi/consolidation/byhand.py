"""An episode by hand: given memories, summed up in given words or in their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mnemopi.consolidation import degrade, episode, group, summarize
from mnemopi.consolidation.means import Means, rarity
from mnemopi.consolidation.summarize import Line, Summary
from mnemopi.errors import ConflictError, UsageError
from mnemopi.ingest import draft, edits
from mnemopi.model.memory import Identity, Memory, Receipt
from mnemopi.storage.store import Store
from mnemopi.text import redact


def consolidate(means: Means, who: Identity, ids: Iterable[str], summary: str | None) -> Receipt:
    """Make an episode that cites the given memories, also such as others cite already.

    Raises NotFoundError, UsageError for none, for episodes and for nothing to say, and ConflictError where the
    memories may be seen by different people, or no longer hold.
    """
    wanted, store, now = _checked(ids), means.store, means.clock()
    with store.transaction():
        sources = [edits.found(store, id, who) for id in wanted]
        _check(sources, now)
        told = _told(sources, summary, means)
        made = episode.of(sources, told, now)
        same = _same(store, made, sources)
        if same is not None:
            return Receipt(same.id, store.name, "unchanged", same.version)
        episode.put(store, made, sources, who.author_id, now)
        return Receipt(made.id, store.name, "created", made.version)


def _checked(ids: Iterable[str]) -> list[str]:
    if isinstance(ids, str) or not isinstance(ids, Iterable):
        raise UsageError("ids is a list of ids of memories")
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        raise UsageError("there is nothing to sum up", hint="give the ids of memories")
    return wanted


def _check(sources: Sequence[Memory], now: int) -> None:
    for source in sources:
        if source.kind == "episode":
            raise UsageError(f"{source.id} is an episode itself", hint="give the memories that it sums up")
        if source.veracity == "false" or (source.valid_until is not None and source.valid_until <= now):
            raise ConflictError(f"{source.id} no longer holds", hint="leave it out")
    first = group.audience(sources[0])[:2]
    if other := next((source for source in sources if group.audience(source)[:2] != first), None):
        raise ConflictError(
            f"{sources[0].id} and {other.id} may be seen by different people", hint="make an episode of each kind"
        )


def _told(sources: Sequence[Memory], given: str | None, means: Means) -> Summary:
    longest = means.settings.max_episode_chars
    if given is None:
        summary = summarize.extract(sources, rarity(means.store), longest)
        if not summary.text:
            raise UsageError("these memories say nothing that could be summed up", hint="give a summary")
        return summary
    text = draft.text(given, "summary", min(means.gate.max_content_chars, longest))
    content = redact.redact(text, means.gate.redact).text
    cited = tuple(Line(source.id, source.version, 0, len(source.content)) for source in sources)
    return Summary(content, (cited,), 1, degrade.BY_HAND)


def _same(store: Store, made: Memory, sources: Sequence[Memory]) -> Memory | None:
    """Return the episode in force that says the same of the same memories."""
    cited = sorted((source.id, source.version) for source in sources)
    for old in store.episodes.current(store.episodes.citing(sources[0].id)):
        if old.content == made.content and old.valid_until is None and sorted(store.episodes.sources(old.id)) == cited:
            return old
    return None
