"""The example conversation: well formed, and its questions are answered through the public interface."""

from __future__ import annotations

import json
import re
import runpy
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
KEYS = {"content", "session_id", "position", "timestamp", "author_id", "source", "importance", "metadata"}


def lines(name: str) -> list[dict[str, Any]]:
    """Read a file of JSON lines."""
    return [json.loads(line) for line in (EXAMPLES / name).read_text("utf-8").splitlines()]


def test_each_turn_has_the_names_that_remember_takes() -> None:
    for turn in lines("conversation.jsonl"):
        assert {"content", "session_id", "position", "timestamp", "author_id", "source"} <= set(turn) <= KEYS


def test_turns_stand_in_the_order_in_which_they_were_said() -> None:
    for before, after in pairwise(lines("conversation.jsonl")):
        assert datetime.fromisoformat(before["timestamp"]) <= datetime.fromisoformat(after["timestamp"])
        same = before["session_id"] == after["session_id"]
        assert after["position"] == (before["position"] + 1 if same else 1)


def test_a_part_of_it_is_chinese() -> None:
    assert sum(bool(re.search("[\u4e00-\u9fff]", turn["content"])) for turn in lines("conversation.jsonl")) >= 25


def test_the_gold_of_each_question_is_a_turn_said_before_it_was_asked() -> None:
    said = {(turn["session_id"], turn["position"]): turn["timestamp"] for turn in lines("conversation.jsonl")}
    for asked in lines("questions.jsonl"):
        assert asked["gold"]
        for turn in asked["gold"]:
            assert said[turn["session_id"], turn["position"]] < asked["asked_at"]


@pytest.mark.parametrize("options", [[], ["--no-embeddings"]], ids=["as-installed", "no-embeddings"])
def test_the_demonstration_answers_its_questions(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main = runpy.run_path(str(EXAMPLES / "demo.py"))["main"]
    main.__globals__["FOLDER"] = tmp_path / "demo"
    main(options)
    shown = capsys.readouterr().out
    assert "166 memories loaded" in shown
    assert "8 of 8 questions" in shown
