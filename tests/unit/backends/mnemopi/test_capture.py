"""Each message is kept once, as it was said, and nothing that memory itself put there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemopi.backends.mnemopi import capture
from mnemopi.errors import BusyError
from mnemopi.model.session import Message, SessionRef, Turn
from mnemopi.testing import HashingEmbedder

from .conftest import NOON, Host, Make

BLOCK = "<memories>\n- [a1, 2026-01-01, user] The moon is made of cheese\n</memories>"


def test_each_message_is_a_memory_with_its_session_place_author_and_id(host: Host) -> None:
    host.turn(host.say("Use tabs."), host.say("I will.", "assistant"))
    first, second = host.memories
    assert (first.content, first.session_id, first.position, first.author_id) == ("Use tabs.", "pytest:s1", 0, "user")
    assert (second.external_id, second.author_type, second.position) == ("s1-e2", "assistant", 1)
    assert first.timestamp == NOON
    assert first.metadata == {"cwd": host.ref.cwd}


def test_a_message_told_again_is_kept_once_also_by_another_process(host: Host, later: Callable[..., Host]) -> None:
    said = (host.say("Use tabs."), host.say("ok", "assistant"), host.say("ok"))
    host.turn(*said)
    host.turn(*said)
    later("s1").turn(*said)
    assert host.contents == ["Use tabs.", "ok", "ok"]


def test_an_edited_message_is_the_next_version(host: Host) -> None:
    host.turn(host.say("Use tabs.", entry="e"))
    host.turn(host.say("Use spaces.", entry="e"))
    assert [(memory.content, memory.version) for memory in host.memories] == [("Use spaces.", 2)]


def test_a_fork_that_brings_the_same_messages_adds_only_its_own(host: Host, later: Callable[..., Host]) -> None:
    said = (host.say("Use tabs."), host.say("Done.", "assistant"))
    host.turn(*said)
    fork = later("forked")
    fork.turn(*said, fork.say("Now in the fork."))
    assert fork.contents == ["Use tabs.", "Done.", "Now in the fork."]


def test_sessions_that_happen_to_say_the_same_are_two(host: Host, later: Callable[..., Host]) -> None:
    host.turn(host.say("ok then", entry="e1", at=NOON))
    later().turn(host.say("ok then", entry="e1", at=NOON + 1))
    later().turn(host.say("ok then", entry="e2", at=None))
    assert len(host.contents) == 3


def test_blocks_of_memory_are_not_kept_and_broken_characters_are_counted(host: Host) -> None:
    host.turn(host.say(f"{BLOCK}\nWhich cheese?\ud83d"), host.say(BLOCK), host.say("…", "assistant"))
    assert host.contents == ["Which cheese?\ufffd"]
    told = host.backend.diagnose(host.ref)
    assert "2 blocks of memory were cut out" in told
    assert "1 broken characters were replaced" in told


def test_only_what_the_user_said_is_read_for_facts(host: Host) -> None:
    host.turn(host.say("My name is Ada and I work at Initech."), host.say("My name is Bob.", "assistant"))
    facts = [fact.object for fact in host.backend.banks.engine(host.backend.banks.scope(host.ref).retain).facts.list()]
    assert facts
    assert not any("Bob" in fact for fact in facts)


def test_secrets_do_not_reach_the_bank(host: Host) -> None:
    secret = "ghp_" + "a1B2" * 9
    host.turn(host.say(f"The token is {secret}."))
    assert secret not in host.contents[0]


@pytest.mark.parametrize("before", [40, 200, 400])
def test_a_secret_that_lies_across_the_cut_of_a_long_message_reaches_no_part(
    later: Callable[..., Host], monkeypatch: pytest.MonkeyPatch, before: int
) -> None:
    monkeypatch.setenv("MNEMOPI_MAX_CONTENT_CHARS", "2000")
    host = later()
    lines = [f"{number:02}" + "aB3+" * 15 for number in range(8)]
    key = "\n".join(("-----BEGIN RSA PRIV" + "ATE KEY-----", *lines, "-----END RSA PRIV" + "ATE KEY-----"))
    host.turn(host.say(f"{'some log ' * ((2000 - before) // 9)}\n{key}\n{'more of it ' * 50}"))
    assert len(host.contents) > 1
    assert not [line for line in lines if line in "".join(host.contents)]


def test_a_fork_that_brings_a_message_with_a_secret_adds_it_no_second_time(
    host: Host, later: Callable[..., Host]
) -> None:
    said = host.say("The token is ghp_" + "a1B2" * 9)
    host.turn(said)
    later("forked").turn(said)
    assert len(host.contents) == 1


def test_a_message_longer_than_a_memory_may_be_is_kept_in_parts(host: Host) -> None:
    words = [f"word{number}" for number in range(30_000)]
    host.turn(host.say(" ".join(words)))
    host.turn(host.say(" ".join(words), entry="s1-e1"))
    assert len(host.contents) > 1
    assert " ".join(host.contents).split() == words
    assert host.backend._states.of(host.ref).turns == 1


@pytest.mark.parametrize("strange", ["", "x" * 500, "a\nb", "sk-" + "proj-" + "aB3" * 16, "\ud800"])
def test_any_id_of_a_host_can_be_kept(make: Make, folder: Path, strange: str) -> None:
    host = Host(make(), SessionRef(strange, strange, str(folder)))
    host.turn(Message(strange, "user", "Use tabs."))
    host.turn(Message(strange, "user", "Use tabs."))
    assert host.contents == ["Use tabs."]


def test_what_a_locked_bank_does_not_take_waits_and_is_kept_later(
    host: Host, later: Callable[..., Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object) -> None:
        raise BusyError("another writer")

    with monkeypatch.context() as patch:
        patch.setattr(capture, "keep", busy)
        for text in ("One.", "Two."):
            with pytest.raises(BusyError):
                host.turn(host.say(text))
    assert host.contents == []
    assert "2 messages could not be stored yet" in host.backend.queue(host.ref)
    other = later()
    other.backend.start(other.ref, "startup", deadline=30)
    assert other.backend._upkeep.wait(20)
    assert other.contents == ["One.", "Two."]
    assert "0 messages" in other.backend.queue(other.ref)


@given(st.text(), st.text(max_size=300), st.integers(), st.text(max_size=50))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_whatever_a_host_tells_is_kept_or_says_nothing(host: Host, text: str, entry: str, at: int, author: str) -> None:
    before = host.backend._states.of(host.ref).kept
    ref = replace(host.ref, id=f"{entry}{author}{text}")
    host.backend.turn_end(ref, Turn((Message(entry, "user", text, at, author),)), deadline=30)
    assert host.backend._states.of(ref).kept == int(any(char.isalnum() for char in text)) or "<" in text
    assert host.backend._states.of(host.ref).kept == before


def test_a_subagent_reads_and_keeps_nothing(host: Host) -> None:
    host.tell("The port of staging is 5433.")
    part = Host(host.backend, replace(host.ref, id="sub", parent="s1"))
    part.turn(part.say("I am only a part."))
    part.backend.before_compaction(part.ref, [part.say("Nor is this.")], deadline=30)
    assert part.backend.save(part.ref, []).stored == 0
    assert part.contents == ["The port of staging is 5433."]
    assert part.ask("Which port has staging?") == ""
    assert part.backend.search(part.ref, "port of staging").items
    assert "not kept" in part.backend.instructions(part.ref)


def test_what_is_switched_off_keeps_nothing(make: Make, folder: Path) -> None:
    host = Host(make(auto_retain=False), SessionRef("pytest", "s1", str(folder)))
    host.tell("Use tabs.")
    assert host.contents == []
    assert "kept" not in host.backend.instructions(host.ref)


def test_every_so_many_turns_what_waits_is_worked_off(make: Make, folder: Path) -> None:
    backend = make({"embeddings": HashingEmbedder()}, retain_every_n_turns=2)
    host = Host(backend, SessionRef("pytest", "s1", str(folder)))
    host.tell("Anna Miller moved to Lisbon.")
    bank = backend.banks.engine(backend.banks.scope(host.ref).retain).bank
    assert bank.pending() == 1
    host.tell("Bert Jones stayed in Porto.")
    assert backend._upkeep.wait(20)
    assert bank.pending() == 0
