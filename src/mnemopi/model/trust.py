"""How far a memory is to be believed: the labels of veracity and the tiers of trust.

Veracity says what is known about the truth of a text, the tier who could have written it. Weights are the
reference's (`stated`, `true`, `likely_true` 1.0 ... `false` 0); those of the five origins are settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from mnemopi.errors import UsageError

VERACITY: Final[Mapping[str, float]] = MappingProxyType(
    {
        "true": 1.0,
        "likely_true": 1.0,
        "stated": 1.0,
        "unknown": 0.8,
        "inferred": 0.7,
        "imported": 0.6,
        "tool": 0.5,
        "contested": 0.4,
        "false": 0.0,
    }
)
"""Weight of each label, 0 to 1."""

TRUST_TIERS: Final = ("STATED", "DERIVED", "IMPORTED", "EXTERNAL_WRITE")
"""From the most trusted to the least."""

_BY_SOURCE = {
    **dict.fromkeys(("conversation", "user", "assistant"), "STATED"),
    **dict.fromkeys(("tool", "api", "system", "web"), "EXTERNAL_WRITE"),
    **dict.fromkeys(("import", "imported", "backup"), "IMPORTED"),
}
_RENAMED = {"OBSERVED": "STATED", "INFERRED": "DERIVED", "SYSTEM": "EXTERNAL_WRITE"}


def veracity(value: object) -> str:
    """Return the label for a word or a boolean. Raises UsageError for any other value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    label = value.strip().lower() if isinstance(value, str) else ""
    if label not in VERACITY:
        raise UsageError(f"unknown veracity {value!r}", hint=f"one of {', '.join(VERACITY)}, or a boolean")
    return label


def tier(value: str | None, source: str) -> str:
    """Return the trust tier that was given, or else the one of the source. Raises UsageError for an unknown one."""
    if value is None:
        return _BY_SOURCE.get(source, "STATED")
    name = value.strip().upper() if isinstance(value, str) else ""
    name = _RENAMED.get(name, name)
    if name not in TRUST_TIERS:
        raise UsageError(f"unknown trust tier {value!r}", hint=f"one of {', '.join(TRUST_TIERS)}")
    return name


def stronger_veracity(old: str, new: str) -> str:
    """Return the label after a second mention: what is known replaces `unknown`, and trust never falls silently."""
    if "unknown" in (old, new):
        return new if old == "unknown" else old
    return new if VERACITY[new] > VERACITY[old] else old


def stronger_tier(old: str, new: str) -> str:
    """Return the more trusted of two tiers."""
    return min(old, new, key=TRUST_TIERS.index)
