from __future__ import annotations

from typing import Any

import pytest

from mnemopi.errors import ProviderError, RefusedError, UnavailableError
from mnemopi.providers.client import Client
from mnemopi.providers.rerank_api import ADVICE, SHAPES, ApiReranker


def reranker(server: Any, shape: str, **more: Any) -> ApiReranker:
    client = Client(SHAPES[shape].address(server.url), advice=ADVICE, sleep=lambda seconds: None, **more)
    return ApiReranker(client, shape, "" if shape == "tei" else "the-model")


@pytest.mark.parametrize(
    ("shape", "base", "whole"),
    [
        ("cohere", "", "https://api.cohere.com/v2/rerank"),
        ("jina", "", "https://api.jina.ai/v1/rerank"),
        ("jina", "http://h:8080", "http://h:8080/v1/rerank"),
        ("jina", "http://h/v1/", "http://h/v1/rerank"),
        ("jina", "http://h/v1/rerank", "http://h/v1/rerank"),
        ("jina", "http://h/proxy/rerank/", "http://h/proxy/rerank"),
        ("cohere", "http://h/v2", "http://h/v2/rerank"),
        ("tei", "http://h:3000/", "http://h:3000/rerank"),
    ],
)
def test_the_last_parts_of_the_address_may_be_left_out(shape: str, base: str, whole: str) -> None:
    assert SHAPES[shape].address(base) == whole


def test_cohere_and_jina_are_asked_with_a_model_and_documents(server: Any, reply: Any) -> None:
    listed = [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.1}]
    server.reply_in_turn(reply({"results": listed}))
    asked = {"model": "the-model", "query": "port?", "documents": ["a", "b"], "top_n": 2}
    assert reranker(server, "cohere", key="k").score("port?", ["a", "b"]) == [0.1, 0.9]
    assert reranker(server, "jina", key="k").score("port?", ["a", "b"]) == [0.1, 0.9]
    assert [request.path for request in server.requests] == ["/v2/rerank", "/v1/rerank"]
    assert server.requests[0].json() == asked
    assert server.requests[1].json() == asked | {"return_documents": False}
    assert {request.headers["authorization"] for request in server.requests} == {"Bearer k"}


def test_tei_is_asked_for_texts_and_told_to_truncate(server: Any, reply: Any) -> None:
    server.reply_in_turn(reply([{"index": 1, "score": 0.9}, {"index": 0, "score": -4}]))
    assert reranker(server, "tei").score("port?", ["a", "b"]) == [-4.0, 0.9]
    assert server.requests[0].path == "/rerank"
    assert server.requests[0].json() == {"query": "port?", "texts": ["a", "b"], "truncate": True}


@pytest.mark.parametrize(
    "answer",
    [
        {"results": [{"index": 0, "relevance_score": 1.0}]},
        {"results": [{"index": 0, "relevance_score": 1.0}, {"index": 0, "relevance_score": 1.0}]},
        {"results": [{"index": 0, "relevance_score": 1.0}, {"index": 2, "relevance_score": 1.0}]},
        {"results": [{"index": 0, "score": 1.0}, {"index": 1, "score": 1.0}]},
        {"results": [{"index": 0, "relevance_score": None}, {"index": 1, "relevance_score": 1.0}]},
        {"results": [{"relevance_score": 1.0}, {"relevance_score": 1.0}]},
        {"results": 5},
        {"results": ["a", "b"]},
        {"data": []},
        [],
        5,
        None,
    ],
)
def test_an_answer_that_cannot_be_right_is_an_error(server: Any, reply: Any, answer: Any) -> None:
    server.reply_in_turn(reply(answer))
    with pytest.raises(ProviderError):
        reranker(server, "jina").score("port?", ["a", "b"])


def test_a_refusal_names_the_setting_to_look_at(server: Any, reply: Any) -> None:
    server.reply_in_turn(reply({}, 404))
    with pytest.raises(RefusedError, match="MNEMOPI_RERANK_URL"):
        reranker(server, "jina").score("port?", ["a"])


def test_what_may_pass_is_tried_again(server: Any, reply: Any) -> None:
    server.reply_in_turn(reply({}, 503), reply([{"index": 0, "score": 1.0}]))
    assert reranker(server, "tei").score("port?", ["a"]) == [1.0]
    server.reply_in_turn(reply({}, 503))
    with pytest.raises(UnavailableError):
        reranker(server, "tei").score("port?", ["a"])
