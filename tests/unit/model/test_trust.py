"""Labels of trust: what is accepted, and that a second mention never lowers them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.errors import UsageError
from mnemopi.model import trust

LABELS = st.sampled_from(sorted(trust.VERACITY))
TIERS = st.sampled_from(trust.TRUST_TIERS)


@pytest.mark.parametrize(
    ("value", "label"), [(True, "true"), (False, "false"), (" Stated ", "stated"), ("contested", "contested")]
)
def test_words_and_booleans_are_labels(value: object, label: str) -> None:
    assert trust.veracity(value) == label


@pytest.mark.parametrize("value", ["perhaps", "", None, 1, 0.5])
def test_other_labels_are_refused(value: object) -> None:
    with pytest.raises(UsageError, match="veracity"):
        trust.veracity(value)


@pytest.mark.parametrize(
    ("given_tier", "source", "tier"),
    [
        (None, "user", "STATED"),
        (None, "tool", "EXTERNAL_WRITE"),
        (None, "backup", "IMPORTED"),
        (None, "anything else", "STATED"),
        ("derived", "tool", "DERIVED"),
        ("OBSERVED", "tool", "STATED"),
    ],
)
def test_a_tier_is_the_given_one_or_that_of_the_source(given_tier: str | None, source: str, tier: str) -> None:
    assert trust.tier(given_tier, source) == tier


def test_an_unknown_tier_is_refused() -> None:
    with pytest.raises(UsageError, match="tier"):
        trust.tier("ROYAL", "user")


@given(LABELS, LABELS)
def test_a_second_mention_never_lowers_what_was_known(old: str, new: str) -> None:
    after = trust.stronger_veracity(old, new)
    assert after in (old, new)
    if old != "unknown":
        assert trust.VERACITY[after] >= trust.VERACITY[old]
        assert trust.stronger_veracity(old, "unknown") == old


@given(TIERS, TIERS)
def test_the_more_trusted_tier_stays(old: str, new: str) -> None:
    after = trust.stronger_tier(old, new)
    assert trust.TRUST_TIERS.index(after) == min(map(trust.TRUST_TIERS.index, (old, new)))
