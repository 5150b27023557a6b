"""From a draft to a memory: redacted, dated, classified, clamped and analysed, and nothing else changed."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from mnemopi.errors import UsageError
from mnemopi.ingest import prepare
from mnemopi.ingest.draft import Draft
from mnemopi.ingest.prepare import Gate
from mnemopi.model.memory import Identity

NOW = 1_750_000_000_000
DAY = 86_400_000
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9" * 2


def ready(gate: Gate, content: str = "a text", who: Identity | None = None, **fields: Any) -> prepare.Ready:
    return prepare.prepare(Draft(content, **fields), who or Identity(), NOW, gate)


def test_text_without_secrets_is_kept_byte_for_byte(gate: Gate) -> None:
    text = "  def f():\r\n\treturn 'é' # 中文 \U0001f600\n\n"
    assert ready(gate, text).memory.content == text


def test_every_text_field_passes_the_gate_and_what_was_taken_is_counted(gate: Gate) -> None:
    made = ready(
        gate,
        f"the token is {TOKEN}",
        embed_text=f"token {TOKEN}",
        source=f"mail {TOKEN}",
        metadata={"deep": [{TOKEN: TOKEN}], "n": 1},
    )
    memory = made.memory
    assert "ghp_" not in repr(replace(memory)) and "ghp_" not in made.prepared.shadow
    assert sum(made.redacted.values()) == 5
    assert memory.metadata is not None and memory.metadata["n"] == 1
    assert memory.content.startswith("the token is [REDACTED:")


def test_switched_off_nothing_is_taken(gate: Gate) -> None:
    made = ready(replace(gate, redact="off"), f"the token is {TOKEN}")
    assert TOKEN in made.memory.content and made.redacted == {}


def test_who_acts_is_provenance_where_the_draft_names_nobody(gate: Gate) -> None:
    who = Identity("s1", "ines", "user", "red")
    memory = ready(gate, who=who).memory
    assert (memory.session_id, memory.author_id, memory.author_type, memory.channel_id) == ("s1", "ines", "user", "red")
    assert memory.kind == "note"
    memory = ready(gate, who=who, session_id="s2", author_id="omar").memory
    assert (memory.session_id, memory.author_id, memory.kind) == ("s2", "omar", "turn")


def test_words_of_time_are_read_against_the_memorys_own_time(gate: Gate) -> None:
    memory = ready(gate, "we moved yesterday", timestamp="2024-03-06T12:00:00Z").memory
    assert memory.event is not None and memory.event.precision == "day"
    assert memory.event.end == memory.timestamp - DAY // 2
    assert memory.recorded_at == NOW


@pytest.mark.parametrize(
    ("value", "end"),
    [
        ("2024-03-05", 1_709_683_200_000),
        ("2024-03-05T10:00:00Z", 1_709_632_800_000),
        (1_709_632_800_000, 1_709_632_800_000),
    ],
)
def test_a_bare_date_holds_to_its_end(gate: Gate, value: Any, end: int) -> None:
    assert ready(gate, valid_until=value).memory.valid_until == end


def test_a_long_text_has_passages_that_cover_it(gate: Gate) -> None:
    text = "The harbour keeps a ledger of every crate. " * 120
    made = ready(gate, text)
    spans = made.prepared.passages
    assert len(spans) > 2
    assert all(left[1] >= right[0] for left, right in pairwise(spans))
    assert spans[0][0] == 0 and text[spans[-1][1] :].strip() == ""
    assert ready(gate, "short").prepared.passages == ()
    assert ready(gate, text, embed_text="what it is about").prepared.passages == ()


def test_an_embed_text_that_says_the_same_is_none(gate: Gate) -> None:
    assert ready(gate, "same", embed_text="same").memory.embed_text is None


def test_ids_are_random_and_short(gate: Gate) -> None:
    ids = {ready(gate).memory.id for _ in range(200)}
    assert len(ids) == 200 and all(len(id) == 16 and int(id, 16) >= 0 for id in ids)


def test_telling_anew_derives_anew(gate: Gate) -> None:
    memory = ready(gate, "we met on 2024-03-05", embed_text="the meeting").memory
    told = prepare.retold(memory, "we met on 2024-04-05", gate)
    assert told.memory.id == memory.id and told.memory.embed_text is None
    assert memory.event is not None and told.memory.event is not None
    assert told.memory.event.start == memory.event.start + 31 * DAY
    with pytest.raises(UsageError):
        prepare.retold(memory, " ", gate)
