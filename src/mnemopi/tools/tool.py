"""A tool as data: its name, words, input and output, what it does to what is stored, and the function that does it.

Faces take the schemas for their lists and call `run`. An argument that is unknown or unusable is a UsageError here, so
that every face refuses the same. Nothing here knows a protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, ValidationError, model_validator

from mnemopi.errors import ForbiddenError, NotFoundError, UsageError
from mnemopi.model.values import dataclass
from mnemopi.tools.caller import Asking, Effect


def _number(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("a number, not true or false")
    return value


Number = Annotated[float, BeforeValidator(_number), Field(allow_inf_nan=False)]
Whole = Annotated[int, BeforeValidator(_number)]
Flag = StrictBool
Reranked = Annotated[
    Flag | None, Field(description="Whether the reranker, where one is set, reads the best; by default as configured.")
]
BankName = Annotated[str | None, Field(description="Bank to work on; by default the one of this server.")]
MemoryId = Annotated[str, Field(description="Id of the memory.")]


class Input(BaseModel):
    """Arguments of a tool. None counts as not given; a name that is not declared is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: Any) -> Any:
        return {name: value for name, value in given.items() if value is not None} if isinstance(given, dict) else given

    def given(self, *names: str) -> dict[str, Any]:
        """Return the named arguments that were given, for functions with defaults of their own."""
        return {name: value for name in names if (value := getattr(self, name)) is not None}


class InBank(Input):
    """Arguments of a tool that works on one bank."""

    bank: BankName = None


class Output(BaseModel):
    """What a tool answers. What is None is left out."""

    model_config = ConfigDict(extra="forbid")

    def as_dict(self) -> dict[str, Any]:
        """Render the answer for programs."""
        return self.model_dump(mode="json", exclude_none=True)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `again` says that calling it again with the same arguments changes nothing more.

    `effect` is the most that a call does. Where that depends on the arguments, `least` is what it does at least, and
    `by` says what a call with some arguments does.
    """

    name: str
    title: str
    words: str
    input: type[Input]
    output: type[Output]
    handler: Callable[[Any, Any], Output]
    effect: Effect
    again: bool = False
    core: bool = False
    least: Effect | None = None
    by: Callable[[Any], Effect] | None = None

    @property
    def idempotent(self) -> bool:
        """Whether a second call with the same arguments changes nothing more."""
        return self.again or self.effect == "read"

    def is_for(self, caller: Asking) -> bool:
        """Whether a caller may use it at all."""
        return caller.may(self.least or self.effect)

    def run(self, caller: Asking, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Check the arguments, do it, and return the answer. Raises MnemopiError kinds."""
        if not self.is_for(caller):
            raise NotFoundError(f"there is no tool {self.name!r} for you", hint=f"you may {caller.most} at most")
        return self.done(caller, self.checked(arguments)).as_dict()

    def done(self, caller: Asking, asked: Input) -> Output:
        """Do what was asked in arguments that are checked. Raises ForbiddenError for more than the caller may."""
        if self.by is not None and not caller.may(self.by(asked)):
            raise ForbiddenError(f"{self.name} would {self.by(asked)} here", hint=f"you may {caller.most} at most")
        return self.handler(caller, asked)

    def checked(self, arguments: Mapping[str, Any]) -> Input:
        """Read the arguments. Raises UsageError; its message says nothing of what they hold."""
        try:
            return self.input.model_validate(arguments)
        except ValidationError as error:
            raise UsageError(faults(error), hint=self._known()) from error

    def input_schema(self) -> dict[str, Any]:
        """Return the JSON schema of the arguments, in few words."""
        return dict(brief(self.input.model_json_schema()))

    def output_schema(self) -> dict[str, Any]:
        """Return the JSON schema of the answer, in few words."""
        return dict(brief(self.output.model_json_schema(mode="serialization")))

    def _known(self) -> str:
        names = ", ".join(self.input.model_fields)
        return f"{self.name} takes {names}" if names else f"{self.name} takes no arguments"


def faults(error: ValidationError, what: str = "argument") -> str:
    """Say in one line what is wrong with input, and nothing of what it holds."""
    said = []
    for fault in error.errors(include_input=False, include_url=False, include_context=False)[:5]:
        place = ".".join(str(part) for part in fault["loc"])
        if fault["type"] == "extra_forbidden":
            said.append(f"unknown {what} {place[:80]!r}")
        elif fault["type"] == "missing":
            said.append(f"{place} is required")
        else:
            told = fault["msg"].removeprefix("Value error, ")
            said.append(f"{place[:80]}: {told}" if place else told)
    return "; ".join(dict.fromkeys(said))


def brief(schema: Any) -> Any:
    """Leave out what says nothing to a reader: titles, docstrings of models, null as another kind of absence."""
    if isinstance(schema, list):
        return [brief(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    told = {name: each for name, each in schema.items() if not (name == "title" and isinstance(each, str))}
    if told.get("type") == "object" and "properties" in told:
        told.pop("description", None)
        told["properties"] = {name: brief(each) for name, each in told["properties"].items()}
        return {name: each if name == "properties" else brief(each) for name, each in told.items()}
    choices = told.get("anyOf")
    if isinstance(choices, list) and {"type": "null"} in choices:
        rest = [each for each in choices if each != {"type": "null"}]
        del told["anyOf"]
        told = {**rest[0], **told} if len(rest) == 1 else {"anyOf": rest, **told}
    if told.get("default", "") is None:
        del told["default"]
    return {name: each if name in ("default", "enum", "const") else brief(each) for name, each in told.items()}
