"""`learned.md`: lessons in words of their own, one a line, that a person may edit. The newest hundred are injected.

A line is `- content` or `- content _(context: context)_`. Saving touches nothing but lines of lessons: an equal one
moves up, and what is beyond the hundred moves to an archive beside it. The text stays as it is but for control
characters, which become spaces, and secrets; markup is made harmless where it is shown.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from mnemopi.model.session import Lesson
from mnemopi.model.values import dataclass
from mnemopi.storage import private
from mnemopi.text import redact

FILE: Final = "learned.md"
ARCHIVE: Final = "learned-archive.md"
MOST: Final = 100
CONTENT: Final = 2000
CONTEXT: Final = 400
_JOINERS: Final = "\u200c\u200d"
"""Format characters that belong to words and signs."""
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Appended:
    """A file of lessons after one was saved, and the lines that no longer have room there, newest first."""

    text: str
    beyond: tuple[str, ...] = ()


def line(lesson: Lesson) -> str | None:
    """Return the line of a lesson; None where nothing of it remains."""
    content, context = tidy(lesson.content, CONTENT), tidy(lesson.context or "", CONTEXT)
    if not content:
        return None
    return f"- {content} _(context: {context})_" if context else f"- {content}"


def tidy(text: str, most: int) -> str:
    """Return a text on one line, without control characters and secrets, cut to `most` characters."""
    # A secret may be parted by characters that nobody sees: then the text counts without them.
    joined = redact.redact("".join(each for each in text if not _is_control(each) or each.isspace()), "full")
    bare = joined.text if joined.counts else text
    flat = _SPACES.sub(" ", _plain(bare)).strip()
    return redact.redact(flat, "full").text[:most].strip()


def appended(text: str, new: str) -> Appended:
    """Return a file with a line before its first lesson, an equal one gone and at most a hundred of them left."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    lines = [each for each in lines if not (_is_lesson(each) and each.strip() == new)]
    first = next((place for place, each in enumerate(lines) if _is_lesson(each)), len(lines))
    lines.insert(first, new)
    places = [place for place, each in enumerate(lines) if _is_lesson(each)]
    beyond = [lines[place] for place in places[MOST:]]
    for place in reversed(places[MOST:]):
        del lines[place]
    return Appended("\n".join(lines) + "\n", tuple(beyond))


def save(root: Path, new: Sequence[str]) -> None:
    """Put lines into a project's lessons; the caller holds the project's lock. The archive is written first, so that a
    line may be in both for a moment and never in neither."""
    text = private.read(root / FILE) or ""
    beyond: list[str] = []
    for each in new:
        made = appended(text, each)
        text = made.text
        beyond += made.beyond
    if beyond:
        _archive(root / ARCHIVE, beyond)
    private.write(root / FILE, text)


def shown(text: str) -> str:
    """Return a file of lessons as it may be shown: people edit it, so that it is looked at again, as a whole."""
    return redact.redact("\n".join(_plain(each).rstrip() for each in text.strip().split("\n")), "full").text.strip()


def of(text: str) -> list[str]:
    """List the lines of lessons in a file."""
    return [each.strip() for each in text.split("\n") if _is_lesson(each)]


def id_of(line: str) -> str:
    """Return the id of a lesson's line."""
    return f"lesson-{hashlib.sha256(line.encode('utf-8', 'replace')).hexdigest()[:12]}"


def _archive(path: Path, lines: Iterable[str]) -> None:
    text = private.read(path) or "# Lessons that are no longer shown\n\n"
    known = set(of(text))
    more = [each for each in lines if each.strip() not in known]
    private.write(path, text + "".join(f"{each}\n" for each in more))


def _is_lesson(line: str) -> bool:
    return line.lstrip().startswith("- ")


def _plain(text: str) -> str:
    return "".join(" " if _is_control(each) else each for each in text)


def _is_control(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs") and char not in _JOINERS
