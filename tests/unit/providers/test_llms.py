from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mnemopi.config import Config
from mnemopi.errors import BudgetError, ConfigError, ProviderError, RefusedError, UnavailableError, UsageError
from mnemopi.ports import Completion
from mnemopi.providers import llms, official
from mnemopi.providers.budget import HOUR_MS, BudgetedLLM, tokens_of
from mnemopi.providers.callable_llm import CallableLLM
from mnemopi.providers.client import Client, plain
from mnemopi.providers.command_llm import CommandLLM
from mnemopi.providers.openai_llm import ADVICE, OpenAILLM, address
from mnemopi.settings import LlmConfig, StorageConfig
from mnemopi.storage.store import Store
from mnemopi.testing import FixedClock, ScriptedLLM

TOKEN = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"


@pytest.fixture(autouse=True)
def no_host() -> Iterator[None]:
    yield
    llms.register_host(None)


def ask(llm: Any, prompt: str = "Say it", **options: Any) -> Completion:
    given: dict[str, Any] = {"max_tokens": 100, "timeout": 20.0, "task": "test"} | options
    answer: Completion = llm.complete(prompt, **given)
    return answer


def opened(given: Any = None, config: LlmConfig | None = None, **flat: Any) -> Any:
    """Open as an engine does: wishes become settings first."""
    wished = llms.wish(given, **flat)
    base = Config() if config is None else Config(llm=config)
    return llms.open_llm(base.changed(wished.settings).llm, wished)


# -- which one


def test_by_default_there_is_none() -> None:
    assert opened() is None
    assert opened({}) is None
    assert opened(False) is None
    assert opened(model="some-model", api_key="k") is None


@pytest.mark.parametrize(
    ("given", "flat", "config"),
    [
        (False, {"base_url": "http://127.0.0.1:1"}, LlmConfig()),
        ({"enabled": False, "base_url": "http://127.0.0.1:1"}, {}, LlmConfig()),
        ({"enabled": False, "complete": str.upper}, {"enabled": True}, LlmConfig()),
        ({"enabled": True, "complete": str.upper}, {"enabled": False}, LlmConfig()),
        (str.upper, {"enabled": False}, LlmConfig()),
        (["cat"], {}, LlmConfig(enabled=False)),
        (None, {"base_url": "http://127.0.0.1:1"}, LlmConfig(enabled=False)),
        (None, {}, LlmConfig(enabled=False, command="cat", base_url="http://127.0.0.1:1")),
    ],
)
def test_an_explicit_no_wins_over_everything(given: Any, flat: dict[str, Any], config: LlmConfig) -> None:
    assert opened(given, config, **flat) is None


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "OPENROUTER_API_KEY", "ANTHROPIC_API_KEY", "MNEMOPI_LLM_API_KEY"])
def test_no_model_is_chosen_because_a_key_lies_in_the_environment(name: str) -> None:
    config = Config.load(environ={name: "k"})
    assert llms.open_llm(config.llm, llms.wish()) is None


@pytest.mark.parametrize(
    ("given", "flat", "config", "name"),
    [
        (None, {"base_url": "http://127.0.0.1:1/v1", "model": "m"}, LlmConfig(), "api:m"),
        ({"base_url": "http://127.0.0.1:1", "model": "m"}, {}, LlmConfig(), "api:m"),
        ({"baseUrl": "http://127.0.0.1:1", "apiKey": "k", "maxTokens": 5}, {"model": "m"}, LlmConfig(), "api:m"),
        (None, {"base_url": "http://127.0.0.1:1"}, LlmConfig(), "api:local"),
        (None, {}, LlmConfig(command="cat -u"), "command:cat"),
        (None, {}, LlmConfig(command='["cat", "-u"]'), "command:cat"),
        (["cat", "-u"], {}, LlmConfig(), "command:cat"),
        ({"command": ["cat"]}, {}, LlmConfig(), "command:cat"),
        ({"command": "cat -u"}, {}, LlmConfig(), "command:cat"),
        (None, {}, LlmConfig(command="cat", base_url="http://127.0.0.1:1"), "api:local"),
        ({"complete": str.upper, "model": "m"}, {}, LlmConfig(), "callable:m"),
        (ScriptedLLM(), {}, LlmConfig(), "testing:scripted"),
    ],
)
def test_what_was_asked_for_is_opened(given: Any, flat: dict[str, Any], config: LlmConfig, name: str) -> None:
    assert opened(given, config, **flat).name == name


def test_what_the_caller_gave_is_taken_before_what_is_configured() -> None:
    assert opened(["cat"], LlmConfig(base_url="http://127.0.0.1:1")).name == "command:cat"


@pytest.mark.parametrize(
    "given", [True, 7, "gpt", [], ["cat", 7], {"base_urll": "x"}, {"api_key": 7}, {"command": []}, object()]
)
def test_a_wish_that_nobody_can_meet_is_an_error(given: Any) -> None:
    with pytest.raises(UsageError):
        opened(given)


@pytest.mark.parametrize("command", ["[", '["cat", 7]', "[]", "'open", '{"cat": 1}]'])
def test_a_command_that_is_none_is_an_error_of_the_setting(command: str) -> None:
    if command.startswith("{"):
        assert opened(config=LlmConfig(command=command)).name.startswith("command:")
        return
    with pytest.raises(ConfigError):
        opened(config=LlmConfig(command=command))


# -- the host's


def test_a_host_lends_its_model_with_the_provider_and_model_that_are_set() -> None:
    told: list[Any] = []

    def complete(prompt: str, *, provider: str, model: str, task: str) -> str:
        told.append((provider, model, task))
        return prompt.upper()

    llms.register_host(complete)
    llm = opened(config=LlmConfig(host_enabled=True, host_provider="acme", host_model="m1"))
    assert llm.name == "host:acme/m1"
    assert ask(llm).text == "SAY IT"
    assert told == [("acme", "m1", "test")]


def test_a_host_that_lent_nothing_is_an_error_only_where_it_was_asked_for_by_name() -> None:
    assert opened(config=LlmConfig(host_enabled=True)) is None
    with pytest.raises(UsageError, match="host"):
        opened("host")


def test_a_host_that_lent_its_model_is_not_used_unasked() -> None:
    llms.register_host(str.upper)
    assert opened() is None
    assert ask(opened("host")).text == "SAY IT"


def test_a_host_may_be_a_coroutine_function_called_from_its_own_loop() -> None:
    async def complete(prompt: str) -> str:
        await asyncio.sleep(0)
        return f"host: {prompt}"

    llms.register_host(complete)
    llm = opened("host")

    async def host() -> str:
        return await asyncio.to_thread(lambda: ask(llm).text)

    assert asyncio.run(host()) == "host: Say it"


def test_what_cannot_be_called_is_no_host() -> None:
    with pytest.raises(UsageError):
        llms.register_host("claude")  # type: ignore[arg-type]


# -- the gate


def test_no_secret_leaves_whatever_the_provider() -> None:
    scripted = ScriptedLLM(["fine"])
    ask(opened(scripted), f"my token is {TOKEN}", system=f"use {TOKEN}")
    [asked] = scripted.asked
    assert TOKEN not in asked.prompt + asked.system
    assert "[REDACTED:" in asked.prompt


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("<think>so or so</think>\nYes", "Yes"),
        ("<thinking>\na\n</thinking>\n<think>b</think> Yes", "Yes"),
        ("so or so</think>Yes", "Yes"),
        ("<THINK>a</THINK>Yes", "Yes"),
        ("Yes, <think> is a tag", "Yes, <think> is a tag"),
        ("  Yes  ", "Yes"),
    ],
)
def test_what_a_model_thinks_aloud_is_taken_off_its_answer(answer: str, told: str) -> None:
    assert ask(opened(ScriptedLLM([answer]))).text == told


@pytest.mark.parametrize("answer", ["", "  \n", "<think>and so on", "<think>done</think>  "])
def test_an_answer_of_nothing_but_thoughts_is_a_failure(answer: str) -> None:
    with pytest.raises(ProviderError):
        ask(opened(ScriptedLLM([answer])))


# -- a server


def chat(text: Any, **more: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}], **more}


@pytest.fixture(params=[plain, official.carry], ids=["plain", "official"])
def carrier(request: pytest.FixtureRequest) -> Any:
    """Give each of the two that can carry a request."""
    return request.param


@pytest.fixture
def served(carrier: Any, server: Any) -> Any:
    """Make a model behind the server."""

    def made(key: Any = "", model: str = "m") -> OpenAILLM:
        url = address(server.url + "/v1/")
        return OpenAILLM(Client(url, key, advice=ADVICE, carry=carrier, sleep=lambda seconds: None), model)

    return made


def test_a_server_is_asked_as_the_api_wants_it(server: Any, reply: Any, served: Any) -> None:
    server.reply_in_turn(reply(chat("Yes", usage={"prompt_tokens": 7, "completion_tokens": 3})))
    answer = ask(served("k-1"), system="rule", schema={"type": "object"})
    assert answer == Completion("Yes", 7, 3)
    [request] = server.requests
    body = request.json()
    assert (request.path, request.headers["authorization"]) == ("/v1/chat/completions", "Bearer k-1")
    assert body["messages"] == [{"role": "system", "content": "rule"}, {"role": "user", "content": "Say it"}]
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("m", 100, 0.0)
    assert body["response_format"]["json_schema"] == {"name": "test", "schema": {"type": "object"}}


def test_a_server_that_is_busy_is_asked_again(server: Any, reply: Any, served: Any) -> None:
    server.reply_in_turn(reply({}, 429), reply({}, 503), reply(chat("Yes")))
    assert ask(served()).text == "Yes"


def test_a_key_that_ran_out_is_fetched_anew(server: Any, reply: Any, served: Any) -> None:
    keys = iter(["old", "new"])
    server.reply_in_turn(reply({}, 401), reply(chat("Yes")))
    assert ask(served(lambda: next(keys))).text == "Yes"
    assert [request.headers["authorization"] for request in server.requests] == ["Bearer old", "Bearer new"]


def test_a_wrong_key_is_refused_with_a_hint(server: Any, reply: Any, served: Any) -> None:
    server.reply_in_turn(reply({}, 401))
    with pytest.raises(RefusedError) as caught:
        ask(served("k"))
    assert "MNEMOPI_LLM_API_KEY" in caught.value.hint
    assert len(server.requests) == 1


def test_a_server_that_does_not_know_a_part_is_asked_in_another_form_and_from_then_on(
    server: Any, reply: Any, served: Any
) -> None:
    def answer(request: Any) -> Any:
        body = request.json()
        return reply({}, 400) if "max_tokens" in body or "response_format" in body else reply(chat("Yes"))

    server.answer = answer
    llm = served()
    assert ask(llm, schema={"type": "object"}).text == "Yes"
    first = len(server.requests)
    assert ask(llm, schema={"type": "object"}).text == "Yes"
    assert (first, len(server.requests)) == (4, 5)
    assert server.requests[-1].json()["max_completion_tokens"] == 100


def test_a_server_that_refuses_every_form_is_reported_with_its_first_answer(
    server: Any, reply: Any, served: Any
) -> None:
    server.reply_in_turn(reply({"error": "private"}, 400))
    with pytest.raises(RefusedError, match="400") as caught:
        ask(served())
    assert "private" not in str(caught.value)


@pytest.mark.parametrize(
    "told", [{}, {"choices": []}, {"choices": [{}]}, [1], chat(None), chat(7), {"choices": [{"message": "x"}]}]
)
def test_an_answer_without_a_text_is_a_failure(told: Any, server: Any, reply: Any, served: Any) -> None:
    server.reply_in_turn(reply(told))
    with pytest.raises(ProviderError):
        ask(served())


def test_an_answer_that_was_broken_off_is_a_failure_with_a_hint(server: Any, reply: Any, served: Any) -> None:
    told = chat("half an ans")
    told["choices"][0]["finish_reason"] = "length"
    server.reply_in_turn(reply(told))
    with pytest.raises(ProviderError) as caught:
        ask(served())
    assert "MNEMOPI_LLM_MAX_TOKENS" in caught.value.hint


def test_tokens_that_a_server_does_not_count_are_estimated(server: Any, reply: Any, served: Any) -> None:
    server.reply_in_turn(reply(chat("x" * 40, usage={"prompt_tokens": "many"})))
    assert ask(served(), "y" * 80) == Completion("x" * 40, 20, 10)


def test_a_server_that_hangs_is_left_when_time_is_up(server: Any, reply: Any, served: Any) -> None:
    done = threading.Event()

    def hang(request: Any) -> Any:
        done.wait(20)
        return reply(chat("late"))

    server.answer = hang
    try:
        with pytest.raises(UnavailableError):
            ask(served(), timeout=0.3)
    finally:
        done.set()


def test_only_settings_say_what_leaves_not_what_the_official_client_finds_lying_around(
    server: Any, reply: Any, served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "http://lying.around")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gateway-Token: lying.around\nAuthorization: Bearer lying.around")
    server.reply_in_turn(reply(chat("Yes")))
    assert ask(served()).text == "Yes"
    [request] = server.requests
    assert "authorization" not in request.headers
    assert "lying.around" not in str(request.headers)


def test_a_server_that_sends_elsewhere_is_not_followed_with_the_prompt(server: Any, reply: Any, served: Any) -> None:
    server.reply_in_turn(reply({}, 307, location="/elsewhere"))
    with pytest.raises(RefusedError, match="307"):
        ask(served())
    assert [request.path for request in server.requests] == ["/v1/chat/completions"]


@pytest.mark.parametrize("url", ["ftp://x/y", "no address", "http://"])
def test_an_address_that_is_none_is_refused_by_each_carrier(url: str, carrier: Any) -> None:
    with pytest.raises(ProviderError, match="URL"):
        ask(OpenAILLM(Client(address(url), carry=carrier, timeout=5), "m"))


@pytest.mark.parametrize("installed", [True, False])
def test_the_official_client_carries_where_it_is_installed_and_nothing_is_missed_without(
    installed: bool, server: Any, reply: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(official, "is_installed", lambda: installed)
    server.reply_in_turn(reply(chat("Yes")))
    assert ask(opened(base_url=server.url)).text == "Yes"
    assert server.requests[0].headers["user-agent"].startswith("OpenAI/Python" if installed else "python-httpx")


def test_the_official_client_is_not_loaded_before_the_first_prompt() -> None:
    code = "import sys; from mnemopi.providers import llms; from mnemopi.config import Config as C; w = llms.wish"
    code += "(base_url='http://127.0.0.1:9'); llms.open_llm(C().changed(w.settings).llm, w); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"openai", "httpx", "pydantic"} & set(run.stdout.split())
    assert "mnemopi.providers.official" in run.stdout


@pytest.mark.parametrize("base", ["http://h/v1", "http://h/v1/", "http://h/v1/chat/completions"])
def test_a_base_url_may_hold_its_last_part(base: str) -> None:
    assert address(base) == "http://h/v1/chat/completions"


# -- a command


def python(code: str, *arguments: str) -> CommandLLM:
    return CommandLLM([sys.executable, "-c", code, *arguments])


def test_a_command_reads_the_prompt_and_prints_the_answer() -> None:
    llm = python("import sys; print(sys.stdin.read().upper(), end='')")
    assert ask(llm, "say it", system="rule").text == "RULE\n\nSAY IT"


def test_a_command_is_told_the_shape_of_the_answer_in_words() -> None:
    llm = python("import sys; print(sys.stdin.read())")
    assert '{"type":"object"}' in ask(llm, schema={"type": "object"}).text


@pytest.mark.parametrize("code", ["import sys; sys.exit(3)", "raise SystemExit('no')"])
def test_a_command_that_fails_is_unavailable(code: str) -> None:
    with pytest.raises(UnavailableError, match="status"):
        ask(python(code))


def test_a_command_that_says_nothing_is_a_failure() -> None:
    with pytest.raises(ProviderError, match="nothing"):
        ask(python("pass"))


def test_a_command_that_is_not_there_is_unavailable_with_a_hint() -> None:
    with pytest.raises(UnavailableError) as caught:
        ask(CommandLLM(["/nowhere/at-all"]))
    assert "MNEMOPI_LLM_COMMAND" in caught.value.hint


def test_a_command_that_does_not_read_its_prompt_still_answers() -> None:
    assert ask(python("print('fine')"), "x" * 1_000_000).text.strip() == "fine"


SPAWNS = """
import os, pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
pathlib.Path(sys.argv[1]).write_text(str(child.pid))
if sys.argv[2] == "stay":
    time.sleep(60)
"""


@pytest.mark.parametrize("manner", ["stay", "leave"])
def test_a_command_that_takes_too_long_ends_with_all_that_it_started(tmp_path: Path, manner: str) -> None:
    note = tmp_path / "pid"
    with pytest.raises(UnavailableError, match="within"):
        ask(python(SPAWNS, str(note), manner), timeout=3.0)
    child = int(note.read_text())
    for _ in range(200):
        if is_gone(child):
            break
        time.sleep(0.05)
    assert is_gone(child)


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    state = Path(f"/proc/{pid}/stat")
    return state.exists() and state.read_text().rsplit(")", 1)[1].split()[0] == "Z"


# -- a function


def test_a_function_is_told_only_what_it_asks_for() -> None:
    told: list[dict[str, Any]] = []

    def complete(prompt: str, max_tokens: int, *, timeout: float) -> str:
        told.append({"prompt": prompt, "max_tokens": max_tokens, "timeout": timeout})
        return "fine"

    ask(CallableLLM(complete), system="rule", schema={"type": "object"})
    assert told[0]["max_tokens"] == 100
    assert told[0]["prompt"].startswith("rule\n\nSay it\n\n")
    assert '{"type":"object"}' in told[0]["prompt"]


def test_a_builtin_is_told_the_prompt_alone() -> None:
    assert ask(CallableLLM(str.upper)).text == "SAY IT"


def test_a_function_may_count_its_tokens() -> None:
    assert ask(CallableLLM(lambda prompt: Completion("fine", 5, 6))) == Completion("fine", 5, 6)


@pytest.mark.parametrize("result", [None, 7, b"bytes", {"answer": "x"}, [1, 2]])
def test_a_function_that_gives_no_text_is_a_failure(result: Any) -> None:
    with pytest.raises(ProviderError, match="not a text"):
        ask(CallableLLM(lambda prompt: result))


def test_what_a_function_raises_is_unavailable_and_its_words_stay_here() -> None:
    def complete(prompt: str) -> str:
        raise RuntimeError("private words")

    with pytest.raises(UnavailableError, match="RuntimeError") as caught:
        ask(CallableLLM(complete))
    assert "private" not in str(caught.value)


def test_an_error_of_ours_from_a_function_stays_what_it_is() -> None:
    def complete(prompt: str) -> str:
        raise RefusedError("not today")

    with pytest.raises(RefusedError, match="not today"):
        ask(CallableLLM(complete))


def test_a_function_that_takes_too_long_is_left_behind() -> None:
    done = threading.Event()
    with pytest.raises(UnavailableError, match="within"):
        ask(CallableLLM(lambda prompt: done.wait(20)), timeout=0.2)
    done.set()


def test_a_coroutine_that_takes_too_long_is_cancelled() -> None:
    ends: list[str] = []
    over = threading.Event()

    async def complete(prompt: str) -> str:
        try:
            await asyncio.sleep(20)
        except asyncio.CancelledError:
            ends.append("cancelled")
            over.set()
            raise
        return "late"

    with pytest.raises(UnavailableError, match="within"):
        ask(CallableLLM(complete), timeout=0.2)
    assert over.wait(10)
    assert ends == ["cancelled"]


# -- the budget


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "m.db", "default", "default", StorageConfig(), now=0)
    yield made
    made.close()


def budgeted(store: Store, inner: Any, clock: FixedClock, calls: int = 60, tokens: int = 200_000) -> BudgetedLLM:
    return BudgetedLLM(inner, store.spending, clock, calls=calls, tokens=tokens)


def test_calls_beyond_the_budget_are_refused_before_they_are_made(store: Store) -> None:
    clock, inner = FixedClock(), ScriptedLLM(["fine"])
    llm = budgeted(store, inner, clock, calls=2)
    ask(llm)
    ask(llm)
    with pytest.raises(BudgetError) as caught:
        ask(llm)
    assert len(inner.asked) == 2
    assert "MNEMOPI_LLM_CALLS_PER_HOUR" in caught.value.hint
    spent = store.spending.since(clock() - HOUR_MS)
    assert (spent.calls, spent.refused, spent.failures) == (2, 1, 0)


def test_a_budget_is_whole_again_after_an_hour(store: Store) -> None:
    clock, inner = FixedClock(), ScriptedLLM(["fine"])
    llm = budgeted(store, inner, clock, calls=1)
    ask(llm)
    clock.advance(ms=HOUR_MS - 1)
    with pytest.raises(BudgetError):
        ask(llm)
    clock.advance(ms=1)
    assert ask(llm).text == "fine"


def test_a_call_that_could_take_more_tokens_than_are_left_is_refused(store: Store) -> None:
    clock, inner = FixedClock(), ScriptedLLM(["fine"])
    llm = budgeted(store, inner, clock, tokens=200)
    assert ask(llm, "x" * 40, max_tokens=100).text == "fine"
    with pytest.raises(BudgetError):
        ask(llm, "x" * 40, max_tokens=195)
    assert ask(llm, "x" * 40, max_tokens=150).text == "fine"


def test_a_budget_of_nothing_lets_nothing_through(store: Store) -> None:
    inner = ScriptedLLM(["fine"])
    for limits in ({"calls": 0}, {"tokens": 0}):
        with pytest.raises(BudgetError):
            ask(budgeted(store, inner, FixedClock(), **limits))
    assert inner.asked == []


def test_what_a_call_took_stands_in_place_of_what_it_might_have(store: Store) -> None:
    clock = FixedClock()
    ask(budgeted(store, CallableLLM(lambda prompt: Completion("fine", 11, 22)), clock), max_tokens=5000)
    assert store.spending.since(0).tokens == 33


@pytest.mark.parametrize(("error", "tokens"), [(RefusedError("no"), 0), (UnavailableError("gone"), 102)])
def test_a_failure_costs_what_it_may_have_taken_and_a_refusal_nothing(
    store: Store, error: ProviderError, tokens: int
) -> None:
    with pytest.raises(ProviderError):
        ask(budgeted(store, ScriptedLLM([error]), FixedClock()))
    spent = store.spending.since(0)
    assert (spent.calls, spent.failures, spent.tokens) == (1, 1, tokens)


def test_a_call_that_is_under_way_counts_for_others(store: Store) -> None:
    clock = FixedClock()
    second = budgeted(store, ScriptedLLM(["second"]), clock, calls=1)

    def meanwhile(asked: Any) -> str:
        with pytest.raises(BudgetError):
            ask(second)
        return "first"

    assert ask(budgeted(store, ScriptedLLM([meanwhile]), clock, calls=1)).text == "first"


def test_refusals_do_not_pile_up(store: Store) -> None:
    clock = FixedClock()
    llm = budgeted(store, ScriptedLLM(["fine"]), clock, calls=0)
    for _ in range(5):
        with pytest.raises(BudgetError):
            ask(llm)
        clock.advance(days=2)
    assert store.spending.since(0).refused == 1


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("abcd", 1), ("abcde", 2), ("端口", 2), ("端口 ab", 3)])
def test_tokens_are_estimated_by_script(text: str, tokens: int) -> None:
    assert tokens_of(text) == tokens


def test_a_script_of_a_fake_is_played_to_its_end() -> None:
    fake = ScriptedLLM(["one", UnavailableError("down"), lambda asked: json.dumps({"task": asked.task})])
    assert ask(fake).text == "one"
    with pytest.raises(UnavailableError):
        ask(fake)
    assert [ask(fake).text, ask(fake).text] == ['{"task": "test"}'] * 2
    assert len(fake.asked) == 4
    with pytest.raises(UnavailableError):
        ask(ScriptedLLM())
