"""A model that dies, grows, hangs or prints does so in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mnemopi.engine import Mnemopi
from mnemopi.errors import ConfigError, MissingExtraError, UnavailableError
from mnemopi.ports import Embedder
from mnemopi.providers import registry, worker
from mnemopi.providers.worker import WorkerEmbedder
from mnemopi.settings import EmbeddingConfig
from mnemopi.testing import HashingEmbedder

FRAGILE = """
import os, sys, time
from pathlib import Path
from mnemopi.errors import MissingExtraError
from mnemopi.testing import HashingEmbedder

hoard = []

class Fragile(HashingEmbedder):
    def __init__(self, journal):
        super().__init__(16)
        self.journal = Path(journal)
        with self.journal.open("a") as file:
            file.write(f"{os.getpid()}\\n")

    def embed_documents(self, texts):
        for text in texts:
            if "abort" in text:
                os.abort()
            if "once" in text and len(self.journal.read_text().split()) == 1:
                os.kill(os.getpid(), 9)
            if "hang" in text:
                time.sleep(600)
            if "grow" in text:
                hoard.append(bytearray(os.urandom(1)) * (200 << 20))
            if "raise" in text:
                raise ZeroDivisionError
            if "missing" in text:
                raise MissingExtraError("needs a package", hint="pip install it")
            if "print" in text:
                print("I am printing", flush=True)
                os.write(1, b"and past Python\\n")
        return super().embed_documents(texts)
"""


@pytest.fixture
def fragile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Embedder]:
    (tmp_path / "fragile_model.py").write_text(FRAGILE)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(worker, "_FIRST_REST_S", 0.05)
    monkeypatch.setattr(worker._workers, "_things", {})

    def made(most: int = 4096) -> Embedder:
        journal = str(tmp_path / "journal")
        return WorkerEmbedder(HashingEmbedder(16), "fragile_model:Fragile", {"journal": journal}, most=most)

    return made


def starts(tmp_path: Path) -> list[int]:
    return [int(pid) for pid in (tmp_path / "journal").read_text().split()]


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_nothing_is_started_before_the_first_text(fragile: Any, tmp_path: Path) -> None:
    embedder = fragile()
    assert (embedder.name, embedder.dimensions) == ("testing:hashing-16", 16)
    assert not (tmp_path / "journal").exists()
    embedder.embed_queries(["crane"])
    assert starts(tmp_path) != [os.getpid()]


def test_a_crash_is_an_error_and_the_next_text_starts_it_again(fragile: Any, tmp_path: Path) -> None:
    embedder = fragile()
    before = embedder.embed_documents(["crane"])
    with pytest.raises(UnavailableError, match="died"):
        embedder.embed_documents(["abort"])
    assert (embedder.embed_documents(["crane"]) == before).all()
    assert len(starts(tmp_path)) == 2


def test_one_that_dies_again_and_again_is_left_alone_for_longer_and_longer(fragile: Any, tmp_path: Path) -> None:
    embedder = fragile()
    for _ in range(2):
        with pytest.raises(UnavailableError, match="died"):
            embedder.embed_documents(["abort"])
    with pytest.raises(UnavailableError, match="started again in"):
        embedder.embed_documents(["crane"])
    assert len(starts(tmp_path)) == 2
    time.sleep(0.06)
    assert embedder.embed_documents(["crane"]).any()


def test_one_that_hangs_is_ended(fragile: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = fragile()
    embedder.embed_documents(["crane"])
    monkeypatch.setattr(worker, "_LONGEST_S", 0.05)
    with pytest.raises(UnavailableError):
        embedder.embed_documents(["hang"])
    assert not is_alive(starts(tmp_path)[0])


def test_one_that_has_grown_answers_and_is_replaced(fragile: Any, tmp_path: Path) -> None:
    embedder = fragile(most=200)
    assert embedder.embed_documents(["grow"]).any()
    assert not is_alive(starts(tmp_path)[0])
    assert embedder.embed_documents(["crane"]).any()
    embedder.embed_documents(["harbour"])
    assert len(starts(tmp_path)) == 2


@pytest.mark.parametrize(("text", "kind"), [("raise", UnavailableError), ("missing", MissingExtraError)])
def test_what_the_model_raises_is_raised_here_and_it_goes_on(
    fragile: Any, tmp_path: Path, text: str, kind: type[Exception]
) -> None:
    embedder = fragile()
    with pytest.raises(kind):
        embedder.embed_documents([text])
    assert embedder.embed_documents(["crane"]).any()
    assert len(starts(tmp_path)) == 1


def test_what_the_model_prints_disturbs_nothing(fragile: Any) -> None:
    assert fragile().embed_documents(["print", "crane"]).shape == (2, 16)


def test_two_embedders_of_one_model_share_a_process(fragile: Any, tmp_path: Path) -> None:
    fragile().embed_documents(["crane"])
    fragile().embed_documents(["crane"])
    assert len(starts(tmp_path)) == 1


def test_it_ends_with_the_process_that_started_it(fragile: Any, tmp_path: Path) -> None:
    code = (
        "import sys, time\n"
        "from mnemopi.providers.worker import WorkerEmbedder\n"
        "from mnemopi.testing import HashingEmbedder\n"
        "made = WorkerEmbedder(HashingEmbedder(16), 'fragile_model:Fragile', {'journal': sys.argv[1]}, most=4096)\n"
        "made.embed_documents(['crane'])\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "journal")], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"ready\n"
    (child,) = starts(tmp_path)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    for _ in range(200):
        if not is_alive(child):
            return
        time.sleep(0.05)
    raise AssertionError("the worker outlived its parent")


def test_what_waited_when_it_died_is_embedded_later(fragile: Any, tmp_path: Path) -> None:
    with Mnemopi(tmp_path / "bank.db", embeddings=fragile(), config={"write.settle": "off"}) as memory:
        memory.remember("The crane stands on pier 7, once")
        report = memory.bank.settle()
        assert (report.embedded, report.pending) == (0, 1)
        assert "died" in report.error
        assert len(memory.recall("crane")) == 1
        assert memory.bank.settle().pending == 0


def test_a_setting_puts_local_models_into_a_process_of_their_own(tmp_path: Path) -> None:
    config = EmbeddingConfig(provider="local", apart=True)
    here = registry.open_embedder(EmbeddingConfig(provider="local"), data_dir=str(tmp_path))
    apart = registry.open_embedder(config, data_dir=str(tmp_path))
    assert here is not None and apart is not None
    assert isinstance(apart.provider, WorkerEmbedder)  # type: ignore[attr-defined]
    assert not isinstance(here.provider, WorkerEmbedder)  # type: ignore[attr-defined]
    assert (apart.name, apart.dimensions) == (here.name, here.dimensions)


def test_a_model_that_is_not_there_is_told_as_without_such_a_process(tmp_path: Path) -> None:
    apart = registry.open_embedder(EmbeddingConfig(provider="local", apart=True), data_dir=str(tmp_path))
    assert apart is not None
    with pytest.raises((UnavailableError, MissingExtraError)) as told:
        apart.embed_queries(["crane"])
    assert told.value.hint


def test_a_wrong_dimension_is_told_before_anything_is_started(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        registry.open_embedder(EmbeddingConfig(provider="local", apart=True, dimensions=3), data_dir=str(tmp_path))
