"""Each weight among the settings is live: it moves its own term of the score, and more of it never counts less."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from mnemopi import config
from mnemopi.engine import Mnemopi
from mnemopi.testing import FixedClock, HashingEmbedder

Made: TypeAlias = Callable[[Mnemopi, FixedClock], str]
WEIGHTS = {told.metadata["env"]: name for name, told in config.settings() if told.metadata["env"].endswith("_WEIGHT")}
SHORT = "the anchor is rusty"
OTHERS = ("the mast is tall", "a rusty nail lies on the pier", "the pilot boards at nine", "the yard opens in March")
TALES = (
    "The anchor is rusty and was lifted on Monday by the crew of the second ship.",
    "The harbour master asked for a new anchor chain of forty metres before winter.",
    "The crew decided to keep the rusty anchor until the yard opens again in March.",
    "The pilot said that the chain holds, and that the anchor is the weaker part.",
)


def note(memory: Mnemopi, _: FixedClock) -> str:
    return str(memory.remember(SHORT, importance=0.9))


def labelled(label: str) -> Made:
    """A note of that veracity."""
    return lambda memory, _: str(memory.remember(SHORT, veracity=label))


def told(days: int) -> Made:
    """An episode that many days old, which has lost detail with age."""

    def made(memory: Mnemopi, clock: FixedClock) -> str:
        episode = memory.consolidate(memory.remember(text, veracity="stated") for text in TALES)
        clock.advance(days=days)
        memory.sleep_all_sessions()
        return str(episode)

    return made


CASES: dict[str, tuple[str, Made]] = {
    "MNEMOPI_VEC_WEIGHT": ("meaning", note),
    "MNEMOPI_FTS_WEIGHT": ("words", note),
    "MNEMOPI_IMPORTANCE_WEIGHT": ("importance", note),
    "MNEMOPI_STATED_WEIGHT": ("trust", labelled("stated")),
    "MNEMOPI_INFERRED_WEIGHT": ("trust", labelled("inferred")),
    "MNEMOPI_TOOL_WEIGHT": ("trust", labelled("tool")),
    "MNEMOPI_IMPORTED_WEIGHT": ("trust", labelled("imported")),
    "MNEMOPI_UNKNOWN_WEIGHT": ("trust", labelled("unknown")),
    "MNEMOPI_TIER1_WEIGHT": ("trust", told(0)),
    "MNEMOPI_TIER2_WEIGHT": ("trust", told(40)),
    "MNEMOPI_TIER3_WEIGHT": ("trust", told(400)),
}


def terms(name: str, value: float, made: Made, monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """The terms of the one that is found, with a weight given in the environment; what is left out counts 0."""
    clock = FixedClock()
    with monkeypatch.context() as environment:
        environment.setenv(name, str(value))
        environment.setenv("MNEMOPI_SETTLE", "inline")
        with Mnemopi(":memory:", embeddings=HashingEmbedder(), clock=clock) as memory:
            for text in OTHERS:
                memory.remember(text)
            id = made(memory, clock)
            kind = memory.get(id).kind  # type: ignore[union-attr]
            (hit,) = (hit for hit in memory.recall("rusty anchor overboard", kind=kind) if hit.id == id)
            return {"order": hit.explanation.order, **hit.explanation.terms}


def test_each_weight_has_its_case() -> None:
    assert set(CASES) == set(WEIGHTS)


@pytest.mark.parametrize("name", CASES)
def test_a_weight_moves_its_own_term_and_no_other(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    term, made = CASES[name]
    scale = [terms(name, value, made, monkeypatch) for value in (0.1, 0.4, 0.9)]
    grown = [found.get(term, 0.0) for found in scale]
    assert grown[0] < grown[1] < grown[2]
    assert scale[0]["order"] < scale[1]["order"] < scale[2]["order"]
    others = [{key: value for key, value in found.items() if key not in (term, "order")} for found in scale]
    if name != "MNEMOPI_FTS_WEIGHT":  # all evidence that words give is one family
        assert others[1] == pytest.approx(others[0])
        assert others[2] == pytest.approx(others[0])
