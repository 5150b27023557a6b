from __future__ import annotations

import email.utils
import os
import socket
import time
from typing import Any

import pytest

from mnemopi.errors import ProviderError, RefusedError, UnavailableError
from mnemopi.providers.client import Client


class Waiting:
    """A clock that only moves when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


@pytest.fixture
def waiting() -> Waiting:
    return Waiting()


def client(server: Any, waiting: Waiting, key: Any = "", timeout: float = 30.0) -> Client:
    return Client(server.url + "/v1/x", key, timeout=timeout, sleep=waiting.sleep, clock=waiting.clock)


def test_an_answer_comes_back_parsed(server: Any, reply: Any, waiting: Waiting) -> None:
    server.reply_in_turn(reply({"a": [1]}))
    assert client(server, waiting).post({"q": "天"}) == {"a": [1]}
    [request] = server.requests
    assert (request.method, request.path, request.json()) == ("POST", "/v1/x", {"q": "天"})
    assert request.headers["content-type"] == "application/json"


def test_a_key_is_sent_only_where_there_is_one(server: Any, reply: Any, waiting: Waiting) -> None:
    server.reply_in_turn(reply({}))
    client(server, waiting).post({})
    client(server, waiting, "k-1").post({})
    assert [request.headers.get("authorization") for request in server.requests] == [None, "Bearer k-1"]


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_what_may_pass_is_tried_three_times_with_one_and_two_seconds_between(
    status: int, server: Any, reply: Any, waiting: Waiting
) -> None:
    server.reply_in_turn(reply({"error": "secret body"}, status))
    with pytest.raises(UnavailableError, match=f"answered {status}, tries: 3") as caught:
        client(server, waiting, "k-1").post({"input": "private words"})
    assert waiting.pauses == [1.0, 2.0]
    assert len(server.requests) == 3
    assert not {"secret", "private", "k-1"} & set(str(caught.value).replace(",", " ").split())


def test_a_later_try_may_succeed(server: Any, reply: Any, waiting: Waiting) -> None:
    server.reply_in_turn(reply({}, 429), reply({}, 502), reply({"fine": True}))
    assert client(server, waiting).post({}) == {"fine": True}


@pytest.mark.parametrize("status", [301, 400, 403, 404, 422])
def test_a_refusal_is_not_tried_again(status: int, server: Any, reply: Any, waiting: Waiting) -> None:
    server.reply_in_turn(reply({"error": "body"}, status, location="/elsewhere"))
    with pytest.raises(RefusedError, match=str(status)):
        client(server, waiting).post({})
    assert len(server.requests) == 1


def test_advice_for_a_status_becomes_the_hint(server: Any, reply: Any) -> None:
    server.reply_in_turn(reply({}, 404))
    with pytest.raises(RefusedError) as caught:
        Client(server.url, advice={404: "look at the address"}).post({})
    assert caught.value.hint == "look at the address"


@pytest.mark.parametrize(
    ("headers", "pause"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after": "0.5"}, 0.5),
        ({"retry_after_ms": "1500", "retry_after": "7"}, 1.5),
        ({"retry_after_ms": "soon", "retry_after": "4"}, 4.0),
        ({"retry_after": "-3"}, 0.0),
        ({"retry_after": "nan"}, 1.0),
        ({"retry_after": "later"}, 1.0),
        ({"retry_after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
    ],
)
def test_the_server_may_say_how_long_to_wait(
    headers: dict[str, str], pause: float, server: Any, reply: Any, waiting: Waiting
) -> None:
    server.reply_in_turn(reply({}, 429, **headers), reply({}))
    client(server, waiting).post({})
    assert waiting.pauses == [pause]


def test_a_date_to_come_back_at_is_understood(server: Any, reply: Any, waiting: Waiting) -> None:
    date = email.utils.formatdate(time.time() + 20, usegmt=True)
    server.reply_in_turn(reply({}, 503, retry_after=date), reply({}))
    client(server, waiting).post({})
    assert 10 < waiting.pauses[0] <= 20


def test_a_wish_beyond_a_minute_is_given_up_at_once(server: Any, reply: Any, waiting: Waiting) -> None:
    server.reply_in_turn(reply({}, 429, retry_after="61"))
    with pytest.raises(UnavailableError, match="tries: 1"):
        client(server, waiting, timeout=1000.0).post({})
    assert waiting.pauses == []


def test_no_pause_reaches_beyond_the_deadline(server: Any, reply: Any, waiting: Waiting) -> None:
    server.reply_in_turn(reply({}, 429, retry_after="40"))
    with pytest.raises(UnavailableError):
        client(server, waiting, timeout=30.0).post({})
    assert waiting.pauses == []


def test_one_deadline_holds_for_all_tries_together(server: Any, reply: Any, waiting: Waiting) -> None:
    server.reply_in_turn(reply({}, 429, retry_after="20"))
    with pytest.raises(UnavailableError, match="tries: 2"):
        client(server, waiting, timeout=30.0).post({})
    assert waiting.pauses == [20.0]


def test_an_answer_that_drips_beyond_the_deadline_is_broken_off(server: Any, reply: Any, waiting: Waiting) -> None:
    def late(request: Any) -> Any:
        waiting.now += 31
        return reply({"much": "x" * 100})

    server.answer = late
    with pytest.raises(UnavailableError, match="ReadTimeout"):
        client(server, waiting, timeout=30.0).post({})


def test_a_server_that_is_not_there_is_unavailable(waiting: Waiting) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://user:pass@127.0.0.1:{taken.getsockname()[1]}/v1"
        with pytest.raises(UnavailableError, match="ConnectError") as caught:
            Client(url, sleep=waiting.sleep, clock=waiting.clock).post({})
    assert waiting.pauses == [1.0, 2.0]
    assert "pass" not in str(caught.value)


@pytest.mark.parametrize("url", ["ftp://x/y", "no address", "http://"])
def test_an_address_that_is_none_is_a_provider_error_at_once(url: str, waiting: Waiting) -> None:
    with pytest.raises(ProviderError):
        Client(url, sleep=waiting.sleep, clock=waiting.clock, timeout=5).post({})


def test_an_answer_that_is_no_json_is_a_provider_error_without_its_text(
    server: Any, reply: Any, waiting: Waiting
) -> None:
    server.answer = lambda request: type(reply({}))(200, b"<html>private</html>")
    with pytest.raises(ProviderError, match="without JSON") as caught:
        client(server, waiting).post({})
    assert caught.value.__cause__ is None


def test_a_key_that_can_be_fetched_is_fetched_again_once_on_401(server: Any, reply: Any, waiting: Waiting) -> None:
    keys = iter(["old", "new", "newer"])
    server.answer = lambda request: reply({}, 200 if request.headers["authorization"] == "Bearer new" else 401)
    asked = client(server, waiting, lambda: next(keys))
    asked.post({})
    asked.post({})
    sent = [request.headers["authorization"] for request in server.requests]
    assert sent == ["Bearer old", "Bearer new", "Bearer new"]


def test_the_same_key_is_not_sent_twice(server: Any, reply: Any, waiting: Waiting) -> None:
    server.reply_in_turn(reply({}, 401))
    with pytest.raises(RefusedError, match="401"):
        client(server, waiting, lambda: "old").post({})
    assert len(server.requests) == 1


def test_a_second_401_is_final(server: Any, reply: Any, waiting: Waiting) -> None:
    keys = iter(["one", "two", "three"])
    server.reply_in_turn(reply({}, 401))
    with pytest.raises(RefusedError):
        client(server, waiting, lambda: next(keys)).post({})
    assert len(server.requests) == 2


def test_a_fixed_key_is_not_tried_again_on_401(server: Any, reply: Any, waiting: Waiting) -> None:
    server.reply_in_turn(reply({}, 401))
    with pytest.raises(RefusedError):
        client(server, waiting, "k").post({})
    assert len(server.requests) == 1


def test_a_key_may_come_from_a_coroutine_function(server: Any, reply: Any, waiting: Waiting) -> None:
    async def fetch() -> str:
        return "fetched"

    server.reply_in_turn(reply({}))
    client(server, waiting, fetch).post({})
    assert server.requests[0].headers["authorization"] == "Bearer fetched"


@pytest.mark.parametrize("fetch", [lambda: 5, lambda: 1 / 0])
def test_a_key_that_cannot_be_fetched_is_a_provider_error(fetch: Any, server: Any, waiting: Waiting) -> None:
    with pytest.raises(ProviderError, match="function that gives the key"):
        client(server, waiting, fetch).post({})
    assert server.requests == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
def test_a_forked_child_opens_connections_of_its_own(server: Any, reply: Any, waiting: Waiting) -> None:
    server.reply_in_turn(reply({}))
    asked = client(server, waiting)
    asked.post({})
    before = asked._connected()
    child = os.fork()
    if child == 0:
        os._exit(0 if asked._connected() is not before else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert asked._connected() is before
