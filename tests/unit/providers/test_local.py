from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pytest

from mnemopi.errors import ConfigError, MissingExtraError, NotFoundError, ProviderError, UnavailableError
from mnemopi.providers import local, models, shared
from mnemopi.providers.local import LocalEmbedder

NAME = "multilingual-e5-small"
BASE = "/intfloat/multilingual-e5-small/resolve/main/"
FILES = {"onnx/model.onnx": b"a sound graph", "tokenizer.json": b"{}", "tokenizer_config.json": b"{}"}


class TextEmbedding:
    """fastembed's class, as far as it is used: reads the folder and fails with the words of the real one."""

    known: ClassVar[list[dict[str, Any]]]
    made: ClassVar[list[dict[str, Any]]]
    seen: ClassVar[list[list[str]]]
    fault: Exception | None = None

    @classmethod
    def list_supported_models(cls) -> list[dict[str, Any]]:
        return cls.known

    @classmethod
    def add_custom_model(cls, **told: Any) -> None:
        assert told["model"] not in [each["model"] for each in cls.known], "registered twice"
        cls.known.append(told)

    def __init__(self, model_name: str, **told: Any) -> None:
        [model] = [each for each in self.known if each["model"] == model_name]
        assert told["local_files_only"]
        self.made.append({"model": model, **told})
        self.width = model["dim"]
        folder = Path(told["specific_model_path"])
        graph = folder / model["model_file"]
        if not graph.exists():
            raise RuntimeError(
                f"[ONNXRuntimeError] : 3 : NO_SUCHFILE : Load model from {graph} failed:"
                f"Load model {graph} failed. File doesn't exist"
            )
        if graph.read_bytes() != b"a sound graph":
            raise RuntimeError(
                f"[ONNXRuntimeError] : 7 : INVALID_PROTOBUF : Load model from {graph} failed:Protobuf parsing failed."
            )
        for name in ("tokenizer.json", "tokenizer_config.json"):
            if not (folder / name).exists():
                raise ValueError(f"Could not find {name} in {folder}")

    def embed(self, texts: list[str], batch_size: int) -> Iterator[Any]:
        if self.fault is not None:
            raise self.fault
        self.seen.append(list(texts))
        for text in texts:
            vector = np.zeros(self.width, np.float32)
            vector[len(text) % self.width] = 2.0
            yield vector


@pytest.fixture(autouse=True)
def fastembed(monkeypatch: pytest.MonkeyPatch) -> type[TextEmbedding]:
    fake: type[TextEmbedding] = type("TextEmbedding", (TextEmbedding,), {"known": [], "made": [], "seen": []})
    modules = {
        name: ModuleType(name) for name in ("fastembed", "fastembed.common", "fastembed.common.model_description")
    }
    modules["fastembed"].TextEmbedding = fake  # type: ignore[attr-defined]
    told = modules["fastembed.common.model_description"]
    told.ModelSource = lambda hf: hf  # type: ignore[attr-defined]
    told.PoolingType = type("PoolingType", (), {"CLS": "CLS", "MEAN": "MEAN"})  # type: ignore[attr-defined]
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(local, "_running", shared.Shared())
    monkeypatch.setattr(local, "_healed", set())
    return fake


@pytest.fixture
def hub(server: Any) -> Any:
    server.serve({BASE + name: content for name, content in FILES.items()})
    return server


@pytest.fixture
def folder(tmp_path: Path, hub: Any) -> Path:
    models.pull(NAME, tmp_path, hub.url)
    hub.requests.clear()
    return tmp_path / NAME


def embedder(folder: Path, hub: Any, **more: Any) -> LocalEmbedder:
    return LocalEmbedder("intfloat/multilingual-e5-small", folder.parent, mirror=hub.url, **more)


def test_questions_and_memories_get_the_prefixes_of_the_model(folder: Path, hub: Any, fastembed: Any) -> None:
    rows = embedder(folder, hub).embed_queries(["a", "bb"])
    embedder(folder, hub).embed_documents(["a"])
    assert fastembed.seen == [["query: a", "query: bb"], ["passage: a"]]
    assert rows.shape == (2, 384)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)


def test_prefixes_of_the_settings_replace_those_of_the_model(folder: Path, hub: Any, fastembed: Any) -> None:
    own = embedder(folder, hub, prefixes=("ask: ", ""), mark="#1")
    own.embed_queries(["a"])
    own.embed_documents(["a"])
    assert fastembed.seen == [["ask: a"], ["passage: a"]]
    assert own.name == "local:multilingual-e5-small#1"


def test_a_model_is_loaded_once_for_all_embedders_and_threads(folder: Path, hub: Any, fastembed: Any) -> None:
    threads = [threading.Thread(target=embedder(folder, hub).embed_queries, args=(["a"],)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(fastembed.made) == 1
    assert fastembed.made[0]["model"]["pooling"] == "MEAN"
    assert fastembed.made[0]["specific_model_path"] == str(folder)


def test_two_models_are_two_models(folder: Path, hub: Any, fastembed: Any) -> None:
    base = "/Qdrant/bge-small-zh-v1.5/resolve/main/"
    hub.serve({base + name.replace("onnx/model", "model_optimized"): body for name, body in FILES.items()})
    models.pull("bge-small-zh-v1.5", folder.parent, hub.url)
    assert LocalEmbedder("bge-small-zh-v1.5", folder.parent).embed_queries(["a"]).shape == (1, 512)
    assert embedder(folder, hub).embed_queries(["a"]).shape == (1, 384)
    assert fastembed.made[0]["model"]["pooling"] == "CLS"


def test_a_model_that_was_never_fetched_is_not_fetched_by_embedding(tmp_path: Path, hub: Any) -> None:
    absent = embedder(tmp_path / NAME, hub)
    for embed in (absent.embed_queries, absent.embed_documents):
        with pytest.raises(UnavailableError, match="mnemopi models pull multilingual-e5-small"):
            embed(["a"])
    assert hub.requests == []
    models.pull(NAME, tmp_path, hub.url)
    assert absent.embed_queries(["a"]).shape == (1, 384)


def damage_graph(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(b"half a")


def lose_graph(folder: Path) -> None:
    (folder / "model.onnx").unlink()


def lose_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()


@pytest.mark.parametrize("damage", [damage_graph, lose_graph, lose_tokenizer])
def test_damage_heals_when_memories_are_embedded(damage: Any, folder: Path, hub: Any) -> None:
    damage(folder)
    assert embedder(folder, hub).embed_documents(["a"]).shape == (1, 384)
    assert models.verify(NAME, folder.parent).problems == ()


def test_an_unreadable_graph_is_kept_aside(folder: Path, hub: Any) -> None:
    damage_graph(folder)
    embedder(folder, hub).embed_documents(["a"])
    [aside] = folder.glob("model.onnx.corrupt-*")
    assert aside.read_bytes() == b"half a"


@pytest.mark.parametrize("damage", [damage_graph, lose_graph, lose_tokenizer])
def test_a_question_never_downloads_and_touches_no_file(damage: Any, folder: Path, hub: Any) -> None:
    damage(folder)
    before = sorted(file.name for file in folder.iterdir())
    with pytest.raises(UnavailableError, match="damaged"):
        embedder(folder, hub).embed_queries(["a"])
    assert sorted(file.name for file in folder.iterdir()) == before
    assert hub.requests == []


def test_healing_is_tried_once_and_not_for_every_memory(folder: Path, hub: Any) -> None:
    damage_graph(folder)
    hub.serve({BASE + name: b"always broken" for name in FILES})
    for _ in range(3):
        with pytest.raises(UnavailableError):
            embedder(folder, hub).embed_documents(["a"])
    assert [request.path for request in hub.requests].count(BASE + "onnx/model.onnx") == 1


def test_healing_without_a_network_says_both_things_and_loses_nothing(folder: Path, hub: Any) -> None:
    lose_graph(folder)
    hub.serve({})
    with pytest.raises(UnavailableError, match=r"damaged, and .*404") as caught:
        embedder(folder, hub).embed_documents(["a"])
    assert "models pull" in caught.value.hint
    assert (folder / "tokenizer.json").exists()


def test_another_failure_to_load_is_unavailable_and_not_healed(
    folder: Path, hub: Any, fastembed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Any, *args: Any, **told: Any) -> None:
        raise MemoryError("private path")

    monkeypatch.setattr(fastembed, "__init__", fail)
    with pytest.raises(UnavailableError, match="MemoryError") as caught:
        embedder(folder, hub).embed_documents(["a"])
    assert "private" not in str(caught.value)
    assert hub.requests == []


def test_a_failure_while_embedding_is_unavailable(folder: Path, hub: Any, fastembed: Any) -> None:
    fastembed.fault = RuntimeError("about private words")
    with pytest.raises(UnavailableError, match="RuntimeError") as caught:
        embedder(folder, hub).embed_documents(["a"])
    assert "private" not in str(caught.value)


def test_vectors_of_another_length_are_refused(folder: Path, hub: Any, fastembed: Any) -> None:
    local_embedder = embedder(folder, hub)
    local_embedder.embed_queries(["a"])
    local._running.get(local_embedder._key, lambda: None).width = 5
    with pytest.raises(ProviderError, match="5 numbers, 384 were expected"):
        local_embedder.embed_queries(["a"])


def test_unknown_models_and_lengths_are_errors(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        LocalEmbedder("no-such-model", tmp_path)
    with pytest.raises(ConfigError, match="has 384"):
        LocalEmbedder(NAME, tmp_path, dimensions=100)


def test_without_fastembed_the_extra_is_named(folder: Path, hub: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(MissingExtraError, match=r"mnemopi\[local\]"):
        embedder(folder, hub).embed_queries(["a"])
