"""Ask before much is destroyed: a token says that somebody was shown what would go, and agreed.

A token is bound to what was shown and to the process that showed it, and is valid for five minutes. It proves that it
was handed out here; that a person saw it is the face's concern, which asks its user where it can.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from typing import Any, Final

from mnemopi.errors import ConflictError
from mnemopi.ports import Clock

VALID_MS: Final = 5 * 60 * 1000


class UnconfirmedError(ConflictError):
    """This destroys much, and nobody has agreed to it.

    `question` is for a person, `preview` says what would go, `token` given as `confirm` lets the same call through.
    """

    code = "unconfirmed"

    def __init__(self, question: str, preview: Mapping[str, Any], token: str) -> None:
        self.question, self.preview, self.token = question, dict(preview), token
        super().__init__(question, hint="ask the user; then call again with `confirm` set to the token")

    def as_dict(self) -> dict[str, Any]:
        """Render the error for programs, with what would go and the token that agrees to it."""
        seconds = VALID_MS // 1000
        return super().as_dict() | {"preview": self.preview, "confirm": self.token, "valid_seconds": seconds}


class DeclinedError(ConflictError):
    """The user did not agree: nothing was changed."""

    code = "declined"


class Confirmations:
    """Hands out tokens and knows its own. The key lives in memory: tokens end with the process."""

    def __init__(self, clock: Clock) -> None:
        self._clock, self._key = clock, secrets.token_bytes(32)

    def require(self, question: str, preview: Mapping[str, Any], given: str | None) -> None:
        """Let a call pass whose token agrees to just this. Raises UnconfirmedError, with a token, for any other."""
        shown = json.dumps(preview, sort_keys=True, ensure_ascii=True)
        if given is None or not self._agrees(given, shown):
            expiry = self._clock() + VALID_MS
            raise UnconfirmedError(question, preview, f"{expiry:x}.{self._signed(expiry, shown)}")

    def _agrees(self, given: str, shown: str) -> bool:
        moment, _, signature = given.partition(".")
        try:
            expiry = int(moment, 16)
        except ValueError:
            return False
        right = hmac.compare_digest(signature.encode("utf-8", "replace"), self._signed(expiry, shown).encode())
        return right and self._clock() <= expiry

    def _signed(self, expiry: int, shown: str) -> str:
        return hmac.new(self._key, f"{expiry:x}\n{shown}".encode(), hashlib.sha256).hexdigest()[:32]
