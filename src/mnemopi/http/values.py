"""What the client reads: JSON of the server to the values of the library, and problem documents to its errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Any, Final

from mnemopi.errors import MnemopiError, ProviderError, UnavailableError
from mnemopi.http import refusals  # noqa: F401 -- its errors are in the tree then
from mnemopi.model.fact import Fact, Source
from mnemopi.model.hit import Explanation, Hit, Hits
from mnemopi.model.interval import Interval, iso
from mnemopi.model.memory import Erasure, Event, Loaded, Memory, Receipt
from mnemopi.tools import confirm

_MOMENTS: Final = ("recorded_at", "timestamp", "valid_until", "retired_at")
_TIMES: Final = frozenset(
    {"as_of", "from_date", "to_date", "query_time", "known_at", "at", "valid_from", "valid_until"}
)
_FIELDS: Final = frozenset(Memory.__slots__) - {"rowkey", "event", *_MOMENTS}


def check(status: int, body: Callable[[], bytes]) -> None:
    """Raise the error that an answer tells of, if it does."""
    if status < 400:
        return
    try:
        told = json.loads(body())
        code, detail, hint = str(told["code"]), str(told["detail"]), str(told["hint"])
    except (ValueError, KeyError, TypeError) as error:
        raise UnavailableError(f"the server answered {status}, and not as mnemopi does") from error
    raise _error(code, detail, hint, told)


def memory(told: Mapping[str, Any]) -> Memory:
    """Read a memory."""
    event = told.get("event")
    return Memory(
        **{name: told[name] for name in _FIELDS if name in told},
        **{name: _ms(told.get(name)) for name in _MOMENTS},  # type: ignore[arg-type]
        event=None if event is None else Interval(_moment(event["start"]), _moment(event["end"]), event["precision"]),
        rowkey=told.get("rowkey", 0),
    )


def hits(told: Mapping[str, Any]) -> Hits:
    """Read the answer of a search."""
    ran = (tuple(told["retrievers"]), told["bank"], told.get("reranker") or "", tuple(told.get("notes") or ()))
    return Hits([_hit(each) for each in told["hits"]], told["query"], *ran)


def receipt(told: Mapping[str, Any]) -> Receipt:
    """Read a receipt."""
    return Receipt(told["id"], told["bank"], told["outcome"], told["version"], told["redacted"])


def erasure(told: Mapping[str, Any]) -> Erasure:
    """Read the receipt of an erasure."""
    return Erasure(told["id"], told["status"], told["versions"], tuple(told["held_by"]))


def event(told: Mapping[str, Any]) -> Event:
    """Read an event."""
    writer, _, seq = told["cursor"].rpartition(":")
    plain = {name: told.get(name) for name in ("verb", "memory", "version", "actor", "reason")}
    return Event(_moment(told["at"]), **plain, seq=int(seq), writer=writer)  # type: ignore[arg-type]


def loaded(told: Mapping[str, Any]) -> Loaded:
    """Read the report of an import."""
    counts = {name: told[name] for name in ("inserted", "skipped", "overwritten", "forgotten")}
    return Loaded(**counts, problems=tuple(told["problems"]))


def when(value: Any) -> Any:
    """Write a moment as JSON can carry it; anything else stays as it is."""
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    return value.isoformat() if isinstance(value, date) else value


def argument(name: str, value: Any) -> Any:
    """Write an argument as JSON can carry it: a moment in words, also one that is given in UTC ms."""
    if name in _TIMES and isinstance(value, int | float) and not isinstance(value, bool):
        with suppress(ValueError, OverflowError):  # no moment at all: the server says so
            return iso(value)
    return when(value)


def _hit(told: Mapping[str, Any]) -> Hit:
    scores = ("score", "vec_score", "fts_score", "importance_score", "recency_score", "temporal_score")
    why = told["explanation"]
    explanation = Explanation(
        why["order"],
        why["belief"],
        why["score"],
        why["terms"],
        tuple(why["found_by"]),
        tuple(why["notes"]),
        why["answerable"],
    )
    start, end = told["span"]
    return Hit(
        memory=memory(told),
        content=told["content"],
        explanation=explanation,
        span=(start, end),
        truncated=told["truncated"],
        full_length=told["full_length"],
        bank=told["bank"],
        fact=None if told.get("fact") is None else _fact(told["fact"], told),
        **{name: told[name] for name in scores},
    )


def _fact(told: Mapping[str, Any], hit: Mapping[str, Any]) -> Fact:
    sources = [Source(each["memory"], each["version"], *each["span"]) for each in told["sources"]]
    plain = ("id", "version", "kind", "subject", "predicate", "object", "belief", "veracity", "contested", "scope")
    return Fact(
        **{name: told[name] for name in plain},
        slot="",
        valid_from=_moment(told["valid_from"]),
        valid_to=_ms(told.get("valid_to")),
        superseded_by=told.get("superseded_by"),
        session_id=hit["session_id"],
        channel_id=hit.get("channel_id"),
        recorded_at=_moment(hit["recorded_at"]),
        sources=sources,
    )


def _error(code: str, detail: str, hint: str, told: Mapping[str, Any]) -> MnemopiError:
    if code == confirm.UnconfirmedError.code:
        return confirm.UnconfirmedError(detail, told.get("preview", {}), str(told.get("confirm", "")))
    for kind in _tree(MnemopiError):
        if kind.code == code:
            return _made(kind, detail, hint)
    return ProviderError(detail, hint=hint)


def _made(kind: type[MnemopiError], detail: str, hint: str) -> MnemopiError:
    """Make an error of a kind, whatever else its maker wants: what it says is said already."""
    error = kind.__new__(kind)
    MnemopiError.__init__(error, detail, hint=hint)
    return error


def _tree(kind: type[MnemopiError]) -> Iterator[type[MnemopiError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _tree(below)


def _ms(text: str | None) -> int | None:
    return None if text is None else _moment(text)


def _moment(text: str) -> int:
    said = datetime.fromisoformat(text)
    return round((said - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1000)
