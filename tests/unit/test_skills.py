"""Managed skills: written whole, never through a link, never over what people wrote."""

from __future__ import annotations

import multiprocessing
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi import skills
from mnemopi.errors import ConflictError, ExistsError, MnemopiError, NotFoundError, UsageError
from mnemopi.skills import FILE, MOST_BYTES, ManagedSkills

BODY = "1. Stop the workers.\n2. Migrate.\n3. Start them again."


@pytest.fixture
def managed(tmp_path: Path) -> ManagedSkills:
    return ManagedSkills(tmp_path / "managed-skills")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A file of somebody's, outside."""
    path = tmp_path / "elsewhere" / "notes.md"
    path.parent.mkdir()
    path.write_text("mine")
    return path


def test_a_skill_is_written_read_changed_and_removed(managed: ManagedSkills) -> None:
    made = managed.create("  Deploy-API ", "How to  deploy\nthe API", BODY)
    assert (made.name, made.description) == ("deploy-api", "How to deploy the API")
    assert managed.get("deploy-api") == made == managed.list()[0]
    assert Path(made.path).read_text() == (
        f'---\nname: deploy-api\ndescription: "How to deploy the API"\n---\n\n{BODY}\n'
    )
    managed.update("deploy-api", "How to deploy", "Ask Mira.")
    assert managed.get("deploy-api").body == "Ask Mira."
    managed.delete("deploy-api")
    assert managed.list() == ()
    with pytest.raises(NotFoundError, match="create"):
        managed.update("deploy-api", "How to deploy", BODY)
    with pytest.raises(NotFoundError):
        managed.delete("deploy-api")


def test_only_the_owner_may_read_it(managed: ManagedSkills) -> None:
    path = Path(managed.create("deploy", "How to deploy", BODY).path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == stat.S_IMODE(managed.root.stat().st_mode) == 0o700
    assert [each.name for each in path.parent.iterdir()] == [FILE]


def test_a_skill_is_not_made_twice(managed: ManagedSkills) -> None:
    managed.create("deploy", "How to deploy", BODY)
    with pytest.raises(ExistsError, match="update"):
        managed.create("DEPLOY", "Another way", "Pray.")
    assert managed.get("deploy").body == BODY


def test_the_name_of_a_skill_of_yours_is_not_claimed(tmp_path: Path) -> None:
    managed = ManagedSkills(tmp_path / "managed", authored=["Deploy"])
    with pytest.raises(ExistsError, match="yours"):
        managed.create("deploy", "How to deploy", BODY)
    assert not (tmp_path / "managed" / "deploy").exists()


def test_yours_wins_where_both_are_there(tmp_path: Path) -> None:
    ManagedSkills(tmp_path / "managed").create("deploy", "How to deploy", BODY)
    assert ManagedSkills(tmp_path / "managed", authored=["deploy"]).list() == ()


@given(name=st.text(max_size=80) | st.from_regex(r"[./\\a-zA-Z0-9\x00-]{1,70}"))
def test_no_name_leads_out_of_the_folder(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    root = tmp_path_factory.mktemp("skills")
    managed = ManagedSkills(root / "managed")
    try:
        made = managed.create(name, "Some words", "Some steps")
    except UsageError:
        assert not (root / "managed").exists()
    else:
        assert Path(made.path).parent.parent == root / "managed"
        assert managed.list() == (made,)
    assert [each.name for each in root.iterdir()] in ([], ["managed"])


@given(description=st.text(max_size=300), body=st.text(max_size=300))
def test_what_was_written_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, description: str, body: str
) -> None:
    managed = ManagedSkills(tmp_path_factory.mktemp("skills"))
    try:
        made = managed.create("deploy", description, body)
    except UsageError:
        assert not skills.shown(description) or not body.strip()
        return
    read = managed.get("deploy")
    assert read.description == made.description
    assert not set(read.description) & set("<>`\n\r")
    assert read.body.split() == made.body.replace("\ud800", "?").split()


def test_secrets_stay_out_of_it(managed: ManagedSkills) -> None:
    key = "sk-ant-" + "a1B2c3D4e5" * 5
    made = managed.create("deploy", f"Deploy with {key}", f"export KEY={key}")
    assert key not in Path(made.path).read_text()


def test_a_skill_that_is_too_long_is_refused_with_both_numbers(managed: ManagedSkills) -> None:
    with pytest.raises(UsageError, match=rf"{MOST_BYTES}"):
        managed.create("deploy", "How to deploy", "猫" * (MOST_BYTES // 3))
    assert managed.list() == ()


@pytest.mark.parametrize(("description", "body"), [("", BODY), (" \n\u200b", BODY), ("How to deploy", "  \n ")])
def test_a_skill_has_a_description_and_a_body(managed: ManagedSkills, description: str, body: str) -> None:
    with pytest.raises(UsageError):
        managed.create("deploy", description, body)


def test_a_root_that_is_a_link_is_refused(tmp_path: Path, elsewhere: Path) -> None:
    (tmp_path / "managed").symlink_to(elsewhere.parent)
    managed = ManagedSkills(tmp_path / "managed")
    with pytest.raises(ConflictError):
        managed.create("deploy", "How to deploy", BODY)
    assert managed.list() == ()
    assert [each.name for each in elsewhere.parent.iterdir()] == ["notes.md"]


@pytest.mark.parametrize("action", ["create", "update", "delete"])
def test_a_folder_that_is_a_link_is_refused(managed: ManagedSkills, elsewhere: Path, action: str) -> None:
    managed.create("other", "Something else", BODY)
    (elsewhere.parent / FILE).write_text("---\nname: deploy\ndescription: mine\n---\nmine")
    (managed.root / "deploy").symlink_to(elsewhere.parent)
    with pytest.raises(ConflictError):
        managed.delete("deploy") if action == "delete" else getattr(managed, action)("deploy", "How to", BODY)
    assert (elsewhere.parent / FILE).read_text().endswith("mine")
    assert [skill.name for skill in managed.list()] == ["other"]


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_file_that_is_linked_is_not_written(managed: ManagedSkills, elsewhere: Path, link: object) -> None:
    (managed.root / "deploy").mkdir(parents=True)
    link(elsewhere, managed.root / "deploy" / FILE)  # type: ignore[operator]
    with pytest.raises(ConflictError):
        managed.update("deploy", "How to deploy", BODY)
    with pytest.raises(ExistsError):
        managed.create("deploy", "How to deploy", BODY)
    assert elsewhere.read_text() == "mine"


def test_removing_a_skill_leaves_what_its_links_lead_to(managed: ManagedSkills, elsewhere: Path) -> None:
    path = Path(managed.create("deploy", "How to deploy", BODY).path)
    (path.parent / "far").symlink_to(elsewhere.parent)
    (path.parent / "near").mkdir()
    (path.parent / "near" / "notes.md").symlink_to(elsewhere)
    managed.delete("deploy")
    assert not path.parent.exists()
    assert elsewhere.read_text() == "mine"


def test_a_pipe_in_its_place_holds_nobody_up(managed: ManagedSkills) -> None:
    (managed.root / "deploy").mkdir(parents=True)
    os.mkfifo(managed.root / "deploy" / FILE)
    assert managed.list() == ()
    with pytest.raises(ConflictError):
        managed.update("deploy", "How to deploy", BODY)


def test_hand_placed_skills_are_looked_at_again(managed: ManagedSkills) -> None:
    for name, text in {
        "quoted": "---\nname: quoted\ndescription: 'It''s <b>fine</b>'\n---\nSteps",
        "other-name": "---\nname: deploy\ndescription: no\n---\nSteps",
        "silent": "---\nname: silent\n---\nSteps",
        "bare": "Steps",
        "Upper": "---\nname: Upper\ndescription: no\n---\nSteps",
    }.items():
        (managed.root / name).mkdir(parents=True)
        (managed.root / name / FILE).write_text(text)
    assert [(skill.name, skill.description) for skill in managed.list()] == [("quoted", "It's bfine/b")]


def _race(root: str, number: int, results: multiprocessing.Queue[str]) -> None:
    try:
        ManagedSkills(Path(root)).create("deploy", f"By {number}", BODY)
    except MnemopiError as error:
        results.put(error.code)
    else:
        results.put(f"By {number}")


def test_of_several_processes_one_makes_it(managed: ManagedSkills) -> None:
    context = multiprocessing.get_context("spawn")
    results: multiprocessing.Queue[str] = context.Queue()
    racing = [context.Process(target=_race, args=(str(managed.root), number, results)) for number in range(3)]
    for each in racing:
        each.start()
    told = [results.get(timeout=60) for _ in racing]
    for each in racing:
        each.join()
    (winner,) = [each for each in told if each.startswith("By ")]
    assert managed.get("deploy").description == winner
    assert told.count("exists") == 2


def test_a_process_that_died_while_it_wrote_a_skill_keeps_nobody_from_changing_it(managed: ManagedSkills) -> None:
    path = Path(managed.create("deploy", "How to deploy", BODY).path)
    os.link(path, path.with_name(f".{FILE}.1234.abcd"))  # between the name that it gets and the one that it had
    assert managed.update("deploy", "How to deploy", "Ask Mira.").body == "Ask Mira."
    assert [each.name for each in path.parent.iterdir()] == [FILE]


def test_a_secret_that_is_parted_by_what_is_taken_out_of_a_description_is_taken_out(managed: ManagedSkills) -> None:
    secret = "ghp_" + "a1B2" * 9
    managed.create("deploy", f"Log in with {secret[:9]}`{secret[9:]}", BODY)
    assert secret not in managed.list()[0].description
