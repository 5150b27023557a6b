"""The language model an engine holds: chosen by the caller or the settings, behind one gate.

None is the default: no model is chosen because a key, a program or a server happens to be there, and an explicit
"no" wins over everything. What leaves passes the egress gate here, whatever the provider, and what reasoning models
think aloud is taken off their answers. Providers are imported when they are chosen.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, cast

from mnemopi.errors import ConfigError, ProviderError, UsageError
from mnemopi.ports import LLM, Clock, Completion
from mnemopi.text import redact

if TYPE_CHECKING:
    from mnemopi.providers.budget import Ledger
    from mnemopi.providers.client import Key
    from mnemopi.settings import LlmConfig

Given: TypeAlias = "bool | str | Mapping[str, Any] | Sequence[str] | Callable[..., Any] | LLM | None"
HOST: Final = "host"
_NAMES: Final = {
    "enabled": "enabled",
    "base_url": "base_url",
    "baseUrl": "base_url",
    "model": "model",
    "max_tokens": "max_tokens",
    "maxTokens": "max_tokens",
    "timeout": "timeout",
    "calls_per_hour": "calls_per_hour",
    "tokens_per_hour": "tokens_per_hour",
}
"""Keys of a mapping that are settings; the others are `api_key`, `command` and `complete`."""
_THOUGHT = re.compile(
    r"\A\s*(?:<(think|thinking|thought|reasoning)>.*?</\1>\s*)+|\A(?:(?!<think)[\s\S])*?</think(?:ing)?>\s*",
    re.DOTALL | re.IGNORECASE,
)
_UNENDED = re.compile(r"\A\s*<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_host: list[Callable[..., Any]] = []


class Wish(NamedTuple):
    """What a caller asked for: settings (`llm.name` to value), and what only code can give."""

    settings: Mapping[str, Any]
    given: Any = None
    key: Key = ""


def register_host(complete: Callable[..., Any] | None) -> None:
    """Lend the language model of the program that mnemopi runs in; None takes it back.

    It is called as `complete(prompt)`, with those of `system`, `schema`, `max_tokens`, `temperature`, `timeout`,
    `task`, `provider` and `model` that it names, and may be a coroutine function. Only engines opened later, with
    `llm="host"` or MNEMOPI_HOST_LLM_ENABLED, use it. Raises UsageError for what cannot be called.
    """
    if complete is not None and not callable(complete):
        raise UsageError(f"a host's language model is a callable, not {type(complete).__name__}")
    _host[:] = [] if complete is None else [complete]


def wish(given: Given = None, **flat: Any) -> Wish:
    """Read what a caller asked for; `flat` are `base_url`, `api_key`, `model` and `enabled`, given one by one.

    Raises UsageError for a wish that says nothing or that nobody can meet.
    """
    settings = {name: value for name, value in flat.items() if value is not None}
    key: Any = settings.pop("api_key", "")
    if given is True:
        raise UsageError(
            "llm=True says nothing", hint='leave it out, or give "host", a function, a command or a mapping'
        )
    if given is False:
        settings["enabled"], given = False, None
    elif isinstance(given, Mapping):
        more, given, nested = _nested(given)
        off = False in (settings.get("enabled"), more.get("enabled"))
        settings = {**more, **settings, **({"enabled": False} if off else {})}
        key = key or nested
    if isinstance(key, str) and key:
        settings["api_key"] = key
    elif not isinstance(key, str) and not callable(key):
        raise UsageError("llm: `api_key` is a string, or a function that gives one")
    return Wish({f"llm.{name}": value for name, value in settings.items()}, given, key)


def open_llm(config: LlmConfig, wished: Wish) -> LLM | None:
    """Return the language model to use, None for none: what the caller gave, else as configured.

    Of what is configured a host's model comes first, then a server, then a command. Raises UsageError for what cannot
    be one, ConfigError for a setting.
    """
    if not config.enabled:
        return None
    found = _configured(config, wished.key) if wished.given is None else _from_caller(wished.given, config)
    return None if found is None else GuardedLLM(found)


def budgeted(llm: LLM | None, ledger: Ledger, clock: Clock, config: LlmConfig) -> LLM | None:
    """Put a bank's budget before a model; None where there is none."""
    if llm is None:
        return None
    from mnemopi.providers import budget  # noqa: PLC0415

    return budget.BudgetedLLM(llm, ledger, clock, calls=config.calls_per_hour, tokens=config.tokens_per_hour)


def asking(llm: LLM | None, config: LlmConfig, task: str) -> Callable[[str], str] | None:
    """Return a model as a function from a prompt to its answer, for one task; None where there is none."""
    if llm is None:
        return None
    return lambda prompt: llm.complete(prompt, max_tokens=config.max_tokens, timeout=config.timeout, task=task).text


class GuardedLLM:
    """An LLM that is told no secret, and whose answers are free of what it thought aloud."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    @property
    def name(self) -> str:
        """The name of the model within."""
        return self._llm.name

    def complete(self, prompt: str, *, system: str = "", **options: Any) -> Completion:
        """Answer as the model within does; ProviderError where it says nothing. Options as the port has them."""
        shown = redact.redact(system, "full").text if system else ""
        answer = self._llm.complete(redact.redact(prompt, "full").text, system=shown, **options)
        text = without_thoughts(answer.text)
        if not text:
            raise ProviderError(f"{self.name} answered nothing")
        return answer._replace(text=text)


def without_thoughts(text: str) -> str:
    """Return an answer without the blocks before it in which a reasoning model thinks; one that never ends is all."""
    rest = _THOUGHT.sub("", text, count=1)
    return "" if _UNENDED.match(rest) else rest.strip()


def _nested(given: Mapping[str, Any]) -> tuple[dict[str, Any], Any, Any]:
    """Read a mapping: settings, a function or command, and a key. Names in either spelling, None for unset."""
    settings: dict[str, Any] = {}
    code: dict[str, Any] = {}
    for told, value in given.items():
        name = {"apiKey": "api_key"}.get(told, told)
        if told in _NAMES:
            settings[_NAMES[told]] = value
        elif name in ("api_key", "command", "complete"):
            code[name] = value
        else:
            known = ", ".join((*dict.fromkeys(_NAMES.values()), "api_key", "command", "complete"))
            raise UsageError(f"llm: unknown key `{told}`", hint=f"known: {known}")
    settings = {name: value for name, value in settings.items() if value is not None}
    function, command = code.get("complete"), code.get("command")
    if isinstance(command, str):
        settings["command"], command = command, None
    return settings, function if function is not None else command, code.get("api_key") or ""


def _configured(config: LlmConfig, key: Key) -> LLM | None:
    if config.host_enabled and _host:
        return _hosted(config)
    if config.base_url:
        return _served(config, key or config.api_key)
    return _command(_words(config.command)) if config.command else None


def _served(config: LlmConfig, key: Key) -> LLM:
    """A server behind the official client where that is installed, else behind nothing but HTTP."""
    from mnemopi.providers import client, official, openai_llm  # noqa: PLC0415

    url = openai_llm.address(config.base_url)
    carry = official.carry if official.is_installed() else client.plain
    http = client.Client(url, key, timeout=config.timeout, advice=openai_llm.ADVICE, carry=carry)
    return openai_llm.OpenAILLM(http, config.model)


def _from_caller(given: Any, config: LlmConfig) -> LLM:
    if given == HOST:
        if not _host:
            raise UsageError("no host has lent its language model", hint="`llms.register_host(callable)` before that")
        return _hosted(config)
    if isinstance(given, Sequence) and not isinstance(given, str):
        return _command(given)
    if hasattr(given, "complete") and hasattr(given, "name"):
        return cast("LLM", given)
    if callable(given):
        from mnemopi.providers import callable_llm  # noqa: PLC0415

        return callable_llm.CallableLLM(given, name=f"callable:{config.model}" if config.model else "")
    raise UsageError(
        f"llm: {given!r:.60} is no language model", hint='give "host", a function, a command as a list, or a mapping'
    )


def _hosted(config: LlmConfig) -> LLM:
    from mnemopi.providers import callable_llm  # noqa: PLC0415

    named = {"provider": config.host_provider or None, "model": config.host_model or None}
    name = "/".join(part for part in named.values() if part)
    return callable_llm.CallableLLM(_host[0], name=f"host:{name or 'default'}", more=named)


def _command(command: Sequence[str]) -> LLM:
    from mnemopi.providers import command_llm  # noqa: PLC0415

    if not command or not all(isinstance(word, str) and word for word in command):
        raise UsageError("llm: a command is a list of words, the program first", hint='such as ["claude", "-p"]')
    return command_llm.CommandLLM(command)


def _words(command: str) -> list[str]:
    """Read a command from a setting: a JSON list, or words as a shell splits them. Raises ConfigError."""
    try:
        words = json.loads(command) if command.lstrip().startswith("[") else shlex.split(command)
    except ValueError:
        words = None
    if not isinstance(words, list) or not words or not all(isinstance(word, str) and word for word in words):
        raise ConfigError("llm.command", command, "settings", "neither words nor a JSON list of them")
    return words
