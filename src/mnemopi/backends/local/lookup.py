"""Find what the documents, playbooks, lessons and summaries of a project say to a question, by its words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from mnemopi.backends.local import documents, lessons, places, skills
from mnemopi.model.session import Found
from mnemopi.model.values import dataclass
from mnemopi.storage import private
from mnemopi.text import tokens

_ROOT: Final = "memory://root"
_LONGEST: Final = 2000
_ITEMS = re.compile(r"\n(?=- )|\n\s*\n")


@dataclass(frozen=True, slots=True)
class Entry:
    """A text that can be found: its id where it has one, and its address."""

    text: str
    source: str
    id: str | None = None


def search(roots: Sequence[Path], query: str, limit: int) -> tuple[Found, ...]:
    """Return what answers a question best; the score is the share of its words, weighed by how rare they are here."""
    entries = list({(each.id, each.text): each for root in reversed(roots) for each in _entries(root)}.values())
    said = [set(tokens.content_terms(f"{each.source.rpartition('#')[2]} {each.text}")) for each in entries]
    rarity = Counter(term for terms in said for term in terms)
    weights = {term: math.log(1 + len(entries) / (1 + rarity[term])) for term in tokens.content_terms(query)}
    total = sum(weights.values())
    ranked = sorted(
        (-sum(weights[term] for term in weights.keys() & terms) / total, place)
        for place, terms in enumerate(said)
        if total and weights.keys() & terms
    )
    return tuple(_found(entries[place], -score) for score, place in ranked[:limit])


def _entries(root: Path) -> Iterator[Entry]:
    """Yield what can be found, what was put in words first."""
    for name in (lessons.ARCHIVE, lessons.FILE):  # of two equal ones the later counts
        for line in lessons.of(lessons.shown(private.read(root / name) or "")):
            yield Entry(line.removeprefix("- "), f"{_ROOT}/{name}", lessons.id_of(line))
    for section in documents.sections(private.read(root / places.DOCUMENT) or ""):
        at = f"{_ROOT}/{places.DOCUMENT}" + (f"#{section.heading}" if section.heading else "")
        for item in _ITEMS.split(documents.without_sources(section.body)):
            if item.strip():
                yield Entry(item.strip().removeprefix("- "), at)
    for name, text in skills.there(root).items():
        yield Entry(text.strip(), f"{_ROOT}/{skills.FOLDER}/{name}/{skills.FILE}")
    folder = root / places.ROLLOUTS
    for path in sorted(folder.glob("*.md")) if folder.is_dir() else ():
        yield Entry((private.read(path) or "").strip(), f"{_ROOT}/{places.ROLLOUTS}/{path.name}")


def _found(entry: Entry, score: float) -> Found:
    whole = entry.text
    cut = whole if len(whole) <= _LONGEST else whole[: _LONGEST - 1] + "…"
    return Found(cut, entry.id, entry.source, None, round(score, 4), None, cut is not whole, len(whole))
