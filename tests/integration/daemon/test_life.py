"""The life of a resident process: one at a time, started, replaced, killed, and gone when nobody needs it."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mnemopi.daemon import client, lock, protocol

HANGING = """
import os, pathlib, time
from mnemopi.bank import Bank
before = Bank.remember
def slow(self, content, **options):
    kept = before(self, content, **options) if "AFTER" in content else None
    if "HANG" in content:
        pathlib.Path(os.environ["MNEMOPI_DATA_DIR"], "hangs").touch()
        time.sleep(60)
    return kept or before(self, content, **options)
Bank.remember = slow
found = Bank.recall
def slow_recall(self, query, *given, **options):
    if "HANG" in query:
        pathlib.Path(os.environ["MNEMOPI_DATA_DIR"], "hangs").touch()
        time.sleep(60)
    return found(self, query, *given, **options)
Bank.recall = slow_recall
"""
VERSION = "from mnemopi.daemon import protocol; protocol.VERSION = '{}'"
FRAGILE = """
from mnemopi.testing import HashingEmbedder
import os
class Fragile(HashingEmbedder):
    def embed_documents(self, texts):
        if any("abort" in text for text in texts):
            os.abort()
        return super().embed_documents(texts)
"""
WITH_FRAGILE = """
from mnemopi.providers import registry
from mnemopi.providers.worker import WorkerEmbedder
from mnemopi.testing import HashingEmbedder
def local(request):
    assert request.config.apart
    made = WorkerEmbedder(HashingEmbedder(16), "fragile_model:Fragile", {"dimensions": 16}, most=4096)
    return registry._prepared(made, request)
registry._BUILDERS["local"] = local
"""


def until(done: Callable[[], Any]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + 90
    while time.monotonic() < end:
        if done():
            return
        time.sleep(0.02)
    raise AssertionError("it never happened")


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that waits to be looked after by its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not Path("/proc/self").exists()


def test_start_status_and_stop(place: Any) -> None:
    assert place.run("daemon", "status", "--json").json == {"running": False}
    assert place.run("daemon", "status").status == 3
    started = place.run("daemon", "start", "--json").json
    assert (started["running"], started["started"]) == (True, True)
    again = place.run("daemon", "start", "--json").json
    assert (again["started"], again["pid"]) == (False, started["pid"])
    seen = place.run("daemon", "status", "--json").json
    assert (seen["pid"], seen["data_dir"], seen["rooms"]) == (started["pid"], str(place.folder), 0)
    assert "pid" in place.run("daemon", "status").out
    assert place.run("daemon", "stop", "--json").json == {"running": False, "stopped": True}
    until(lambda: not is_alive(started["pid"]))
    assert place.run("daemon", "stop").out == "None runs.\n"


def test_what_was_started_belongs_to_nobody_and_is_private(place: Any) -> None:
    started = place.run("daemon", "start", "--json").json
    assert os.getsid(started["pid"]) == started["pid"]
    where = Path(protocol.record(str(place.folder))["socket"])
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (where, where.parent, place.folder / "daemon.lock")]
    assert modes == [0o600, 0o700, 0o600]
    assert stat.S_IMODE((place.folder / "daemon.log").stat().st_mode) == 0o600
    assert where.is_relative_to(place.runtime)
    assert place.run("daemon", "stop").status == 0
    assert not where.exists()


def test_many_starts_at_once_give_one(place: Any) -> None:
    said: list[Any] = []

    def start() -> None:
        said.append(place.run("daemon", "start", "--json").json)

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({each["pid"] for each in said}) == 1
    assert sum(each["started"] for each in said) == 1


def test_a_second_one_is_refused(place: Any) -> None:
    first = place.reside()
    done = place.run("daemon", "run")
    assert done.status == 4
    assert str(first.pid) in done.err
    assert first.poll() is None


def test_it_ends_when_nobody_has_needed_it_for_a_while(place: Any, agent: Any) -> None:
    process = place.begin(*f"{sys.executable} -m mnemopi daemon run --set daemon.idle_minutes=0.01".split())
    until(lambda: place.status())
    one = agent(place)
    one.begin()
    time.sleep(1.2)
    assert process.poll() is None
    assert one.end() == 0
    assert process.wait(90) == 0
    assert protocol.record(str(place.folder)) == {}


def test_it_ends_with_its_data_folder(place: Any) -> None:
    process = place.reside()
    (place.folder / "daemon.lock").unlink()
    assert process.wait(90) == 0


def test_a_signal_lets_it_end_what_it_is_at(place: Any) -> None:
    patch = HANGING.replace("time.sleep(60)", "time.sleep(0.5)")
    process = place.reside(patch=patch)
    storing = place.begin(sys.executable, "-m", "mnemopi", "store", "The crane HANGs", "--json")
    until((place.folder / "hangs").exists)
    process.send_signal(signal.SIGTERM)
    assert storing.wait(90) == 0
    assert process.wait(90) == 0
    id = json.loads(storing.stdout.read())["id"]
    assert place.run("get", id).status == 0


def test_one_of_an_older_version_is_replaced(place: Any) -> None:
    old = place.reside(patch=VERSION.format("0.0.9"))
    assert place.status()["version"] == "0.0.9"
    started = place.run("daemon", "start", "--json").json
    assert (started["started"], started["version"]) == (True, protocol.VERSION)
    assert old.wait(90) == 0
    assert started["pid"] != old.pid


def test_a_command_that_meets_an_older_version_is_done_and_has_it_replaced(place: Any) -> None:
    old = place.reside(patch=VERSION.format("0.0.9"))
    id = place.run("store", "The crane stands on pier 7", "--json").json["id"]
    assert old.wait(90) == 0
    until(lambda: place.status().get("version") == protocol.VERSION)
    assert place.run("get", id, "--quiet").out == "The crane stands on pier 7\n"
    assert place.status()["served"] == 1


def test_a_newer_version_is_left_alone(place: Any) -> None:
    new = place.reside(patch=VERSION.format("99.1"))
    assert place.run("store", "The crane stands on pier 7").status == 0
    done = place.run("daemon", "start")
    assert done.status == 8
    assert "99.1" in done.err
    assert (new.poll(), place.status()["served"]) == (None, 0)


def test_one_that_was_killed_leaves_nothing_in_the_way(place: Any) -> None:
    first = place.reside()
    first.kill()
    first.wait()
    assert place.run("store", "The crane stands on pier 7").status == 0
    assert place.run("daemon", "status", "--json").json == {"running": False}
    second = place.reside()
    assert place.run("recall", "crane", "--json").json["count"] == 1
    assert place.status()["pid"] == second.pid


def test_the_record_of_a_dead_one_whose_id_somebody_else_has_now_harms_nobody(place: Any) -> None:
    bystander = place.begin(sys.executable, "-c", "input()")
    place.folder.mkdir()
    told = {"pid": bystander.pid, "started": "long ago", "version": "0.0.1", "socket": str(place.runtime / "old.sock")}
    (place.folder / "daemon.lock").write_text(json.dumps(told))
    assert place.run("store", "The crane stands on pier 7").status == 0
    assert place.run("daemon", "stop", "--force").out == "None runs.\n"
    mine = place.reside()
    assert place.status()["pid"] == mine.pid
    assert bystander.poll() is None


def test_a_process_is_signalled_only_where_it_is_the_holder_beyond_doubt(place: Any) -> None:
    bystander = place.begin(sys.executable, "-c", "input()")
    held = lock.Lock(place.folder)
    held.write({"pid": bystander.pid, "started": "long ago", "version": "0.0.1", "socket": "/nonexistent"})
    assert lock.holder(place.folder) is None
    held.write({"pid": bystander.pid, "started": lock.began(bystander.pid), "version": "0", "socket": "/nonexistent"})
    assert lock.holder(place.folder) == bystander.pid
    held.close()
    assert lock.holder(place.folder) is None


def test_one_that_hangs_is_ended_by_force(place: Any) -> None:
    process = place.reside()
    process.send_signal(signal.SIGSTOP)
    threading.Thread(target=process.wait).start()
    code = (
        "import sys; from mnemopi.daemon import client, launch\n"
        "client.HANDSHAKE_S, launch._DOWN_S = 0.2, 2\n"
        "from mnemopi.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "daemon", "stop", "--force"], env=place.environment, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    until(lambda: process.returncode == -signal.SIGKILL)


def test_one_that_does_not_answer_is_passed_by(place: Any) -> None:
    place.reside().send_signal(signal.SIGSTOP)
    code = (
        "import sys; from mnemopi.daemon import client\n"
        "client.HANDSHAKE_S = 0.2\n"
        "from mnemopi.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "store", "The crane", "--json"], env=place.environment, capture_output=True
    )
    assert json.loads(done.stdout)["outcome"] == "created"
    assert b"does not answer" in done.stderr


# -- killed in the middle of a call


def cut_off(place: Any, *arguments: str) -> tuple[int, str, str]:
    """Run a command, kill the resident process while it is at it, and return what the command did."""
    process = place.reside(patch=HANGING)
    command = place.begin(sys.executable, "-m", "mnemopi", *arguments)
    until((place.folder / "hangs").exists)
    process.kill()
    process.wait()
    out, err = command.communicate(timeout=60)
    return command.returncode, out.decode(), err.decode()


def test_a_write_that_was_cut_off_is_told_and_not_done_again(place: Any) -> None:
    status, out, err = cut_off(place, "store", "AFTER this it HANGs", "--json")
    assert (status, json.loads(out)["error"]["code"], err) == (8, "outcome-unknown", "")
    assert place.run("recall", "HANGs", "--json").json["count"] == 1
    assert place.run("stats", "--json").json["total_memories"] == 1


def test_people_are_told_in_a_line_and_a_hint(place: Any) -> None:
    status, out, err = cut_off(place, "store", "The crane HANGs")
    assert (status, out) == (8, "")
    assert [line.split(":")[0] for line in err.splitlines()] == ["Error", "Hint"]


def test_a_read_that_was_cut_off_is_done_at_home(place: Any) -> None:
    place.at_home("store", "The crane stands on pier 7")
    status, out, _ = cut_off(place, "recall", "crane HANG", "--json")
    assert (status, json.loads(out)["count"]) == (0, 1)


def test_what_has_an_id_elsewhere_is_stored_again_and_is_there_once(place: Any) -> None:
    status, _, _ = cut_off(place, "store", "AFTER this it HANGs", "--external-id", "x1")
    assert status == 0
    assert place.run("stats", "--json").json["total_memories"] == 1


def test_nothing_that_was_acknowledged_is_lost_when_it_is_killed(place: Any) -> None:
    process = place.reside()
    kept: list[str] = []
    failures: list[Any] = []

    def work(who: int) -> None:
        for number in range(40):
            done = place.run("store", f"client {who} writes {number}", "--json")
            if done.status == 0:
                kept.append(done.json["id"])
            elif done.json["error"]["code"] != "outcome-unknown":
                failures.append(done)
            if dead.is_set():
                return

    dead = threading.Event()
    threads = [threading.Thread(target=work, args=(who,)) for who in range(3)]
    for thread in threads:
        thread.start()
    until(lambda: len(kept) >= 12)
    process.kill()
    dead.set()
    for thread in threads:
        thread.join()
    assert failures == []
    assert all(place.run("get", id).status == 0 for id in kept)


# -- started on demand


def test_one_is_started_for_the_next_time_only_where_that_is_wished_for(place: Any) -> None:
    assert place.run("store", "The crane stands on pier 7").status == 0
    assert not (place.folder / "daemon.lock").exists()
    done = place.run("recall", "crane", "--json", MNEMOPI_DAEMON_START="on-demand")
    assert done.json["count"] == 1
    until(lambda: place.status())
    assert place.run("recall", "crane", "--json", MNEMOPI_DAEMON_START="on-demand").json["count"] == 1
    assert place.status()["served"] == 1


# -- other users


@pytest.fixture
def other() -> Iterator[int]:
    """Another user's id, where this process may become one."""
    if os.getuid() != 0:
        pytest.skip("only root can put a socket of another user in the way")
    yield 65534


def test_a_socket_of_another_user_is_not_spoken_to(place: Any, other: int) -> None:
    place.folder.mkdir()
    there = place.runtime / "theirs"
    there.mkdir()
    os.chown(there, other, other)
    place.runtime.chmod(0o755)
    code = (
        "import os, socket, sys\n"
        f"os.setgid({other}); os.setuid({other})\n"
        "s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); os.chmod(sys.argv[1], 0o777); s.listen()\n"
        "print('ready', flush=True)\n"
        "while True: c, _ = s.accept(); print(c.recv(10), flush=True)\n"
    )
    thief = place.begin(sys.executable, "-c", code, str(there / "s"))
    assert thief.stdout.readline() == b"ready\n"
    told = {"pid": thief.pid, "started": "x", "version": protocol.VERSION, "socket": str(there / "s")}
    (place.folder / "daemon.lock").write_text(json.dumps(told))
    done = place.run("store", "The crane stands on pier 7", "--json")
    assert done.json["outcome"] == "created"
    assert "belongs to another user" in done.err
    assert thief.stdout.readline() == b"b''\n"
    status = place.run("daemon", "status")
    assert (status.status, "Error" in status.err) == (8, True)


def test_another_user_is_not_served(place: Any, other: int) -> None:
    place.reside()
    where = protocol.record(str(place.folder))["socket"]
    for path in (place.runtime, Path(where).parent):
        path.chmod(0o755)
    Path(where).chmod(0o777)
    code = (
        "import os, socket, sys\n"
        f"os.setgid({other}); os.setuid({other})\n"
        "s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])\n"
        "print(s.recv(4096).decode())\n"
    )
    done = subprocess.run([sys.executable, "-c", code, where], capture_output=True, text=True, check=False)
    assert json.loads(done.stdout or "{}").get("refused") == "owner", done.stderr


def test_a_lock_of_another_user_is_told(place: Any, other: int) -> None:
    place.folder.mkdir()
    (place.folder / "daemon.lock").write_text("")
    os.chown(place.folder / "daemon.lock", other, other)
    done = place.run("daemon", "start")
    assert done.status == 8
    assert "belongs to another user" in done.err


# -- the process of a model


def test_a_model_that_crashes_takes_nothing_else_down(place: Any, tmp_path: Path) -> None:
    (tmp_path / "fragile_model.py").write_text(FRAGILE)
    process = place.reside(patch=WITH_FRAGILE, PYTHONPATH=str(tmp_path))
    local = {"MNEMOPI_NO_EMBEDDINGS": "0", "MNEMOPI_EMBEDDING_PROVIDER": "local"}
    assert place.run("store", "The crane stands on pier 7", **local).status == 0
    until(lambda: "dense" in place.run("recall", "crane", "--json", **local).json["retrievers"])
    until(lambda: place.run("stats", "--json", **local).json["embeddings"]["pending"] == 0)
    assert place.run("store", "this will abort", **local).status == 0
    until(lambda: "ended" in place.log())
    found = place.run("recall", "crane", "--json", **local)
    assert found.status == 0
    assert found.json["results"][0]["content"].startswith("The crane")
    assert process.poll() is None
    assert place.run("stats", "--json", **local).json["embeddings"]["pending"] == 1


def test_the_process_of_a_model_ends_with_the_one_that_is_killed(place: Any, tmp_path: Path) -> None:
    (tmp_path / "fragile_model.py").write_text(FRAGILE)
    process = place.reside(patch=WITH_FRAGILE, PYTHONPATH=str(tmp_path))
    local = {"MNEMOPI_NO_EMBEDDINGS": "0", "MNEMOPI_EMBEDDING_PROVIDER": "local"}
    place.run("store", "The crane stands on pier 7", **local)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.exists():
        pytest.skip("this system does not tell whose children a process has")
    workers: list[int] = []

    def found() -> bool:
        threads = Path(f"/proc/{process.pid}/task").glob("*/children")
        workers[:] = [int(pid) for each in threads for pid in each.read_text().split()]
        return bool(workers)

    until(found)
    process.kill()
    process.wait()
    until(lambda: not any(is_alive(pid) for pid in workers))


def test_what_says_nothing_to_it_is_refused(place: Any) -> None:
    for option in ("--bank", "--session", "--db"):
        done = place.run("daemon", "start", option, "x")
        assert done.status == 2
        assert "say nothing here" in done.err


def test_a_folder_that_is_not_ours_alone_holds_no_socket(place: Any) -> None:
    (place.runtime / "mnemopi").mkdir()
    (place.runtime / "mnemopi").chmod(0o777)
    done = place.run("daemon", "start")
    assert done.status == 8
    assert "yours alone" in done.err


def test_a_file_in_the_way_of_the_socket_is_not_removed(place: Any) -> None:
    where = place.runtime / "mnemopi"
    where.mkdir(mode=0o700)
    path = lock.address(where, place.folder)
    path.write_text("mine")
    done = place.run("daemon", "run")
    assert done.status == 8
    assert path.read_text() == "mine"


def test_a_client_that_goes_away_before_its_answer_is_stored_all_the_same(place: Any) -> None:
    place.reside(patch=HANGING.replace("time.sleep(60)", "time.sleep(0.3)"))
    names = {name: place.environment.get(name, "") for name in protocol.GROUND}
    settings = {name: value for name, value in place.environment.items() if name.startswith("MNEMOPI_")}
    link, _ = client.dial(str(place.folder), protocol.hello("cli", names, environment=settings))
    assert link is not None
    link.send({"argv": ["store", "The crane HANGs"], "width": 0})
    until((place.folder / "hangs").exists)
    link.socket.shutdown(socket.SHUT_RDWR)
    link.close()
    until(lambda: place.run("recall", "crane", "--json").json["count"] == 1)
