"""Session files of hosts: what was said on the live branch, whatever state the file is in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemopi.backends import transcript, transcript_files
from mnemopi.errors import NotFoundError, UsageError

Line = dict[str, Any]


def claude(id: str, parent: str | None, role: str, content: Any, **more: Any) -> Line:
    said = {"role": role, "content": content}
    stands = {"sessionId": "s1", "cwd": "/home/ann/shop", "timestamp": "2026-11-01T10:00:00.000Z"}
    return {"type": role, "uuid": id, "parentUuid": parent, "message": said, **stands, **more}


def codex(kind: str, **payload: Any) -> Line:
    return {"timestamp": "2026-11-01T10:00:00.000Z", "type": kind, "payload": payload}


def said(role: str, *texts: str) -> Line:
    kind = "input_text" if role == "user" else "output_text"
    content = [{"type": kind, "text": text} for text in texts]
    return codex("response_item", type="message", role=role, content=content)


def omp(id: str, parent: str | None, role: str, text: str) -> Line:
    message = {"role": role, "content": [{"type": "text", "text": text}, {"type": "toolCall", "name": "bash"}]}
    return {"type": "message", "id": id, "parentId": parent, "timestamp": "2026-11-01T10:00:00Z", "message": message}


CODEX = codex("session_meta", id="c1", cwd="/home/ann/shop", cli_version="0.171.0")
OMP = [
    {"type": "title", "title": "A title            "},
    {"type": "session", "version": 3, "id": "o1", "cwd": "/home/ann/shop"},
]


def written(path: Path, *lines: Line | str, end: str = "\n") -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + end, "utf-8")
    return path


def told(path: Path, since: transcript.Cursor | None = None) -> list[str]:
    return [message.text for message in transcript.read(path, since).messages()]


def test_reminders_that_nothing_closes_are_read_once(tmp_path: Path) -> None:
    said = "<system-reminder>" * 100_000 + "Use tabs.<hook_context>x</hook_context>"
    messages = transcript.read(written(tmp_path / "s.jsonl", claude("a", None, "user", said))).messages()
    assert [each.text[-9:] for each in messages] == ["Use tabs."]


def test_claude_code_tells_what_was_said_and_nothing_that_it_wrote_itself(tmp_path: Path) -> None:
    thought = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Done."}, {"type": "tool_use"}]
    path = written(
        tmp_path / "s.jsonl",
        {"type": "queue-operation", "sessionId": "s1"},
        claude("a", None, "user", "Use tabs.<system-reminder>be brief</system-reminder>"),
        claude("b", "a", "assistant", thought),
        claude("c", "b", "user", [{"type": "tool_result", "content": "of a tool"}]),
        {"type": "attachment", "uuid": "d", "parentUuid": "c", "attachment": {"content": "hook context"}},
        claude("e", "d", "user", "a reminder", isMeta=True),
        claude("f", "e", "user", "<command-name>/compact</command-name>"),
        claude("g", "f", "user", "what happened so far", isCompactSummary=True),
        claude("h", "g", "user", "<task-notification>done</task-notification>"),
        claude("i", "h", "assistant", [{"type": "text", "text": " . "}]),
        claude("j", "i", "user", "[Request interrupted by user]"),
        claude("k", "j", "user", [{"type": "text", "text": "Thanks!"}]),
        claude("x", "a", "assistant", "of a subagent", isSidechain=True),
    )
    reading = transcript.read(path)
    messages = list(reading.messages())
    assert [(each.entry, each.role, each.text) for each in messages] == [
        ("a", "user", "Use tabs."),
        ("b", "assistant", "Done."),
        ("k", "user", "Thanks!"),
    ]
    assert messages[0].at == 1_793_527_200_000
    assert (reading.header.host, reading.header.id, reading.header.cwd) == ("claude-code", "s1", "/home/ann/shop")
    assert reading.broken == 0


def test_what_a_person_types_while_claude_code_works_is_told(tmp_path: Path) -> None:
    def queued(id: str, parent: str, prompt: Any, mode: str = "prompt") -> Line:
        told = {"type": "queued_command", "prompt": prompt, "commandMode": mode}
        line = claude(id, parent, "user", None, type="attachment", attachment=told)
        return {name: value for name, value in line.items() if name != "message"}

    notification = "<task-notification>\n<task-id>b1</task-id>\n</task-notification>"
    path = written(
        tmp_path / "s.jsonl",
        claude("a", None, "user", "Use tabs."),
        queued("b", "a", "No, spaces."),
        queued("c", "b", [{"type": "image", "source": {}}, {"type": "text", "text": "As in this image."}]),
        queued("d", "c", notification, "task-notification"),
        queued("e", "d", notification),
        claude("f", "e", "assistant", [{"type": "text", "text": "Spaces it is."}]),
    )
    messages = list(transcript.read(path).messages())
    assert [(each.entry, each.role, each.text) for each in messages] == [
        ("a", "user", "Use tabs."),
        ("b", "user", "No, spaces."),
        ("c", "user", "As in this image."),
        ("f", "assistant", "Spaces it is."),
    ]
    assert messages[1].at == messages[0].at


def test_a_compaction_does_not_end_the_branch(tmp_path: Path) -> None:
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": None}
    path = written(
        tmp_path / "s.jsonl",
        claude("a", None, "user", "before"),
        boundary | {"logicalParentUuid": "a"},
        claude("c", "b", "user", "after"),
    )
    assert told(path) == ["before", "after"]


def test_only_the_branch_that_was_kept_is_told(tmp_path: Path) -> None:
    path = written(
        tmp_path / "s.jsonl",
        claude("a", None, "user", "first"),
        claude("b", "a", "user", "a wrong turn"),
        claude("c", "b", "assistant", "a wrong answer"),
        claude("d", "a", "user", "the right turn"),
    )
    assert told(path) == ["first", "the right turn"]


def test_a_subagents_own_file_is_told_under_its_parent(tmp_path: Path) -> None:
    line = claude("a", None, "user", "look it up", isSidechain=True, agentId="agent7")
    path = written(tmp_path / "s.jsonl", line)
    first = transcript.read(path)
    assert (first.header.id, first.header.parent) == ("agent7", "s1")
    written(path, line, line | {"uuid": "b", "parentUuid": "a", "message": {"role": "user", "content": "and this"}})
    assert told(path, first.cursor) == ["and this"]


def test_codex_tells_each_message_once_without_its_instructions(tmp_path: Path) -> None:
    path = written(
        tmp_path / "r.jsonl",
        CODEX,
        said("developer", "obey"),
        said("user", "# AGENTS.md instructions for /home/ann", "<environment_context>\n</environment_context>"),
        said("user", "Use tabs.", "Always."),
        codex("event_msg", type="user_message", message="Use tabs."),
        codex("response_item", type="function_call", name="shell"),
        said("assistant", "Done."),
        codex("event_msg", type="agent_message", message="Done."),
    )
    assert told(path) == ["Use tabs.\n\nAlways.", "Done."]


def test_codex_is_read_by_its_events_where_it_writes_nothing_else(tmp_path: Path) -> None:
    item = {"type": "UserMessage", "content": [{"type": "text", "text": "Use tabs."}]}
    path = written(tmp_path / "r.jsonl", CODEX, codex("event_msg", type="item_completed", item=item))
    assert told(path) == ["Use tabs."]


def test_turns_that_codex_took_back_are_not_told(tmp_path: Path) -> None:
    lines = [CODEX, said("user", "one"), said("assistant", "1"), said("user", "two"), said("assistant", "2")]
    back = codex("event_msg", type="thread_rolled_back", num_turns=1)
    path = written(tmp_path / "r.jsonl", *lines)
    cursor = transcript.read(path).cursor
    written(path, *lines, back, said("user", "three"))
    assert told(path) == ["one", "1", "three"]
    later = transcript.read(path, cursor)
    assert later.again and [each.text for each in later.messages()] == ["one", "1", "three"]
    written(path, *lines, codex("event_msg", type="thread_rolled_back", num_turns=9), said("user", "anew"))
    assert told(path) == ["anew"]


def test_a_subagent_of_codex_has_a_parent(tmp_path: Path) -> None:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "c0"}}}
    path = written(tmp_path / "r.jsonl", codex("session_meta", id="c1", cwd="/x", source=source))
    header = transcript.header(path)
    assert header is not None and header.parent == "c0"


def test_oh_my_pi_has_a_title_before_its_head_and_a_tree_of_messages(tmp_path: Path) -> None:
    path = written(
        tmp_path / "o.jsonl",
        *OMP,
        {"type": "model_change", "id": "m", "parentId": None},
        omp("a", "m", "user", "one"),
        omp("b", "a", "assistant", "1"),
        omp("c", "b", "toolResult", "of a tool"),
        {"type": "compaction", "id": "d", "parentId": "c", "summary": "so far"},
        omp("e", "d", "user", "two"),
        {**omp("x", "b", "user", ""), "message": {"role": "user", "attribution": "agent", "content": "an extension"}},
        omp("f", "x", "user", "another two"),
    )
    reading = transcript.read(path)
    assert (reading.header.host, reading.header.id) == ("omp", "o1")
    assert [(each.role, each.text) for each in reading.messages()] == [
        ("user", "one"),
        ("assistant", "1"),
        ("user", "another two"),
    ]


def test_broken_lines_are_counted_and_what_follows_them_is_told(tmp_path: Path) -> None:
    path = written(
        tmp_path / "s.jsonl",
        claude("a", None, "user", "one"),
        '{"uuid": "b", "parentUuid"',
        "[1, 2]",
        "",
        "\x00\x00",
        claude("c", "b", "user", "three"),
    )
    reading = transcript.read(path)
    assert [each.text for each in reading.messages()] == ["one", "three"]
    assert reading.broken == 3


def test_an_endless_line_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript, "LONGEST", 1000)
    long = claude("b", "a", "assistant", "x" * 3000)
    path = written(tmp_path / "s.jsonl", claude("a", None, "user", "one"), long, claude("c", "b", "user", "three"))
    reading = transcript.read(path)
    assert [each.text for each in reading.messages()] == ["one", "three"]
    assert reading.broken == 1


def test_half_a_last_line_waits_until_it_is_whole(tmp_path: Path) -> None:
    whole = json.dumps(claude("b", "a", "user", "two"))
    path = written(tmp_path / "s.jsonl", claude("a", None, "user", "one"), whole[:-9], end="")
    first = transcript.read(path)
    assert [each.text for each in first.messages()] == ["one"]
    assert first.broken == 0
    written(path, claude("a", None, "user", "one"), whole, end="")
    second = transcript.read(path, first.cursor)
    assert [each.text for each in second.messages()] == ["two"]
    written(path, claude("a", None, "user", "one"), whole, claude("c", "b", "user", "three"))
    third = transcript.read(path, second.cursor)
    assert [each.text for each in third.messages()] == ["three"] and not third.again


def test_a_file_that_another_took_the_place_of_is_read_from_its_start(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", claude("a", None, "user", "one"), claude("b", "a", "user", "two"))
    cursor = transcript.read(path).cursor
    assert told(path, cursor) == []
    written(path, claude("n", None, "user", "new"))
    assert told(path, cursor) == ["new"]
    written(path, *(claude(f"n{place}", None, "user", f"longer {place}") for place in range(9)))
    assert transcript.read(path, cursor).again


def test_a_cursor_survives_being_written_down(tmp_path: Path) -> None:
    cursor = transcript.read(written(tmp_path / "s.jsonl", claude("a", None, "user", "naïve 🚀"))).cursor
    assert transcript.Cursor.read(cursor.told()) == cursor
    assert transcript.Cursor.read("{}") is None
    assert transcript.Cursor.read("no json") is None


def test_what_is_no_session_is_said_to_be_none(tmp_path: Path) -> None:
    path = written(tmp_path / "x.jsonl", {"type": "something"})
    assert transcript.header(path) is None
    with pytest.raises(UsageError, match=r"x\.jsonl is no session"):
        transcript.read(path)
    with pytest.raises(NotFoundError):
        transcript.read(tmp_path / "none.jsonl")


def test_session_files_are_found_newest_first_and_links_are_not_followed(tmp_path: Path) -> None:
    old = written_in(tmp_path / "claude" / "-home-ann" / "old.jsonl", 100)
    new = written_in(tmp_path / "codex" / "2026" / "11" / "01" / "rollout-1.jsonl", 200)
    written_in(tmp_path / "claude" / "-home-ann" / "s1" / "subagents" / "agent-1.jsonl", 300)
    written_in(tmp_path / "claude" / "-home-ann" / "notes.txt", 300)
    (tmp_path / "claude" / "-home-ann" / "link.jsonl").symlink_to(new)
    folders = {"claude-code": tmp_path / "claude", "codex": tmp_path / "codex", "omp": tmp_path / "none"}
    assert [file.path for file in transcript_files.newest(folders, 9)] == [new, old]
    assert [file.path for file in transcript_files.newest(folders, 1)] == [new]


def written_in(path: Path, second: int) -> Path:
    import os

    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}\n")
    os.utime(path, (second, second))
    return path


@settings(max_examples=60, deadline=None)
@given(
    parents=st.lists(st.integers(0, 12), min_size=1, max_size=12),
    cuts=st.lists(st.integers(1, 12), max_size=4),
)
def test_reading_on_by_cursors_tells_all_that_one_reading_tells(
    tmp_path_factory: pytest.TempPathFactory, parents: list[int], cuts: list[int]
) -> None:
    path = tmp_path_factory.mktemp("t") / "s.jsonl"
    lines = [
        claude(f"e{number}", f"e{parent % number}" if number else None, "user", f"message {number}")
        for number, parent in enumerate(parents)
    ]
    cursor, known = None, {}
    for cut in [*sorted(cuts), len(lines)]:
        written(path, *lines[:cut])
        reading = transcript.read(path, cursor)
        known |= {each.entry: each.text for each in reading.messages()}
        cursor = reading.cursor
    whole = {each.entry: each.text for each in transcript.read(path).messages()}
    assert whole.items() <= known.items()
    assert told(path, cursor) == []


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)),
    max_leaves=6,
)
KEYS = ("type", "uuid", "parentUuid", "id", "parentId", "message", "payload", "timestamp", "isSidechain", "entry", "at")
RECORDS = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6)
KINDS = ("user", "message", "event_msg", "response_item", "system")


@settings(max_examples=150, deadline=None)
@given(
    head=st.sampled_from([claude("a", None, "user", "one"), CODEX, OMP[1], {"type": "mnemopi-session", "host": "h"}]),
    records=st.lists(st.tuples(RECORDS, st.sampled_from(KINDS)), max_size=6),
    tail=st.binary(max_size=20),
)
def test_whatever_stands_in_a_file_is_read_or_counted(
    tmp_path_factory: pytest.TempPathFactory, head: Line, records: list[tuple[Line, str]], tail: bytes
) -> None:
    path = tmp_path_factory.mktemp("t") / "s.jsonl"
    lines = [head | {"id": "o1", "cwd": "/x"}, *({"type": kind} | record for record, kind in records)]
    path.write_bytes(b"".join(json.dumps(line).encode() + b"\n" for line in lines) + tail)
    reading = transcript.read(path)
    messages = list(reading.messages())
    assert len(messages) == len(reading.live)
    assert all(isinstance(each.text, str) and each.text and each.role in ("user", "assistant") for each in messages)
    assert transcript.read(path, reading.cursor).live == ()
