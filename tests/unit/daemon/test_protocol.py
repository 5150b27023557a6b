"""Lines, versions, and the record of a server."""

from __future__ import annotations

import importlib.metadata
import json
import os
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.daemon import protocol


def test_the_version_is_that_of_the_package() -> None:
    assert importlib.metadata.version("mnemopi") == protocol.VERSION


@given(st.text(st.characters()))
def test_any_argument_survives_the_way_bytes_included(text: str) -> None:
    line = protocol.line({"argv": [text]})
    assert line.count(b"\n") == 1
    assert json.loads(line) == {"argv": [text]}


@pytest.mark.parametrize(
    ("theirs", "ours", "older"),
    [
        ("0.1.0", "0.1.0", False),
        ("0.1.0", "0.1.1", True),
        ("0.9.0", "0.10.0", True),
        ("1.0", "0.9.9", False),
        ("", "0.1.0", True),
        ("nonsense", "0.1.0", True),
    ],
)
def test_versions_are_compared_number_by_number(theirs: str, ours: str, older: bool) -> None:
    assert protocol.is_older(theirs, ours) is older


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"socket": 7}', '{"pid": 7}', "\x00" * 10])
def test_a_record_that_says_nothing_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / protocol.RECORD).write_text(text)
    assert protocol.record(str(tmp_path)) == {}


def test_no_record_is_none(tmp_path: Path) -> None:
    assert protocol.record(str(tmp_path / "nowhere")) == {}


def test_the_system_tells_who_is_at_the_other_end() -> None:
    here, there = socket.socketpair()
    with here, there:
        assert protocol.peer(here) == os.getuid()


def test_a_hello_says_nothing_but_what_it_is_given() -> None:
    told = protocol.hello("status", {"HOME": "/h"})
    assert told["environment"] == {}
    assert (told["kind"], told["ground"], told["version"]) == ("status", {"HOME": "/h"}, protocol.VERSION)
