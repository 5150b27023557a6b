"""Who is let in: by token, host and origin; how much, how often and how long."""

from __future__ import annotations

import socket
import stat
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from mnemopi.config import Config
from mnemopi.http import app
from mnemopi.http.keys import Keys
from mnemopi.tools.caller import Engines


def problem(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """Check that an answer is a problem document of that kind."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    told = dict(answer.json())
    assert {"type", "title", "status", "detail", "code", "hint"} <= set(told)
    assert (told["status"], told["code"], told["type"]) == (status, code, f"urn:mnemopi:error:{code}")
    return told


@pytest.mark.parametrize(
    "given", [{}, {"authorization": "Bearer wrong"}, {"authorization": "Basic x"}, {"authorization": "Bearer"}]
)
def test_without_the_right_token_nothing_but_health_is_told(served: Any, given: dict[str, str]) -> None:
    with httpx.Client(base_url=served.url, headers=given) as http:
        for path in (
            "/api/v1/banks",
            "/mcp",
            "/version",
            "/metrics",
            "/api/v1/openapi.json",
            "/v1/default",
            "/nothing",
        ):
            answer = http.get(path)
            problem(answer, 401, "unauthorized")
            assert answer.headers["www-authenticate"].startswith("Bearer")
        assert http.get("/health").json() == {"status": "ok"}


def test_the_token_of_the_owner_is_private_and_stays_the_same(served: Any) -> None:
    keys = Keys(served.engines.config.data_dir)
    assert keys.owner() == served.token
    assert stat.S_IMODE(keys.owner_file.stat().st_mode) == 0o600


def test_a_token_opens_at_once_and_a_revoked_one_nothing_any_more(served: Any) -> None:
    keys = Keys(served.engines.config.data_dir)
    token = keys.create("passing", (), "read", 0)
    assert token not in (served.engines.config.data_dir / "http-tokens.json").read_text()
    with httpx.Client(base_url=served.url, headers={"authorization": f"Bearer {token}"}) as http:
        assert http.get("/version").status_code == 200
        keys.revoke("passing")
        problem(http.get("/version"), 401, "unauthorized")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil", ""])
def test_another_host_is_refused(served: Any, host: str) -> None:
    problem(served.http.get("/version", headers={"host": host}), 421, "misdirected")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "LOCALHOST:1", "[::1]:9"])
def test_names_of_the_loopback_are_ours_at_any_port(served: Any, host: str) -> None:
    assert served.http.get("/version", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:1", "file://", "https://[bad"])
def test_a_page_of_another_origin_may_not_ask_even_with_the_token(served: Any, origin: str) -> None:
    for path in ("/version", "/mcp", "/health"):
        problem(served.http.get(path, headers={"origin": origin}), 403, "forbidden")


def test_a_page_of_this_server_may_ask(served: Any) -> None:
    assert served.http.get("/version", headers={"origin": served.url}).status_code == 200


def test_names_from_the_setting_are_ours(serving: Callable[..., Any]) -> None:
    served = serving(**{"http.hosts": "memory.example, other.example:99"})
    for host, status in (("memory.example:1", 200), ("other.example:99", 200), ("other.example", 421)):
        assert served.http.get("/version", headers={"host": host}).status_code == status


def test_a_long_body_is_refused_whether_it_says_so_or_not(serving: Callable[..., Any]) -> None:
    served = serving(**{"http.max_body": 2000})
    kind = {"content-type": "application/json"}
    for path in ("/api/v1/memories", "/mcp"):
        problem(served.http.post(path, content=b"x" * 3000, headers=kind), 413, "too-large")
    answer = served.http.post("/api/v1/memories", content=iter([b"x" * 1500] * 2), headers=kind)
    problem(answer, 413, "too-large")


def test_who_asks_too_often_is_told_when_to_come_again(serving: Callable[..., Any]) -> None:
    served = serving(**{"http.rate": 0.001})
    assert served.http.get("/version").status_code == 200
    answer = served.http.get("/version")
    problem(answer, 429, "too-often")
    assert int(answer.headers["retry-after"]) > 100
    other = served.named()
    assert served.http.get("/version", headers={"authorization": f"Bearer {other}"}).status_code == 200


def test_an_answer_that_takes_too_long_is_not_waited_for(serving: Callable[..., Any]) -> None:
    served = serving(**{"http.timeout": 0.05, "storage.busy_timeout": 0.5})
    served.engines.get("default", create=True)
    with served.engines.get("default", create=True).bank._store.transaction():
        problem(served.http.post("/api/v1/memories", json={"content": "late"}), 504, "timed-out")


def test_a_body_that_does_not_come_is_not_waited_for(serving: Callable[..., Any]) -> None:
    served = serving(**{"http.timeout": 0.2})
    host, _, port = served.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=30) as line:
        line.sendall(
            f"POST /api/v1/memories HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {served.token}\r\n"
            "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{".encode()
        )
        assert line.recv(1000).startswith(b"HTTP/1.1 504")


def test_where_everybody_is_trusted_no_token_is_needed(tmp_path: Any) -> None:
    engines = Engines(Config.load({"storage.data_dir": str(tmp_path / "data"), "embedding.enabled": False}))
    with TestClient(app.build(engines, trusted=True), base_url="http://any-name") as http:
        assert http.get("/api/v1/banks").json()["banks"] == ["default"]
        assert not (tmp_path / "data" / "http-token").exists()
    engines.close()
