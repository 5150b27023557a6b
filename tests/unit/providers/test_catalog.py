from __future__ import annotations

import pytest

from mnemopi.providers import catalog


@pytest.mark.parametrize(
    "name",
    [
        "bge-small-en-v1.5",
        "BAAI/bge-small-en-v1.5",
        "fast-bge-small-en-v1.5",
        " BGE-Small-EN-v1.5 ",
        "bge-small-en-v1.5:latest",
    ],
)
def test_a_model_is_found_by_any_of_its_spellings(name: str) -> None:
    found = catalog.find(name)
    assert found is not None
    assert (found.name, found.dimensions) == ("bge-small-en-v1.5", 384)


def test_an_unknown_name_finds_nothing() -> None:
    assert catalog.find("no-such-model") is None
    assert catalog.find("") is None


@pytest.mark.parametrize(
    ("name", "dimensions"),
    [
        ("BAAI/bge-base-en-v1.5", 768),
        ("BAAI/bge-large-en-v1.5", 1024),
        ("BAAI/bge-small-zh-v1.5", 512),
        ("BAAI/bge-base-zh-v1.5", 768),
        ("BAAI/bge-large-zh-v1.5", 1024),
        ("intfloat/multilingual-e5-small", 384),
        ("intfloat/multilingual-e5-base", 768),
        ("intfloat/multilingual-e5-large", 1024),
        ("BAAI/bge-m3", 1024),
        ("BAAI/bge-multilingual-gemma2", 3584),
        ("openai/text-embedding-3-small", 1536),
        ("text-embedding-3-large", 3072),
        ("jinaai/jina-embeddings-v5-omni-nano", 768),
        ("jinaai/jina-embeddings-v5-omni-small", 1024),
    ],
)
def test_the_known_lengths_are_those_of_the_models(name: str, dimensions: int) -> None:
    found = catalog.find(name)
    assert found is not None
    assert found.dimensions == dimensions


def test_models_trained_with_prefixes_have_them() -> None:
    e5, bge, chinese = (catalog.find(n) for n in ("multilingual-e5-small", "bge-base-en-v1.5", "bge-small-zh-v1.5"))
    assert e5 is not None and bge is not None and chinese is not None
    assert (e5.query_prefix, e5.document_prefix, e5.pooling) == ("query: ", "passage: ", "mean")
    assert (bge.query_prefix.startswith("Represent"), bge.document_prefix, bge.pooling) == (True, "", "cls")
    assert chinese.query_prefix.endswith("：")


def test_each_local_model_has_a_graph_and_flat_file_names() -> None:
    for model in catalog.MODELS:
        if model.is_local:
            assert model.graph_name.endswith(".onnx")
            assert {model.graph_name, *catalog.SIDECARS} <= set(model.files())
            assert not any("/" in file for file in model.files())


def test_names_are_unique() -> None:
    names = [model.name.lower() for model in catalog.MODELS]
    assert len(names) == len(set(names))
