from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mnemopi.errors import ForeignError, TooNewError
from mnemopi.text import dates
from mnemopi.transfer import claude_mem
from mnemopi.transfer.lenient import Lenient

Tables = Callable[..., Path]
TIMES = {"created_at": "2026-03-05T10:00:00.000Z", "created_at_epoch": 1_772_704_800_000}
OBSERVATION: dict[str, Any] = {
    "id": 1,
    "memory_session_id": "s1",
    "project": "harbour",
    "type": "decision",
    "title": "Cranes are polled",
    "subtitle": None,
    "narrative": "The crane has no push interface.",
    "facts": '["Every 5 s", "On port 8080"]',
    "concepts": '["how-it-works"]',
    "files_read": "[]",
    "files_modified": '["src/crane.py"]',
    **TIMES,
}


def test_observations_summaries_and_prompts_are_taken(tables_file: Tables, lenient: Lenient) -> None:
    tables = {
        "observations": [OBSERVATION],
        "session_summaries": [
            {
                "id": 1,
                "memory_session_id": "s1",
                "request": "Poll it",
                "learned": "It is slow",
                "next_steps": "",
                **TIMES,
            }
        ],
        "user_prompts": [
            {"id": 1, "content_session_id": "c1", "prompt_number": 2, "prompt_text": "Poll the crane", **TIMES},
            {"id": 2, "content_session_id": "c1", "prompt_number": 3, "prompt_text": " ", **TIMES},
        ],
        "sdk_sessions": [{"id": 1}],
        "observations_fts_data": [{"id": 1}],
    }
    made = claude_mem.database(tables_file(tables), lenient)
    observation, summary, prompt = made.memories
    assert observation.content == "\n".join(
        ("Cranes are polled", "The crane has no push interface.", "- Every 5 s", "- On port 8080")
    )
    assert (observation.session_id, observation.memory_type, observation.trust_tier) == ("s1", "decision", "DERIVED")
    assert dates.iso(observation.timestamp) == TIMES["created_at"]
    assert observation.metadata == {
        "project": "harbour",
        "concepts": ["how-it-works"],
        "files_modified": ["src/crane.py"],
    }
    assert summary.content == "Request: Poll it\nLearned: It is slow"
    assert (prompt.kind, prompt.content, prompt.position, prompt.author_id) == ("turn", "Poll the crane", 2, "user")
    assert {table: count for (table, _), count in made.left.items()} == {"user_prompts": 1, "sdk_sessions": 1}


def test_the_older_shape_holds_its_text_in_one_column(tables_file: Tables, lenient: Lenient) -> None:
    row = {"id": 1, "sdk_session_id": "s1", "text": "Cranes are polled", "type": "discovery", **TIMES}
    (memory,) = claude_mem.database(tables_file({"observations": [row]}), lenient).memories
    assert (memory.content, memory.session_id) == ("Cranes are polled", "s1")


def test_a_second_reading_gives_the_same_ids(tables_file: Tables, lenient: Lenient) -> None:
    path = tables_file({"observations": [OBSERVATION, OBSERVATION | {"id": 2}]})
    first, second = ([memory.id for memory in claude_mem.database(path, lenient).memories] for _ in range(2))
    assert first == second
    assert len(set(first)) == 2


def test_other_databases_are_refused(tables_file: Tables, lenient: Lenient) -> None:
    with pytest.raises(ForeignError):
        claude_mem.database(tables_file({"cookies": [{"id": 1}]}, "a.db"), lenient)
    with pytest.raises(TooNewError):
        claude_mem.database(tables_file({"observations": [{"id": 1, "created_at_epoch": 1}]}, "b.db"), lenient)
