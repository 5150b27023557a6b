"""Who calls, and on what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mnemopi.config import Config
from mnemopi.engine import Mnemopi
from mnemopi.errors import MnemopiError, NotFoundError, UsageError
from mnemopi.tools import catalog
from mnemopi.tools.caller import Caller, Engines


def config(tmp_path: Path, **more: object) -> Config:
    return Config.load({"storage.data_dir": str(tmp_path), "embedding.enabled": False, **more})


def test_nothing_is_opened_before_the_first_call(tmp_path: Path) -> None:
    Caller.of(Engines(config(tmp_path / "data")))
    assert not (tmp_path / "data").exists()


def test_one_bank_has_one_engine(engines: Engines) -> None:
    assert engines.get("default", create=True) is engines.get("default")


def test_the_session_is_named_after_the_bank_unless_one_is_set(engines: Engines, tmp_path: Path) -> None:
    assert Caller.of(engines).bank(None).identity.session_id == "mcp_default"
    engines.get("work", create=True)
    assert Caller.of(engines).bank("work").identity.session_id == "mcp_work"
    named = Engines(config(tmp_path / "b", **{"identity.session_id": "mine"}), session=lambda bank: f"mcp_{bank}")
    assert Caller.of(named).bank(None).identity.session_id == "mine"
    named.close()


def test_the_bank_of_agents_may_be_another_than_everybodys(tmp_path: Path) -> None:
    engines = Engines(config(tmp_path, **{"mcp.bank": "agents", "identity.bank": "mine"}))
    assert Caller.of(engines).name(None) == "agents"
    assert Caller.of(engines, own="own").name(None) == "own"


def test_a_bank_that_may_not_be_seen_is_not_there(engines: Engines) -> None:
    engines.get("work", create=True)
    narrow = Caller.of(engines, only=frozenset({"default"}))
    for name in ("work", "surface", "nothing"):
        with pytest.raises(NotFoundError, match="there is no bank"):
            narrow.bank(name)
    with pytest.raises(NotFoundError):
        catalog.find("mnemopi_shared_recall").run(narrow, {"query": "x"})


REFUSED: dict[str, tuple[str, dict[str, Any]]] = {
    "an empty memory": ("remember", {"content": ""}),
    "a fact without an object": ("triple_add", {"subject": "ines", "predicate": "lives_in", "object": ""}),
    "an empty note": ("scratchpad_write", {"content": ""}),
    "lines that cannot be read": ("import", {"input_path": "broken.jsonl"}),
    "an import that nobody agreed to": ("import", {"input_path": "export.jsonl", "force": True}),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_write_that_is_refused_leaves_no_bank_behind(case: str, caller: Caller) -> None:
    caller.files_dir.mkdir(parents=True)
    (caller.files_dir / "broken.jsonl").write_text("{")
    caller.bank(None).export(caller.files_dir / "export.jsonl")
    name, arguments = REFUSED[case]
    with pytest.raises(MnemopiError):
        catalog.find(f"mnemopi_{name}").run(caller, {**arguments, "bank": "alpha"})
    assert caller.engines.banks.names() == ["default"]
    assert catalog.find("mnemopi_remember").run(caller, {"content": "The crane", "bank": "alpha"})


def test_a_bank_that_was_there_stays_whatever_is_refused(engines: Engines) -> None:
    engines.banks.create("alpha", 0)
    for _ in range(2):
        with pytest.raises(UsageError), Caller.of(engines).writing("alpha") as bank:
            bank.remember("")
    assert engines.banks.exists("alpha")


def test_a_bank_that_took_part_of_a_write_stays(engines: Engines) -> None:
    with pytest.raises(UsageError), Caller.of(engines).writing("alpha") as bank:
        bank.remember_many([{"content": "The crane"}, {"content": ""}], batch_size=1)
    assert [kept.content for kept in Caller.of(engines).bank("alpha").page()] == ["The crane"]


def test_a_bank_stays_where_somebody_put_a_file_beside_it(engines: Engines) -> None:
    with pytest.raises(UsageError), Caller.of(engines).writing("alpha") as bank:
        beside = bank.path.parent / "notes.txt"
        beside.write_text("mine")
        bank.remember("")
    assert beside.read_text() == "mine"
    assert engines.banks.exists("alpha")


def test_a_bank_stays_where_another_call_is_at_it(engines: Engines) -> None:
    caller = Caller.of(engines)
    with caller.writing("alpha") as bank:
        with pytest.raises(UsageError), caller.writing("alpha") as same:
            same.remember("")
        bank.remember("The crane")
    assert [hit.content for hit in caller.bank("alpha").recall("crane")] == ["The crane"]
    with pytest.raises(UsageError), caller.writing("beta") as bank:
        caller.bank("beta")
        bank.remember("")
    assert engines.banks.exists("beta")


def test_what_another_process_wrote_meanwhile_stays(engines: Engines) -> None:
    with pytest.raises(UsageError), Caller.of(engines).writing("alpha") as bank:
        with Mnemopi(bank="alpha", config=engines.config) as other:
            other.remember("The crane")
        bank.remember("")
    assert len(Caller.of(engines).bank("alpha").page()) == 1


def test_a_bank_that_is_not_there_yet_shows_what_others_share_with_all(engines: Engines) -> None:
    shared(engines)
    found = catalog.find("mnemopi_recall").run(Caller.of(engines, own="new"), {"query": "crane"})["results"]
    assert {hit["bank"] for hit in found} == {"default", "work", "garden"}
    assert "new" not in engines.banks.names()


def test_what_is_stored_is_seen_by_who_looked_before_there_was_a_bank(engines: Engines, tmp_path: Path) -> None:
    caller = Caller.of(engines, own="new")
    assert not caller.recall(None, "crane", 5, {})
    with Mnemopi(bank="new", config=engines.config) as other:
        other.remember("The crane")
    assert [hit.content for hit in caller.recall(None, "crane", 5, {})] == ["The crane"]


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
