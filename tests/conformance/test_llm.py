"""What every LLM keeps to, whoever wrote it: one suite over the providers and the fakes."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mnemopi.ports import LLM, Completion
from mnemopi.providers import official
from mnemopi.providers.budget import BudgetedLLM
from mnemopi.providers.callable_llm import CallableLLM
from mnemopi.providers.client import Client
from mnemopi.providers.command_llm import CommandLLM
from mnemopi.providers.llms import GuardedLLM
from mnemopi.providers.openai_llm import OpenAILLM, address
from mnemopi.settings import StorageConfig
from mnemopi.storage.store import Store
from mnemopi.testing import ScriptedLLM

from .conftest import answering

PROMPTS = ["Say it.", "端口是 8123。", "naïve café 🚀", "line\nbreak", "x" * 20_000]
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
ECHO = "import sys; said = sys.stdin.buffer.read(); sys.stdout.buffer.write(b'heard: ' + said)"


def echoed(asked: Any) -> Any:
    """Speak the chat API, and say what was heard."""
    heard = "heard: " + "\n\n".join(each["content"] for each in asked["messages"])
    return {"choices": [{"message": {"role": "assistant", "content": heard}, "finish_reason": "stop"}]}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with answering(echoed) as address:
        yield f"{address}/v1"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "m.db", "default", "default", StorageConfig(), now=0)
    yield made
    made.close()


def plain(prompt: str) -> str:
    return f"heard: {prompt}"


def with_system(prompt: str, *, system: str) -> dict[str, Any]:
    return {"text": f"heard: {system}\n\n{prompt}"}


async def later(prompt: str, **options: Any) -> Any:
    return SimpleNamespace(text=f"heard: {options['system']}\n\n{prompt}")


async def in_pieces(prompt: str, system: str = "") -> Any:
    for piece in ("heard: ", system, "\n\n", prompt):
        yield piece


def scripted() -> ScriptedLLM:
    return ScriptedLLM([lambda asked: f"heard: {asked.system}\n\n{asked.prompt}"])


MAKERS: dict[str, Callable[[str, Store], LLM]] = {
    "api": lambda url, store: OpenAILLM(Client(address(url)), "echo"),
    "api, official client": lambda url, store: OpenAILLM(Client(address(url), carry=official.carry), "echo"),
    "command": lambda url, store: CommandLLM([sys.executable, "-c", ECHO]),
    "function": lambda url, store: CallableLLM(plain),
    "function of a system prompt": lambda url, store: CallableLLM(with_system),
    "coroutine function": lambda url, store: CallableLLM(later),
    "asynchronous generator": lambda url, store: CallableLLM(in_pieces),
    "scripted": lambda url, store: scripted(),
    "guarded": lambda url, store: GuardedLLM(scripted()),
    "budgeted": lambda url, store: BudgetedLLM(
        GuardedLLM(scripted()), store.spending, lambda: 0, calls=100, tokens=1_000_000
    ),
}


@pytest.fixture(params=MAKERS)
def llm(request: pytest.FixtureRequest, url: str, store: Store) -> LLM:
    return MAKERS[request.param](url, store)


@pytest.mark.parametrize("prompt", PROMPTS)
def test_a_prompt_arrives_whole_and_its_answer_comes_back(llm: LLM, prompt: str) -> None:
    answer = llm.complete(prompt, max_tokens=100, timeout=20.0, task="test")
    assert isinstance(answer, Completion)
    assert answer.text.startswith("heard:")
    assert answer.text.endswith(prompt)


def test_what_it_is_to_be_told_beforehand_arrives(llm: LLM) -> None:
    answer = llm.complete("the prompt", system="the rule", max_tokens=100, timeout=20.0, task="test")
    assert answer.text.index("the rule") < answer.text.index("the prompt")


def test_tokens_are_counted_both_ways(llm: LLM) -> None:
    short = llm.complete("Say it", max_tokens=100, timeout=20.0, task="test")
    long = llm.complete("Say it " * 100, max_tokens=100, timeout=20.0, task="test")
    assert 0 < short.tokens_in < long.tokens_in
    assert 0 < short.tokens_out < long.tokens_out


def test_a_schema_and_a_temperature_are_taken(llm: LLM) -> None:
    answer = llm.complete("Say it", schema=SCHEMA, temperature=0.5, max_tokens=100, timeout=20.0, task="test")
    assert "Say it" in answer.text


def test_it_has_a_name_of_a_provider_and_a_model(llm: LLM) -> None:
    provider, sign, model = llm.name.partition(":")
    assert provider and sign and model


def test_it_may_be_asked_from_many_threads(llm: LLM) -> None:
    found: list[str] = []
    threads = [
        threading.Thread(
            target=lambda number=number: found.append(
                llm.complete(f"number {number}", max_tokens=9, timeout=20.0, task="test").text[-8:]
            )
        )
        for number in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [f"number {number}" for number in range(4)]
