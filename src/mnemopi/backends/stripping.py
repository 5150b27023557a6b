"""What a session's text is freed from before it is kept: blocks that memory itself put there, and broken characters.

A host's transcript holds what was recalled into it beside what was said. Kept again, it would come back as something
that somebody stated. So each block of ours, and of the systems that we take over from, is cut out: one that is closed
up to its end (blocks may stand in blocks), one that is not (it was cut off by a budget or a host) up to where its list
ends. A tag that is only spoken of, in backticks, within a line or before other words than a block begins with, is no
block; nor is what stands in fenced code, unless it says of itself where it comes from (`note=`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from mnemopi.model.values import dataclass
from mnemopi.retrieval import render

_TAG: Final = re.compile(rf"<(/?)({'|'.join(render.TAGS)})(?:\s[^<>]{{0,400}})?>", re.IGNORECASE)
_BROKEN: Final = re.compile(r"[\ud800-\udbff][\udc00-\udfff]|[\x00\ud800-\udfff]")
_LISTED: Final = re.compile(r"\s*(?:[-*#\[|>]|\d+[.)]\s|$)|\s")
"""How a line of a block's list begins: as an item, a heading or a continuation, which is indented."""
_FENCE: Final = re.compile(r"^[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)?(`{3,}|~{3,})([^`\n]*)$", re.MULTILINE)
"""A line that begins or ends fenced code; one that nothing ends goes on to the end of the text."""
_NOTED: Final = re.compile(r"\snote=", re.IGNORECASE)
_BEGUN: Final = re.compile(r"\s*(?:[-*#\[|>]|\d+[.)]\s|Memories of earlier sessions)")
"""What a block begins with that says nothing of itself in its tag."""
_BLANK: Final = re.compile(r"\n[ \t]*\n")
_BLANKS: Final = re.compile(r"\n[ \t]*(?:\n[ \t]*)+\n")


@dataclass(frozen=True, slots=True)
class Stripped:
    """A text as it may be kept, how many blocks were cut out of it, and how many characters were repaired."""

    text: str
    blocks: int = 0
    repaired: int = 0


def stripped(text: str) -> Stripped:
    """Cut out the blocks of memory, repair broken characters and trim."""
    whole, repaired = repair(text)
    kept, blocks = without_blocks(whole)
    return Stripped(kept.strip(), blocks, repaired)


def repair(text: str) -> tuple[str, int]:
    """Join the halves of characters, and put U+FFFD for what cannot be stored: half ones and NUL; count them."""
    if text.isascii() and "\x00" not in text:
        return text, 0
    return _BROKEN.subn(lambda found: _whole(found.group()), text)


def without_blocks(text: str) -> tuple[str, int]:
    """Return a text without its blocks, and how many there were; what stood around a block is drawn together."""
    if "<" not in text:
        return text, 0
    parts: list[str] = []
    place = 0
    for start, end in _blocks(text):
        parts.append(text[place:start])
        place = end
    if not parts:
        return text, 0
    return _BLANKS.sub("\n\n", "".join([*parts, text[place:]])), len(parts)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    tags = [found for found in _TAG.finditer(text) if not _is_spoken_of(text, found)]
    endings = _endings(tags)
    fences = _FENCE.finditer(text) if tags else ()
    place, fence = 0, ""
    for found in sorted((*tags, *fences), key=re.Match.start):
        if found.start() < place:
            continue
        if found.re is _FENCE:
            fence = _fence_after(fence, found)
        elif not found.group(1) and (not fence or _NOTED.search(found.group())):
            end = endings.get(found.start())
            if end is None and _begins_a_block(text, found):
                end = _end_of_list(text, found.end())
            if end is not None:
                place = end
                yield found.start(), end


def _fence_after(fence: str, line: re.Match[str]) -> str:
    """Return the fence that is open after a line that has one; empty for none."""
    marks, words = line.groups()
    if not fence:
        return str(marks)
    return "" if marks.startswith(fence) and not words.strip() else fence


def _whole(broken: str) -> str:
    """Return the character that two halves make; U+FFFD for one half."""
    return broken.encode("utf-16", "surrogatepass").decode("utf-16") if len(broken) > 1 else "\ufffd"


def _is_spoken_of(text: str, tag: re.Match[str]) -> bool:
    return text[tag.start() - 1 : tag.start()] == "`" and text[tag.end() : tag.end() + 1] == "`"


def _endings(tags: Iterable[re.Match[str]]) -> dict[int, int]:
    """Map where each block that is closed begins to where it ends; blocks of one name may stand in each other."""
    open_: dict[str, list[int]] = {}
    found: dict[int, int] = {}
    for tag in tags:
        begun = open_.setdefault(tag.group(2).lower(), [])
        if not tag.group(1):
            begun.append(tag.start())
        elif begun:
            found[begun.pop()] = tag.end()
    return found


def _begins_a_block(text: str, tag: re.Match[str]) -> bool:
    """Whether the tag is alone in its line, and says where it comes from or stands before what a block begins with."""
    before = text[text.rfind("\n", 0, tag.start()) + 1 : tag.start()]
    end = text.find("\n", tag.end())
    after = text[tag.end() : end if end >= 0 else len(text)]
    is_alone = not before.strip() and not after.strip()
    return is_alone and bool(_NOTED.search(tag.group()) or _BEGUN.match(text, tag.end()))


def _end_of_list(text: str, start: int) -> int:
    """Return where a list that nothing closes ends: at the first paragraph after a blank line that is no list."""
    for blank in _BLANK.finditer(text, start):
        if not _LISTED.match(text, blank.end()):
            return blank.start()
    return len(text)
