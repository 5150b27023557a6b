"""Plain JSON lines, as other programs write them: one memory a line, under the names of `remember`.

Lines become mappings for `remember_many`; what a memory may hold is checked there. Not for our own exports, which
carry ids and versions: see `load`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from mnemopi.errors import UsageError
from mnemopi.transfer import mnemopi_json, record, strict_json

_SUCH_AS: Final = 'one JSON object a line, such as {"content": "..."}'
FIELDS: Final = (
    "content",
    "session_id",
    "position",
    "timestamp",
    "speaker",
    "author_id",
    "source",
    "importance",
    "metadata",
)


def is_export(first_line: str) -> bool:
    """Say whether a file that begins with this line is one of our exports."""
    try:
        return record.MANIFEST in strict_json.parse(first_line.removeprefix("\ufeff"))
    except UsageError:
        return False


def items(lines: Iterable[str], *, source: str = "import") -> Iterator[dict[str, Any]]:
    """Yield a mapping for `remember_many` for each line that is not blank.

    `speaker` is another name of `author_id`; null counts as not given; `source` stands where a line names none.
    Raises UsageError with the number of the line for what is no JSON object, has no content, or an unknown field.
    """
    for number, line in enumerate(lines, 1):
        if number == 1:
            line = line.removeprefix("\ufeff")
        if line and not line.isspace():
            try:
                yield _item(line, source)
            except UsageError as error:
                hint = record.DOCUMENT if number == 1 and _begins_document(line) else error.hint or _SUCH_AS
                raise UsageError(f"line {number}: {error.message}", hint=hint) from error


def _begins_document(line: str) -> bool:
    """Whether a line is a JSON document of a system, or begins one that goes on in the lines below."""
    told = line.strip()
    return told == "{" or told.startswith("[") or any(f'"{head}"' in told for head in mnemopi_json.HEADS)


def _item(line: str, source: str) -> dict[str, Any]:
    value = {name: field for name, field in strict_json.parse(line).items() if field is not None}
    if unknown := sorted(set(value) - set(FIELDS)):
        raise UsageError(f"unknown field {', '.join(map(repr, unknown))[:100]}", hint=f"known: {', '.join(FIELDS)}")
    if "content" not in value:
        raise UsageError("content is missing")
    if "speaker" in value:
        speaker = value.pop("speaker")
        if value.setdefault("author_id", speaker) != speaker:
            raise UsageError("speaker and author_id differ", hint="give one of them")
    return {"source": source, **value}
