"""Learning in a folder that somebody else prepared: nothing outside it is written, taken in, or lost."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemopi.backends import resolve_backend
from mnemopi.backends.session import Session
from mnemopi.config import Config
from mnemopi.errors import ConflictError, MnemopiError
from mnemopi.model.session import SessionRef
from mnemopi.tools import learning
from mnemopi.tools.agent_caller import AgentCaller

WAYS = ["..", "/", "~", "\\", "a", "\x00", "%2e"]
OUTSIDE = "what nobody but its owner reads\n"
LEARNING = """
import sys
from mnemopi.backends import resolve_backend
from mnemopi.backends.session import Session
from mnemopi.config import Config
from mnemopi.model.session import SessionRef
from mnemopi.tools import learning
from mnemopi.tools.agent_caller import AgentCaller
data, project, name = sys.argv[1:]
config = Config.load({"memory.backend": "local", "storage.data_dir": data, "autolearn.enabled": True})
backend = resolve_backend(config)
caller = AgentCaller.of(Session(backend, SessionRef("pytest", name, project)), config)
print("ready", flush=True)
sys.stdin.read()
for number in range(15):
    learning.LEARN.run(caller, {"memory": f"Lesson {number} of {name}"})
try:
    skill = {"name": "same", "description": name, "body": name}
    learning.MANAGE.run(caller, {"action": "create", **skill})
    print("made")
except Exception as error:
    print(getattr(error, "code", error))
backend.close()
"""


@pytest.fixture
def session(tmp_path: Path, request: pytest.FixtureRequest) -> AgentCaller:
    (tmp_path / "project").mkdir()
    (tmp_path / "outside.md").write_text(OUTSIDE)
    config = Config.load(
        {
            "memory.backend": "local",
            "storage.data_dir": str(tmp_path / "data"),
            "autolearn.enabled": True,
            "autolearn.authored_skills": "none",
        }
    )
    backend = resolve_backend(config)
    request.addfinalizer(backend.close)
    return AgentCaller.of(Session(backend, SessionRef("pytest", "s1", str(tmp_path / "project"))), config)


def root(caller: AgentCaller) -> Path:
    backend: Any = caller.session.backend
    return Path(backend.folders(caller.session.ref).roots[0])


def learn(caller: AgentCaller, text: str = "Tags are signed") -> dict[str, Any]:
    return learning.LEARN.run(caller, {"memory": text})


def put_link(caller: AgentCaller, outside: Path) -> None:
    root(caller).mkdir(parents=True)
    (root(caller) / "learned.md").symlink_to(outside)


def put_link_to_nothing(caller: AgentCaller, outside: Path) -> None:
    root(caller).mkdir(parents=True)
    (root(caller) / "learned.md").symlink_to(outside.parent / "nothing.md")


def put_linked_folder(caller: AgentCaller, outside: Path) -> None:
    (outside.parent / "elsewhere").mkdir()
    root(caller).parent.mkdir(parents=True)
    root(caller).symlink_to(outside.parent / "elsewhere")


@pytest.mark.parametrize("prepare", [put_link, put_link_to_nothing, put_linked_folder])
def test_a_lesson_goes_through_no_link(
    session: AgentCaller, tmp_path: Path, prepare: Callable[[AgentCaller, Path], None]
) -> None:
    prepare(session, tmp_path / "outside.md")
    with pytest.raises(ConflictError, match="is a link"):
        learn(session)
    assert (tmp_path / "outside.md").read_text() == OUTSIDE
    assert not (tmp_path / "nothing.md").exists()
    assert list(tmp_path.glob("elsewhere/*")) == []


def test_what_a_link_leads_to_is_not_put_before_a_model(session: AgentCaller, tmp_path: Path) -> None:
    put_link(session, tmp_path / "outside.md")
    effect = session.session.start()
    assert effect.degraded is not None and "is a link" in effect.degraded
    assert OUTSIDE.strip() not in "".join(block.text for block in effect.blocks)


def test_a_file_with_another_name_elsewhere_keeps_its_text_there(session: AgentCaller, tmp_path: Path) -> None:
    learn(session, "First")
    os.link(root(session) / "learned.md", tmp_path / "copy.md")
    learn(session, "Second")
    assert "Second" not in (tmp_path / "copy.md").read_text()
    assert "Second" in (root(session) / "learned.md").read_text()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from(["..", "/", "~", "\\", "a", "\x00", "%2e"]), max_size=6).map("".join)
)
def test_no_name_of_a_skill_makes_anything_outside(session: AgentCaller, tmp_path: Path, name: str) -> None:
    there = {path for path in tmp_path.rglob("*") if "managed-skills" not in path.parts}
    given_ = {"action": "create", "name": name, "description": "d", "body": "b"}
    try:
        done = learning.MANAGE.run(session, given_)
    except MnemopiError:
        pass
    else:
        assert (session.skills.root / done["path"]).is_file()
        learning.MANAGE.run(session, {"action": "delete", "name": name})
    assert {path for path in tmp_path.rglob("*") if "managed-skills" not in path.parts} <= there | {
        session.skills.root.parent,
        tmp_path / "data",
    }


def test_of_several_processes_each_keeps_its_lessons_and_one_makes_the_skill(
    session: AgentCaller, tmp_path: Path
) -> None:
    names = ("one", "two", "three")
    command = [sys.executable, "-c", LEARNING, str(tmp_path / "data"), str(tmp_path / "project")]
    running = [
        subprocess.Popen([*command, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for name in names
    ]
    for each in running:
        assert each.stdout is not None and each.stdout.readline() == "ready\n"
    said = [each.communicate("")[0].strip() for each in running]
    assert sorted(said) == ["exists", "exists", "made"]
    kept = (root(session) / "learned.md").read_text()
    assert all(f"Lesson {number} of {name}\n" in kept for name in names for number in range(15))
