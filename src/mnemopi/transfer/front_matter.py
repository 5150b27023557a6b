"""What stands before the text of a Markdown file, between two lines `---`: the part of YAML that people write there.

Keys with a value on the line or indented below it, lists, block scalars (`|`, `>`) and comments. It is all or nothing:
where one line is none of these, the lines are no front matter but text between two rules, and nothing of them is
taken. What is taken is whole: a structure that is not known stays the text that it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import dedent
from typing import Final, TypeAlias

Value: TypeAlias = str | list[str]
COMMENTS: Final = "#"
"""The key of the comments, which may be all that somebody meant to say."""
_KEY = re.compile(r"(\w(?:[\w .-]*\w)?)[ \t]*:(?:[ \t]+(.*))?$")
_ITEM = re.compile(r"-(?:[ \t]+(.*))?$")
_BLOCK = re.compile(r"([|>])[-+1-9]{0,2}")
_FOLD = re.compile(r"(?<=\S)\n(\n*)(?=\S)")
_FLOW = re.compile(r"\[(.*)\]", re.DOTALL)
_FLOW_ITEM = re.compile(r"""\s*("[^"]*"|'[^']*'|[^\s,"'\[\]{}](?:[^,\[\]{}]*[^\s,\[\]{}])?)\s*(?:,|$)""")


def split(lines: Sequence[str]) -> tuple[dict[str, Value], Sequence[str]]:
    """Return the front matter of a page, none for what is none, and the lines of its text.

    A rule is followed by a blank line, front matter is not.
    """
    if not lines or lines[0].rstrip() != "---":
        return {}, lines
    end = next((place for place, line in enumerate(lines) if place and line.rstrip() in ("---", "...")), 0)
    found = _read(lines[1:end])
    return ({}, lines) if found is None else (found, lines[end + 1 :])


def _read(lines: Sequence[str]) -> dict[str, Value] | None:
    """Read the lines between the marks; None where one of them is nothing that is known."""
    entries: dict[str, tuple[str, list[str]]] = {}
    comments: list[str] = []
    key = ""
    for line in (each.rstrip() for each in lines):
        if (named := _KEY.match(line)) and named[1] not in entries:
            key = named[1]
            entries[key] = (named[2] or "").strip(), []
        elif line.startswith("#"):
            comments.append(line)
        elif key and (not line or line[0].isspace() or (_ITEM.match(line) and not entries[key][0])):
            entries[key][1].append(line)
        else:
            return None
    if not entries:
        return None
    read = {name: _value(told, "\n".join(below)) for name, (told, below) in entries.items()}
    read[COMMENTS] = comments
    return {name: value for name, value in read.items() if value not in ("", [])}


def _value(told: str, below: str) -> Value:
    """Read a value from what stands beside its key, and the lines below."""
    text = dedent(below).strip("\n")
    if block := _BLOCK.fullmatch(told):
        return text if block[1] == "|" else _folded(text)
    if told:
        return _flow(_folded(f"{told}\n{text}".strip()))
    items = [_ITEM.match(line) for line in text.split("\n") if line]
    return [_plain(item[1] or "") for item in items if item] if all(items) else text


def _folded(text: str) -> str:
    """Make one line of lines that belong together; a blank line ends a paragraph."""
    return _FOLD.sub(lambda gap: gap[1] or " ", text)


def _flow(value: str) -> Value:
    """Read a list in brackets, where its items are plain; anything else is a text."""
    listed = _FLOW.fullmatch(value)
    if listed is None:
        return _plain(value)
    within, items, place = listed[1].strip(), [], 0
    while place < len(within):
        item = _FLOW_ITEM.match(within, place)
        if item is None:
            return value
        items.append(_plain(item[1]))
        place = item.end()
    return items


def _plain(value: str) -> str:
    """Take the quotes from a value that stands in one pair of them."""
    quoted = re.fullmatch(r"""(["'])(.*)\1""", value, re.DOTALL)
    return value if quoted is None or quoted[1] in quoted[2] else quoted[2]
