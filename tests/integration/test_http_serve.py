"""`mnemopi serve` and `mnemopi token` as real processes: where they are, how they end, and what they refuse."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import httpx
import httpx2
import pytest
from mcp import Client as McpClient
from mcp.client.streamable_http import streamable_http_client

from mnemopi import Mnemopi
from mnemopi.http.client import Client

Serve = Callable[..., tuple[subprocess.Popen[str], str, str]]


@pytest.fixture
def serve(environment: dict[str, str], folder: Path) -> Iterator[Serve]:
    """Start a server: the process, its address, and the owner's token."""
    started: list[subprocess.Popen[str]] = []

    def made(*options: str, **changes: str) -> tuple[subprocess.Popen[str], str, str]:
        command = [sys.executable, "-m", "mnemopi", "serve", "--port", "0", *options]
        process = subprocess.Popen(command, env={**environment, **changes}, stderr=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r"(https?://\S+) .* lies in (\S+)", line)
        assert found, line + process.stderr.read()
        return process, found[1], Path(found[2]).read_text().strip()

    yield made
    for process in started:
        process.kill()
        process.communicate()


def test_it_serves_until_it_is_told_to_end_and_what_was_stored_is_there(serve: Serve, folder: Path) -> None:
    process, url, token = serve()
    with Client(url, token=token) as client:
        client.remember("The crane stands on pier 7")
        events = client.follow("start")
        assert next(events).verb == "remembered"
        process.send_signal(signal.SIGTERM)
        assert list(events) == [], "an open stream ends with the server"
    assert process.wait(30) == 0
    with Mnemopi(data_dir=folder, no_embeddings=True) as memory:
        assert [hit.content for hit in memory.recall("crane")] == ["The crane stands on pier 7"]


def test_many_clients_at_once_lose_nothing(serve: Serve) -> None:
    _, url, token = serve()

    def work(number: int) -> list[str]:
        with Client(url, token=token, session_id=f"s{number}") as client:
            ids = [client.remember(f"client {number} says {turn}").id for turn in range(8)]
            assert client.recall(f"client {number} says 3", 1)[0].id == ids[3]
            return ids

    with ThreadPoolExecutor(12) as pool:
        written = [id for ids in pool.map(work, range(12)) for id in ids]
    with Client(url, token=token) as client:
        assert sorted(each.id for each in client.pages(50)) == sorted(written)


def test_a_killed_server_has_kept_what_it_acknowledged(serve: Serve) -> None:
    process, url, token = serve()
    with Client(url, token=token) as client:
        receipt = client.remember("acknowledged")
        process.kill()
        process.wait(30)
    _, again, same = serve()
    assert same == token
    with Client(again, token=token) as client:
        assert client.get(receipt) is not None


def test_an_agent_of_either_era_is_served_and_sees_what_its_token_sees(serve: Serve, run: Any) -> None:
    _, url, token = serve()
    with Client(url, token=token) as client:
        for bank in ("work", "home"):
            client.banks.create(bank)
    reader = run("token", "create", "reader", "--only", "work", "--may", "add").out.strip()

    async def told(mode: Any, token: str, name: str, **arguments: Any) -> Any:
        headers = {"authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers) as http:
            transport = streamable_http_client(f"{url}/mcp", http_client=http)
            async with McpClient(transport, mode=mode) as agent:
                tools = {tool.name for tool in (await agent.list_tools()).tools}
                return tools, await agent.call_tool(f"mnemopi_{name}", arguments)

    for mode in ("auto", "legacy"):
        tools, done = anyio.run(partial(told, mode, reader, "remember", content=f"The crane, {mode}"))
        assert "mnemopi_recall" in tools
        assert "mnemopi_forget" not in tools
        assert done.structured_content["bank"] == "work"
        _, hidden = anyio.run(partial(told, mode, reader, "recall", query="crane", bank="home"))
        assert hidden.is_error
        assert json.loads(hidden.content[0].text)["code"] == "not-found"
        _, found = anyio.run(partial(told, mode, token, "recall", query=f"crane {mode}", bank="work"))
        assert found.structured_content["count"] >= 1


def test_a_session_of_one_token_is_none_of_anothers(serve: Serve, run: Any) -> None:
    _, url, token = serve()
    other = run("token", "create", "other").out.strip()
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    accepts = {"accept": "application/json, text/event-stream"}
    with httpx.Client(base_url=url, headers=accepts) as http:
        opened = http.post("/mcp", json=hello, headers={"authorization": f"Bearer {token}"})
        session = {"mcp-session-id": opened.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
        asked = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
        mine = http.post("/mcp", json=asked, headers={**session, "authorization": f"Bearer {token}"})
        assert mine.status_code == 200
        theirs = http.post("/mcp", json=asked, headers={**session, "authorization": f"Bearer {other}"})
        assert theirs.status_code == 404


def test_a_taken_port_is_named(run: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run("serve", "--port", port)
    assert done.status == 4
    assert f"port {port} of 127.0.0.1 is taken" in done.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--host", "0.0.0.0"], "--insecure-bind"),
        (["--host", "no.such.host.invalid"], "no address"),
        (["--tls-key", "key.pem"], "no certificate"),
        (["--tls-cert", "nowhere.pem"], "no certificate at"),
        (["--tools", "nothing"], "no such tools"),
        (["--port", "70000"], "70000"),
    ],
)
def test_what_cannot_be_served_is_told_at_once(run: Any, options: list[str], words: str) -> None:
    done = run("serve", *options)
    assert done.status == 2, done.err
    assert words in done.err


def test_beyond_this_machine_with_a_certificate(serve: Serve, tmp_path: Path, run: Any) -> None:
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    make_certificate(cert, key)
    _, url, token = serve("--host", "0.0.0.0", "--tls-cert", str(cert), "--tls-key", str(key))
    assert url.startswith("https://0.0.0.0:")
    with Client(url.replace("0.0.0.0", "127.0.0.1"), token=token, verify=str(cert)) as client:
        assert client.banks.list() == ["default"]
    cert.write_text("no certificate")
    assert "certificate cannot be used" in run("serve", "--port", "0", "--tls-cert", str(cert)).err


def test_tokens_are_made_listed_and_revoked(run: Any, folder: Path) -> None:
    made = run("token", "create", "laptop", "--only", "work", "--may", "read", "--json").json
    assert made["banks"] == ["work"]
    assert made["token"] not in (folder / "http-tokens.json").read_text()
    assert (folder / "http-tokens.json").stat().st_mode & 0o077 == 0
    (listed,) = run("token", "list", "--json").json["tokens"]
    assert (listed["name"], listed["may"], "hash" in listed) == ("laptop", "read", False)
    assert run("token", "create", "laptop").status == 4
    assert run("token", "revoke", "laptop").status == 0
    assert run("token", "revoke", "laptop").status == 3
    assert run("token", "list", "--quiet").out.strip() == ""


def make_certificate(cert: Path, key: Path) -> None:
    """Make a certificate of 127.0.0.1 that signs itself."""
    import datetime
    import ipaddress

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    own = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(own.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        .sign(own, hashes.SHA256())
    )
    cert.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    key.write_bytes(
        own.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
