from __future__ import annotations

import hashlib
import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from mnemopi.errors import NotFoundError, ProviderError, RefusedError, UnavailableError, UsageError
from mnemopi.providers import models

NAME = "all-MiniLM-L6-v2"
BASE = "/Qdrant/all-MiniLM-L6-v2-onnx/resolve/main/"
FILES = {
    "model.onnx": b"graph" * 1000,
    "tokenizer.json": b"{}",
    "tokenizer_config.json": b"{}",
    "config.json": b"{}",
}


@pytest.fixture
def hub(server: Any) -> Any:
    server.serve({BASE + name: content for name, content in FILES.items()})
    return server


def pull(tmp_path: Path, hub: Any) -> models.ModelState:
    return models.pull(NAME, tmp_path, hub.url + "/")


def test_a_model_is_fetched_whole_with_sizes_and_sums(tmp_path: Path, hub: Any) -> None:
    state = pull(tmp_path, hub)
    assert state.installed
    assert state.problems == ()
    told = json.loads((tmp_path / NAME / models.MANIFEST).read_text())
    assert told["files"]["model.onnx"] == {
        "size": 5000,
        "sha256": hashlib.sha256(FILES["model.onnx"]).hexdigest(),
    }
    assert {file.name for file in (tmp_path / NAME).iterdir()} == {*FILES, models.MANIFEST}
    assert [file.name for file in tmp_path.iterdir()] == [NAME]


def test_a_file_that_newer_models_leave_out_may_lack(tmp_path: Path, hub: Any) -> None:
    hub.serve({BASE + name: content for name, content in FILES.items() if name != "config.json"})
    assert pull(tmp_path, hub).installed


def test_a_second_fetch_asks_only_for_what_lacks_or_changed(tmp_path: Path, hub: Any) -> None:
    pull(tmp_path, hub)
    (tmp_path / NAME / "tokenizer.json").unlink()
    (tmp_path / NAME / "model.onnx").write_bytes(b"graph" * 999 + b"grapH")
    hub.requests.clear()
    pull(tmp_path, hub)
    asked = {request.path.removeprefix(BASE) for request in hub.requests}
    assert asked == {"tokenizer.json", "model.onnx", "special_tokens_map.json"}
    assert models.verify(NAME, tmp_path).problems == ()


def test_files_without_a_manifest_are_not_trusted(tmp_path: Path, hub: Any) -> None:
    (tmp_path / NAME).mkdir()
    (tmp_path / NAME / "model.onnx").write_bytes(b"half")
    assert not models.list_models(tmp_path)[0].installed
    pull(tmp_path, hub)
    assert (tmp_path / NAME / "model.onnx").read_bytes() == FILES["model.onnx"]


def test_a_fetch_that_fails_leaves_what_was_there(tmp_path: Path, hub: Any) -> None:
    pull(tmp_path, hub)
    (tmp_path / NAME / "tokenizer.json").unlink()
    hub.serve({})
    with pytest.raises(RefusedError, match="404") as caught:
        pull(tmp_path, hub)
    assert "MNEMOPI_MODEL_MIRROR" in caught.value.hint
    assert (tmp_path / NAME / "model.onnx").read_bytes() == FILES["model.onnx"]
    assert [file.name for file in tmp_path.iterdir()] == [NAME]


def test_a_server_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        mirror = f"http://me:word@127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(UnavailableError, match="cannot be reached") as caught:
            models.pull(NAME, tmp_path, mirror)
    assert "word" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_a_provider_error(tmp_path: Path, hub: Any) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ProviderError, match="cannot write"):
        models.pull(NAME, tmp_path / "file", hub.url)


def test_what_a_killed_fetch_left_is_swept_after_a_day(tmp_path: Path, hub: Any) -> None:
    old, young = tmp_path / ".fetching-old", tmp_path / ".fetching-young"
    for folder in (old, young):
        folder.mkdir()
        (folder / "model.onnx").write_bytes(b"half")
    os.utime(old, (0, 0))
    pull(tmp_path, hub)
    assert not old.exists()
    assert young.exists()


def test_progress_is_told_by_file(tmp_path: Path, hub: Any) -> None:
    told: list[tuple[str, int, int]] = []
    models.pull(NAME, tmp_path, hub.url, progress=lambda *step: told.append(step))
    assert ("model.onnx", 5000, 5000) in told


def test_verify_names_what_is_missing_and_what_changed(tmp_path: Path, hub: Any) -> None:
    pull(tmp_path, hub)
    (tmp_path / NAME / "tokenizer.json").unlink()
    (tmp_path / NAME / "config.json").write_bytes(b"[]")
    (tmp_path / NAME / "model.onnx").write_bytes(b"short")
    assert set(models.verify(NAME, tmp_path).problems) == {
        "missing tokenizer.json",
        "changed config.json: another SHA-256",
        "changed model.onnx: 5 bytes instead of 5000",
    }


def test_verify_tells_of_a_model_that_was_never_fetched(tmp_path: Path) -> None:
    assert models.verify(NAME, tmp_path / "none").problems == ("not on this machine",)


@pytest.mark.parametrize("manifest", ["", "[]", '{"files": {"a": 1}}', '{"files": {"../x": {"size": 0}}}'])
def test_a_manifest_that_cannot_be_read_is_a_problem(manifest: str, tmp_path: Path, hub: Any) -> None:
    pull(tmp_path, hub)
    (tmp_path / NAME / models.MANIFEST).write_text(manifest)
    assert models.verify(NAME, tmp_path).problems == ("no readable manifest.json",)


def test_a_manifest_cannot_point_outside_its_folder(tmp_path: Path, hub: Any) -> None:
    pull(tmp_path, hub)
    told = json.loads((tmp_path / NAME / models.MANIFEST).read_text())
    told["files"]["../outside"] = {"size": 3, "sha256": "x"}
    (tmp_path / NAME / models.MANIFEST).write_text(json.dumps(told))
    (tmp_path / "outside").write_text("abc")
    assert models.verify(NAME, tmp_path).problems == ()


def test_the_list_tells_what_is_there(tmp_path: Path, hub: Any) -> None:
    pull(tmp_path, hub)
    listed = {state.name: state for state in models.list_models(tmp_path)}
    assert listed[NAME].installed
    assert listed[NAME].size > 5000
    assert not listed["bge-small-en-v1.5"].installed
    assert "text-embedding-3-small" not in listed


def test_a_file_moved_aside_as_damaged_is_kept_over_a_fetch(tmp_path: Path, hub: Any) -> None:
    pull(tmp_path, hub)
    (tmp_path / NAME / "model.onnx").rename(tmp_path / NAME / "model.onnx.corrupt-1")
    pull(tmp_path, hub)
    assert (tmp_path / NAME / "model.onnx.corrupt-1").exists()
    assert models.verify(NAME, tmp_path).problems == ()


def test_an_unknown_name_is_not_found_and_an_api_model_cannot_be_fetched(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="known: bge-small-en"):
        models.pull("../../etc/passwd", tmp_path)
    with pytest.raises(UsageError, match="behind an API only"):
        models.pull("text-embedding-3-small", tmp_path)
    assert list(tmp_path.iterdir()) == []
