"""The command `skills`: what agents wrote down for themselves. What people wrote is not touched."""

from __future__ import annotations

import click

from mnemopi.cli import opening, output
from mnemopi.cli.everywhere import Asked, Verbs, asked
from mnemopi.cli.failures import NothingDone
from mnemopi.skills import ManagedSkills
from mnemopi.text import redact
from mnemopi.tools.agent_caller import SKILLS


@click.group(
    "skills",
    cls=Verbs,
    usual="list",
    examples=("mnemopi skills", "mnemopi skills show cut-release", "mnemopi skills delete cut-release --yes"),
)
def skills() -> None:
    """List, show and delete the skills that agents wrote.

    Without a verb: `list`.
    """


@skills.command("list", short_help="List them by name.", examples=("mnemopi skills list --json",))
@click.pass_context
def list_skills(context: click.Context) -> None:
    """List them by name."""
    wanted = asked(context)
    found = _managed(wanted).list()
    if wanted.json:
        told = [{"name": each.name, "description": each.description, "path": each.path} for each in found]
        output.document({"count": len(found), "skills": told})
    elif found or wanted.quiet:
        output.table(
            ("Name", "When"), [(each.name, each.description) for each in found], prose=("When",), quiet=wanted.quiet
        )
    else:
        output.lines("No skill was written yet; the setting autolearn.enabled gives agents the tool for it.")


@skills.command("show", short_help="Show one whole.", examples=("mnemopi skills show cut-release",))
@click.argument("name")
@click.pass_context
def show(context: click.Context, name: str) -> None:
    """Show one whole."""
    wanted = asked(context)
    skill = _managed(wanted).get(name)
    body = redact.redact(skill.body, "full").text
    if wanted.json:
        output.document(skill.as_dict() | {"body": body})
    elif wanted.quiet:
        output.lines(body)
    else:
        output.pairs([("name", skill.name), ("when", skill.description), ("file", skill.path)])
        output.lines("", body)


@skills.command("delete", short_help="Delete one.", examples=("mnemopi skills delete cut-release --yes",))
@click.argument("name")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.pass_context
def delete(context: click.Context, name: str, yes: bool) -> None:
    """Delete one, with all that lies in its folder."""
    wanted = asked(context)
    managed = _managed(wanted)
    skill = managed.get(name)
    if not output.confirm(wanted, f"Delete the skill {skill.name} for good?", yes=yes):
        raise NothingDone("nothing was deleted", hint="--yes deletes it")
    managed.delete(skill.name)
    if wanted.json:
        output.document({"deleted": skill.name})
    else:
        output.lines(f"Deleted: {skill.name}")


def _managed(wanted: Asked) -> ManagedSkills:
    return ManagedSkills(opening.config(wanted).agent_dir / SKILLS)
