"""Ask a language model for JSON of a shape, and once more where it answers another."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from mnemopi.ingest import answers
from mnemopi.ingest.answers import BadAnswer
from mnemopi.model.values import dataclass
from mnemopi.ports import LLM

T = TypeVar("T")
_AGAIN: Final = "\n\nYour last answer could not be used: {why}. Answer again, with the JSON object alone."


@dataclass(frozen=True, slots=True)
class Asker:
    """A language model, what it may say at most (tokens), how long it may take (s), and what it may be told at once."""

    llm: LLM
    max_tokens: int
    timeout: float
    limit: int

    def ask(
        self, task: str, system: str, prompt: str, schema: Mapping[str, Any], check: Callable[[dict[str, Any]], T]
    ) -> T:
        """Return what `check` makes of the answer. Raises BadAnswer for a second one that cannot be used either, and
        ProviderError kinds."""
        try:
            return check(_read(self._said(task, system, prompt, schema)))
        except BadAnswer as error:
            why = str(error)
        return check(_read(self._said(task, system, prompt + _AGAIN.replace("{why}", why), schema)))

    def _said(self, task: str, system: str, prompt: str, schema: Mapping[str, Any]) -> str:
        return self.llm.complete(
            prompt, system=system, schema=schema, max_tokens=self.max_tokens, timeout=self.timeout, task=task
        ).text


def shape(**members: Any) -> Mapping[str, Any]:
    """Return the JSON schema of an object with exactly these members."""
    return {"type": "object", "additionalProperties": False, "required": list(members), "properties": members}


def exactly(told: Mapping[str, Any], members: Mapping[str, type | tuple[type, ...]], where: str = "it") -> None:
    """Check that an object has these members, of these types, and no others. Raises BadAnswer."""
    for name, kind in members.items():
        if name not in told or not isinstance(told[name], kind):
            raise BadAnswer(f"{where} has no fit member `{name}`")
    if more := told.keys() - members.keys():
        raise BadAnswer(f"{where} has members that were not asked for: {', '.join(sorted(more))[:80]}")


def _read(answer: str) -> dict[str, Any]:
    """Read an object, in a fence or among prose. Raises BadAnswer."""
    whole = answers.unfenced(answer)
    for part in (whole, whole[whole.find("{") : whole.rfind("}") + 1]):
        try:
            told = json.loads(part)
        except (ValueError, RecursionError):
            continue
        if isinstance(told, dict):
            return told
    raise BadAnswer("it is no JSON object")
