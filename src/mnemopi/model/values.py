"""`dataclass` for values of ours: it does what the standard one does, but makes the methods when they are first used.

A program loads many kinds of values and uses few of them, and Python's own decorator takes longer for a class than
reading the rest of its module. Only `@dataclass(frozen=..., slots=True)` without inheritance is known here; `field`,
`replace` and their like come from `dataclasses`, and work.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, frozen: bool = False, slots: bool = True) -> Callable[[type], type]:
        """Make a class of values; its fields are its annotations."""
        return lambda plan: _made(plan, frozen)


_completing = threading.RLock()
_NO_DEFAULT: Any = object()


class _Fields:
    """The record by which `dataclasses` knows a class: made by the standard decorator, on the plan of the class."""

    def __init__(self, plan: type, frozen: bool) -> None:
        self._plan, self._frozen = plan, frozen

    def __get__(self, value: object, owner: type) -> Any:
        with _completing:
            if not dataclasses.is_dataclass(self._plan):
                dataclasses.dataclass(init=False, repr=False, eq=False)(self._plan)
        return self._plan.__dataclass_fields__  # type: ignore[attr-defined]


def _made(plan: type, frozen: bool) -> type:
    names = tuple(plan.__annotations__)
    body = {name: each for name, each in vars(plan).items() if name not in (*names, "__dict__", "__weakref__")}
    methods = _methods(plan, names, frozen) | {"__slots__": names, "__match_args__": names}
    made = type(plan.__name__, plan.__bases__, methods | body)
    made.__qualname__ = plan.__qualname__

    def first(self: Any, *arguments: Any, **named: Any) -> None:
        written = made.__init__ = _written(plan, names, frozen)  # type: ignore[misc]
        written(self, *arguments, **named)

    made.__init__ = first  # type: ignore[misc]
    return made


def _methods(plan: type, names: tuple[str, ...], frozen: bool) -> dict[str, Any]:
    shown = [name for name in names if getattr(vars(plan).get(name), "repr", True)]
    get = attrgetter(*names, "__class__")  # two at least, so that a tuple comes back

    def equal(self: Any, other: Any) -> bool:
        return get(self) == get(other) if other.__class__ is self.__class__ else NotImplemented

    def show(self: Any) -> str:
        return f"{self.__class__.__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    def state(self: Any) -> list[Any]:
        return [getattr(self, name) for name in names]

    def restore(self: Any, state: list[Any]) -> None:
        for name, each in zip(names, state, strict=True):
            object.__setattr__(self, name, each)

    def refuse(self: Any, name: str, *_: Any) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    methods: dict[str, Any] = {"__eq__": equal, "__repr__": show, "__getstate__": state, "__setstate__": restore}
    methods |= {"__hash__": None, "__dataclass_fields__": _Fields(plan, frozen)}
    if frozen:
        methods |= {"__hash__": lambda self: hash(get(self)), "__setattr__": refuse, "__delattr__": refuse}
    return methods


def _written(plan: type, names: tuple[str, ...], frozen: bool) -> Any:
    """Write `__init__` as one would by hand."""
    known: dict[str, Any] = {"_put": object.__setattr__, "_none": _NO_DEFAULT}
    parameters, lines = ["self"], []
    for name in names:
        value, default = name, vars(plan).get(name, _NO_DEFAULT)
        if isinstance(default, dataclasses.Field):
            if default.default_factory is not dataclasses.MISSING:
                known[f"_make_{name}"] = default.default_factory
                value, default = f"_make_{name}() if {name} is _none else {name}", None
                known[f"_usual_{name}"] = _NO_DEFAULT
            elif (default := default.default) is dataclasses.MISSING:
                default = _NO_DEFAULT
        if default is not _NO_DEFAULT:
            known.setdefault(f"_usual_{name}", default)
        parameters.append(name if default is _NO_DEFAULT else f"{name}=_usual_{name}")
        lines.append(f"_put(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(plan, "__post_init__"):
        lines.append("self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n  " + "\n  ".join(lines or ["pass"]), known)
    known["__init__"].__qualname__ = f"{plan.__qualname__}.__init__"
    return known["__init__"]
