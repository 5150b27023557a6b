"""The command `memory`: what a person does with the memory of agents' sessions, whichever backend keeps it.

What is printed may have been written by anybody, and files may have been edited by hand: secrets are taken out of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import click

from mnemopi.cli import mental, output, sessions
from mnemopi.cli.everywhere import Verbs
from mnemopi.cli.failures import NothingDone
from mnemopi.cli.sessions import Sitting
from mnemopi.errors import MnemopiError
from mnemopi.model.interval import iso
from mnemopi.model.session import Cleared, Found, Lesson
from mnemopi.retrieval import render
from mnemopi.text import redact


@click.group(
    "memory",
    cls=Verbs,
    usual="view",
    aliases={"rebuild": "enqueue", "sync": "enqueue", "reset": "clear", "learn": "save"},
    examples=(
        "mnemopi memory",
        'mnemopi memory search "staging port" --json',
        'mnemopi memory save "Releases are tagged by hand"',
        "mnemopi memory clear",
    ),
)
def memory() -> None:
    """See, search and clear the memory of agents' sessions.

    The setting memory.backend says which memory that is, and the folder which project. Without a verb: `view`.
    """


def _told(name: str, words: str) -> None:
    """Add a verb that prints what the backend says of itself."""

    @memory.command(name, short_help=words, help=words, examples=(f"mnemopi memory {name}",))
    @sessions.options
    @click.pass_context
    def verb(context: click.Context, folder: str, host: str) -> None:
        with sessions.opened(context, folder, host) as here:
            text = _plain(getattr(here.backend, name)(here.ref))
            if here.asked.json:
                output.document({"backend": here.backend.name, "text": text})
            else:
                output.lines(text or "Nothing.")


_told("view", "Print what the model is given at the start of a session.")


@memory.command(
    "status", short_help="Say which memory there is, and what it holds.", examples=("mnemopi memory status",)
)
@sessions.options
@click.pass_context
def status(context: click.Context, folder: str, host: str) -> None:
    """Say which memory there is, and what it holds."""
    with sessions.opened(context, folder, host) as here:
        told: dict[str, Any] = asdict(here.backend.status(here.ref))
        told["last_memory"] = None if told["last_memory"] is None else iso(told["last_memory"])
        told = {name: _plain(value) if isinstance(value, str) else value for name, value in told.items()}
        if here.asked.json:
            output.document(told | {"recall_banks": list(told["recall_banks"])})
        else:
            rows = [(name.replace("_", " "), _words(value)) for name, value in told.items()]
            output.pairs([row for row in rows if row[1]])


_told("stats", "Count what is stored, by bank.")
_told("diagnose", "Say what is wrong: counts and paths, never content.")
_told("queue", "Say what waits to be done.")


@memory.command(
    "search", short_help="Find memories, the best first.", examples=('mnemopi memory search "staging port" --limit 3',)
)
@click.argument("query")
@click.option("--limit", type=click.IntRange(1, 50), default=10, show_default=True, help="Most memories.")
@sessions.options
@click.pass_context
def search(context: click.Context, query: str, limit: int, folder: str, host: str) -> None:
    """Find memories that speak to QUERY, the best first, within what the session sees."""
    with sessions.opened(context, folder, host) as here:
        found = here.backend.search(here.ref, query, limit)
        items = [_item(each) for each in found.items]
        if here.asked.json:
            told = {"backend": found.backend, "query": query, "count": len(items), "items": items}
            output.document(told | {"message": found.message})
        elif items or here.asked.quiet:
            rows = [(f"{each['score'] or 0:.2f}", _shown(each), each["id"] or "", each["at"] or "") for each in items]
            output.table(("Score", "Memory", "ID", "When"), rows, prose=("Memory",), quiet=here.asked.quiet)
        else:
            output.lines(found.message or "Nothing found.")


@memory.command(
    "save",
    short_help="Keep a line.",
    examples=('mnemopi memory save "Releases are tagged by hand" --context "asked Ines"',),
)
@click.argument("text")
@click.option("--context", "about", help="Where it came from, or what it is about.")
@click.option("--everywhere", is_flag=True, help="For all projects, where they share a bank.")
@sessions.options
@click.pass_context
def save(context: click.Context, text: str, about: str | None, everywhere: bool, folder: str, host: str) -> None:
    """Keep TEXT as a lesson of the project."""
    with sessions.opened(context, folder, host) as here:
        saved = here.backend.save(here.ref, [Lesson(text, about, everywhere=everywhere)])
        count = saved.stored + saved.queued
        if not count:
            raise NothingDone(saved.message or "nothing was kept", hint="`mnemopi memory status` says what is set up")
        if here.asked.json:
            output.document({**asdict(saved), "ids": list(saved.ids)})
        elif here.asked.quiet:
            output.lines(*saved.ids)
        else:
            output.lines(f"{'Queued' if saved.queued else 'Stored'}: {', '.join(saved.ids)}")
            if saved.message:
                output.note(here.asked, saved.message)


@memory.command("enqueue", short_help="Do all consolidation that waits, now.", examples=("mnemopi memory enqueue",))
@sessions.options
@click.pass_context
def enqueue(context: click.Context, folder: str, host: str) -> None:
    """Do all consolidation that waits, now, and say what was done."""
    with sessions.opened(context, folder, host) as here:
        done = here.backend.enqueue(here.ref)
        if done.degraded:
            raise MnemopiError(_plain(done.degraded), hint=f"{done.jobs} wait; `mnemopi memory queue` shows them")
        if here.asked.json:
            notices = [_plain(each) for each in done.notices]
            output.document({"backend": here.backend.name, "notices": notices, "waiting": done.jobs})
        else:
            output.lines(*map(_plain, done.notices), f"Waiting: {done.jobs}")


@memory.command(
    "clear",
    short_help="Take away what lies in the project's own scope.",
    examples=("mnemopi memory clear", "mnemopi memory clear --yes"),
)
@click.option("--yes", "-y", is_flag=True, help="Do it; without this, say what would be taken away.")
@sessions.options
@click.pass_context
def clear(context: click.Context, yes: bool, folder: str, host: str) -> None:
    """Take away what lies in the project's own scope, and nothing that others share.

    Without --yes this says what would go. What went can be brought back for a week: `mnemopi memory undo`.
    """
    with sessions.opened(context, folder, host) as here:
        _cleared(here, here.backend.clear(here.ref, dry_run=not yes))
        if not yes:
            output.note(here.asked, "Nothing was taken away: --yes does it.")


@memory.command("undo", short_help="Bring back what the last `clear` took.", examples=("mnemopi memory undo",))
@sessions.options
@click.pass_context
def undo(context: click.Context, folder: str, host: str) -> None:
    """Bring back what the last `clear` of the project took, within a week."""
    with sessions.opened(context, folder, host) as here:
        _cleared(here, here.backend.undo_clear(here.ref))


def _cleared(here: Sitting, done: Cleared) -> None:
    until = None if done.until is None else iso(done.until)
    if here.asked.json:
        told = {"backend": here.backend.name, "lines": list(done.lines), "done": done.done}
        output.document(told | {"undo": done.undo, "until": until})
        return
    output.lines(*map(_plain, done.lines))
    if done.undo:
        output.note(here.asked, f"`{done.undo}` brings it back{f' until {until[:10]}' if until else ''}.")


def _item(found: Found) -> dict[str, Any]:
    at = None if found.at is None else iso(found.at)
    return {**asdict(found), "content": _plain(found.content), "at": at}


def _shown(item: Mapping[str, Any]) -> str:
    """A memory on a terminal, with what speaks against relying on it."""
    return " ".join([item["content"], *(f"[{note}]" for note in render.warnings(item["notes"])[:1])])


def _plain(text: str) -> str:
    return redact.redact(text, "full").text


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, tuple | list) else "" if value is None else str(value)


memory.add_command(mental.mm)
