"""The options of commands that recall: which memories may answer, how they are found, and what counts how much."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import click

from mnemopi.errors import UsageError

_Function: TypeAlias = Callable[..., Any]
_OPTIONS: Final[tuple[Callable[[_Function], _Function], ...]] = (
    click.option("--in-session", "session_id", metavar="ID", help="Only what belongs to this session."),
    click.option("--author", "author_id", metavar="ID", help="Only what this author said."),
    click.option("--author-type", help="Only what this kind of author said."),
    click.option("--channel", "channel_id", metavar="ID", help="Only what was said in this channel."),
    click.option("--source", help="Only what has this source."),
    click.option("--scope", help="Only what has this scope."),
    click.option("--tier", help="Only this tier: working or episodic."),
    click.option("--kind", help="Only this kind: turn, note, episode or fact."),
    click.option("--veracity", help="Only what is this true."),
    click.option("--type", "memory_type", help="Only this type of memory."),
    click.option("--from", "from_date", metavar="ISO", help="Said or happened at or after."),
    click.option("--to", "to_date", metavar="ISO", help="Said or happened at or before; a bare date is the whole day."),
    click.option("--as-of", metavar="ISO", help="What was known and valid then."),
    click.option("--query-time", metavar="ISO", help="What `now` means to the question."),
    click.option("--include-invalid", is_flag=True, help="Also what is expired, invalidated or superseded."),
    click.option("--profile", help="A recipe: default, lexical, recent, facts or polyphonic."),
    click.option("--retriever", "retrievers", metavar="NAME", multiple=True, help="Run only this; may be repeated."),
    click.option("--min-score", type=float, help="Least belief, 0 to 1."),
    click.option(
        "--rerank/--no-rerank", default=None, help="Have the reranker read the best [default: as configured]."
    ),
    click.option("--mmr", "use_mmr", is_flag=True, help="Prefer hits that differ from one another."),
    click.option("--mmr-lambda", type=float, help="1: relevance only, 0: difference only [default: 0.7]."),
    click.option("--quota", "quotas", metavar="KIND=N", multiple=True, help="Most hits of a kind; may be repeated."),
    click.option("--vec-weight", type=float, help="Weight of meaning."),
    click.option("--fts-weight", type=float, help="Weight of words."),
    click.option("--importance-weight", type=float, help="Weight of importance."),
    click.option("--temporal-weight", type=float, help="Weight of time."),
    click.option("--temporal-halflife", type=float, metavar="HOURS", help="Distance in time that counts half."),
)


def options(function: _Function) -> _Function:
    """Give a command all of them, in this order."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def given(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return those that were given, as `recall` takes them. Raises UsageError for a quota that is none."""
    off = {"use_mmr": False, "include_invalid": False, "retrievers": (), "quotas": ()}
    found = {name: value for name, value in told.items() if value is not None and value != off.get(name)}
    if "quotas" in found:
        found["quotas"] = dict(_quota(text) for text in found["quotas"])
    return found


def _quota(text: str) -> tuple[str, int]:
    kind, sign, number = text.partition("=")
    if not sign or not number.isdecimal():
        raise UsageError(f"--quota takes KIND=N, not {text!r:.80}", hint="such as --quota note=3")
    return kind, int(number)
