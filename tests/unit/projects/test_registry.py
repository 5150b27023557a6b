"""What was told of projects counts on this machine, and what a repository says of itself does not."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from mnemopi.errors import ConflictError, CorruptError, UsageError
from mnemopi.projects.identity import Identity
from mnemopi.projects.registry import Registry
from mnemopi.projects.scopes import scope

MINE = Identity("host.example/me/tool", "remote", "/src/tool/.git", "/src/tool")
OTHER = Identity("host.example/you/tool", "remote", "/src/fork/.git", "/src/fork")
ID = "tool-0123456789abcdef"


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return Registry(tmp_path / "agent")


def test_a_folder_that_nobody_spoke_of_is_what_it_shows_itself(registry: Registry) -> None:
    assert registry.of(MINE).bank == MINE.bank
    assert not registry.path.exists()


def test_an_id_counts_only_where_it_was_linked(registry: Registry) -> None:
    mine, hostile = replace(MINE, carried=ID), replace(OTHER, carried=ID)
    registry.link(mine)
    assert registry.is_believed(mine)
    assert not registry.is_believed(hostile)
    assert registry.of(hostile).bank == OTHER.bank
    assert set(scope("per-project", "", registry.of(hostile)).banks) == {OTHER.bank}


def test_a_linked_folder_keeps_its_memory_when_its_remote_is_renamed(registry: Registry) -> None:
    registry.link(replace(MINE, carried=ID))
    moved = replace(MINE, key="host.example/team/tool", carried=ID)
    assert registry.of(moved).bank == MINE.bank


def test_a_clone_that_carries_a_known_id_joins_when_it_is_linked(registry: Registry) -> None:
    registry.link(replace(MINE, carried=ID))
    project, _ = registry.link(replace(OTHER, carried=ID))
    assert (project.bank, project.also) == (MINE.bank, (OTHER.bank,))
    assert registry.of(replace(OTHER, carried=ID)).bank == MINE.bank


def test_an_alias_writes_to_one_bank_and_recalls_what_the_other_had(registry: Registry) -> None:
    registry.alias(MINE, OTHER)
    told = scope("per-project", "", registry.of(OTHER))
    assert (told.retain, told.recall) == (MINE.bank, (MINE.bank, OTHER.bank))
    with pytest.raises(UsageError):
        registry.alias(MINE, MINE)


def test_projects_that_both_are_known_are_merged_not_aliased(registry: Registry) -> None:
    registry.link(replace(MINE, carried=ID))
    registry.link(replace(OTHER, carried="fork-0123456789abcdef"))
    with pytest.raises(ConflictError):
        registry.alias(MINE, OTHER)
    merged = registry.merge(MINE, OTHER)
    assert OTHER.bank in merged.also
    assert registry.of(OTHER).bank == MINE.bank
    assert [each.bank for each in registry.known()] == [MINE.bank]


def test_a_bank_is_merged_by_its_name(registry: Registry) -> None:
    assert registry.merge(MINE, "old-bank").also == ("old-bank",)
    with pytest.raises(UsageError):
        registry.merge(MINE, MINE.bank)


def test_changes_by_many_at_once_are_all_kept(registry: Registry) -> None:
    others = [replace(OTHER, key=f"host.example/x/{number}") for number in range(12)]
    threads = [threading.Thread(target=registry.alias, args=(MINE, other)) for other in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {registry.of(other).bank for other in others} == {MINE.bank}


def test_a_damaged_file_is_said_and_left_alone(registry: Registry) -> None:
    registry.alias(MINE, OTHER)
    registry.path.write_text('{"projects": [{"bank": "../x"}]}')
    with pytest.raises(CorruptError):
        registry.of(MINE)
    with pytest.raises(CorruptError):
        registry.alias(MINE, OTHER)
    assert json.loads(registry.path.read_text())["projects"][0]["bank"] == "../x"


def test_only_the_owner_reads_the_file(registry: Registry) -> None:
    registry.alias(MINE, OTHER)
    assert registry.path.stat().st_mode & 0o777 == 0o600
    assert registry.path.parent.stat().st_mode & 0o777 == 0o700


def test_the_scopings_name_the_banks(registry: Registry) -> None:
    project = registry.of(MINE)
    assert scope("global", "", project).banks == {"default"}
    assert scope("per-project", "", project).recall == (MINE.bank,)
    tagged = scope("per-project-tagged", "team", project)
    assert tagged.retain == f"team-{MINE.bank}"
    assert tagged.recall == (f"team-{MINE.bank}", MINE.bank, "team")
    assert tagged.shared == "team"
