"""The engine: which embedder answers, when pending work is done, what a failure costs, and how it closes."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from mnemopi import engine as engines
from mnemopi import schedule
from mnemopi.config import Config
from mnemopi.engine import Mnemopi
from mnemopi.errors import BusyError, ConfigError, UsageError
from mnemopi.ingest import settle as settling
from mnemopi.retrieval.index import Indexes
from mnemopi.storage.vectors import Vectors
from mnemopi.testing import BrokenEmbedder, FixedClock, HashingEmbedder

OFF, INLINE, AUTO = ({"write.settle": mode} for mode in ("off", "inline", "auto"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


class Slow(HashingEmbedder):
    """Embeds memories only when the gate is open, and counts them; questions at once."""

    def __init__(self) -> None:
        super().__init__(32)
        self.gate, self.asked = threading.Event(), threading.Event()
        self.texts = 0

    def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return super().embed_documents(texts)

    def embed_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.texts += len(texts)
        self.asked.set()
        assert self.gate.wait(30)
        return super().embed_documents(texts)


def until(happens: Callable[[], bool]) -> bool:
    """Wait for what another thread does; False where it does not happen."""
    for _ in range(1000):
        if happens():
            return True
        threading.Event().wait(0.01)
    return False


# -- when it settles


def test_switched_off_nothing_is_embedded_until_it_is_asked_for(file: Path) -> None:
    with Mnemopi(file, embeddings=HashingEmbedder(), config=OFF) as memory:
        memory.remember("the harbour opens at six")
        hits = memory.recall("harbour opening")
        assert memory.bank.pending() == 1 and hits[0].vec_score == 0
        report = memory.settle()
        assert (report.embedded, report.pending) == (1, 0)
        assert memory.recall("harbour opening")[0].vec_score > 0


def test_inline_what_is_written_has_its_vector_at_once(file: Path) -> None:
    with Mnemopi(file, embeddings=HashingEmbedder(), config=INLINE) as memory:
        id = memory.remember("the harbour opens at six")
        assert memory.bank.pending() == 0
        memory.update(id, "the harbour opens at seven")
        assert memory.bank.pending() == 0


def test_in_the_background_all_that_was_written_has_its_vector_when_it_closes(file: Path) -> None:
    memory = Mnemopi(file, embeddings=HashingEmbedder(), config=AUTO)
    memory.remember_many({"content": f"note {number} about the harbour"} for number in range(300))
    assert memory.close(timeout=60) == 0
    with Mnemopi(file, embeddings=HashingEmbedder(), config=OFF) as memory:
        assert memory.bank.pending() == 0


def test_what_an_earlier_engine_left_is_done_without_another_write(file: Path) -> None:
    with Mnemopi(file, no_embeddings=True) as memory:
        memory.remember_many({"content": f"note {number}"} for number in range(20))
    memory = Mnemopi(file, embeddings=HashingEmbedder(), config=AUTO)
    assert memory.close(timeout=60) == 0


def test_closing_waits_no_longer_than_it_is_told_and_says_what_is_left(file: Path) -> None:
    embedder = Slow()
    memory = Mnemopi(file, embeddings=embedder, config=AUTO)
    memory.remember("this waits for its vector")
    assert embedder.asked.wait(30)
    assert memory.close(timeout=0.05) == 1
    assert memory.close() == 0
    embedder.gate.set()
    with Mnemopi(file, embeddings=HashingEmbedder(32), config=AUTO) as memory:
        assert memory.settle().pending == 0


def test_a_recall_beside_the_worker_takes_neither_its_work_nor_its_lease(file: Path) -> None:
    embedder = Slow()
    with Mnemopi(file, embeddings=embedder, config=AUTO) as memory:
        memory.remember_many({"content": f"note {number} about harbour {number}"} for number in range(300))
        assert embedder.asked.wait(30)
        assert len(memory.recall("harbour 250", 5)) == 5
        with Mnemopi(file, embeddings=HashingEmbedder(32), config=OFF) as other:
            assert "another process" in other.settle().error
        embedder.gate.set()
        assert until(lambda: memory.bank.pending() == 0)
        assert embedder.texts == 300


@pytest.mark.parametrize("settle", [Mnemopi.settle, lambda memory: memory.recall("harbour", retrievers=["dense"])])
def test_who_needs_what_the_worker_is_about_to_embed_waits_for_it(
    file: Path, monkeypatch: pytest.MonkeyPatch, settle: Callable[[Mnemopi], Any]
) -> None:
    monkeypatch.setattr(schedule, "_PATIENCE_S", 30)
    embedder = Slow()
    with Mnemopi(file, embeddings=embedder, config=AUTO) as memory, ThreadPoolExecutor() as beside:
        memory.remember("the harbour opens at six")
        assert embedder.asked.wait(30)
        done = beside.submit(settle, memory)
        embedder.gate.set()
        assert done.result(30) and memory.bank.pending() == 0
        assert embedder.texts == 1


def test_without_an_embedder_there_is_no_thread_and_nothing_is_pending(file: Path) -> None:
    before = set(threading.enumerate())
    with Mnemopi(file, no_embeddings=True) as memory:
        memory.remember("the harbour opens at six")
        hits = memory.recall("harbour")
        assert set(threading.enumerate()) <= before
        assert memory.bank.pending() == 0 and "dense" not in hits.retrievers


# -- what fails


@pytest.mark.parametrize("mode", [OFF, INLINE, AUTO])
def test_a_broken_embedder_loses_no_write_and_no_answer_and_is_told(file: Path, mode: dict[str, str]) -> None:
    embedder = BrokenEmbedder()
    with Mnemopi(file, embeddings=embedder, config=mode) as memory:
        id = memory.remember("the harbour opens at six")
        assert memory.get(id) is not None
        hits = memory.recall("harbour")
        assert [hit.id for hit in hits] == [id] and "dense" not in hits.retrievers
        report = memory.settle()
        assert (report.failed, report.pending) == (True, 1) and "broken" in report.error
        embedder.mend()
        assert memory.settle().pending == 0
        assert "dense" in memory.recall("harbour").retrievers


def test_a_failure_in_the_background_shows_in_stats_until_it_is_over(file: Path) -> None:
    embedder = BrokenEmbedder()
    memory = Mnemopi(file, embeddings=embedder, config=INLINE)
    memory.remember("the harbour opens at six")
    assert "broken" in memory.stats()["background_error"]
    embedder.mend()
    memory.remember("the harbour closes at nine")
    assert memory.stats()["background_error"] == ""
    assert memory.bank.pending() == 0
    memory.close()


def test_after_an_outage_the_worker_goes_on_without_another_write(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "_QUIET_S", 0.001)
    embedder = BrokenEmbedder()
    with Mnemopi(file, embeddings=embedder, config=AUTO) as memory:
        memory.remember("the harbour opens at six")
        assert until(lambda: "broken" in memory.stats()["background_error"])
        embedder.mend()
        assert until(lambda: memory.bank.pending() == 0)
        assert until(lambda: memory.stats()["background_error"] == "")


def test_settling_that_finds_the_bank_locked_fails_neither_the_write_nor_the_recall(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*arguments: Any, **options: Any) -> Any:
        raise BusyError("somebody writes")

    with Mnemopi(file, embeddings=HashingEmbedder(), config=INLINE) as memory:
        monkeypatch.setattr(settling, "settle", busy)
        id = memory.remember("the harbour opens at six")
        assert [hit.id for hit in memory.recall("harbour")] == [id]
        assert "somebody writes" in memory.stats()["background_error"]


# -- changing the model


def test_the_vectors_of_the_former_model_answer_until_the_new_ones_are_complete(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = HashingEmbedder(64), HashingEmbedder(128)
    with Mnemopi(file, embeddings=old, config=OFF) as memory:
        memory.remember_many({"content": f"note {number} about harbour {number}"} for number in range(300))
        memory.settle()
    asked: list[str] = []

    def reopen(model: str, *rest: Any) -> HashingEmbedder:
        asked.append(model)
        return old

    monkeypatch.setattr(engines.registry, "reopen", reopen)
    with Mnemopi(file, embeddings=new, config=OFF) as memory:
        assert memory.bank.pending() == 300
        assert memory.recall("harbour 250", 5)[0].vec_score > 0
        assert len(asked) == 1
        assert memory.settle(limit=100).pending == 200
        assert memory.recall("harbour 250", 5)[0].vec_score > 0
        report = memory.settle()
        assert (report.embedded, report.pending) == (200, 0)
        models = memory.stats()["embeddings"]["models"]
        assert set(models.values()) == {300} and len(models) == 2
        assert memory.recall("harbour 250", 5)[0].vec_score > 0
        assert len(asked) == 1, "the new ones are complete and answer themselves"


def test_what_was_changed_while_it_was_embedded_is_embedded_again(file: Path) -> None:
    embedder = Slow()
    memory = Mnemopi(file, embeddings=embedder, config=AUTO)
    id = memory.remember("the first text")
    assert embedder.asked.wait(30)
    memory.update(id, "the second text")
    gone = memory.remember("to be forgotten")
    memory.forget(gone)
    embedder.gate.set()
    assert memory.close(timeout=60) == 0
    with closing(sqlite3.connect(file)) as raw:
        live = raw.execute("SELECT rowkey FROM memory WHERE retired_at IS NULL").fetchall()
        kept = raw.execute("SELECT data FROM vector WHERE rowkey = ? AND data IS NOT NULL", live[0]).fetchall()
        orphans = raw.execute(
            "SELECT count(*) FROM vector WHERE data IS NOT NULL AND rowkey NOT IN (SELECT rowkey FROM memory)"
        )
        assert orphans.fetchone() == (0,)
    assert kept == [(HashingEmbedder(32).embed_documents(["the second text"])[0].astype("<f4").tobytes(),)]


# -- the rest


def test_recalls_are_counted_when_it_closes_and_never_by_reading_alone(file: Path) -> None:
    clock = FixedClock()
    with Mnemopi(file, no_embeddings=True, clock=clock) as memory:
        id, other = memory.remember("the harbour opens at six"), memory.remember("the ferry is blue")
        for _ in range(3):
            memory.recall("harbour")
        memory.get(other)
    with closing(sqlite3.connect(file)) as raw:
        assert raw.execute("SELECT id, count, last FROM recalled").fetchall() == [(id, 3, clock.now)]


def test_a_bank_that_vanished_does_not_keep_the_engine_from_closing(file: Path) -> None:
    memory = Mnemopi(file, no_embeddings=True)
    memory.remember("the harbour opens at six")
    memory.recall("harbour")
    for path in file.parent.glob("m.db*"):
        path.unlink()
    memory.close()
    assert list(file.parent.iterdir()) == []


@pytest.mark.parametrize("given", [{"db_path": 5}, {"data_dir": 5}, {"clock": 5}, {"embedding_api_key": 5}])
def test_an_argument_of_another_kind_is_an_error_and_makes_no_file(tmp_path: Path, given: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(given))):
        Mnemopi(**{"data_dir": tmp_path / "data", **given})
    assert not (tmp_path / "data").exists()


def test_settings_come_as_a_config_a_mapping_or_not_at_all(file: Path) -> None:
    ready = Config.load({"identity.session_id": "ready"}, environ={})
    with Mnemopi(file, no_embeddings=True, config=ready) as memory:
        assert memory.bank.identity.session_id == "ready"
    with Mnemopi(file, no_embeddings=True, config=ready, session_id="argument") as memory:
        assert memory.bank.identity.session_id == "argument"
    for config, error in (({"no.such": 1}, UsageError), ({"write.settle": "never"}, ConfigError), ("text", UsageError)):
        with pytest.raises(error):
            Mnemopi(file, no_embeddings=True, config=config)  # type: ignore[arg-type]


def test_the_files_lie_in_the_data_folder_unless_one_is_named(tmp_path: Path) -> None:
    with Mnemopi(data_dir=tmp_path / "data", no_embeddings=True) as memory:
        assert memory.bank.path == tmp_path / "data" / "mnemopi.db"
    with Mnemopi(data_dir=tmp_path / "data", no_embeddings=True, bank="project") as memory:
        assert memory.bank.path.parent.parent == tmp_path / "data" / "banks"
    with Mnemopi(tmp_path / "named.db", data_dir=tmp_path / "data", no_embeddings=True) as memory:
        assert memory.bank.path == tmp_path / "named.db"


# -- other banks


def shared(file: Path, *texts: str) -> None:
    """Put memories for all banks into a bank of their own."""
    with Mnemopi(file, "theirs", embeddings=HashingEmbedder(), config=INLINE) as theirs:
        for text in texts:
            theirs.remember(text, scope="global")


def test_the_vectors_of_another_bank_are_read_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    after = Vectors.after

    def counted(table: Vectors, *asked: Any) -> Any:
        rows = after(table, *asked)
        read.extend(row[1] for row in rows)
        return rows

    monkeypatch.setattr(Vectors, "after", counted)
    shared(file, "the harbour opens at six", "the ferry is blue")
    with Mnemopi(file, embeddings=HashingEmbedder(), config=INLINE) as memory:
        for _ in range(3):
            assert "dense" in memory.recall("harbour opening").retrievers
        assert len(read) == 2
        shared(file, "the harbour closes at ten")
        assert len(memory.recall("harbour")) == 3
        assert len(read) == 3


def test_another_bank_that_was_recalled_from_can_be_renamed_and_replaced(file: Path) -> None:
    shared(file, "the harbour opens at six", "the ferry is blue")
    with (
        Mnemopi(file, embeddings=HashingEmbedder(), config=INLINE) as memory,
        Mnemopi(file, "third", embeddings=None) as elsewhere,
    ):
        assert {hit.bank for hit in memory.recall("harbour opening")} == {"theirs"}
        elsewhere.banks.rename("theirs", "ours")
        assert {hit.bank for hit in memory.recall("harbour opening")} == {"ours"}
        elsewhere.banks.delete("ours")
        assert not memory.recall("harbour opening")
        shared(file, "the harbour is for sale")
        found = memory.recall("harbour opening")
        assert [hit.content for hit in found] == ["the harbour is for sale"]
        assert "dense" in found[0].explanation.found_by


def test_only_the_banks_that_were_asked_last_keep_their_indexes() -> None:
    kept = Indexes()
    first = kept.of("bank 0")
    for number in range(1, 8):
        kept.of(f"bank {number}")
    assert kept.of("bank 0") is first
    for number in range(8, 15):
        kept.of(f"bank {number}")
    assert kept.of("bank 0") is first
    for number in range(15, 23):
        kept.of(f"bank {number}")
    assert kept.of("bank 0") is not first
