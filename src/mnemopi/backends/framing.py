"""Two renderings of a session's messages: the framed transcript that is kept, and the question that a prompt asks.

Both work on whole messages, so that no text loses the role of who said it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from mnemopi.backends import stripping
from mnemopi.model.session import Message

SHORTEST: Final = 10
"""A transcript of fewer characters is none."""
HEADING: Final = "Prior context:"


def is_substantive(text: str) -> bool:
    """Whether a text holds a letter or a digit of any script."""
    return any(each.isalnum() for each in text)


def framed(messages: Sequence[Message], time: Callable[[int], str] | None = None) -> str:
    """Return messages as a transcript, each between marks of its role; empty where nothing of substance was said.

    `time` renders when each was said; None leaves that out.
    """
    parts = []
    for message in messages:
        text = stripping.stripped(message.text).text
        if is_substantive(text):
            stamp = f"[timestamp: {time(message.at)}]\n" if time is not None and message.at is not None else ""
            parts.append(f"[role: {message.role}]\n{stamp}{text}\n[{message.role}:end]")
    made = "\n\n".join(parts)
    return made if len(made) >= SHORTEST else ""


def question(prompt: str, recent: Sequence[Message], turns: int, most: int) -> str:
    """Return what a prompt asks of memory: itself, and of the `turns` last turns as many whole messages as fit.

    A turn begins at a user's message; the prompt is the last. At most `most` characters; context goes, oldest first.
    """
    latest = stripping.stripped(prompt).text
    lines = _context(latest, recent, turns)
    room = most - len(latest) - len(HEADING) - 4
    kept: list[str] = []
    for line in reversed(lines):
        room -= len(line) + 1
        if room < 0:
            break
        kept.insert(0, line)
    return "\n\n".join((HEADING, "\n".join(kept), latest)) if kept else latest[:most]


def last_turns(messages: Sequence[Message], turns: int) -> Sequence[Message]:
    """Return the messages from the `turns`-th user's message from the end on; all where there are fewer."""
    starts = [place for place, message in enumerate(messages) if message.role == "user"]
    if turns <= 0 or not messages:
        return ()
    return messages[starts[-turns] :] if len(starts) >= turns else messages


def _context(latest: str, recent: Sequence[Message], turns: int) -> list[str]:
    """List the messages before a prompt in words: the prompt is a turn of its own."""
    told = ((message.role, stripping.stripped(message.text).text) for message in last_turns(recent, turns - 1))
    return [f"{role}: {text}" for role, text in told if text and not (role == "user" and text == latest)]
