"""Which prompts are looked at, and which deltas are let in."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemopi.backends.sharpshooter import delta, friction

OPTIONS = "There are two ways:\n1) one file\n2) one file each"


@pytest.mark.parametrize(
    ("prompt", "before", "expected"),
    [
        ("Use tabs in every file of this project", "", True),
        ("opt 2", OPTIONS, True),
        ("2", OPTIONS, True),
        ("go for it", "Shall I split it?", True),
        ("ok", "Shall I split it?", True),
        ("yes", "Shall I split it?", True),
        ("go for it", "It is done.", False),
        ("no, tabs!", "It is done.", True),
        ("ok", "It is done.", False),
        ("Okay!", "", False),
        ("thanks", "Anything else?", False),
        ("/compact and keep the decisions please", "", False),
        ("???", "Shall I?", False),
        ("不要用分号", "完成了。", True),
        ("好的", "要拆分吗？", True),
    ],
)
def test_a_short_answer_counts_where_it_answers_something(prompt: str, before: str, expected: bool) -> None:
    assert friction.may_decide(prompt, before) is expected


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("No, I said tabs", "corrective"),
        ("Use tabs instead of blanks", "corrective"),
        ("改成制表符", "corrective"),
        ("The login broke again", "regression"),
        ("It worked before your change", "regression"),
        ("Round up, but only if the sum is negative", "subtle"),
        ("除非客户是新的", "subtle"),
        ("Show me the report of May", ""),
        ("Please add a button", ""),
    ],
)
def test_rules_see_what_kind_of_friction_there_is(prompt: str, expected: str) -> None:
    found = friction.found(prompt)
    assert [name for name in ("corrective", "regression", "subtle") if getattr(found, name)] == [expected] * bool(
        expected
    )


GOOD: dict[str, Any] = {
    "kind": "constraint",
    "statement": "Sums are rounded up",
    "evidence": "round  up",
    "source": "explicit_user",
    "friction": {"corrective": True, "regression": False, "subtle": False},
}
PROMPT = "Always round\nup, please"


def test_a_delta_with_evidence_in_the_prompt_is_let_in() -> None:
    made = delta.admitted(GOOD, PROMPT, "s", 1)
    assert made is not None
    assert delta.read(made.as_dict()) == made


@pytest.mark.parametrize(
    "change",
    [
        {"evidence": "round down"},
        {"evidence": " "},
        {"statement": ""},
        {"statement": None},
        {"kind": "taste"},
        {"source": "assistant"},
        {"friction": None},
        {"friction": {"corrective": True, "regression": False}},
        {"friction": {"corrective": 1, "regression": False, "subtle": False}},
    ],
)
def test_a_delta_that_is_not_shown_or_not_whole_is_dropped(change: dict[str, Any]) -> None:
    assert delta.admitted(GOOD | change, PROMPT, "s", 1) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*GOOD, "v", "ts"]), inner, max_size=5),
    max_leaves=8,
)


@settings(max_examples=60)
@given(JSON)
def test_whatever_a_model_says_or_a_file_holds_breaks_nothing(told: Any) -> None:
    assert delta.admitted(told, PROMPT, "s", 1) is None
    assert delta.read(told if isinstance(told, dict) else None) is None


def test_secrets_are_taken_out_of_what_is_kept() -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    text = f"Never log {secret} again"
    made = delta.admitted(GOOD | {"evidence": text, "statement": text, "rationale": secret}, text, "s", 1)
    assert made is not None
    assert secret not in str(made.as_dict())
