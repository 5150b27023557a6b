from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mnemopi.errors import ProviderError
from mnemopi.providers import api
from mnemopi.providers.client import Client


def embedder(server: Any, **more: Any) -> api.ApiEmbedder:
    return api.ApiEmbedder(Client(api.address(server.url + "/v1")), "text-embedding-3-small", **more)


def numbered(reply: Any) -> Any:
    """Answer each text with a vector of its own length, out of order."""

    def answer(request: Any) -> Any:
        told = [{"index": n, "embedding": [len(text), 1.0]} for n, text in enumerate(request.json()["input"])]
        return reply({"data": told[::-1]})

    return answer


@pytest.mark.parametrize("base", ["http://h/v1", "http://h/v1/", "http://h/v1//", "http://h/v1/embeddings"])
def test_the_last_part_of_the_address_may_be_left_out(base: str) -> None:
    assert api.address(base) == "http://h/v1/embeddings"


def test_rows_follow_the_index_and_not_the_order_of_the_answer(server: Any, reply: Any) -> None:
    server.answer = numbered(reply)
    rows = embedder(server).embed_documents(["a", "bbbb"])
    assert rows[1, 0] > rows[0, 0]
    assert server.requests[0].path == "/v1/embeddings"
    assert server.requests[0].json() == {"model": "text-embedding-3-small", "input": ["a", "bbbb"]}


def test_an_answer_without_index_is_in_order(server: Any, reply: Any) -> None:
    server.reply_in_turn(reply({"data": [{"embedding": [1, 0]}, {"embedding": [0, 1]}]}))
    assert np.array_equal(embedder(server).embed_documents(["a", "b"]), np.eye(2))


def test_many_texts_go_out_in_batches(server: Any, reply: Any) -> None:
    server.answer = numbered(reply)
    rows = embedder(server, batch_size=3).embed_documents(["x" * n for n in range(1, 8)])
    assert [len(request.json()["input"]) for request in server.requests] == [3, 3, 1]
    assert np.all(np.diff(rows[:, 0]) > 0)


@pytest.mark.parametrize(
    "data",
    [
        [{"index": 0, "embedding": [1.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 2, "embedding": [1.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": "base64"}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1}],
        [1, 2],
        None,
    ],
)
def test_an_answer_that_cannot_be_right_is_refused(data: Any, server: Any, reply: Any) -> None:
    server.reply_in_turn(reply({"data": data}))
    with pytest.raises(ProviderError):
        embedder(server).embed_documents(["a", "b"])


@pytest.mark.parametrize("answer", [[], "text", 5, {"error": "x"}])
def test_an_answer_of_another_shape_is_refused(answer: Any, server: Any, reply: Any) -> None:
    server.reply_in_turn(reply(answer))
    with pytest.raises(ProviderError, match=r"data\[\]\.embedding"):
        embedder(server).embed_documents(["a"])


def test_another_length_than_told_is_refused(server: Any, reply: Any) -> None:
    server.answer = numbered(reply)
    with pytest.raises(ProviderError, match="2 numbers, 1536 were expected"):
        embedder(server, dimensions=1536).embed_documents(["a"])


def test_the_length_is_asked_for_only_where_it_is_not_known(server: Any, reply: Any) -> None:
    server.answer = numbered(reply)
    assert embedder(server, dimensions=1536).dimensions == 1536
    assert server.requests == []
    unknown = embedder(server)
    assert (unknown.dimensions, unknown.dimensions) == (2, 2)
    assert len(server.requests) == 1


def test_a_shorter_vector_is_asked_of_the_server_and_named(server: Any, reply: Any) -> None:
    server.answer = numbered(reply)
    short = embedder(server, dimensions=2, cut=True)
    short.embed_documents(["a"])
    assert server.requests[0].json()["dimensions"] == 2
    assert short.name == "api:text-embedding-3-small@2"


def test_prefixes_go_before_questions_and_memories(server: Any, reply: Any) -> None:
    server.answer = numbered(reply)
    prefixed = embedder(server, prefixes=("query: ", "passage: "))
    prefixed.embed_queries(["a"])
    prefixed.embed_documents(["a"])
    assert [request.json()["input"] for request in server.requests] == [["query: a"], ["passage: a"]]
