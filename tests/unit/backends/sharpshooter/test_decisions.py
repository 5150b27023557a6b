"""From a prompt to a line in a file: nothing typed is dropped, nothing is done twice, and failing is not for ever."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mnemopi.errors import NotFoundError, UnavailableError
from mnemopi.model.session import Lesson, SessionRef, Turn

LONG = 5.0
RULE = "No, never use semicolons in this project"


@pytest.fixture
def heard(opened: Any, session: SessionRef) -> Any:
    """Have prompts read, and nothing put into the files yet."""

    def read(*messages: Any) -> None:
        backend = opened()
        backend._hear(session, messages)
        backend._work._may_consolidate = lambda shelf, force: False
        backend.enqueue(session)

    return read


def texts(folder: Path) -> str:
    return (folder / "style.md").read_text()


def test_a_correction_becomes_a_line_that_the_next_session_begins_with(
    opened: Any, session: SessionRef, say: Any
) -> None:
    backend = opened(interval_minutes=0)
    assert backend.start(session, "startup", deadline=LONG).blocks == ()
    backend.turn_end(session, Turn((say(1, RULE), say(2, "Understood."))), deadline=LONG)
    assert backend.enqueue(session).jobs == 0
    assert backend.start(session, "resume", deadline=LONG).blocks == ()
    (block,) = backend.start(SessionRef("pytest", "s2", session.cwd), "startup", deadline=LONG).blocks
    assert f"- Rule: {RULE}" in block.text
    assert block.placement == "prefix"


def test_a_prompt_that_is_told_before_and_after_its_turn_is_read_once(
    opened: Any, session: SessionRef, say: Any, reader: Any
) -> None:
    backend = opened()
    early = replace(say(1, RULE), entry="before it had an id")
    backend.before_prompt(session, early, (), deadline=LONG)
    for _ in range(2):
        opened().turn_end(session, Turn((say(1, RULE), say(2, "Understood."))), deadline=LONG)
    backend.enqueue(session)
    assert "".join(reader.extractions).count(RULE) == 1


def test_a_short_answer_is_read_with_the_end_of_what_it_answers(
    opened: Any, session: SessionRef, say: Any, reader: Any
) -> None:
    backend = opened()
    question = "Much explanation. " * 100 + "\n1) one table\n2) two tables\nWhich one?"
    backend.turn_end(
        session, Turn((say(1, "How shall we store it?"), say(2, question), say(3, "opt 2"))), deadline=LONG
    )
    backend.enqueue(session)
    asked = "".join(reader.extractions)
    assert "<prompt number=2>\nopt 2\n</prompt>" in asked
    assert "2) two tables Which one?" in asked
    assert len(asked) < 4000


def test_prompts_typed_while_a_model_reads_are_read_afterwards(
    opened: Any, session: SessionRef, say: Any, reader: Any
) -> None:
    reading, go_on = threading.Event(), threading.Event()
    answer = reader.complete

    def slow(prompt: str, **options: Any) -> Any:
        reading.set()
        assert go_on.wait(20)
        return answer(prompt, **options)

    reader.complete = slow
    backend = opened()
    backend.turn_end(session, Turn((say(1, RULE),)), deadline=LONG)
    assert reading.wait(20)
    backend.turn_end(session, Turn((say(3, "And no tabs either, again!"),)), deadline=LONG)
    go_on.set()
    for _ in range(200):
        if not backend.enqueue(session).jobs:
            break
        threading.Event().wait(0.05)
    found = [item.content for item in backend.search(session, "rule").items]
    assert any("semicolons" in line for line in found)
    assert any("tabs" in line for line in found)


def test_prompts_without_friction_are_read_several_at_a_time(
    opened: Any, session: SessionRef, say: Any, reader: Any
) -> None:
    backend = opened()
    for number in range(1, 20, 2):
        backend._hear(session, (say(number, f"Please write report number {number}"),))
    assert backend._work.is_due(backend._shelf(session))
    backend.enqueue(session)
    assert len(reader.extractions) == 2


def test_a_model_that_is_out_of_reach_is_asked_again_at_ever_longer_intervals(
    opened: Any, session: SessionRef, say: Any, reader: Any, clock: Any
) -> None:
    reader.failure = UnavailableError("out of reach")
    backend = opened()
    backend._hear(session, (say(1, RULE),))
    run, shelf = backend._work.run, backend._shelf(session)
    asked = []
    for _ in range(60):  # each quarter of an hour
        run(shelf, Path(session.cwd))
        asked.append(len(reader.extractions))
        clock.advance(seconds=900)
    assert [asked[place] for place in (0, 3, 20, 59)] == [1, 3, 6, 8]
    assert "out of reach" in backend.diagnose(session)
    reader.failure = None
    assert backend.enqueue(session).jobs == 0
    assert "out of reach" not in backend.diagnose(session)


def test_a_failing_consolidation_keeps_files_and_queue_and_ends(
    opened: Any, session: SessionRef, say: Any, reader: Any, clock: Any, shelf: Any, heard: Any
) -> None:
    backend = opened()
    backend._hear(session, (say(1, RULE),))
    backend.enqueue(session)
    before = texts(shelf())
    heard(say(3, "And never use tabs in it"))
    reader.answer = json.dumps({"files": [{"name": "style", "content": ""}]})
    for _ in range(3 * 24):
        backend._work.run(backend._shelf(session), Path(session.cwd))
        clock.advance(hours=1)
    assert texts(shelf()) == before
    assert len(backend._shelf(session).deltas()) == 1
    assert 1 + 2 * 4 <= len(reader.consolidations) <= 1 + 2 * 8
    assert "consolidation failed" in backend.diagnose(session)


@pytest.mark.parametrize(
    "files",
    [
        [{"name": "style", "content": ""}],
        [{"name": "other", "content": "- a"}],
        [{"name": "style", "content": "- a"}, {"name": "style", "content": "- b"}],
        [{"name": "style", "content": "- a\n" * 121}],
        [{"name": "style"}],
        "none",
    ],
)
def test_an_answer_that_breaks_the_rules_replaces_nothing(
    opened: Any, session: SessionRef, say: Any, shelf: Any, scripted: Any, heard: Any, files: Any
) -> None:
    first = opened()
    first._hear(session, (say(1, RULE),))
    first.enqueue(session)
    before = texts(shelf())
    heard(say(3, "And never use tabs in it"))
    backend = opened(llm=scripted(json.dumps({"files": files})))
    effect = backend.enqueue(session)
    assert effect.jobs == 1
    assert "cannot be used" in str(effect.degraded)
    assert texts(shelf()) == before


def test_files_of_a_hundred_and_twenty_lines_are_taken_and_secrets_in_them_are_not(
    opened: Any, session: SessionRef, say: Any, shelf: Any, scripted: Any, heard: Any
) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    heard(say(1, RULE))
    content = f"- {secret}\n" + "- a\n" * 119
    opened(llm=scripted(json.dumps({"files": [{"name": "style", "content": content}]}))).enqueue(session)
    written = texts(shelf())
    assert written.count("\n") == 120
    assert secret not in written


def test_a_file_that_a_person_changes_meanwhile_is_theirs(
    opened: Any, session: SessionRef, say: Any, reader: Any, shelf: Any
) -> None:
    backend = opened()
    backend._hear(session, (say(1, RULE),))
    backend.enqueue(session)
    answer = reader.complete

    def edit(prompt: str, *, task: str, **options: Any) -> Any:
        if task == "consolidate":
            (shelf() / "style.md").write_text("- my own words\n")
        return answer(prompt, task=task, **options)

    reader.complete = edit
    backend._hear(session, (say(3, "And never use tabs in it"),))
    assert backend.enqueue(session).jobs == 1
    assert texts(shelf()) == "- my own words\n"
    reader.complete = answer
    assert backend.enqueue(session).jobs == 0
    assert texts(shelf()).startswith("- my own words\n- Rule: And never")


def test_a_rewrite_is_not_made_before_its_time(
    opened: Any, session: SessionRef, say: Any, reader: Any, clock: Any
) -> None:
    backend = opened(interval_minutes=5)
    backend._hear(session, (say(1, RULE),))
    backend.enqueue(session)
    backend._hear(session, (say(3, "And never use tabs in it"),))
    backend._work.run(backend._shelf(session), Path(session.cwd))
    assert len(reader.consolidations) == 1
    clock.advance(seconds=301)
    backend._work.run(backend._shelf(session), Path(session.cwd))
    assert len(reader.consolidations) == 2


def test_the_projects_own_documents_are_shown_to_the_model(
    opened: Any, session: SessionRef, say: Any, reader: Any
) -> None:
    Path(session.cwd, "AGENTS.md").write_text("Write British English. " * 3000)
    backend = opened()
    backend._hear(session, (say(1, RULE),))
    backend.enqueue(session)
    (asked,) = reader.consolidations
    assert "## document AGENTS.md" in asked
    assert len(asked) < 30_000


def test_a_document_that_leads_out_of_the_project_is_not_told_to_the_model(
    opened: Any, session: SessionRef, say: Any, reader: Any, tmp_path: Path
) -> None:
    (tmp_path / "diary").write_text("Dear diary")
    Path(session.cwd, "CLAUDE.md").write_text("Write British English.")
    Path(session.cwd, "AGENTS.md").symlink_to(tmp_path / "diary")
    backend = opened()
    backend._hear(session, (say(1, RULE),))
    backend.enqueue(session)
    Path(session.cwd, "AGENTS.md").unlink()
    Path(session.cwd, "AGENTS.md").symlink_to("CLAUDE.md")
    backend._hear(session, (say(3, RULE + " Truly."),))
    backend.enqueue(session)
    first, second = reader.consolidations
    assert "diary" not in first and "Write British English." in first
    assert "## document AGENTS.md" in second


def test_a_prompt_that_no_answer_fits_is_put_aside_and_holds_up_nothing(
    opened: Any, session: SessionRef, say: Any, reader: Any
) -> None:
    reader.answer = "I would rather talk about it"
    backend = opened()
    backend._hear(session, (say(1, RULE), say(3, "And never use tabs in it")))
    backend.enqueue(session)
    assert len(reader.extractions) == 6
    assert "put aside: 2" in backend.diagnose(session)
    assert backend.enqueue(session).jobs == 0


def test_without_a_model_prompts_with_friction_wait_and_that_is_said(
    opened: Any, session: SessionRef, say: Any, reader: Any
) -> None:
    backend = opened(llm=False)
    told = Turn((say(1, RULE), say(2, "Understood."), say(3, "Please write the report of May")))
    assert backend.turn_end(session, told, deadline=LONG).jobs == 1
    assert "no language model" in str(backend.enqueue(session).degraded)
    assert "no language model" in str(backend.status(session).message)
    (notice,) = backend.start(session, "startup", deadline=LONG).notices
    assert notice.startswith("1 prompts wait")
    assert opened().enqueue(session).jobs == 0
    assert "semicolons" in "".join(reader.extractions)


def test_sessions_with_the_same_ids_overwrite_nothing(opened: Any, session: SessionRef, say: Any, shelf: Any) -> None:
    backend = opened(llm=None)
    others = [replace(session, host="another"), replace(session, id="s/1"), replace(session, id="s-1")]
    for number, each in enumerate([session, *others]):
        backend.turn_end(each, Turn((say(1, f"{RULE}, rule {number}"),)), deadline=LONG)
    waiting = "".join(path.read_text() for path in shelf().glob("prompts/*/*.json"))
    assert [waiting.count(f"rule {number}") for number in range(4)] == [1, 1, 1, 1]


def test_what_is_asked_for_by_name_answers(opened: Any, session: SessionRef, monkeypatch: Any) -> None:
    backend = opened(llm=None, model="small", **{"llm.base_url": "http://127.0.0.1:9/v1", "llm.model": "large"})
    assert "api:small" in backend.diagnose(session)


def test_secrets_are_not_on_disk_and_files_are_their_owners(
    opened: Any, session: SessionRef, say: Any, tmp_path: Path
) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    backend = opened(llm=False)
    backend.turn_end(session, Turn((say(2, f"Use {secret}?"), say(3, f"No, never use {secret}"))), deadline=LONG)
    paths = list((tmp_path / "agent").rglob("*"))
    assert secret not in "".join(path.read_text() for path in paths if path.is_file())
    assert {path.stat().st_mode & 0o077 for path in paths} == {0}


def test_subagents_see_the_decisions_and_add_none(opened: Any, session: SessionRef, say: Any) -> None:
    backend = opened()
    backend._hear(session, (say(1, RULE),))
    backend.enqueue(session)
    child = SessionRef("pytest", "c1", session.cwd, parent="s1")
    assert backend.start(child, "startup", deadline=LONG).blocks
    assert backend.turn_end(child, Turn((say(3, "No, never use tabs in it"),)), deadline=LONG).jobs == 0


def test_what_is_shown_keeps_to_its_limit_and_closes(opened: Any, session: SessionRef, say: Any, shelf: Any) -> None:
    opened(llm=False)._hear(session, (say(1, RULE),))
    (shelf() / "product.md").write_text("- a rule </memories> of the product\n" * 100)
    (block,) = opened(injection_token_limit=200).start(session, "startup", deadline=LONG).blocks
    assert block.tokens <= 200
    assert block.text.endswith("</memories>")
    assert block.text.count("</memories>") == 1
    assert "left out" in block.text


def test_lines_are_found_by_their_words(opened: Any, session: SessionRef, say: Any, shelf: Any) -> None:
    opened(llm=False)._hear(session, (say(1, RULE),))
    (shelf() / "product.md").write_text("# Rules\n- Sums are rounded up\n- Up to three sums a page\n")
    backend = opened()
    found = backend.search(session, "rounded UP").items
    assert [(item.content, item.id, item.source) for item in found] == [
        ("- Sums are rounded up", "product:2", "product")
    ]
    assert [item.id for item in backend.search(session, "sums up").items] == ["product:2", "product:3"]
    assert len(backend.search(session, "sums", limit=1).items) == 1
    assert backend.search(session, " ").message


def test_what_waits_can_be_looked_at(opened: Any, session: SessionRef, say: Any, heard: Any) -> None:
    backend = opened(llm=False)
    assert backend.queue(session) == "Nothing waits."
    backend._hear(session, (say(1, RULE),))
    assert "waiting to be read: 1" in backend.queue(session)
    heard()
    assert f"style_decision: Rule: {RULE} (corrective)" in backend.queue(session)
    assert "deltas waiting: 1" in backend.stats(session)


def test_foreign_files_among_what_waits_are_left_alone(opened: Any, session: SessionRef, say: Any, shelf: Any) -> None:
    backend = opened()
    backend._hear(session, (say(1, RULE),))
    strange = shelf() / "queue" / "s1"
    strange.mkdir(parents=True)
    (strange / "0-broken.json").write_text("{")
    (strange / "notes.txt").write_text("mine")
    assert backend.enqueue(session).jobs == 0
    assert sorted(path.name for path in strange.iterdir()) == ["0-broken.json", "notes.txt"]


def test_clearing_takes_only_this_project_and_can_be_undone(
    opened: Any, session: SessionRef, say: Any, tmp_path: Path, clock: Any
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    neighbour = SessionRef("pytest", "n1", str(other))
    backend = opened()
    for each in (session, neighbour):
        backend._hear(each, (say(1, RULE),))
        backend.enqueue(each)
    backend.start(session, "startup", deadline=LONG)
    assert backend.clear(session).done is False
    assert backend.search(session, "semicolons").items
    cleared = backend.clear(session, dry_run=False)
    assert cleared.until == clock.now + 7 * 86_400_000
    assert backend.search(session, "semicolons").items == ()
    assert backend.start(session, "resume", deadline=LONG).blocks == ()
    assert backend.search(neighbour, "semicolons").items
    backend._hear(session, (say(5, "And never use tabs in it"),))
    backend.enqueue(session)
    assert "put aside" in " ".join(opened().undo_clear(session).lines)
    assert backend.search(session, "semicolons").items
    backend.undo_clear(session)
    assert backend.search(session, "tabs").items
    clock.advance(days=8)
    with pytest.raises(NotFoundError):
        backend.undo_clear(session)


def test_decisions_are_a_persons_and_not_saved_by_an_agent(opened: Any, session: SessionRef) -> None:
    saved = opened().save(session, [Lesson("Use semicolons")])
    assert (saved.stored, saved.queued) == (0, 0)
    assert saved.message
