"""Agents whose `mnemopi mcp` is relayed: the same server, several at once, and what happens when either side ends."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from mnemopi.daemon import client, protocol

HANGING = """
from mnemopi.tools import catalog
import dataclasses, time, pathlib, os
def slow(handler):
    def handle(caller, asked):
        text = getattr(asked, "content", None) or getattr(asked, "query", "")
        if "HANG" in text:
            pathlib.Path(os.environ["MNEMOPI_DATA_DIR"], "hangs").touch()
            time.sleep(60)
        if "SLOW" in text:
            time.sleep(0.5)
        return handler(caller, asked)
    return handle
catalog.TOOLS = tuple(dataclasses.replace(tool, handler=slow(tool.handler)) for tool in catalog.TOOLS)
"""
NOISY = """
import os
from mnemopi.tools import catalog
import dataclasses
def loud(handler):
    def handle(caller, asked):
        print("I am printing", flush=True)
        os.write(1, b"and past Python\\n")
        os.system("echo and so does my child")
        return handler(caller, asked)
    return handle
catalog.TOOLS = tuple(dataclasses.replace(tool, handler=loud(tool.handler)) for tool in catalog.TOOLS)
"""


def until(done: Callable[[], Any]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + 90
    while time.monotonic() < end:
        if done():
            return
        time.sleep(0.02)
    raise AssertionError("it never happened")


def structure(result: dict[str, Any]) -> dict[str, Any]:
    assert not result.get("isError"), result
    return dict(result["structuredContent"])


def told(result: dict[str, Any]) -> dict[str, Any]:
    assert result["isError"] is True, result
    return dict(json.loads(result["content"][0]["text"]))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_is_relayed_in_both_eras(warm: Any, mode: str) -> None:
    async def run() -> None:
        command = ["-m", "mnemopi", "--bank", f"official-{mode}", "mcp"]
        parameters = StdioServerParameters(command=sys.executable, args=command, env=warm.environment)
        async with Client(parameters, mode=mode) as session:  # type: ignore[arg-type]
            assert warm.status()["connections"] == 1
            assert len((await session.list_tools()).tools) >= 29
            await session.call_tool("mnemopi_remember", {"content": "The crane stands on pier 7"})
            found = await session.call_tool("mnemopi_recall", {"query": "crane"})
            assert found.structured_content["count"] == 1

    anyio.run(run)
    until(lambda: warm.status()["connections"] == 0)


def test_the_lists_are_those_of_a_server_at_home(warm: Any, agent: Any) -> None:
    there, home = agent(warm), agent(warm, MNEMOPI_DAEMON="off")
    assert there.begin() == home.begin()
    assert warm.status()["connections"] == 1
    for method in ("tools/list", "prompts/list", "resources/templates/list"):
        assert there.ask(method)["result"] == home.ask(method)["result"]
    assert (there.end(), home.end()) == (0, 0)


def test_options_and_settings_of_each_agent_are_its_own(warm: Any, agent: Any) -> None:
    work = agent(warm, "--bank", "own-a", "--session", "s9", "--tools", "core")
    play = agent(warm, MNEMOPI_MCP_BANK="own-b", MNEMOPI_AUTHOR_ID="ines", MNEMOPI_TOOLS="remember,get")
    for each in (work, play):
        each.begin()
    assert warm.status()["connections"] == 2
    assert len(work.ask("tools/list")["result"]["tools"]) == 7
    assert len(play.ask("tools/list")["result"]["tools"]) == 2
    made = structure(work.call("remember", content="The crane"))
    kept = structure(work.call("get", memory_id=made["memory_id"]))["memory"]
    assert (made["bank"], kept["session_id"], kept.get("author_id")) == ("own-a", "s9", None)
    made = structure(play.call("remember", content="The crane"))
    kept = structure(play.call("get", memory_id=made["memory_id"]))["memory"]
    assert (made["bank"], kept["session_id"], kept["author_id"]) == ("own-b", "mcp_own-b", "ines")


def test_two_agents_at_once_share_what_they_remember_and_hear_of_it(warm: Any, agent: Any) -> None:
    one, two = agent(warm, "--bank", "shared"), agent(warm, "--bank", "shared")
    for each in (one, two):
        each.begin()
    structure(two.call("stats"))
    two.ask("resources/subscribe", uri="memory://-/index")
    numbers = [
        (one, one.send("tools/call", name="mnemopi_remember", arguments={"content": f"crane {place}"}))
        for place in range(5)
    ]
    numbers += [
        (two, two.send("tools/call", name="mnemopi_remember", arguments={"content": f"winch {place}"}))
        for place in range(5)
    ]
    ids = {structure(each.answer(number)["result"])["memory_id"] for each, number in numbers}
    assert len(ids) == 10
    assert structure(one.call("recall", query="winch", limit=10))["count"] == 5
    two.call("stats")
    assert "notifications/resources/updated" in {message.get("method") for message in two.heard}


def test_wrong_arguments_are_told_as_at_home(warm: Any) -> None:
    done = warm.run("mcp", "--tools", "nothing")
    assert (done.status, done) == (2, warm.at_home("mcp", "--tools", "nothing"))


def test_a_call_that_runs_when_the_agent_closes_its_side_is_answered(place: Any, agent: Any) -> None:
    place.reside(patch=HANGING)
    one = agent(place)
    one.begin()
    number = one.send("tools/call", name="mnemopi_remember", arguments={"content": "SLOW crane"})
    one.process.stdin.close()
    assert structure(one.answer(number)["result"])["outcome"] == "created"
    assert one.process.wait(90) == 0


def test_what_prints_in_the_process_goes_to_its_log(place: Any, agent: Any) -> None:
    place.reside(patch=NOISY)
    one = agent(place)
    one.begin()
    structure(one.call("remember", content="The crane stands on pier 7"))
    assert structure(one.call("recall", query="crane"))["count"] == 1
    assert one.end() == 0
    for said in ("I am printing", "and past Python", "and so does my child"):
        assert said in place.log()


def test_an_agent_that_is_killed_in_a_call_harms_nobody(place: Any, agent: Any) -> None:
    daemon = place.reside(patch=HANGING)
    one, two = agent(place), agent(place)
    for each in (one, two):
        each.begin()
    one.send("tools/call", name="mnemopi_remember", arguments={"content": "SLOW crane"})
    until(lambda: place.status()["calls"] == 1)
    one.process.kill()
    assert structure(two.call("remember", content="The winch"))["outcome"] == "created"
    until(lambda: place.status()["connections"] == 1)
    assert structure(two.call("recall", query="crane"))["count"] == 1
    assert daemon.poll() is None


def test_a_process_that_is_killed_in_a_write_says_so_and_the_agent_goes_on(place: Any, agent: Any) -> None:
    daemon = place.reside(patch=HANGING)
    one = agent(place)
    one.begin()
    kept = [structure(one.call("remember", content=f"crane {number}"))["memory_id"] for number in range(20)]
    writing = one.send("tools/call", name="mnemopi_remember", arguments={"content": "HANG winch"})
    until((place.folder / "hangs").exists)
    daemon.send_signal(signal.SIGKILL)
    error = told(one.answer(writing)["result"])
    assert error["code"] == "outcome-unknown"
    assert error["hint"]
    found = structure(one.call("recall", query="crane", limit=50))
    assert {hit["id"] for hit in found["results"]} == set(kept)
    assert structure(one.call("remember", content="crane again"))["outcome"] == "created"
    assert one.end() == 0


def test_a_read_that_was_cut_off_is_asked_again(place: Any, agent: Any) -> None:
    daemon = place.reside(patch=HANGING)
    one = agent(place)
    one.begin()
    structure(one.call("remember", content="The crane stands on pier 7"))
    reading = one.send("tools/call", name="mnemopi_recall", arguments={"query": "crane HANG"})
    until((place.folder / "hangs").exists)
    daemon.send_signal(signal.SIGKILL)
    assert structure(one.answer(reading)["result"])["count"] == 1


def test_another_process_takes_over_from_one_that_was_stopped(place: Any, agent: Any) -> None:
    place.reside()
    one = agent(place)
    one.begin()
    structure(one.call("remember", content="The crane stands on pier 7"))
    assert place.run("daemon", "stop").status == 0
    assert structure(one.call("recall", query="crane"))["count"] == 1
    assert one.ask("tools/list")["result"]["tools"]
    assert one.end() == 0


def test_the_next_resident_process_serves_who_was_served_by_the_last(place: Any, agent: Any) -> None:
    first = place.reside()
    one = agent(place)
    one.begin()
    structure(one.call("remember", content="The crane stands on pier 7"))
    first.send_signal(signal.SIGTERM)
    assert first.wait(90) == 0
    place.reside()
    assert structure(one.call("recall", query="crane"))["count"] == 1
    assert place.status()["connections"] == 1


def test_who_follows_a_resource_hears_of_changes_after_a_change_of_process(place: Any, agent: Any) -> None:
    first = place.reside()
    one = agent(place)
    one.begin()
    made = structure(one.call("remember", content="The crane stands on pier 7"))["memory_id"]
    one.ask("resources/subscribe", uri=f"memory://{made}")
    first.send_signal(signal.SIGTERM)
    assert first.wait(90) == 0
    structure(one.call("update", memory_id=made, content="It stands on pier 9"))
    one.ask("ping")
    assert "notifications/resources/updated" in {message.get("method") for message in one.heard}


def test_an_agent_that_leaves_while_nobody_answers_ends_well(place: Any, agent: Any) -> None:
    first = place.reside()
    one = agent(place)
    one.begin()
    first.kill()
    first.wait()
    assert one.end() == 0


def test_the_relay_ends_with_its_parent(warm: Any) -> None:
    code = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-m', 'mnemopi', 'mcp'], stdin=sys.stdin)\n"
        "print(child.pid, flush=True)\n"
        "child.wait()\n"
    )
    parent = warm.begin(sys.executable, "-c", code)
    child = int(parent.stdout.readline())
    until(lambda: warm.status()["connections"] == 1)
    parent.kill()
    until(lambda: warm.status()["connections"] == 0)
    until(lambda: not is_alive(child))


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that waits to be looked after by its parent does not."""
    told = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return told.stdout.strip()[:1] not in ("", "Z")


@pytest.mark.parametrize("line", [b"\xff\xfe\n", b"[]\n", b"{}\n", b'{"jsonrpc": "2.0"}\n', b"x" * 100_000 + b"\n"])
def test_no_line_ends_the_relay(warm: Any, agent: Any, line: bytes) -> None:
    one = agent(warm, "--bank", "lines")
    one.begin()
    one.process.stdin.write(line)
    assert one.ask("tools/list")["result"]["tools"]


def dialled(place: Any, kind: str, **more: Any) -> tuple[Any, dict[str, Any]]:
    names = {name: place.environment.get(name, "") for name in protocol.GROUND}
    settings = {name: value for name, value in place.environment.items() if name.startswith("MNEMOPI_")}
    return client.dial(str(place.folder), protocol.hello(kind, names, environment=settings, **more))


def test_tools_are_called_one_line_each(warm: Any) -> None:
    link, _ = dialled(warm, "call", argv=["--bank", "called", "mcp"])
    link.send({"tool": "mnemopi_remember", "arguments": {"content": "The crane stands on pier 7"}})
    assert link.receive()["answer"]["outcome"] == "created"
    link.send({"tool": "mnemopi_recall", "arguments": {"query": "crane"}})
    assert link.receive()["answer"]["count"] == 1
    link.send({"tool": "mnemopi_recall", "arguments": {"query": "crane", "colour": "red"}})
    assert link.receive()["error"]["code"] == "usage"
    link.send({"tool": "nothing"})
    assert link.receive()["error"]["code"] == "not-found"
    link.send({"tool": "mnemopi_stats", "arguments": [1]})
    assert link.receive()["error"]["code"] == "usage"
    link.close()


def test_a_hello_that_is_none_is_refused(warm: Any) -> None:
    assert dialled(warm, "dance")[1]["refused"] == "protocol"
    assert dialled(warm, "mcp")[1]["refused"] == "arguments"
    assert dialled(warm, "mcp", argv=["mcp", "--no-such-option"])[1]["refused"] == "arguments"
    assert dialled(warm, "call", argv=["mcp"], version="99.0")[1]["refused"] == "version"
    assert warm.status()["ok"] is True


def test_half_a_line_is_not_done(warm: Any) -> None:
    link, _ = dialled(warm, "cli")
    line = protocol.line({"argv": ["--bank", "half", "store", "The crane"], "width": 0})
    link.socket.sendall(line[:-1])
    link.close()
    until(lambda: warm.status()["connections"] == 0)
    assert warm.at_home("--bank", "half", "recall", "crane").status == 3


def test_garbage_on_the_socket_harms_nobody(warm: Any) -> None:
    for rubbish in (b"", b"\n", b"\x00\xff\n", b"{" * 1000 + b"\n", b"GET / HTTP/1.1\r\n\r\n", b'{"kind": 7}\n'):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(warm.status() and protocol.record(str(warm.folder))["socket"])
            connection.sendall(rubbish)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(4096):
                pass
    assert warm.status()["ok"] is True
