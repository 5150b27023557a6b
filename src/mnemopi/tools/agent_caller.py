"""Who calls the tools of a session: the session itself, the skills that it may write, and what it may do."""

from __future__ import annotations

from mnemopi.backends.session import Session
from mnemopi.config import Config
from mnemopi.engine import system_clock
from mnemopi.model.values import dataclass
from mnemopi.ports import Clock
from mnemopi.skills import ManagedSkills, authored_names
from mnemopi.tools.caller import Effect, allows

SKILLS = "managed-skills"
"""The folder of skills that agents wrote, within the folder of the agent layer."""


@dataclass(frozen=True, slots=True)
class AgentCaller:
    """A session that calls tools. `learns`: it may write lessons and skills for itself."""

    session: Session
    config: Config
    learns: bool = False
    most: Effect = "destroy"
    clock: Clock = system_clock

    @classmethod
    def of(cls, session: Session, config: Config, **given: object) -> AgentCaller:
        """Make the caller of a session as the settings say."""
        return cls(session, config, learns=config.autolearn.enabled, **given)  # type: ignore[arg-type]

    def may(self, effect: Effect) -> bool:
        """Whether the session may use tools of an effect."""
        return allows(self.most, effect)

    @property
    def skills(self) -> ManagedSkills:
        """The skills that agents wrote; what people's own are called is looked at anew each time."""
        authored = authored_names(self.config.skill_dirs(self.session.ref.cwd))
        return ManagedSkills(self.config.agent_dir / SKILLS, authored)
