"""schemathesis over the OpenAPI description: no answer that is not described, and no fault of the server.

A few cases of each operation in every run of the tests, two thousand in all among the suites against real peers.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from mnemopi.config import Config
from mnemopi.http import app, listen, openapi, table
from mnemopi.http.keys import Keys
from mnemopi.tools import catalog
from mnemopi.tools.caller import Engines

FEW, MANY = 2, 60
LEAST = 2000
CHECKED = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
ENDLESS = {"followEvents"}
"""What is followed elsewhere: a stream has no end."""
SLOW = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much]


@schemathesis.serializer("application/x-ndjson")
def lines(_: Any, value: Any) -> bytes:
    """Send a body of JSON lines as it is."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


def described() -> dict[str, Any]:
    """Return the operations by their names, as the description has them."""
    schema = schemathesis.openapi.from_dict(openapi.describe(table.operations(catalog.TOOLS)))
    found = [result.ok() for result in schema.get_all_operations()]
    named = {str(each.definition.raw["operationId"]): each for each in found}
    return {name: each for name, each in named.items() if name not in ENDLESS}


OPERATIONS = described()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A server in a thread: its address and the owner's token."""
    folder = tmp_path_factory.mktemp("served") / "data"
    usual = {"storage.data_dir": str(folder), "embedding.enabled": False, "http.port": 0, "http.rate": 0}
    config = Config.load(usual)
    engines, place, ready = Engines(config), listen.bind(config.http), threading.Event()
    server = listen.prepared(app.build(engines), place, config.http, ready=ready.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [place.socket]})
    thread.start()
    assert ready.wait(60)
    yield place.url, Keys(config.data_dir).owner()
    server.should_exit = True
    thread.join(30)
    place.socket.close()
    engines.close()


@pytest.fixture(scope="module")
def counted() -> Iterator[list[int]]:
    """The statuses of all cases that were tried."""
    yield []


def cases(name: str) -> st.SearchStrategy[Any]:
    """Cases as they are described, and cases that are not, where an operation takes anything."""
    told, wrong = OPERATIONS[name], GenerationMode.NEGATIVE
    takes = told.body or told.query or told.headers or told.path_parameters
    return told.as_strategy() | told.as_strategy(generation_mode=wrong) if takes else told.as_strategy()


def tried(served: tuple[str, str], name: str, most: int) -> list[int]:
    """Try cases of one operation and check each answer."""
    url, token = served
    statuses: list[int] = []

    @settings(max_examples=most, deadline=None, database=None, suppress_health_check=SLOW)
    @given(case=cases(name))
    def run(case: Any) -> None:
        answer = case.call(base_url=url, headers={"authorization": f"Bearer {token}"})
        case.validate_response(answer, checks=CHECKED)
        statuses.append(int(answer.status_code))

    run()
    return statuses


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_few_cases_of_each_operation(served: tuple[str, str], name: str) -> None:
    assert tried(served, name, FEW)


@pytest.mark.real
@pytest.mark.parametrize("name", OPERATIONS)
def test_many_cases_of_each_operation(served: tuple[str, str], name: str, counted: list[int]) -> None:
    counted += tried(served, name, MANY)


@pytest.mark.real
def test_enough_cases_were_tried(counted: list[int]) -> None:
    assert len(counted) >= LEAST
    assert {200, 404, 422} <= set(counted), "good and bad input alike"
