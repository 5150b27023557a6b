"""Commands that change single memories: store, update, delete, invalidate."""

from __future__ import annotations

from typing import Any, Final

import click

from mnemopi.cli import incoming, opening, output, rendering
from mnemopi.cli.everywhere import asked, command
from mnemopi.cli.failures import NothingDone
from mnemopi.engine import Mnemopi
from mnemopi.errors import ConflictError, MnemopiError, NotFoundError, UsageError
from mnemopi.transfer import strict_json

_SOURCE: Final = "cli"
_SUCH_AS: Final = """such as '{"ticket": 42}'"""


@command(
    "store",
    examples=(
        'mnemopi store "Mara prefers tabs"',
        'mnemopi store "The token rotates weekly" ops 0.8 --veracity stated --pin',
        'mnemopi store "Shipped on Friday" --session standup --author jun --timestamp 2026-03-02',
        "git log -1 | mnemopi store -",
    ),
)
@click.argument("content")
@click.argument("source", required=False)
@click.argument("importance", required=False, type=float)
@click.option("--source", "source_option", metavar="TEXT", help="Where it comes from [default: cli].")
@click.option("--importance", "importance_option", type=float, help="From 0 to 1, clamped to that [default: 0.5].")
@click.option("--veracity", help="How true: stated, inferred, true, likely_true, contested, false ...")
@click.option("--scope", help="Who may see it: bank, session, channel, global, or one of your own [default: bank].")
@click.option("--position", type=int, help="Place within the session; makes it a turn.")
@click.option("--author", "author_id", metavar="ID", help="Who said it.")
@click.option("--author-type", help="What the author is: user, assistant, tool ...")
@click.option("--channel", "channel_id", metavar="ID", help="Where it was said.")
@click.option("--external-id", help="Its id elsewhere: the same text changes nothing, another is its next version.")
@click.option("--timestamp", metavar="ISO", help="When it was said [default: now].")
@click.option("--valid-until", metavar="ISO", help="Until when it holds.")
@click.option("--metadata", metavar="JSON", help="A JSON object to keep with it.")
@click.option("--type", "memory_type", help="What it is: fact, preference, decision ...")
@click.option("--trust-tier", help="STATED, DERIVED, IMPORTED or EXTERNAL_WRITE.")
@click.option("--embed-text", metavar="TEXT", help="What search sees in place of the content.")
@click.option("--extract/--no-extract", default=None, help="Have facts read from it, or not [default: as configured].")
@click.option("--extract-text", metavar="TEXT", help="The part that facts are read from [default: what a user said].")
@click.option("--pin", "pinned", is_flag=True, help="Always part of `context`.")
def store(
    context: click.Context,
    content: str,
    source: str | None,
    importance: float | None,
    source_option: str | None,
    importance_option: float | None,
    metadata: str | None,
    **options: Any,
) -> None:
    """Store a memory.

    CONTENT is the text, or - for standard input. With --session, --position or --external-id it is a turn of a
    conversation, which stays itself; else a note, which merges with an equal one.
    """
    wanted = asked(context)
    given = {
        "source": _once("source", source, source_option) or _SOURCE,
        "importance": _once("importance", importance, importance_option),
        "metadata": None if metadata is None else _object(metadata),
        "session_id": wanted.session,
        **options,
    }
    text = incoming.text(content)
    with opening.engine(wanted, makes=True) as memory:
        receipt = memory.remember(text, **{name: value for name, value in given.items() if value is not None})
        edited = [f"  {receipt.outcome}, version {receipt.version}"] if receipt.outcome == "updated" else []
        rendering.receipt(wanted, "Stored", receipt, *edited)


@command(
    "update",
    examples=(
        'mnemopi update 4f2a... "The staging database is in Paris"',
        "mnemopi update 4f2a... --importance 0.9 --pin",
        'mnemopi update 4f2a... "Moved again" --expected-version 2',
    ),
)
@click.argument("id")
@click.argument("content", required=False)
@click.argument("importance", required=False, type=float)
@click.option("--importance", "importance_option", type=float, help="From 0 to 1, clamped to that.")
@click.option("--expected-version", type=int, help="Refuse if another version has been written since this one.")
@click.option("--pin/--unpin", "pinned", default=None, help="Make it part of `context` always, or no longer.")
def update(
    context: click.Context,
    id: str,
    content: str | None,
    importance: float | None,
    importance_option: float | None,
    expected_version: int | None,
    pinned: bool | None,
) -> None:
    """Replace the text or importance of a memory.

    CONTENT is the new text, or - for standard input. The old version stays in the history.
    """
    wanted = asked(context)
    text = None if content is None else incoming.text(content)
    weight = _once("importance", importance, importance_option)
    with opening.engine(wanted) as memory:
        receipt = memory.update(id, text, weight, pinned=pinned, expected_version=expected_version)
        rendering.receipt(wanted, "Updated", receipt)


@command("delete", examples=("mnemopi delete 4f2a...", "mnemopi delete 4f2a... 9c01... --yes"))
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
def delete(context: click.Context, ids: tuple[str, ...], yes: bool) -> None:
    """Erase memories for good.

    All versions go, overwritten on the disk: this cannot be undone. `invalidate` hides instead. If one of the ids is
    not there, nothing is erased.
    """
    wanted = asked(context)
    ids = tuple(dict.fromkeys(ids))
    with opening.engine(wanted) as memory:
        for id in ids:
            if memory.get(id) is None:
                raise _unknown(memory, id)
        what = f"memory {ids[0]}" if len(ids) == 1 else f"{len(ids)} memories"
        if not output.confirm(wanted, f"Erase {what} for good?", yes=yes):
            raise NothingDone("nothing was erased")
        rendering.erasures(wanted, [memory.forget(id) for id in ids])


@command(
    "invalidate",
    examples=('mnemopi invalidate 4f2a... --reason "moved to Paris"', "mnemopi invalidate 4f2a... 9c01..."),
)
@click.argument("id")
@click.argument("replacement", required=False)
@click.option("--reason", help="Why, for the history.")
def invalidate(context: click.Context, id: str, replacement: str | None, reason: str | None) -> None:
    """Hide a memory from recall, and say what replaces it.

    REPLACEMENT is the id of the memory that supersedes it. `get` still shows the old one.
    """
    wanted = asked(context)
    with opening.engine(wanted) as memory:
        receipt = memory.invalidate(id, replacement, reason=reason)
        rendering.receipt(wanted, "Invalidated", receipt, *([f"  superseded by {replacement}"] if replacement else []))


def _unknown(memory: Mnemopi, id: str) -> MnemopiError:
    if memory.facts.get(id) is not None:
        return ConflictError(
            f"{id} is a fact, derived from what was stated; nothing was erased",
            hint="`mnemopi facts end` ends it, `prefer` settles a contradiction, `erase` erases what a person stated",
        )
    return NotFoundError(f"there is no memory {id[:100]!r}", hint="nothing was erased; `recall` shows ids")


def _once(name: str, positional: Any, option: Any) -> Any:
    if positional is not None and option is not None:
        raise UsageError(f"{name} is given twice", hint="as an argument or as an option, not both")
    return option if positional is None else positional


def _object(text: str) -> dict[str, Any]:
    try:
        return dict(strict_json.parse(text))
    except UsageError as error:
        raise UsageError(f"--metadata is {error.message}", hint=_SUCH_AS) from error
