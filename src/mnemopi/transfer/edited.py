"""Parts of a text file that was imported before: which are new, which are the same, which were edited where they stand.

A part is known by its external id, `path#digest`. One that is not known stands for an old one that is gone, where both
have the same headings above them and either resemble each other or are the only ones there, at the same place: then
the memory gets its next version. A part that is gone stays: a file that was cut is no wish to forget.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any, Final

from mnemopi.ingest import derive
from mnemopi.ingest.prepare import analysed
from mnemopi.model.memory import Event, Memory
from mnemopi.model.values import dataclass
from mnemopi.storage.store import Store
from mnemopi.transfer.cargo import Cargo

LIKE: Final = 0.5
"""From this ratio on (difflib's, 0 to 1) two texts are one that was edited."""
_COMPARED: Final = 2000
GONE: Final = "no longer in the file; invalidate or forget it where it does not hold"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done: new memories, (old, new) pairs, how many are here as they are, and which id of a cargo
    became which here."""

    new: Sequence[Memory]
    changed: Sequence[tuple[Memory, Memory]]
    known: int
    renamed: Mapping[str, str]


def plan(store: Store, cargo: Cargo) -> Plan:
    """Compare a cargo with what is here. Memories that were not read in parts are all new."""
    if not cargo.prefixes:
        return Plan(cargo.memories, (), 0, {})
    here = {
        memory.external_id: memory
        for prefix in cargo.prefixes
        for memory in store.memories.external_between(prefix, prefix + "\U0010ffff")
    }
    new = [memory for memory in cargo.memories if memory.external_id not in here]
    known = len(cargo.memories) - len(new)
    present = {memory.external_id for memory in cargo.memories}
    gone = [memory for external, memory in here.items() if external not in present and memory.valid_until is None]
    changed = _pairs(gone, new)
    replaced = {memory.external_id for _, memory in changed}
    cargo.leave("parts", GONE, len(gone) - len(changed))
    fresh = [memory for memory in new if memory.external_id not in replaced]
    free = [_free(store, memory) for memory in fresh]
    renamed = {memory.id: own.id for memory, own in zip(fresh, free, strict=True)}
    return Plan(free, changed, known, renamed | {now.id: old.id for old, now in changed})


def change(store: Store, old: Memory, new: Memory, now: int, actor: str | None) -> int:
    """Give an old memory the text of the part that it became; return its version. The caller holds the transaction."""
    told = replace(
        old,
        content=new.content,
        embed_text=new.embed_text,
        external_id=new.external_id,
        metadata=new.metadata,
        event=new.event,
    )
    memory = store.memories.succeed(old, analysed(told), now)
    derive.withdraw(store, memory.id, now)
    store.journal.append([Event(now, "updated", memory.id, memory.version, actor, "edited in its file")])
    return memory.version


def _pairs(gone: Sequence[Memory], new: Sequence[Memory]) -> list[tuple[Memory, Memory]]:
    """Pair what is gone with what is new under the same headings of the same file, the likest first."""
    olds: dict[Any, list[Memory]] = defaultdict(list)
    news: dict[Any, list[Memory]] = defaultdict(list)
    for memory in gone:
        olds[_where(memory)].append(memory)
    for memory in new:
        news[_where(memory)].append(memory)
    pairs: list[tuple[Memory, Memory]] = []
    for where in olds.keys() & news.keys():
        left, right = olds[where], news[where]
        found = sorted(
            ((_likeness(old, fresh), old.rowkey, place) for old in left for place, fresh in enumerate(right)),
            key=lambda each: (-each[0], each[1], each[2]),
        )
        by_key = {old.rowkey: old for old in left}
        free = set(range(len(right)))
        alone = len(left) == len(right) == 1 and _place(left[0]) == _place(right[0])
        for likeness, key, place in found:
            if key in by_key and place in free and (likeness >= LIKE or alone):
                pairs.append((by_key.pop(key), right[place]))
                free.remove(place)
    return pairs


def _likeness(old: Memory, new: Memory) -> float:
    return SequenceMatcher(None, old.content[:_COMPARED], new.content[:_COMPARED], autojunk=False).ratio()


def _where(memory: Memory) -> tuple[str, tuple[str, ...]]:
    headings = (memory.metadata or {}).get("headings") or ()
    return (memory.external_id or "").rpartition("#")[0], tuple(str(each) for each in headings)


def _place(memory: Memory) -> object:
    return (memory.metadata or {}).get("place")


def _free(store: Store, memory: Memory) -> Memory:
    """Give a part another id, where its own belongs to a memory that has become another part since."""
    id, number = memory.id, 1
    while not store.memories.is_buried(id) and store.memories.is_taken(id):
        number += 1
        id = f"{memory.id}:{number}"
    return memory if id == memory.id else replace(memory, id=id)
