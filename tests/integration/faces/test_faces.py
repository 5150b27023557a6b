"""The same call has the same result and the same effect from Python, from the command line, over MCP and over REST.

A row of the table is one call, said in the words of each face; what is compared are the fields that all of them tell,
and everything that is stored afterwards. Ids are random, and only they are made alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from mnemopi.model.interval import iso
from mnemopi.tools import catalog

HIT = ("id", "content", "score", "kind", "tier", "source", "scope", "importance", "veracity", "version", "bank")
HIT += ("timestamp", "truncated", "full_length")
MEMORY = ("id", "content", "version", "kind", "tier", "source", "timestamp", "session_id", "scope", "importance")
MEMORY += ("veracity", "trust_tier", "memory_type", "recorded_at")
FACT = ("id", "version", "kind", "subject", "predicate", "object", "content", "valid_from", "belief", "contested")
TIMES = {"timestamp", "recorded_at"}


@dataclass(frozen=True)
class Row:
    """One call. `library` gets the engine and the ids by name; `@name` in the other arguments stands for an id.

    `fields` are compared, in the rows that stand at `shell_at` and `tool_at` of the documents, or in the document
    itself; a name `a=b` is called `a` by library and shell, `b` by tools. With `error`, the code that all answer with.
    """

    name: str
    library: Callable[[Any, Mapping[str, str]], Any]
    shell: list[str]
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    fields: tuple[str, ...] = ()
    shell_at: str = ""
    tool_at: str = ""
    error: str = ""


def remember(**options: Any) -> Callable[..., Any]:
    return lambda memory, ids: memory.remember(**options).as_dict()


def recall(query: str, *more: Any, **options: Any) -> Callable[..., Any]:
    return lambda memory, ids: [hit.as_dict() for hit in memory.recall(query, *more, **options)]


RECEIPT = ("id=memory_id", "bank", "version")
DONE = ("id=memory_id",)
RECALLED: dict[str, Any] = {"tool": "recall", "fields": HIT, "shell_at": "results", "tool_at": "results"}
FERRY = {"content": "The ferry leaves at eight", "source": "user"}
SECRET = "The key is " + "AK" + "IA" + "IOSFODNN7" + "QXAMPLE"

ROWS = [
    Row(
        "remember",
        remember(**FERRY),
        ["store", FERRY["content"], "--source", "user"],
        "remember",
        FERRY,
        ("id=memory_id", "bank", "outcome"),
    ),
    Row(
        "remember with all that goes with it",
        remember(
            **FERRY,
            importance=0.8,
            scope="global",
            valid_until="2031-05-06",
            metadata={"berth": 4},
            veracity="stated",
            author_id="ines",
            author_type="user",
            channel_id="harbour",
        ),
        [
            *("store", FERRY["content"], "--source", "user", "--importance", "0.8", "--scope", "global"),
            *("--valid-until", "2031-05-06", "--metadata", '{"berth": 4}', "--veracity", "stated"),
            *("--author", "ines", "--author-type", "user", "--channel", "harbour"),
        ],
        "remember",
        {
            **FERRY,
            "importance": 0.8,
            "scope": "global",
            "valid_until": "2031-05-06",
            "metadata": {"berth": 4},
            "veracity": "stated",
            "author_id": "ines",
            "author_type": "user",
            "channel_id": "harbour",
        },
        ("id=memory_id", "bank", "outcome"),
    ),
    Row(
        "remember what is there",
        remember(content="The ferry leaves at six", source="user"),
        ["store", "The ferry leaves at six", "--source", "user"],
        "remember",
        {"content": "The ferry leaves at six", "source": "user"},
        ("id=memory_id", "bank", "outcome"),
    ),
    Row(
        "remember a secret",
        remember(content=SECRET, source="user"),
        ["store", SECRET, "--source", "user"],
        "remember",
        {"content": SECRET, "source": "user"},
        ("id=memory_id", "outcome", "redacted"),
    ),
    Row(
        "remember nothing",
        remember(content="  ", source="user"),
        ["store", "  ", "--source", "user"],
        "remember",
        {"content": "  ", "source": "user"},
        error="usage",
    ),
    Row(
        "remember in an unknown scope",
        remember(**FERRY, scope="moon"),
        ["store", FERRY["content"], "--source", "user", "--scope", "moon"],
        "remember",
        {**FERRY, "scope": "moon"},
        error="usage",
    ),
    Row("recall", recall("crane"), ["recall", "crane"], arguments={"query": "crane"}, **RECALLED),
    Row(
        "recall a few, from then to then",
        recall("crane", 2, from_date="2026-01-01", to_date="2027-01-01", min_score=0.05),
        ["recall", "crane", "2", "--from", "2026-01-01", "--to", "2027-01-01", "--min-score", "0.05"],
        arguments={
            "query": "crane",
            "limit": 2,
            "from_date": "2026-01-01",
            "to_date": "2027-01-01",
            "min_score": 0.05,
        },
        **RECALLED,
    ),
    Row(
        "recall with weights, whole texts and another profile",
        recall("ferry at six", importance_weight=0.9, fts_weight=0.2, profile="recent", content_preview_chars=0),
        [
            *("recall", "ferry at six", "--importance-weight", "0.9", "--fts-weight", "0.2"),
            *("--profile", "recent", "--full"),
        ],
        arguments={
            "query": "ferry at six",
            "importance_weight": 0.9,
            "fts_weight": 0.2,
            "profile": "recent",
            "content_preview_chars": 0,
        },
        **RECALLED,
    ),
    Row(
        "recall what one author said, explained",
        recall("crane", author_id="ines"),
        ["recall", "crane", "--author", "ines"],
        arguments={"query": "crane", "author_id": "ines", "explain": True},
        tool="recall",
        fields=(*HIT, "explanation", "vec_score", "fts_score", "recency_score"),
        shell_at="results",
        tool_at="results",
    ),
    Row(
        "recall as of a time",
        recall("crane", as_of="2026-08-01"),
        ["recall", "crane", "--as-of", "2026-08-01"],
        arguments={"query": "crane", "as_of": "2026-08-01"},
        **RECALLED,
    ),
    Row(
        "recall as of a time in milliseconds",
        recall("crane", as_of=1_785_542_400_000),
        ["recall", "crane", "--as-of", "1785542400000"],
        arguments={"query": "crane", "as_of": "1785542400000"},
        **RECALLED,
    ),
    Row(
        "recall with an impossible weight",
        recall("crane", fts_weight=-1.0),
        ["recall", "crane", "--fts-weight", "-1"],
        "recall",
        {"query": "crane", "fts_weight": -1.0},
        error="usage",
    ),
    Row(
        "recall as of no time",
        recall("crane", as_of="soon"),
        ["recall", "crane", "--as-of", "soon"],
        "recall",
        {"query": "crane", "as_of": "soon"},
        error="usage",
    ),
    Row(
        "get",
        lambda memory, ids: vars_of(memory.get(ids["winch"])),
        ["get", "@winch"],
        "get",
        {"memory_id": "@winch"},
        (*MEMORY, "author_id"),
        tool_at="memory",
    ),
    Row(
        "context",
        lambda memory, ids: {"context": memory.context("crane", 900)},
        ["context", "crane", "--budget", "900"],
        "context",
        {"query": "crane", "budget": 900},
        ("context",),
    ),
    Row(
        "context of nothing in particular",
        lambda memory, ids: {"context": memory.context()},
        ["context"],
        "context",
        {},
        ("context",),
    ),
    Row(
        "update",
        lambda memory, ids: memory.update(ids["crane"], "The crane stands on pier 9", 0.4).as_dict(),
        ["update", "@crane", "The crane stands on pier 9", "0.4"],
        "update",
        {"memory_id": "@crane", "content": "The crane stands on pier 9", "importance": 0.4},
        RECEIPT,
    ),
    Row(
        "update what is not there",
        lambda memory, ids: memory.update("0123456789abcdef", "The crane"),
        ["update", "0123456789abcdef", "The crane"],
        "update",
        {"memory_id": "0123456789abcdef", "content": "The crane"},
        error="not-found",
    ),
    Row(
        "invalidate",
        lambda memory, ids: memory.invalidate(ids["old"], ids["ferry"]).as_dict(),
        ["invalidate", "@old", "@ferry"],
        "invalidate",
        {"memory_id": "@old", "replacement_id": "@ferry"},
        RECEIPT,
    ),
    Row(
        "forget",
        lambda memory, ids: memory.forget(ids["tea"]).as_dict(),
        ["forget", "@tea", "--yes"],
        "forget",
        {"memory_id": "@tea"},
        (),
    ),
    Row(
        "validate",
        lambda memory, ids: memory.validate(
            ids["ferry"], "update", validator="ben", content="The ferry leaves at half past seven", reason="the table"
        ).as_dict(),
        [
            *("validate", "@ferry", "update", "--by", "ben", "--reason", "the table"),
            *("--content", "The ferry leaves at half past seven"),
        ],
        "validate",
        {
            "memory_id": "@ferry",
            "action": "update",
            "validator": "ben",
            "note": "the table",
            "new_content": "The ferry leaves at half past seven",
        },
        RECEIPT,
    ),
    Row(
        "history",
        lambda memory, ids: [event.as_dict() for event in memory.history(ids["winch"])],
        ["history", "@winch"],
        "history",
        {"memory_id": "@winch"},
        ("at", "verb", "memory", "version"),
        shell_at="history",
        tool_at="events",
    ),
    Row(
        "undo",
        lambda memory, ids: memory.undo(ids["winch"], reason="it was not painted").as_dict(),
        ["undo", "@winch", "--reason", "it was not painted"],
        "undo",
        {"memory_id": "@winch", "reason": "it was not painted"},
        RECEIPT,
    ),
    Row(
        "pin",
        lambda memory, ids: memory.pin(ids["crane"]).as_dict(),
        ["pin", "@crane"],
        "pin",
        {"memory_id": "@crane"},
        RECEIPT,
    ),
    Row(
        "facts",
        lambda memory, ids: [fact.as_dict() for fact in memory.facts.list(subject="launch", include_ended=True)],
        ["facts", "list", "--subject", "launch", "--all"],
        "facts",
        {"subject": "launch", "include_ended": True},
        FACT,
        shell_at="facts",
        tool_at="results",
    ),
    Row(
        "end a fact",
        lambda memory, ids: memory.facts.end(ids["fact"], "2026-04-01", "moved").as_dict(),
        ["facts", "end", "@fact", "--at", "2026-04-01", "--reason", "moved"],
        "facts",
        {"action": "end", "fact_id": "@fact", "at": "2026-04-01", "reason": "moved"},
    ),
    Row(
        "prefer a fact",
        lambda memory, ids: memory.facts.prefer(ids["rival"], "she said so").as_dict(),
        ["facts", "prefer", "@rival", "--reason", "she said so"],
        "facts",
        {"action": "prefer", "fact_id": "@rival", "reason": "she said so"},
    ),
    Row(
        "conflicts",
        lambda memory, ids: [conflict.as_dict() for conflict in memory.facts.conflicts()],
        ["conflicts"],
        "conflicts",
        {},
        ("subject", "predicate", "facts", "sides"),
        shell_at="conflicts",
        tool_at="conflicts",
    ),
    Row(
        "state a fact",
        lambda memory, ids: memory.facts.assert_(
            "Ben", "works_at", "the yard", valid_from="2026-03-01", reason="source: conversation"
        ).as_dict(),
        [
            *("facts", "assert", "Ben", "works_at", "the yard", "--from", "2026-03-01"),
            *("--reason", "source: conversation"),
        ],
        "triple_add",
        {
            "subject": "Ben",
            "predicate": "works_at",
            "object": "the yard",
            "valid_from": "2026-03-01",
            "confidence": 0.95,
        },
    ),
    Row(
        "look a fact up by its parts",
        lambda memory, ids: [fact.as_dict() for fact in memory.facts.list(predicate="date")],
        ["facts", "list", "--predicate", "date"],
        "triple_query",
        {"predicate": "date"},
        FACT,
        shell_at="facts",
        tool_at="results",
    ),
    Row(
        "walk along links",
        lambda memory, ids: [found.as_dict() for found in memory.graph.related(ids["crane"], 1, min_weight=0.1)],
        ["related", "@crane", "--hops", "1", "--min-weight", "0.1"],
        "graph_query",
        {"seed_memory_id": "@crane", "max_hops": 1, "min_weight": 0.1},
        ("id=memory_id", "hops=depth", "weight"),
        shell_at="related",
        tool_at="results",
    ),
    Row(
        "link",
        lambda memory, ids: memory.graph.link(ids["crane"], ids["ferry"], "before", 0.5).as_dict(),
        ["link", "@crane", "@ferry", "--type", "before", "--weight", "0.5"],
        "graph_link",
        {"source_id": "@crane", "target_id": "@ferry", "relationship": "before"},
        ("source=source_id", "target=target_id", "type=edge_type", "weight"),
    ),
    Row(
        "recall from the surface",
        lambda memory, ids: [hit.as_dict() for hit in memory.surface.recall("German", 3)],
        ["surface", "recall", "German", "3"],
        "shared_recall",
        {"query": "German", "limit": 3},
        HIT,
        shell_at="results",
        tool_at="results",
    ),
    Row(
        "forget from the surface",
        lambda memory, ids: memory.surface.forget(ids["shared"]).as_dict(),
        ["surface", "forget", "@shared", "--yes"],
        "shared_forget",
        {"memory_id": "@shared"},
    ),
    Row(
        "sleep",
        lambda memory, ids: memory.sleep_all_sessions().as_dict(),
        ["sleep", "--all-sessions"],
        "sleep",
        {"all_sessions": True},
        ("items_consolidated", "summaries_created", "llm_used", "errors"),
        tool_at="result",
    ),
    Row(
        "sleep, only to look",
        lambda memory, ids: memory.sleep(dry_run=True).as_dict(),
        ["sleep", "--dry-run"],
        "sleep",
        {"dry_run": True},
        ("status", "dry_run", "waiting", "episodes"),
        tool_at="result",
    ),
    Row(
        "stats",
        lambda memory, ids: memory.stats(),
        ["stats"],
        "stats",
        {},
        ("total_memories", "sources", "beam", "facts", "bank", "pinned", "global", "invalid", "last_write", "sleep"),
        tool_at="stats",
    ),
    Row(
        "write a note",
        lambda memory, ids: memory.scratchpad.write("grease it").as_dict(),
        ["scratchpad", "write", "grease it"],
        "scratchpad_write",
        {"content": "grease it"},
        ("id", "bank"),
    ),
    Row(
        "read the notes",
        lambda memory, ids: [note.as_dict() for note in memory.scratchpad.read()],
        ["scratchpad", "read"],
        "scratchpad_read",
        {},
        ("id", "content", "created_at", "session_id"),
        shell_at="notes",
        tool_at="entries",
    ),
    Row(
        "clear the notes",
        lambda memory, ids: {"count": memory.scratchpad.clear()},
        ["scratchpad", "clear", "--yes"],
        "scratchpad_clear",
        {},
    ),
]

ALONE = {
    "shared_remember": "it labels what it stores, as the reference does",
    "shared_stats": "the command line counts banks, of which the surface is one",
    "diagnose": "the library has no such call",
    "export": "a tool writes to its folder only",
    "import": "a tool reads from its folder only",
}
"""Tools that say the same in words of their own, and why; what they do is tested by themselves."""


def vars_of(memory: Any) -> dict[str, Any]:
    """Return the fields of a memory, with times as programs read them."""
    return {name: iso(getattr(memory, name)) if name in TIMES else getattr(memory, name) for name in memory.__slots__}


def told(row: Row, face: str, answer: Any) -> Any:
    """Return what is compared of an answer."""
    by_tool = face in ("agent", "web")
    place = row.tool_at if by_tool else row.shell_at if face == "shell" else ""
    found = answer[place] if place else answer
    wanted = [name.partition("=")[::2] for name in row.fields]
    names = [(name, other or name) if by_tool else (name, name) for name, other in wanted]

    def fields(document: Mapping[str, Any]) -> dict[str, Any]:
        picked = {name: document.get(key) for name, key in names}
        return {name: value for name, value in picked.items() if value not in (None, [], {})}

    return [fields(each) for each in found] if isinstance(found, list) else fields(found)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name.replace(" ", "-"))
def test_the_same_call_has_the_same_result_over_every_face(row: Row, faces: Any) -> None:
    answers = faces(row.library, row.shell, f"mnemopi_{row.tool}", row.arguments)
    if row.error:
        errors = {face: {name: answer["error"][name] for name in ("code", "message")} for face, answer, _ in answers}
        assert errors["library"]["code"] == row.error
        assert set(map(str, errors.values())) == {str(errors["library"])}
    else:
        results = {face: told(row, face, answer) for face, answer, _ in answers}
        assert results["library"] or not row.fields
        assert [face for face in results if results[face] != results["library"]] == [], results
    states = {face: state for face, _, state in answers}
    assert [face for face in states if states[face] != states["library"]] == []


def test_each_tool_is_in_the_table_or_stands_alone_for_a_reason() -> None:
    assert {f"mnemopi_{row.tool}" for row in ROWS} | {f"mnemopi_{tool}" for tool in ALONE} == set(catalog.BY_NAME)
