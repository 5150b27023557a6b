from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mnemopi.errors import UsageError
from mnemopi.text import dates
from mnemopi.transfer import others
from mnemopi.transfer.cargo import Cargo
from mnemopi.transfer.lenient import Lenient

Written = Callable[[Any], Path]
UUID = "f4cbdb08-7062-4f3e-8eb2-9f5c80dfe64c"


@pytest.fixture
def written(tmp_path: Path) -> Written:
    def made(document: Any) -> Path:
        path = tmp_path / "export.json"
        path.write_text(json.dumps(document), "utf-8")
        return path

    return made


MEM0 = {
    "id": UUID,
    "memory": "Alex prefers vegetarian restaurants",
    "user_id": "alex",
    "run_id": "trip",
    "agent_id": "planner",
    "categories": ["food"],
    "metadata": {"city": "Rome"},
    "created_at": "2024-07-05T15:30:00-07:00",
    "updated_at": "2024-07-06T15:30:00-07:00",
    "expiration_date": "2027-01-01",
    "score": 0.3,
}


@pytest.mark.parametrize("shape", [lambda rows: rows, lambda rows: {"results": rows}, lambda rows: {"memories": rows}])
def test_mem0_in_each_shape(shape: Callable[[Any], Any], written: Written, lenient: Lenient) -> None:
    made = others.mem0(written(shape([MEM0, {"id": "x", "memory": " "}])), lenient)
    (memory,) = made.memories
    assert (memory.id, memory.content, memory.author_id, memory.session_id) == (UUID, MEM0["memory"], "alex", "trip")
    assert dates.iso(memory.timestamp) == "2024-07-05T22:30:00.000Z"
    assert memory.valid_until == dates.moment("2027-01-02"), "the last day is included"
    assert memory.metadata is not None
    assert (memory.metadata["city"], memory.metadata["categories"]) == ("Rome", ["food"])
    assert memory.trust_tier == "DERIVED"
    assert list(made.left.values()) == [1]


def test_relations_of_mem0_are_statements(written: Written, lenient: Lenient) -> None:
    relations = [
        {"source": "alex", "relationship": "LIVES_IN", "destination": "rome"},
        {"source": "alex", "relationship": "likes", "target": "tea"},
        {"source": "alex"},
    ]
    made = others.mem0(written({"results": [], "relations": relations}), lenient)
    assert [(each.subject, each.predicate, each.object) for each in made.statements] == [
        ("alex", "lives_in", "rome"),
        ("alex", "likes", "tea"),
    ]


def left(made: Cargo) -> dict[str, int]:
    return {table: sum(n for (name, _), n in made.left.items() if name == table) for table, _ in made.left}


def contents(made: Cargo) -> list[str]:
    return [memory.content for memory in made.memories]


def test_bare_strings_are_memories_of_mem0_and_what_is_neither_is_counted(written: Written, lenient: Lenient) -> None:
    made = others.mem0(written(["I like tea", {"memory": "I like coffee"}, 7, None]), lenient)
    assert contents(made) == ["I like tea", "I like coffee"]
    assert (made.found["memories"], left(made)) == (4, {"memories": 2})


def test_what_of_mem0_has_no_place_here_is_counted(written: Written, lenient: Lenient) -> None:
    document = {
        "results": ["I like tea"],
        "memories": [{"memory": "I like coffee"}],
        "relations": [{"source": "a", "relationship": "likes"}, "x", {"source": "a", "target": "b"}],
        "entities": [{"name": "a"}],
    }
    made = others.mem0(written(document), lenient)
    assert contents(made) == ["I like tea", "I like coffee"]
    assert made.found == {"memories": 2, "relations": 3}
    assert left(made) == {"relations": 3, "entities": 1}


def test_what_mem0_never_wrote_is_refused(written: Written, lenient: Lenient) -> None:
    with pytest.raises(UsageError, match="no list of memories"):
        others.mem0(written({"a": 1}), lenient)


AGENT = {
    "agents": [
        {
            "name": "void",
            "block_ids": ["block-0", "block-9"],
            "messages": [
                {"id": "message-0", "role": "system", "content": [{"type": "text", "text": "You are void"}]},
                {
                    "id": "message-1",
                    "role": "user",
                    "content": [{"type": "text", "text": '{"type": "user_message", "message": "Hi, 我是安"}'}],
                    "created_at": "2025-09-01T10:00:00+00:00",
                },
                {"id": "message-2", "role": "user", "content": '{"type": "heartbeat", "reason": "x"}'},
                {"id": "message-3", "role": "assistant", "content": [{"type": "text", "text": "Hello Ann"}]},
                {"id": "message-4", "role": "tool", "content": [{"type": "text", "text": "ok"}]},
            ],
        }
    ],
    "blocks": [{"id": "block-0", "label": "human", "value": "Name: Ann", "description": "Of the user"}],
    "tools": [{}, {}],
}


def test_an_agent_file_gives_blocks_and_what_was_spoken(written: Written, lenient: Lenient) -> None:
    made = others.letta(written(AGENT), lenient)
    block, user, assistant = made.memories
    assert (block.kind, block.content, block.memory_type) == ("note", "Name: Ann", "human")
    assert block.metadata == {"agent": "void", "label": "human", "description": "Of the user"}
    assert block.external_id is not None
    assert block.external_id.startswith(made.prefixes[0])
    assert (user.kind, user.content, user.author_id, user.position) == ("turn", "Hi, 我是安", "user", 1)
    assert (assistant.content, assistant.author_type, assistant.session_id) == ("Hello Ann", "assistant", "letta:void")
    assert sum(made.left.values()) == 5


def test_the_older_agent_file_is_read_too(written: Written, lenient: Lenient) -> None:
    older = {
        "name": "old",
        "core_memory": [{"label": "persona", "value": "Kind"}, {"label": "empty", "value": ""}],
        "messages": [{"role": "user", "text": "Hello", "created_at": "2025-01-01T00:00:00"}],
    }
    made = others.letta(written(older), lenient)
    assert [memory.content for memory in made.memories] == ["Kind", "Hello"]


@pytest.mark.parametrize("shape", [lambda rows: rows, lambda rows: {"passages": rows}])
def test_archival_memory_is_a_list_of_passages(shape: Callable[[Any], Any], written: Written, lenient: Lenient) -> None:
    rows = [{"id": "passage-1", "text": "Ann likes tea", "tags": ["taste"], "created_at": "2025-09-01T10:00:00Z"}]
    (memory,) = others.letta(written(shape(rows)), lenient).memories
    assert (memory.id, memory.content) == ("passage-1", "Ann likes tea")
    assert memory.metadata == {"agent": "export", "tags": ["taste"]}


def test_passages_may_be_bare_strings(written: Written, lenient: Lenient) -> None:
    assert contents(others.letta(written(["passage one", {"text": "two"}]), lenient)) == ["passage one", "two"]


def test_a_block_that_no_agent_names_is_the_files_own(written: Written, lenient: Lenient) -> None:
    blocks = [{"label": "human", "value": "Name is Mara"}, {"label": "persona", "value": "Kind"}]
    made = others.letta(written({"agents": [{"name": "void"}], "blocks": blocks}), lenient)
    assert contents(made) == ["Name is Mara", "Kind"]
    assert made.memories[0].metadata == {"agent": "export", "label": "human"}
    assert made.found["blocks"] == 2


def test_what_stands_beside_agents_or_in_them_is_read_too(written: Written, lenient: Lenient) -> None:
    agent = {"name": "void", "blocks": [{"label": "human", "value": "Name is Mara"}], "block_ids": 7}
    document = {"agents": [agent, "x"], "passages": ["Mara likes tea"], "messages": [None], "folders": ["y", "z"]}
    made = others.letta(written(document), lenient)
    assert contents(made) == ["Name is Mara", "Mara likes tea"]
    assert left(made) == {"agents": 1, "messages": 1, "folders": 2}


@pytest.mark.parametrize("document", [{"name": "x"}, "x", {"agents": "x"}])
def test_what_is_no_agent_is_refused(document: Any, written: Written, lenient: Lenient) -> None:
    with pytest.raises(UsageError, match="no agent file"):
        others.letta(written(document), lenient)


GRAPH = {
    "episodes": [
        {
            "uuid": "ep-1",
            "content": "Ann: I joined Acme",
            "source": "message",
            "role": "Ann",
            "role_type": "user",
            "thread_id": "t1",
            "created_at": "2026-03-05T10:00:00Z",
        },
        {"uuid": "ep-2", "content": "Bo: welcome", "source": "message", "thread_id": "t1"},
        {"uuid": "ep-3", "content": "A report", "source": "text", "source_description": "wiki", "group_id": "g"},
        {"uuid": "ep-4", "content": ""},
    ],
    "nodes": [
        {"uuid": "n1", "name": "Ann", "summary": "Works at Acme", "labels": ["Person"]},
        {"uuid": "n2", "name": "Acme", "summary": ""},
    ],
    "edges": [
        {
            "uuid": "e1",
            "name": "WORKS_AT",
            "fact": "Ann works at Acme",
            "source_node_uuid": "n1",
            "target_node_uuid": "n2",
            "valid_at": "2026-03-01T00:00:00Z",
            "invalid_at": "2026-06-01T00:00:00Z",
            "episodes": ["gone", "ep-1"],
        },
        {"uuid": "e2", "name": "LIKES", "fact": "Ann likes tea", "source_node_uuid": "x", "target_node_uuid": "y"},
    ],
}


def test_a_graph_gives_turns_notes_and_statements_with_their_intervals(written: Written, lenient: Lenient) -> None:
    made = others.zep(written(GRAPH), lenient)
    assert [(memory.id, memory.kind, memory.session_id, memory.position) for memory in made.memories] == [
        ("ep-1", "turn", "t1", 0),
        ("ep-2", "turn", "t1", 1),
        ("ep-3", "note", "g", None),
        ("n1", "note", "default", None),
    ]
    assert made.memories[3].content == "Ann: Works at Acme"
    first, second = made.statements
    assert (first.subject, first.predicate, first.object, first.memory) == ("Ann", "works_at", "Acme", "ep-1")
    assert (first.valid_from, first.valid_to) == (dates.moment("2026-03-01"), dates.moment("2026-06-01"))
    assert (second.subject, second.predicate, second.object) == ("note", "says", "Ann likes tea")


def test_what_of_a_graph_has_no_place_here_is_counted(written: Written, lenient: Lenient) -> None:
    document = {
        "episodes": ["We moved", 7],
        "edges": [{"uuid": "x", "name": "LIVES", "episodes": 7}, {"fact": "Ann likes tea"}],
        "nodes": [{"uuid": "n", "name": "Ann"}, "Acme"],
        "communities": [{"name": "c"}],
    }
    made = others.zep(written(document), lenient)
    assert contents(made) == ["We moved"]
    assert [each.object for each in made.statements] == ["Ann likes tea"]
    assert made.found == {"episodes": 2, "edges": 2, "nodes": 2}
    assert left(made) == {"episodes": 1, "edges": 1, "nodes": 2, "communities": 1}


def test_a_list_that_is_none_is_counted(written: Written, lenient: Lenient) -> None:
    made = others.zep(written({"episodes": [], "nodes": {"n": {"name": "Ann"}}}), lenient)
    assert (made.found["nodes"], left(made)) == (1, {"nodes": 1})


def test_what_is_no_graph_is_refused(written: Written, lenient: Lenient) -> None:
    with pytest.raises(UsageError, match="no episodes"):
        others.zep(written([]), lenient)
