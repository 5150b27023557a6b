from __future__ import annotations

import io
import json
from collections.abc import Callable

import pytest

from mnemopi.cli import failures, output
from mnemopi.cli.everywhere import Asked
from mnemopi.errors import NotFoundError

HOSTILE = "one\x1b]52;c;eA==\x07\ntwo\x9b2J\u202e"
SHOWN = "one\\u001b]52;c;eA==\\u0007\ntwo\\u009b2J\\u202e"


def test_lines_and_pairs_on_a_terminal_show_what_would_steer_it(terminal: Callable[[int], io.StringIO]) -> None:
    shown = terminal(80)
    output.lines(HOSTILE)
    output.pairs([("source", HOSTILE)])
    assert shown.getvalue() == f"{SHOWN}\nsource: {SHOWN}\n"


def test_a_document_on_a_terminal_is_the_same_and_steers_nothing(terminal: Callable[[int], io.StringIO]) -> None:
    stream = terminal(80)
    output.document({"content": HOSTILE})
    failures.show(NotFoundError(HOSTILE), ["--json"])
    shown = stream.getvalue()
    first, _, second = shown.partition("}\n")
    assert json.loads(first + "}") == {"content": HOSTILE}
    assert json.loads(second)["error"]["message"] == HOSTILE
    assert not set(shown) & set("\x1b\x07\x9b\u202e")


def test_into_a_pipe_a_text_goes_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    output.lines(HOSTILE)
    output.table(("ID", "Text"), [("4f2a", HOSTILE)])
    output.document({"content": HOSTILE})
    told = capsys.readouterr().out
    assert told.count("\u202e") == 3
    assert told.startswith(HOSTILE + "\n")


def test_notes_and_errors_never_steer_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    output.note(Asked(), HOSTILE)
    failures.show(NotFoundError(HOSTILE, hint=HOSTILE), ["--debug"])
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"{SHOWN}\n")
    assert told.err.endswith(f"\nError: {SHOWN}\nHint: {SHOWN}\n")
    assert not set(told.err) & set("\x1b\x07\x9b\u202e")
