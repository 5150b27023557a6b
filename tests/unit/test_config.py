"""Settings: who says it first, what each may be, and where it came from."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi import config as configs
from mnemopi.config import Config
from mnemopi.errors import ConfigError, UsageError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_an_argument_comes_before_the_environment_before_the_file_before_the_default(file: Path) -> None:
    file.write_text('[identity]\nbank = "from file"\n[storage]\nbackup_keep = 3\n[recall]\nfts_weight = 0.4\n', "utf-8")
    environ = {"MNEMOPI_BANK": "from environment", "MNEMOPI_BACKUP_KEEP": "4"}
    made = Config.load({"identity.bank": "from argument"}, environ=environ, file=file)
    assert (made.identity.bank, made.storage.backup_keep, made.recall.fts_weight) == ("from argument", 4, 0.4)
    assert made.recall.vec_weight == Config().recall.vec_weight
    origins = {name: origin for name, _, _, origin in made.described()}
    assert origins["identity.bank"] == "argument"
    assert origins["storage.backup_keep"] == "MNEMOPI_BACKUP_KEEP"
    assert origins["recall.fts_weight"] == str(file)
    assert origins["recall.vec_weight"] == "default"


def test_keys_may_be_written_as_the_reference_writes_them(file: Path) -> None:
    file.write_text("[storage]\nbackupKeep = 3\nbusyTimeout = 2.5\n", "utf-8")
    made = Config.load(environ={}, file=file)
    assert (made.storage.backup_keep, made.storage.busy_timeout) == (3, 2.5)


def test_the_file_is_the_one_that_the_environment_names(file: Path) -> None:
    file.write_text('[identity]\nbank = "named"\n', "utf-8")
    assert Config.load(environ={"MNEMOPI_CONFIG": str(file)}).identity.bank == "named"
    with pytest.raises(ConfigError, match="no such file"):
        Config.load(environ={"MNEMOPI_CONFIG": str(file) + ".missing"})


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[storage]\ncolour = 1\n", "storage.colour"),
        ("[colours]\nred = 1\n", "colours"),
        ("bank = 'x'\n", "bank"),
        ("[storage]\nbackup_keep = 'many'\n", "storage.backup_keep"),
        ("[storage]\nbackup_keep = 2.5\n", "storage.backup_keep"),
        ("[storage]\ndata_dir = ['a']\n", "storage.data_dir"),
    ],
)
def test_what_the_file_says_wrongly_is_an_error_that_names_file_and_key(file: Path, text: str, named: str) -> None:
    file.write_text(text, "utf-8")
    with pytest.raises(ConfigError) as caught:
        Config.load(environ={}, file=file)
    assert caught.value.setting == named and caught.value.origin == str(file)


@pytest.mark.parametrize("content", [b"[storage\n", b"\xff\xfe", b"[storage]\nbackup_keep = 1\nbackup_keep = 2\n"])
def test_a_file_that_is_not_toml_is_an_error_that_names_it(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=str(file)):
        Config.load(environ={}, file=file)


@pytest.mark.parametrize("name", ["storage.colour", "colour", "recall"])
def test_an_unknown_argument_is_a_usage_error(name: str) -> None:
    with pytest.raises(UsageError, match=name):
        Config.load({name: 1}, environ={})


@pytest.mark.parametrize(
    ("name", "value", "made"),
    [
        ("storage.backup_keep", "12", 12),
        ("storage.backup_keep", 12.0, 12),
        ("storage.busy_timeout", 3, 3.0),
        ("storage.secure_delete", "off", False),
        ("storage.secure_delete", "YES", True),
        ("storage.secure_delete", 0, False),
        ("identity.bank", "  spaced ", "spaced"),
        ("storage.db_page_size", 8192, "8192"),
        ("write.settle", "inline", "inline"),
        ("recall.context_belief", "1", 1.0),
    ],
)
def test_values_are_brought_to_the_type_of_their_default(name: str, value: Any, made: Any) -> None:
    group, key = name.split(".")
    found = getattr(getattr(Config.load({name: value}, environ={}), group), key)
    assert found == made and type(found) is type(made)


@pytest.mark.parametrize("call", ["stat", "open"])
@pytest.mark.parametrize("named", [True, False])
def test_a_file_or_folder_that_cannot_be_read_is_a_config_error(
    file: Path, monkeypatch: pytest.MonkeyPatch, call: str, named: bool
) -> None:
    file.touch()
    monkeypatch.setattr(configs, "config_file", lambda environ: file)
    there = getattr(Path, call)

    def locked(path: Path, *arguments: Any, **options: Any) -> Any:
        if path == file:
            raise PermissionError(errno.EACCES, "Permission denied")
        return there(path, *arguments, **options)

    monkeypatch.setattr(Path, call, locked)
    with pytest.raises(ConfigError, match="cannot be read: Permission denied") as caught:
        Config.load(environ={}, file=file if named else None)
    assert str(file) in str(caught.value) and caught.value.hint


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("storage.backup_keep", 0),
        ("storage.backup_keep", True),
        ("storage.backup_keep", "1.5"),
        ("storage.backup_keep", None),
        ("storage.busy_timeout", -1),
        ("storage.busy_timeout", "nan"),
        ("storage.busy_timeout", float("inf")),
        ("storage.secure_delete", "perhaps"),
        ("write.settle", "sometimes"),
        ("write.redact", ""),
        ("recall.context_belief", 1.01),
        ("identity.bank", {"a": 1}),
    ],
)
def test_what_is_out_of_bounds_is_a_config_error(name: str, value: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        Config.load({name: value}, environ={})
    assert caught.value.setting == name


def test_an_empty_variable_counts_as_not_set() -> None:
    assert Config.load(environ={"MNEMOPI_BANK": " "}) == Config.load(environ={})


def test_a_variable_that_says_the_opposite_is_turned_round() -> None:
    assert Config.load(environ={"MNEMOPI_NO_EMBEDDINGS": "1"}).embedding.enabled is False
    assert Config.load(environ={"MNEMOPI_NO_EMBEDDINGS": "0"}).embedding.enabled is True


def test_secrets_are_not_described() -> None:
    made = Config.load({"embedding.api_key": "very secret"}, environ={})
    assert made.embedding.api_key == "very secret"
    assert {name: value for name, _, value, _ in made.described()}["embedding.api_key"] == "***"


def test_an_unknown_zone_is_a_config_error() -> None:
    assert str(Config.load({"write.timezone": "Asia/Shanghai"}, environ={}).zone) == "Asia/Shanghai"
    for zone in ("Mars/Olympus", "../../etc/passwd", "/etc/localtime"):
        with pytest.raises(ConfigError, match="zone"):
            _ = Config.load({"write.timezone": zone}, environ={}).zone


def test_names_without_effect_are_told_with_the_reason() -> None:
    told = configs.refused_in({"MNEMOPI_WM_TTL_HOURS": "24", "MNEMOPI_BANK": "x", "OPENAI_API_KEY": "k"})
    assert set(told) == {"MNEMOPI_WM_TTL_HOURS"} and "nothing is trimmed" in told["MNEMOPI_WM_TTL_HOURS"]


def test_a_name_that_is_misspelt_is_told_too() -> None:
    told = configs.refused_in({"MNEMOPI_EMBEDING_MODEL": "x", "MNEMOPI_CONFIG": "f", "MNEMOPI_FORCE_LOCAL": "1"})
    assert told["MNEMOPI_EMBEDING_MODEL"].startswith("no setting has this name; did you mean `MNEMOPI_EMBEDDING_MODEL`")
    assert set(told) == {"MNEMOPI_EMBEDING_MODEL", "MNEMOPI_FORCE_LOCAL"}


def test_every_setting_has_its_own_environment_name_and_words() -> None:
    told = [field.metadata for _, field in configs.settings()]
    names = [meta["env"] for meta in told]
    assert len(set(names)) == len(names)
    assert all(name.startswith(("MNEMOPI_", "HINDSIGHT_")) for name in names)
    assert all(meta["help"] for meta in told)


@given(st.text(max_size=20))
def test_no_text_in_the_environment_breaks_reading(raw: str) -> None:
    for _, field in configs.settings():
        try:
            Config.load(environ={field.metadata["env"]: raw, "MNEMOPI_CONFIG": ""})
        except ConfigError as error:
            assert error.value == raw


def test_paths_are_expanded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    made = Config.load({"storage.data_dir": "~/data"}, environ={})
    assert made.data_dir == tmp_path / "data"
    assert made.backup_dir == tmp_path / "data" / "backups"


@pytest.fixture
def homeless(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user without HOME whom the machine's list of users does not know."""
    for name in ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    pwd = pytest.importorskip("pwd")

    def nobody(_: int) -> None:
        raise KeyError("uid not found")

    monkeypatch.setattr(pwd, "getpwuid", nobody)


@pytest.mark.usefixtures("homeless")
def test_without_a_home_there_is_no_file_and_the_data_lies_where_it_is_told_to(tmp_path: Path) -> None:
    made = Config.load(environ={"MNEMOPI_DATA_DIR": str(tmp_path)})
    assert configs.config_file({}) is None
    assert (made.data_dir, made.backup_dir) == (tmp_path, tmp_path / "backups")
    assert made.session_dirs == {}
    assert made.skill_dirs("/work") == tuple(Path(f"/work/.{each}/skills") for each in ("claude", "agents", "codex"))


@pytest.mark.usefixtures("homeless")
@pytest.mark.parametrize(
    ("environ", "named"),
    [
        ({}, "MNEMOPI_DATA_DIR"),
        ({"MNEMOPI_DATA_DIR": "~/data"}, "MNEMOPI_DATA_DIR"),
        ({"MNEMOPI_CONFIG": "~/own.toml"}, "MNEMOPI_CONFIG"),
    ],
)
def test_without_a_home_an_error_names_what_is_to_be_set(environ: dict[str, str], named: str) -> None:
    with pytest.raises(ConfigError) as refused:
        _ = Config.load(environ=environ).data_dir
    assert named in f"{refused.value} {refused.value.hint}"


def test_hosts_keep_their_sessions_where_they_do_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    usual = Config.load({}).session_dirs
    assert usual["claude-code"] == Path("/home/ann/.claude/projects")
    assert usual["codex"] == Path("/home/ann/.codex/sessions")
    assert usual["omp"] == Path("/home/ann/.omp/agent/sessions")
    told = Config.load({"memories.claude_sessions": "~/there", "memories.omp_sessions": "none"}).session_dirs
    assert told == {"claude-code": Path("/home/ann/there"), "codex": usual["codex"]}


def test_a_name_that_no_setting_has_is_answered_with_those_spelt_like_it(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[sleep]\nbach = 3\n")
    with pytest.raises(ConfigError) as from_file:
        Config.load(file=file, environ={})
    with pytest.raises(UsageError) as argued:
        Config.load({"sleep.bach": 3}, environ={})
    assert from_file.value.hint == argued.value.hint == "did you mean `sleep.batch`? `mnemopi config` lists them all"
    with pytest.raises(UsageError) as unlike:
        Config.load({"xyz": 3}, environ={})
    assert unlike.value.hint == "`mnemopi config` lists them all"
