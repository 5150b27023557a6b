"""The command `models`: local models, fetched when asked for and never otherwise."""

from __future__ import annotations

from dataclasses import asdict

import click

from mnemopi.cli import opening, output, progress
from mnemopi.cli.everywhere import Asked, Group, asked
from mnemopi.errors import ProviderError
from mnemopi.providers import models as local
from mnemopi.providers import registry


@click.group(
    "models",
    cls=Group,
    examples=(
        "mnemopi models list",
        "mnemopi models pull bge-small-en-v1.5",
        "mnemopi models verify bge-small-en-v1.5",
    ),
)
def models() -> None:
    """List, fetch and check local models, which embed or rerank."""


@models.command("list", examples=("mnemopi models list",))
@click.pass_context
def list_models(context: click.Context) -> None:
    """List the models that can run here, and which are on this machine."""
    wanted = asked(context)
    folder = _folder(wanted)
    found = local.list_models(folder)
    if wanted.json:
        output.document({"folder": folder, "models": [asdict(model) for model in found]})
        return
    rows = [
        (model.name, model.task, str(model.dimensions or ""), model.languages, _state(model), _megabytes(model.size))
        for model in found
    ]
    output.table(("Model", "Task", "Numbers", "Languages", "State", "Size"), rows, prose=("State",), quiet=wanted.quiet)


@models.command(
    "pull",
    examples=(
        "mnemopi models pull bge-small-en-v1.5",
        "mnemopi models pull bge-m3 --mirror http://mirror.local",
    ),
)
@click.argument("name")
@click.option("--mirror", metavar="URL", help="Fetch from here in place of the hub [default: the one of the settings].")
@click.pass_context
def pull(context: click.Context, name: str, mirror: str | None) -> None:
    """Fetch a model, or what is missing or damaged of it."""
    wanted = asked(context)
    settings = opening.config(wanted)
    with progress.download(wanted, f"Fetching {name}") as advance:
        model = local.pull(name, _folder(wanted), mirror or settings.embedding.mirror, progress=advance)
    if wanted.json:
        output.document(asdict(model))
    else:
        output.lines(model.folder if wanted.quiet else f"Fetched: {model.name} in {model.folder}")


@models.command("verify", examples=("mnemopi models verify bge-small-en-v1.5",))
@click.argument("name")
@click.pass_context
def verify(context: click.Context, name: str) -> None:
    """Compare the files of a model with what was fetched. Exits with 7 where they differ."""
    wanted = asked(context)
    model = local.verify(name, _folder(wanted))
    if wanted.json:
        output.document(asdict(model))
    elif model.problems:
        hint = f"`mnemopi models pull {model.name}` fetches what is missing or damaged"
        raise ProviderError(f"{model.name}: {'; '.join(model.problems)}", hint=hint)
    elif not wanted.quiet:
        output.lines(f"Sound: {model.name} in {model.folder}")
    if model.problems:
        context.exit(ProviderError.exit_code)


def _folder(wanted: Asked) -> str:
    settings = opening.config(wanted)
    return registry.models_folder(settings.embedding, str(settings.data_dir))


def _state(model: local.ModelState) -> str:
    if model.problems:
        return "; ".join(model.problems)
    return "on this machine" if model.installed else "not fetched"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size else ""
