"""Work that waits in a file: done once, claimed for a time, given up in the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from stat import S_IMODE

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemopi.engine import Mnemopi
from mnemopi.errors import ForeignError, MnemopiError, TooNewError
from mnemopi.providers.budget import BudgetedLLM
from mnemopi.storage import agent
from mnemopi.storage.agent import AgentFile
from mnemopi.storage.jobs import Claim, Jobs
from mnemopi.storage.sessions import Account
from mnemopi.testing import FixedClock, ScriptedLLM

NOW, LEASE, MOST = 1_000_000, 1000, 3


@pytest.fixture
def file(tmp_path: Path) -> Iterator[AgentFile]:
    file = AgentFile(tmp_path / "agent" / "agent.db", timeout=1)
    yield file
    file.close()


def claimed(jobs: Jobs, now: int = NOW, **more: int) -> Claim | None:
    return jobs.claim("read", "p", now, LEASE, attempts=MOST, **more)


def sure(claim: Claim | None) -> Claim:
    assert claim is not None
    return claim


def test_a_job_is_claimed_once_and_done_once(file: AgentFile) -> None:
    file.jobs.want("read", "a", "p", 5, NOW)
    file.jobs.want("read", "a", "p", 5, NOW)
    claim = sure(claimed(file.jobs))
    assert (claim.key, claim.wanted, claim.attempt) == ("a", 5, 1)
    assert claimed(file.jobs) is None
    assert file.jobs.end(claim, NOW)
    assert claimed(file.jobs, NOW + 10 * LEASE) is None
    assert not file.jobs.end(claim, NOW), "what is done cannot be done again"


def test_a_job_that_more_is_wanted_of_while_it_runs_is_due_again(file: AgentFile) -> None:
    file.jobs.want("read", "a", "p", 5, NOW)
    claim = sure(claimed(file.jobs))
    file.jobs.want("read", "a", "p", 6, NOW)
    assert claimed(file.jobs) is None
    assert file.jobs.end(claim, NOW)
    assert sure(claimed(file.jobs)).wanted == 6


def test_a_claim_ends_with_its_lease_unless_it_is_lengthened(file: AgentFile) -> None:
    file.jobs.want("read", "a", "p", 1, NOW)
    claim = sure(claimed(file.jobs))
    assert file.jobs.beat(claim, NOW + LEASE - 1, LEASE)
    assert claimed(file.jobs, NOW + LEASE) is None
    second = sure(claimed(file.jobs, NOW + 2 * LEASE))
    assert second.attempt == 2
    assert not file.jobs.beat(claim, NOW, LEASE)
    assert not file.jobs.end(claim, NOW), "who was late must not end the work of another"
    assert file.jobs.end(second, NOW)


def test_work_that_kills_its_process_is_not_claimed_for_ever(file: AgentFile) -> None:
    file.jobs.want("read", "a", "p", 1, NOW)
    now, attempts = NOW, 0
    while (claimed(file.jobs, now)) is not None:
        now, attempts = now + LEASE, attempts + 1
    assert attempts == MOST
    (job,) = file.jobs.list("p")
    assert job.state(now, MOST) == "given up"
    assert file.jobs.retry("p", now) == 1
    assert sure(claimed(file.jobs, now)).attempt == 1


def test_pauses_grow_and_end(file: AgentFile) -> None:
    file.jobs.want("read", "a", "p", 1, NOW)
    pauses, now = [], NOW
    for _ in range(MOST):
        assert file.jobs.fail(sure(claimed(file.jobs, now)), now, "no answer", 100)
        (job,) = file.jobs.list("p")
        pauses.append(job.due_at - now)
        assert claimed(file.jobs, job.due_at - 1) is None
        now = job.due_at
    assert pauses == [100, 200, 400]
    assert claimed(file.jobs, now) is None
    file.jobs.want("read", "a", "p", 2, now)
    assert sure(claimed(file.jobs, now)).attempt == 1, "a session that changed is tried afresh"


def test_work_given_back_counts_as_not_tried(file: AgentFile) -> None:
    file.jobs.want("read", "a", "p", 1, NOW)
    for _ in range(2 * MOST):
        assert file.jobs.put_back(sure(claimed(file.jobs)), NOW, "the model is out of reach")
    assert sure(claimed(file.jobs)).attempt == 1


def test_no_more_run_at_once_than_may(file: AgentFile) -> None:
    for key in "abc":
        file.jobs.want("read", key, "p", 1, NOW)
    assert [claimed(file.jobs, at_once=2) is not None for _ in range(3)] == [True, True, False]
    assert claimed(file.jobs, NOW + LEASE, at_once=2) is not None, "a dead process does not count"


def test_jobs_of_another_scope_are_left_alone(file: AgentFile) -> None:
    file.jobs.want("read", "a", "p", 1, NOW)
    file.jobs.want("read", "b", "q", 1, NOW)
    assert sure(claimed(file.jobs)).key == "a"
    file.jobs.drop_all("p")
    assert [job.key for job in file.jobs.list("q")] == ["b"]


def test_what_is_dropped_cannot_be_ended(file: AgentFile) -> None:
    file.jobs.want("read", "a", "p", 1, NOW)
    claim = sure(claimed(file.jobs))
    file.jobs.drop_all("p")
    assert not file.jobs.end(claim, NOW)
    assert file.jobs.list("p") == []


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from(["want", "more", "claim", "end", "fail", "back", "wait"]), max_size=30))
def test_a_job_is_never_with_two_and_never_forgotten(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    file = AgentFile(tmp_path_factory.mktemp("j") / "agent.db", timeout=1)
    now, wanted, held = NOW, 1, {}
    file.jobs.want("read", "a", "p", wanted, now)
    for step in steps:
        held = {token: each for token, each in held.items() if each[1] > now}
        if step == "want":
            wanted += 1
            file.jobs.want("read", "a", "p", wanted, now)
        elif step == "more":
            file.jobs.want_more("read", "a", "p", now)
        elif step == "claim" and (claim := claimed(file.jobs, now)):
            assert not held, "somebody is at it"
            held = {claim.token: (claim, now + LEASE)}
        elif step == "wait":
            now += LEASE // 2
        elif step in ("end", "fail", "back") and held:
            (claim, _), held = held.popitem()[1], {}
            if step == "end":
                assert file.jobs.end(claim, now)
            else:
                assert file.jobs.put_back(claim, now) if step == "back" else file.jobs.fail(claim, now, "why", 1)
    (job,) = file.jobs.list("p")
    if job.wanted > job.done:
        file.jobs.retry("p", now + LEASE)
        assert claimed(file.jobs, now + LEASE) is not None
    file.close()


def test_the_file_and_its_folder_are_its_owners_alone(file: AgentFile) -> None:
    assert S_IMODE(file.path.stat().st_mode) == 0o600
    assert S_IMODE(file.path.parent.stat().st_mode) == 0o700


def test_a_bank_is_not_taken_for_it_nor_it_for_a_bank(file: AgentFile, tmp_path: Path) -> None:
    Mnemopi(tmp_path / "m.db", no_embeddings=True).close()
    with pytest.raises(ForeignError):
        AgentFile(tmp_path / "m.db", timeout=1)
    with pytest.raises(MnemopiError):
        Mnemopi(file.path, no_embeddings=True)
    (tmp_path / "text").write_text("hello")
    with pytest.raises(ForeignError):
        AgentFile(tmp_path / "text", timeout=1)
    assert (tmp_path / "text").read_text() == "hello"


def test_a_newer_file_is_refused(file: AgentFile) -> None:
    file.close()
    raw = apsw.Connection(str(file.path))
    raw.pragma("user_version", agent.VERSION + 1)
    raw.close()
    with pytest.raises(TooNewError):
        AgentFile(file.path, timeout=1)


def test_what_is_spent_is_counted_there(file: AgentFile) -> None:
    llm = BudgetedLLM(ScriptedLLM(["four words it said"]), file.spending, FixedClock(NOW), calls=2, tokens=1000)
    llm.complete("two words", max_tokens=10, timeout=1, task="stage1")
    spent = file.spending.since(0)
    assert (spent.calls, spent.tokens) == (1, 6)


def test_what_changed_while_the_documents_were_made_still_waits(file: AgentFile) -> None:
    made = Account("claude-code:s", "p", 5, "rules", None, "summary", "memory", 10)
    file.sessions.put(made)
    file.sessions.put(Account("claude-code:s", "p", 6, "rules", None, "newer", "memory", 11))
    file.sessions.take([made])
    assert not sure_account(file).taken
    file.sessions.take([sure_account(file)])
    assert sure_account(file).taken


def sure_account(file: AgentFile) -> Account:
    account = file.sessions.account("claude-code:s")
    assert account is not None
    return account
