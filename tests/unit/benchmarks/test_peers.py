import json
import sys
import threading
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks.peers import asking, embedding, places, process, roster
from benchmarks.peers.plain import Plain
from mnemopi.testing import HashingEmbedder

WORKERS = Path(places.WORKERS)
BANK = """
import sys, time, os
sys.path.insert(0, {workers!r})
import wire
class Bank:
    version = "7"
    def __init__(self, folder, url, dimensions):
        print("chatter of a library")
        self.items = []
    def fill(self, items): self.items += items
    def ask(self, text, top):
        if text == "fail": raise ValueError("no such thing")
        if text == "die": os._exit(3)
        if text == "hang": time.sleep(60)
        if text == "home": return [os.environ["HOME"], os.environ.get("SECRET_TOKEN", "-")]
        return [item["id"] for item in self.items if text in item["text"]][:top]
wire.serve(Bank)
"""


@pytest.fixture
def peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> roster.Peer:
    script = tmp_path / "bank.py"
    script.write_text(BANK.format(workers=str(WORKERS)), "utf-8")
    monkeypatch.setattr(places, "command", lambda peer: [sys.executable, str(script)])
    return roster.PEERS["chromadb"]


def test_a_worker_takes_in_and_answers_whatever_its_libraries_print(peer: roster.Peer) -> None:
    worker = process.Worker(peer, "", 0, 60)
    try:
        worker.fill([{"id": "a", "text": "the port is 8080"}, {"id": "b", "text": "端口"}])
        assert worker.version == "7"
        assert worker.ask("port", 5)[0] == ["a"]
        assert worker.ask("端口", 5)[0] == ["b"]
    finally:
        worker.close()


def test_what_a_peer_raises_is_the_reason_of_its_row(peer: roster.Peer) -> None:
    worker = process.Worker(peer, "", 0, 60)
    try:
        with pytest.raises(process.Stopped, match="ValueError: no such thing"):
            worker.ask("fail", 5)
    finally:
        worker.close()


def test_a_worker_that_dies_stops_the_row_and_leaves_nothing(peer: roster.Peer) -> None:
    worker = process.Worker(peer, "", 0, 60)
    with pytest.raises(process.Stopped):
        worker.ask("die", 5)
    worker.close()
    worker.close()
    assert worker._process.returncode == 3
    assert not Path(worker._folder.name).exists()


def test_a_worker_that_takes_too_long_is_ended(peer: roster.Peer) -> None:
    worker = process.Worker(peer, "", 0, 1)
    with pytest.raises(process.Stopped, match="took more than 1 s"):
        worker.ask("hang", 5)
    worker.close()
    assert worker._process.returncode is not None


def test_a_worker_sees_no_key_and_has_a_home_of_its_own(peer: roster.Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "x")
    worker = process.Worker(peer, "", 0, 60)
    try:
        home, secret = worker.ask("home", 5)[0]
        assert home != str(Path.home())
        assert secret == "-"
    finally:
        worker.close()


def test_vectors_are_served_in_the_order_of_the_texts_to_many_at_once() -> None:
    before = set(threading.enumerate())
    embedder = HashingEmbedder()
    with embedding.served(embedder) as url:

        def asked(number: int) -> list[list[float]]:
            body = json.dumps({"model": "m", "input": [f"text {number}", "other"]}).encode()
            with urllib.request.urlopen(urllib.request.Request(f"{url}/embeddings", body), timeout=30) as answer:
                return [row["embedding"] for row in json.load(answer)["data"]]

        with ThreadPoolExecutor(16) as pool:
            found = list(pool.map(asked, range(64)))
    for number, rows in enumerate(found):
        assert rows == embedder.embed_documents([f"text {number}", "other"]).tolist()
    assert set(threading.enumerate()) - before == set()


def test_no_server_is_started_where_there_are_no_vectors() -> None:
    with embedding.served(None) as url:
        assert url == ""


def test_a_peer_that_needs_vectors_has_no_row_without() -> None:
    with pytest.raises(asking.Unfit, match="without vectors"), asking.opener(roster.PEERS["chromadb"], "none", 1):
        pass


def item(id: str, text: str, group: str = "g", order: int = 0, session: str = "s") -> Any:
    return SimpleNamespace(id=id, text=text, speaker="Mira", group=group, order=order, session=session, timestamp="")


def query(id: str, gold: list[str], group: str = "g", asof: int | None = None, text: str = "port") -> Any:
    return SimpleNamespace(id=id, text=text, category="c", gold=gold, group=group, asof=asof, meta={})


class Remembering:
    version = "1"

    def __init__(self) -> None:
        self.ids: list[str] = []

    def fill(self, items: Any) -> float:
        self.ids += [each["id"] for each in items]
        return 0.0

    def ask(self, text: str, top: int) -> tuple[list[str], float]:
        return [*self.ids], 0.0

    def close(self) -> None:
        pass


def test_a_question_is_put_before_what_was_told_after_it() -> None:
    groups = {"g": [item("late", "b", order=5), item("early", "a", order=1)]}
    queries = [query("end", ["late"]), query("then", ["early"], asof=5)]
    rows = {row["id"]: row for row in asking.rows(Remembering, groups, queries)}
    assert rows["then"]["ranked"] == ["early"]
    assert rows["end"]["ranked"] == ["early", "late"]


def test_in_one_pool_equal_texts_are_one_and_the_gold_follows() -> None:
    groups = {"g": [item("a", "same"), item("b", "own")], "h": [item("c", "same", "h")]}
    pool, asked = asking.pooled(groups, [query("q", ["c"], "h")])
    assert [each.id for each in pool[asking.POOL]] == ["a", "b"]
    assert asked[0].gold == ["a"]
    with pytest.raises(asking.Unfit):
        asking.pooled(groups, [query("q", ["a"], asof=3)])


def test_ours_is_asked_like_any_peer() -> None:
    groups = {"g": [item("a", "The port is 8080", order=0), item("b", "Lunch was good", order=1, session="t")]}
    with asking.opener(roster.PEERS["mnemopi"], "none", 60) as opened:
        (row,) = asking.rows(opened, groups, [query("q", ["a"], text="which port?")])
    assert row["turn"]["R@1"] == row["session"]["R@1"] == 1


def test_plain_words_are_stemmed_and_han_is_found_by_pairs() -> None:
    plain = Plain(words=True, embedder=None)
    plain.fill(
        [{"id": "a", "text": "The deploys failed"}, {"id": "b", "text": "Lunch"}, {"id": "c", "text": "服务的端口"}]
    )
    assert plain.ask("deploy", 5)[0] == ["a"]
    assert plain.ask("端口", 5)[0] == ["c"]
    assert plain.ask("nothing of it", 5)[0] == []


def test_fused_ranks_what_both_find_above_what_one_finds() -> None:
    plain = Plain(words=True, embedder=HashingEmbedder())
    plain.fill(
        [{"id": "a", "text": "alpha beta gamma"}, {"id": "b", "text": "alpha delta"}, {"id": "c", "text": "omega"}]
    )
    plain.fill([{"id": "d", "text": "beta gamma"}])
    assert plain.ask("beta gamma", 2)[0][0] == "d"


def test_a_peer_whose_installing_broke_off_is_installed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMOPI_BENCH_CACHE", str(tmp_path))
    ran: list[str] = []

    def run(command: list[str], folder: Path) -> None:
        ran.append(command[0])
        if "venv" in command:
            Path(command[-1]).mkdir()

    monkeypatch.setattr(places, "_run", run)
    peer = roster.PEERS["chromadb"]
    script = places.command(peer)[1]
    assert Path(script).name == "chroma.py"
    count = len(ran)
    places.command(peer)
    assert len(ran) == count
    (ready,) = tmp_path.rglob(".ready")
    ready.unlink()
    places.command(peer)
    assert len(ran) == 2 * count
