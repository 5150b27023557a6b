from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mnemopi import Mnemopi
from mnemopi.errors import ConfigError, NotFoundError, ProviderError, UsageError
from mnemopi.ports import Reranker
from mnemopi.providers import rerankers
from mnemopi.providers.rerankers import PreparedReranker
from mnemopi.settings import EmbeddingConfig, RerankConfig
from mnemopi.testing import OverlapReranker


def opened(given: rerankers.Given = None, **settings: Any) -> Reranker | None:
    return rerankers.open_reranker(
        RerankConfig(**settings), rerankers.wish(given), embedding=EmbeddingConfig(), data_dir="/nowhere"
    )


def test_by_default_there_is_none_and_a_key_alone_chooses_none() -> None:
    assert opened() is None
    assert opened(key="k", url="http://h") is None


def test_an_explicit_no_wins_over_what_is_configured() -> None:
    assert opened(False, enabled=True, provider="local") is None


def test_a_function_and_a_reranker_are_taken_as_they_are() -> None:
    function, fake = opened(lambda question, texts: [1.0] * len(texts)), opened(OverlapReranker())
    assert function is not None and function.score("a", ["b", "c"]) == [1.0, 1.0]
    assert fake is not None and fake.name == "testing:overlap"


@pytest.mark.parametrize("given", [True, 5, "local", object()])
def test_what_cannot_judge_is_refused(given: Any) -> None:
    with pytest.raises(UsageError, match="reranker"):
        opened(given)


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"provider": "api"}, "rerank.model"),
        ({"provider": "api", "model": "m"}, "rerank.key"),
        ({"provider": "api", "model": "m", "shape": "cohere"}, "rerank.key"),
        ({"provider": "api", "shape": "tei"}, "rerank.url"),
        ({"enabled": True}, "rerank.provider"),
    ],
)
def test_settings_that_cannot_work_are_named(settings: dict[str, Any], name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        opened(**settings)
    assert caught.value.setting == name


def test_a_local_model_has_to_be_one_that_judges() -> None:
    local = opened(provider="local")
    assert local is not None and local.name == "local:ms-marco-MiniLM-L-6-v2"
    with pytest.raises(UsageError, match="made to embed"):
        opened(provider="local", model="bge-small-en-v1.5")
    with pytest.raises(NotFoundError, match="ms-marco"):
        opened(provider="local", model="nonesuch")


def test_a_mapping_is_settings_of_the_group_and_its_key_may_be_a_function(server: Any, reply: Any) -> None:
    keys = iter(["stale", "fresh"])
    judged = reply({"results": [{"index": 0, "relevance_score": 0.5}]})
    server.answer = lambda request: judged if request.headers["authorization"] == "Bearer fresh" else reply({}, 401)
    given = {"provider": "api", "url": server.url, "model": "m", "key": lambda: next(keys), "depth": 3}
    with Mnemopi(":memory:", no_embeddings=True, reranker=given) as bank:
        bank.remember("the kettle is red")
        assert bank.recall("kettle", rerank=True).reranker == "api:m"
        assert bank.config.rerank.depth == 3
    assert len(server.requests) == 2


def test_a_mapping_that_names_no_provider_or_an_unknown_setting_is_an_error() -> None:
    with pytest.raises(ConfigError, match="this is none"):
        Mnemopi(":memory:", no_embeddings=True, reranker={"url": "http://h", "model": "m"})
    with pytest.raises(UsageError, match="no setting `rerank"):
        Mnemopi(":memory:", no_embeddings=True, reranker={"colour": "red"})


def test_no_secret_leaves_the_machine_and_a_key_is_in_no_message(server: Any, reply: Any) -> None:
    server.reply_in_turn(reply({}, 422))
    secret = "ghp_" + "a1B2c3D4e5" * 4
    api = opened(provider="api", url=server.url, model="m", key="the-key")
    assert api is not None
    with pytest.raises(ProviderError) as caught:
        api.score(f"what is {secret}", [f"it is {secret}", "tea"])
    assert secret.encode() not in server.requests[0].body
    assert "MNEMOPI_RERANK_SHAPE" in str(caught.value) and "the-key" not in str(caught.value)


def test_a_long_question_is_clipped_and_half_a_character_replaced() -> None:
    fake = OverlapReranker()
    PreparedReranker(fake).score("word " * 1000, ["caf\ud83d", "b"])
    ((question, texts),) = fake.asked
    assert len(question) <= rerankers.QUESTION and texts[0] == "caf?"


def test_nothing_to_judge_asks_nobody() -> None:
    fake = OverlapReranker()
    assert PreparedReranker(fake).score("a", []) == []
    assert fake.asked == []


@pytest.mark.parametrize("judged", [[1.0], [1.0, 2.0, 3.0], [1.0, float("inf")], [1.0, "x"], [1.0, None]])
def test_judgements_that_cannot_be_right_are_an_error(judged: list[Any]) -> None:
    class Wrong(OverlapReranker):
        def score(self, question: str, texts: Any) -> list[float]:
            return judged

    with pytest.raises(ProviderError, match="testing:overlap gave"):
        PreparedReranker(Wrong()).score("a", ["b", "c"])


def test_an_engine_with_a_reranker_starts_without_anything_heavy(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from mnemopi import Mnemopi\n"
        "config = {'rerank.provider': sys.argv[2], 'rerank.url': 'http://127.0.0.1:9', 'rerank.model': sys.argv[3]}\n"
        "Mnemopi(sys.argv[1], no_embeddings=True, config=config).close()\n"
        "print({'numpy', 'httpx', 'tokenizers', 'fastembed', 'asyncio', 'ssl'} & set(sys.modules) or 'nothing')\n"
    )
    for provider, model in (("local", ""), ("api", "m")):
        command = [sys.executable, "-c", program, str(tmp_path / "b.db"), provider, model]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "nothing"
