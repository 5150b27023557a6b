"""A decision as it was heard: what was decided, the words that show it, and the friction it took."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from mnemopi.backends.sharpshooter.friction import Friction
from mnemopi.model.values import dataclass
from mnemopi.text import redact

KINDS: Final = (
    "architecture_decision",
    "product_decision",
    "style_decision",
    "constraint",
    "rejected_approach",
    "correction",
)
SOURCES: Final = ("explicit_user", "contextual_resolution")
_FLAGS: Final = ("corrective", "regression", "subtle")
_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Delta:
    """One decision."""

    kind: str
    statement: str
    source: str
    evidence: str
    friction: Friction
    session: str
    at: int
    rejected: str | None = None
    rationale: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Render it for its file."""
        told = {
            "v": _VERSION,
            "kind": self.kind,
            "statement": self.statement,
            "rejectedAlternative": self.rejected,
            "rationale": self.rationale,
            "source": self.source,
            "evidence": self.evidence,
            "friction": {name: getattr(self.friction, name) for name in _FLAGS},
            "sessionId": self.session,
            "ts": self.at,
        }
        return {key: value for key, value in told.items() if value is not None}

    @property
    def line(self) -> str:
        """Render it for the model that consolidates."""
        flags = ", ".join(f"{name}={str(getattr(self.friction, name)).lower()}" for name in _FLAGS)
        parts = [
            f"kind={self.kind}",
            f"statement={_quoted(self.statement)}",
            f"evidence={_quoted(self.evidence)}",
            f"source={self.source}",
            f"friction({flags})",
        ]
        parts += [f"rejectedAlternative={_quoted(self.rejected)}"] if self.rejected else []
        parts += [f"rationale={_quoted(self.rationale)}"] if self.rationale else []
        return f"- {'; '.join(parts)}"


def admitted(told: Any, prompt: str, session: str, at: int) -> Delta | None:
    """Return what a model read out of a prompt, None where it is no delta or its evidence does not stand there."""
    if not isinstance(told, Mapping):
        return None
    statement, evidence = told.get("statement"), told.get("evidence")
    if not (isinstance(statement, str) and statement.strip() and isinstance(evidence, str) and evidence.strip()):
        return None
    if _drawn(evidence) not in _drawn(prompt) or told.get("kind") not in KINDS or told.get("source") not in SOURCES:
        return None
    friction = told.get("friction")
    if not isinstance(friction, Mapping) or not all(isinstance(friction.get(name), bool) for name in _FLAGS):
        return None
    return Delta(
        told["kind"],
        _clean(statement),
        told["source"],
        _clean(evidence),
        Friction(*(friction[name] for name in _FLAGS)),
        session,
        at,
        _clean(told["rejectedAlternative"]) if isinstance(told.get("rejectedAlternative"), str) else None,
        _clean(told["rationale"]) if isinstance(told.get("rationale"), str) else None,
    )


def read(told: Mapping[str, Any] | None) -> Delta | None:
    """Read a delta's file, None for what is none."""
    if told is None or told.get("v") != _VERSION or not isinstance(told.get("ts"), int):
        return None
    evidence = told.get("evidence")
    return admitted(told, evidence if isinstance(evidence, str) else "", str(told.get("sessionId", "")), told["ts"])


def _drawn(text: str) -> str:
    return " ".join(text.split())


def _clean(text: str) -> str:
    return redact.redact(_drawn(text), "full").text


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
