"""One spelling for what is written in many: 13 January 2026, 1/13/2026 and 2026年1月13日; 12,500 and 1.25万.

`beside` tells what to add to a text that is stored, and takes nothing away. `instead` puts the common spelling in the
place of the others in a question, so that what belongs to one form (年) does not speak for texts that happen to use
that form; where a spelling may mean something else (two numbers side by side, a part of a file name) a question keeps
it, too. Where there is anything to do, `may_be_in` and `around` tell from the pieces of a text. What a date means is
for `text.dates`, and words ("last Friday") stay words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from mnemopi.text import form_rules, language
from mnemopi.text.form_rules import Words
from mnemopi.text.regex import compiled

_FIGURES = re.compile(form_rules.FIGURES)
_GROUP = re.compile(form_rules.GROUP)
_EASTERN = re.compile(form_rules.EASTERN)
_WORDS = form_rules.WORDS
_REACH = 3
"""How many pieces away from `January` the year may stand."""
_SPACED = rf"(?![{language.UNSPACED}])\w"


class _Form(NamedTuple):
    """Where something stands that has another spelling, the words of that, and whether it can mean nothing else."""

    start: int
    stop: int
    words: Words
    certain: bool


def may_be_in(piece: str) -> bool:
    """Whether a piece between white space may be a part of a form; a text without such pieces has none."""
    if _FIGURES.search(piece) or ("0" <= piece[0] <= "9" and _GROUP.match(piece)) or piece.strip("(,.)") in _WORDS:
        return True
    return not piece.isascii() and _EASTERN.search(piece) is not None


def around(pieces: Sequence[str], places: Sequence[int]) -> list[tuple[int, int]]:
    """Return from where to where the forms may reach that have parts at these places, the last stretch first."""
    stretches: list[tuple[int, int]] = []
    for place in reversed(places):
        if _is_plain_number(pieces[place]) and not pieces[place - 1][-1:].isdecimal():
            continue
        start, stop = max(0, place - _REACH), place + _REACH + 1
        if stretches and stretches[-1][0] <= stop:
            stop = stretches.pop()[1]
        stretches.append((start, stop))
    return stretches


def _is_plain_number(piece: str) -> bool:
    """Whether a piece is no form by itself, and a part of one only behind other figures."""
    return _GROUP.match(piece) is not None and not (_FIGURES.search(piece) or _EASTERN.search(piece))


def beside(pieces: Sequence[str]) -> dict[int, list[str]]:
    """Return the common spelling of each form, as far as it is not written there, by the place of its last piece."""
    text = " ".join(pieces)
    added: dict[int, list[str]] = {}
    place = counted = 0
    for form in sorted(_found(text), key=lambda form: form.stop):
        place, counted = place + text.count(" ", counted, form.stop), form.stop
        added.setdefault(place, []).extend(_missing(text, form))
    return added


def instead(pieces: Sequence[str]) -> list[str]:
    """Return the pieces with the common spelling in the place of what can mean nothing else, and behind other forms."""
    text = " ".join(pieces)
    parts: list[str] = []
    place = 0
    for form in _apart(_found(text)):
        if form.certain:
            parts += (text[place : form.start], *form.words)
            place = form.stop
        else:
            end = max(place, _end_of_piece(text, form.stop))
            parts += (text[place:end], *_missing(text, form))
            place = end
    return " ".join((*parts, text[place:])).split()


def _end_of_piece(text: str, place: int) -> int:
    end = text.find(" ", place)
    return len(text) if end < 0 else end


def _missing(text: str, form: _Form) -> Words:
    """Return the words of the common spelling that do not stand in a form as it is written."""
    written = text[form.start : form.stop].lower()
    known = {*compiled(r"[^\W_]+").findall(written), *((written,) if form.certain else ())}
    return tuple(word for word in form.words if word.lower() not in known)


def _found(text: str) -> list[_Form]:
    return [
        _Form(*found.span(), words, rule.certain and _stands_free(found))
        for rule in (form_rules.WESTERN if text.isascii() else form_rules.ALL)
        for found in compiled(rule.pattern).finditer(text)
        if (words := rule.read(found))
    ]


def _apart(every: Iterable[_Form]) -> Iterator[_Form]:
    """Yield forms that do not overlap, in text order; of those that begin together the longest."""
    place = 0
    for form in sorted(every, key=lambda form: (form.start, -form.stop)):
        if form.start >= place:
            yield form
            place = form.stop


def _stands_free(found: re.Match[str]) -> bool:
    """Whether a form is no part of a name, a path or a word."""
    text, start, stop = found.string, *found.span()
    return not (
        compiled(rf"[./\\@#~-]|{_SPACED}").match(text, start - 1, start)
        or compiled(rf"[/\\@~-]|[.:]\w|{_SPACED}").match(text, stop)
    )
