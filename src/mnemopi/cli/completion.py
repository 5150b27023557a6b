"""Commands about the command line itself: completion and help."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from mnemopi.cli import output
from mnemopi.cli.everywhere import Group, asked, command, no_command

_NAME = "mnemopi"
_SHELLS = ("bash", "zsh", "fish")


@command(
    "completion",
    examples=(
        'eval "$(mnemopi completion bash)"',
        'eval "$(mnemopi completion zsh)"',
        "mnemopi completion fish > ~/.config/fish/completions/mnemopi.fish",
    ),
)
@click.argument("shell", type=click.Choice(_SHELLS))
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script of a shell."""
    made = get_completion_class(shell)
    assert made is not None  # click brings one for each of these
    script = made(context.find_root().command, {}, _NAME, f"_{_NAME.upper()}_COMPLETE").source()
    if asked(context).json:
        output.document({"shell": shell, "script": script})
    else:
        output.lines(script)


@command("help", examples=("mnemopi help recall", "mnemopi help bank create"))
@click.argument("names", metavar="[COMMAND]...", nargs=-1)
def show_help(context: click.Context, names: tuple[str, ...]) -> None:
    """Show the help of a command."""
    shown = context.find_root()
    for name in names:
        group = shown.command
        found = group.get_command(shown, name) if isinstance(group, click.Group) else None
        if found is None:
            known = group.spellings(shown) if isinstance(group, Group) else []
            raise no_command(" ".join(names), known, shown.command_path)
        shown = click.Context(found, info_name=name, parent=shown)
    if asked(context).json:
        output.document({"command": shown.command_path, "help": shown.get_help()})
    else:
        output.lines(shown.get_help())
