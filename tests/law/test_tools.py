"""What the catalog promises: every tool is callable with its defaults, says what it takes, and tells no lies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import pytest
from mcp_types import CallToolResult

from mnemopi.config import Config
from mnemopi.errors import MnemopiError, NotFoundError, UsageError
from mnemopi.mcp import content
from mnemopi.tools import catalog
from mnemopi.tools.caller import Caller, Engines
from mnemopi.tools.tool import Tool

OF_THE_REFERENCE = """
remember recall shared_remember shared_recall shared_forget shared_stats sleep stats invalidate validate get triple_add
triple_query scratchpad_write scratchpad_read scratchpad_clear export update forget import diagnose graph_query
graph_link
"""

DEFAULTS = {
    "remember": {"importance": 0.5, "source": "user", "scope": "bank", "extract": False, "veracity": "unknown"},
    "recall": {"limit": 5},
    "shared_remember": {"kind": "meta", "importance": 0.8, "veracity": "unknown"},
    "shared_recall": {"limit": 5},
    "sleep": {"dry_run": False, "all_sessions": False},
    "triple_add": {"source": "conversation", "confidence": 1.0},
    "import": {"force": False},
    "validate": {"bank": "private"},
    "graph_query": {"max_hops": 2, "min_weight": 0.0},
    "graph_link": {"weight": 0.5},
}

WANTED = {
    "content": "The crane stands on pier 7",
    "query": "crane",
    "importance": 0.7,
    "action": "attest",
    "subject": "Ines",
    "predicate": "likes",
    "object": "tea",
    "relationship": "follows",
    "output_path": "law.jsonl",
    "input_path": "there.jsonl",
}
STORING = {"remember", "shared_remember", "triple_add", "scratchpad_write", "import"}
ALL = pytest.mark.parametrize("tool", catalog.TOOLS, ids=lambda tool: tool.name)


@pytest.fixture
def caller(tmp_path: Path) -> Iterator[Caller]:
    engines = Engines(Config.load({"storage.data_dir": str(tmp_path / "data"), "embedding.enabled": False}))
    made = Caller.of(engines)
    made.files_dir.mkdir(parents=True)
    (made.files_dir / "there.jsonl").write_text('{"content": "The winch"}\n')
    yield made
    engines.close()


def arguments(tool: Tool, caller: Caller) -> dict[str, Any]:
    """The fewest arguments that a tool takes: ids are those of memories that are there."""
    given: dict[str, Any] = {}
    for name in tool.input_schema().get("required", ()):
        if name.endswith("_id"):
            bank = "surface" if "shared" in tool.name else None
            with caller.writing(bank) as written:
                given[name] = written.remember(f"about {tool.name} {name}").id
        else:
            given[name] = WANTED[name]
    if tool.name == "mnemopi_update":
        given["content"] = "The crane stands on pier 9"
    if tool.name == "mnemopi_undo":
        caller.bank(None).update(given["memory_id"], "changed")
    return given


def test_all_tools_of_the_reference_are_there() -> None:
    names = OF_THE_REFERENCE.split()
    assert len(names) == 23
    assert {f"mnemopi_{name}" for name in names} <= set(catalog.BY_NAME)


def test_no_two_tools_share_a_name() -> None:
    assert len(catalog.BY_NAME) == len(catalog.TOOLS)


@pytest.mark.parametrize("name", DEFAULTS)
def test_defaults_are_those_of_the_reference(name: str) -> None:
    properties = catalog.find(f"mnemopi_{name}").input_schema()["properties"]
    assert {argument: properties[argument]["default"] for argument in DEFAULTS[name]} == DEFAULTS[name]


@ALL
def test_each_tool_is_callable_with_its_defaults(tool: Tool, caller: Caller) -> None:
    answer = tool.run(caller, arguments(tool, caller))
    tool.output.model_validate(answer)
    assert json.loads(json.dumps(answer)) == answer


@ALL
def test_null_is_as_good_as_nothing(tool: Tool, caller: Caller) -> None:
    given = arguments(tool, caller)
    optional = set(tool.input.model_fields) - set(given)
    tool.run(caller, dict.fromkeys(optional) | given)


@ALL
def test_an_unknown_argument_is_an_error_that_names_what_is_known(tool: Tool, caller: Caller) -> None:
    with pytest.raises(UsageError, match="unknown argument 'colour'") as caught:
        tool.run(caller, arguments(tool, caller) | {"colour": "red"})
    assert all(name in caught.value.hint for name in tool.input.model_fields)


@ALL
def test_an_argument_of_the_wrong_kind_is_an_error_that_does_not_repeat_it(tool: Tool, caller: Caller) -> None:
    given = arguments(tool, caller)
    for name, told in tool.input_schema().get("properties", {}).items():
        wrong: Any = ["hush"] if told.get("type") != "object" else "hush"
        with pytest.raises(UsageError) as caught:
            tool.run(caller, given | {name: wrong})
        assert name in str(caught.value)
        assert "hush" not in str(caught.value)


@ALL
def test_what_only_reads_changes_nothing(tool: Tool, caller: Caller) -> None:
    if tool.effect != "read":
        return
    given = arguments(tool, caller)
    banks = [caller.bank(None), caller.bank("surface")]
    before = [bank.events()[-1].cursor if bank.events() else None for bank in banks]
    tool.run(caller, given)
    assert [bank.events()[-1].cursor if bank.events() else None for bank in banks] == before


@ALL
def test_only_what_stores_makes_a_bank(tool: Tool, caller: Caller) -> None:
    mine = Caller.of(caller.engines, own="alpha", only=frozenset({"alpha", "surface"}))
    required = tool.input_schema().get("required", ())
    stores = tool.name.removeprefix("mnemopi_") in STORING
    with nullcontext() if stores else suppress(NotFoundError, UsageError):
        tool.run(mine, {name: "0" * 32 if name.endswith("_id") else WANTED[name] for name in required})
    assert (len(caller.engines.banks.names()) > 1) is stores


@ALL
def test_what_is_called_idempotent_changes_nothing_more_the_second_time(tool: Tool, caller: Caller) -> None:
    if not tool.again:
        return
    given = arguments(tool, caller)
    tool.run(caller, given)
    before = caller.bank(None).stats()["total_memories"], len(caller.bank(None).facts.list())
    try:
        tool.run(caller, given)
    except MnemopiError as error:
        assert error.code in ("not-found", "conflict")
    assert (caller.bank(None).stats()["total_memories"], len(caller.bank(None).facts.list())) == before


@ALL
def test_all_four_hints_are_set_and_say_what_the_effect_says(tool: Tool) -> None:
    hints = content.listed(tool).annotations
    assert hints is not None
    assert hints.read_only_hint is (tool.effect == "read")
    assert hints.destructive_hint is (tool.effect == "destroy")
    assert hints.idempotent_hint is tool.idempotent
    assert hints.open_world_hint is False


@ALL
def test_each_argument_but_the_plainest_is_described(tool: Tool) -> None:
    plain = {"author_id", "author_type", "channel_id", "subject", "predicate", "object", "action", "kind", "limit"}
    plain |= {"source_id", "target_id"}
    properties = tool.input_schema().get("properties", {})
    assert [name for name, told in properties.items() if "description" not in told and name not in plain] == []


def test_the_core_set_is_small() -> None:
    core = catalog.chosen("core")
    assert len(core) <= 7
    shown = [content.listed(tool).model_dump_json(by_alias=True, exclude_none=True) for tool in core]
    assert sum(map(len, shown)) <= 14_000
    for tool in catalog.TOOLS:
        assert (content.listed(tool).meta == {content.ALWAYS_LOAD: True}) is (tool in core)


def test_sets_are_chosen_by_name() -> None:
    assert catalog.chosen("full") == catalog.TOOLS
    assert [tool.name for tool in catalog.chosen("recall, mnemopi_get")] == ["mnemopi_recall", "mnemopi_get"]
    for wrong in ("", "recall,nothing", "everything"):
        with pytest.raises(UsageError):
            catalog.chosen(wrong)


def test_text_and_structure_carry_the_same_compact_json() -> None:
    made = content.answer({"a": "ü", "b": [1, 2]})
    assert isinstance(made, CallToolResult)
    assert made.content[0].text == '{"a":"ü","b":[1,2]}'  # type: ignore[union-attr]
    assert made.structured_content == {"a": "ü", "b": [1, 2]}
