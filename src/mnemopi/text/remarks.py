"""What a memory's own text and fields say of it: whom it mentions, other names, when it happened, its origin."""

from __future__ import annotations

from typing import Final

from mnemopi.model.graph import SAME, Annotation, told
from mnemopi.model.memory import Memory
from mnemopi.text import aliases, entities

_USUAL: Final = frozenset({"conversation", "user", "assistant"})
"""Sources that say nothing."""
_SURE, _LIKELY = 0.9, 0.7
_TELLTALE: Final = frozenset({"name", "organisation", "work"})


def of(memory: Memory) -> list[Annotation]:
    """Derive the annotations of a memory."""
    found: dict[tuple[str, str], Annotation] = {}

    def add(kind: str, value: str, key: str, confidence: float = 1.0) -> None:
        made = Annotation(memory.id, kind, value, key, confidence=confidence, at=memory.recorded_at)
        found.setdefault((kind, key), made)

    for entity in entities.find(memory.content):
        add("mentions", entity.value, entity.key, _LIKELY if entity.kind in _TELLTALE else _SURE)
    for one, other in aliases.find(memory.content):
        for name, same in ((one, other), (other, one)):
            add("mentions", name, entities.key_of(name), _SURE)
            add("alias", f"{one}{SAME}{other}", both(name, same), _SURE)
    if memory.event is not None:
        add("occurred_on", when := told(memory.event), when)
    if memory.source not in _USUAL:
        add("has_source", memory.source, entities.key_of(memory.source))
    return list(found.values())


def both(name: str, same: str) -> str:
    """Return the key of an alias under one of its names."""
    return f"{entities.key_of(name)}{SAME}{entities.key_of(same)}"


def keyed(kind: str, value: str) -> list[str]:
    """Return the keys under which a given annotation is found: an alias (`A = B`) under either name."""
    one, same, other = value.partition(SAME)
    if kind == "alias" and same:
        return list(dict.fromkeys((both(one, other), both(other, one))))
    return [entities.key_of(value) or value.casefold()]
