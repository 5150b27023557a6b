"""Ours and the standard decorator, on the same classes: nobody can tell them apart but by the clock."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from typing import Any

import pytest

from mnemopi.model import values


def _classes(dataclass: Any) -> dict[str, Any]:
    @dataclass(frozen=True, slots=True)
    class Point:
        """A point."""

        x: int
        y: float = 0.5
        tags: tuple[str, ...] = dataclasses.field(default=(), repr=False, metadata={"unit": "words"})
        notes: dict[str, int] = dataclasses.field(default_factory=dict)

        @property
        def sum(self) -> float:
            """The sum."""
            return self.x + self.y

    @dataclass(frozen=True, slots=True)
    class One:
        """One field."""

        x: object

    @dataclass(frozen=True, slots=True)
    class Nothing:
        """No field."""

    @dataclass(slots=True)
    class Changing:
        """Not frozen."""

        x: int
        doubled: int = 0

        def __post_init__(self) -> None:
            self.doubled = 2 * self.x

    return {each.__name__: each for each in (Point, One, Changing)} | {"Nothing": Nothing}


OURS, THEIRS = _classes(values.dataclass), _classes(dataclasses.dataclass)
BOTH = pytest.mark.parametrize("of", [OURS, THEIRS], ids=["ours", "standard"])


@dataclasses.dataclass(frozen=True, slots=True)
class Standard:
    x: int
    y: str = "a"


@values.dataclass(frozen=True, slots=True)
class Ours:
    x: int
    y: str = "a"


@BOTH
def test_values_are_made_with_positions_names_and_defaults(of: dict[str, Any]) -> None:
    point = of["Point"](1, y=2.0)
    assert (point.x, point.y, point.tags, point.notes, point.sum) == (1, 2.0, (), {}, 3.0)
    assert of["Point"](1).notes is not of["Point"](1).notes
    assert of["Changing"](4).doubled == 8
    for arguments in ((), (1, 2, 3, 4, 5)):
        with pytest.raises(TypeError, match="__init__"):
            of["Point"](*arguments)
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        of["Point"](1, z=2)


@BOTH
def test_values_are_equal_where_their_fields_are(of: dict[str, Any]) -> None:
    nan = float("nan")
    assert of["Point"](1, tags=("a",)) == of["Point"](1, tags=("a",)) != of["Point"](1)
    assert of["One"](nan) == of["One"](nan)
    assert of["One"](1) != of["Changing"](1)
    assert of["Nothing"]() == of["Nothing"]()
    assert len({of["One"](1), of["One"](1), of["One"](2)}) == 2
    with pytest.raises(TypeError, match="unhashable"):
        hash(of["Changing"](1))


@BOTH
def test_a_frozen_value_cannot_be_changed(of: dict[str, Any]) -> None:
    point = of["Point"](1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
        point.x = 2
    with pytest.raises((AttributeError, TypeError)):
        point.other = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        del point.x
    changing = of["Changing"](1)
    changing.x = 5
    assert changing == of["Changing"](5) or changing.doubled == 2
    with pytest.raises(AttributeError):
        changing.other = 1


def test_values_show_themselves_as_the_standard_ones_do() -> None:
    for name, arguments in (("Point", (1,)), ("One", ("a",)), ("Nothing", ()), ("Changing", (2,))):
        assert repr(OURS[name](*arguments)) == repr(THEIRS[name](*arguments))


@BOTH
def test_what_dataclasses_offers_works_on_them(of: dict[str, Any]) -> None:
    assert dataclasses.is_dataclass(of["Point"])
    assert [each.name for each in dataclasses.fields(of["Point"])] == ["x", "y", "tags", "notes"]
    assert dataclasses.fields(of["Point"])[2].metadata == {"unit": "words"}
    point = dataclasses.replace(of["Point"](1), y=3.0)
    assert point == of["Point"](1, 3.0)
    assert type(point) is of["Point"]
    assert dataclasses.asdict(point) == {"x": 1, "y": 3.0, "tags": (), "notes": {}}
    assert of["Point"].__slots__ == of["Point"].__match_args__ == ("x", "y", "tags", "notes")
    assert of["Point"].__doc__ == "A point."


@pytest.mark.parametrize("of", [Ours, Standard])
def test_values_can_be_copied_and_sent(of: Any) -> None:
    value = of(1, "b")
    assert copy.copy(value) == copy.deepcopy(value) == pickle.loads(pickle.dumps(value)) == value


def test_a_value_from_elsewhere_is_whole_before_any_was_made_here() -> None:
    code = (
        "import pickle, sys; value = pickle.loads(bytes.fromhex(sys.argv[1]));"
        "from mnemopi.model.interval import Interval; assert value == value != 1; assert hash(value);"
        "print(repr(value)); assert value == Interval(1, 2)"
    )
    from mnemopi.model.interval import Interval

    done = subprocess.run(
        [sys.executable, "-c", code, pickle.dumps(Interval(1, 2)).hex()], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "Interval(start=1, end=2, precision='span')"
