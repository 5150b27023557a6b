"""Managed skills: procedures that an agent wrote down for itself, kept apart from those that people wrote.

Each is a folder with a `SKILL.md` below one root. The root, the folders and the files are never followed through a
symbolic link, and a file that has another name elsewhere is never written: the folder may lie where others can write.
What goes in is looked at again when it comes out, because a description is shown in the prompt as it stands.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from mnemopi.errors import ConflictError, ExistsError, MnemopiError, NotFoundError, StorageError, UsageError
from mnemopi.model.values import dataclass
from mnemopi.storage import private
from mnemopi.text import redact

FILE: Final = "SKILL.md"
_WORKING: Final = f".{FILE}."
"""How the name of a file begins that is being written."""
MOST_BYTES: Final = 64_000
"""Longest file, front matter included, in bytes of UTF-8."""
LONGEST_DESCRIPTION: Final = 1024
LISTED: Final = (
    "Skills written down in earlier sessions, by an agent and not by a person. Where one fits the task, read its file "
    "first; what you see now counts for more."
)
_HEAD: Final = 8192
"""Characters of a person's skill that are looked at for its name."""
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_FRONT: Final = re.compile(r"\A---\r?\n(.*?)\r?\n---\r?\n?", re.DOTALL)
_FIELD: Final = re.compile(r"^(name|description):[ \t]*(.*)$", re.MULTILINE)
_LINKED: Final = frozenset({errno.ELOOP, errno.ENOTDIR})
"""What opening something says that was a link, or no folder, after all."""


@dataclass(frozen=True, slots=True)
class Skill:
    """One managed skill: its name, what it is good for, and the procedure itself (Markdown)."""

    name: str
    description: str
    body: str
    path: str

    def as_dict(self) -> dict[str, str]:
        """Render the skill for programs."""
        return {"name": self.name, "description": self.description, "body": self.body, "path": self.path}


class ManagedSkills:
    """The skills below one folder. `authored` are the names that people's own skills have: they are never claimed."""

    def __init__(self, root: Path, authored: Collection[str] = ()) -> None:
        self.root = root
        self.authored = frozenset(name.strip().lower() for name in authored)

    def create(self, name: str, description: str, body: str) -> Skill:
        """Write a new skill. Raises UsageError, ExistsError (also for a name that an authored skill has)."""
        skill, text = self._made(name, description, body)
        if skill.name in self.authored:
            raise ExistsError(f"a skill of yours is called {skill.name}", hint="choose another name")
        with self._changing() as root, _folder_of(root, skill.name, make=True) as folder:
            if _entry(folder, FILE) is not None:
                raise ExistsError(f"there is a managed skill {skill.name}", hint="use the action `update`")
            _put(folder, text, new=True)
        return skill

    def update(self, name: str, description: str, body: str) -> Skill:
        """Replace a skill in one step. Raises UsageError, NotFoundError, and ConflictError for a linked file."""
        skill, text = self._made(name, description, body)
        with self._changing() as root, _folder_of(root, skill.name) as folder:
            entry = _entry(folder, FILE)
            if entry is None:
                raise _missing(skill.name)
            if entry.st_nlink > 1 and _sweep(folder):
                entry = os.stat(FILE, dir_fd=folder, follow_symlinks=False)
            _check(entry, skill.name)
            _put(folder, text, new=False)
        return skill

    def delete(self, name: str) -> None:
        """Remove a skill with all that lies in its folder. Raises UsageError, NotFoundError, ConflictError."""
        name = check_name(name)
        with self._changing() as root:
            with _folder_of(root, name) as folder:
                _empty(folder)
            os.rmdir(name, dir_fd=root)

    def get(self, name: str) -> Skill:
        """Return a skill. Raises UsageError, and NotFoundError for one that is not there or cannot be used."""
        name = check_name(name)
        found = self._read(name)
        if found is None:
            raise _missing(name)
        return found

    def list(self) -> tuple[Skill, ...]:
        """Return the skills that can be used, in an order that stays: by name, those of people's names left out."""
        if not _is_folder(self.root):
            return ()
        there = sorted(each.name for each in self.root.iterdir())
        names = (name for name in there if _NAME.fullmatch(name) and name not in self.authored)
        return tuple(skill for skill in map(self._read, names) if skill is not None)

    def _made(self, name: str, description: str, body: str) -> tuple[Skill, str]:
        name = check_name(name)
        # Looked at once more as it is shown: what is taken out of it may have parted a secret.
        description = redact.redact(shown(redact.redact(description).text)).text[:LONGEST_DESCRIPTION].rstrip()
        body = redact.redact(body).text.strip()
        if not description:
            raise UsageError("a skill needs a description", hint="say in a line when it helps")
        if not body:
            raise UsageError("a skill needs a body", hint="write down the steps")
        text = f"---\nname: {name}\ndescription: {json.dumps(description, ensure_ascii=False)}\n---\n\n{body}\n"
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > MOST_BYTES:
            raise UsageError(f"the skill takes {size} bytes, of {MOST_BYTES} at most", hint="shorten its body")
        return Skill(name, description, body, str(self.root / name / FILE)), text

    def _read(self, name: str) -> Skill | None:
        try:
            with _root(self.root) as root, _folder_of(root, name) as folder:
                entry = _entry(folder, FILE)
                if entry is None or not stat.S_ISREG(entry.st_mode) or entry.st_size > MOST_BYTES:
                    return None
                handle = os.open(FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
                with os.fdopen(handle, encoding="utf-8", errors="replace") as file:
                    text = file.read()
        except (MnemopiError, OSError):
            return None
        return _parsed(name, text, str(self.root / name / FILE))

    @contextmanager
    def _changing(self) -> Iterator[int]:
        """Hold the skills against all other writers; the value is the root's descriptor. Raises ConflictError."""
        if self.root.is_symlink():
            raise _linked(str(self.root))
        private.folder(self.root)
        with private.locked(self.root / "skills"), _root(self.root) as root:
            try:
                yield root
            except OSError as error:
                raise StorageError(f"{self.root} cannot be used: {error.strerror or error}") from error


def authored_names(folders: Iterable[Path]) -> frozenset[str]:
    """Return the names of people's own skills below some folders: those of the folders, and those that files give."""
    found: set[str] = set()
    for folder in folders:
        for file in folder.glob(f"*/{FILE}") if folder.is_dir() else ():
            found.add(file.parent.name.strip().lower())
            with suppress(OSError), file.open(encoding="utf-8", errors="replace") as opened:
                front = _FRONT.match(opened.read(_HEAD))
                fields = {} if front is None else dict(_FIELD.findall(front[1]))
                found.add(_value(fields.get("name", "").strip()).strip().lower())
    return frozenset(found - {""})


def listing(skills: Iterable[Skill]) -> str:
    """Return a line for each skill, and how to use them; "" where there is none. Names and descriptions are data."""
    lines = [f"- {skill.name}: {skill.description} ({skill.path})" for skill in skills]
    return "\n".join((LISTED, *lines)) if lines else ""


def check_name(name: str) -> str:
    """Return a skill's name as it is written: lower case. Raises UsageError."""
    written = name.strip().lower()
    if not _NAME.fullmatch(written):
        hint = "1 to 64 of a-z, 0-9 and -, not - first"
        raise UsageError(f"{name!r:.100} is no name of a skill", hint=hint)
    return written


def shown(text: str) -> str:
    """Return a text as one line without what a prompt could take for markup: control characters, <, >, `, ~~."""
    plain = "".join(" " if unicodedata.category(each) in ("Cc", "Cf", "Zl", "Zp", "Cs") else each for each in text)
    plain = re.sub(r"~{2,}", "~", re.sub(r"[<>`]", "", plain))
    return " ".join(plain.split())


def _parsed(name: str, text: str, path: str) -> Skill | None:
    front = _FRONT.match(text)
    if front is None:
        return None
    fields = {key: _value(value.strip()) for key, value in _FIELD.findall(front[1])}
    description = shown(fields.get("description", ""))[:LONGEST_DESCRIPTION].rstrip()
    if fields.get("name", name).strip().lower() != name or not description:
        return None
    return Skill(name, description, text[front.end() :].strip(), path)


def _value(written: str) -> str:
    """Read a scalar of one line: quoted as JSON or with single quotes, else as it stands."""
    if written.startswith('"'):
        with suppress(ValueError):
            return str(json.loads(written))
    if len(written) > 1 and written[0] == written[-1] == "'":
        return written[1:-1].replace("''", "'")
    return written


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


@contextmanager
def _root(path: Path) -> Iterator[int]:
    with _opened(str(path), None, str(path)) as handle:
        yield handle


@contextmanager
def _folder_of(root: int, name: str, *, make: bool = False) -> Iterator[int]:
    """Open a skill's folder without following links. Raises NotFoundError, ConflictError."""
    if make:
        with suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=root)
    with _opened(name, root, name) as handle:
        yield handle


@contextmanager
def _opened(path: str, within: int | None, name: str) -> Iterator[int]:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=within)
    except FileNotFoundError:
        raise _missing(name) from None
    except OSError as error:
        raise (_linked(name) if error.errno in _LINKED else error) from error
    try:
        yield handle
    finally:
        os.close(handle)


def _entry(folder: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _check(entry: os.stat_result, name: str) -> None:
    if not stat.S_ISREG(entry.st_mode) or entry.st_nlink != 1:
        raise _linked(name)


def _put(folder: int, text: str, *, new: bool) -> None:
    """Write the file beside its place and move it there: a reader sees the old one or the new one, whole."""
    working = f"{_WORKING}{os.getpid()}.{os.urandom(4).hex()}"
    handle = os.open(working, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600, dir_fd=folder)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if new:
            os.link(working, FILE, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        else:
            os.replace(working, FILE, src_dir_fd=folder, dst_dir_fd=folder)
    except FileExistsError:
        raise ExistsError("somebody else has just made this skill", hint="use the action `update`") from None
    finally:
        with suppress(FileNotFoundError):
            os.unlink(working, dir_fd=folder)


def _sweep(folder: int) -> bool:
    """Remove what a process left that died while it put the file there, and say whether it did; nobody is at it now."""
    left = [name for name in os.listdir(folder) if name.startswith(_WORKING)]
    for name in left:
        os.unlink(name, dir_fd=folder)
    return bool(left)


def _empty(folder: int) -> None:
    """Remove all that lies in a folder, never what links in it lead to."""
    for name in os.listdir(folder):
        entry = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if not stat.S_ISDIR(entry.st_mode):
            os.unlink(name, dir_fd=folder)
            continue
        with _opened(name, folder, name) as inner:
            _empty(inner)
        os.rmdir(name, dir_fd=folder)


def _missing(name: str) -> NotFoundError:
    return NotFoundError(
        f"there is no managed skill {name}", hint="`mnemopi skills` lists them; the action `create` makes one"
    )


def _linked(name: str) -> ConflictError:
    return ConflictError(
        f"{name} is a link, or has another name elsewhere: it is not touched",
        hint="remove it by hand, or choose another name",
    )
