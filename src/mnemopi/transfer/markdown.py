"""Notes in Markdown files: CLAUDE.md, AGENTS.md, MEMORY.md, whole folders.

One memory a bullet of a list, with all that is nested in it, and one a stretch of prose between; a fenced block stays
whole with what it stands in. Headings are context: they are kept in the metadata, and search sees them. A part is known
by `path#digest`, so that a second import changes nothing and an edited bullet becomes the next version (`edited`).
"""

from __future__ import annotations

import codecs
import hashlib
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from mnemopi.errors import NotFoundError, StorageError, UsageError
from mnemopi.model.memory import Memory
from mnemopi.model.values import dataclass
from mnemopi.transfer import front_matter
from mnemopi.transfer.cargo import Cargo
from mnemopi.transfer.lenient import Lenient

ENDINGS: Final = (".md", ".markdown", ".mdx")
_FENCE = re.compile(r"^( {0,3}|\t)(`{3,}|~{3,})")
_HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.*)$")
_BULLET = re.compile(r"^( *)(?:[-*+]|\d{1,9}[.)])\s+")
_RULE = re.compile(r"^ {0,3}([-*_])(?:\s*\1){2,}\s*$")
_HIDDEN: Final = (".git", "node_modules", ".venv")
_MARKS: Final = (
    (codecs.BOM_UTF8, "UTF-8"),
    (codecs.BOM_UTF16_LE, "UTF-16-LE"),
    (codecs.BOM_UTF16_BE, "UTF-16-BE"),
)


@dataclass(frozen=True, slots=True)
class Part:
    """A bullet or a stretch of prose: its text, the headings above it, and its place under the last of them."""

    text: str
    headings: tuple[str, ...]
    place: int
    bullet: bool


@dataclass(frozen=True, slots=True)
class Page:
    """A file: what stands in its front matter, and its parts."""

    front: dict[str, Any]
    parts: Sequence[Part]


def notes(path: Path, fields: Lenient) -> Cargo:
    """Read a file, or all Markdown files below a folder. Raises NotFoundError, StorageError, UsageError."""
    return gathered(path, fields, _memories)


def gathered(path: Path, fields: Lenient, read: Callable[[Cargo, Lenient, str, Page, int], None]) -> Cargo:
    """Read all files below a path with a reader, which gets where (the id of the file), the page, and its time.

    What cannot be read is left out of a folder, and told by its name; where it is the path itself, the error is raised.
    """
    made = Cargo()
    for file in _files(path, made):
        made.found["files"] += 1
        try:
            text, changed = _opened(file)
        except (StorageError, UsageError) as error:
            if file == path:
                raise
            made.leave("files", error.message)
            continue
        # redacted whole: a part may hold half a secret, which has no shape
        where, found = _where(file, fields), page(fields.text(text))
        if not found.parts and text.strip():
            made.leave("files", f"{file} has front matter or headings, and no text below")
        made.prefixes.append(where + "#")
        made.found["parts"] += len(found.parts)
        read(made, fields, where, found, changed)
    return made


def page(text: str) -> Page:
    """Take a text apart. Pure."""
    front, lines = front_matter.split(text.replace("\r\n", "\n").split("\n"))
    return Page(front, list(_parts(lines)))


def memory_of(
    fields: Lenient, where: str, part: Part, seen: Counter[str], changed: int, more: dict[str, Any], **known: Any
) -> list[Memory]:
    """Build the memory of a part; equal parts of a file are told apart by their number."""
    text = fields.text(part.text)
    if not text:
        return []
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    seen[digest] += 1
    own = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"
    external = f"{where}#{own}"
    headings = [fields.text(heading) for heading in part.headings]
    metadata = {"path": where, "headings": headings, "place": part.place, **more}
    told = " > ".join(headings)
    return fields.memory(
        hashlib.sha256(external.encode()).hexdigest()[:16],
        text,
        changed,
        metadata=metadata,
        source=Path(where).name,
        external_id=external,
        session_id="import",
        veracity="stated",
        trust_tier="IMPORTED",
        embed_text=f"{told}\n{text}" if told else None,
        **known,
    )


def _memories(made: Cargo, fields: Lenient, where: str, page: Page, changed: int) -> None:
    seen: Counter[str] = Counter()
    more = {"front": front} if (front := fields.mapping(page.front)) else {}
    for part in page.parts:
        made.memories += memory_of(fields, where, part, seen, changed, more)


def _files(path: Path, made: Cargo) -> list[Path]:
    """Return the Markdown files at or below a path, in a fixed order."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise NotFoundError(f"there is no file or folder {path}")

    def unread(error: OSError) -> None:
        refused = _unreadable(error.filename, error)
        if Path(error.filename) == path:
            raise refused from error
        made.leave("folders", refused.message)

    found: list[Path] = []
    for folder, below, names in os.walk(path, onerror=unread):
        below[:] = [name for name in below if name not in _HIDDEN]
        for link in filter(os.path.islink, (f"{folder}/{name}" for name in below)):
            made.leave("folders", f"{link} is a link, and is not followed")
        found += (Path(folder, name) for name in names if Path(name).suffix.lower() in ENDINGS)
    return sorted(found)


def _opened(file: Path) -> tuple[str, int]:
    """Return the text of a file, and when it was changed (UTC ms). Raises StorageError, UsageError."""
    try:
        told = file.stat()
        raw = file.read_bytes() if stat.S_ISREG(told.st_mode) else None
    except OSError as error:
        raise _unreadable(file, error) from error
    if raw is None:
        raise StorageError(f"{file} is no file")  # a pipe, say, which would be waited for
    return _decoded(file, raw), int(told.st_mtime * 1000)


def _unreadable(what: object, error: OSError) -> StorageError:
    return StorageError(f"{what} cannot be read: {error.strerror}", hint="check its permissions")


def _decoded(file: Path, raw: bytes) -> str:
    """Decode a text by its byte order mark, without one as UTF-8."""
    mark, encoding = next(((mark, encoding) for mark, encoding in _MARKS if raw.startswith(mark)), (b"", "UTF-8"))
    try:
        text = raw[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        raise _undecodable(file, encoding, len(mark) + error.start) from error
    before, zero, _ = text.partition("\x00")
    if zero:  # no text has one, and each Latin letter of one in UTF-16 without its mark
        raise _undecodable(file, encoding, len(mark) + len(before.encode(encoding)))
    return text


def _undecodable(file: Path, encoding: str, place: int) -> UsageError:
    return UsageError(f"{file} is not {encoding} at byte {place:,}", hint="convert it first, with iconv for one")


def _where(file: Path, fields: Lenient) -> str:
    """Name a file for the ids of what stands in it: by its path, where that may be a part of them."""
    where = file.resolve().as_posix()
    if len(where) > 180 or fields.name(where) != where:
        where = f"file-{hashlib.sha256(where.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}/{file.name[-60:]}"
    return where


class _Open:
    """What is being gathered: the lines of a part, and where it stands."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.indent = -1
        self.places: Counter[tuple[str, ...]] = Counter()

    def taken(self, headings: tuple[str, ...]) -> Iterator[Part]:
        """Give what was gathered, and begin anew."""
        bullet, text = self.indent >= 0, "\n".join(self.lines).strip("\n").rstrip()
        self.lines, self.indent = [], -1
        if bullet:
            text = _BULLET.sub("", _dedent(text), count=1)
        if text.strip():
            yield Part(text, headings, self.places[headings], bullet)
            self.places[headings] += 1


def _parts(lines: Sequence[str]) -> Iterator[Part]:
    gathered, levels, fence = _Open(), dict[int, str](), ""
    blank = False
    for line in lines:
        headings = tuple(levels[level] for level in sorted(levels))
        if fence:
            gathered.lines.append(line)
            fence = "" if line.strip().startswith(fence) and not line.strip().strip(fence[0]) else fence
            continue
        inside = gathered.indent >= 0
        indent = len(line) - len(line.lstrip(" \t"))
        opened, bullet, heading = _fence(line), _BULLET.match(line), _HEADING.match(line)
        if heading is not None:
            yield from gathered.taken(headings)
            level = len(heading[1])
            levels = {each: told for each, told in levels.items() if each < level} | {
                level: heading[2].rstrip().rstrip("#").rstrip()
            }
        elif _RULE.match(line) and not (inside and indent > gathered.indent):
            yield from gathered.taken(headings)
        elif bullet is not None and (not inside or len(bullet[1]) <= gathered.indent):
            yield from gathered.taken(headings)
            gathered.lines, gathered.indent = [line], len(bullet[1])
        else:
            # After a blank line, only what is indented belongs to a bullet still.
            if inside and blank and line.strip() and indent <= gathered.indent:
                yield from gathered.taken(headings)
            gathered.lines.append(line)
        fence = opened or fence
        blank = not line.strip()
    yield from gathered.taken(tuple(levels[level] for level in sorted(levels)))


def _fence(line: str) -> str:
    found = _FENCE.match(line) or re.match(r"^(\s*)(`{3,}|~{3,})", line)
    return "" if found is None else found[2]


def _dedent(text: str) -> str:
    """Take the indentation of the first line from all, as far as they have it."""
    first = len(text) - len(text.lstrip(" "))
    return "\n".join(line[first:] if line[:first].isspace() or not first else line for line in text.split("\n"))
