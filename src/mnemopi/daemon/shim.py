"""Before anything else is imported: see whether a resident process can do what is asked, and let it.

`mnemopi mcp` is relayed to it, and what reads or writes single memories is asked of it. Where none runs, or it
refuses, or an argument is for this process alone, the answer is None, and all is done here as if there were none. A
write whose outcome is not known is an error, and never done again. Only the standard library is imported, and late;
this is why names of the environment stand here and in `config` (a test compares).
"""

import os
import sys

from mnemopi.daemon import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from mnemopi.daemon import client, relay

DATA_DIR, CONFIG = "MNEMOPI_DATA_DIR", "MNEMOPI_CONFIG"
USE, START = "MNEMOPI_DAEMON", "MNEMOPI_DAEMON_START"
_DARK = ("", "dumb", "unknown")
"""Terminals that show plain text alone."""
_LOOK_FIRST = "look before you repeat it; --external-id makes a memory safe to store again"
_UNTOLD = "it was done, but its answer cannot be written"
_DISK, _INTERRUPTED, _READER_GONE = 6, 130, 141


def attempt(argv: "Sequence[str]") -> int | None:
    """Have a command done by the resident process and return its exit status; None: it is to be done here.

    Raises OutcomeUnknownError where that process ended in the middle of a write.
    """
    name = words.command(argv)
    known = name == "mcp" or name in words.READS or name in words.WRITES or words.is_alone(name, argv)
    if not known or words.is_at_home(argv):
        return None
    if sys.platform == "win32" or not _has_streams():
        return None
    wishes = _wishes(os.environ)
    folder = wishes["data_dir"]
    if wishes["use"] == "off" or not os.path.isabs(folder):  # noqa: PTH117 -- pathlib costs milliseconds
        return None
    if not _is_written(os.path.join(folder, "daemon.lock")):  # noqa: PTH118
        _nobody(name, wishes)
        return None
    return _asked(name, list(argv), folder, wishes)


def _asked(name: str, argv: "list[str]", folder: str, wishes: "Mapping[str, str]") -> int | None:
    parent = os.getppid()  # before anything takes time: it may end meanwhile
    from mnemopi.daemon import client, protocol  # noqa: PLC0415 -- most have no such process, and pay for none

    width = _width(os.environ)
    if width is None and name != "mcp":
        return None
    kind = "mcp" if name == "mcp" else "release" if name in words.ALONE else "cli"
    settings = {name: value for name, value in os.environ.items() if name.startswith("MNEMOPI_")}
    ground = {name: os.environ.get(name, "") for name in protocol.GROUND}
    hello = protocol.hello(kind, ground, environment=settings, **({"argv": argv} if kind == "mcp" else {}))
    link, answer = client.dial(folder, hello)
    if link is None:
        _refused(name, answer, wishes)
        return None
    try:
        if kind == "mcp":
            return _relayed(link, argv, folder, hello, parent)
        return None if kind == "release" else _done(link, name, argv, width or 0)
    except KeyboardInterrupt:
        return _INTERRUPTED
    finally:
        link.close()


def _done(link: "client.Link", name: str, argv: "list[str]", width: int) -> int | None:
    """Have a command run, and print what it printed."""
    try:
        link.send({"argv": argv, "width": width})
    except OSError:
        return None  # what did not arrive whole is not done
    try:
        answer = link.receive()
    except OSError:
        answer = None
    if answer is None:
        if words.may_repeat(name, argv):
            return None
        from mnemopi.errors import OutcomeUnknownError  # noqa: PLC0415

        raise OutcomeUnknownError(hint=_LOOK_FIRST)
    if "refused" in answer:
        return None
    try:
        _print(1, answer["out"])
        _print(2, answer["err"])
    except BrokenPipeError:
        return _READER_GONE
    except OSError as error:
        _print(2, f"Error: reading or writing failed: {error.strerror}\nHint: {_UNTOLD}\n")
        return _DISK
    return int(answer["status"])


def _relayed(link: "client.Link", argv: "list[str]", folder: str, hello: "Mapping[str, Any]", parent: int) -> int:
    from mnemopi.daemon import client, relay  # noqa: PLC0415

    kept = [link]

    def another() -> "relay.Peer | None":
        found, _ = client.dial(folder, hello)
        if found is not None:
            kept.append(found)
            return relay.over_socket(found.socket)
        import subprocess  # noqa: PLC0415 -- only where the resident process has died

        command = [sys.executable, "-m", "mnemopi", *argv, "--set", "daemon.use=off"]
        return relay.over_pipes(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE))

    return relay.Relay(relay.over_socket(link.socket), another).run(parent)


def _nobody(name: str, wishes: "Mapping[str, str]") -> None:
    """No such process runs: start one for the next time, where that is wished for."""
    if wishes["start"] == "on-demand" and name not in words.ALONE:
        from mnemopi.daemon import detach  # noqa: PLC0415

        detach.start([sys.executable, "-m", "mnemopi", "daemon", "start", "--quiet"])


def _refused(name: str, answer: "Mapping[str, Any]", wishes: "Mapping[str, str]") -> None:
    from mnemopi.daemon import detach, protocol  # noqa: PLC0415

    why = answer.get("refused")
    if why is None:
        _nobody(name, wishes)
    elif why == "version" and protocol.is_older(str(answer.get("version", ""))):
        detach.start([sys.executable, "-m", "mnemopi", "daemon", "start", "--quiet"])
    elif why in ("owner", "silent"):
        _print(2, f"Warning: {answer.get('message')}; done without it\n")


def _wishes(environ: "Mapping[str, str]") -> "dict[str, str]":
    """Read the few settings that decide whether and where to ask, as `config` would."""
    home = os.path.expanduser("~")  # noqa: PTH111
    library = os.path.join(home, "Library", "Application Support")  # noqa: PTH118
    data, config = (library, library) if sys.platform == "darwin" else (f"{home}/.local/share", f"{home}/.config")
    file = environ.get(CONFIG) or f"{environ.get('XDG_CONFIG_HOME', '').strip() or config}/mnemopi/config.toml"
    told = _from_file(os.path.expanduser(file))  # noqa: PTH111
    given = {"data_dir": environ.get(DATA_DIR, ""), "use": environ.get(USE, ""), "start": environ.get(START, "")}
    found = told | {name: value.strip() for name, value in given.items() if value.strip()}
    folder = found["data_dir"] or f"{environ.get('XDG_DATA_HOME', '').strip() or data}/mnemopi"
    return found | {"data_dir": os.path.expanduser(folder)}  # noqa: PTH111


def _from_file(path: str) -> "dict[str, str]":
    told: dict[str, Any] = {}
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            import tomllib  # noqa: PLC0415 -- most have no such file

            told = tomllib.load(file)
    except (OSError, ValueError):
        pass  # `config` says what is wrong with it
    storage, daemon = told.get("storage"), told.get("daemon")
    storage, daemon = (each if isinstance(each, dict) else {} for each in (storage, daemon))
    folder = storage.get("data_dir", storage.get("dataDir", ""))
    return {"data_dir": str(folder), "use": str(daemon.get("use", "auto")), "start": str(daemon.get("start", "never"))}


def _is_written(path: str) -> bool:
    """Whether a server has written into its record, and not ended in good order since."""
    try:
        return os.stat(path).st_size > 0  # noqa: PTH116
    except OSError:
        return False


def _has_streams() -> bool:
    """Whether the three standard descriptors are open: else a socket would take the place of one."""
    try:
        return all(os.fstat(standard) for standard in (0, 1, 2))
    except OSError:
        return False


def _width(environ: "Mapping[str, str]") -> int | None:
    """Return the columns of the terminal on standard output, 0 for none, None for one to be drawn on from here."""
    if not os.isatty(1):
        return 0
    if environ.get("TERM", "").lower() in _DARK:
        return None
    columns = environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() else os.get_terminal_size(1).columns


def _print(descriptor: int, text: str) -> None:
    rest = memoryview(text.encode("utf-8", "replace"))
    while rest:
        rest = rest[os.write(descriptor, rest) :]
