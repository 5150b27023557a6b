"""Which hits a later one may have overtaken, where no rule read what they say: one thing, told with another figure.

Asked are questions about the present. Three things must come together: both texts have a sentence that holds every word
of the question, so that they speak of the same; these sentences give figures of one unit that differ; and the later one
tells of a change ("from today on", "no longer", 改为). That is seldom, and is said as what it is, a doubt: nothing is
hidden or ranked by it. Long texts are left alone. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from mnemopi.text import tokens
from mnemopi.text.regex import compiled

_CHANGES: Final = (
    r"(?i)\b(?:from (?:today|now|tomorrow) on(?:wards?)?|no longer|instead of|any ?more|going forward|now"
    r"|(?:switch|chang|mov|updat|rais|lower|reduc|increas)ed)\b|从今天起|从现在起|不再|改为|改成|改用|换成|现在"
)
_FIGURE: Final = r"(?<![\w.,:/-])([0-9]+(?:[.,][0-9]+)*) ?([a-zA-Z%€$£]+|[\u4e00-\u9fff]{1,2})(?![\w-])"
_SENTENCE: Final = r"[^.!?。！？\n]+(?:[.!?](?!\s|$)[^.!?。！？\n]*)*[?？]?"
_LONGEST: Final = 600
"""Characters of a text in which it is worth while to look for one sentence."""
_LEAST: Final = 2
"""Words by which a question names one thing."""


class _Said(NamedTuple):
    figures: dict[str, set[str]]
    changes: bool


def marks(texts: Sequence[tuple[int, str]], asked: frozenset[str]) -> dict[int, int]:
    """Return for each text (given with its time) that may be overtaken, by its place, the place of the latest that did.

    `asked` are the terms of the question, without those by which it asks for the present.
    """
    if len(asked) < _LEAST:
        return {}
    in_time = sorted(range(len(texts)), key=lambda place: texts[place][0])
    said = {place: list(_said(texts[place][1], asked)) for place in in_time if len(texts[place][1]) <= _LONGEST}
    found: dict[int, int] = {}
    for rank, later in enumerate(in_time):
        changes = [each for each in said.get(later, ()) if each.changes]
        for earlier in in_time[:rank] if changes else ():
            if texts[earlier][0] < texts[later][0] and any(
                _differ(one, other) for one in said.get(earlier, ()) for other in changes
            ):
                found[earlier] = later
    return found


def _said(text: str, asked: frozenset[str]) -> Iterator[_Said]:
    """Yield the figures of each sentence, by their units, that holds every word asked for."""
    for sentence in compiled(_SENTENCE).findall(text):
        figures: dict[str, set[str]] = {}
        for number, unit in compiled(_FIGURE).findall(sentence):
            figures.setdefault(unit.lower(), set()).add(number)
        if figures and not sentence.endswith(("?", "？")) and asked.issubset(tokens.content_terms(sentence)):
            yield _Said(figures, compiled(_CHANGES).search(sentence) is not None)


def _differ(one: _Said, other: _Said) -> bool:
    units = one.figures.keys() & other.figures.keys()
    return bool(units) and all(one.figures[unit].isdisjoint(other.figures[unit]) for unit in units)
