"""What was stated moves with a bank, and what is known follows from it there as here."""

from __future__ import annotations

import json
from pathlib import Path

from mnemopi import Mnemopi
from mnemopi.model.fact import Fact
from mnemopi.testing import FixedClock

START = 1_772_323_200_000
"""2026-03-01T00:00Z."""


def opened(folder: Path, clock: FixedClock) -> Mnemopi:
    return Mnemopi(folder / "m.db", no_embeddings=True, clock=clock, config={"write.timezone": "UTC"})


def known(bank: Mnemopi, at: int | None = None) -> list[tuple[str, int, int | None, float]]:
    facts: list[Fact] = bank.facts.list(include_ended=True, known_at=at)
    return [(fact.text, fact.valid_from, fact.valid_to, fact.belief) for fact in facts]


def filled(folder: Path) -> tuple[Mnemopi, FixedClock]:
    clock = FixedClock(START)
    bank = opened(folder, clock)
    bank.remember("The staging database listens on port 5432. My name is Ines.")
    clock.advance(days=1)
    changed = bank.remember("The staging database's port is now 5433.")
    clock.advance(days=1)
    bank.update(changed, "The staging database's port is now 5434.")
    bank.facts.assert_("reviewer", "name", "Bo")
    clock.advance(days=1)
    return bank, clock


def test_facts_and_their_history_are_the_same_after_an_export_and_a_load(tmp_path: Path) -> None:
    here, clock = filled(tmp_path / "here")
    with here, opened(tmp_path / "there", clock) as there:
        counts = here.export(tmp_path / "one.jsonl")
        assert counts["statements"] == 5
        there.load(tmp_path / "one.jsonl")
        for moment in (None, START, START + 86_400_001, START + 2 * 86_400_000):
            assert known(there, moment) == known(here, moment)
        there.export(tmp_path / "two.jsonl")
        assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


def test_loading_twice_states_nothing_twice(tmp_path: Path) -> None:
    here, clock = filled(tmp_path / "here")
    with here, opened(tmp_path / "there", clock) as there:
        here.export(tmp_path / "one.jsonl")
        there.load(tmp_path / "one.jsonl")
        there.load(tmp_path / "one.jsonl", force=True)
        assert known(there) == known(here)
        assert there.export(tmp_path / "two.jsonl")["statements"] == 5


def test_what_a_forgotten_memory_said_is_not_brought_back(tmp_path: Path) -> None:
    here, clock = filled(tmp_path / "here")
    with here, opened(tmp_path / "there", clock) as there:
        here.export(tmp_path / "one.jsonl")
        there.load(tmp_path / "one.jsonl")
        (source,) = there.facts.list(subject="staging database")[0].sources
        there.forget(source.memory)
        there.load(tmp_path / "one.jsonl")
        assert [fact.object for fact in there.facts.list(subject="staging database")] == ["5432"]


def test_a_line_that_is_no_statement_is_refused(tmp_path: Path) -> None:
    here, clock = filled(tmp_path / "here")
    with here, opened(tmp_path / "there", clock) as there:
        here.export(tmp_path / "one.jsonl")
        lines = (tmp_path / "one.jsonl").read_text().splitlines()
        place = next(number for number, line in enumerate(lines) if line.startswith('{"statement"'))
        broken = json.loads(lines[place])
        broken["statement"]["verb"] = "guess"
        lines[place] = json.dumps(broken)
        report = there.load(lines, skip_bad=True)
        assert len(report.problems) == 1
        assert "verb" in report.problems[0]
