"""Files go out and come in within one folder, and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mnemopi.errors import ExistsError, NotFoundError, UsageError
from mnemopi.tools.caller import Caller
from mnemopi.tools.confirm import UnconfirmedError

Call = Callable[..., dict[str, Any]]
Stored = Callable[..., str]


@pytest.fixture
def folder(caller: Caller) -> Path:
    caller.files_dir.mkdir(parents=True)
    return caller.files_dir


def test_an_export_comes_in_again_elsewhere(call: Call, stored: Stored) -> None:
    id = stored("The crane stands on pier 7")
    out = call("export", output_path="all.jsonl")
    assert (out["status"], out["stats"]["memories"]) == ("exported", 1)
    done = call("import", input_path="all.jsonl", bank="copy")
    assert (done["status"], done["format"], done["stats"]["inserted"]) == ("imported", "export", 1)
    assert call("get", memory_id=id, bank="copy")["memory"]["content"] == "The crane stands on pier 7"


def test_an_export_takes_the_place_of_no_file(call: Call, stored: Stored) -> None:
    stored("The crane stands on pier 7")
    call("export", output_path="a/all.jsonl")
    with pytest.raises(ExistsError):
        call("export", output_path="a/all.jsonl")


def test_force_needs_a_token_and_overwrites_then(call: Call, stored: Stored) -> None:
    id = stored("The crane stands on pier 7")
    call("export", output_path="all.jsonl")
    call("update", memory_id=id, content="nonsense")
    with pytest.raises(UnconfirmedError) as caught:
        call("import", input_path="all.jsonl", force=True)
    assert call("get", memory_id=id)["memory"]["content"] == "nonsense"
    done = call("import", input_path="all.jsonl", force=True, confirm=caught.value.token)
    assert done["stats"]["overwritten"] == 1
    assert call("get", memory_id=id)["memory"]["content"] == "The crane stands on pier 7"


def test_plain_lines_come_in(call: Call, folder: Path) -> None:
    (folder / "chat.jsonl").write_text('{"content": "The crane"}\n{"content": "The winch", "source": "chat"}\n')
    done = call("import", input_path="chat.jsonl")
    assert (done["format"], done["stats"]["inserted"]) == ("plain", 2)
    with pytest.raises(UsageError, match="force is for exports"):
        call("import", input_path="chat.jsonl", force=True)
    with pytest.raises(UsageError, match="confirm goes with force"):
        call("import", input_path="chat.jsonl", confirm="x")


def test_the_json_of_the_other_engine_comes_in(call: Call, folder: Path) -> None:
    row = {"id": "wm-1", "content": "The crane stands on pier 7", "timestamp": "2026-01-02T03:04:05.000Z"}
    document = {"mnemopi_export": {"version": "1.0", "component": "beam"}, "working_memory": [row]}
    for indent in (None, 2):
        (folder / f"other{indent}.json").write_text(json.dumps(document, indent=indent))
        done = call("import", input_path=f"other{indent}.json", bank=f"other{indent}")
        assert (done["format"], done["stats"]["inserted"]) == ("mnemopi", 1)


@pytest.mark.parametrize("path", ["../out.jsonl", "/etc/passwd", "a/../../out.jsonl", "", ".", "a\x00b", "link/x"])
def test_no_path_leads_out_of_the_folder(call: Call, folder: Path, tmp_path: Path, path: str) -> None:
    (folder / "link").symlink_to(tmp_path)
    for name, argument in (("export", "output_path"), ("import", "input_path")):
        with pytest.raises(UsageError) as caught:
            call(name, **{argument: path})
        assert str(folder) in caught.value.hint
    assert not (tmp_path / "x").exists()


def test_a_link_to_a_file_elsewhere_is_refused(call: Call, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (folder / "innocent").symlink_to(tmp_path / "secret")
    with pytest.raises(UsageError):
        call("import", input_path="innocent")


def test_an_absolute_path_within_the_folder_is_taken(call: Call, stored: Stored, folder: Path) -> None:
    stored("The crane stands on pier 7")
    assert call("export", output_path=str(folder / "all.jsonl"))["output_path"] == str(folder / "all.jsonl")


def test_a_file_that_is_not_there_is_an_error(call: Call, folder: Path) -> None:
    with pytest.raises(NotFoundError, match="input_path does not exist"):
        call("import", input_path="nothing.jsonl")
    (folder / "sub").mkdir()
    with pytest.raises(UsageError):
        call("import", input_path="sub")
