"""On a terminal, what one copies is whole at any width, and what was stored cannot steer it."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

from mnemopi.cli.app import mnemopi

HOSTILE = "The crane\x1b[2J\x1b]0;owned\x07 stands\r on pier 7 \x9b31m\u202eevil\u2069"
TABLES = {
    "recall": ["recall", "crane"],
    "history": ["history", "{id}"],
    "events": ["events"],
    "facts": ["facts"],
    "related": ["related", "{id}"],
    "annotations": ["annotations", "{id}"],
    "entities": ["entities", "Vim"],
    "surface": ["surface", "list"],
    "contaminated": ["contaminated"],
    "backups": ["backups"],
    "config": ["config"],
    "doctor": ["doctor"],
    "models": ["models", "list"],
}
SHOWN = ["get", "context", "recall --explain", "recall --full", "get --json", "get --quiet"]


@pytest.fixture
def shown(terminal: Any) -> Callable[..., str]:
    """Run a command on a terminal so wide, and return what it showed: `shown(80, "recall", "crane")`."""

    def made(width: int, *arguments: str) -> str:
        stream: io.StringIO = terminal(width)
        mnemopi.run(arguments)
        return stream.getvalue()

    return made


@pytest.fixture
def filled(call: Any) -> dict[str, str]:
    """A bank with something for each table; return the words that are copied from them."""
    id, other = (
        call("store", text, "--author", "ines-of-the-harbour", "--session", "standup", "--json").json["id"]
        for text in (f"{HOSTILE}. I use Vim. " + "It is painted green. " * 8, "I use Emacs, and Vim")
    )
    call("link", id, other, "--json")
    call("surface", "remember", "The port closes at eight " * 8)
    call("backup")
    cursor = call("events", "--json").json["events"][0]["cursor"]
    fact = call("facts", "--json").json["facts"][0]["id"]
    file = call("backups", "--json").json["backups"][0]["path"]
    on_surface = call("surface", "list", "--json").json["memories"][0]["id"]
    return {"id": id, "other": other, "cursor": cursor, "fact": fact, "file": file, "surface": on_surface}


WHOLE = {
    "recall": ["id"],
    "events": ["id", "cursor"],
    "facts": ["fact"],
    "related": ["other"],
    "entities": ["id", "other"],
    "surface": ["surface"],
    "backups": ["file"],
}


@pytest.mark.parametrize("width", [60, 80, 120])
def test_ids_cursors_and_names_are_whole(width: int, filled: dict[str, str], shown: Any) -> None:
    for name, wanted in WHOLE.items():
        told = shown(width, *(word.format(**filled) for word in TABLES[name]))
        assert [filled[each] for each in wanted if filled[each] not in told] == [], name
    settings = shown(width, "config")
    assert "recall.preview_chars" in settings and "MNEMOPI_PREVIEW_CHARS" in settings


@pytest.mark.parametrize("width", [60, 120])
def test_nothing_that_was_stored_steers_the_terminal(width: int, filled: dict[str, str], shown: Any) -> None:
    calls = [[word.format(**filled) for word in arguments] for arguments in TABLES.values()]
    words = {"get": filled["id"], "recall": "crane", "context": "crane"}
    for each in SHOWN:
        name, *options = each.split()
        calls.append([name, words[name], *options])
    for arguments in calls:
        told = shown(width, *arguments)
        assert not set(told.replace("\x1b[1m", "").replace("\x1b[0m", "")) & set("\x1b\x07\r\x9b\u202e\u2069")
    assert "\\u001b]0;owned\\u0007" in shown(width, "get", filled["id"])


def test_into_a_pipe_a_text_goes_as_it_was_stored(call: Any) -> None:
    id = call("store", HOSTILE, "--json").json["id"]
    assert call("get", id, "--quiet").out == HOSTILE + "\n"
    assert call("get", id, "--json").json["content"] == HOSTILE
