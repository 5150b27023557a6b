"""The OpenAPI 3.1 description, made of the table of operations: nothing in it is written by hand twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel

from mnemopi.errors import MnemopiError
from mnemopi.http import problems, refusals
from mnemopi.http.identity import HEADERS
from mnemopi.http.operation import JSON, Operation
from mnemopi.http.status import OPEN, version
from mnemopi.tools.tool import brief

_REF: Final = "#/components/schemas/{model}"
_PROBLEM: Final = {
    "type": "object",
    "description": "A problem document (RFC 9457).",
    "properties": {
        "type": {"type": "string", "description": f"{problems.TYPE}<code>"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
        "hint": {"type": "string", "description": "What to do; may be empty."},
        "preview": {"type": "object", "description": "Of `unconfirmed`: what would go."},
        "confirm": {"type": "string", "description": "Of `unconfirmed`: the token that agrees to it."},
        "valid_seconds": {"type": "integer", "description": "Of `unconfirmed`: how long the token is good."},
    },
    "required": ["type", "title", "status", "detail", "code", "hint"],
}
_WORDS: Final = """Long-term memory for AI agents.

Every request but those of `/` and `/health` needs `Authorization: Bearer <token>`; over a private unix socket none
does. A bank that the token may not see is not there (404). Unknown query parameters and fields are errors (422).
Tools tell what an agent is told, with our own tags neutralised; everything else gives texts as they were stored: data
with its origin, not instructions."""


def describe(operations: Sequence[Operation]) -> dict[str, Any]:
    """Describe operations."""
    schemas: dict[str, Any] = {"Problem": _PROBLEM}
    paths: dict[str, dict[str, Any]] = {}
    for each in operations:
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "mnemopi", "version": version(), "description": _WORDS},
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": {str(status): _refusal(kinds) for status, kinds in sorted(_statuses().items())},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def refused() -> list[tuple[int, str, str]]:
    """Return the status, code and words of each kind of error, by status."""
    return [
        (status, kind.code, problems.title(kind)) for status, kinds in sorted(_statuses().items()) for kind in kinds
    ]


def _operation(told: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": told.name,
        "summary": told.words.split(". ")[0].rstrip("."),
        "description": f"{told.words} Effect: {told.effect}.",
        "tags": [told.tag],
        "parameters": [*_path_parameters(told.path), *_query_parameters(told, schemas), *_headers(told)],
        "responses": _answers(told, schemas),
    }
    if told.body is not None:
        described["requestBody"] = {"required": True, "content": {JSON: {"schema": _schema(told.body, schemas)}}}
    elif told.takes != JSON:
        described["requestBody"] = {"required": True, "content": {told.takes: {"schema": {"type": "string"}}}}
    if told.path in OPEN:
        described["security"] = []
    return described


def _answers(told: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    if isinstance(told.answer, Mapping):
        content = {
            media: {"schema": {"type": "object" if media == JSON else "string", "description": words}}
            for media, words in told.answer.items()
        }
        words = next(iter(told.answer.values()))
    else:
        content = {JSON: {"schema": _schema(told.answer, schemas, "serialization")}}
        words = (told.answer.__doc__ or "").strip().splitlines()[0]
    answer: dict[str, Any] = {"description": words, "content": content}
    if told.tells:
        answer["headers"] = {
            name: {"description": words, "schema": {"type": "string"}} for name, words in told.tells.items()
        }
    also = {str(status): {"description": words} for status, words in told.also.items()}
    refused = {str(status): {"$ref": f"#/components/responses/{status}"} for status in sorted(_statuses())}
    return {str(told.status): answer, **also, **refused}


def _path_parameters(path: str) -> list[dict[str, Any]]:
    names = [step[1:-1] for step in path.split("/") if step.startswith("{")]
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}} for name in names
    ]


def _query_parameters(told: Operation, schemas: dict[str, Any]) -> list[dict[str, Any]]:
    schema = brief(_whole(told.query, schemas))
    required = schema.get("required", ())
    return [
        {"name": name, "in": "query", "required": name in required, **_described(each)}
        for name, each in schema.get("properties", {}).items()
    ]


def _headers(told: Operation) -> list[dict[str, Any]]:
    words = {**told.headers, **({} if told.tag == "server" else HEADERS)}
    return [
        {"name": name, "in": "header", "required": False, "description": text, "schema": {"type": "string"}}
        for name, text in words.items()
    ]


def _described(schema: Mapping[str, Any]) -> dict[str, Any]:
    told = {name: each for name, each in schema.items() if name != "description"}
    words = schema.get("description")
    return {"schema": told} | ({"description": words} if words else {})


def _schema(model: type[BaseModel], schemas: dict[str, Any], mode: Any = "validation") -> dict[str, Any]:
    """Return a reference to a model, which is put among the schemas."""
    name = f"{model.__module__.rsplit('.', 1)[-1]}_{model.__name__}"
    if name not in schemas:
        schemas[name] = _whole(model, schemas, mode)
    return {"$ref": _REF.format(model=name)}


def _whole(model: type[BaseModel], schemas: dict[str, Any], mode: Any = "validation") -> dict[str, Any]:
    schema = _titleless(model.model_json_schema(mode=mode, ref_template=_REF))
    for name, nested in schema.pop("$defs", {}).items():
        schemas.setdefault(name, nested)
    return dict(schema)


def _titleless(schema: Any) -> Any:
    """Leave out the titles that pydantic makes of names; a property that is called `title` stays."""
    if isinstance(schema, list):
        return [_titleless(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {name: _titleless(each) for name, each in schema.items() if not (name == "title" and isinstance(each, str))}


def _statuses() -> dict[int, list[type[MnemopiError]]]:
    """Return each status of the tree of errors, with the kinds that have it."""
    found: dict[int, list[type[MnemopiError]]] = {}
    for kind in _tree(MnemopiError):
        if kind.__module__ in ("mnemopi.errors", refusals.__name__, "mnemopi.tools.confirm"):
            found.setdefault(kind.http_status, []).append(kind)
    return found


def _tree(kind: type[MnemopiError]) -> Iterable[type[MnemopiError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _tree(below)


def _refusal(kinds: Sequence[type[MnemopiError]]) -> dict[str, Any]:
    words = "; ".join(f"`{kind.code}`: {problems.title(kind)}" for kind in kinds)
    return {
        "description": f"{words}.",
        "content": {problems.MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
