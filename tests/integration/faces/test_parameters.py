"""Each parameter of each tool does something: what is answered, or what is stored, is not what it is without it.

A call is made twice on copies of one bank, with and without the parameter. `@name` stands for the id of that name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from mnemopi.config import Config
from mnemopi.errors import MnemopiError
from mnemopi.testing import HashingEmbedder
from mnemopi.tools import catalog
from mnemopi.tools.caller import Caller, Engines

NOTE: Mapping[str, Any] = {"content": "Ines met the crew of the MS Aurora at Pier 7"}
LATER = "2031-05-06"

CALLS: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
    "remember": (
        NOTE,
        {
            "bank": "work",
            "importance": 0.9,
            "source": "web",
            "scope": "session",
            "valid_until": LATER,
            "extract_entities": True,
            "extract": True,
            "metadata": {"berth": 4},
            "veracity": "stated",
            "author_id": "ines",
            "author_type": "user",
            "channel_id": "harbour",
        },
    ),
    "recall": (
        {"query": "the crane", "content_preview_chars": 50},
        {
            "bank": "work",
            "limit": 1,
            "top_k": 1,
            "min_score": 0.9,
            "as_of": "2020-01-01",
            "from_date": LATER,
            "to_date": "2020-01-01",
            "importance_weight": 0.9,
            "fts_weight": 0.05,
            "author_id": "ines",
            "author_type": "user",
            "channel_id": "harbour",
            "profile": "recent",
            "rerank": True,
            "explain": True,
        },
    ),
    "recall of long texts": ({"query": "log of the crane"}, {"content_preview_chars": 0}),
    "recall of times": (
        {"query": "which ferry left yesterday", "explain": True, "temporal_weight": 0.5},
        {"query_time": "2026-01-03", "temporal_halflife": 100_000.0},
    ),
    "recall of ferries": ({"query": "ferry on 2 January 2026", "explain": True}, {"temporal_weight": 0.9}),
    "recall by meaning": ({"query": "cranes beyond the bay", "explain": True}, {"vec_weight": 0.9}),
    "get": ({"memory_id": "@long"}, {"offset": 5, "max_chars": 20, "bank": "work"}),
    "context": ({"query": "crane"}, {"bank": "work", "budget": 200, "min_score": 0.9, "rerank": True}),
    "context of all": ({}, {"query": "ferry"}),
    "update": (
        {"memory_id": "@crane", "importance": 0.2},
        {"content": "The crane is gone", "bank": "work", "version": 9},
    ),
    "update of the text": ({"memory_id": "@crane", "content": "The crane is gone"}, {"importance": 0.2}),
    "invalidate": ({"memory_id": "@old"}, {"replacement_id": "@ferry", "reason": "sold", "version": 9, "bank": "work"}),
    "forget": ({"memory_id": "@old"}, {"version": 9, "bank": "work"}),
    "validate": (
        {"memory_id": "@old", "action": "attest"},
        {"validator": "ben", "note": "I saw it", "bank": "surface"},
    ),
    "validate an update": (
        {"memory_id": "@old", "action": "update", "new_content": "The ferry leaves at five"},
        {"new_content": "The ferry leaves at four"},
    ),
    "history": ({"memory_id": "@winch"}, {"bank": "work"}),
    "undo": ({"memory_id": "@winch"}, {"reason": "it was not painted", "bank": "work"}),
    "pin": ({"memory_id": "@crane"}, {"pinned": False, "bank": "work"}),
    "facts": (
        {},
        {
            "bank": "work",
            "action": "end",
            "query": "tea",
            "subject": "launch",
            "predicate": "date",
            "kind": "preference",
            "as_of": "2026-01-01",
            "known_at": "2026-01-01",
            "limit": 1,
        },
    ),
    "facts that ended": ({"subject": "Ines"}, {"include_ended": True}),
    "facts to end": ({"action": "end", "fact_id": "@fact"}, {"at": "2026-04-01", "reason": "moved"}),
    "facts to prefer": ({"action": "prefer", "fact_id": "@fact"}, {"fact_id": "@rival", "reason": "asked"}),
    "conflicts": ({}, {"bank": "work"}),
    "triple_add": (
        {"subject": "Ben", "predicate": "works_at", "object": "the yard"},
        {"bank": "work", "valid_from": "2026-03-01", "source": "web", "confidence": 0.4},
    ),
    "triple_query": (
        {},
        {
            "bank": "work",
            "subject": "launch",
            "predicate": "prefers",
            "object": "6 May",
            "as_of": "2026-01-01",
            "limit": 1,
        },
    ),
    "graph_query": (
        {"seed_memory_id": "@crane"},
        {"bank": "work", "edge_type": "before", "min_weight": 0.9, "limit": 1, "max_hops": 1},
    ),
    "graph_link": (
        {"source_id": "@crane", "target_id": "@ferry", "relationship": "follows"},
        {"bank": "work", "weight": 0.9, "relationship": "before"},
    ),
    "shared_remember": (
        NOTE,
        {"kind": "preference", "importance": 0.1, "veracity": "stated", "metadata": {"berth": 4}},
    ),
    "shared_recall": ({"query": "answer in German"}, {"limit": 1, "query": "nothing of the kind", "rerank": True}),
    "shared_forget": ({"memory_id": "@shared"}, {"memory_id": "@crane"}),
    "shared_stats": ({}, {}),
    "sleep": ({}, {"bank": "work", "dry_run": True, "all_sessions": True}),
    "stats": ({}, {"bank": "work"}),
    "diagnose": ({}, {"bank": "work"}),
    "scratchpad_write": ({"content": "grease it"}, {"bank": "work", "content": "paint it"}),
    "scratchpad_read": ({}, {"bank": "work"}),
    "scratchpad_clear": ({}, {"bank": "work"}),
    "export": ({"output_path": "a.jsonl"}, {"bank": "work", "output_path": "b.jsonl"}),
    "import": ({"input_path": "lines.jsonl"}, {"bank": "work", "force": True, "confirm": "a token"}),
}
"""By tool, and by what else the call is of: the arguments without, and one value for each parameter."""

PAIRS = [(name, parameter) for name, (_, values) in CALLS.items() for parameter in values]


Called = Callable[[str, Mapping[str, Any]], tuple[Any, Path]]
WITHOUT: dict[str, tuple[Any, Path]] = {}
"""What came of each call without the parameter: several are compared with it."""


@pytest.fixture
def called(copied: Callable[[str], Path], ids: dict[str, str], outcome: Any) -> Called:
    """Make a call of the table on a copy of the bank; return its answer or error, and the folder of the copy."""

    def made(name: str, arguments: Mapping[str, Any]) -> tuple[Any, Path]:
        tool, folder = catalog.find(f"mnemopi_{name.partition(' ')[0]}"), copied("tool")
        by_meaning = name == "recall by meaning"
        config = Config.load({"embedding.enabled": by_meaning})
        engines = Engines(config, embeddings=HashingEmbedder() if by_meaning else None)
        if by_meaning:
            engines.get("default").settle()
        try:
            told = tool.run(Caller.of(engines), outcome.filled(dict(arguments), ids))
        except MnemopiError as error:
            told = error.as_dict()
        finally:
            engines.close()
        return outcome.unnamed(told, ids, folder), folder

    return made


@pytest.mark.parametrize(("name", "parameter"), PAIRS, ids=[f"{'-'.join(pair)}".replace(" ", "-") for pair in PAIRS])
def test_each_parameter_has_an_effect(
    name: str, parameter: str, called: Called, ids: dict[str, str], outcome: Any
) -> None:
    without, values = CALLS[name]
    if name not in WITHOUT:
        WITHOUT[name] = called(name, without)
    (before, one), (after, other) = WITHOUT[name], called(name, {**without, parameter: values[parameter]})
    if before == after:
        stored = [outcome.unnamed(outcome.state(folder), ids, folder) for folder in (one, other)]
        assert stored[0] != stored[1]


@pytest.mark.parametrize("tool", catalog.TOOLS, ids=lambda tool: tool.name)
def test_each_parameter_is_in_the_table(tool: Any) -> None:
    shown = {
        parameter
        for name, (without, values) in CALLS.items()
        if f"mnemopi_{name.partition(' ')[0]}" == tool.name
        for parameter in (*without, *values)
    }
    assert shown | {"confirm"} == set(tool.input.model_fields) | {"confirm"}


def test_what_is_the_same_is_found_to_be_the_same(called: Called, ids: dict[str, str], outcome: Any) -> None:
    (one, here), (other, there) = called("remember", NOTE), called("remember", {**NOTE, "importance": 0.5})
    assert one == other
    stored = [outcome.unnamed(outcome.state(folder), ids, folder) for folder in (here, there)]
    assert stored[0] == stored[1]
