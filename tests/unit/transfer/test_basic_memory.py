from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from pathlib import Path

from mnemopi.ingest.prepare import Gate
from mnemopi.storage.store import Store
from mnemopi.text import dates
from mnemopi.transfer import basic_memory
from mnemopi.transfer.lenient import Lenient
from mnemopi.transfer.unload import unload

NOW = 1_780_000_000_000
NOTE = """\
---
title: Coffee Brewing
type: note
tags: [coffee]
permalink: coffee-brewing
created: 2026-03-05
---

# Coffee Brewing

Some prose.

## Observations
- [method] Pour over is clearer than press #brewing (tried it)
- [x] not a category but a task

## Relations
- requires [[Proper Grinding]] (always)
- [[Tea]]
"""


def test_a_note_gives_observations_relations_and_prose(tmp_path: Path, lenient: Lenient) -> None:
    (tmp_path / "coffee.md").write_text(NOTE, "utf-8")
    made = basic_memory.notes(tmp_path, lenient)
    assert [(memory.content, memory.memory_type) for memory in made.memories] == [
        ("Some prose.", "unknown"),
        ("[method] Pour over is clearer than press #brewing (tried it)", "method"),
        ("[x] not a category but a task", "unknown"),
        ("requires [[Proper Grinding]] (always)", "relation"),
        ("[[Tea]]", "relation"),
    ]
    observation = made.memories[1]
    assert dates.iso(observation.timestamp)[:10] == "2026-03-05"
    assert observation.metadata is not None
    assert (observation.metadata["title"], observation.metadata["front"]["permalink"]) == (
        "Coffee Brewing",
        "coffee-brewing",
    )
    assert (observation.metadata["tags"], observation.metadata["context"]) == (["brewing"], "tried it")
    assert [(each.subject, each.predicate, each.object, each.memory) for each in made.statements] == [
        ("Coffee Brewing", "requires", "Proper Grinding", made.memories[3].id),
        ("Coffee Brewing", "relates to", "Tea", made.memories[4].id),
    ]


def test_an_edited_relation_takes_its_statement_along(tmp_path: Path, opened: Callable[..., Store]) -> None:
    store, file = opened(), tmp_path / "coffee.md"

    def take(text: str) -> list[str]:
        file.write_text(text, "utf-8")
        made = basic_memory.notes(file, Lenient(Gate(10_000, "full", UTC), NOW))
        unload(store, made, NOW, system="basic-memory", source="x", dry_run=False)
        here = store.facts.statements(store.facts.slots("", 10)).values()
        return sorted(each.object for known in here for each in known if each.withdrawn_at is None)

    assert take(NOTE) == ["Proper Grinding", "Tea"]
    assert take(NOTE.replace("Proper Grinding", "Coarse Grinding")) == ["Coarse Grinding", "Tea"]
    assert take(NOTE.replace("Proper Grinding", "Coarse Grinding")) == ["Coarse Grinding", "Tea"]
