"""An operation as data: method, path, words, what it takes and answers, its effect, and the function that does it.

The route table and the OpenAPI description are made of these. A query parameter or a field that is not declared is an
error, and so is one that is given twice.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import parse_qsl

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response

from mnemopi.errors import UsageError
from mnemopi.model.values import dataclass
from mnemopi.tools.caller import Caller, Effect
from mnemopi.tools.tool import Input, Output, faults
from mnemopi.transfer import strict_json

Method: TypeAlias = Literal["GET", "POST", "PATCH", "DELETE"]
JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class Call:
    """One request, checked: who calls, the names in the path, the query and the body as their models, the headers."""

    caller: Caller
    path: Mapping[str, str] = field(default_factory=dict)
    query: Any = None
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    """What is answered: the body (None: none), headers, and the status where it is not the operation's own."""

    told: Output | Mapping[str, Any] | None
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int | None = None


class Nothing(Input):
    """No parameters."""


Run: TypeAlias = Callable[[Call], Reply]
"""Does its work in a worker thread."""
Serve: TypeAlias = Callable[[Request, Call], Awaitable[Response]]
"""Answers by itself, on the loop: for streams."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one path. `answer` is what it tells, or the media type of a stream with its words."""

    method: Method
    path: str
    name: str
    words: str
    effect: Effect
    answer: type[Output] | Mapping[str, Any]
    run: Run | None = None
    serve: Serve | None = None
    query: type[Input] = Nothing
    body: type[Input] | None = None
    takes: str = JSON
    """Media type of the body: JSON is read and checked, any other is left to `serve`."""
    media: str = JSON
    status: int = 200
    also: Mapping[int, str] = field(default_factory=dict)
    """Further answers without a body, by status."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers of the request that count, with words."""
    tells: Mapping[str, str] = field(default_factory=dict)
    """Headers of the answer, with words."""
    tag: str = "memories"


def query(raw: bytes, model: type[Input]) -> Input:
    """Read the query of a request. Raises UsageError."""
    try:
        text = raw.decode("ascii")
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text), errors="strict", max_num_fields=100)
    except ValueError as error:
        raise UsageError("the query cannot be read", hint="name=value, joined by &, percent-encoded UTF-8") from error
    given = dict(pairs)
    if len(given) < len(pairs):
        raise UsageError("a query parameter is given twice", hint=_known(model, "query"))
    return _checked(model, given, "query parameter")


def body(raw: bytes, model: type[Input]) -> Input:
    """Read a body of JSON. Raises UsageError."""
    try:
        given = strict_json.parse(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise UsageError("the body is no JSON in UTF-8") from error
    except UsageError as error:
        raise UsageError(f"the body is {error.message}", hint=_known(model, "body")) from error
    return _checked(model, given, "field")


def _checked(model: type[Input], given: Mapping[str, Any], what: str) -> Input:
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise UsageError(faults(error, what), hint=_known(model, what)) from error


def _known(model: type[Input], what: str) -> str:
    names = ", ".join(model.model_fields)
    return f"known: {names}" if names else f"no {what} is taken here"
