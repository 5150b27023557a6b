"""Who calls, and on what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mnemopi.config import Config
from mnemopi.errors import NotFoundError, UsageError
from mnemopi.tools import catalog
from mnemopi.tools.caller import Caller, Engines


def config(tmp_path: Path, **more: object) -> Config:
    return Config.load({"storage.data_dir": str(tmp_path), "embedding.enabled": False, **more})


def test_nothing_is_opened_before_the_first_call(tmp_path: Path) -> None:
    Caller.of(Engines(config(tmp_path / "data")))
    assert not (tmp_path / "data").exists()


def test_one_bank_has_one_engine(engines: Engines) -> None:
    assert engines.get("default", create=True) is engines.get("default", create=False)


def test_the_session_is_named_after_the_bank_unless_one_is_set(engines: Engines, tmp_path: Path) -> None:
    assert Caller.of(engines).bank(None).identity.session_id == "mcp_default"
    assert Caller.of(engines).bank("work", create=True).identity.session_id == "mcp_work"
    named = Engines(config(tmp_path / "b", **{"identity.session_id": "mine"}), session=lambda bank: f"mcp_{bank}")
    assert Caller.of(named).bank(None).identity.session_id == "mine"
    named.close()


def test_the_bank_of_agents_may_be_another_than_everybodys(tmp_path: Path) -> None:
    engines = Engines(config(tmp_path, **{"mcp.bank": "agents", "identity.bank": "mine"}))
    assert Caller.of(engines).name(None) == "agents"
    assert Caller.of(engines, own="own").name(None) == "own"


def test_a_bank_that_may_not_be_seen_is_not_there(engines: Engines) -> None:
    Caller.of(engines).bank("work", create=True)
    narrow = Caller.of(engines, only=frozenset({"default"}))
    for name in ("work", "surface", "nothing"):
        with pytest.raises(NotFoundError, match="there is no bank"):
            narrow.bank(name)
    with pytest.raises(NotFoundError):
        catalog.find("mnemopi_shared_recall").run(narrow, {"query": "x"})


def test_what_a_caller_may_do_at_most_is_kept(engines: Engines) -> None:
    reader = Caller.of(engines, most="read")
    catalog.find("mnemopi_recall").run(reader, {"query": "x"})
    with pytest.raises(NotFoundError, match="no tool"):
        catalog.find("mnemopi_remember").run(reader, {"content": "x"})


def test_identity_is_the_callers(engines: Engines) -> None:
    ines = Caller.of(engines, who={"author_id": "ines", "session_id": "hers"})
    id = catalog.find("mnemopi_remember").run(ines, {"content": "The crane", "scope": "session"})["memory_id"]
    kept = catalog.find("mnemopi_get").run(ines, {"memory_id": id})["memory"]
    assert (kept["author_id"], kept["session_id"]) == ("ines", "hers")
    assert catalog.find("mnemopi_recall").run(Caller.of(engines), {"query": "crane"})["count"] == 0


def test_the_surface_may_lie_in_a_file_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "elsewhere" / "shared.db"
    engines = Engines(config(tmp_path / "data", **{"storage.surface_db": str(file)}))
    made = catalog.find("mnemopi_shared_remember").run(Caller.of(engines), {"content": "Answers in German"})
    assert file.exists()
    assert catalog.find("mnemopi_get").run(Caller.of(engines), {"memory_id": made["memory_id"], "bank": "surface"})
    engines.close()


def test_an_impossible_name_is_an_error(engines: Engines) -> None:
    with pytest.raises(UsageError):
        Caller.of(engines).bank("../x")


def shared(engines: Engines) -> None:
    """Have each of three banks hold a memory for all banks, and one of its own."""
    for bank in ("default", "work", "garden"):
        for scope in ("global", "bank"):
            remember = {"content": f"The {scope} crane of {bank}", "scope": scope, "bank": bank}
            catalog.find("mnemopi_remember").run(Caller.of(engines), remember)


@pytest.mark.parametrize(
    ("limits", "banks"),
    [
        ({}, {"default", "work", "garden"}),
        ({"who": {"author_id": "ines", "session_id": "hers"}}, {"default", "work", "garden"}),
        ({"only": frozenset({"default", "work"})}, {"default", "work"}),
        ({"only": frozenset({"default", "work"}), "who": {"author_id": "ines"}}, {"default", "work"}),
        ({"only": frozenset({"default"})}, {"default"}),
    ],
)
def test_what_banks_share_with_all_is_found_where_the_caller_may_see_them(
    engines: Engines, limits: dict[str, Any], banks: set[str]
) -> None:
    shared(engines)
    caller = Caller.of(engines, **limits)
    found = catalog.find("mnemopi_recall").run(caller, {"query": "crane", "limit": 20})["results"]
    assert {(hit["bank"], hit["scope"]) for hit in found} == {(bank, "global") for bank in banks} | {
        ("default", "bank")
    }
    block = catalog.find("mnemopi_context").run(caller, {"query": "crane"})["context"]
    assert {bank for bank in ("default", "work", "garden") if f"global crane of {bank}" in block} == banks
    assert "bank crane of work" not in block


def test_beside_the_surface_nothing_is_looked_into(engines: Engines) -> None:
    shared(engines)
    assert catalog.find("mnemopi_recall").run(Caller.of(engines), {"query": "crane", "bank": "surface"})["count"] == 0
