"""Where a session's memories lie on the server: bank, tags, and what a recall may see."""

from __future__ import annotations

from typing import Final

from mnemopi.agent_settings import HindsightConfig
from mnemopi.errors import ConfigError
from mnemopi.model.values import dataclass
from mnemopi.projects.registry import Project

TYPES: Final = ("world", "experience", "observation")


@dataclass(frozen=True, slots=True)
class Scope:
    """The bank and tags that what is kept gets, and the banks and tags that a recall sees, its own first.

    What carries no tag at all is seen as well. `label` is the project's, where the scope is a project's.
    """

    bank: str
    tags: tuple[str, ...] = ()
    recall_banks: tuple[str, ...] = ()
    recall_tags: tuple[str, ...] = ()
    label: str = ""

    @property
    def described(self) -> str:
        """The scope in words."""
        return f"bank {self.bank}, {', '.join(self.tags)}" if self.tags else f"bank {self.bank}"


def of(config: HindsightConfig, project: Project) -> Scope:
    """Return the scope of a project: what it is known by keeps namesakes apart. Raises ConfigError."""
    common = base(config)
    if config.scoping == "global":
        return Scope(common, recall_banks=(common,))
    # In lower case: the server compares tags letter by letter.
    labels = [each.lower() for each in (project.bank, *project.also)]
    if config.scoping == "per-project":
        banks = tuple(f"{common}-{each}" for each in labels)
        return Scope(banks[0], recall_banks=banks, label=labels[0])
    tags = tuple(f"project:{each}" for each in labels)
    return Scope(common, tags[:1], (common,), tags, labels[0])


def base(config: HindsightConfig) -> str:
    """Return the common bank, whose name begins those of the projects'. Raises ConfigError."""
    name = "-".join(part for part in (config.bank_id_prefix, config.bank_id or "omp") if part)
    if "/" in name:
        hint = "set HINDSIGHT_BANK_ID to letters, digits, `.`, `_` and `-`"
        raise ConfigError("hindsight.bank_id", name, "settings", "the server finds no bank with a `/`", hint=hint)
    return name


def types(config: HindsightConfig) -> list[str]:
    """Return the kinds of memories to recall. Raises ConfigError for one that there is not."""
    named = [part.strip() for part in config.recall_types.split(",") if part.strip()]
    for each in named:
        if each not in TYPES:
            raise ConfigError("hindsight.recall_types", each, "settings", f"not one of {', '.join(TYPES)}")
    return named
