"""What a session sees of it: the same bytes from its start to its end, and clearing that can be undone."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from stat import S_IMODE

import pytest

from mnemopi.backends.local import clearing, lessons
from mnemopi.backends.local.backend import Local
from mnemopi.backends.means import Means
from mnemopi.errors import NotFoundError, UsageError
from mnemopi.model.session import Lesson
from mnemopi.testing import Asked, ScriptedLLM

RULE = "Always run make check before you commit."


def killed(*_: object) -> None:
    raise KeyboardInterrupt


def begun(machine, local, **more):
    here = machine.here(**more)
    local.start(here, "startup", deadline=1)
    local.work(here)
    return here


def text_of(local, session, reason="resume") -> str:
    return "".join(block.text for block in local.start(session, reason, deadline=1).blocks)


def test_a_session_begins_with_the_same_bytes_however_often_it_is_resumed(machine) -> None:
    local = machine.local()
    local.save(machine.here("before"), [Lesson("The harbour master is called Ines")])
    here = machine.here()
    first = text_of(local, here, "startup")
    assert "Ines" in first
    local.save(here, [Lesson("The lighthouse is red")])
    machine.past("s1", [RULE])
    local.enqueue(here)
    assert text_of(local, here) == text_of(machine.local(), here, "compact") == first
    assert first in local.view(here)
    assert "lighthouse" in text_of(local, machine.here("next"), "startup")
    assert "lighthouse" in text_of(local, here, "clear") and RULE in text_of(local, here)


def test_summary_and_lessons_share_their_budget_and_the_summary_comes_first(machine) -> None:
    machine.past(
        "s1", [f"I prefer wine number {number} from the {number}th hill." for number in range(60) for _ in "ab"]
    )
    local = machine.local(summary_injection_token_limit=120)
    local.save(machine.here("before"), [Lesson(f"lesson {number} " + "x" * 60) for number in range(9)])
    begun(machine, local)
    block = text_of(local, machine.here("next"), "startup")
    assert "wine number" in block and "lesson 8" in block and "lesson 0" not in block
    assert len(block) < 120 * 4 + 200
    assert text_of(machine.local(summary_injection_token_limit=0), machine.here("none"), "startup") == ""


def test_a_summary_that_a_person_made_long_is_cut_in_its_middle(machine) -> None:
    machine.root().mkdir(parents=True)
    (machine.root() / "memory_summary.md").write_text("begin " + "word " * 5000 + "end")
    block = text_of(machine.local(summary_injection_token_limit=256), machine.here(), "startup")
    assert "begin" in block and "end\n" in block and "characters left out" in block
    assert len(block) < 256 * 4 + 300


def test_a_summary_that_takes_the_budget_leaves_none_for_lessons(machine) -> None:
    machine.root().mkdir(parents=True)
    (machine.root() / "memory_summary.md").write_text("word " * 5000)
    local = machine.local(summary_injection_token_limit=256)
    local.save(machine.here("before"), [Lesson("The harbour master is called Ines, and has been for many years now")])
    assert "Ines" not in text_of(local, machine.here(), "startup")


def test_no_text_can_end_the_block_that_it_stands_in(machine) -> None:
    local = machine.local()
    local.save(machine.here("before"), [Lesson("say </memories> <memories> and List<int>")])
    block = text_of(local, machine.here(), "startup")
    assert (block.count("<memories"), block.count("</memories>")) == (1, 1)
    assert "List<int>" in block


def test_a_subagent_reads_and_neither_writes_nor_works(machine) -> None:
    local = machine.local()
    local.save(machine.here("before"), [Lesson("The harbour master is called Ines")])
    machine.past("s1", [RULE])
    child = machine.here("child", parent="now")
    effect = local.start(child, "startup", deadline=1)
    assert "Ines" in effect.blocks[0].text and effect.jobs == 0
    assert local.enqueue(child).degraded
    assert not local.status(child).writable
    with pytest.raises(UsageError):
        local.save(child, [Lesson("mine")])
    assert machine.text("MEMORY.md") == ""


def test_clearing_says_what_it_takes_takes_only_that_and_can_be_undone(machine) -> None:
    machine.past("s1", [RULE])
    machine.past("s2", ["I prefer tabs."], project="other")
    local = machine.local()
    here, there = begun(machine, local), begun(machine, local, id="there", project="other")
    local.save(here, [Lesson("The harbour master is called Ines")])
    before = {path: path.read_bytes() for path in machine.root().rglob("*") if path.is_file()}
    preview = local.clear(here)
    assert not preview.done and any("1 lessons" in line for line in preview.lines)
    assert {path: path.read_bytes() for path in machine.root().rglob("*") if path.is_file()} == before

    done = local.clear(here, dry_run=False)
    assert done.done and done.until == machine.clock.now + 7 * 24 * 3_600_000
    assert not machine.root().exists() and text_of(local, here) == ""
    assert "tabs" in machine.text("MEMORY.md", "other") and local.search(there, "tabs").items
    assert local.enqueue(here).notices == ("0 sessions read",), "what was cleared is not read again"

    machine.clock.advance(hours=24 * 6)
    local.save(here, [Lesson("The lighthouse is red")])
    assert local.undo_clear(here).done
    after = {path: path.read_bytes() for path in machine.root().rglob("*") if path.is_file()}
    assert after.keys() == before.keys()
    assert {p for p in before if before[p] != after[p]} == {machine.root() / lessons.FILE}
    assert [line[2:6] for line in lessons.of(machine.text(lessons.FILE))] == ["The ", "The "]
    with pytest.raises(NotFoundError):
        local.undo_clear(here)
    local.enqueue(here)
    assert {path: path.read_bytes() for path in machine.root().rglob("*") if path.is_file()} == after


def test_undo_of_a_clearing_that_was_killed_midway_takes_nothing_away(machine, monkeypatch) -> None:
    machine.past("s1", [RULE])
    local = machine.local()
    here = begun(machine, local)
    local.save(here, [Lesson("The harbour master is called Ines")])
    before = {path: path.read_bytes() for path in machine.root().rglob("*") if path.is_file()}
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(clearing, "_move", killed)
        local.clear(here, dry_run=False)
    machine.clock.advance(hours=1)
    assert local.undo_clear(here).done
    assert {path: path.read_bytes() for path in machine.root().rglob("*") if path.is_file()} == before


def test_a_week_after_it_was_cleared_it_is_gone(machine) -> None:
    local, here = machine.local(), machine.here()
    local.save(here, [Lesson("The harbour master is called Ines")])
    local.clear(here, dry_run=False)
    machine.clock.advance(days=7.1)
    with pytest.raises(NotFoundError):
        local.undo_clear(here)
    local.start(here, "resume", deadline=1)
    data = machine.folder / "data"
    assert all(b"Ines" not in path.read_bytes() for path in data.rglob("*") if path.is_file())


def test_what_was_said_after_clearing_is_read(machine) -> None:
    machine.past("s1", [RULE])
    local = machine.local()
    here = begun(machine, local)
    local.clear(here, dry_run=False)
    machine.clock.advance(days=2)
    machine.past("s2", ["I prefer tabs."])
    begun(machine, local)
    assert "tabs" in machine.text("MEMORY.md") and RULE not in machine.text("MEMORY.md")


@pytest.mark.parametrize("task", ["stage1", "stage2"])
def test_a_clearing_in_the_middle_of_the_work_is_not_undone_by_it(
    machine, answering: Callable[..., ScriptedLLM], task: str
) -> None:
    machine.past("s1", [RULE])
    good = answering(put=[{"heading": "Rules", "body": "- a", "sessions": []}])
    cleared: list[bool] = []

    def line(asked: Asked) -> str:
        if asked.task == task and not cleared:
            cleared.append(local.clear(here, dry_run=False).done)
        return good.complete(**asked._asdict()).text

    local, here = machine.local(ScriptedLLM([line])), machine.here()
    local.start(here, "startup", deadline=1)
    local.work(here)
    assert cleared == [True]
    assert not machine.root().exists()
    assert local.queue(here) == "Nothing waits."


def test_work_goes_on_beside_the_host_and_ends_with_it(machine) -> None:
    before = set(threading.enumerate())
    machine.past("s1", [RULE])
    local = machine.local(background=True)
    effect = local.start(machine.here(), "startup", deadline=1)
    assert effect.jobs == 1
    for thread in set(threading.enumerate()) - before:
        if thread.name == "mnemopi-local":  # a heart may be on the list before it beats
            thread.join(20)
    assert RULE in machine.text("MEMORY.md")
    local.close()
    local.close()
    assert set(threading.enumerate()) <= before
    with pytest.raises(UsageError):
        local.start(machine.here(), "startup", deadline=1)


def test_projects_are_worked_on_one_after_the_other(machine) -> None:
    before = set(threading.enumerate())
    local = machine.local(background=True)
    for project in ("shop", "other", "third"):
        machine.past(f"s-{project}", [RULE], project=project)
        local.start(machine.here(project, project=project), "startup", deadline=1)
    for thread in set(threading.enumerate()) - before:
        if thread.name == "mnemopi-local":  # a heart may be on the list before it beats
            thread.join(20)
    assert all(RULE in machine.text("MEMORY.md", project) for project in ("shop", "other", "third"))


def test_a_process_for_one_event_asks_no_model(machine) -> None:
    machine.past("s1", [RULE])
    llm = ScriptedLLM(["an answer that nobody would wait for"])
    config = machine.local()._config
    local = Local(Means(config, machine.clock, llm), scope_of=lambda cwd: Path(cwd).name)
    assert local.start(machine.here(), "startup", deadline=1).jobs == 1
    local.close()
    assert llm.asked == []
    (job,) = machine.local()._ready().file.jobs.list("shop")
    assert (job.status, job.attempts) == ("waiting", 0)


def test_closing_gives_back_what_is_not_done(machine, answering: Callable[..., ScriptedLLM]) -> None:
    machine.past("s1", [RULE])
    asked_for, go_on, good = threading.Event(), threading.Event(), answering()

    def line(asked: Asked) -> str:
        asked_for.set()
        go_on.wait(20)
        return good.complete(**asked._asdict()).text

    before = set(threading.enumerate())
    local = machine.local(ScriptedLLM([line]), background=True)
    local.start(machine.here(), "startup", deadline=1)
    assert asked_for.wait(20)
    local.close()
    other = machine.local(good)
    (job,) = other._ready().file.jobs.list("shop")
    assert (job.status, job.attempts) == ("waiting", 0)
    go_on.set()
    for thread in set(threading.enumerate()) - before:
        if thread.name == "mnemopi-local":  # a heart may be on the list before it beats
            thread.join(20)
    assert other._ready().file.jobs.list("shop") == [job], "who was closed writes nothing any more"
    other.start(machine.here(), "startup", deadline=1)
    assert other.work(machine.here()).sessions == 1


def test_a_claim_that_is_at_work_says_so(machine, answering: Callable[..., ScriptedLLM]) -> None:
    machine.past("s1", [RULE])
    good = answering()
    seen: list[int] = []

    def line(asked: Asked) -> str:
        file = local._ready().file
        if asked.task == "stage1":
            (job,) = file.jobs.list("shop")
            machine.clock.advance(seconds=100)
            for _ in range(2000):
                (now,) = file.jobs.list("shop")
                if now.lease_until > job.lease_until:
                    seen.append(now.lease_until - machine.clock.now)
                    break
                threading.Event().wait(0.01)
        return good.complete(**asked._asdict()).text

    local = machine.local(ScriptedLLM([line]), phase2_heartbeat_seconds=0.05, stage1_lease_seconds=70)
    begun(machine, local)
    assert seen == [70_000]


def test_files_are_their_owners_alone(machine) -> None:
    machine.past("s1", [RULE])
    local = machine.local()
    local.save(begun(machine, local), [Lesson("one")])
    for path in (machine.folder / "data").rglob("*"):
        assert S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_what_was_known_of_a_project_follows_it_into_another(machine) -> None:
    from mnemopi.projects import identity
    from mnemopi.projects.registry import Registry

    machine.past("s1", [RULE], project="old")
    local = machine.local(named=False)
    old = begun(machine, local, project="old")
    local.save(old, [Lesson("The harbour master is called Ines")])
    here = machine.here("new")
    assert not local.search(here, "harbour master").items
    folders = [identity.identify(machine.project(name)) for name in ("shop", "old")]
    Registry(machine.folder / "data" / "agent").merge(*folders)
    block = text_of(local, here, "startup")
    assert "Ines" in block and local.search(here, "harbour master").items
    assert local.work(here).documents
    assert any(RULE in item.content for item in local.search(here, "make check commit").items)
    assert RULE in text_of(local, machine.here("later"), "startup")
