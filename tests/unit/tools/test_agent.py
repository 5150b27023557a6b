"""The tools of a session, over each backend."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemopi.backends import resolve_backend
from mnemopi.backends.session import Session
from mnemopi.config import Config
from mnemopi.errors import (
    ChangedError,
    ConflictError,
    ExistsError,
    ForbiddenError,
    MnemopiError,
    NotFoundError,
    StorageError,
    UsageError,
)
from mnemopi.mcp import content
from mnemopi.model.session import Saved, SessionRef
from mnemopi.testing import ScriptedLLM
from mnemopi.tools import offer
from mnemopi.tools.agent_caller import AgentCaller
from mnemopi.tools.tool import Tool

NOON = 1_780_000_000_000
SKILL = {"name": "release-checklist", "description": "When a release is cut", "body": "1. Tag it."}
Start = Callable[..., "Agent"]


class Agent:
    """A session and its tools: `agent("recall", query="...")`."""

    def __init__(self, caller: AgentCaller, named: tuple[str, ...] = ()) -> None:
        self.caller = caller
        self.tools = {tool.name: tool for tool in offer.offered(caller, named)}

    def __call__(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        tool = self.tools[name]
        jsonschema.validate(arguments, tool.input_schema())
        answer = tool.run(self.caller, arguments)
        jsonschema.validate(json.loads(json.dumps(answer)), tool.output_schema())
        return answer


@pytest.fixture
def server() -> Iterator[Any]:
    made = runpy.run_path(str(Path(__file__).parents[2] / "fakes" / "hindsight.py"))["FakeHindsight"]()
    yield made
    made.close()


@pytest.fixture
def start(tmp_path: Path, server: Any) -> Iterator[Start]:
    """Begin a session on a backend, in a project's folder: `start("mnemopi", {"autolearn.enabled": True})`."""
    made: list[tuple[Session, Any]] = []

    def one(
        backend: str,
        settings: dict[str, Any] | None = None,
        *,
        parent: str | None = None,
        named: tuple[str, ...] = (),
        most: Any = "destroy",
        llm: Any = None,
    ) -> Agent:
        (tmp_path / "project").mkdir(exist_ok=True)
        config = Config.load(
            {
                "memory.backend": backend,
                "storage.data_dir": str(tmp_path / "data"),
                "embedding.enabled": False,
                "hindsight.api_url": server.url,
                "autolearn.authored_skills": "none",
                "autolearn.enabled": True,
                "memories.claude_sessions": "none",
                "memories.codex_sessions": "none",
                "memories.omp_sessions": "none",
                **(settings or {}),
            },
            environ={},
            file=tmp_path / "none.toml",
        )
        opened = resolve_backend(config, llm=llm, clock=lambda: NOON)
        session = Session(opened, SessionRef("pytest", "s1", str(tmp_path / "project"), parent))
        made.append((session, opened))
        return Agent(AgentCaller.of(session, config, most=most, clock=lambda: NOON), named)

    (tmp_path / "none.toml").write_text("")
    yield one
    for session, opened in made:
        session.close()
        opened.close()


LEARNING = ["learn", "manage_skill"]
ALL = ["retain", "recall", "reflect", "memory_edit"]


@pytest.mark.parametrize(
    ("backend", "names"),
    [
        ("off", ["manage_skill"]),
        ("local", LEARNING),
        ("mnemopi", ALL + LEARNING),
        ("hindsight", ALL[:3] + LEARNING),
        ("sharpshooter", ["manage_skill"]),
    ],
)
def test_a_session_is_offered_what_its_backend_can_do(start: Start, backend: str, names: list[str]) -> None:
    assert list(start(backend).tools) == names
    without = start(backend, {"autolearn.enabled": False})
    assert list(without.tools) == [name for name in names if name not in LEARNING]


def test_a_server_that_is_not_set_offers_nothing(start: Start, tmp_path: Path) -> None:
    (tmp_path / "none.toml").write_text('[hindsight]\napi_url = ""\n')
    assert list(start("hindsight", {"hindsight.api_url": ""}).tools) == ["manage_skill"]


def test_a_subagent_reads_and_learns_only_where_that_is_named(start: Start) -> None:
    assert list(start("mnemopi", parent="s0").tools) == ["recall", "reflect"]
    assert list(start("mnemopi", parent="s0", named=("manage_skill",)).tools) == ["recall", "reflect", "manage_skill"]


@pytest.mark.parametrize(
    ("backend", "scoping", "shared"),
    [("mnemopi", "per-project", False), ("mnemopi", "per-project-tagged", True), ("mnemopi", "global", True)],
)
def test_a_scope_is_asked_for_only_where_projects_share_a_bank(
    start: Start, backend: str, scoping: str, shared: bool
) -> None:
    agent = start(backend, {f"{backend}.scoping": scoping})
    item = agent.tools["retain"].input_schema()["$defs"].popitem()[1]
    assert ("scope" in item["properties"]) is shared
    assert ("scope" in agent.tools["learn"].input_schema()["properties"]) is shared
    assert ("global" in agent.tools["retain"].words) is shared


def test_what_is_retained_is_recalled_with_its_id_and_origin(start: Start) -> None:
    agent = start("mnemopi")
    kept = agent("retain", items=[{"content": "Staging listens on port 5433", "context": "asked Ines"}])
    assert kept["message"] == "1 memory stored."
    assert agent("retain", items=[{"content": "A"}, {"content": "B"}])["message"] == "2 memories stored."
    found = agent("recall", query="staging port")
    hit = found["memories"][0]
    assert (hit["id"], hit["source"], hit["version"]) == (kept["ids"][0], "coding-agent-retain", 1)
    assert found["message"].startswith("Found ")
    assert found["now"] == "2026-05-28 20:26 UTC"
    assert agent.caller.session.entry(hit["id"]).kept.metadata["context"] == "asked Ines"  # type: ignore[union-attr]


def test_a_long_memory_is_a_preview_that_says_how_long_it_is(start: Start) -> None:
    agent = start("mnemopi")
    text = "Staging listens on port 5433. " + "The night shift restarts it by hand. " * 60
    agent("retain", items=[{"content": text}])
    hit = agent("recall", query="staging port")["memories"][0]
    assert hit["truncated"] is True
    assert hit["full_length"] == len(text.strip())
    assert len(hit["content"]) < len(text)


def test_what_contradicts_something_else_says_so(start: Start) -> None:
    agent = start("mnemopi")
    for port in (7001, 7443):  # at one moment, so that no rule says which is the later
        agent("retain", items=[{"content": f"The billing API listens on port {port}."}])
    found = agent("recall", query="which is the port of the billing API?")["memories"]
    assert sorted(note for hit in found for note in hit["notes"]) == [
        "states: billing API port 7001 (contested)",
        "states: billing API port 7443 (contested)",
    ]


def test_nothing_found_is_no_error(start: Start) -> None:
    found = start("mnemopi")("recall", query="zebra")
    assert (found["count"], found["memories"]) == (0, [])
    assert found["message"]


def test_a_global_item_is_refused_before_anything_is_written_where_there_is_no_such_bank(start: Start) -> None:
    agent = start("mnemopi")
    with pytest.raises(UsageError, match="unknown argument"):
        agent.tools["retain"].run(agent.caller, {"items": [{"content": "A"}, {"content": "B", "scope": "global"}]})
    assert agent("recall", query="A B")["count"] == 0


def test_what_all_projects_share_is_kept_apart(start: Start) -> None:
    agent = start("mnemopi", {"mnemopi.scoping": "per-project-tagged"})
    agent("retain", items=[{"content": "Ines likes tabs", "scope": "global"}, {"content": "Tabs are four wide"}])
    banks = {hit["content"]: hit["bank"] for hit in agent("recall", query="tabs")["memories"]}
    assert banks["Ines likes tabs"] == "default"
    assert banks["Tabs are four wide"] != "default"


def test_where_some_of_a_batch_is_kept_the_error_says_which(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = start("mnemopi")
    half = Saved("mnemopi", ("id-1",), 1, message="Bank shared took none of its 1: the disk is full")
    monkeypatch.setattr(agent.caller.session.backend, "save", lambda *_: half)
    with pytest.raises(StorageError, match=r"1 of 2 were stored \(id-1\).*the disk is full"):
        agent("retain", items=[{"content": "A"}, {"content": "B"}])
    monkeypatch.setattr(agent.caller.session.backend, "save", lambda *_: Saved("mnemopi", message="the disk is full"))
    with pytest.raises(StorageError, match="nothing was stored: the disk is full"):
        agent("retain", items=[{"content": "A"}])


def test_a_server_queues_what_is_retained(start: Start) -> None:
    agent = start("hindsight")
    assert agent("retain", items=[{"content": "A"}, {"content": "B"}])["message"].startswith("2 memories queued")
    agent("retain", items=[{"content": "Staging listens on port 5433"}])
    assert "5433" in agent("recall", query="staging port")["memories"][0]["content"]
    assert agent("learn", memory="Deploys run on Tuesdays")["message"] == "Lesson queued."


@pytest.mark.parametrize("backend", ["mnemopi", "local", "hindsight"])
def test_words_that_a_host_cut_through_a_character_are_repaired(start: Start, backend: str) -> None:
    agent = start(backend)
    agent("learn", memory="Staging listens on port 5433 \ud83d", context="half \ud800")
    if "reflect" in agent.tools:
        assert agent("reflect", query="staging port \udc00", context="half \ud800")


def test_a_reflection_says_whether_somebody_thought(start: Start) -> None:
    agent = start("mnemopi")
    assert "nothing to reflect on" in agent("reflect", query="staging port")["message"]
    id = agent("retain", items=[{"content": "Staging listens on port 5433"}])["ids"][0]
    digest = agent("reflect", query="staging port", context="for a runbook")
    assert digest["digest"] is True
    assert digest["ids"] == [id]
    assert "no language model" in digest["message"]
    thinking = start("mnemopi", llm=ScriptedLLM(['{"answer": "It is 5433 [1].", "rests_on": [1]}']))
    answer = thinking("reflect", query="staging port")
    assert (answer["digest"], answer["text"], answer["ids"]) == (False, f"It is 5433 [{id}].", [id])


def test_a_memory_is_edited_by_the_id_that_recall_gave(start: Start) -> None:
    agent = start("mnemopi")
    id = agent("retain", items=[{"content": "Staging listens on port 5433"}])["ids"][0]
    done = agent("memory_edit", op="update", id=id, content="Staging listens on port 5434", importance=7, version=1)
    assert (done["status"], done["version"], done["store"]) == ("updated", 2, "working")
    assert done["bank"] in done["message"]
    with pytest.raises(ChangedError):
        agent("memory_edit", op="update", id=id, content="other", version=1)
    assert agent("memory_edit", op="forget", id=id)["status"] == "deleted"
    gone = agent("memory_edit", op="forget", id=id)
    assert gone["status"] == "not_found"
    assert "bank" not in gone


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"op": "update", "id": "x"}, "^update needs content or importance"),
        ({"op": "forget", "id": "x", "content": "y"}, "^forget"),
        ({"op": "update", "id": "x", "content": "y", "replacement_id": "z"}, "^update"),
        ({"op": "erase", "id": "x"}, "^op: "),
        ({"op": "forget"}, "^id is required"),
    ],
)
def test_an_edit_that_does_not_fit_is_refused(start: Start, wrong: dict[str, Any], told: str) -> None:
    agent = start("mnemopi")
    with pytest.raises(UsageError, match=told):
        agent.tools["memory_edit"].run(agent.caller, wrong)


def test_a_lesson_is_kept_and_a_skill_with_it(start: Start) -> None:
    for backend in ("mnemopi", "local"):
        agent = start(backend)
        done = agent("learn", memory=f"Deploys of {backend} run on Tuesdays")
        assert done["message"] == "Lesson stored."
        assert len(done["ids"]) == 1
    done = agent("learn", memory="Tags are signed", skill={"action": "create", **SKILL})
    assert done["skill"] == "release-checklist"
    assert [skill.name for skill in agent.caller.skills.list()] == ["release-checklist"]


def test_a_lesson_of_which_nothing_remains_writes_no_skill(start: Start) -> None:
    agent = start("local")
    with pytest.raises(StorageError, match="nothing"):
        agent("learn", memory="\u200b\x07", skill={"action": "create", **SKILL})
    assert agent.caller.skills.list() == ()


def test_where_the_skill_fails_the_error_says_that_the_lesson_was_kept(start: Start, tmp_path: Path) -> None:
    own = tmp_path / "own" / "release-checklist"
    own.mkdir(parents=True)
    (own / "SKILL.md").write_text("---\nname: release-checklist\ndescription: mine\n---\n\nBy hand.\n")
    agent = start("mnemopi", {"autolearn.authored_skills": str(tmp_path / "own")})
    with pytest.raises(ExistsError, match=r"Lesson stored .* the skill was not written"):
        agent("learn", memory="Tags are signed", skill={"action": "create", **SKILL})
    with pytest.raises(ConflictError, match="Lesson stored"):
        agent("learn", memory="Tags are pushed", skill={"action": "update", **SKILL, "name": "../up"})
    assert agent("recall", query="tags")["count"] == 2
    assert agent.caller.skills.list() == ()


def test_a_skill_is_made_changed_and_deleted_and_the_list_follows(start: Start) -> None:
    agent = start("off")
    made = agent("manage_skill", action="create", **SKILL)
    assert (made["message"], made["path"]) == ("Skill release-checklist created.", "release-checklist/SKILL.md")
    assert made["skills"] == ["release-checklist"]
    assert agent("manage_skill", action="update", **SKILL | {"body": "2. Push it."})["message"].endswith("updated.")
    assert agent.caller.skills.get("release-checklist").body == "2. Push it."
    assert agent("manage_skill", action="delete", name="Release-Checklist")["skills"] == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"action": "create", "name": "a"},
        {"action": "update", "name": "a", "body": "b"},
        {"action": "delete", "name": "a", "body": "b"},
    ],
)
def test_a_skill_needs_what_its_action_needs_and_nothing_else(start: Start, wrong: dict[str, Any]) -> None:
    agent = start("off")
    with pytest.raises(UsageError):
        agent.tools["manage_skill"].run(agent.caller, wrong)


@pytest.mark.parametrize("name", ["..", "a/b", "a b", "", "-a", "ä", "a" * 65, "a\x00"])
def test_no_name_of_a_skill_leads_out_of_their_folder(start: Start, name: str, tmp_path: Path) -> None:
    agent = start("off")
    for action in ("create", "delete"):
        given = {"action": action, **SKILL, "name": name} if action == "create" else {"action": action, "name": name}
        with pytest.raises(MnemopiError):
            agent.tools["manage_skill"].run(agent.caller, given)
    assert agent.caller.skills.list() == ()


def test_names_of_the_skills_that_people_have_in_a_project_are_not_claimed(start: Start, tmp_path: Path) -> None:
    own = tmp_path / "project" / ".claude" / "skills" / "mine"
    own.mkdir(parents=True)
    (own / "SKILL.md").write_text('---\nname: "Ours"\ndescription: by hand\n---\n\n1. Ask.\n')
    agent = start("off", {"autolearn.authored_skills": ""})
    for name in ("mine", "ours"):
        with pytest.raises(ExistsError, match="a skill of yours"):
            agent("manage_skill", action="create", **SKILL | {"name": name})
    assert start("off")("manage_skill", action="create", **SKILL | {"name": "mine"})["skills"] == ["mine"]
    assert agent.caller.skills.list() == ()


# -- who may do what


def test_each_tool_says_the_most_that_it_does(start: Start) -> None:
    effects = {name: (tool.least, tool.effect) for name, tool in start("mnemopi").tools.items()}
    assert effects == {
        "retain": (None, "add"),
        "recall": (None, "read"),
        "reflect": (None, "read"),
        "memory_edit": ("change", "destroy"),
        "learn": ("add", "change"),
        "manage_skill": ("add", "destroy"),
    }


def test_hosts_are_told_what_may_destroy(start: Start) -> None:
    hints = {name: content.listed(tool).annotations for name, tool in start("mnemopi").tools.items()}
    assert [name for name, told in hints.items() if told and told.destructive_hint] == ["memory_edit", "manage_skill"]
    assert [name for name, told in hints.items() if told and told.read_only_hint] == ["recall", "reflect"]


def test_who_only_reads_is_offered_what_reads(start: Start) -> None:
    assert list(start("mnemopi", most="read").tools) == ["recall", "reflect"]


def test_what_a_call_does_depends_on_what_it_asks_for(start: Start) -> None:
    agent = start("mnemopi", {"mnemopi.scoping": "per-project-tagged"}, most="add")
    assert "memory_edit" not in agent.tools
    id = agent("retain", items=[{"content": "Tabs"}])["ids"][0]
    agent("manage_skill", action="create", **SKILL)
    for name, arguments in (
        ("retain", {"items": [{"content": "Tabs", "scope": "global"}]}),
        ("learn", {"memory": "Tabs", "scope": "global"}),
        ("learn", {"memory": "Tabs", "skill": {"action": "update", **SKILL}}),
        ("manage_skill", {"action": "update", **SKILL}),
        ("manage_skill", {"action": "delete", "name": "release-checklist"}),
    ):
        with pytest.raises(ForbiddenError):
            agent(name, **arguments)
    changing = start("mnemopi", most="change")
    assert changing("memory_edit", op="invalidate", id=id)["status"] == "invalidated"
    with pytest.raises(ForbiddenError, match="destroy"):
        changing("memory_edit", op="forget", id=id)
    with pytest.raises(NotFoundError):
        offer.TOOLS[3].run(agent.caller, {"op": "forget", "id": id})


# -- what the model is told


def test_a_session_is_told_of_the_tools_that_it_has_and_no_others(start: Start) -> None:
    def told(agent: Agent) -> str:
        return offer.instructions(agent.caller, tuple(agent.tools.values()))

    whole = told(start("mnemopi"))
    assert all(word in whole for word in ("Recall", "Retain", "memory_edit", "manage_skill", "`learn`"))
    plain = told(start("hindsight", {"autolearn.enabled": False}))
    assert "memory_edit" not in plain
    assert "skill" not in plain
    assert "memory://root" in told(start("local"))
    assert "`learn`" not in told(start("off"))
    assert told(start("off", {"autolearn.enabled": False})) == ""


def test_skills_are_listed_for_the_next_session_as_data(start: Start) -> None:
    agent = start("off")
    assert offer.learned_skills(agent.caller) is None
    agent("manage_skill", action="create", **SKILL | {"description": "When <b>releases</b> are cut\nnow"})
    block = offer.learned_skills(start("off", {"autolearn.enabled": False}).caller)
    assert block is not None
    assert "- release-checklist: When breleases/b are cut now (" in block.text
    assert block.placement == "prefix"
    assert block.digest == offer.learned_skills(start("off").caller).digest  # type: ignore[union-attr]
    assert "release-checklist" in offer.instructions(agent.caller, ())


@pytest.mark.parametrize("tool", offer.TOOLS, ids=lambda tool: tool.name)
def test_an_unknown_argument_is_an_error(start: Start, tool: Tool) -> None:
    with pytest.raises(UsageError, match="unknown argument 'colour'"):
        tool.run(start("mnemopi").caller, {"colour": "red"})


@pytest.mark.parametrize("tool", offer.TOOLS, ids=lambda tool: tool.name)
def test_each_argument_is_described(tool: Tool) -> None:
    schema = tool.input_schema()
    held = [schema, *schema.get("$defs", {}).values()]
    silent = {
        name
        for each in held
        for name, told in each.get("properties", {}).items()
        if "description" not in told and name not in ("action", "scope")
    }
    assert silent == set()


TEXT = st.text(max_size=20) | st.sampled_from(["\x00", "\u202e", "\ud800", "<memories>", "x" * 5000])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
LIKELY = {
    "items": st.lists(st.fixed_dictionaries({"content": TEXT}, optional={"context": TEXT}), max_size=3),
    "op": st.sampled_from(["update", "forget", "invalidate"]),
    "action": st.sampled_from(["create", "update", "delete"]),
    "limit": st.integers(-1, 60),
    "importance": st.floats(),
    "skill": st.fixed_dictionaries({"action": st.just("create"), "name": TEXT, "description": TEXT, "body": TEXT}),
}


@pytest.fixture
def agents(start: Start) -> list[Agent]:
    return [start(backend) for backend in ("mnemopi", "local", "hindsight")]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_it_is_called_with_it_answers_or_says_what_is_wrong(agents: list[Agent], data: Any) -> None:
    agent = data.draw(st.sampled_from(agents))
    tool = data.draw(st.sampled_from(list(agent.tools.values())))
    wanted = {name: LIKELY.get(name, TEXT) for name in tool.input_schema()["required"]}
    other = {name: LIKELY.get(name, TEXT) | JSON for name in tool.input.model_fields if name not in wanted}
    arguments = data.draw(st.fixed_dictionaries(wanted, optional=other) | st.dictionaries(st.text(max_size=9), JSON))
    try:
        answer = tool.run(agent.caller, arguments)
    except MnemopiError as error:
        assert error.message
    else:
        jsonschema.validate(json.loads(json.dumps(answer)), tool.output_schema())
