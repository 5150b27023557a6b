"""No text keeps a reader busy without end: what a pattern could divide in many ways is read in one.

Each of these took minutes, or for ever, in a pattern that tried each way. What is asserted is what was read.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from typing import Any

import pytest

from mnemopi.backends import stripping
from mnemopi.backends.local import documents, rules
from mnemopi.backends.sharpshooter import friction
from mnemopi.consolidation import sentences
from mnemopi.model.session import Message
from mnemopi.projects import git
from mnemopi.retrieval import render
from mnemopi.text import entities, frames, letters, patterns, spans, tokens

MANY = 100_000


def claims(text: str) -> list[str]:
    return [claim.object for claim in patterns.claims_in(text, now=10**12, zone=UTC)]


def decided(text: str) -> list[str]:
    return [each.text for each in rules.stated([Message("e", "user", text, 0)], UTC)]


READERS: dict[str, tuple[Callable[[str], Any], str, Any]] = {
    "words that lead in": (claims, "麻烦你" * 60 + "，请记住x", []),
    "words of time": (claims, "端口" + "刚" * 200 + "改", []),
    "a name": (claims, "you can just " * 40 + "say it, call me Bob", []),
    "a renaming": (claims, "服务" + "刚" * 200 + "改名", []),
    "a gap within a sentence": (claims, ("I moved from" + " " * 500 + "x. ") * 90 + "I use Vim.", ["Vim"]),
    "marks that end no sentence": (claims, "I use Vim. " + "." * 45_000 + "x", ["Vim"]),
    "marks of a summary": (spans.spans, "!" * MANY + "x", [(0, MANY + 1)]),
    "figures that count nothing": (sentences.weight, "十" * MANY, 1.0),
    "quotes that nothing ends": (sentences.weight, "“a" * MANY, 1.0),
    "a heading that goes on": (lambda text: len(documents.sections(text)), "## a" + " " * MANY + "b", 1),
    "a decision": (decided, "we" + " " * MANY + "x", []),
    "an option": (lambda text: friction.may_decide("ok", text), "\n" * MANY, False),
    "a section": (git._SECTION.fullmatch, "[a" + " " * MANY, None),
    "what may be an address": (tokens.terms, "a+" * MANY, ["a"]),
    "letters without an umlaut": (letters.umlauts_spelled, "é" * MANY, []),
    "a tag that is none": (render.neutral, "a <" + " " * MANY, "a <" + " " * MANY),
    "a tag in what cannot be seen": (render.neutral, "<me" + "\u200b" * MANY, "<me" + "\u200b" * MANY),
    "a fence that is none": (lambda text: stripping.stripped(text).blocks, "<memories>\n" + "`" * MANY + "x`", 0),
    "blanks in a question": (frames.without, "tell" + " " * MANY + "x", "tell" + " " * MANY + "x"),
    "lines in a question": (frames.without, "find x" + "\n" * MANY + "y", "find x" + "\n" * MANY + "y"),
    "quotes in a question": (lambda text: len(frames.without(text)), "find “a" * MANY, 7 * MANY),
    "either in a question": (lambda text: len(frames.searched(text)), "会不" * MANY, MANY * 3 // 2),
    "keys of a question": (lambda text: len(entities.keys_of(text)), "Ab (" * MANY, 1),
}


@pytest.mark.parametrize("kind", READERS)
def test_a_text_that_can_be_divided_in_many_ways_is_read_in_one(kind: str) -> None:
    read, text, found = READERS[kind]
    assert read(text) == found
