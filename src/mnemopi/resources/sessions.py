"""What stands at the addresses of a session of an agent, by what its backend can do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NoReturn
from urllib.parse import quote

from mnemopi.backends.backend import Banked, Editing, Filed, Folders, Reflecting
from mnemopi.bank import Bank
from mnemopi.errors import NotFoundError, UsageError
from mnemopi.model.memory import Memory
from mnemopi.resources import banked, files
from mnemopi.resources.address import Address, Entry, parse, shown, steps_of
from mnemopi.resources.banked import JSON, Sight, as_json
from mnemopi.tools import shape
from mnemopi.tools.agent_caller import AgentCaller

MARKDOWN: Final = "text/markdown"
_ROOT: Final = Entry("memory://root", "root", "What one should know first.", MARKDOWN)
_FILES: Final = Entry("memory://root{/path*}", "root", "A document of this project, or a folder of them.", MARKDOWN)
_SKILLS: Final = Entry("memory://-/skills", "skills", "The skills that agents wrote, a line each.")
_SKILL: Final = Entry("memory://-/skills/{skill}", "skill", "A skill whole.", MARKDOWN)


def read(caller: AgentCaller, uri: str) -> tuple[str, str]:
    """Return the text at an address and its media type. Raises UsageError and NotFoundError."""
    backend, ref = caller.session.backend, caller.session.ref
    if isinstance(backend, Filed) and uri.startswith("memory://root"):
        return _file(backend.folders(ref), uri)
    steps, _ = steps_of(uri)
    if steps[0] == "-" and steps[1:2] == ["skills"]:
        return _skills(caller, parse(uri))
    if not isinstance(backend, Banked):
        _corrected(caller, uri, is_id=steps[0] not in ("-", "root"))
    address = parse(uri) if steps[0] != "root" or len(steps) == 1 else _below_root(caller, uri)
    if address.place == "memory" and address.bank is None and isinstance(backend, Editing):
        return _entry(caller, address.name), JSON
    sight = _sight(caller)
    if not sight.names() and address.place in ("root", "index", "facts"):
        return f"{shape.NOTICE}\n\n{banked.EMPTY}\n", banked.PLAIN
    return banked.read(sight, address)


def listed(caller: AgentCaller) -> list[Entry]:
    """Return what stands there now: documents or the latest memories, and skills."""
    backend, ref = caller.session.backend, caller.session.ref
    entries: list[Entry] = []
    if isinstance(backend, Filed):
        folders = backend.folders(ref)
        names = files.names(folders)
        entries = [_ROOT] if names and (not folders.first or folders.first in names) else []
        entries += [Entry(f"memory://root/{quote(name)}", name, "A document of this project.") for name in names]
    elif isinstance(backend, Banked):
        sight = _sight(caller)
        entries = banked.listed(sight) if sight.names() else list(banked.STANDING)
    skills = caller.skills.list()
    entries += [_SKILLS] if skills else []
    return entries + [
        Entry(f"memory://-/skills/{skill.name}", skill.name, skill.description, MARKDOWN) for skill in skills
    ]


def templates(caller: AgentCaller) -> tuple[Entry, ...]:
    """Return the templates that apply to the session."""
    backend = caller.session.backend
    own: Sequence[Entry] = (_FILES,) if isinstance(backend, Filed) else ()
    own = banked.TEMPLATES if isinstance(backend, Banked) else own
    return (*own, _SKILL)


def complete(caller: AgentCaller, argument: str, begun: str, bank: str | None = None) -> list[str]:
    """Return what an argument of a template may be, given its beginning."""
    backend, ref = caller.session.backend, caller.session.ref
    if argument == "skill":
        return banked.begins([skill.name for skill in caller.skills.list()], begun)
    if argument == "path" and isinstance(backend, Filed):
        return banked.begins(files.names(backend.folders(ref)), begun)
    if not isinstance(backend, Banked) or not (sight := _sight(caller)).names():
        return []
    return banked.complete(sight, argument, begun, bank)


def _file(folders: Folders, uri: str) -> tuple[str, str]:
    """Return a document, or a folder's lines where the address ends with a slash or leads to one."""
    as_folder = uri.endswith("/")
    steps, bank = steps_of(uri.removesuffix("/"))
    if bank is not None:
        raise UsageError("documents lie in no bank", hint="leave ?bank= out")
    if steps[0] != "root":
        raise UsageError(f"nothing stands at {shown(uri)}", hint="memory://root, and what lies below it")
    found = files.read(folders, steps[1:], uri, as_folder=as_folder)
    if found.mime == JSON:
        return found.text, JSON
    return f"{shape.NOTICE}\n\n{shape.neutral(found.text)}\n", found.mime


def _sight(caller: AgentCaller) -> Sight:
    """Return the banks of the session, its own first: others are not there."""
    backend = caller.session.backend
    assert isinstance(backend, Banked)
    there = {engine.bank.name: engine.bank for engine in backend.engines(caller.session.ref)}

    def bank(name: str | None) -> Bank:
        if name is None and there:
            return next(iter(there.values()))
        if name not in there:
            said = f"bank {name[:100]!r}" if name else "bank yet"
            raise NotFoundError(f"this session sees no {said}", hint="memory://-/banks names them")
        return there[name]

    return Sight(bank, lambda: list(there))


def _entry(caller: AgentCaller, id: str) -> str:
    entry = caller.session.entry(id)
    if entry is None:
        raise NotFoundError(f"no bank of this session has {id[:100]!r}", hint="recall shows ids")
    whole = shape.memory(entry.kept) if isinstance(entry.kept, Memory) else shape.fact(entry.kept)
    return as_json({"memory": whole, "bank": entry.bank, "store": entry.store, "notice": shape.NOTICE})


def _skills(caller: AgentCaller, address: Address) -> tuple[str, str]:
    if address.name:
        skill = caller.skills.get(address.name)
        return f"{shape.NOTICE}\n\n# {skill.name}\n\n{skill.description}\n\n{skill.body}\n", MARKDOWN
    lines = [f"- {skill.name}: {skill.description}" for skill in caller.skills.list()]
    return f"{shape.NOTICE}\n\n" + ("\n".join(lines) or "No skill was written yet.") + "\n", banked.PLAIN


def _below_root(caller: AgentCaller, uri: str) -> Address:
    """Read an address below the root of a memory that has no files."""
    try:
        return parse(uri)
    except UsageError as error:
        name = caller.session.backend.name
        raise UsageError(
            f"nothing stands at {shown(uri)}: the memory {name} keeps no files",
            hint="memory://<id> is a memory that recall found, memory://root/index the latest",
        ) from error


def _corrected(caller: AgentCaller, uri: str, *, is_id: bool) -> NoReturn:
    """Say what applies in place of an address that does not."""
    backend = caller.session.backend
    if isinstance(backend, Filed):
        what = "no memory has an address of its own" if is_id else f"nothing stands at {shown(uri)}"
        raise UsageError(f"{what} with {backend.name}", hint="memory://root, and what lies below it")
    if not isinstance(backend, Reflecting):
        raise NotFoundError(f"nothing stands at {shown(uri)}", hint=f"the memory backend is {backend.name}")
    if is_id:
        raise UsageError(
            f"the memories of {backend.name} have no addresses: what recall returns is whole",
            hint="use recall or reflect",
        )
    raise UsageError(f"the memory {backend.name} keeps no files", hint="use recall or reflect")
