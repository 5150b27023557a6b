"""The server object, driven by the official client in memory, in both eras of the protocol."""

from __future__ import annotations

import json
import warnings
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult, PromptReference, ResourceTemplateReference, TextContent

from mnemopi.config import Config
from mnemopi.mcp import server
from mnemopi.tools import catalog
from mnemopi.tools.caller import Caller, Engines
from mnemopi.tools.tool import Input, Output, Tool

Do = Callable[[Client], Awaitable[None]]


class Nothing(Output):
    """An answer without fields."""


def broken(_: Caller, __: Input) -> Nothing:
    raise ZeroDivisionError("the content of somebody's memory")


BROKEN = Tool("mnemopi_broken", "Broken", "Breaks.", Input, Nothing, broken, "read")


@pytest.fixture(params=["auto", "legacy"])
def mode(request: pytest.FixtureRequest) -> str:
    """The current era, and the one of the handshake."""
    return str(request.param)


@pytest.fixture
def engines(tmp_path: Path) -> Iterator[Engines]:
    config = Config.load({"storage.data_dir": str(tmp_path / "data"), "embedding.enabled": False})
    made = Engines(config, session=lambda bank: f"mcp_{bank}")
    yield made
    made.close()


@pytest.fixture
def connected(engines: Engines, mode: str) -> Callable[..., None]:
    """Do something as a client: `connected(do)`; further arguments are the client's."""

    def made(do: Do, caller: Caller | None = None, **given: Any) -> None:
        built = server.build(caller or Caller.of(engines), (*catalog.TOOLS, BROKEN), engines)

        async def run() -> None:
            async with Client(built, mode=mode, **given) as client:  # type: ignore[arg-type]
                with anyio.fail_after(30):
                    await do(client)

        anyio.run(run)

    return made


async def told(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool that succeeds; what it says as text and as structure is the same."""
    result = await client.call_tool(f"mnemopi_{name}", arguments)
    assert not result.is_error, result
    (text,) = result.content
    assert isinstance(text, TextContent)
    assert json.loads(text.text) == result.structured_content
    return dict(result.structured_content)


async def refused(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool that fails; the error is a text that the model can read, and no structure that breaks a schema."""
    result = await client.call_tool(f"mnemopi_{name}", arguments)
    assert result.is_error
    assert result.structured_content is None
    (text,) = result.content
    assert isinstance(text, TextContent)
    error = dict(json.loads(text.text))
    assert {"code", "message", "hint"} <= set(error)
    return error


def test_the_handshake_and_the_lists_open_no_bank(connected: Any, engines: Engines) -> None:
    async def do(client: Client) -> None:
        assert len((await client.list_tools()).tools) == len(catalog.TOOLS) + 1
        assert len((await client.list_prompts()).prompts) == 3
        assert (await client.list_resource_templates()).resource_templates
        assert not engines.config.data_dir.exists()

    connected(do)


def test_what_is_remembered_is_recalled(connected: Any) -> None:
    async def do(client: Client) -> None:
        made = await told(client, "remember", content="The crane stands on pier 7")
        found = await told(client, "recall", query="crane")
        assert [row["id"] for row in found["results"]] == [made["memory_id"]]

    connected(do)


def test_errors_are_answers_with_code_message_and_hint(connected: Any) -> None:
    async def do(client: Client) -> None:
        assert (await refused(client, "recall", queri="x"))["code"] == "usage"
        assert (await refused(client, "get", memory_id="nothing"))["code"] == "not-found"
        assert (await refused(client, "nothing"))["code"] == "not-found"

    connected(do)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("recall", {"query": "crane", "limit": 10**30}),
        ("recall", {"query": "crane", "content_preview_chars": 10**30}),
        ("shared_recall", {"query": "crane", "limit": 10**30}),
        ("context", {"query": "crane", "budget": 10**30}),
        ("facts", {"action": "read", "limit": 10**30}),
    ],
)
def test_a_number_beyond_reach_is_told_to_be_one(connected: Any, name: str, given: dict[str, Any]) -> None:
    async def do(client: Client) -> None:
        await told(client, "remember", content="The crane stands on pier 7")
        assert (await refused(client, name, **given))["code"] == "usage"

    connected(do)


def test_an_unexpected_error_tells_nothing_of_what_it_held(connected: Any, caplog: pytest.LogCaptureFixture) -> None:
    async def do(client: Client) -> None:
        error = await refused(client, "broken")
        assert error["code"] == "internal"
        assert "memory" not in error["message"]
        await told(client, "stats")

    connected(do)
    assert "ZeroDivisionError" in caplog.text
    assert "somebody" not in caplog.text


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        (ElicitResult(action="accept", content={"agree": True}), 0),
        (ElicitResult(action="accept", content={"agree": False}), 21),
        (ElicitResult(action="decline"), 21),
        (ElicitResult(action="cancel"), 21),
    ],
)
def test_the_user_is_asked_where_the_client_can_ask(connected: Any, answer: ElicitResult, left: int) -> None:
    asked = []

    async def say(_: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return answer

    async def do(client: Client) -> None:
        for number in range(21):
            await told(client, "scratchpad_write", content=f"note {number}")
        if left:
            assert (await refused(client, "scratchpad_clear"))["code"] == "declined"
        else:
            await told(client, "scratchpad_clear")
        assert (await told(client, "scratchpad_read"))["count"] == left

    connected(do, elicitation_callback=say)
    assert asked == ["Erase all 21 notes of the scratchpad?"]


def test_else_a_token_agrees(connected: Any) -> None:
    async def do(client: Client) -> None:
        for number in range(21):
            await told(client, "scratchpad_write", content=f"note {number}")
        error = await refused(client, "scratchpad_clear")
        assert (error["code"], error["preview"]["notes"]) == ("unconfirmed", 21)
        assert (await told(client, "scratchpad_clear", confirm=error["confirm"]))["count"] == 21

    connected(do)


def test_one_memory_is_forgotten_without_a_question(connected: Any) -> None:
    async def do(client: Client) -> None:
        made = await told(client, "remember", content="The crane")
        assert (await told(client, "forget", memory_id=made["memory_id"]))["status"] == "deleted"

    connected(do)


def test_a_reader_sees_and_calls_only_what_reads(connected: Any, engines: Engines) -> None:
    async def do(client: Client) -> None:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert "mnemopi_recall" in names
        assert "mnemopi_remember" not in names
        assert (await refused(client, "remember", content="x"))["code"] == "not-found"

    connected(do, Caller.of(engines, most="read"))


def test_resources_are_listed_read_and_completed(connected: Any) -> None:
    async def do(client: Client) -> None:
        made = await told(client, "remember", content="The crane stands on pier 7")
        listed = [str(each.uri) for each in (await client.list_resources()).resources]
        assert f"memory://{made['memory_id']}" in listed
        for uri in listed:
            assert (await client.read_resource(uri)).contents
        template = ResourceTemplateReference(uri="memory://{id}{?bank}")
        found = await client.complete(template, {"name": "id", "value": made["memory_id"][:4]})
        assert found.completion.values == [made["memory_id"]]

    connected(do)


def test_what_stands_nowhere_is_invalid_params(connected: Any) -> None:
    async def do(client: Client) -> None:
        for uri in ("memory://nothing", "memory://-/../x", "file:///etc/passwd"):
            with pytest.raises(MCPError) as caught:
                await client.read_resource(uri)
            assert caught.value.error.code == -32602
            assert caught.value.error.data["uri"] == uri

    connected(do)


def test_each_prompt_is_described_and_filled_in(connected: Any) -> None:
    async def do(client: Client) -> None:
        for prompt in (await client.list_prompts()).prompts:
            assert prompt.description
            given = {argument.name: "the crane" for argument in prompt.arguments or ()}
            filled = await client.get_prompt(prompt.name, given)
            assert "the crane" in filled.messages[0].content.text  # type: ignore[union-attr]
            completed = await client.complete(PromptReference(name=prompt.name), {"name": "task", "value": ""})
            assert completed.completion.values == []
        for name, wrong in (("recall_for_task", {}), ("recall_for_task", {"tsk": "x"}), ("nothing", {})):
            with pytest.raises(MCPError):
                await client.get_prompt(name, wrong)

    connected(do)


def test_a_client_hears_of_what_it_follows(connected: Any, mode: str) -> None:
    heard: list[str] = []

    async def hear(message: Any) -> None:
        heard.append(f"{message.method} {getattr(message.params, 'uri', '')}".strip())

    async def remember_and_wait(client: Client) -> None:
        await told(client, "remember", content="I prefer tabs over spaces")
        while len(heard) < 2:
            await anyio.sleep(0.01)

    async def do(client: Client) -> None:
        await told(client, "stats")
        if mode == "legacy":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                await client.subscribe_resource("memory://-/facts")
                await client.subscribe_resource("memory://-/facts?bank=other")
            await remember_and_wait(client)
            return
        async with client.listen(resources_list_changed=True, resource_subscriptions=["memory://-/facts"]) as stream:
            await told(client, "remember", content="I prefer tabs over spaces")
            async for event in stream:
                heard.append(f"{type(event).__name__} {getattr(event, 'uri', '')}".strip())
                if len(heard) == 2:
                    break

    connected(do, message_handler=hear if mode == "legacy" else None)
    assert len(heard) == 2
    assert "memory://-/facts" in heard[1]


def test_calls_run_side_by_side(connected: Any) -> None:
    async def do(client: Client) -> None:
        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(lambda n=number: told(client, "remember", content=f"The crane number {n}"))  # type: ignore[misc]
        assert (await told(client, "stats"))["working"]["total"] == 20

    connected(do)
