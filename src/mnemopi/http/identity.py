"""Who acts in a request: from its token what may be seen and done, from its headers as whom.

A token opens what its key says. The headers `Mnemopi-Session` and its like give provenance to what is stored and see
what that session, author or channel sees, as the arguments of `Mnemopi` do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final
from urllib.parse import unquote

from mnemopi.errors import UsageError
from mnemopi.http.keys import Key
from mnemopi.ingest import draft
from mnemopi.model.memory import Identity
from mnemopi.tools.caller import Caller

HEADERS: Final[Mapping[str, str]] = {
    "Mnemopi-Session": "The session that acts.",
    "Mnemopi-Author": "The author that acts.",
    "Mnemopi-Author-Type": "The kind of author that acts.",
    "Mnemopi-Channel": "The channel that is acted in.",
}
"""Names are percent-encoded where they hold other characters than those of ASCII."""
_FIELDS: Final = {
    "mnemopi-session": "session_id",
    "mnemopi-author": "author_id",
    "mnemopi-author-type": "author_type",
    "mnemopi-channel": "channel_id",
}


def limited(caller: Caller, key: Key) -> Caller:
    """Return a caller that may see and do what a key allows; of its banks the first is its own, if ours is none."""
    if not key.banks:
        return replace(caller, most=key.most)
    own = caller.name(None)
    return replace(caller, most=key.most, only=frozenset(key.banks), own=own if own in key.banks else key.banks[0])


def acting(caller: Caller, headers: Mapping[str, str]) -> Caller:
    """Return the caller as whom the headers name. Raises UsageError for a name that nobody can have."""
    given = {field: headers[name] for name, field in _FIELDS.items() if name in headers}
    if not given:
        return caller
    try:
        who: dict[str, Any] = {name: unquote(value, errors="strict") for name, value in given.items()}
    except UnicodeDecodeError as error:
        raise UsageError("a header with a name is percent-encoded UTF-8") from error
    draft.identity(replace(Identity(), **who))
    return replace(caller, who={**caller.who, **who})
