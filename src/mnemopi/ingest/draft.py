"""What a caller gives to `remember`, checked field by field: a bad one is an error, nothing is guessed."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import Any, Final, TypeAlias

from mnemopi.errors import UsageError
from mnemopi.model import nesting, numbers
from mnemopi.model.memory import Identity
from mnemopi.model.values import dataclass
from mnemopi.text import redact

When: TypeAlias = str | int | float | datetime | date
LONGEST_NAME: Final = 200
SCOPES: Final = ("bank", "session", "channel", "global")
"""The built-in scopes; any other is a custom one, for those who belong to it."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_ESCAPED_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Draft:
    """The arguments of `remember`, not yet checked. A field that equals its default counts as not supplied."""

    content: str
    source: str = "conversation"
    importance: float = 0.5
    veracity: str | bool = "unknown"
    scope: str = "bank"
    session_id: str | None = None
    position: int | None = None
    author_id: str | None = None
    author_type: str | None = None
    channel_id: str | None = None
    external_id: str | None = None
    timestamp: When | None = None
    valid_until: When | None = None
    metadata: Mapping[str, Any] | None = None
    memory_type: str = "unknown"
    trust_tier: str | None = None
    embed_text: str | None = None
    extract: bool | None = None
    extract_text: str | None = None
    pinned: bool = False

    @property
    def is_turn(self) -> bool:
        """A turn belongs to a conversation: its session, place or host's id was given with it."""
        return self.session_id is not None or self.position is not None or self.external_id is not None


FIELDS: Final = frozenset(Draft.__slots__)


def of(item: Mapping[str, Any]) -> Draft:
    """Build a draft from a mapping with the keyword names of `remember`. Raises UsageError for other names."""
    if not isinstance(item, Mapping):
        raise UsageError(f"a memory is a mapping, not {type(item).__name__}", hint='such as {"content": "..."}')
    if not FIELDS.issuperset(item):
        unknown = sorted(set(item) - FIELDS)
        raise UsageError(f"unknown option {', '.join(map(repr, unknown))}", hint=f"known: {', '.join(sorted(FIELDS))}")
    if "content" not in item:
        raise UsageError("a memory needs content")
    return Draft(**item)


def text(value: object, name: str, longest: int) -> str:
    """Check a stored text: a string, not blank, no NUL, no lone surrogate, not too long."""
    if not isinstance(value, str):
        raise UsageError(f"{name} is a string, not {type(value).__name__}")
    if not value or value.isspace():
        raise UsageError(f"{name} is empty", hint="say what is to be remembered")
    if len(value) > longest:
        raise UsageError(
            f"{name} has {len(value):,} characters, at most {longest:,} are taken",
            hint="split it, or raise MNEMOPI_MAX_CONTENT_CHARS" if name.endswith(("content", "text")) else "",
        )
    if not value.isascii() or "\x00" in value:
        _refuse_unstorable(value, name)
    return value


def name(value: object, what: str, *, optional: bool = True) -> str | None:
    """Check an identifier: printable, at most 200 characters, and no secret; identifiers are never rewritten."""
    if value is None and optional:
        return None
    if not isinstance(value, str) or not value or value.isspace():
        raise UsageError(f"{what} is a non-empty string, not {value!r:.60}")
    _refuse_unfit(value, what)
    return value


def identity(who: Identity) -> Identity:
    """Check who acts as what is written is checked; a custom scope may not have the name of a built-in one."""
    name(who.session_id, "session_id", optional=False)
    name(who.author_id, "author_id")
    name(who.author_type, "author_type")
    name(who.channel_id, "channel_id")
    if not isinstance(who.scopes, tuple):
        raise UsageError(f"scopes is a tuple of names, not {who.scopes!r:.60}")
    for scope in who.scopes:
        if name(scope, "scope", optional=False) in SCOPES:
            raise UsageError(f"scope {scope!r} is built in: nobody belongs to it by name", hint="name another scope")
    return who


def importance(value: object) -> float:
    """Check an importance and clamp it to 0..1. What is no finite number is an error."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < math.inf:
        raise UsageError(f"importance is a number from 0 to 1, not {value!r:.60}")
    return float(min(1, max(0, value)))


def position(value: object, most: int = 2**52) -> int | None:
    """Check a place within a session: a whole number from 0, below `most`.

    What a caller gives leaves room for the places after it, which are given out by counting on.
    """
    if value is None:
        return None
    return numbers.whole(value, "position", 0, most - 1)


def flag(value: object, what: str) -> bool:
    """Check a yes or no."""
    if not isinstance(value, bool):
        raise UsageError(f"{what} is true or false, not {value!r:.60}")
    return value


def metadata(value: object, longest: int) -> Mapping[str, Any] | None:
    """Check metadata: a mapping that JSON can carry, within the limit of a text, and not too deep."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise UsageError(f"metadata is a mapping, not {type(value).__name__}")
    try:
        written = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except RecursionError as error:
        raise _too_deep() from error
    except (TypeError, ValueError) as error:
        raise UsageError(f"metadata cannot be written as JSON: {error}") from error
    if not nesting.fits(written):
        raise _too_deep()
    if len(written) > longest:
        raise UsageError(f"metadata has {len(written):,} characters, at most {longest:,} are taken")
    _refuse_unstorable(written, "metadata")
    if _ESCAPED_NUL.search(written):
        raise UsageError("metadata holds a NUL character")
    read: Mapping[str, Any] = json.loads(written)
    return read


def _too_deep() -> UsageError:
    return UsageError(
        f"metadata is nested deeper than {nesting.DEEPEST} levels", hint="keep what is deeper as text, written as JSON"
    )


@lru_cache(maxsize=4096)
def _refuse_unfit(value: str, what: str) -> None:
    """Remembered where it is fit, since the same few names come with every memory; a refused one is not kept."""
    if len(value) > LONGEST_NAME or _CONTROL.search(value):
        raise UsageError(f"{what} is too long or holds control characters", hint=f"at most {LONGEST_NAME} characters")
    if redact.has_secret(value):
        raise UsageError(f"{what} looks like a secret and is refused", hint="use an identifier that is none")


def _refuse_unstorable(value: str, what: str) -> None:
    if found := _UNSTORABLE.search(value):
        kind = "a NUL character" if found.group() == "\x00" else "half a character (a lone surrogate)"
        raise UsageError(f"{what} holds {kind} at {found.start()}", hint="repair the text first")
