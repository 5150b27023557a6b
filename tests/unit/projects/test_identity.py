"""One project is one wherever it lies, and a stranger's folder is never ours."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemopi.projects.identity import ID_FILE, identify, subfolder
from mnemopi.storage.banks import check_name

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
URL = "https://host.example/me/tool.git"
QUIET = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}


def run(*arguments: str, at: Path) -> None:
    """Run git on its own, whatever the machine is set to."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | QUIET
    subprocess.run(["git", *arguments], cwd=at, env=environment, capture_output=True, check=True)


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with two commits, whose remote is URL."""
    made = tmp_path_factory.mktemp("origin") / "tool"
    made.mkdir()
    run("init", "-q", "-b", "main", at=made)
    for name in ("one", "two"):
        (made / name).write_text(name)
        run("add", name, at=made)
        run("commit", "-qm", name, at=made)
    run("remote", "add", "origin", URL, at=made)
    return made


def cloned(origin: Path, to: Path, *options: str) -> Path:
    run("clone", "-q", *options, f"file://{origin}", str(to), at=origin)
    run("remote", "set-url", "origin", "git@host.example:me/tool", at=to)
    return to


@needs_git
def test_worktrees_clones_links_and_subfolders_are_one_project(origin: Path, tmp_path: Path) -> None:
    run("worktree", "add", "-q", str(tmp_path / "tree"), "-b", f"b{tmp_path.name}", at=origin)
    (tmp_path / "link").symlink_to(origin)
    (origin / "src/deep").mkdir(parents=True, exist_ok=True)
    places = [
        origin,
        tmp_path / "tree",
        tmp_path / "link",
        origin / "src/deep",
        cloned(origin, tmp_path / "full"),
        cloned(origin, tmp_path / "shallow", "--depth", "1"),
    ]
    assert {identify(place).key for place in places} == {"host.example/me/tool"}
    (tmp_path / "full").rename(tmp_path / "renamed")
    assert identify(tmp_path / "renamed").bank == identify(origin).bank


class Walk:
    """Places on one disk, made by chance out of others, each with the project that it ought to be."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder, self.chance, self.count = folder, chance, 0
        self.places: dict[Path, str] = {}
        for name in ("tool", "other"):
            made = self.fresh()
            run("init", "-q", "-b", "main", at=made)
            run("commit", "-q", "--allow-empty", "-m", name, at=made)
            run("commit", "-q", "--allow-empty", "-m", "more", at=made)
            run("remote", "add", "origin", f"https://host.example/me/{name}", at=made)
            self.places[made] = name

    def fresh(self, within: Path | None = None, *, make: bool = True) -> Path:
        self.count += 1
        place = (within or self.folder) / f"p{self.count}"
        if make:
            place.mkdir()
        return place

    def step(self) -> None:
        """Make one more place."""
        place = self.chance.choice([each for each in self.places if (each / ".git").exists() and not each.is_symlink()])
        steps = (self.clone, self.shallow, self.worktree, self.link, self.within, self.fork, self.nested, self.rename)
        self.chance.choice((*steps, self.submodule))(place, self.places[place])

    def clone(self, place: Path, name: str, *options: str, remote: str = "") -> None:
        if name.startswith("/"):
            return  # it has no remote that a clone could share
        made, told = self.fresh(make=False), remote or name
        run("clone", "-q", *options, f"file://{place}", str(made), at=self.folder)
        run("remote", "set-url", "origin", f"git@host.example:{told if '/' in told else f'me/{told}'}.git", at=made)
        self.places[made] = told

    def shallow(self, place: Path, name: str) -> None:
        self.clone(place, name, "--depth", "1")

    def fork(self, place: Path, name: str) -> None:
        if not name.startswith("/"):
            self.clone(place, name, remote=f"fork{self.count}/{name.rpartition('/')[2]}")

    def worktree(self, place: Path, name: str) -> None:
        made = self.fresh(make=False)
        run("worktree", "add", "-q", "--detach", str(made), at=place)
        self.places[made] = name

    def link(self, place: Path, name: str) -> None:
        made = self.fresh(make=False)
        made.symlink_to(place)
        self.places[made] = name

    def within(self, place: Path, name: str) -> None:
        self.places[self.fresh(place)] = name

    def nested(self, place: Path, name: str) -> None:
        made = self.fresh(place)
        run("init", "-q", at=made)
        run("commit", "-q", "--allow-empty", "-m", "nested", at=made)
        self.places[made] = str(made)

    def submodule(self, place: Path, name: str) -> None:
        made = self.fresh(place, make=False)
        source = next(iter(self.places))
        run("-c", "protocol.file.allow=always", "submodule", "add", "-q", f"file://{source}", made.name, at=place)
        run("remote", "set-url", "origin", "ssh://git@host.example/me/tool/", at=made)
        self.places[made] = "tool"

    def rename(self, place: Path, name: str) -> None:
        if "worktrees" in str(list(place.glob(".git/*"))) or (place / ".git").is_file():
            return  # git has to be told of these
        inner = [each for each in self.places if each != place and place in each.parents]
        if inner or any(each.is_symlink() for each in self.places):
            return
        made = self.fresh(make=False)
        place.rename(made)
        self.places[made] = self.places.pop(place)
        if name.startswith("/"):
            self.places[made] = str(made)


@needs_git
@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_made_of_a_project_is_that_project_and_nothing_else_is(tmp_path: Path, seed: int) -> None:
    walk = Walk(tmp_path, random.Random(seed))
    for _ in range(14):
        walk.step()
    keys: dict[str, set[str]] = {}
    for place, name in walk.places.items():
        keys.setdefault(name, set()).add(identify(place).key)
    assert {name: len(found) for name, found in keys.items()} == dict.fromkeys(keys, 1)
    assert len({next(iter(found)) for found in keys.values()}) == len(keys)


@needs_git
def test_a_fork_is_another_project(origin: Path, tmp_path: Path) -> None:
    fork = cloned(origin, tmp_path / "fork")
    run("remote", "set-url", "origin", "git@host.example:you/tool", at=fork)
    run("remote", "add", "upstream", URL, at=fork)
    assert identify(fork).bank != identify(origin).bank


@needs_git
def test_a_repository_without_a_remote_is_its_worktrees_common_folder(tmp_path: Path) -> None:
    home = tmp_path / "lonely"
    home.mkdir()
    run("init", "-q", at=home)
    run("commit", "-q", "--allow-empty", "-m", "x", at=home)
    run("worktree", "add", "-q", str(tmp_path / "beside"), "-b", "side", at=home)
    assert identify(home).kind == "repository"
    assert identify(tmp_path / "beside").key == identify(home).key
    other = tmp_path / "other"
    other.mkdir()
    run("init", "-q", at=other)
    assert identify(other).key != identify(home).key


@needs_git
def test_nested_repositories_and_submodules_are_projects_of_their_own(origin: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    (outer / "inner").mkdir(parents=True)
    run("init", "-q", at=outer)
    run("init", "-q", at=outer / "inner")
    run("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(origin), "part", at=outer)
    keys = [identify(place).key for place in (outer, outer / "inner", outer / "part")]
    assert len(set(keys)) == 3
    run("-C", "part", "remote", "set-url", "origin", URL, at=outer)
    assert identify(outer / "part").key == identify(origin).key


@needs_git
def test_a_clone_of_a_folder_is_one_with_other_clones_of_it(origin: Path, tmp_path: Path) -> None:
    run("clone", "-q", "--bare", str(origin), str(tmp_path / "store.git"), at=tmp_path)
    for name in ("a", "b"):
        run("clone", "-q", "store.git", name, at=tmp_path)
    run("remote", "set-url", "origin", "../store.git", at=tmp_path / "b")
    assert identify(tmp_path / "a").key == identify(tmp_path / "b").key


@needs_git
@pytest.mark.parametrize("form", ["{}", "file://{}", "{}/.git"])
@pytest.mark.parametrize("has_remote", [True, False])
def test_a_clone_of_a_folder_is_the_project_of_that_folder(
    origin: Path, tmp_path: Path, form: str, has_remote: bool
) -> None:
    shop = tmp_path / "my shop"
    run("clone", "-q", str(origin), str(shop), at=tmp_path)
    run("remote", *(("set-url", "origin", URL) if has_remote else ("remove", "origin")), at=shop)
    run("clone", "-q", form.format(shop), "second", at=tmp_path)
    run("clone", "-q", "second", "third", at=tmp_path)
    assert {identify(tmp_path / name).bank for name in ("second", "third")} == {identify(shop).bank}
    assert identify(tmp_path / "third").root == str(tmp_path / "third")


@needs_git
def test_clones_that_name_each_other_are_one_project(origin: Path, tmp_path: Path) -> None:
    names = ("a", "b", "c", "d")
    for name in names:
        run("clone", "-q", str(origin), name, at=tmp_path)
    for name, other in zip(names, ("b", "c", "a", "a"), strict=True):
        run("remote", "set-url", "origin", f"../{other}", at=tmp_path / name)
    assert {identify(tmp_path / name).key for name in names} == {f"git:{tmp_path / 'a' / '.git'}"}


@needs_git
def test_what_is_checked_in_cannot_pass_for_a_repository(origin: Path, tmp_path: Path) -> None:
    run("init", "-q", at=tmp_path)
    bare = tmp_path / "vendor"
    run("clone", "-q", "--bare", str(origin), str(bare), at=tmp_path)
    run("-C", str(bare), "remote", "set-url", "origin", URL, at=tmp_path)
    assert identify(bare).key == identify(tmp_path).key != identify(origin).key


@pytest.mark.parametrize("said", ["gitdir: /nowhere", "gitdir: \0", "nonsense", "gitdir: " + "x" * 5000, ""])
def test_a_broken_git_file_is_no_repository(tmp_path: Path, said: str) -> None:
    (tmp_path / ".git").write_text(said)
    assert identify(tmp_path).key == f"folder:{tmp_path.resolve()}"


def test_folders_that_the_setting_names_are_projects(tmp_path: Path) -> None:
    git = tmp_path / ".git"
    for name in ("objects", "refs"):
        (git / name).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text(f'[remote "origin"]\n url = {URL}\n')
    for name in ("packages/a/src", "packages/b", "docs"):
        (tmp_path / name).mkdir(parents=True)
    told = {name: identify(tmp_path / name, "packages/*, apps/*") for name in ("packages/a/src", "packages/b", "docs")}
    assert [told[name].subfolder for name in told] == ["packages/a", "packages/b", ""]
    assert told["docs"].key == "host.example/me/tool"
    assert len({each.bank for each in told.values()}) == 3


def test_an_id_is_read_only_where_it_is_one(tmp_path: Path) -> None:
    assert identify(tmp_path).carried is None
    (tmp_path / ID_FILE).write_text("tool-0123456789abcdef\n")
    assert identify(tmp_path).carried == "tool-0123456789abcdef"
    for bad in ("short", "two words here", "x" * 100, "päth-0123456789"):
        (tmp_path / ID_FILE).write_text(bad)
        assert identify(tmp_path).carried is None


NAMES = st.text(st.characters(blacklist_characters="/\0", blacklist_categories=["Cs"]), min_size=1, max_size=40)


@given(NAMES.filter(lambda name: name not in (".", "..", ".git") and len(name.encode()) < 200))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_any_folder_has_a_bank_of_its_own(tmp_path: Path, name: str) -> None:
    for beside in (name, f"{name}_"):
        (tmp_path / beside).mkdir(exist_ok=True)
    here, other = identify(tmp_path / name), identify(tmp_path / f"{name}_")
    assert check_name(here.bank) != check_name(other.bank)


@given(st.lists(st.sampled_from("abc"), max_size=5))
def test_the_deepest_pattern_counts(parts: list[str]) -> None:
    depth = 2 if parts[:1] == ["a"] and len(parts) > 1 else 1 if parts[:1] == ["a"] else 0
    assert subfolder(Path(*parts), "a, a/*") == "/".join(parts[:depth])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes by name")
@pytest.mark.parametrize("name", [ID_FILE, ".git/config", ".git/HEAD"])
def test_a_pipe_in_the_place_of_a_file_keeps_nobody_waiting(tmp_path: Path, name: str) -> None:
    for folder in (".git/objects", ".git/refs"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / ".git/HEAD").write_text("ref: refs/heads/main")
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    found: list[str] = []
    looking = threading.Thread(target=lambda: found.append(identify(tmp_path).place), daemon=True)
    looking.start()
    looking.join(20)
    assert len(found) == 1
