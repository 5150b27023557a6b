"""The journal in pages, and the stream of events: at once, from where one was, and from other processes too."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from mnemopi.errors import UsageError
from mnemopi.http.client import Client
from mnemopi.http.keys import Keys


@contextmanager
def stream(served: Any, bank: str, **headers: str) -> Iterator[Callable[[], dict[str, str]]]:
    """Follow a bank; the result gives the fields of the next event."""
    path = f"/api/v1/events?bank={bank}"
    with served.http.stream("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()}) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = answer.iter_lines()
        assert next(lines) == "retry: 2000"

        def event() -> dict[str, str]:
            found: dict[str, str] = {}
            for line in lines:
                if not line and found:
                    return found
                if line and not line.startswith(":"):
                    name, _, value = line.partition(": ")
                    found[name] = value
            raise AssertionError("the stream ended")

        yield event


def test_events_come_as_they_happen(memory: Client, served: Any, bank: str) -> None:
    memory.remember("before")
    with stream(served, bank) as event:
        id = memory.remember("The crane").id
        told = event()
        assert (told["event"], id in told["data"]) == ("remembered", True)
        memory.forget(id)
        assert event()["event"] == "forgot"


def test_who_comes_back_misses_nothing(memory: Client, served: Any, bank: str) -> None:
    first = memory.remember("one").id
    with stream(served, bank, last_event_id="") as event:
        pass
    (seen,) = memory.events()
    second = memory.remember("two").id
    with stream(served, bank, last_event_id=seen.cursor) as event:
        assert second in event()["data"]
    with served.client(bank=bank) as other:
        followed = other.follow("start")
        assert [next(followed).memory for _ in range(2)] == [first, second]


def test_what_another_process_writes_comes_too(memory: Client, served: Any, bank: str) -> None:
    memory.remember("here")
    code = "import sys; from mnemopi import Mnemopi; Mnemopi(bank=sys.argv[1], data_dir=sys.argv[2]).remember('there')"
    with stream(served, bank) as event:
        command = [sys.executable, "-c", code, bank, str(served.engines.config.data_dir)]
        subprocess.run(command, check=True, env={"MNEMOPI_NO_EMBEDDINGS": "1"})
        assert event()["event"] == "remembered"


def test_a_bank_that_is_made_later_is_followed_from_its_beginning(served: Any) -> None:
    with served.client(token=served.named("later")) as own:
        followed = own.follow("start")
        told: list[Any] = []
        reading = threading.Thread(target=lambda: told.append(next(followed).memory), daemon=True)
        reading.start()
        id = own.remember("The crane").id
        reading.join(30)
        assert told == [id]


def test_what_is_no_cursor_is_refused_before_the_stream_begins(memory: Client, served: Any, bank: str) -> None:
    memory.remember("one")
    with pytest.raises(UsageError):
        next(memory.follow("nonsense"))
    answer = served.http.get(f"/api/v1/events?bank={bank}", headers={"last-event-id": "nonsense"})
    assert answer.status_code == 422


def test_a_stream_ends_with_its_token_and_tells_nothing_after(memory: Client, served: Any, bank: str) -> None:
    keys = Keys(served.engines.config.data_dir)
    token = keys.create("passing-by", [bank], "read", 0)
    first, later = memory.remember("before"), []
    with served.client(bank=bank, token=token) as other:
        followed = other.follow("start")
        assert next(followed).memory == first
        keys.revoke("passing-by")
        memory.remember("after")
        reading = threading.Thread(target=lambda: later.append([*followed]), daemon=True)
        reading.start()
        reading.join(30)
        assert later == [[]]


def test_pages_of_the_journal_put_together_are_all_of_it(memory: Client) -> None:
    memory.remember_many({"content": f"note {n}"} for n in range(7))
    whole, after = memory.events(), None
    pieces = []
    while page := memory.events(after, 3):
        pieces += page
        after = page[-1].cursor
    assert pieces == whole
    assert len(whole) == 7


def test_a_stream_of_a_quiet_bank_says_that_it_is_there_and_ends_with_the_server(serving: Any) -> None:
    served = serving(**{"http.heartbeat": 1.0})
    ended = threading.Event()

    def follow() -> None:
        with served.http.stream("GET", "/api/v1/events") as answer:
            if any(line.startswith(":") for line in answer.iter_lines()):
                ended.set()

    thread = threading.Thread(target=follow)
    thread.start()
    assert ended.wait(30)
    thread.join(0)  # the server's end, when the fixture is torn down, ends the rest
