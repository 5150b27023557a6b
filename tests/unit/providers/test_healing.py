from __future__ import annotations

from pathlib import Path

import pytest

from mnemopi.providers import healing

RUNTIME = "[ONNXRuntimeError] : 7 : INVALID_PROTOBUF : Load model from {} failed:Protobuf parsing failed."
EMPTY = "[ONNXRuntimeError] : 2 : INVALID_ARGUMENT : Load model from {} failed:No graph was found in the protobuf."
GONE = "[ONNXRuntimeError] : 3 : NO_SUCHFILE : Load model from {0} failed:Load model {0} failed. File doesn't exist"
NOT_FOUND = "Model file not found at {}"


@pytest.mark.parametrize("text", [RUNTIME, EMPTY])
def test_a_graph_that_cannot_be_parsed_is_moved_aside(text: str, tmp_path: Path) -> None:
    graph = tmp_path / "model" / "model.onnx"
    graph.parent.mkdir()
    graph.write_bytes(b"junk")
    damage = healing.diagnose(text.format(graph), tmp_path)
    assert damage == healing.Damage("unreadable", graph)
    healing.clear(damage)
    [moved] = graph.parent.iterdir()
    assert moved.name.startswith("model.onnx.corrupt-")
    assert moved.name.rsplit("-", 1)[1].isdigit()
    assert moved.read_bytes() == b"junk"


@pytest.mark.parametrize("text", [GONE, NOT_FOUND])
def test_a_missing_graph_is_told_and_its_archive_deleted(text: str, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    archive = tmp_path / "model.tar.gz"
    archive.write_bytes(b"half")
    damage = healing.diagnose(text.format(tmp_path / "model" / "model.onnx"), tmp_path)
    assert damage == healing.Damage("missing", tmp_path / "model" / "model.onnx")
    healing.clear(damage)
    assert not archive.exists()


@pytest.mark.parametrize(
    "text",
    [
        "Could not find tokenizer.json in /models/x",
        "Could not find tokenizer_config.json in /models/x",
        "Tokenizer file not found at /models/x/tokenizer.json",
        "Config file not found at /models/x/config.json",
        "[Errno 2] No such file or directory: '/models/x/special_tokens_map.json'",
    ],
)
def test_a_missing_sidecar_is_told(text: str, tmp_path: Path) -> None:
    damage = healing.diagnose(text, tmp_path)
    assert damage == healing.Damage("sidecar")
    healing.clear(damage)


@pytest.mark.parametrize(
    "text", ["out of memory", "", "Model x is not supported", "Protobuf parsing failed", "config.json"]
)
def test_other_errors_are_no_damage(text: str, tmp_path: Path) -> None:
    assert healing.diagnose(text, tmp_path) is None


@pytest.mark.parametrize("text", [RUNTIME, EMPTY, GONE, NOT_FOUND])
def test_nothing_outside_the_folder_of_models_is_ever_named(text: str, tmp_path: Path) -> None:
    root = tmp_path / "models"
    root.mkdir()
    outside = tmp_path / "other" / "model.onnx"
    for told in (
        outside,
        root / ".." / "other" / "model.onnx",
        Path("/etc/x/model.onnx"),
        tmp_path / "models2" / "a.onnx",
    ):
        assert healing.diagnose(text.format(told), root) is None


def test_a_link_that_leads_outside_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "link").symlink_to(tmp_path / "other")
    told = RUNTIME.format(tmp_path / "models" / "link" / "model.onnx")
    assert healing.diagnose(told, tmp_path / "models") is None


def test_a_missing_graph_counts_only_in_a_folder_right_below_the_root(tmp_path: Path) -> None:
    assert healing.diagnose(NOT_FOUND.format(tmp_path / "a" / "b" / "model.onnx"), tmp_path) is None
    assert healing.diagnose(NOT_FOUND.format(tmp_path / "model.onnx"), tmp_path) is None


def test_losing_a_race_for_the_same_file_is_fine(tmp_path: Path) -> None:
    healing.clear(healing.Damage("unreadable", tmp_path / "model" / "model.onnx"))
    healing.clear(healing.Damage("missing", tmp_path / "model" / "model.onnx"))
    assert list(tmp_path.iterdir()) == []
