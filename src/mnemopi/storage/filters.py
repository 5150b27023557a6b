"""From a Filter to the parameters of the `admitted` fragment: one set of statements serves every filter."""

from __future__ import annotations

import json

from mnemopi.model.memory import Identity
from mnemopi.model.query import Filter
from mnemopi.ports import Value


def identity(who: Identity) -> dict[str, Value]:
    """Return the parameters that say what the caller may see."""
    return {"my_session": who.session_id, "my_channel": who.channel, "my_scopes": json.dumps(who.scopes)}


def parameters(bank: str, asked: Filter, now: int) -> dict[str, Value]:
    """Return the parameters of `admitted`: what is live, valid at the asked moment, visible, and asked for."""
    return identity(asked.identity) | {
        "bank": bank,
        "as_of": asked.as_of,
        "at": now if asked.as_of is None else asked.as_of,
        "include_invalid": int(asked.include_invalid),
        "global_only": int(asked.global_only),
        "session_id": asked.session_id,
        "author_id": asked.author_id,
        "author_type": asked.author_type,
        "channel_id": asked.channel_id,
        "source": asked.source,
        "scope": asked.scope,
        "tier": asked.tier,
        "kind": asked.kind,
        "memory_type": asked.memory_type,
        "veracity": asked.veracity,
        "since": asked.within.start if asked.within else None,
        "until": asked.within.end if asked.within else None,
    }
