"""The command `project`: which project a folder is, and what counts as it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mnemopi.cli import opening, output
from mnemopi.cli.everywhere import Asked, Group, asked
from mnemopi.config import Config
from mnemopi.errors import ExistsError, UsageError
from mnemopi.projects import identity, scopes
from mnemopi.projects.identity import ID_FILE, Identity
from mnemopi.projects.registry import Project, Registry

_AT = click.option("--at", "folder", metavar="FOLDER", default=".", help="The project's folder, by default this one.")


@click.group(
    "project",
    cls=Group,
    examples=("mnemopi project show", "mnemopi project link", "mnemopi project alias ../the-same-elsewhere"),
)
def project() -> None:
    """Say which project a folder is, and what else is the same."""


@project.command("show", examples=("mnemopi project show", "mnemopi project show --at ~/src/tool --json"))
@_AT
@click.pass_context
def show(context: click.Context, folder: str) -> None:
    """Show the project of a folder, its banks, and why."""
    wanted = asked(context)
    settings = opening.config(wanted)
    here, registry = _here(settings, folder), Registry(settings.agent_dir)
    _told(wanted, settings, here, registry.of(here), _remark(here, registry))


@project.command("link", examples=("mnemopi project link", "mnemopi project link --file"))
@click.option("--file", "writes", is_flag=True, help=f"Write {ID_FILE} where there is none, to be checked in.")
@_AT
@click.pass_context
def link(context: click.Context, writes: bool, folder: str) -> None:
    """Believe the id that a folder carries, on this machine and here."""
    wanted = asked(context)
    settings = opening.config(wanted)
    here, registry = _here(settings, folder), Registry(settings.agent_dir)
    if here.carried is None and not writes:
        raise UsageError(f"{here.root} carries no id", hint="`--file` writes one")
    file = Path(here.root) / ID_FILE
    if here.carried is None and file.exists():
        raise ExistsError(f"{file} holds no id that can be used", hint="take it away first")
    linked, carried = registry.link(here)
    if here.carried is None:
        file.write_text(f"{carried}\n", "ascii")
    _told(wanted, settings, _here(settings, folder), linked, f"{ID_FILE} says {carried}, and is believed here")


@project.command("alias", examples=("mnemopi project alias ../fork",))
@click.argument("other")
@_AT
@click.pass_context
def alias(context: click.Context, other: str, folder: str) -> None:
    """Let another folder be this project, too."""
    wanted = asked(context)
    settings = opening.config(wanted)
    here, theirs = _here(settings, folder), _here(settings, other)
    _told(wanted, settings, here, Registry(settings.agent_dir).alias(here, theirs), f"{theirs.key} is the same")


@project.command("merge", examples=("mnemopi project merge ../old", "mnemopi project merge old-3f9ac1b07d2e"))
@click.argument("other")
@_AT
@click.pass_context
def merge(context: click.Context, other: str, folder: str) -> None:
    """Go on with another project, a folder or a bank, as this one; nothing is moved, its bank is recalled too."""
    wanted = asked(context)
    settings = opening.config(wanted)
    here = _here(settings, folder)
    is_folder = "/" in other or other.startswith(".") or Path(other).is_dir()
    if not is_folder and not opening.banks(wanted, settings).exists(other):
        raise UsageError(f"{other!r:.80} is neither a folder nor a bank", hint="`mnemopi bank list` shows the banks")
    theirs = _here(settings, other) if is_folder else other
    merged = Registry(settings.agent_dir).merge(here, theirs)
    _told(wanted, settings, here, merged, f"{other} goes on as this project")


def _here(settings: Config, folder: str) -> Identity:
    path = Path(folder).expanduser()
    if not path.is_dir():
        raise UsageError(f"{folder!r:.200} is no folder", hint="name the folder of a project")
    return identity.identify(path, settings.memory.projects)


def _remark(here: Identity, registry: Registry) -> str:
    if here.carried is None or registry.is_believed(here):
        return ""
    return f"{ID_FILE} says {here.carried}, which nobody linked here: it counts for nothing (`mnemopi project link`)"


def _told(asked: Asked, settings: Config, here: Identity, project: Project, remark: str) -> None:
    scope = scopes.scope(settings.mnemopi.scoping, settings.mnemopi.bank, project)
    told: dict[str, Any] = {
        "project": project.bank,
        "name": project.name,
        "key": here.key,
        "kind": here.kind,
        "root": here.root,
        "id": here.carried,
        "aliases": list(project.keys),
        "scoping": scope.kind,
        "writes": scope.retain,
        "recalls": list(scope.recall),
        "remark": remark,
    }
    if asked.json:
        output.document(told)
    elif asked.quiet:
        output.lines(project.bank)
    else:
        rows = [(name, ", ".join(value) if isinstance(value, list) else str(value)) for name, value in told.items()]
        output.pairs([row for row in rows if row[1] not in ("", "None")])
