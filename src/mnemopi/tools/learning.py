"""Tools for learning: learn, manage_skill. A lesson is kept first, so that a skill that fails takes nothing with it."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, model_validator

from mnemopi.errors import ConflictError, ExistsError, MnemopiError
from mnemopi.model.session import Lesson
from mnemopi.tools.agent import Context, Scope, Words, kept
from mnemopi.tools.agent_caller import AgentCaller
from mnemopi.tools.caller import Effect
from mnemopi.tools.tool import Input, Output, Tool

SOURCE: Final = "coding-agent-learn"

Name = Annotated[str, Field(description="Its name: 1 to 64 of a-z, 0-9 and -, such as release-checklist.")]
Description = Annotated[Words, Field(description="When it helps, in a line.")]
Body = Annotated[Words, Field(description="The procedure, in Markdown: steps, traps, how to tell that it worked.")]


class SkillIn(Input):
    """A skill to write beside a lesson."""

    action: Literal["create", "update"]
    name: Name
    description: Description
    body: Body


class LearnIn(Input):
    """A lesson, and perhaps a skill."""

    memory: Words = Field(min_length=1, description="The lesson, in words that stand on their own.")
    context: Context = None
    skill: Annotated[SkillIn | None, Field(description="A skill to write along with it.")] = None


class ScopedLearnIn(LearnIn):
    """A lesson and for whom, and perhaps a skill."""

    scope: Scope = "project"


class LearnOut(Output):
    """What was kept, and which skill was written."""

    message: str
    ids: list[str]
    skill: str | None = None


class ManageSkillIn(Input):
    """A skill, and what is to be done with it."""

    action: Literal["create", "update", "delete"]
    name: Name
    description: Annotated[str | None, Field(description="With create and update: when it helps, in a line.")] = None
    body: Annotated[str | None, Field(description="With create and update: the procedure, in Markdown.")] = None

    @model_validator(mode="after")
    def _fits(self) -> ManageSkillIn:
        given = self.given("description", "body")
        if self.action == "delete" and given:
            raise ValueError(f"delete takes no {next(iter(given))}")
        if self.action != "delete" and len(given) < 2:
            raise ValueError(f"{self.action} needs description and body")
        return self


class ManageSkillOut(Output):
    """What was done, and the skills that there are now."""

    message: str
    action: str
    name: str
    path: str | None = None
    skills: list[str]


def learn(caller: AgentCaller, asked: LearnIn) -> LearnOut:
    """Keep a lesson, then write the skill that comes with it."""
    everywhere = getattr(asked, "scope", "project") == "global"
    saved = caller.session.save([Lesson(asked.memory, asked.context, SOURCE, everywhere=everywhere)])
    kept(saved, 1)
    fate = "Lesson queued" if saved.queued else "Lesson stored"
    ids = list(saved.ids)
    if asked.skill is None:
        return LearnOut(message=f"{fate}.", ids=ids, skill=None)
    told = asked.skill
    try:
        skill = write(caller, told.action, told.name, told.description, told.body)
    except MnemopiError as error:
        lost = f"{fate} ({', '.join(ids)}), but the skill was not written: {error.message}"
        kind = ExistsError if isinstance(error, ExistsError) else ConflictError
        raise kind(lost, hint=f"{error.hint or 'change the skill'}; manage_skill writes it") from error
    return LearnOut(message=f"{fate}. Skill {skill[0]} {told.action}d.", ids=ids, skill=skill[0])


def manage(caller: AgentCaller, asked: ManageSkillIn) -> ManageSkillOut:
    """Write or delete a skill."""
    name, path = asked.name, None
    if asked.action == "delete":
        name = asked.name.strip().lower()
        caller.skills.delete(asked.name)
    else:
        name, path = write(caller, asked.action, asked.name, asked.description or "", asked.body or "")
    return ManageSkillOut(
        message=f"Skill {name} {asked.action}d.",
        action=asked.action,
        name=name,
        path=path,
        skills=[skill.name for skill in caller.skills.list()],
    )


def write(caller: AgentCaller, action: str, name: str, description: str, body: str) -> tuple[str, str]:
    """Create or update a skill, and return its name and its place below the folder of skills."""
    skills = caller.skills
    done = (skills.create if action == "create" else skills.update)(name, description, body)
    return done.name, f"{done.name}/SKILL.md"


def _learns(asked: LearnIn) -> Effect:
    shared = getattr(asked, "scope", "project") == "global"
    return "change" if shared or (asked.skill is not None and asked.skill.action == "update") else "add"


def _manages(asked: ManageSkillIn) -> Effect:
    effects: dict[str, Effect] = {"create": "add", "update": "change", "delete": "destroy"}
    return effects[asked.action]


_LEARN: Final = (
    "Keep a lesson that this session taught: a cause that took long to find, a trap, a correction, something about "
    "this project that no file says. With `skill`, write the procedure that belongs to it as well."
)
_SHARED: Final = " With `scope` global the lesson goes to what all projects share."
LEARN: Final = Tool("learn", "Learn", _LEARN, LearnIn, LearnOut, learn, "change", least="add", by=_learns)
LEARN_SCOPED: Final = Tool(
    "learn", "Learn", _LEARN + _SHARED, ScopedLearnIn, LearnOut, learn, "change", least="add", by=_learns
)
MANAGE: Final = Tool(
    "manage_skill",
    "Manage skills",
    "Write down a procedure that will be needed again as a skill, change it, or delete it. Only skills that an agent "
    "wrote are touched. Keep few; rather change one that is there than make another beside it.",
    ManageSkillIn,
    ManageSkillOut,
    manage,
    "destroy",
    least="add",
    by=_manages,
)
