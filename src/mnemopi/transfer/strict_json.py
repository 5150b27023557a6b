"""A JSON object that somebody wrote, read so that nothing of it is left out: no key twice, no number that is none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from mnemopi.errors import UsageError


def parse(line: str) -> Mapping[str, Any]:
    """Read the object on a line. Raises UsageError; the message says nothing of what the line holds."""
    try:
        value = _READER.decode(line)
    except json.JSONDecodeError as error:
        raise UsageError(f"not JSON: {error.msg} at character {error.pos + 1}") from error
    except RecursionError as error:
        raise UsageError("not JSON that can be read: nested too deeply") from error
    except ValueError as error:
        raise UsageError(f"not JSON: {error}") from error
    if not isinstance(value, dict):
        raise UsageError(f"not a JSON object, but {type(value).__name__}")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that stands twice in an object: nobody knows which of its values was meant."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("an object has the same key twice")
    return made


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


_READER = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_once)
