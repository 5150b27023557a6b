"""A document of sections: read, changed section by section, and what a person did to it by hand. Pure.

A section begins at a heading of the second level; what stands before the first belongs to a section without one. Where
a document differs from what was written last, a person was there: lines that they put in stay word for word, lines that
they took out do not come back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from difflib import SequenceMatcher
from typing import Any, Final

from mnemopi.model.values import dataclass

_HEADING = re.compile(r"^## +(\S.*)$", re.MULTILINE)
_SOURCES = re.compile(r"^_Sources: (.+)_$", re.MULTILINE)
KEPT: Final = "Kept by hand"


@dataclass(frozen=True, slots=True)
class Section:
    """A heading ("" for what stands before the first) and what stands under it."""

    heading: str
    body: str


@dataclass(frozen=True, slots=True)
class Hand:
    """What a person did to a document: (heading, line) of what they put in, and the lines that they took out."""

    put: tuple[tuple[str, str], ...] = ()
    out: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Render it for a file."""
        return {"put": [list(each) for each in self.put], "out": list(self.out)}

    @classmethod
    def read(cls, told: Any) -> Hand:
        """Read it from a file; nothing where the file was broken."""
        if not isinstance(told, dict):
            return cls()
        put = tuple((str(each[0]), str(each[1])) for each in told.get("put", ()) if len(each) == 2)
        return cls(put, tuple(str(each) for each in told.get("out", ())))


@dataclass(frozen=True, slots=True)
class Change:
    """What is to become of sections: new bodies by heading, headings that go, and the sessions that this rests on."""

    put: tuple[Section, ...] = ()
    drop: tuple[str, ...] = ()
    sources: tuple[tuple[str, ...], ...] = field(default_factory=tuple)
    """The sessions of each section of `put`."""


def sections(text: str) -> list[Section]:
    """Read a document."""
    parts = _HEADING.split(text)
    found = [Section("", parts[0].strip("\n"))] if parts[0].strip() else []
    return found + [Section(parts[at].rstrip(), parts[at + 1].strip("\n")) for at in range(1, len(parts), 2)]


def written(parts: Iterable[Section]) -> str:
    """Write a document; sections with nothing in them are left out."""
    texts = [f"## {each.heading}\n\n{each.body}" if each.heading else each.body for each in parts if each.body.strip()]
    return "\n\n".join(text.strip("\n") for text in texts) + "\n" if texts else ""


def changed(text: str, change: Change) -> str:
    """Return a document with some sections changed, all others as they are. New ones come last."""
    known = sections(text)
    drop = {heading.casefold() for heading in change.drop}
    new = {}
    for number, section in enumerate(change.put):
        sources = change.sources[number] if number < len(change.sources) else ()
        new[section.heading.casefold()] = (section, sources)
    parts: list[Section] = []
    for section in known:
        key = section.heading.casefold()
        if key in new and section.heading:
            put, sources = new.pop(key)
            parts.append(Section(section.heading, _with_sources(put.body, (*sources_of(section.body), *sources))))
        elif key not in drop or not section.heading:
            parts.append(section)
    parts += [Section(put.heading, _with_sources(put.body, sources)) for put, sources in new.values()]
    return written(parts)


def sources_of(body: str) -> tuple[str, ...]:
    """Return the sessions that a section names as what it rests on."""
    return tuple(each.strip() for found in _SOURCES.findall(body) for each in found.split(",") if each.strip())


def without_sources(body: str) -> str:
    """Return a section's body without the line that names its sessions."""
    return _SOURCES.sub("", body).strip("\n")


def by_hand(base: str, now: str, before: Hand) -> Hand:
    """Return what a person did to a document since `base` was written, and what they did earlier that still stands."""
    old, new = _lines(base), _lines(now)
    added, removed = [], []
    for tag, a, b, c, d in SequenceMatcher(
        None, [line for _, line in old], [line for _, line in new], False
    ).get_opcodes():
        if tag != "equal":
            removed += [line for _, line in old[a:b]]
            added += new[c:d]
    there = {line for _, line in new}
    put = [each for each in before.put if each[1] in there] + added
    out = [line for line in (*before.out, *removed) if line not in there]
    return Hand(tuple(dict.fromkeys(put)), tuple(dict.fromkeys(out)))


def respecting(text: str, hand: Hand) -> str:
    """Return a document with what a person put in, each line under its heading, and without what they took out."""
    out = set(hand.out) - {line for _, line in hand.put}
    parts = [replace(each, body=_without(each.body, out)) for each in sections(text)]
    there = {line for _, line in _lines(written(parts))}
    missing: dict[str, list[str]] = {}
    for heading, line in hand.put:
        if line not in there and not _HEADING.match(line):
            missing.setdefault(heading or ("" if line.startswith("# ") else KEPT), []).append(line)
    for place, each in enumerate(parts):
        if lines := missing.pop(each.heading, None):
            parts[place] = replace(each, body=_joined(each.body, lines))
    before = [Section("", "\n".join(missing.pop("")))] if "" in missing else []
    return written([*before, *parts, *(Section(heading, "\n".join(lines)) for heading, lines in missing.items())])


def _lines(text: str) -> list[tuple[str, str]]:
    """List the lines of a document that say something, each with its heading; a heading is a line of its own."""
    found = []
    for section in sections(text):
        if section.heading:
            found.append((section.heading, f"## {section.heading}"))
        lines = (line.strip() for line in section.body.splitlines())
        found += [(section.heading, line) for line in lines if line and not _SOURCES.match(line)]
    return found


def _without(body: str, out: set[str]) -> str:
    return "\n".join(line for line in body.splitlines() if line.strip() not in out)


def _joined(body: str, lines: Sequence[str]) -> str:
    """Put lines at the end of a section, before the line that names its sessions."""
    named = _SOURCES.search(body)
    said = without_sources(body)
    return "\n".join(part for part in (said, "\n".join(lines), f"\n{named[0]}" if named else "") if part)


def _with_sources(body: str, sources: Iterable[str]) -> str:
    named = ", ".join(dict.fromkeys(sources))
    said = without_sources(body)
    return f"{said}\n\n_Sources: {named}_" if named else said
