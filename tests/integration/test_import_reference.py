"""The files that the TypeScript engine wrote, taken in whole, and asked its own questions again.

They lie outside this tree: MNEMOPI_REFERENCE_DATA names their folder, by default `../shared/data/reference`.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mnemopi import Mnemopi
from mnemopi.errors import CorruptError
from mnemopi.text import dates

ROOT = Path(__file__).resolve().parents[2]
NOW = dates.moment("2026-11-29T18:00:00Z")


@pytest.fixture(scope="module")
def reference() -> Path:
    folder = Path(os.environ.get("MNEMOPI_REFERENCE_DATA") or ROOT.parent / "shared" / "data" / "reference")
    if not (folder / "ref.db").is_file():
        pytest.skip(f"no files of the reference in {folder} (MNEMOPI_REFERENCE_DATA names the folder)")
    return folder


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Mnemopi]:
    with Mnemopi(tmp_path / "m.db", no_embeddings=True, session_id="another", clock=lambda: NOW) as made:
        yield made


@pytest.fixture
def taken(memory: Mnemopi, reference: Path) -> Mnemopi:
    memory.take_over("mnemopi", reference / "ref.db")
    return memory


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def told(memory: Mnemopi, reference: Path) -> list[dict[str, Any]]:
    document = json.loads((reference / "export.json").read_text("utf-8"))
    return [*document["working_memory"], *document["episodic_memory"]]


def test_all_memories_come_with_their_fields(taken: Mnemopi, reference: Path) -> None:
    rows = told(taken, reference)
    assert len(rows) == 12
    for row in rows:
        found = taken.get(row["id"])
        assert found is not None
        assert (found.content, dates.iso(found.timestamp)) == (row["content"], row["timestamp"])
        assert (found.importance, found.veracity, found.trust_tier) == (
            row["importance"],
            row["veracity"],
            row["trust_tier"],
        )
        assert (found.session_id, found.author_id, found.channel_id) == ("s1", "tester", "s1")
        assert (found.superseded_by, found.embed_text) == (row["superseded_by"], row.get("embed_text"))
        assert found.scope == {"session": "bank"}.get(row["scope"], row["scope"])
        assert (None if found.valid_until is None else dates.iso(found.valid_until)) == row["valid_until"]
    assert taken.get("cb7ad48773b30044").metadata == {"cwd": "/x", "n": 1}  # type: ignore[union-attr]


def test_the_episode_cites_its_sources_and_notes_facts_and_edges_are_there(taken: Mnemopi) -> None:
    episode = taken.get("067dfe9fa252168e")
    assert episode is not None
    assert (episode.kind, episode.tier) == ("episode", "episodic")
    sources = taken.bank._store.episodes.sources("067dfe9fa252168e")
    assert len(sources) == 3
    assert taken.acting_as(session_id="s1").scratchpad.read()[0].content == "scratch note"
    facts = {fact.text: fact for fact in taken.facts.list(include_ended=True)}
    expected = {"Ann works at Acme", "user name Ann", "user prefers dark mode", "always use tabs", "Server port 8080"}
    assert expected <= set(facts)
    assert facts["Ann works at Acme"].sources[0].memory == "40db85c7eb8de5b0"
    assert [edge.other("067dfe9fa252168e") for edge in taken.graph.edges("067dfe9fa252168e")] == ["ca12e667b90a2c27"]


def test_the_source_stays_byte_for_byte_and_a_second_import_changes_nothing(
    memory: Mnemopi, reference: Path, tmp_path: Path
) -> None:
    source = tmp_path / "copy" / "ref.db"
    source.parent.mkdir()
    shutil.copyfile(reference / "ref.db", source)
    before = digest(source)
    first = memory.take_over("mnemopi", source)
    again = memory.take_over("mnemopi", source)
    assert (first.inserted, again.inserted, again.known, again.facts, again.edges, again.notes) == (12, 0, 12, 0, 0, 0)
    assert digest(source) == before
    assert [file.name for file in source.parent.iterdir()] == ["ref.db"]


def test_the_export_holds_the_same_memories(memory: Mnemopi, reference: Path) -> None:
    assert memory.take_over("mnemopi", reference / "export.json").inserted == 12
    assert memory.take_over("mnemopi", reference / "ref.db").known == 12


def test_what_the_export_said_our_own_says_again(taken: Mnemopi, reference: Path, tmp_path: Path) -> None:
    taken.export_mnemopi(tmp_path / "out.json")
    ours = json.loads((tmp_path / "out.json").read_text("utf-8"))
    theirs = json.loads((reference / "export.json").read_text("utf-8"))
    assert set(ours) == set(theirs)
    for section in ("working_memory", "episodic_memory", "scratchpad"):
        assert [set(row) for row in ours[section]] == [set(row) for row in theirs[section]]
        assert {(row["id"], row["content"]) for row in ours[section]} == {
            (row["id"], row["content"]) for row in theirs[section]
        }


def test_a_truncated_copy_is_refused_and_leaves_nothing(memory: Mnemopi, reference: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.db").write_bytes((reference / "ref.db").read_bytes()[:200_000])
    with pytest.raises(CorruptError, match="cut short"):
        memory.take_over("mnemopi", tmp_path / "cut.db")
    assert memory.stats()["total_memories"] == 0


SANE = {
    "deployment target": "777023606e12cba8",
    "who prefers dark mode": "69dd497bd3702190",
    "database port": "cb7ad48773b30044",
    "kangaroo": "a9d1fe4607293263",
    "绿茶": "d1aff3e321befa45",
    "what is the current deployment target": "777023606e12cba8",
    "redis caching": "ca12e667b90a2c27",
    "release deadline yesterday": "597e30a8689fe618",
    "dark mode": "69dd497bd3702190",
    "where does Ann work": "40db85c7eb8de5b0",
    "dark mode editor": "69dd497bd3702190",
}
"""What the reference found first, and rightly so."""

WRONG = {
    "绿茶": ("067dfe9fa252168e", "e5436fe08b043f29", "cb7ad48773b30044"),
    "部署集群": ("067dfe9fa252168e", "d1aff3e321befa45", "cb7ad48773b30044"),
    "deployment target": ("597e30a8689fe618",),
    "what is the current deployment target": ("597e30a8689fe618",),
    "database port": ("777023606e12cba8",),
    "release deadline yesterday": ("777023606e12cba8",),
    "server port 8080": ("69dd497bd3702190",),
}
"""What the reference found besides, and should not have: no word of the question is in it, only parts of words, or
(in Chinese) nothing at all."""


def test_the_table_of_what_is_right_is_the_references_own(reference: Path) -> None:
    asked = json.loads((reference / "recall.json").read_text("utf-8"))
    answers: dict[str, list[str]] = {}
    for query in (*asked["recall"], *asked["recallEnhanced"]):
        answers.setdefault(query["query"], []).extend(hit["id"] for hit in query["results"])
    assert {query: answers[query][0] for query in SANE} == SANE
    assert all(set(wrong) <= set(answers[query]) for query, wrong in WRONG.items())


@pytest.mark.parametrize("query", SANE)
def test_what_the_reference_found_rightly_is_found(query: str, taken: Mnemopi) -> None:
    hits = [hit for hit in taken.recall(query, 5) if hit.id != "067dfe9fa252168e"]
    assert hits[0].id == SANE[query], "but for the episode, which tells of its sources"


@pytest.mark.parametrize("query", WRONG)
def test_what_it_found_wrongly_is_not(query: str, taken: Mnemopi) -> None:
    assert {hit.id for hit in taken.recall(query, 10)}.isdisjoint(WRONG[query])


def test_the_chinese_question_that_it_missed_is_answered(taken: Mnemopi) -> None:
    assert taken.recall("部署集群", 3)[0].id == "e5436fe08b043f29"


def test_a_fact_that_it_found_is_found(taken: Mnemopi) -> None:
    hits = taken.recall("server port 8080", 3, profile="facts")
    assert any(hit.fact is not None and hit.fact.object == "8080" for hit in hits)
