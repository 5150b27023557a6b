from __future__ import annotations

import importlib.util
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mnemopi.errors import ConfigError, MissingExtraError, NotFoundError, RefusedError, UsageError
from mnemopi.ports import Embedder
from mnemopi.providers import registry, static
from mnemopi.settings import EmbeddingConfig
from mnemopi.testing import HashingEmbedder


def config(**settings: Any) -> EmbeddingConfig:
    return replace(EmbeddingConfig(), **settings)


def opened(tmp_path: Path, given: Any = None, **settings: Any) -> Embedder:
    embedder = registry.open_embedder(config(**settings), given=given, data_dir=str(tmp_path))
    assert embedder is not None
    return embedder


def lengths(texts: list[str]) -> list[list[float]]:
    return [[float(len(text)), 1.0] for text in texts]


@pytest.fixture
def no_static(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"provider": "none", "model": "bge-small-en-v1.5"}, "none"),
        ({"model": "BAAI/bge-small-en-v1.5"}, "local"),
        ({"model": "wordllama-l2-supercat"}, "static"),
        ({"model": "text-embedding-3-small"}, "api"),
        ({"model": "openai/whatever"}, "api"),
        ({"model": "BAAI/bge-small-en-v1.5", "via_api": True}, "api"),
        ({"model": "bge-m3", "api_url": "http://localhost:1"}, "api"),
        ({"provider": "local", "model": "text-embedding-3-small"}, "local"),
    ],
)
def test_auto_is_what_the_settings_say(settings: dict[str, Any], name: str, no_static: None) -> None:
    assert registry.choose(config(**settings)) == name


def test_auto_without_settings_is_none_where_nothing_is_installed(no_static: None, tmp_path: Path) -> None:
    assert registry.choose(config()) == "none"
    assert registry.open_embedder(config(), data_dir=str(tmp_path)) is None


@pytest.mark.skipif(not static.installed(), reason="the package wordllama is not installed")
def test_auto_without_settings_is_static_where_it_is_installed(tmp_path: Path) -> None:
    assert opened(tmp_path).name == "static:wordllama-l2-supercat-256"
    assert opened(tmp_path, dimensions=64).dimensions == 64


def test_a_key_alone_chooses_nothing(no_static: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-lies-about")
    assert registry.open_embedder(config(api_key="k"), data_dir=str(tmp_path)) is None
    with pytest.raises(ConfigError, match="wants a key"):
        opened(tmp_path, model="text-embedding-3-small")


@pytest.mark.parametrize("model", ["bge-m3", "no-such-model"])
def test_a_model_that_cannot_run_here_is_a_config_error(model: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="MNEMOPI_EMBEDDING_API_URL"):
        opened(tmp_path, model=model)


def test_opening_loads_nothing_heavy(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from dataclasses import replace\n"
        "from mnemopi.settings import EmbeddingConfig\n"
        "from mnemopi.providers import registry\n"
        "base = EmbeddingConfig()\n"
        "for settings in ({}, {'model': 'bge-small-en-v1.5'}, {'model': 'x', 'api_url': 'http://localhost:1'}):\n"
        f"    registry.open_embedder(replace(base, **settings), data_dir={str(tmp_path)!r})\n"
        "registry.open_embedder(base, given=lambda texts: texts, data_dir='')\n"
        "heavy = {'numpy', 'wordllama', 'httpx', 'tokenizers', 'fastembed', 'asyncio', 'ssl', 'importlib.metadata'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_disabled_is_none_whatever_is_given(tmp_path: Path) -> None:
    for given in (None, False, lengths, HashingEmbedder(), {"provider": lengths}):
        assert registry.open_embedder(config(enabled=False), given=given, data_dir=str(tmp_path)) is None


def test_false_and_a_disabled_mapping_are_none(tmp_path: Path) -> None:
    for given in (False, {"disabled": True}, {"provider": "none"}):
        settings = config(model="text-embedding-3-small", api_key="k")
        assert registry.open_embedder(settings, given=given, data_dir=str(tmp_path)) is None


def test_a_function_is_embedded_with(tmp_path: Path) -> None:
    assert opened(tmp_path, lengths).embed_queries(["abc"]).shape == (1, 2)
    assert opened(tmp_path, lengths, model="mine").name == "callable:mine"


def test_an_embedder_is_taken_as_it_is_behind_the_cache(tmp_path: Path) -> None:
    given = HashingEmbedder(64)
    embedder = opened(tmp_path, given)
    assert embedder.name == given.name
    assert np.array_equal(embedder.embed_queries(["port"]), given.embed_queries(["port"]))


def test_a_mapping_may_hold_a_function_and_settings(tmp_path: Path) -> None:
    seen: list[str] = []

    def note(texts: list[str]) -> list[list[float]]:
        seen.extend(texts)
        return lengths(texts)

    embedder = opened(tmp_path, {"provider": note, "maxInputChars": 30, "dimensions": 2, "model": None})
    embedder.embed_documents(["x" * 100])
    assert len(seen[0]) == 30
    assert embedder.dimensions == 2


@pytest.mark.parametrize("spelling", [("api_url", "api_key"), ("apiUrl", "apiKey")])
def test_a_mapping_may_name_an_api_in_either_spelling(
    spelling: tuple[str, str], tmp_path: Path, server: Any, reply: Any
) -> None:
    server.reply_in_turn(reply({"data": [{"embedding": [1, 0]}]}))
    given = {"model": "some-model", spelling[0]: server.url, spelling[1]: lambda: "fetched"}
    embedder = opened(tmp_path, given)
    assert embedder.embed_documents(["a"]).tolist() == [[1, 0]]
    assert server.requests[0].headers["authorization"] == "Bearer fetched"
    assert embedder.name == "api:some-model"


@pytest.mark.parametrize(
    "given",
    [
        True,
        5,
        {"modell": "x"},
        {"model": 5},
        {"dimensions": "256"},
        {"dimensions": True},
        {"dimensions": -1},
        {"max_input_chars": -1},
        {"disabled": "no"},
        {"api_key": 5},
        {"provider": 5},
    ],
)
def test_a_wish_that_cannot_be_met_is_a_usage_error(given: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        opened(tmp_path, given)


def test_text_for_an_api_passes_the_egress_gate(tmp_path: Path, server: Any, reply: Any) -> None:
    server.reply_in_turn(reply({"data": [{"embedding": [1, 0]}]}))
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    embedder = opened(tmp_path, model="m", api_url=server.url)
    embedder.embed_documents([f"the token is {secret}"])
    embedder.embed_queries([f"where is {secret} used?"])
    assert len(server.requests) == 2
    assert all(secret not in request.body.decode() for request in server.requests)
    assert b"REDACTED" in server.requests[0].body


def test_a_model_behind_an_api_gets_its_prefixes_and_its_known_length(tmp_path: Path, server: Any, reply: Any) -> None:
    server.reply_in_turn(reply({"data": [{"embedding": [1.0] * 1024}]}))
    embedder = opened(tmp_path, model="intfloat/multilingual-e5-large", api_url=server.url)
    assert embedder.dimensions == 1024
    embedder.embed_queries(["a"])
    embedder.embed_documents(["a"])
    assert [request.json()["input"] for request in server.requests] == [["query: a"], ["passage: a"]]


def test_a_document_prefix_of_ones_own_changes_the_name(tmp_path: Path, server: Any, reply: Any) -> None:
    plain = opened(tmp_path, model="m", api_url=server.url)
    query = opened(tmp_path, model="m", api_url=server.url, query_prefix="ask: ")
    document = opened(tmp_path, model="m", api_url=server.url, document_prefix="say: ")
    assert query.name == plain.name != document.name


def test_a_shorter_length_is_passed_on_only_to_models_that_can_be_cut(tmp_path: Path, server: Any, reply: Any) -> None:
    server.reply_in_turn(reply({"data": [{"embedding": [1.0] * 8}]}))
    opened(tmp_path, model="text-embedding-3-large", api_url=server.url, dimensions=8).embed_documents(["a"])
    opened(tmp_path, model="other", api_url=server.url, dimensions=8).embed_documents(["a"])
    assert [request.json().get("dimensions") for request in server.requests] == [8, None]


def test_settings_reach_the_request(tmp_path: Path, server: Any, reply: Any) -> None:
    server.answer = lambda request: reply({"data": [{"embedding": [1]} for _ in request.json()["input"]]})
    embedder = opened(tmp_path, model="m", api_url=server.url, batch_size=2, max_input_chars=30, api_key="k-1")
    embedder.embed_documents(["x" * 50] * 3)
    assert [len(request.json()["input"]) for request in server.requests] == [2, 1]
    assert server.requests[0].headers["authorization"] == "Bearer k-1"
    assert len(server.requests[0].json()["input"][0]) == 30


def test_a_refusal_names_the_setting_to_look_at(tmp_path: Path, server: Any, reply: Any) -> None:
    server.reply_in_turn(reply({}, 401))
    with pytest.raises(RefusedError, match="MNEMOPI_EMBEDDING_API_KEY"):
        opened(tmp_path, model="m", api_url=server.url).embed_documents(["a"])


def test_an_api_without_a_model_name_is_a_config_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="name of a model"):
        opened(tmp_path, api_url="http://localhost:1")


def test_a_local_model_takes_the_folder_that_is_set_or_the_one_in_the_data_folder(tmp_path: Path) -> None:
    assert registry.models_folder(config(), str(tmp_path)) == str(tmp_path / "models")
    assert registry.models_folder(config(cache_dir="/m"), str(tmp_path)) == "/m"
    assert opened(tmp_path, provider="local").name == "local:multilingual-e5-small"


def test_wrong_models_for_a_provider_are_errors(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        opened(tmp_path, provider="local", model="no-such-model")
    with pytest.raises(ConfigError, match="wordllama"):
        opened(tmp_path, provider="static", model="bge-m3")


def test_a_static_provider_that_is_not_installed_is_a_missing_extra(no_static: None, tmp_path: Path) -> None:
    with pytest.raises(MissingExtraError, match=r"mnemopi\[static\]"):
        opened(tmp_path, provider="static")


def test_another_package_may_register_a_provider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "third_party.py").write_text(
        "from mnemopi.testing import HashingEmbedder\n"
        "def make(config, data_dir):\n"
        "    return HashingEmbedder(config.dimensions or 64)\n"
    )
    told = tmp_path / "third_party-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: third-party\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text("[mnemopi.providers]\nhashing = third_party:make\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert opened(tmp_path, provider="hashing", dimensions=96).embed_queries(["a"]).shape == (1, 96)
    assert opened(tmp_path, {"provider": "hashing"}).dimensions == 64


def test_an_unknown_provider_is_a_config_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nor an installed plug-in"):
        opened(tmp_path, provider="no-such-provider")
