from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import numpy as np
import pytest

from mnemopi.errors import ProviderError, RefusedError, UnavailableError, UsageError
from mnemopi.providers import callables
from mnemopi.providers.callables import CallableEmbedder


def lengths(texts: list[str]) -> list[list[float]]:
    return [[float(len(text)), 1.0, 0.0] for text in texts]


async def slow_lengths(texts: list[str]) -> list[list[float]]:
    await asyncio.sleep(0)
    return lengths(texts)


async def stream(texts: list[str]) -> AsyncIterator[list[list[float]]]:
    for text in texts:
        await asyncio.sleep(0)
        yield lengths([text])


def batches(texts: list[str]) -> Iterator[list[list[float]]]:
    yield lengths(texts[:1])
    yield lengths(texts[1:])


def array(texts: list[str]) -> Any:
    return np.asarray(lengths(texts))


@pytest.mark.parametrize("function", [lengths, slow_lengths, stream, batches, array])
def test_functions_coroutines_generators_and_arrays_are_taken(function: Any) -> None:
    rows = CallableEmbedder(function).embed_documents(["abcd", "ab", "a"])
    expected = np.asarray(lengths(["abcd", "ab", "a"]))
    assert np.allclose(rows, expected / np.linalg.norm(expected, axis=1, keepdims=True))


def test_a_coroutine_runs_while_the_caller_is_in_a_loop_of_its_own() -> None:
    async def host() -> Any:
        return CallableEmbedder(slow_lengths).embed_documents(["abc"])

    assert asyncio.run(host()).shape == (1, 3)


def test_coroutines_of_many_threads_share_one_thread() -> None:
    seen: set[int] = set()

    async def note(texts: list[str]) -> list[list[float]]:
        seen.add(threading.get_ident())
        return lengths(texts)

    embedder = CallableEmbedder(note)
    threads = [threading.Thread(target=embedder.embed_documents, args=(["a"],)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 1
    assert threading.get_ident() not in seen


def test_a_coroutine_that_waits_for_itself_is_told_so() -> None:
    async def nested(texts: list[str]) -> Any:
        return CallableEmbedder(slow_lengths).embed_documents(texts)

    with pytest.raises(UsageError, match="called mnemopi"):
        CallableEmbedder(nested).embed_documents(["a"])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
def test_coroutines_run_in_a_forked_child() -> None:
    embedder = CallableEmbedder(slow_lengths)
    embedder.embed_documents(["a"])
    child = os.fork()
    if child == 0:
        os._exit(0 if embedder.embed_documents(["a"]).shape == (1, 3) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_questions_may_have_a_function_of_their_own() -> None:
    embedder = CallableEmbedder(lengths, queries=lambda texts: [[0.0, 0.0, 1.0] for _ in texts])
    assert embedder.embed_queries(["abc"])[0].tolist() == [0, 0, 1]
    assert embedder.embed_documents(["abc"])[0, 2] == 0


def test_what_the_function_raises_is_unavailable_and_its_words_stay_inside() -> None:
    def fail(texts: list[str]) -> Any:
        raise RuntimeError("key sk-123 refused for " + texts[0])

    with pytest.raises(UnavailableError, match="RuntimeError") as caught:
        CallableEmbedder(fail).embed_documents(["private words"])
    assert "private" not in str(caught.value)
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_a_function_that_cannot_do_with_a_text_has_refused_it() -> None:
    def fail(texts: list[str]) -> Any:
        raise ValueError("cannot embed " + texts[0])

    with pytest.raises(RefusedError, match="ValueError") as caught:
        CallableEmbedder(fail).embed_documents(["private words"])
    assert "private" not in str(caught.value)


def test_a_generator_that_raises_half_way_is_unavailable_too() -> None:
    def fail(texts: list[str]) -> Iterator[list[float]]:
        yield [1.0]
        raise RuntimeError

    with pytest.raises(UnavailableError):
        CallableEmbedder(fail).embed_documents(["a", "b"])


def test_an_error_of_the_library_passes_as_it_is() -> None:
    def refuse(texts: list[str]) -> Any:
        raise RefusedError("no")

    with pytest.raises(RefusedError):
        CallableEmbedder(refuse).embed_documents(["a"])


@pytest.mark.parametrize("given", [[[1.0]], [[1.0], [float("nan")]], [[1.0], [1.0, 2.0]], None, "ab"])
def test_vectors_that_cannot_be_right_are_refused(given: Any) -> None:
    with pytest.raises(ProviderError):
        CallableEmbedder(lambda texts: given).embed_documents(["a", "b"])


def test_the_length_of_a_vector_may_not_change() -> None:
    embedder = CallableEmbedder(lambda texts: [[1.0] * len(text) for text in texts])
    embedder.embed_documents(["ab"])
    with pytest.raises(ProviderError, match="3 numbers, 2 were expected"):
        embedder.embed_documents(["abc"])


def test_dimensions_are_asked_for_once_where_not_given() -> None:
    calls: list[list[str]] = []

    def note(texts: list[str]) -> Any:
        calls.append(texts)
        return lengths(texts)

    embedder = CallableEmbedder(note)
    assert (embedder.dimensions, embedder.dimensions) == (3, 3)
    assert len(calls) == 1
    assert CallableEmbedder(note, dimensions=5).dimensions == 5
    assert len(calls) == 1


def test_an_object_that_embeds_is_taken_and_named_by_its_class() -> None:
    class Model:
        def embed(self, texts: list[str]) -> Any:
            return lengths(texts)

    embedder = callables.from_object(Model())
    assert embedder.embed_queries(["abc"]).shape == (1, 3)
    assert embedder.name.endswith("Model")
    assert callables.from_object(Model(), name="mine").name == "callable:mine"


def test_an_object_that_cannot_embed_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="int cannot embed"):
        callables.from_object(5)
