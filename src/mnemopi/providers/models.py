"""The folder of local models: what is there, fetch one, check one.

A model is fetched when somebody asks for it by name, never as a side effect of a question. Its files are downloaded
into a folder beside the final one and renamed into place when all are there, with a manifest of sizes and SHA-256
sums that `verify` compares. An interrupted fetch leaves nothing that could be taken for a model.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from mnemopi.errors import NotFoundError, ProviderError, UsageError
from mnemopi.model.values import dataclass
from mnemopi.providers import catalog, download, healing

HUB = "https://huggingface.co"
MANIFEST = "manifest.json"
_UNFINISHED = ".fetching-"
_DAY = 86_400.0

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with file name, bytes so far and bytes in all (0: unknown)."""


@dataclass(frozen=True, slots=True)
class ModelState:
    """A local model, what it does (`embed` or `rerank`) and its folder; `problems` is what is wrong with
    the files, empty where all is well.
    """

    name: str
    dimensions: int
    languages: str
    task: str
    folder: str
    installed: bool
    size: int = 0
    problems: tuple[str, ...] = ()


def list_models(cache_dir: str | Path) -> tuple[ModelState, ...]:
    """Tell every model that can run here and whether its files are there; sizes in bytes, sums not compared."""
    return tuple(_state(model, Path(cache_dir)) for model in catalog.MODELS if model.is_local)


def verify(name: str, cache_dir: str | Path) -> ModelState:
    """Compare each file with the sizes and sums written when it was fetched. Raises NotFoundError."""
    model = known(name)
    state = _state(model, Path(cache_dir))
    folder = Path(state.folder)
    if not folder.is_dir():
        return _with(state, ("not on this machine",))
    told = _manifest(folder)
    if told is None:
        return _with(state, (*state.problems, f"no readable {MANIFEST}"))
    problems = (_problem(folder / file, entry) for file, entry in sorted(told.items()))
    return _with(state, (*state.problems, *(problem for problem in problems if problem)))


def pull(name: str, cache_dir: str | Path, mirror: str = "", *, progress: Progress | None = None) -> ModelState:
    """Fetch what is missing or damaged of a model, and put the whole into place at once.

    `mirror` is a base URL that serves `<repository>/resolve/main/<file>` in place of the hub. Raises NotFoundError
    for an unknown name, UnavailableError and RefusedError for the server, ProviderError for the disk.
    """
    model, root = known(name), Path(cache_dir)
    try:
        root.mkdir(parents=True, exist_ok=True)
        _sweep(root)
        with tempfile.TemporaryDirectory(prefix=_UNFINISHED, dir=root) as made:
            fresh = Path(made, model.name)
            fresh.mkdir()
            _fill(fresh, model, root / model.name, (mirror or HUB).rstrip("/"), progress)
            _swap(fresh, root / model.name, Path(made, "before"))
    except OSError as error:
        raise ProviderError(f"cannot write the model to {root}: {error.strerror or error}") from error
    return _state(model, root)


def known(name: str, task: catalog.Task | None = None) -> catalog.Model:
    """Return a model that can run here, for a task if one is named.

    Raises NotFoundError, and UsageError for one that only an API serves, or that is made for another task.
    """
    model = catalog.find(name)
    local = ", ".join(each.name for each in catalog.MODELS if each.is_local and task in (None, each.task))
    if model is None:
        raise NotFoundError(f"no local model is called `{name}`", hint=f"known: {local}")
    if not model.is_local:
        raise UsageError(f"`{model.name}` runs behind an API only", hint=f"local: {local}")
    if task not in (None, model.task):
        raise UsageError(f"`{model.name}` is made to {model.task}, not to {task}", hint=f"local: {local}")
    return model


def _fill(fresh: Path, model: catalog.Model, present: Path, base: str, progress: Progress | None) -> None:
    """Bring every file of a model into `fresh`, the sound ones from `present`, and write the manifest."""
    told = _manifest(present) or {}
    written: dict[str, dict[str, Any]] = {}
    wanted = {**model.files(), **{name: name for name in catalog.OPTIONAL_SIDECARS}}
    with download.session() as http:
        for file, path in wanted.items():
            target, entry = fresh / file, told.get(file)
            if entry is not None and _problem(present / file, entry) is None:
                _take(present / file, target)
                written[file] = entry
                continue
            url = f"{base}/{model.repository}/resolve/main/{path}"
            may_lack = file in catalog.OPTIONAL_SIDECARS
            if download.fetch(http, url, target, may_lack=may_lack, progress=progress):
                written[file] = {"size": target.stat().st_size, "sha256": _sum(target)}
    content = {"model": model.name, "source": f"{base}/{model.repository}", "files": written}
    (fresh / MANIFEST).write_text(json.dumps(content, indent=2) + "\n", "utf-8")


def _sweep(root: Path) -> None:
    """Delete what killed fetches left behind, once no fetch can still be at work there."""
    for folder in root.glob(f"{_UNFINISHED}*"):
        if time.time() - folder.stat().st_mtime > _DAY:
            shutil.rmtree(folder, ignore_errors=True)


def _swap(fresh: Path, final: Path, aside: Path) -> None:
    """Put `fresh` in the place of `final`; another process that was faster wins, its files are as good."""
    with contextlib.suppress(FileNotFoundError):
        for file in final.glob(f"*{healing.ASIDE}*"):
            file.rename(fresh / file.name)
        final.rename(aside)
    try:
        fresh.rename(final)
    except OSError:
        if not (final / MANIFEST).is_file():
            raise


def _take(file: Path, target: Path) -> None:
    try:
        os.link(file, target)
    except OSError:
        shutil.copyfile(file, target)


def _state(model: catalog.Model, root: Path) -> ModelState:
    folder = root / model.name
    missing = tuple(f"missing {file}" for file in model.files() if not (folder / file).is_file())
    there = folder.is_dir()
    size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file()) if there else 0
    return ModelState(
        model.name,
        model.dimensions,
        model.languages,
        model.task,
        str(folder),
        installed=there and not missing,
        size=size,
        problems=missing if there else (),
    )


def _with(state: ModelState, problems: tuple[str, ...]) -> ModelState:
    unique = tuple(dict.fromkeys(problems))
    return replace(state, problems=unique)


def _manifest(folder: Path) -> dict[str, dict[str, Any]] | None:
    """Return the entries of a manifest by file name; None where there is none to trust."""
    try:
        files = json.loads((folder / MANIFEST).read_text("utf-8"))["files"]
        entries = {
            str(name): {"size": int(told["size"]), "sha256": str(told["sha256"])} for name, told in files.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return {name: told for name, told in entries.items() if Path(name).name == name}


def _problem(file: Path, entry: dict[str, Any]) -> str | None:
    if not file.is_file():
        return f"missing {file.name}"
    if file.stat().st_size != entry["size"]:
        return f"changed {file.name}: {file.stat().st_size} bytes instead of {entry['size']}"
    return None if _sum(file) == entry["sha256"] else f"changed {file.name}: another SHA-256"


def _sum(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
