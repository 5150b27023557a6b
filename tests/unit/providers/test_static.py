from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mnemopi.errors import ConfigError, MissingExtraError, ProviderError
from mnemopi.providers import shared, static
from mnemopi.providers.static import StaticEmbedder

TEXTS = [
    "What did Ann decide about the database migration?",
    "天气很好，我们去公园吧。",
    "src/a/b.py:31 raises KeyError",
    "ok",
    "emoji 🚀 and <s> a special token </s>",
    "long " * 700,
]

pytestmark = pytest.mark.skipif(not static.installed(), reason="the package wordllama is not installed")


def test_the_vectors_are_those_of_the_package_itself() -> None:
    package = Path(str(importlib.util.find_spec("wordllama").submodule_search_locations[0]))  # type: ignore[union-attr, index]
    from wordllama import WordLlama

    theirs = WordLlama.load(cache_dir=package, disable_download=True).embed(TEXTS, norm=True)
    ours = StaticEmbedder().embed_documents(TEXTS)
    assert np.allclose(ours, theirs, atol=1e-5)


def test_one_text_and_a_batch_give_the_same_rows() -> None:
    embedder = StaticEmbedder()
    batch = embedder.embed_documents(TEXTS * 60)
    for place, text in enumerate(TEXTS):
        assert np.array_equal(batch[place], embedder.embed_queries([text])[0])


def test_near_meanings_are_nearer_than_far_ones() -> None:
    rows = StaticEmbedder().embed_documents(
        ["the car broke down", "my automobile stopped working", "a recipe for soup"]
    )
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.2


def test_shorter_vectors_are_the_beginning_of_the_long_ones() -> None:
    long, short = (StaticEmbedder(width).embed_documents(TEXTS) for width in (256, 64))
    cut = long[:, :64] / np.linalg.norm(long[:, :64], axis=1, keepdims=True)
    assert np.allclose(short, cut, atol=1e-5)
    assert StaticEmbedder(64).name != StaticEmbedder().name


def test_other_lengths_are_a_config_error() -> None:
    with pytest.raises(ConfigError, match="256, 128 or 64"):
        StaticEmbedder(100)


def test_the_name_carries_model_and_dimensions() -> None:
    assert StaticEmbedder().name == "static:wordllama-l2-supercat-256"
    assert StaticEmbedder(128).name == "static:wordllama-l2-supercat-128"


def test_no_address_is_looked_up_and_the_package_is_not_imported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = (
        "import socket, sys\n"
        "def refuse(*a, **k): raise SystemExit('the network was used')\n"
        "socket.getaddrinfo = socket.socket.connect = refuse\n"
        "from mnemopi.providers.static import StaticEmbedder\n"
        "embedder = StaticEmbedder()\n"
        "assert 'numpy' not in sys.modules and 'tokenizers' not in sys.modules\n"
        "assert embedder.embed_queries(['hello']).shape == (1, 256)\n"
        "loaded = {'wordllama', 'requests', 'huggingface_hub', 'safetensors'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []
    assert hasattr(socket, "socket")


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"mnemopi\[static\]"):
        StaticEmbedder()


@pytest.mark.parametrize(
    "weights",
    [None, b"", b"\x08\0\0\0\0\0\0\0not json", b"\x02\0\0\0\0\0\0\0{}", b"\xff" * 8 + b"{}"],
    ids=["missing", "empty", "no json", "no tensor", "absurd length"],
)
def test_a_damaged_package_is_a_provider_error(
    weights: bytes | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    spec: Any = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    real = Path(str(importlib.util.find_spec("wordllama").submodule_search_locations[0]))  # type: ignore[union-attr, index]
    (tmp_path / "tokenizers").symlink_to(real / "tokenizers")
    (tmp_path / "weights").mkdir()
    if weights is not None:
        (tmp_path / "weights" / "l2_supercat_256.safetensors").write_bytes(weights)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    monkeypatch.setattr(static, "_tables", shared.Shared())
    with pytest.raises(ProviderError, match=r"install it again"):
        StaticEmbedder().embed_queries(["hello"])
