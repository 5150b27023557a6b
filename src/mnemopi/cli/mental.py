"""The verbs `memory mm`: mental models, the summaries that a Hindsight server keeps up to date."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import click

from mnemopi.backends.backend import Modelled
from mnemopi.cli import output, sessions
from mnemopi.cli.everywhere import Verbs
from mnemopi.cli.failures import NothingDone
from mnemopi.cli.sessions import Sitting
from mnemopi.errors import UsageError
from mnemopi.model.session import Effect
from mnemopi.text import redact

if TYPE_CHECKING:
    from mnemopi.backends.hindsight.models import MentalModels, Model

_PAUSE_S: Final = 0.5
"""So long a server is given between being asked to refresh and being asked for what came of it."""


@click.group(
    "mm",
    cls=Verbs,
    usual="list",
    aliases={"remove": "delete"},
    short_help="List, show and look after mental models (backend hindsight).",
    examples=("mnemopi memory mm", "mnemopi memory mm show user-preferences"),
)
def mm() -> None:
    """List, show and look after mental models: summaries that a Hindsight server keeps up to date.

    Without a verb: `list`.
    """


def _verb(name: str, words: str, *, example: str = "") -> Callable[[Callable[..., Any]], Any]:
    """Make a verb of a function, which gets the click context first."""

    def made(function: Callable[..., Any]) -> Any:
        own = click.pass_context(sessions.options(function))
        examples = (f"mnemopi memory mm {name}{example}",)
        return mm.command(name, short_help=words, help=words, examples=examples)(own)

    return made


@_verb("list", "List the mental models that the project sees.")
def list_models(context: click.Context, folder: str, host: str) -> None:
    with _opened(context, folder, host) as (here, models, _):
        found = models.seen()
        if here.asked.json:
            output.document({"count": len(found), "models": [_row(each) for each in found]})
        elif found or here.asked.quiet:
            rows = [(each.id, each.name, ", ".join(each.tags), each.refreshed_at or "never") for each in found]
            output.table(("ID", "Name", "Tags", "Refreshed"), rows, quiet=here.asked.quiet)
        else:
            output.lines("There are no mental models; `mnemopi memory mm seed` makes some.")


@_verb("show", "Show a mental model whole.", example=" user-preferences")
@click.argument("id")
def show(context: click.Context, id: str, folder: str, host: str) -> None:
    with _opened(context, folder, host) as (here, models, _):
        model = models.show(id)
        text = _plain(model.content).strip() or "It says nothing yet: the server has not answered its question."
        if here.asked.json:
            output.document(_row(model) | {"content": _plain(model.content), "question": model.question})
        elif here.asked.quiet:
            output.lines(text)
        else:
            head = [("name", model.name), ("tags", ", ".join(model.tags)), ("refreshed", model.refreshed_at or "never")]
            output.pairs([*head, ("question", model.question)])
            output.lines("", text)


@_verb("refresh", "Have one answered anew, or all that refresh themselves.", example=" user-preferences")
@click.argument("id", required=False)
def refresh(context: click.Context, id: str | None, folder: str, host: str) -> None:
    with _opened(context, folder, host) as (here, models, reload):
        asked, left = models.refresh(id)
        if asked:
            time.sleep(_PAUSE_S)
            reload()
        if here.asked.json:
            output.document({"asked": asked, "left": left})
        elif not asked:
            output.lines("None refreshes itself; name the one to be refreshed.")
        else:
            output.lines(f"Asked to refresh: {', '.join(asked)}" + (f"; left: {', '.join(left)}" if left else ""))


@_verb("history", "Show how a mental model changed, newest first.", example=" user-preferences")
@click.argument("id")
def history(context: click.Context, id: str, folder: str, host: str) -> None:
    with _opened(context, folder, host) as (here, models, _):
        changes = [(at, _plain(what)) for at, what in models.history(id)]
        if here.asked.json:
            output.document({"id": id, "changes": [{"at": at, "difference": what} for at, what in changes]})
        else:
            output.lines(*(f"{at}\n{what}\n" for at, what in changes) if changes else ("It has not changed yet.",))


@_verb("seed", "Make the mental models that are missing.")
def seed(context: click.Context, folder: str, host: str) -> None:
    with _opened(context, folder, host) as (here, models, _):
        made, there = models.seed()
        if here.asked.json:
            output.document({"made": made, "there": there})
        else:
            output.lines(f"Made: {', '.join(made) or 'none'}", f"There already: {', '.join(there) or 'none'}")


@_verb("reload", "Show a session the mental models as they are now.", example=" --host claude-code --session 4f2a...")
def reload_models(context: click.Context, folder: str, host: str) -> None:
    with _opened(context, folder, host) as (here, _, reload):
        blocks = reload().blocks
        if here.asked.json:
            output.document({"text": "".join(_plain(block.text) for block in blocks)})
        else:
            output.lines(*(_plain(block.text) for block in blocks) if blocks else ("There is nothing to show.",))


@_verb("delete", "Delete a mental model on the server.", example=" user-preferences --yes")
@click.argument("id")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
def delete(context: click.Context, id: str, yes: bool, folder: str, host: str) -> None:
    with _opened(context, folder, host) as (here, models, reload):
        if not output.confirm(here.asked, f"Delete the mental model {id} on the server?", yes=yes):
            raise NothingDone("nothing was deleted", hint="--yes deletes it")
        models.delete(id)
        reload()
        if here.asked.json:
            output.document({"deleted": id})
        else:
            output.lines(f"Deleted: {id}")


@contextmanager
def _opened(
    context: click.Context, folder: str, host: str
) -> Iterator[tuple[Sitting, MentalModels, Callable[[], Effect]]]:
    """Open the door to the models, and what shows a session those of now. Raises UsageError where there is none."""
    with sessions.opened(context, folder, host) as here:
        backend = here.backend
        if not isinstance(backend, Modelled):
            raise UsageError(
                f"the memory {backend.name} keeps no mental models", hint="a Hindsight server does: memory.backend"
            )
        if not here.config.hindsight.mental_models_enabled:
            raise UsageError("mental models are switched off", hint="set hindsight.mental_models_enabled")
        yield here, backend.models(here.ref), lambda: backend.reload_models(here.ref)


def _row(model: Model) -> dict[str, Any]:
    told = asdict(model)
    return {name: told[name] for name in ("id", "name", "refreshed_at", "refreshes_itself")} | {"tags": [*model.tags]}


def _plain(text: str) -> str:
    return redact.redact(text, "full").text
