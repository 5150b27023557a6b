"""What operations take: unknown names, broken JSON, other kinds of bodies, and what the face says of itself."""

from __future__ import annotations

from typing import Any

import pytest

from mnemopi.http import openapi, operation, table
from mnemopi.http.client import Client
from mnemopi.tools import catalog

JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b'{"query": NaN}', b"[" * 100_000, b'{"query": "\xed\xa0\x80"}'],
)
def test_a_body_that_is_no_json_object_is_refused(served: Any, body: bytes) -> None:
    answer = served.http.post("/api/v1/search", content=body, headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (422, "usage")


def test_a_field_that_is_given_twice_is_refused(served: Any, bank: str) -> None:
    body = f'{{"content": "tabs", "content": "spaces", "bank": "{bank}"}}'
    answer = served.http.post("/api/v1/memories", content=body.encode(), headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (422, "usage")
    assert "twice" in answer.text


@pytest.mark.parametrize("text", [r'"\ud800"', r'"a\u0000b"', '{"\\udfff": 1}', "1e999", "1" * 5000, "-0"])
def test_values_that_nothing_can_keep_are_no_fault_of_the_server(served: Any, bank: str, text: str) -> None:
    for body in (
        f'{{"content": {text}, "bank": "{bank}"}}',
        f'{{"content":"x","bank":"{bank}","metadata":{{"a":{text}}}}}',
    ):
        assert served.http.post("/api/v1/memories", content=body.encode(), headers=JSON).status_code in (201, 422)
    assert served.http.get(f"/api/v1/memories?bank={bank}").status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_another_kind_of_body_is_refused(served: Any, kind: str) -> None:
    answer = served.http.post("/api/v1/search", content=b"{}", headers={"content-type": kind})
    assert (answer.status_code, answer.json()["code"]) == (415, "media-type")


@pytest.mark.parametrize("query", ["colour=red", "limit=1&limit=2", "limit=x", "limit=%ff", "limit", "after=-1"])
def test_an_unknown_or_unusable_query_is_an_error(served: Any, query: str) -> None:
    answer = served.http.get(f"/api/v1/memories?{query}")
    assert (answer.status_code, answer.json()["code"]) == (422, "usage")
    assert answer.json()["hint"]


def test_an_unknown_field_is_an_error_that_names_what_is_known(served: Any) -> None:
    told = served.http.post("/api/v1/search", json={"query": "x", "colour": "red"}).json()
    assert "unknown field 'colour'" in told["detail"]
    assert "top_k" in told["hint"]


def test_a_path_that_is_not_there_and_a_method_that_is_not_taken(served: Any) -> None:
    assert served.http.get("/v1/default").json()["code"] == "no-such-path"
    assert served.http.get("/api/v1/memories/").json()["code"] == "no-such-path"
    answer = served.http.put("/api/v1/memories/x")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, PATCH, DELETE")
    assert served.http.post("/api/v1/openapi.json").status_code == 405
    assert served.http.head("/health").status_code == 200


def test_each_operation_is_described_with_all_its_answers(served: Any) -> None:
    told = served.http.get("/api/v1/openapi.json").json()
    assert told["openapi"] == "3.1.0"
    known = table.operations(catalog.TOOLS)
    assert len({each.name for each in known}) == len(known)
    for each in known:
        described = told["paths"][each.path][each.method.lower()]
        assert {str(each.status), "401", "404", "409", "422", "429", "500"} <= set(described["responses"])
    assert {f"/api/v1/tools/{tool.name}" for tool in catalog.TOOLS} <= set(told["paths"])


def test_the_description_names_no_schema_that_is_not_there() -> None:
    told = openapi.describe(table.operations(catalog.TOOLS))

    def references(value: Any) -> list[str]:
        if isinstance(value, list):
            return [found for each in value for found in references(each)]
        if not isinstance(value, dict):
            return []
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [found for each in value.values() for found in references(each)]

    for reference in references(told):
        place: Any = told
        for step in reference.removeprefix("#/").split("/"):
            place = place[step]


def test_a_query_of_nothing_is_no_query() -> None:
    assert operation.query(b"", operation.Nothing) == operation.Nothing()


def test_figures_are_those_of_the_bank(memory: Client, served: Any, bank: str) -> None:
    memory.remember_many({"content": f"note {n}"} for n in range(3))
    text = served.http.get("/metrics").text
    assert f'mnemopi_bank_memories{{bank="{bank}"}} 3' in text
    assert 'mnemopi_http_requests_total{method="POST",status="201"}' in text
    names = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")]
    assert len(names) == len(set(names))


def test_what_the_server_says_of_itself(served: Any) -> None:
    assert served.http.get("/").json()["links"]["mcp"] == "/mcp"
    told = served.http.get("/version").json()
    assert (told["name"], "2026-07-28" in told["mcp"]) == ("mnemopi", True)
