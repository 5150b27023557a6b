"""Killed in the middle: nothing is half there, what was not done is done later, and nothing is tried for ever."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from mnemopi.backends.local import publish
from mnemopi.backends.local.kit import ATTEMPTS
from mnemopi.storage import private

RULE = "Always run make check before you commit."

HANGING = """
import sys, time
from pathlib import Path
from mnemopi.backends.local.backend import Local
from mnemopi.backends.means import Means
from mnemopi.config import Config
from mnemopi.model.session import SessionRef
from mnemopi.testing import FixedClock
folder, cwd, now, llm = sys.argv[1:]
def hang(prompt):
    print("asked", flush=True)
    time.sleep(600)
given = {f"memories.{host}_sessions": f"{folder}/{host}" for host in ("claude", "codex", "omp")}
config = Config.load({**given, "storage.data_dir": f"{folder}/data", "memories.stage1_lease_seconds": 60,
                      "memories.phase2_lease_seconds": 60})
means = Means(config, FixedClock(int(now)), hang if llm == "llm" else False)
local = Local(means, background=False, scope_of=lambda cwd: Path(cwd).name)
session = SessionRef("claude-code", "child", cwd)
local.start(session, "startup", deadline=1)
print("begun", flush=True)
local.work(session)
print("done", flush=True)
"""
PUBLISHING = """
import sys
from pathlib import Path
from mnemopi.backends.local.places import Project
from mnemopi.backends.local import publish
project = Project("p", Path(sys.argv[1]) / "p")
number = 0
while True:
    number += 1
    with project.locked():
        texts = {name: f"{number}\\n" * 2000 for name in ("a.md", "b/c.md", "d.md")}
        publish.publish(project.root, texts | {"e.md": f"{number}" if number % 2 else None})
    print(number, flush=True)
"""


def child(program: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def killed_when_it_says(word: str, process: subprocess.Popen[str], patience: float = 0) -> None:
    with process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.strip() == word:
                break
        time.sleep(patience)
        process.send_signal(signal.SIGKILL)


def test_a_session_whose_reading_kills_its_process_is_given_up(machine, answering) -> None:
    machine.past("s1", [RULE])
    for attempt in range(1, ATTEMPTS + 1):
        killed_when_it_says("asked", child(HANGING, machine.folder, machine.project(), machine.clock.now, "llm"))
        local = machine.local(answering())
        (job,) = local._ready().file.jobs.list("shop")
        assert (job.attempts, job.state(machine.clock.now, ATTEMPTS)) == (attempt, "running")
        local.start(machine.here(), "startup", deadline=1)
        assert local.work(machine.here()).sessions == 0, "the lease holds"
        machine.clock.advance(seconds=61)
    assert local.work(machine.here()).sessions == 0
    assert "given up | 3 of 3" in local.queue(machine.here())
    assert local.enqueue(machine.here()).notices == ("1 sessions read, documents written",)


def test_what_a_killed_process_held_is_taken_up_after_its_lease(machine, answering) -> None:
    machine.past("s1", [RULE])
    killed_when_it_says("asked", child(HANGING, machine.folder, machine.project(), machine.clock.now, "llm"))
    machine.clock.advance(seconds=61)
    put = [{"heading": "Read", "body": "- it was", "sessions": []}]
    local = machine.local(answering(put=put, summary="it was read"))
    local.start(machine.here(), "startup", deadline=1)
    assert local.work(machine.here()).sessions == 1
    assert machine.text("memory_summary.md") == "it was read\n"


def test_kills_at_any_moment_change_nothing_of_what_comes_out(machine, tmp_path: Path) -> None:
    chance = random.Random(7)
    for number in range(40):
        machine.past(f"s{number}", [f"I prefer wine number {number}. {RULE}"], hours=20 + number)
    for _ in range(4):
        process = child(HANGING, machine.folder, machine.project(), machine.clock.now, "none")
        killed_when_it_says("begun", process, chance.uniform(0, 0.25))
        machine.clock.advance(seconds=61)
        whole = {path.name for path in machine.root().glob("*.md")} if machine.root().exists() else set()
        assert whole in (set(), {"MEMORY.md"}, {"MEMORY.md", "memory_summary.md", "raw_memories.md"})
    local = machine.local()
    local.enqueue(machine.here())
    after = {name: machine.text(name) for name in ("MEMORY.md", "memory_summary.md", "raw_memories.md")}
    assert all(f"I prefer wine number {number}." in after["MEMORY.md"] for number in range(40))
    assert after["MEMORY.md"].count(RULE) == 1
    assert not publish.is_half_done(machine.root())
    assert local.queue(machine.here()) == "Nothing waits."


def test_processes_that_work_at_the_same_time_read_each_session_once(machine) -> None:
    for number in range(30):
        machine.past(f"s{number}", [f"I prefer wine number {number}."], hours=20 + number)
    running = [child(HANGING, machine.folder, machine.project(), machine.clock.now, "none") for _ in range(3)]
    said = [process.communicate(timeout=120)[0] for process in running]
    assert [text.split() for text in said] == [["begun", "done"]] * 3
    local = machine.local()
    local.enqueue(machine.here())
    lines = machine.text("MEMORY.md").splitlines()
    assert sum(line.startswith("- I prefer wine number ") for line in lines) == 30
    assert local.queue(machine.here()) == "Nothing waits."


def test_files_that_belong_together_are_all_there_or_none(tmp_path: Path) -> None:
    chance, root = random.Random(11), tmp_path / "p"
    for _ in range(4):
        process = child(PUBLISHING, tmp_path)
        killed_when_it_says("2", process, chance.uniform(0, 0.05))
        with private.locked(root):
            publish.recover(root)
        texts = {name: (root / name).read_text() for name in ("a.md", "b/c.md", "d.md")}
        assert len(set(texts.values())) == 1
        number = int(texts["a.md"].split()[0])
        assert (root / "e.md").exists() == bool(number % 2)
        assert not publish.is_half_done(root)


def test_a_list_that_was_not_written_leaves_everything_as_it_was(tmp_path: Path) -> None:
    root = tmp_path / "p"
    publish.publish(root, {"a.md": "old"})
    staged = root / ".staged-x"
    staged.mkdir()
    (staged / "0.new").write_text("new")
    assert publish.is_half_done(root) and publish.recover(root)
    assert (root / "a.md").read_text() == "old" and not staged.exists()


def test_a_list_that_was_written_is_finished(tmp_path: Path) -> None:
    root = tmp_path / "p"
    publish.publish(root, {"a.md": "old", "b/c.md": "old", "d.md": "old"})
    staged = root / ".staged-x"
    staged.mkdir()
    (staged / "0.new").write_text("new")
    (staged / "list.json").write_text('{"a.md": "0.new", "b/c.md": null, "d.md": "1.new"}')
    (root / "d.md").write_text("put in place before the kill")
    publish.recover(root)
    assert (root / "a.md").read_text() == "new"
    assert not (root / "b").exists()
    assert (root / "d.md").read_text() == "put in place before the kill"
