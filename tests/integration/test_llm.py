"""A language model in the whole engine: which one, when it is asked, what it may cost, what comes of its answers."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mnemopi import Mnemopi
from mnemopi.errors import ConflictError, UsageError
from mnemopi.providers import llms
from mnemopi.providers.callable_llm import CallableLLM
from mnemopi.providers.client import Client
from mnemopi.providers.command_llm import CommandLLM
from mnemopi.testing import FixedClock, ScriptedLLM

TEXT = "Acme Robotics is where I earn my bread these days."
CLAIM = {
    "kind": "identity",
    "subject": "user",
    "predicate": "employer",
    "object": "Acme Robotics",
    "quote": "Acme Robotics is where I earn my bread",
}
GOOD = json.dumps({"claims": [CLAIM]})
INVENTED = json.dumps({"claims": [CLAIM | {"object": "Initech", "quote": "Initech pays my rent"}]})
NOTHING = json.dumps({"claims": []})
OFF = {"write.settle": "off"}


class Chat:
    """A server of the chat API on the loopback address: says its lines in turn, the last one again and again.

    A line is a text, a status, or `hang`.
    """

    def __init__(self) -> None:
        self.lines: list[str | int] = [NOTHING]
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.over = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                outer.asked.append(json.loads(body))
                outer.keys.append(self.headers.get("authorization"))
                line = outer.lines.pop(0) if len(outer.lines) > 1 else outer.lines[0]
                if line == "hang":
                    outer.over.wait(30)
                    return
                status = line if isinstance(line, int) else 200
                message = {"choices": [{"message": {"content": line}, "finish_reason": "stop"}]}
                told = message | {"usage": {"prompt_tokens": 100, "completion_tokens": 10}}
                answer = json.dumps(told if status == 200 else {"error": "x"}).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(answer)))
                if status == 429:
                    self.send_header("retry-after", "0")
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def close(self) -> None:
        self.over.set()
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def chat() -> Iterator[Chat]:
    made = Chat()
    yield made
    made.close()


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., Mnemopi]]:
    """Open engines on one folder, without vectors and worker unless asked for."""
    made: list[Mnemopi] = []

    def engine(**options: Any) -> Mnemopi:
        given = {"data_dir": tmp_path / "data", "no_embeddings": True, "config": OFF} | options
        made.append(Mnemopi(**given))
        return made[-1]

    yield engine
    for memory in made:
        memory.close(0)
    llms.register_host(None)


def until(happens: Callable[[], bool]) -> None:
    for _ in range(400):
        if happens():
            return
        time.sleep(0.025)
    raise AssertionError("it did not happen")


def facts(memory: Mnemopi) -> list[str]:
    return [fact.text for fact in memory.facts.list()]


# -- nothing is spent unasked


def test_a_fresh_engine_never_asks_a_model_whatever_lies_around(
    opened: Any, monkeypatch: pytest.MonkeyPatch, chat: Chat
) -> None:
    calls: list[str] = []
    for name in ("OPENAI_API_KEY", "OPENROUTER_API_KEY", "ANTHROPIC_API_KEY", "MNEMOPI_LLM_API_KEY"):
        monkeypatch.setenv(name, "k")
    monkeypatch.setenv("OPENAI_BASE_URL", chat.url)
    monkeypatch.setenv("MNEMOPI_EXTRACT", "llm")
    llms.register_host(lambda prompt: calls.append("host") or "")
    monkeypatch.setattr(Client, "post", lambda *_: calls.append("server"))
    monkeypatch.setattr(CommandLLM, "complete", lambda *_, **__: calls.append("command"))
    monkeypatch.setattr(CallableLLM, "complete", lambda *_, **__: calls.append("function"))
    memory = opened(config={"write.settle": "inline", "sleep.min_age_hours": 0, "sleep.auto": 1})
    memory.remember_many([{"content": f"{TEXT} {number}", "extract": True} for number in range(20)])
    memory.recall("where do I work now?")
    memory.context("bread")
    memory.settle()
    memory.sleep_all_sessions()
    memory.facts.reconcile()
    told = memory.stats()
    memory.close()
    assert memory.llm is None
    assert (calls, chat.asked) == ([], [])
    assert (told["llm"]["calls_ever"], told["llm"]["provider"]) == (0, "none")


@pytest.mark.parametrize(
    "options",
    [
        {"llm": False, "llm_base_url": "URL"},
        {"llm_enabled": False, "llm_base_url": "URL"},
        {"llm": {"enabled": False, "baseUrl": "URL"}},
        {"llm": {"enabled": False, "baseUrl": "URL"}, "llm_enabled": True},
        {"llm_base_url": "URL", "config": OFF | {"llm.enabled": False}},
        {"llm_base_url": "URL", "environ": "0"},
    ],
)
def test_an_explicit_no_is_a_no(
    opened: Any, chat: Chat, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if told := options.pop("environ", None):
        monkeypatch.setenv("MNEMOPI_LLM_ENABLED", told)
    options = json.loads(json.dumps(options).replace("URL", chat.url))
    memory = opened(**options)
    memory.remember(TEXT, extract=True)
    memory.settle()
    assert (memory.llm, chat.asked) == (None, [])


def test_a_model_alone_spends_nothing_until_something_is_to_be_read(opened: Any, chat: Chat) -> None:
    memory = opened(llm_base_url=chat.url, config={"write.settle": "auto"})
    memory.remember(TEXT)
    memory.recall("bread")
    memory.settle()
    memory.close()
    assert chat.asked == []


# -- it reads


def test_what_a_server_reads_becomes_a_fact(opened: Any, chat: Chat) -> None:
    chat.lines = [GOOD]
    memory = opened(llm_base_url=chat.url + "/", llm_api_key="k-1", llm_model="m-1")
    id = memory.remember(TEXT, extract=True)
    assert facts(memory) == []
    settled = memory.settle()
    assert (settled.extracted, settled.unread, settled.error) == (1, 0, "")
    assert facts(memory) == ["user employer Acme Robotics"]
    [fact] = memory.facts.list()
    assert fact.sources[0].memory == id
    assert (chat.asked[0]["model"], chat.keys) == ("m-1", ["Bearer k-1"])
    told = memory.stats()
    assert (told["llm"]["calls"], told["llm"]["tokens"], told["extraction"]["read"]) == (1, 110, 1)


def test_a_setting_has_all_read_that_users_say(opened: Any, chat: Chat) -> None:
    memory = opened(llm_base_url=chat.url, config=OFF | {"knowledge.extract": "llm"})
    memory.remember(TEXT)
    memory.remember("As an assistant I say this.", author_type="assistant")
    assert memory.settle().extracted == 1
    assert len(chat.asked) == 1


def test_the_worker_reads_by_itself(opened: Any) -> None:
    memory = opened(llm=lambda prompt: GOOD, config={"write.settle": "auto"})
    memory.remember(TEXT, extract=True)
    until(lambda: facts(memory) != [])


@pytest.mark.parametrize("mode", ["auto", "inline"])
def test_no_write_and_no_question_waits_for_a_model(opened: Any, mode: str) -> None:
    answers, begun = threading.Event(), threading.Event()
    writer = threading.current_thread()

    def slow(prompt: str) -> str:
        assert threading.current_thread() is not writer
        begun.set()
        answers.wait(30)
        return GOOD

    memory = opened(llm=slow, config={"write.settle": mode})
    memory.remember(TEXT, extract=True)
    assert memory.recall("bread")
    assert begun.wait(30)
    assert facts(memory) == []
    answers.set()
    until(lambda: facts(memory) != [])


def test_what_waited_is_read_by_the_next_engine(opened: Any) -> None:
    first = opened()
    first.remember(TEXT, extract=True)
    assert first.settle().extracted == 0
    first.close()
    second = opened(llm=lambda prompt: GOOD, config={"write.settle": "auto"})
    until(lambda: facts(second) != [])


def test_an_engine_that_closes_asks_nobody_anew(opened: Any) -> None:
    asked: list[str] = []
    memory = opened(llm=lambda prompt: asked.append(prompt) or GOOD, config={"write.settle": "auto"})
    memory._background._ending = True
    memory.remember(TEXT, extract=True)
    memory.close()
    assert asked == []


def test_a_command_reads(opened: Any, tmp_path: Path) -> None:
    script = tmp_path / "model.py"
    script.write_text(f"import sys\nassert 'Acme' in sys.stdin.read()\nprint({GOOD!r})\n")
    memory = opened(llm=[sys.executable, str(script)])
    memory.remember(TEXT, extract=True)
    assert memory.settle().error == ""
    assert facts(memory) == ["user employer Acme Robotics"]


def test_the_host_reads(opened: Any) -> None:
    async def complete(prompt: str, *, model: str | None = None) -> str:
        return f"<think>{model}</think>{GOOD}"

    with pytest.raises(UsageError, match="host"):
        opened(llm="host")
    llms.register_host(complete)
    memory = opened(llm="host", config=OFF | {"llm.host_model": "m"})
    memory.remember(TEXT, extract=True)
    memory.settle()
    assert memory.llm.name == "host:m"
    assert facts(memory) == ["user employer Acme Robotics"]


def test_no_secret_reaches_a_model(opened: Any, chat: Chat) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"
    memory = opened(llm_base_url=chat.url, config=OFF | {"write.redact": "off"})
    memory.remember(f"{TEXT} My token is {token}", extract=True)
    memory.settle()
    assert token not in json.dumps(chat.asked)


# -- it fails


@pytest.mark.parametrize(
    ("lines", "calls", "found"),
    [
        ([429, GOOD], 2, ["user employer Acme Robotics"]),
        (["So sorry!", GOOD], 2, ["user employer Acme Robotics"]),
        ([f"```json\n{GOOD}\n```"], 1, ["user employer Acme Robotics"]),
        ([INVENTED], 1, []),
        ([NOTHING], 1, []),
    ],
)
def test_what_a_server_does_first_and_then(
    opened: Any, chat: Chat, lines: list[str | int], calls: int, found: list[str]
) -> None:
    chat.lines = lines
    memory = opened(llm_base_url=chat.url)
    memory.remember(TEXT, extract=True)
    assert memory.settle().extracted == 1
    assert (facts(memory), len(chat.asked)) == (found, calls)


def test_a_key_that_ran_out_is_fetched_anew(opened: Any, chat: Chat) -> None:
    keys = iter(["old", "new"])
    chat.lines = [401, GOOD]
    memory = opened(llm_base_url=chat.url, llm_api_key=lambda: next(keys))
    memory.remember(TEXT, extract=True)
    memory.settle()
    assert chat.keys == ["Bearer old", "Bearer new"]
    assert facts(memory) == ["user employer Acme Robotics"]


@pytest.mark.parametrize("lines", [["garbage"], ["{}"], [500], [401], ["hang"]])
def test_a_model_that_fails_harms_nothing_and_is_given_up(
    opened: Any, chat: Chat, lines: list[str | int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    chat.lines = lines
    clock = FixedClock()
    memory = opened(llm={"base_url": chat.url, "timeout": 0.3}, clock=clock)
    id = memory.remember(TEXT, extract=True)
    for _ in range(5):
        memory.settle()
        clock.advance(hours=2)
    told = memory.stats()["extraction"]
    assert told == {"waiting": 0, "given_up": 1, "read": 0}
    assert [event.verb for event in memory.history(id)].count("extraction failed") == 3
    assert memory.recall("bread")[0].id == id
    assert facts(memory) == []


def test_a_server_that_is_not_there_is_said_to_be_so(opened: Any) -> None:
    memory = opened(llm={"base_url": "http://127.0.0.1:9", "timeout": 0.2})
    memory.remember(TEXT, extract=True)
    settled = memory.settle()
    assert settled.failed and "127.0.0.1:9" in settled.error
    assert settled.unread == 1


# -- what it may cost


def test_a_budget_holds_and_is_shown(opened: Any) -> None:
    clock, model = FixedClock(), ScriptedLLM([NOTHING])
    memory = opened(llm=model, clock=clock, config=OFF | {"llm.calls_per_hour": 2})
    for number in range(5):
        memory.remember(f"{TEXT} {number}", extract=True)
    settled = memory.settle()
    assert (settled.extracted, settled.unread, len(model.asked)) == (2, 3, 2)
    assert "budget" in settled.error
    told = memory.stats()["llm"]
    assert (told["calls"], told["refused"], told["failures"], told["calls_per_hour"]) == (2, 1, 0, 2)
    clock.advance(hours=1)
    assert memory.settle().extracted == 2
    assert memory.stats()["extraction"] == {"waiting": 1, "given_up": 0, "read": 4}


def test_tokens_have_a_budget_too(opened: Any) -> None:
    model = ScriptedLLM([NOTHING])
    memory = opened(llm=model, config=OFF | {"llm.tokens_per_hour": 1000})
    memory.remember(TEXT, extract=True)
    assert "budget" in memory.settle().error
    assert model.asked == []


def test_each_bank_has_its_own_budget(opened: Any) -> None:
    model = ScriptedLLM([NOTHING])
    for bank in ("one", "two"):
        memory = opened(bank=bank, llm=model, config=OFF | {"llm.calls_per_hour": 1})
        memory.remember(TEXT, extract=True)
        assert memory.settle().extracted == 1


# -- what else it is for, and what it is not


def test_sleep_lets_the_model_sum_up_within_the_budget(opened: Any) -> None:
    clock = FixedClock()

    def sums_up(asked: Any) -> str:
        return "Ines repaired pump 7 on pier 4 [1]\nShe ordered 12 valves for pump 7 from Kraus [2, 3]"

    model = ScriptedLLM([sums_up])
    memory = opened(llm=model, clock=clock, config=OFF | {"sleep.min_age_hours": 1})
    for text in (
        "Ines repaired pump 7 on pier 4 today.",
        "She ordered 12 valves for pump 7.",
        "The valves for pump 7 come from Kraus.",
    ):
        memory.remember(text, session_id="default")
        clock.advance(seconds=60)
    clock.advance(days=30)
    slept = memory.sleep()
    assert (len(model.asked), slept.by_llm) == (1, 1)
    assert model.asked[0].task == "sleep"
    assert memory.stats()["llm"]["calls"] == 1


def test_what_a_model_read_is_a_fact_like_others(opened: Any) -> None:
    memory = opened(llm=ScriptedLLM([GOOD]))
    id = memory.remember(TEXT, extract=True)
    memory.settle()
    [fact] = memory.facts.list()
    with pytest.raises(ConflictError, match="fact"):
        memory.update(fact.id, "Initech")
    assert [hit.fact.object for hit in memory.recall("employer Robotics", profile="facts") if hit.fact]
    memory.forget(id)
    assert facts(memory) == []


@pytest.mark.parametrize("extract", ["yes", 1, 0])
def test_a_wish_that_is_none_is_an_error(opened: Any, extract: Any) -> None:
    with pytest.raises(UsageError, match="extract"):
        opened().remember(TEXT, extract=extract)


def test_the_command_line_reads_when_it_is_told_to_settle(
    call: Any, environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, script = tmp_path / "log", tmp_path / "model.py"
    script.write_text(f"import sys\nopen({str(log)!r}, 'a').write('x')\nprint({GOOD!r})\n")
    monkeypatch.setenv("MNEMOPI_LLM_COMMAND", f"{sys.executable} {script}")
    monkeypatch.setenv("MNEMOPI_EXTRACT", "llm")
    assert call("store", TEXT).status == 0
    assert call("store", "We use Postgres", "--no-extract").status == 0
    assert not log.exists(), "a command that stores something does not wait for a model"
    done = call("settle", "--json")
    assert (done.json["extracted"], done.json["unread"], done.json["error"]) == (1, 0, None)
    assert log.read_text() == "x"
    assert "Acme Robotics" in call("facts").out
    assert "Postgres" not in call("facts").out
