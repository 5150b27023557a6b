from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest

from mnemopi import Mnemopi
from mnemopi.errors import MissingExtraError, UnavailableError
from mnemopi.providers import models, rerank_local, shared
from mnemopi.providers.rerank_local import DEFAULT, LocalReranker

BASE = f"/Xenova/{DEFAULT}/resolve/main/"
FILES = {"onnx/model.onnx": b"a sound graph", "tokenizer.json": b"{}", "tokenizer_config.json": b"{}"}


class TextCrossEncoder:
    """fastembed's class, as far as it is used."""

    known: ClassVar[list[dict[str, Any]]] = []
    made: ClassVar[list[dict[str, Any]]] = []
    fault: ClassVar[Exception | None] = None

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
        graph = Path(told["specific_model_path"], model["model_file"])
        if graph.read_bytes() != b"a sound graph":
            raise RuntimeError(f"INVALID_PROTOBUF : Load model from {graph} failed:Protobuf parsing failed.")

    def rerank(self, query: str, documents: list[str]) -> Iterator[float]:
        if self.fault is not None:
            raise self.fault
        yield from (float(len(query) * len(text)) for text in documents)


@pytest.fixture(autouse=True)
def fastembed(monkeypatch: pytest.MonkeyPatch) -> type[TextCrossEncoder]:
    fake: type[TextCrossEncoder] = type("TextCrossEncoder", (TextCrossEncoder,), {"known": [], "made": []})
    parts = ("fastembed", "fastembed.common", "fastembed.common.model_description")
    modules = {name: ModuleType(name) for name in (*parts, "fastembed.rerank", "fastembed.rerank.cross_encoder")}
    modules["fastembed.common.model_description"].ModelSource = lambda hf: hf  # type: ignore[attr-defined]
    modules["fastembed.rerank.cross_encoder"].TextCrossEncoder = fake  # type: ignore[attr-defined]
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(rerank_local, "_running", shared.Shared())
    return fake


@pytest.fixture
def folder(tmp_path: Path, server: Any) -> Path:
    server.serve({BASE + name: content for name, content in FILES.items()})
    models.pull(DEFAULT, tmp_path, server.url)
    server.requests.clear()
    return tmp_path


def test_a_fetched_model_judges_and_is_loaded_once(folder: Path, fastembed: Any) -> None:
    assert LocalReranker(DEFAULT, folder).score("ab", ["a", "bcd"]) == [2.0, 6.0]
    assert LocalReranker(DEFAULT, folder).score("ab", []) == []
    (made,) = fastembed.made
    assert made["model"]["model"] == f"mnemopi/{DEFAULT}"
    assert made["specific_model_path"] == str(folder / DEFAULT)


def test_a_model_that_was_never_fetched_is_not_fetched_by_a_question(tmp_path: Path, server: Any) -> None:
    with pytest.raises(UnavailableError, match=f"models pull {DEFAULT}"):
        LocalReranker(DEFAULT, tmp_path).score("a", ["b"])
    assert server.requests == []


def test_a_damaged_model_is_told_and_left_for_a_fetch_to_mend(folder: Path, server: Any) -> None:
    graph = folder / DEFAULT / "model.onnx"
    graph.write_bytes(b"half")
    reranker = LocalReranker(DEFAULT, folder)
    with pytest.raises(UnavailableError, match=f"damaged.*models pull {DEFAULT}"):
        reranker.score("a", ["b"])
    assert server.requests == [] and graph.read_bytes() == b"half"
    models.pull(DEFAULT, folder, server.url)
    assert reranker.score("a", ["b"]) == [1.0]


def test_a_failure_while_judging_is_unavailable_and_tells_no_text(folder: Path, fastembed: Any) -> None:
    fastembed.fault = RuntimeError("about private words")
    with pytest.raises(UnavailableError) as caught:
        LocalReranker(DEFAULT, folder).score("a", ["b"])
    assert "private" not in str(caught.value)


def test_without_fastembed_the_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(MissingExtraError, match=r"mnemopi\[local\]"):
        LocalReranker(DEFAULT, folder).score("a", ["b"])


def test_recall_says_when_the_model_is_not_there_and_uses_it_when_it_is(tmp_path: Path, server: Any) -> None:
    server.serve({BASE + name: content for name, content in FILES.items()})
    config = {"rerank.provider": "local", "embedding.cache_dir": str(tmp_path / "models")}
    with Mnemopi(tmp_path / "b.db", no_embeddings=True, config=config) as bank:
        bank.remember("the kettle is red")
        assert bank.recall("kettle", rerank=True).notes == ("not reranked: unavailable",)
        models.pull(DEFAULT, tmp_path / "models", server.url)
        assert bank.recall("kettle", rerank=True).reranker == f"local:{DEFAULT}"
