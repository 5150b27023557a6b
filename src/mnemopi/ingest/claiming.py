"""Read the claims of a text: of what users said, by rules. Pure.

By default only what users said is read: not what assistants, tools or systems wrote, nor what was imported.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import tzinfo
from typing import Final

from mnemopi.model.fact import Claim
from mnemopi.model.memory import Memory
from mnemopi.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Later:
    """That a memory is to be read later: `said`, the part of it that users said (None: all of it)."""

    said: str | None = None


_PROGRAMS: Final = frozenset({"assistant", "agent", "ai", "bot", "model", "system", "tool", "web", "api"})


def claims(memory: Memory, extract: str, zone: tzinfo, said: str | None = None) -> tuple[Claim, ...]:
    """Read the claims of a memory: of `said`, the part that users said, else of all that a user said.

    Spans are places in the memory's own text; a part that does not stand there word for word has none.
    """
    return read(memory, zone, said) if wanted(memory, extract, said) else ()


def wanted(memory: Memory, extract: str, said: str | None = None) -> bool:
    """Whether claims are to be read at all."""
    return extract != "off" and said != "" and (said is not None or by_user(memory))


def read(memory: Memory, zone: tzinfo, said: str | None = None) -> tuple[Claim, ...]:
    """Read the claims of a memory of which that is wanted."""
    from mnemopi.text import patterns  # noqa: PLC0415 -- many rules, which no recall needs

    found = patterns.claims_in(
        memory.content if said is None else said,
        author=memory.author_id or "user",
        now=memory.timestamp,
        zone=zone,
    )
    if said is None or said == memory.content:
        return tuple(found)
    return tuple(_moved(claim, said, memory.content) for claim in found)


def later(memory: Memory, extract: str, said: str | None = None, wished: bool | None = None) -> Later | None:
    """Say what a language model is to read: of `said`, else of all that a user said, or that somebody wished to be.

    `wished` None leaves it to the setting, by which only `llm` has it read.
    """
    asked = extract == "llm" if wished is None else wished
    if not asked or said == "" or (said is None and not wished and not by_user(memory)):
        return None
    return Later(None if said == memory.content else said)


def by_user(memory: Memory) -> bool:
    """Whether a user said it, as far as the memory tells."""
    roles = {(memory.author_type or "").lower(), memory.source.lower(), (memory.author_id or "").lower()}
    return memory.trust_tier == "STATED" and memory.veracity != "false" and not roles & _PROGRAMS


def _moved(claim: Claim, said: str, content: str) -> Claim:
    """Find the place of a claim in the whole text."""
    offset = content.find(said)
    if offset >= 0:
        return replace(claim, start=claim.start + offset, stop=claim.stop + offset)
    place = content.find(said[claim.start : claim.stop])
    return replace(claim, start=max(place, 0), stop=place + claim.stop - claim.start if place >= 0 else 0)
