from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from mnemopi.errors import UnavailableError
from mnemopi.testing import BrokenEmbedder, FixedClock, HashingEmbedder


@pytest.mark.parametrize("dimensions", [64, 128, 256])
def test_texts_that_share_words_and_stems_are_near(dimensions: int) -> None:
    near, query, far = HashingEmbedder(dimensions).embed_documents(
        ["the deployment of the billing service failed", "why did deploying billing fail?", "grandmother likes tulips"]
    )
    assert query @ near > query @ far + 0.2


def test_vectors_are_the_same_in_every_process() -> None:
    program = (
        "from mnemopi.testing import HashingEmbedder as H; print(H().embed_queries(['port 天气']).tobytes().hex())"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert told == {HashingEmbedder().embed_queries(["port 天气"]).tobytes().hex()}


def test_a_broken_embedder_fails_until_it_is_mended() -> None:
    broken = BrokenEmbedder(HashingEmbedder(64))
    for embed in (broken.embed_queries, broken.embed_documents):
        with pytest.raises(UnavailableError):
            embed(["port"])
    broken.mend()
    assert np.array_equal(broken.embed_queries(["port"]), HashingEmbedder(64).embed_queries(["port"]))
    assert (broken.name, broken.dimensions) == ("testing:hashing-64", 64)


def test_a_fixed_clock_moves_only_when_told() -> None:
    clock = FixedClock(1_000)
    assert (clock(), clock()) == (1_000, 1_000)
    assert clock.advance(ms=5, seconds=1, hours=1, days=1) == 1_000 + 5 + 1_000 + 3_600_000 + 86_400_000
    clock.now = 7
    assert clock() == 7
    assert clock.advance(days=-1) < 0
