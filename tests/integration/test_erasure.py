"""Forget is physical: what was erased is in no file of the bank, byte by byte, or the receipt says what holds it."""

from __future__ import annotations

import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest

from mnemopi.engine import Mnemopi
from mnemopi.errors import NotFoundError
from mnemopi.knowledge import facts
from mnemopi.model.fact import Statement
from mnemopi.storage import copy, slack
from mnemopi.testing import FixedClock, HashingEmbedder

CHILD = Path(__file__).with_name("child.py")
WORDS = ("harbour", "crane", "pilot", "tide", "ledger", "invoice", "berth", "manifest", "customs", "pallet", "winch")


def traces(folder: Path, *marks: bytes) -> list[tuple[str, bytes]]:
    """Return which of the marks are in which file below a folder, in any case of letters."""
    contents = {path.name: path.read_bytes().lower() for path in folder.rglob("*") if path.is_file()}
    return [(name, mark) for name, content in contents.items() for mark in marks if mark.lower() in content]


def prose(chance: random.Random, words: int) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(words))


def signposts(file: Path) -> set[int]:
    """Return the numbers of the marks by which the full-text index finds its pages: the hardest to be rid of."""
    with closing(sqlite3.connect(file)) as raw:
        words = [row[0].decode() for row in raw.execute("SELECT term FROM search_idx")]
    return {int(word[7:12]) for word in words if word.startswith("0qqmark") and len(word) >= 12}


@contextmanager
def reader(file: Path) -> Iterator[None]:
    """Another process in the middle of a read."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, CHILD, "read", file], stdin=pipe, stdout=pipe, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        yield
        child.communicate("go\n")
        assert child.returncode == 0


def test_nothing_of_a_forgotten_memory_is_in_any_file(tmp_path: Path) -> None:
    embedder = HashingEmbedder()
    text = "Zanzibarquux moved the crowberries to the underground hall"
    with Mnemopi(tmp_path / "m.db", embeddings=embedder, config={"write.settle": "inline"}) as memory:
        memory.remember("an unrelated note about the ferry")
        id = memory.remember(
            text, metadata={"tag": "metazanzi"}, embed_text="embedzanzi in the hall", source="srczanzi"
        )
        memory.remember(text, session_id="talk", author_id="Ines", external_id="extzanzi")
        memory.update(id, "Second version: Wolframquux took them away")
        vectors = embedder.embed_documents(["embedzanzi in the hall", "Second version: Wolframquux took them away"])
        blobs = [vector.astype("<f4").tobytes() for vector in vectors]
        (turn,) = memory.recall("crowberries", kind="turn")
        wish = memory.remember("I prefer Zanzibarquux tea over coffee.", author_id="Ines", source="user")
        marks = [b"zanzi", b"crowberr", b"wolframquux", *blobs]
        assert {mark for _, mark in traces(tmp_path, *marks)} == set(marks)
        for forgotten, versions in ((id, 2), (turn.id, 1), (wish, 1)):
            receipt = memory.forget(forgotten)
            assert (receipt.status, receipt.versions, receipt.held_by) == ("erased", versions, ())
        assert traces(tmp_path, *marks) == []
        assert memory.get(id) is None and memory.get(id, version=1) is None
    assert traces(tmp_path, *marks) == []


@pytest.mark.parametrize("secure", [True, False])
def test_only_with_secure_delete_nothing_is_left_of_many_that_were_changed_and_forgotten(
    tmp_path: Path, secure: bool
) -> None:
    chance = random.Random(7)
    settings = {"write.settle": "off", "storage.secure_delete": secure}
    with Mnemopi(tmp_path / "m.db", embeddings=HashingEmbedder(64), config=settings) as memory:
        items = [
            {
                "content": f"{prose(chance, chance.choice([4, 40, 400]))} qqmark{number:05}a",
                "metadata": {"note": f"qqmark{number:05}b"},
            }
            for number in range(600)
        ]
        ids = memory.remember_many(items)
        memory.settle()
        victims = list({*chance.sample(range(600), 60), *signposts(tmp_path / "m.db")})
        assert len(victims) < 100
        for number in victims[:30]:
            memory.update(ids[number], f"{prose(chance, 60)} qqmark{number:05}d")
        memory.settle()
        marks = [f"qqmark{number:05}".encode() for number in victims]
        assert {mark for _, mark in traces(tmp_path, *marks)} == set(marks)
        for number in victims:
            assert memory.forget(ids[number]).status == "erased"
        left = {mark for _, mark in traces(tmp_path, *marks)}
        assert (left == set()) is secure
        assert memory.stats()["total_memories"] == 600 - len(victims)
        assert memory.recall(f"qqmark{next(n for n in range(600) if n not in victims):05}a", 1)
    assert copy.problem(tmp_path / "m.db") is None
    with closing(apsw.Connection(str(tmp_path / "m.db"))) as raw:
        raw.execute("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)")


def test_nothing_is_left_of_words_that_only_facts_have(tmp_path: Path) -> None:
    file = tmp_path / "m.db"
    with Mnemopi(file, no_embeddings=True, config={"write.settle": "off"}) as memory:
        ids = memory.remember_many([{"content": f"what is said of pier {number}"} for number in range(1500)])
        store = memory.bank._store
        with store.transaction():
            told = [
                Statement("assert", "fact", f"qqfact{number:05}a", "port", f"qqfact{number:05}b", 1, 1, memory=id)
                for number, id in enumerate(ids)
            ]
            facts.state(store, told, 1)
        posts = [word for _, _, word in store.connection.all(store.sql.fact_signposts)]
        victims = {int(word[6:11]) for word in posts if word.startswith(b"qqfact") and len(word) >= 11}
        assert len(victims) > 3
        for number in victims:
            assert memory.forget(ids[number]).status == "erased"
            assert traces(tmp_path, f"qqfact{number:05}".encode()) == []
        assert len(memory.facts.list(limit=2000)) == 1500 - len(victims)
    assert copy.problem(file) is None
    with closing(apsw.Connection(str(file))) as raw:
        raw.execute("INSERT INTO fact_search (fact_search, rank) VALUES ('integrity-check', 1)")


def test_with_a_reader_open_an_erasure_is_pending_and_the_next_open_finishes_it(tmp_path: Path) -> None:
    file = tmp_path / "m.db"
    with Mnemopi(file, no_embeddings=True) as memory:
        id = memory.remember("Zanzibarquux keeps the keys")
        with reader(file):
            receipt = memory.forget(id)
            assert receipt.status == "pending"
            assert receipt.held_by == ("another connection is reading the file",)
            assert memory.get(id) is None and not memory.recall("Zanzibarquux")
            with Mnemopi(file, no_embeddings=True):
                assert traces(tmp_path, b"zanzibarquux")  # the reader is still there, and nobody waits for it
        with Mnemopi(file, no_embeddings=True) as later:
            assert traces(tmp_path, b"zanzibarquux") == []
            assert later.get(id) is None


def test_a_disk_that_fails_after_the_rows_are_gone_makes_the_erasure_pending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "m.db"
    with Mnemopi(file, no_embeddings=True) as memory:
        id = memory.remember("Zanzibarquux keeps the keys")
        memory.scratchpad.write("Zanzibarquux, too")

        def fails(_: Path) -> int:
            raise apsw.FullError("no room")

        with monkeypatch.context() as broken:
            broken.setattr(slack, "clean", fails)
            receipt = memory.forget(id)
            assert (receipt.status, len(receipt.held_by)) == ("pending", 1) and "no room" in receipt.held_by[0]
            assert memory.get(id) is None
            assert memory.scratchpad.clear() == 1
            with Mnemopi(file, no_embeddings=True) as other:
                assert other.get(id) is None
        assert "no room" in caplog.text
    Mnemopi(file, no_embeddings=True).close()
    assert traces(tmp_path, b"zanzibarquux") == []


def test_a_large_bank_of_chinese_notes_forgets_and_opens_again(tmp_path: Path) -> None:
    notes = [
        f"第{number}次评审：{chr(0x4E00 + number % 977 * 7)}{chr(0x5200 + number * 3)}改好了" for number in range(900)
    ]
    with Mnemopi(tmp_path / "m.db", no_embeddings=True) as memory:
        ids = memory.remember_many([{"content": note} for note in notes])
        assert memory.forget(ids[0]).status == "erased"
    with Mnemopi(tmp_path / "m.db", no_embeddings=True) as memory:
        assert memory.stats()["total_memories"] == len(notes) - 1


def test_a_backup_that_holds_the_text_makes_the_erasure_pending_and_is_named(tmp_path: Path) -> None:
    clock = FixedClock()
    with Mnemopi(data_dir=tmp_path, no_embeddings=True, clock=clock) as memory:
        memory.remember("an older note")
        clock.advance(hours=1)
        before = memory.backup().path
        clock.advance(hours=1)
        id = memory.remember("Zanzibarquux keeps the keys")
        clock.advance(hours=1)
        after = memory.backup().path
        receipt = memory.forget(id)
        assert receipt.status == "pending"
        assert [Path(name).name for name in receipt.held_by] == [after.name]
        assert {name for name, _ in traces(tmp_path, b"zanzibarquux")} == {after.name}
        assert before.exists()


def test_a_backup_is_named_though_the_clocks_of_note_backup_and_statement_differ(tmp_path: Path) -> None:
    clock = FixedClock()
    with Mnemopi(data_dir=tmp_path, no_embeddings=True, clock=clock) as memory:
        id = memory.remember("Zanzibarquux keeps the keys")
        fact = memory.facts.assert_("vault", "port", "8200")
        clock.advance(hours=-1)
        copy = memory.backup().path.name
        clock.advance(hours=2)
        receipt = memory.forget(id)
        assert (receipt.status, receipt.held_by) == ("pending", (copy,))
        assert memory.facts.erase(fact.id).held_by == (copy,)
        later = memory.facts.assert_("vault", "port", "8201")
        assert memory.facts.erase(later.id).status == "erased"


def test_a_backup_in_whatever_folder_is_named_as_long_as_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FixedClock()
    monkeypatch.chdir(tmp_path)
    with Mnemopi(tmp_path / "data" / "m.db", no_embeddings=True, clock=clock) as memory:
        ids = memory.remember_many([{"content": f"Zanzibarquux keeps the keys of pier {n}"} for n in range(4)])
        fact = memory.facts.assert_("vault", "port", "8200")
        clock.advance(hours=1)
        made = [memory.backup("elsewhere").path, memory.backup(tmp_path / "third").path]
        absolute = tuple(str(path.absolute()) for path in made)
        clock.advance(hours=1)
        receipt = memory.forget(ids[0])
        assert (receipt.status, receipt.held_by) == ("pending", absolute)
        assert memory.facts.erase(fact.id).held_by == absolute
        assert memory.facts.erase(memory.facts.assert_("vault", "port", "8201").id).held_by == ()
        made[0].unlink()
        assert memory.forget(ids[1]).held_by == absolute[1:]
        clock.advance(hours=1)
        kept = memory.restore(made[1]).kept.name
        assert memory.forget(ids[2]).held_by == (absolute[1], kept)
        for folder in ("elsewhere", "third"):
            shutil.rmtree(folder)
        (tmp_path / "data" / kept).unlink()
        assert memory.forget(ids[3]).status == "erased"


def test_a_folder_of_backups_is_known_after_an_older_backup_was_restored(tmp_path: Path) -> None:
    clock = FixedClock()
    with Mnemopi(tmp_path / "m.db", no_embeddings=True, clock=clock) as memory:
        id = memory.remember("Zanzibarquux keeps the keys")
        first = memory.backup(tmp_path / "first").path
        clock.advance(hours=1)
        second = memory.backup(tmp_path / "second").path
        kept = memory.restore(first).kept.name
        assert memory.forget(id).held_by == (str(first), str(second), kept)


def test_a_folder_of_backups_that_cannot_be_looked_into_may_hold_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(self: Path) -> Iterator[Path]:
        raise PermissionError

    with Mnemopi(tmp_path / "m.db", no_embeddings=True) as memory:
        id = memory.remember("Zanzibarquux keeps the keys")
        memory.backup(tmp_path / "elsewhere")
        monkeypatch.setattr(Path, "iterdir", refused)
        receipt = memory.forget(id)
    assert receipt.status == "pending" and str(tmp_path / "elsewhere") in receipt.held_by
    assert b"zanzibarquux" not in (tmp_path / "m.db").read_bytes()


@pytest.mark.parametrize("number", [1, 2])
def test_a_backup_where_no_folder_was_named_lies_in_the_data_folder_of_this_test_alone(
    number: int, tmp_path: Path, own_data: Path
) -> None:
    with Mnemopi(tmp_path / "m.db", no_embeddings=True) as memory:
        memory.remember("the ferry leaves at nine")
        made = memory.backup().path
        assert own_data in made.parents and list(made.parent.iterdir()) == [made], number


@pytest.mark.parametrize("force", [False, True])
def test_an_older_export_does_not_bring_back_what_was_forgotten(tmp_path: Path, force: bool) -> None:
    with Mnemopi(tmp_path / "m.db", no_embeddings=True) as memory:
        id, kept = memory.remember("Zanzibarquux keeps the keys"), memory.remember("the ferry leaves at nine")
        memory.export(tmp_path / "export.jsonl")
        memory.forget(id)
        memory.forget(kept)
        report = memory.load(tmp_path / "export.jsonl", force=force)
        assert (report.inserted, report.forgotten) == (0, 2)
        assert memory.get(id) is None and not memory.recall("Zanzibarquux keys")
        assert [event.verb for event in memory.history(id)] == ["remembered", "forgot"]
        (tmp_path / "export.jsonl").unlink()
        assert traces(tmp_path, b"zanzibarquux") == []


def test_what_was_forgotten_and_is_said_again_is_a_new_memory(tmp_path: Path) -> None:
    with Mnemopi(tmp_path / "m.db", no_embeddings=True) as memory:
        first = memory.remember("the gate code changed", importance=0.9)
        memory.forget(first)
        second = memory.remember("the gate code changed")
        assert second.outcome == "created" and second != first
        assert memory.stats()["total_memories"] == 1
        with pytest.raises(NotFoundError):
            memory.forget(first)


def test_erasing_the_replacement_leaves_the_one_it_replaced_hidden(tmp_path: Path) -> None:
    with Mnemopi(tmp_path / "m.db", no_embeddings=True) as memory:
        old, new = memory.remember("the crane is red"), memory.remember("the crane is green")
        memory.invalidate(old, new)
        memory.forget(new)
        found = memory.get(old)
        assert found is not None and found.superseded_by == new
        assert not memory.recall("crane")
