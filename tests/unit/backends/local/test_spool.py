"""What was said is in a file when `add` returns, each message once, whatever cut a former write off."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mnemopi.backends import transcript
from mnemopi.backends.local import spool
from mnemopi.model.session import Message, SessionRef

SESSION = SessionRef("an-agent", "s1", "/home/shop")


def said(*texts: str) -> list[Message]:
    return [Message(f"m{number}", "user", text, 1_780_000_000_000 + number) for number, text in enumerate(texts)]


def file_of(folder: Path) -> Path:
    (found,) = folder.glob("*/*.jsonl")
    return found


def kept(folder: Path) -> list[str]:
    return [each.text for each in transcript.read(file_of(folder)).messages()]


def test_each_message_is_written_down_once(tmp_path: Path) -> None:
    assert spool.add(tmp_path, SESSION, said("One.", "Two.")) == 2
    assert spool.add(tmp_path, SESSION, said("One.", "Two.", "Three.")) == 1
    assert kept(tmp_path) == ["One.", "Two.", "Three."]
    assert file_of(tmp_path).stat().st_mode & 0o777 == 0o600


def test_another_text_under_an_id_that_is_known_is_another_message(tmp_path: Path) -> None:
    spool.add(tmp_path, SESSION, said("One.", "Two."))
    anew = said("Three.", "Two.", "Four.")
    assert [spool.add(tmp_path, SESSION, anew) for _ in range(2)] == [2, 0]
    assert spool.add(tmp_path, SESSION, said("One.")) == 0
    assert kept(tmp_path) == ["One.", "Two.", "Three.", "Four."]


def test_a_message_of_nothing_but_what_was_recalled_is_none_and_does_not_let_the_file_grow(tmp_path: Path) -> None:
    messages = [*said("One."), Message("m9", "user", "<memories>\n- The port is 8377.\n</memories>", None)]
    assert spool.add(tmp_path, SESSION, messages) == 1
    size = file_of(tmp_path).stat().st_size
    assert spool.add(tmp_path, SESSION, messages) == 0 and file_of(tmp_path).stat().st_size == size


def test_a_line_that_was_cut_off_takes_no_later_message_with_it(tmp_path: Path) -> None:
    spool.add(tmp_path, SESSION, said("One."))
    with file_of(tmp_path).open("a", encoding="utf-8") as file:
        file.write('{"entry": "m1", "role": "user", "te')
    spool.add(tmp_path, SESSION, said("One.", "Two."))
    assert kept(tmp_path) == ["One.", "Two."]


@pytest.mark.parametrize("left", ["", '{"type": "mnemopi-ses'], ids=["nothing", "half a head"])
def test_a_file_whose_head_was_cut_off_gets_one(tmp_path: Path, left: str) -> None:
    spool.add(tmp_path, SESSION, said("One."))
    file_of(tmp_path).write_text(left, "utf-8")
    spool.add(tmp_path, SESSION, said("One."))
    assert kept(tmp_path) == ["One."]
    header = transcript.header(file_of(tmp_path))
    assert header is not None and (header.id, header.cwd) == (SESSION.id, SESSION.cwd)


def test_no_secret_is_written_down(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    spool.add(tmp_path, SESSION, said(f"The token is {secret} for now."))
    assert secret not in file_of(tmp_path).read_text("utf-8")
    assert json.loads(file_of(tmp_path).read_text("utf-8").splitlines()[0])["id"] == "s1"
