"""Which command a command line holds, and what the resident process may do with it. Data, and one look.

What is not listed is done in the process that was started: whatever reads standard input, asks for confirmation, works
on files, or wants a bank for itself.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

WITH_VALUE = ("--bank", "--session", "--db", "--set", "--config")
"""Options of every command that take a value."""
FLAGS = ("--json", "--quiet", "-q", "--no-embeddings")
AT_HOME = ("--help", "-h", "--debug", "--version", "-")
"""Where one of these stands among the arguments, nobody else is asked."""

READS = frozenset({"recall", "search", "get", "context", "stats", "history", "events"}) | frozenset(
    {"related", "path", "entities", "annotations", "conflicts", "contaminated"}
)
WRITES = frozenset({"store", "remember", "update", "edit", "invalidate", "pin", "unpin", "link", "unlink", "annotate"})
ALONE = frozenset({"restore", "compact", "bank", "memory"})
"""Commands that want a bank for themselves: the resident process lets go of it first."""
_ALONE_VERBS = {"bank": ("rename", "delete"), "memory": ("clear", "reset", "undo")}
"""Of these commands, the verbs that do."""

TOOLS_THAT_READ = frozenset(
    {
        "mnemopi_conflicts",
        "mnemopi_context",
        "mnemopi_diagnose",
        "mnemopi_get",
        "mnemopi_graph_query",
        "mnemopi_history",
        "mnemopi_recall",
        "mnemopi_scratchpad_read",
        "mnemopi_shared_recall",
        "mnemopi_shared_stats",
        "mnemopi_stats",
        "mnemopi_triple_query",
    }
)
"""Tools that may be called again without asking, where it is not known whether they ran."""


def command(argv: "Sequence[str]") -> str:
    """Return the name of the command, empty where there is none to be sure of."""
    taken = False
    for word in argv:
        if taken:
            taken = False
        elif word in WITH_VALUE:
            taken = True
        elif word.startswith("-"):
            if word not in FLAGS and word.partition("=")[0] not in WITH_VALUE:
                return ""
        else:
            return word
    return ""


def is_at_home(argv: "Sequence[str]") -> bool:
    """Whether something in the arguments is for the process that was started alone."""
    settings = [after for word, after in zip(argv, [*argv[1:], ""], strict=True) if word == "--set"]
    settings += [word.partition("=")[2] for word in argv if word.startswith("--set=")]
    return any(word in AT_HOME for word in argv) or any(
        each.strip().startswith(("daemon.", "storage.data_dir")) for each in settings
    )


def is_alone(name: str, argv: "Sequence[str]") -> bool:
    """Whether a command wants a bank for itself."""
    return name in ALONE and (name not in _ALONE_VERBS or any(word in _ALONE_VERBS[name] for word in argv))


def may_repeat(name: str, argv: "Sequence[str]") -> bool:
    """Whether doing a command twice is the same as doing it once."""
    if name in READS or name in ("pin", "unpin"):
        return True
    return name in ("store", "remember") and any(word.partition("=")[0] == "--external-id" for word in argv)
