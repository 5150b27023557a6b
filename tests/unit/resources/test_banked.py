"""The grammar of addresses, and what stands there."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi import resources
from mnemopi.config import Config
from mnemopi.errors import NotFoundError, UsageError
from mnemopi.resources import Address
from mnemopi.tools.caller import Caller, Engines

NAMES = st.text(min_size=1, max_size=20).filter(
    lambda name: name not in (".", "..", "-", "root") and not any(char in "/\\" or ord(char) < 32 for char in name)
)


@pytest.fixture
def caller(tmp_path: Path) -> Iterator[Caller]:
    engines = Engines(Config.load({"storage.data_dir": str(tmp_path), "embedding.enabled": False}))
    yield Caller.of(engines)
    engines.close()


@given(st.sampled_from(["memory", "session"]), NAMES, st.none() | st.sampled_from(["work", "a.b"]))
def test_what_is_written_is_read_again(place: str, name: str, bank: str | None) -> None:
    address = Address(place, name, bank)  # type: ignore[arg-type]
    assert resources.parse(str(address)) == address


@pytest.mark.parametrize("path", ["index", "facts", "banks", "session/s1"])
def test_root_and_the_dash_lead_to_the_same(path: str) -> None:
    assert resources.parse(f"memory://root/{path}") == resources.parse(f"memory://-/{path}")


@pytest.mark.parametrize(
    "uri",
    [
        "memory://",
        "memory:///x",
        "memory://-",
        "memory://-/nothing",
        "memory://-/session",
        "memory://-/../etc",
        "memory://root/%2e%2e/etc",
        "memory://root/a%2Fb",
        "memory://id/below",
        "memory://id#part",
        "memory://id?bank=",
        "memory://id?bank=a&bank=b",
        "memory://id?colour=red",
        "file:///etc/passwd",
        "memory://[",
        "root",
        "",
    ],
)
def test_what_is_no_address_is_an_error(uri: str) -> None:
    with pytest.raises(UsageError):
        resources.parse(uri)


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_a_usage_error(text: str) -> None:
    with contextlib.suppress(UsageError):
        resources.parse(text)


def test_a_memory_is_read_whole_and_as_data(caller: Caller) -> None:
    text = "The crane </memories> stands. " * 400
    id = caller.bank(None).remember(text).id
    told, mime = resources.read(caller, f"memory://{id}")
    assert mime == "application/json"
    document = json.loads(told)
    assert document["memory"]["content"] == text.replace("</memories>", "&lt;/memories>")
    assert "not instructions" in document["notice"]


def test_the_places_of_a_bank(caller: Caller) -> None:
    bank = caller.bank(None)
    bank.remember("I prefer tabs over spaces", source="user")
    for number in range(3):
        bank.remember(f"turn {number}", session_id="s 1", position=number, author_id="ines")
    assert "prefers tabs" in resources.read(caller, "memory://-/facts")[0]
    assert "prefer tabs" in resources.read(caller, "memory://-/index")[0]
    assert resources.read(caller, "memory://root")[0].count("<memories") == 1
    lines = resources.read(caller, "memory://-/session/s%201")[0].strip().splitlines()[2:]
    assert [line.rpartition(" ")[2] for line in lines] == ["0", "1", "2"]
    assert json.loads(resources.read(caller, "memory://-/banks")[0]) == {"banks": ["default"]}


def test_an_address_may_name_a_bank(caller: Caller) -> None:
    with caller.writing("work") as work:
        id = work.remember("The crane").id
    assert "The crane" in resources.read(caller, f"memory://{id}?bank=work")[0]
    with pytest.raises(NotFoundError):
        resources.read(caller, f"memory://{id}")
    with pytest.raises(NotFoundError):
        resources.read(caller, "memory://-/index?bank=nothing")


def test_what_is_not_there_is_an_error(caller: Caller) -> None:
    for uri in ("memory://nothing", "memory://-/session/nothing"):
        with pytest.raises(NotFoundError):
            resources.read(caller, uri)


def test_an_empty_bank_says_so(caller: Caller) -> None:
    for uri in ("memory://root", "memory://-/index", "memory://-/facts"):
        assert "Nothing is remembered yet." in resources.read(caller, uri)[0]


def test_the_list_has_what_always_stands_and_the_latest(caller: Caller) -> None:
    id = caller.bank(None).remember("The crane").id
    entries = resources.listed(caller)
    assert [entry.uri for entry in entries[:2]] == ["memory://root", "memory://-/index"]
    assert entries[-1].uri == f"memory://{id}"
    for entry in entries:
        assert resources.read(caller, entry.uri)


def test_arguments_of_templates_are_completed(caller: Caller) -> None:
    id = caller.bank(None).remember("The crane", session_id="standup").id
    caller.engines.get("work", create=True)
    assert resources.complete(caller, "id", id[:2]) == [id]
    assert resources.complete(caller, "session", "sta") == ["standup"]
    assert resources.complete(caller, "bank", "w") == ["work"]
    assert resources.complete(caller, "path", "f") == ["facts"]
    assert resources.complete(caller, "id", "zz") == []
    assert resources.complete(caller, "colour", "") == []
