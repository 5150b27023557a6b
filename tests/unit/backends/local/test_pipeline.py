"""Past sessions become documents: by a language model, by rules, a part at a time, whatever goes wrong on the way."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from mnemopi.backends.local import accounts, pieces
from mnemopi.errors import BudgetError, RefusedError, UnavailableError
from mnemopi.model.session import Message, Turn
from mnemopi.testing import Asked, ScriptedLLM

Answering = Callable[..., ScriptedLLM]
RULE = "Always run make check before you commit."


def asked_for(llm: ScriptedLLM, task: str) -> list[Asked]:
    return [each for each in llm.asked if each.task == task]


def section(heading: str, body: str, *sessions: str) -> dict[str, Any]:
    return {"heading": heading, "body": body, "sessions": list(sessions)}


def run(machine, local, **more: Any):
    here = machine.here(**more)
    local.start(here, "startup", deadline=1)
    return local.work(here)


def test_without_a_model_what_was_stated_stands_in_the_words_of_who_stated_it(machine) -> None:
    machine.past("s1", [f"{RULE} Why does it fail?", "Because of tabs.", "I prefer tabs over spaces.", "ok"])
    machine.past("s2", ["We decided to go with Redis for the queue. The staging port is 5433."], hours=20)
    local = machine.local()
    done = run(machine, local)
    assert (done.sessions, done.documents, done.failures) == (2, True, 0)
    assert machine.text("MEMORY.md") == (
        f"## Rules\n\n- {RULE} _(s1)_\n\n## Preferences\n\n- I prefer tabs over spaces. _(s1)_\n\n"
        "## Decisions\n\n- We decided to go with Redis for the queue. _(s2)_\n\n"
        "## Facts\n\n- The staging port is 5433. _(s2)_\n"
    )
    assert RULE in machine.text("memory_summary.md")
    assert "no language model" in (local.status(machine.here()).message or "")
    assert run(machine, local).sessions == 0, "nothing is read twice"


def test_a_model_changes_sections_and_says_what_they_rest_on(machine, answering: Answering) -> None:
    machine.past("s1", ["Ship it with make ship.", "Done."])
    llm = answering(put=[section("Deploying", "- make ship", "s1", "unheard-of")], summary="Ship with make ship.")
    local = machine.local(llm)
    assert run(machine, local).documents
    assert machine.text("MEMORY.md") == "## Deploying\n\n- make ship\n\n_Sources: s1_\n"
    assert machine.text("memory_summary.md") == "Ship with make ship.\n"
    assert "- Deploy with make ship." in machine.text("raw_memories.md")
    assert "About it." in machine.text("rollout_summaries/s1-about_it.md")
    (asked,) = asked_for(llm, "stage1")
    assert "USER: Ship it with make ship." in asked.prompt and "ASSISTANT: Done." in asked.prompt
    block = local.start(machine.here("next"), "startup", deadline=1).blocks[0].text
    assert "Ship with make ship." in block and str(machine.folder) not in block


def test_what_is_known_is_not_lost_when_a_later_session_says_nothing_of_it(machine, answering: Answering) -> None:
    machine.past("s1", ["Ship it with make ship."])
    run(machine, machine.local(answering(put=[section("Deploying", "- make ship", "s1")])))
    machine.past("s2", ["The port is 8080."], hours=20)
    llm = answering(put=[section("Ports", "- 8080", "s2")])
    run(machine, machine.local(llm))
    assert machine.text("MEMORY.md") == (
        "## Deploying\n\n- make ship\n\n_Sources: s1_\n\n## Ports\n\n- 8080\n\n_Sources: s2_\n"
    )
    (change,) = [each for each in asked_for(llm, "stage2") if "put" in each.schema["properties"]]
    assert "- make ship" in change.prompt and "## s2" in change.prompt and "## s1" not in change.prompt


def test_a_long_session_is_read_part_by_part_and_nothing_of_it_is_left_out(machine, answering: Answering) -> None:
    said = [f"Fact number {number}: " + "words of all kinds " * 40 for number in range(24)]
    machine.past("s1", said)
    llm = answering()
    run(machine, machine.local(llm, phase1_input_token_limit=512))
    told = "\n".join(each.prompt for each in asked_for(llm, "stage1"))
    assert all(f"Fact number {number}:" in told for number in range(24))
    assert any("notes on the parts" in each.prompt for each in asked_for(llm, "stage1"))


def test_a_part_takes_no_more_than_its_share_of_what_a_model_takes(machine, answering: Answering) -> None:
    machine.past("s1", ["word " * 8000])
    llm = answering()
    run(
        machine,
        machine.local(llm, phase1_input_token_limit=100_000, fallback_token_limit=4000, rollout_payload_percent=0.5),
    )
    parts = [each for each in asked_for(llm, "stage1") if "part " in each.prompt]
    assert len(parts) == 6
    assert all(len(each.prompt) < 2000 * 4 + 2000 for each in parts)
    assert {each.max_tokens for each in parts} == {1024}


def test_a_session_that_grew_is_read_on_and_not_again(machine, answering: Answering) -> None:
    said = [f"Fact number {number}: " + "words of all kinds " * 40 for number in range(12)]
    machine.past("s1", said)
    local = machine.local(llm := answering(), phase1_input_token_limit=512)
    run(machine, local)
    before = len(llm.asked)
    machine.clock.advance(days=2)
    machine.past("s1", [*said, "One more fact."])
    run(machine, local)
    reading = [each for each in llm.asked[before:] if each.task == "stage1" and "<<<" in each.prompt]
    assert not any("Fact number 0:" in each.prompt for each in reading)
    assert any("One more fact." in each.prompt for each in reading)


def test_an_answer_of_another_shape_is_asked_for_once_more(machine, answering: Answering) -> None:
    machine.past("s1", ["Ship it with make ship."])
    good = answering()
    llm = ScriptedLLM(['{"rollout_summary": "x"}', lambda asked: good.complete(**asked._asdict()).text])
    assert run(machine, machine.local(llm)).failures == 0
    assert "has no fit member `rollout_slug`" in llm.asked[1].prompt


def test_a_session_that_a_model_cannot_tell_of_is_given_up_and_read_by_rules(machine) -> None:
    machine.past("s1", [RULE])
    local = machine.local(ScriptedLLM(["no json"]), stage1_retry_delay_seconds=10)
    waits = []
    for attempt in range(3):
        assert run(machine, local).failures == (1 if attempt < 2 else 2), "in the end rules do it; the documents wait"
        assert run(machine, local).failures == 0, "it waits"
        (job,) = [job for job in local._ready().file.jobs.list("shop") if job.kind == "session"]
        waits.append(job.due_at - machine.clock.now)
        machine.clock.advance(seconds=waits[-1] / 1000)
    assert waits == [10_000, 20_000, 40_000]
    assert f"- (instruction) {RULE}" in (local._ready().file.sessions.account("claude-code:s1") or no()).memory
    assert "given up" in local.queue(machine.here())
    assert "cannot be used" in local.diagnose(machine.here())
    for _ in range(2):
        machine.clock.advance(hours=7)
        assert run(machine, local).failures == 1, "the documents are tried, the session is not"
    assert RULE in machine.text("MEMORY.md"), "rules write the documents in the end, too"


def no() -> Any:
    raise AssertionError("there is none")


@pytest.mark.parametrize("error", [UnavailableError("no route"), RefusedError("no", status=401), BudgetError("spent")])
def test_a_model_out_of_reach_costs_no_attempt_and_nothing_else_is_asked(machine, error: Exception) -> None:
    for number in range(4):
        machine.past(f"s{number}", [RULE], hours=20 + number)
    local = machine.local(llm := ScriptedLLM([error]), stage1_retry_delay_seconds=60)
    for _ in range(5):
        done = run(machine, local)
        assert done.error and done.sessions == 0
        machine.clock.advance(seconds=61)
    jobs = local._ready().file.jobs.list("shop")
    assert {(job.attempts, job.status) for job in jobs} == {(0, "waiting")}
    assert len(llm.asked) <= 5 * 4
    assert local.enqueue(machine.here()).degraded


def test_what_an_hour_may_cost_is_kept_to(machine, answering: Answering) -> None:
    for number in range(6):
        machine.past(f"s{number}", [RULE], hours=20 + number)
    llm = answering()
    local = machine.local(llm, llm__calls_per_hour=4, stage1_concurrency=1, stage1_retry_delay_seconds=1)
    assert "budget" in run(machine, local).error
    assert len(llm.asked) == 4
    assert "4 calls" in local.stats(machine.here())
    machine.clock.advance(hours=2)
    run(machine, local)
    assert len(llm.asked) == 8


def test_secrets_are_told_to_no_model_and_stand_in_no_file(machine, answering: Answering) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    machine.past("s1", [f"I use the token {key} to push."])
    llm = answering(memory=f"- token {key}", summary=f"token {key}")
    run(machine, machine.local(llm))
    run(machine, machine.local())
    assert all(key not in each.prompt for each in llm.asked)
    assert all(key.encode() not in path.read_bytes() for path in (machine.folder / "data").rglob("*") if path.is_file())


def test_what_memory_itself_put_into_a_session_is_not_read_back(machine) -> None:
    machine.past("s1", [f"<memories>\n- I prefer vim over emacs.\n</memories>\n{RULE}"])
    run(machine, machine.local())
    assert RULE in machine.text("MEMORY.md") and "vim" not in machine.text("MEMORY.md")


def test_sessions_are_read_when_they_rest_and_not_when_they_are_old(machine) -> None:
    machine.past("young", ["I prefer young wine."], hours=2)
    machine.past("ripe", ["I prefer ripe wine."], hours=50)
    machine.past("old", ["I prefer old wine."], hours=24 * 9)
    local = machine.local(min_rollout_idle_hours=3, max_rollout_age_days=7)
    assert run(machine, local).sessions == 1
    assert "ripe" in machine.text("MEMORY.md")
    local.enqueue(machine.here())
    assert "young" in machine.text("MEMORY.md") and "old wine" not in machine.text("MEMORY.md")


def test_the_session_that_goes_on_is_not_read(machine) -> None:
    path = machine.past("now", [RULE], hours=20)
    assert run(machine, machine.local(), transcript=str(path)).sessions == 0


def test_only_so_many_files_are_looked_at_and_sessions_read_in_one_go(machine) -> None:
    for number in range(6):
        machine.past(f"s{number}", [f"I prefer wine number {number}."], hours=20 + number)
    assert run(machine, machine.local(thread_scan_limit=2)).sessions == 2
    local = machine.local(max_rollouts_per_startup=1)
    assert run(machine, local).sessions == 1
    assert local.enqueue(machine.here()).notices == ("3 sessions read, documents written",)


def test_no_more_than_so_many_sessions_are_shown(machine) -> None:
    for number in range(4):
        machine.past(f"s{number}", [f"I prefer wine number {number}."], hours=20 + number)
    run(machine, machine.local(max_raw_memories_for_global=2))
    assert machine.text("raw_memories.md").count("## ") == 2


def test_sessions_of_other_projects_are_left_to_them(machine) -> None:
    machine.past("s1", ["I prefer tabs."], project="shop")
    machine.past("s2", ["I prefer spaces."], project="other")
    local = machine.local()
    run(machine, local)
    assert "spaces" not in machine.text("MEMORY.md")
    run(machine, local, id="there", project="other")
    assert "tabs" not in machine.text("MEMORY.md", "other") and "spaces" in machine.text("MEMORY.md", "other")


def test_what_a_session_took_back_goes_from_the_documents(machine) -> None:
    machine.past("s1", [RULE, "ok", "I prefer tabs."])
    local = machine.local()
    run(machine, local)
    machine.clock.advance(days=1)
    machine.past("s1", ["I prefer tabs."])
    run(machine, local)
    assert RULE not in machine.text("MEMORY.md") and "tabs" in machine.text("MEMORY.md")
    machine.clock.advance(days=1)
    machine.past("s1", ["hello"])
    run(machine, local)
    assert machine.text("MEMORY.md") == machine.text("memory_summary.md") == ""
    assert "None yet." in machine.text("raw_memories.md")


def test_a_model_reads_again_what_rules_had_read(machine, answering: Answering) -> None:
    machine.past("s1", [RULE])
    run(machine, machine.local())
    llm = answering(put=[section("Rules", "- make check first", "s1")])
    assert run(machine, machine.local(llm)).sessions == 1
    assert "make check first" in machine.text("MEMORY.md")
    assert run(machine, machine.local()).sessions == 0, "rules do not read again what a model has read"


def test_what_a_person_wrote_into_a_document_survives_a_model_that_rewrites_it(machine, answering: Answering) -> None:
    machine.past("s1", [RULE])
    run(machine, machine.local(answering(put=[section("Rules", "- a\n- b", "s1")], summary="a and b")))
    path = machine.root() / "MEMORY.md"
    path.write_text(path.read_text().replace("- b", "- mine"))
    machine.past("s2", [RULE], hours=20)
    run(machine, machine.local(answering(put=[section("Rules", "- b\n- c", "s2")])))
    assert "## Rules\n\n- c\n- mine\n" in machine.text("MEMORY.md")
    machine.past("s3", [RULE], hours=19)
    run(machine, machine.local(answering(put=[section("Rules", "- b\n- d", "s3")])))
    assert "## Rules\n\n- d\n- mine\n" in machine.text("MEMORY.md")


def test_a_playbook_that_a_person_changed_is_theirs(machine, answering: Answering) -> None:
    def skill(content: str, name: str = "Ship It!") -> list[dict[str, str]]:
        return [{"name": name, "content": content}]

    machine.past("s1", [RULE])
    run(machine, machine.local(answering(skills=[*skill("# Ship"), *skill("x", "../..")])))
    assert [path.name for path in (machine.root() / "skills").iterdir()] == ["ship-it"]
    machine.past("s2", [RULE], hours=20)
    run(machine, machine.local(answering(skills=skill("# Ship twice"))))
    assert machine.text("skills/ship-it/SKILL.md") == "# Ship twice\n"
    (machine.root() / "skills/ship-it/SKILL.md").write_text("# My way\n")
    machine.past("s3", [RULE], hours=19)
    run(machine, machine.local(answering(skills=skill("# Ship thrice"), drop=["ship-it"])))
    assert machine.text("skills/ship-it/SKILL.md") == "# My way\n"


def test_a_document_too_long_to_be_shown_keeps_the_sections_that_were_not(machine, answering: Answering) -> None:
    machine.past("s1", [RULE])
    many = [section(f"Topic {number}", f"- {'words ' * 200}{number}", "s1") for number in range(20)]
    run(machine, machine.local(answering(put=many)))
    before = machine.text("MEMORY.md")
    machine.past("s2", [RULE], hours=20)
    llm = answering(put=[section("Topic 19", "- new", "s2")], memory="- about nothing of that")
    run(machine, machine.local(llm, phase1_input_token_limit=1000))
    (change,) = [each for each in llm.asked if each.schema and "put" in each.schema["properties"]]
    assert "Further sections" in change.prompt and len(change.prompt) < 8000
    assert all(line in machine.text("MEMORY.md") for line in before.splitlines() if line.startswith("- "))


def test_a_host_that_keeps_no_file_has_its_sessions_read_too(machine) -> None:
    local = machine.local()
    here = machine.here("bare", transcript=None)
    messages = (Message("e1", "user", RULE, machine.clock.now), Message("e2", "assistant", "ok", machine.clock.now))
    for _ in range(2):
        local.turn_end(here, Turn(messages), deadline=1)
    local.before_compaction(here, (*messages, Message("e3", "user", "I prefer tabs.")), deadline=1)
    (path,) = (machine.folder / "data" / "agent" / "sessions").glob("*/*.jsonl")
    assert len(path.read_text().splitlines()) == 4
    local.turn_end(machine.here("child", transcript=None, parent="bare"), Turn(messages), deadline=1)
    os.utime(path, (machine.clock.now / 1000 - 60,) * 2)
    later = machine.here("later")
    local.enqueue(later)
    assert RULE in machine.text("MEMORY.md") and "tabs" in machine.text("MEMORY.md")
    machine.clock.advance(days=10_000)
    local.start(later, "startup", deadline=1)
    assert not path.exists()


def test_sessions_are_read_several_at_a_time(machine, answering: Answering) -> None:
    for number in range(3):
        machine.past(f"s{number}", [RULE], hours=20 + number)
    together, good = threading.Barrier(3, timeout=20), answering()

    def line(asked: Asked) -> str:
        if asked.task == "stage1":
            together.wait()
        return good.complete(**asked._asdict()).text

    assert run(machine, machine.local(ScriptedLLM([line]), stage1_concurrency=3)).sessions == 3


def test_a_cut_of_a_session_is_the_same_as_far_as_it_went() -> None:
    said = [Message(f"e{number}", "user", f"message {number} " * 60) for number in range(30)]
    whole = [each.digest for each in pieces.pieces(said, 700)]
    part = [each.digest for each in pieces.pieces(said[:20], 700)]
    assert part[:-1] == whole[: len(part) - 1]
    assert len(whole) > len(part) > 3


def test_notes_are_joined_until_one_is_left(answering: Answering) -> None:
    from mnemopi.backends.asking import Asker

    kept: dict[str, str] = {}
    llm = answering(memory="- x" * 300)
    parts = [pieces.piece(f"part {number}") for number in range(9)]
    asker = Asker(llm, 100, 1, 256)
    notes, used = accounts.by_model(asker, parts, accounts.Known(kept, kept.__setitem__))
    assert notes.memory == "- x" * 300
    assert used == set(kept)
    before = len(llm.asked)
    assert accounts.by_model(asker, parts, accounts.Known(kept, kept.__setitem__))[0] == notes
    assert len(llm.asked) == before


def test_an_answer_in_a_fence_or_among_prose_is_read(machine, answering: Answering) -> None:
    told = json.dumps({"rollout_summary": "s", "rollout_slug": None, "raw_memory": "- m"})
    for answer in (f"```json\n{told}\n```", f"Here it is: {told} - done"):
        llm = ScriptedLLM([answer])
        from mnemopi.backends.asking import Asker

        notes, _ = accounts.by_model(Asker(llm, 9, 1, 256), [pieces.piece("x")], accounts.Known({}, lambda a, b: None))
        assert (notes.summary, notes.memory) == ("s", "- m")


def test_documents_that_fail_wait_longer_each_time_and_rules_write_them_in_the_end(machine) -> None:
    machine.past("s1", [RULE])
    told = json.dumps({"rollout_summary": "s", "rollout_slug": None, "raw_memory": f"- {RULE}"})
    llm = ScriptedLLM([lambda asked: told if asked.task == "stage1" else "no json"])
    local = machine.local(llm, phase2_retry_delay_seconds=7)
    waits = []
    for _ in range(2):
        assert run(machine, local).failures == 1
        (job,) = [job for job in local._ready().file.jobs.list("shop") if job.kind == "documents"]
        waits.append(job.due_at - machine.clock.now)
        machine.clock.advance(seconds=waits[-1] / 1000)
    assert waits == [7000, 14_000]
    run(machine, local)
    assert f"- {RULE}" in machine.text("MEMORY.md")


def test_the_documents_are_held_for_their_own_lease(machine, answering: Answering) -> None:
    machine.past("s1", [RULE])
    held: list[tuple[str, int]] = []
    good = answering()

    def line(asked: Asked) -> str:
        jobs = local._ready().file.jobs.list("shop")
        held.extend((job.kind, job.lease_until - machine.clock.now) for job in jobs if job.status == "running")
        return good.complete(**asked._asdict()).text

    local = machine.local(ScriptedLLM([line]), stage1_lease_seconds=50, phase2_lease_seconds=80)
    run(machine, local)
    assert set(held) == {("session", 50_000), ("documents", 80_000)}


def test_sessions_of_each_host_are_read_unless_they_are_not_to_be(machine) -> None:
    folder = machine.project()
    head = {"type": "session_meta", "payload": {"id": "c1", "cwd": str(folder)}}
    part = {"type": "input_text", "text": "I prefer codex wine."}
    said = {"type": "response_item", "payload": {"type": "message", "role": "user", "content": [part]}}
    omp = {"type": "session", "id": "o1", "cwd": str(folder)}
    message = {"type": "message", "id": "a", "parentId": None, "message": {"role": "user", "content": "I like omp."}}
    for path, lines in {"codex/2026/05/01/rollout-1.jsonl": (head, said), "omp/-x/1.jsonl": (omp, message)}.items():
        file = machine.folder / path
        file.parent.mkdir(parents=True)
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        os.utime(file, (machine.clock.now / 1000 - 86_400,) * 2)
    machine.past("s1", ["I prefer claude wine."])
    nowhere = {f"{host}_sessions": "none" for host in ("claude", "codex", "omp")}
    assert run(machine, machine.local(**nowhere)).sessions == 0
    assert run(machine, machine.local(**{**nowhere, "codex_sessions": str(machine.folder / "codex")})).sessions == 1
    assert run(machine, machine.local()).sessions == 2
    assert all(word in machine.text("MEMORY.md") for word in ("codex wine", "I like omp", "claude wine"))


def test_any_server_of_the_usual_kind_will_do(machine, answering: Answering) -> None:
    good = answering(put=[section("Rules", "- make check first", "s1")])

    class Server(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            prompt = "\n".join(each["content"] for each in body["messages"])
            task = "stage1" if "raw_memory" in prompt else "stage2"
            members = {"Member: memory_summary": "memory_summary", "- skills: new": "skills"}
            name = next((told for mark, told in members.items() if mark in prompt), "put")
            asked = Asked(prompt, "", {"properties": {name: {}}}, 1, 0.0, 1.0, task)
            text = good.complete(**asked._asdict()).text
            told = {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}
            answer = json.dumps(told).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    machine.past("s1", [RULE])
    address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    done = run(machine, machine.local(None, llm__base_url=address))
    server.shutdown()
    server.server_close()
    thread.join()
    assert (done.sessions, done.documents, done.error) == (1, True, "")
    assert "- make check first" in machine.text("MEMORY.md")
