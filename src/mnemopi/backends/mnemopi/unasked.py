"""What a prompt calls up though nobody asked: little, sure of itself, and nothing that is there already.

A bank that fails does not keep the others from answering; where all fail, the first failure is raised, so that an
error never looks like an empty memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from mnemopi.backends import framing, stripping
from mnemopi.backends.mnemopi import capture
from mnemopi.backends.mnemopi.state import State
from mnemopi.engine import Mnemopi
from mnemopi.errors import MnemopiError, warn
from mnemopi.model.hit import Hit
from mnemopi.model.session import CHARS_PER_TOKEN, Message, SessionRef
from mnemopi.retrieval import render
from mnemopi.text import tokens

Options: TypeAlias = Callable[[Mnemopi], Mapping[str, Any]]
"""Further options of a recall, by the engine that is asked."""
_LEAST_TERMS: Final = 2
"""Words of content from which on a prompt may call something up by itself: `thanks` and `go on` do not."""
_MORE: Final = 3
"""So many times what is wanted is asked for, since some of it is there already."""


def recall(engines: Iterable[Mnemopi], query: str, limit: int, options: Options) -> list[Hit]:
    """Recall from several banks, each with its own options, the best first, each memory once."""
    found: list[Hit] = []
    failures: list[MnemopiError] = []
    answered = False
    for engine in engines:
        try:
            found += engine.bank.recall(query, limit, **options(engine))
            answered = True
        except MnemopiError as error:
            warn("bank %s did not answer: %s", engine.bank.name, error.code)
            failures.append(error)
    if failures and not answered:
        raise failures[0]
    return _once(found)[:limit]


def queries(prompt: str, recent: Sequence[Message], turns: int, most: int, *, first: bool) -> list[str]:
    """Return what to ask for a prompt: itself, with the turns before it where they are needed; nothing for a word.

    The first prompt of a session is asked alone and with the turns before it (there are some where a session goes on),
    a later one with them only where it is a question that says too little by itself. At most `most` characters each;
    of the messages before it, whole ones as many as fit, the latest.
    """
    said = stripping.stripped(prompt).text
    terms = _weight(said)
    asks = said.rstrip().endswith(("?", "\uff1f"))
    if terms < _LEAST_TERMS and not asks:
        return []
    context = _context(said, recent, turns, most)
    if terms < _LEAST_TERMS:
        return [context] if context else []
    if not context:
        return [said[:most]]
    return [said[:most], context] if first else [context] if asks and terms <= _LEAST_TERMS else [said[:most]]


def fresh(
    engines: Sequence[Mnemopi],
    asked: Sequence[str],
    limit: int,
    belief: float,
    is_new: Callable[[Hit], bool],
    options: Options,
) -> list[Hit]:
    """Recall what passes a threshold of belief for one of several queries, and is new."""
    usual: Mapping[str, Any] = {"min_score": belief, "content_preview_chars": render.LINE}

    def told(engine: Mnemopi) -> Mapping[str, Any]:
        return {**usual, **options(engine)}

    found = (hit for query in asked for hit in recall(engines, query, limit * _MORE, told))
    return _once(filter(is_new, found))[:limit]


def block(hits: Sequence[Hit], tokens: int) -> tuple[str, dict[str, int]]:
    """Return a block of hits within a budget, and which memories, in which version, stand in it."""
    text = render.context([(hit.memory, hit.content, hit.explanation.notes) for hit in hits], tokens * CHARS_PER_TOKEN)
    return text, {hit.id: hit.memory.version for hit in hits if f"\n- [{hit.id}," in text}


def news(session: SessionRef, state: State, recent: Sequence[Message]) -> Callable[[Hit], bool]:
    """Say which hits are new: not shown in this version, and nothing that this session itself said and still holds."""
    own, there = capture.session_name(session), {capture.fit(message.entry) for message in recent}

    def is_new(hit: Hit) -> bool:
        memory = hit.memory
        if state.shown.get(hit.id) == memory.version or memory.external_id in there:
            return False
        position = -1 if memory.position is None else memory.position
        return memory.session_id != own or position <= state.dropped

    return is_new


def again(state: State) -> Callable[[Hit], bool]:
    """Say which hits are those that the last prompt was answered with, as they were."""
    return lambda hit: state.answer.get(hit.id) == hit.memory.version


def _once(found: Iterable[Hit]) -> list[Hit]:
    """Return each memory once, the best first; of the same texts one is enough."""
    once: dict[str, Hit] = {}
    texts: set[str] = set()
    for hit in sorted(found, key=lambda hit: (-hit.score, -hit.memory.timestamp, hit.content)):
        if hit.id not in once and hit.memory.content not in texts:
            once[hit.id] = hit
            texts.add(hit.memory.content)
    return list(once.values())


def _weight(text: str) -> int:
    """Count what a text says: its words of content; a name such as `parse_date` is enough by itself."""
    terms = set(tokens.content_terms(text))
    return len(terms) + _LEAST_TERMS * any(map(tokens.is_identifier, terms))


def _context(said: str, recent: Sequence[Message], turns: int, most: int) -> str:
    """Return the turns before a prompt and the prompt, by whole messages; "" where nothing stands before it."""
    room = most - len(said)
    kept: list[str] = []
    for message in reversed(framing.last_turns(recent, turns - 1)):
        text = stripping.stripped(message.text).text
        room -= len(text) + 1
        if room < 0:
            break
        if text and text != said:
            kept.insert(0, text)
    return "\n".join((*kept, said)) if kept else ""
