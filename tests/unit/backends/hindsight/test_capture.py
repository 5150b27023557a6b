"""What is said reaches the server: once, whole, in order, without secrets and without what memory put there."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemopi.agent_settings import HindsightConfig
from mnemopi.backends.hindsight import capture
from mnemopi.backends.hindsight.ledger import Kept
from mnemopi.errors import ReadOnlyError, UsageError
from mnemopi.model.session import Lesson, Message, SessionRef, Turn

DOCUMENT = "pytest:s1"
LONG = 30.0


def turn(say: Callable[..., Message], number: int) -> Turn:
    first = 2 * number - 1
    return Turn((say(first, f"Question number {number} of the user."), say(first + 1, f"Answer number {number}.")))


def test_turns_are_sent_when_there_are_enough_of_them(opened: Any, server: Any, session: SessionRef, say: Any) -> None:
    backend = opened()
    for number in (1, 2):
        backend.turn_end(session, turn(say, number), deadline=LONG)
        assert server.documents() == {}
    effect = backend.turn_end(session, turn(say, 3), deadline=LONG)
    assert effect.jobs == 0
    text = server.documents()[DOCUMENT]["original_text"]
    assert [text.count(f"Question number {number}") for number in (1, 2, 3)] == [1, 1, 1]
    assert text.index("Question number 1") < text.index("Answer number 1") < text.index("Question number 2")


def test_only_what_is_new_is_sent_again(opened: Any, server: Any, session: SessionRef, say: Any) -> None:
    backend = opened(retain_every_n_turns=1)
    for number in range(1, 7):
        backend.turn_end(session, turn(say, number), deadline=LONG)
    retained = server.seen("POST", "/memories")
    assert len(retained) == 6
    assert all(body["items"][0]["content"].count("[role: user]") == 1 for body in retained)
    text = server.documents()[DOCUMENT]["original_text"]
    assert [text.count(f"Question number {number}") for number in range(1, 7)] == [1] * 6


def test_an_event_told_twice_counts_once(opened: Any, server: Any, session: SessionRef, say: Any) -> None:
    for _ in range(3):
        backend = opened(retain_every_n_turns=1)
        backend.turn_end(session, turn(say, 1), deadline=LONG)
        backend.close()
    assert server.documents()[DOCUMENT]["original_text"].count("Question number 1") == 1


def test_a_message_that_grew_after_it_was_told_is_kept_as_it_is_then(
    opened: Any, server: Any, session: SessionRef, say: Any
) -> None:
    backend = opened()
    backend.turn_end(session, Turn((say(1, "A question?"), say(2, "Half an ans")), aborted=True), deadline=LONG)
    backend.turn_end(session, Turn((say(1, "A question?"), say(2, "Half an answer is none."))), deadline=LONG)
    backend.end(session, deadline=LONG)
    backend.turn_end(session, Turn((say(2, "Changed long after."),)), deadline=LONG)
    backend.end(session, deadline=LONG)
    text = server.documents()[DOCUMENT]["original_text"]
    assert text.count("Half an ans") == text.count("Half an answer is none.") == 1
    assert "Changed" not in text


def test_the_server_is_told_where_a_text_comes_from(opened: Any, server: Any, session: SessionRef, say: Any) -> None:
    backend = opened(retain_context="night shift", retain_mission="mind boats", retain_every_n_turns=1)
    backend.turn_end(session, turn(say, 1), deadline=LONG)
    assert server.documents()[DOCUMENT]["retain_params"]["context"] == "night shift"
    assert server.documents()[DOCUMENT]["document_metadata"] == {"session_id": "s1", "host": "pytest"}
    assert server.banks["omp"]["missions"] == {"retain_mission": "mind boats"}


def test_the_last_turns_of_a_session_are_sent_at_its_end(
    opened: Any, server: Any, session: SessionRef, say: Any
) -> None:
    backend = opened()
    backend.turn_end(session, turn(say, 1), deadline=LONG)
    backend.end(session, deadline=LONG)
    assert "Answer number 1" in server.documents()[DOCUMENT]["original_text"]


def test_what_a_killed_session_left_open_is_sent_by_a_later_one(
    opened: Any, server: Any, session: SessionRef, say: Any, clock: Any
) -> None:
    opened().turn_end(session, turn(say, 1), deadline=LONG)
    clock.advance(hours=2)
    other = SessionRef("pytest", "s2", session.cwd)
    opened().start(other, "startup", deadline=LONG)
    assert "Question number 1" in server.documents()[DOCUMENT]["original_text"]


def test_windows_of_turns_are_documents_of_their_own_that_overlap(
    opened: Any, server: Any, session: SessionRef, say: Any
) -> None:
    backend = opened(retain_mode="last-turn", retain_every_n_turns=2, retain_overlap_turns=1)
    for number in range(1, 5):
        backend.turn_end(session, turn(say, number), deadline=LONG)
    texts = [document["original_text"] for _, document in sorted(server.documents().items())]
    assert len(texts) == 2
    assert "Question number 2" in texts[1]
    assert "Question number 1" not in texts[1]
    assert "Question number 4" in texts[1]


@pytest.mark.parametrize("mode", ["full-session", "last-turn"])
def test_a_session_that_goes_on_after_it_was_forgotten_loses_nothing(
    opened: Any, server: Any, session: SessionRef, say: Any, clock: Any, mode: str
) -> None:
    opened(retain_mode=mode, retain_every_n_turns=1).turn_end(session, turn(say, 1), deadline=LONG)
    clock.advance(days=31)
    backend = opened(retain_mode=mode, retain_every_n_turns=1)
    backend.start(SessionRef("pytest", "s2", session.cwd), "startup", deadline=LONG)
    backend.turn_end(session, turn(say, 2), deadline=LONG)
    told = "\n".join(document["original_text"] for document in server.documents().values())
    assert [told.count(f"Question number {number}") for number in (1, 2)] == [1, 1]


def test_secrets_stay_here_also_on_disk(opened: Any, server: Any, session: SessionRef, say: Any, tmp_path: Any) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    backend = opened()
    backend.turn_end(session, Turn((say(1, f"My token is {secret}, and the port is 5433."),)), deadline=LONG)
    backend.save(session, [Lesson(f"Push with {secret}", context=f"password={secret}")])
    on_disk = "".join(path.read_text() for path in (tmp_path / "agent").rglob("*") if path.is_file())
    backend.end(session, deadline=LONG)
    assert secret not in on_disk
    assert secret not in repr(server.requests)
    assert "5433" in server.documents()[DOCUMENT]["original_text"]


def test_a_secret_in_a_question_does_not_leave(opened: Any, server: Any, session: SessionRef, say: Any) -> None:
    secret = "AKIA" + "ABCDEFGHIJKLMNOP"
    opened().before_prompt(session, say(1, f"What is {secret} for?"), (), deadline=LONG)
    (body,) = server.seen("POST", "/recall")
    assert secret not in body["query"]
    assert "REDACTED" in body["query"]


def test_what_memory_put_before_the_model_is_not_kept(opened: Any, server: Any, session: SessionRef, say: Any) -> None:
    block = "<memories>\nMemories\n\n- the cat is called Tom\n</memories>"
    backend = opened(retain_every_n_turns=1)
    backend.turn_end(
        session, Turn((say(1, f"{block}\n\nWhat is the cat called?"), say(2, "Tom it is."))), deadline=LONG
    )
    text = server.documents()[DOCUMENT]["original_text"]
    assert "<memories>" not in text
    assert "What is the cat called?" in text


def test_messages_without_a_letter_are_left_out(opened: Any, server: Any, session: SessionRef, say: Any) -> None:
    backend = opened(retain_every_n_turns=1)
    backend.turn_end(session, Turn((say(1, "Shall we use tabs?"), say(2, "…"))), deadline=LONG)
    assert "[role: assistant]" not in server.documents()[DOCUMENT]["original_text"]


def test_nothing_is_kept_where_that_is_switched_off(opened: Any, server: Any, session: SessionRef, say: Any) -> None:
    backend = opened(auto_retain=False, retain_every_n_turns=1)
    backend.turn_end(session, turn(say, 1), deadline=LONG)
    backend.before_compaction(session, turn(say, 2).messages, deadline=LONG)
    backend.end(session, deadline=LONG)
    assert server.seen("POST", "/memories") == []


def test_a_subagent_only_reads(opened: Any, server: Any, session: SessionRef, say: Any) -> None:
    child = SessionRef("pytest", "child", session.cwd, parent="s1")
    backend = opened(retain_every_n_turns=1)
    backend.turn_end(child, turn(say, 1), deadline=LONG)
    backend.end(child, deadline=LONG)
    with pytest.raises(ReadOnlyError):
        backend.save(child, [Lesson("Subagents may not say this")])
    assert server.seen("POST", "/memories") == []


def test_compaction_keeps_what_is_dropped_first(opened: Any, server: Any, session: SessionRef, say: Any) -> None:
    backend = opened()
    effect = backend.before_compaction(session, turn(say, 1).messages, deadline=LONG)
    assert effect.degraded is None
    backend.end(session, deadline=LONG)
    backend.turn_end(session, turn(say, 1), deadline=LONG)
    backend.end(session, deadline=LONG)
    assert server.documents()[DOCUMENT]["original_text"].count("Question number 1") == 1


def test_a_lesson_told_twice_is_one_document(opened: Any, server: Any, session: SessionRef) -> None:
    backend = opened()
    first = backend.save(session, [Lesson("Deploys run on Tuesdays")])
    again = backend.save(session, [Lesson("Deploys run on Tuesdays")])
    assert first.ids == again.ids
    assert list(server.documents()) == list(first.ids)


def test_a_lesson_for_all_projects_has_no_tag(opened: Any, server: Any, session: SessionRef) -> None:
    backend = opened()
    backend.save(session, [Lesson("Here only"), Lesson("In every project", everywhere=True)])
    assert sorted(len(document["tags"]) for document in server.documents().values()) == [0, 1]


def test_where_projects_share_nothing_a_lesson_for_all_refuses_the_whole_call(
    opened: Any, server: Any, session: SessionRef
) -> None:
    backend = opened(scoping="per-project")
    with pytest.raises(UsageError):
        backend.save(session, [Lesson("Here only"), Lesson("In every project", everywhere=True)])
    assert server.requests == []
    assert "Nothing waits" in backend.queue(session)


def test_turns_carry_the_time_of_day_with_its_offset(opened: Any, server: Any, session: SessionRef, say: Any) -> None:
    backend = opened(retain_every_n_turns=1)
    backend.turn_end(session, turn(say, 1), deadline=LONG)
    (item,) = server.seen("POST", "/memories")[0]["items"]
    assert item["timestamp"].startswith("2026-05-28T")
    assert item["timestamp"][-6] in "+-"
    assert f"[timestamp: {item['timestamp']}]" in item["content"]


def test_what_was_said_in_a_former_scope_goes_there(
    opened: Any, server: Any, session: SessionRef, say: Any, tmp_path: Any
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    opened(scoping="per-project").turn_end(session, turn(say, 1), deadline=LONG)
    moved = SessionRef(session.host, session.id, str(other))
    backend = opened(scoping="per-project")
    backend.turn_end(moved, turn(say, 2), deadline=LONG)
    backend.end(moved, deadline=LONG)
    texts = {bank: str(held["documents"]) for bank, held in server.banks.items()}
    assert sorted(("Question number 1" in text, "Question number 2" in text) for text in texts.values()) == [
        (False, True),
        (True, False),
    ]


WORDS = st.text("ab \n[]:", max_size=12)
MESSAGES = st.lists(st.tuples(st.integers(0, 6), st.sampled_from(["user", "assistant"]), WORDS), max_size=12)


@settings(max_examples=60)
@given(MESSAGES, st.integers(1, 4), st.data())
def test_each_message_is_in_one_parcel_however_events_are_cut(
    told: list[tuple[int, str, str]], every: int, data: st.DataObject
) -> None:
    messages = [Message(f"e{entry}", role, f"word{entry} {text}") for entry, role, text in told]  # type: ignore[arg-type]
    by = capture.Sealing(HindsightConfig(), 0, str)
    kept = Kept("h", "s", bank="b")
    while messages:
        size = data.draw(st.integers(1, len(messages)))
        part, messages = messages[:size], messages[data.draw(st.integers(0, size)) or size :]
        kept = capture.sealed(capture.added(kept, part), by, least_turns=every)
    kept = capture.sealed(kept, by, least_turns=0)
    text = "\n".join(str(item["content"]) for parcel in kept.parcels for item in parcel.items)
    assert kept.open == ()
    assert sorted(re.findall(r"word\d", text)) == sorted({f"word{entry}" for entry, _, _ in told})
