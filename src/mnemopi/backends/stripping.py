"""What a session's text is freed from before it is kept: blocks that memory itself put there, and broken characters.

A host's transcript holds what was recalled into it beside what was said. Kept again, it would come back as something
that somebody stated. So each block of ours, and of the systems that we take over from, is cut out: one that is closed
up to its end (blocks may stand in blocks), one that is not (it was cut off by a budget or a host) up to where its list
ends. A tag that is only spoken of, in backticks or within a line, is no block.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from mnemopi.model.values import dataclass
from mnemopi.retrieval import render

_TAG: Final = re.compile(rf"<(/?)({'|'.join(render.TAGS)})(?:\s[^<>]{{0,400}})?>", re.IGNORECASE)
_BROKEN: Final = re.compile(r"[\ud800-\udbff][\udc00-\udfff]|[\x00\ud800-\udfff]")
_LISTED: Final = re.compile(r"\s*(?:[-*#\[|>]|\d+[.)]\s|$)|\s")
"""How a line of a block's list begins: as an item, a heading or a continuation, which is indented."""
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
    tags = [found for found in _TAG.finditer(text) if not _is_spoken_of(text, found)]
    endings = _endings(tags)
    place = blocks = 0
    for tag in tags:
        if tag.start() < place or tag.group(1):
            continue
        end = endings.get(tag.start())
        if end is None and _begins_a_block(text, tag):
            end = _end_of_list(text, tag.end())
        if end is not None:
            parts.append(text[place : tag.start()])
            place, blocks = end, blocks + 1
    if not blocks:
        return text, 0
    return _BLANKS.sub("\n\n", "".join([*parts, text[place:]])), blocks


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
    """Whether nothing stands before the tag in its line, or nothing after it."""
    before = text[text.rfind("\n", 0, tag.start()) + 1 : tag.start()]
    end = text.find("\n", tag.end())
    after = text[tag.end() : end if end >= 0 else len(text)]
    return not before.strip() or not after.strip()


def _end_of_list(text: str, start: int) -> int:
    """Return where a list that nothing closes ends: at the first paragraph after a blank line that is no list."""
    for blank in _BLANK.finditer(text, start):
        if not _LISTED.match(text, blank.end()):
            return blank.start()
    return len(text)
