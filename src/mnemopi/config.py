"""Every setting, declared once and read once.

A setting is a field of a frozen group in `settings`. From that one declaration come its environment name, its TOML key
(`group.name`, snake_case; the reference's camelCase is accepted), its `--set group.name=value`, its row in the docs
and the origin that `mnemopi config` shows. Order: argument, environment, file, default. No other module looks at the
environment, and functions receive the group they need, never the whole.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, field, fields, replace
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any, cast

import platformdirs

from mnemopi.agent_settings import (
    AutolearnConfig,
    HindsightConfig,
    MemoriesConfig,
    MemoryConfig,
    MnemopiConfig,
    SharpshooterConfig,
)
from mnemopi.errors import ConfigError, UsageError
from mnemopi.model.values import dataclass
from mnemopi.settings import (
    DaemonConfig,
    EmbeddingConfig,
    HttpConfig,
    IdentityConfig,
    JournalConfig,
    KnowledgeConfig,
    LlmConfig,
    McpConfig,
    RecallConfig,
    RerankConfig,
    SleepConfig,
    StorageConfig,
    WriteConfig,
)

_TRUE = frozenset({"1", "true", "yes", "on", "y"})
_FALSE = frozenset({"0", "false", "no", "off", "n", ""})


@dataclass(frozen=True, slots=True)
class Config:
    """All groups, and where each value came from (`origins`: `group.name` to words)."""

    storage: StorageConfig = field(default_factory=StorageConfig)
    identity: IdentityConfig = field(default_factory=IdentityConfig)
    write: WriteConfig = field(default_factory=WriteConfig)
    knowledge: KnowledgeConfig = field(default_factory=KnowledgeConfig)
    journal: JournalConfig = field(default_factory=JournalConfig)
    recall: RecallConfig = field(default_factory=RecallConfig)
    embedding: EmbeddingConfig = field(default_factory=EmbeddingConfig)
    rerank: RerankConfig = field(default_factory=RerankConfig)
    sleep: SleepConfig = field(default_factory=SleepConfig)
    llm: LlmConfig = field(default_factory=LlmConfig)
    mcp: McpConfig = field(default_factory=McpConfig)
    daemon: DaemonConfig = field(default_factory=DaemonConfig)
    http: HttpConfig = field(default_factory=HttpConfig)
    memory: MemoryConfig = field(default_factory=MemoryConfig)
    memories: MemoriesConfig = field(default_factory=MemoriesConfig)
    mnemopi: MnemopiConfig = field(default_factory=MnemopiConfig)
    hindsight: HindsightConfig = field(default_factory=HindsightConfig)
    sharpshooter: SharpshooterConfig = field(default_factory=SharpshooterConfig)
    autolearn: AutolearnConfig = field(default_factory=AutolearnConfig)
    origins: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def load(
        cls,
        arguments: Mapping[str, Any] | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        file: str | Path | None = None,
    ) -> Config:
        """Read the settings. `arguments` maps `group.name` to values; `file` defaults to MNEMOPI_CONFIG or the
        platform's `mnemopi/config.toml`, where it exists. Raises ConfigError, and UsageError for an unknown name."""
        environ = os.environ if environ is None else environ
        given: dict[str, tuple[Any, str]] = dict(_from_file(environ, file))
        for name, told in settings():
            raw = environ.get(told.metadata["env"])
            if raw is not None and raw.strip() != "":
                value = _convert(told, raw, told.metadata["env"], "environment")
                given[name] = (value is False if told.metadata["inverted"] else value, told.metadata["env"])
        return cls()._with(given).changed(arguments or {})

    def changed(self, arguments: Mapping[str, Any]) -> Config:
        """Return these settings with some given as arguments. Raises ConfigError, and UsageError for unknown ones."""
        known = dict(settings())
        given: dict[str, tuple[Any, str]] = {}
        for name, value in arguments.items():
            if name not in known:
                raise UsageError(f"there is no setting `{name}`", hint=_meant(name, known))
            given[name] = (_convert(known[name], value, name, "argument"), "argument")
        return self._with(given)

    def _with(self, given: Mapping[str, tuple[Any, str]]) -> Config:
        groups: dict[str, dict[str, Any]] = {}
        for name, (value, _) in given.items():
            group, key = name.split(".")
            groups.setdefault(group, {})[key] = value
        changed = {group: replace(getattr(self, group), **values) for group, values in groups.items()}
        origins = dict(self.origins) | {name: origin for name, (_, origin) in given.items()}
        return replace(self, **changed, origins=origins)

    @property
    def data_dir(self) -> Path:
        """The folder of all banks."""
        given = self._folder("storage.data_dir")
        if given is not None:
            return given
        try:
            return Path(platformdirs.user_data_dir("mnemopi", appauthor=False))
        except RuntimeError as error:
            raise ConfigError("storage.data_dir", "", "default", _HOMELESS, hint="set MNEMOPI_DATA_DIR") from error

    @property
    def backup_dir(self) -> Path:
        """The folder of backups."""
        return self._folder("storage.backup_dir") or self.data_dir / "backups"

    @property
    def files_dir(self) -> Path:
        """The one folder that tools read and write files in."""
        return self._folder("mcp.files_dir") or self.data_dir / "exchange"

    @property
    def agent_dir(self) -> Path:
        """The folder that the agent layer keeps its own files in."""
        return self._folder("memory.agent_dir") or self.data_dir / "agent"

    @property
    def session_dirs(self) -> dict[str, Path]:
        """The folders in which hosts keep their session files, by host; those that are not to be read are left out."""
        given = {
            "claude-code": self.memories.claude_sessions or "~/.claude/projects",
            "codex": self.memories.codex_sessions or "~/.codex/sessions",
            "omp": self.memories.omp_sessions or "~/.omp/agent/sessions",
        }
        placed = {host: _expanded(folder) for host, folder in given.items() if folder != "none"}
        return {host: folder for host, folder in placed.items() if folder is not None}

    def skill_dirs(self, project: str | Path) -> tuple[Path, ...]:
        """Return the folders of the skills that people wrote, for themselves and in a project's folder."""
        given = self.autolearn.authored_skills.strip()
        if given:
            named = [_expanded(part.strip()) for part in given.split(",") if part.strip() and given != "none"]
            return tuple(Path(project, each) for each in named if each is not None)
        roots = (_expanded("~"), Path(project))
        return tuple(root / each / "skills" for root in roots if root for each in (".claude", ".agents", ".codex"))

    @property
    def zone(self) -> tzinfo:
        """The zone in which words such as `yesterday` are read. Raises ConfigError for an unknown one."""
        name = self.write.timezone or _machine_zone()
        if name in ("", "UTC", "Etc/UTC"):
            return UTC
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415 -- not where the machine keeps UTC

        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError) as error:
            origin = self.origins.get("write.timezone", "machine")
            raise ConfigError(
                "write.timezone", name, origin, "there is no such zone", hint="such as Europe/Berlin"
            ) from error

    def _folder(self, name: str) -> Path | None:
        """Return the folder that a setting names, None where it names none. Raises ConfigError."""
        group, key = name.split(".")
        given: str = getattr(getattr(self, group), key)
        return _required(given, name, self.origins.get(name, "default")) if given else None

    def described(self) -> Iterator[tuple[str, Field[Any], Any, str]]:
        """Yield (name, declaration, value, origin) of each setting; a secret that is set shows as `***`."""
        for name, told in settings():
            group, key = name.split(".")
            value = getattr(getattr(self, group), key)
            if told.metadata["secret"] and value:
                value = "***"
            yield name, told, value, self.origins.get(name, "default")


_GROUPS: dict[str, type] = {
    "storage": StorageConfig,
    "identity": IdentityConfig,
    "write": WriteConfig,
    "knowledge": KnowledgeConfig,
    "journal": JournalConfig,
    "recall": RecallConfig,
    "embedding": EmbeddingConfig,
    "rerank": RerankConfig,
    "sleep": SleepConfig,
    "llm": LlmConfig,
    "mcp": McpConfig,
    "daemon": DaemonConfig,
    "http": HttpConfig,
    "memory": MemoryConfig,
    "memories": MemoriesConfig,
    "mnemopi": MnemopiConfig,
    "hindsight": HindsightConfig,
    "sharpshooter": SharpshooterConfig,
    "autolearn": AutolearnConfig,
}

_FILE = "MNEMOPI_CONFIG"
"""Names the configuration file, and is no setting itself."""
_HOMELESS = "it is not known where your home folder is"
_NO_MODEL = "there is no model inside: a server, a command or a host answers"
_PIECES = "a long text is read in pieces that fit any model"
_SHMR = ("BATCH_SIZE", "HARMONY_THRESHOLD", "MAX_ITERATIONS", "MIN_CLUSTER_SIZE", "SIMILARITY_THRESHOLD")

REFUSED: dict[str, str] = {
    "MNEMOPI_WM_MAX_ITEMS": "nothing is trimmed: a stated memory has no limit of number",
    "MNEMOPI_WM_TTL_HOURS": "nothing is trimmed: a stated memory has no time to live",
    "MNEMOPI_EP_LIMIT": "recall looks at every memory, so that no window is needed",
    "MNEMOPI_BEAM_MODE": "recall looks at every memory, so that no window is needed",
    "MNEMOPI_BEAM_OPTIMIZATIONS": "there is one path, and it is the fast one",
    "MNEMOPI_SMART_COMPRESS": "compression that inverts meanings is not offered",
    "MNEMOPI_ENHANCED_RECALL": "results are never cached: a cache served invalidated memories",
    "MNEMOPI_BLOB_DIR": "binary content is not taken in, so there is nothing to put there",
    "MNEMOPI_POLYPHONIC_RECALL": 'a recall names its profile: `profile="polyphonic"`',
    "MNEMOPI_EXTRACTION_MODEL": "one model does all: MNEMOPI_LLM_MODEL names it",
    "MNEMOPI_LLM_N_CTX": _PIECES,
    "MNEMOPI_HOST_LLM_N_CTX": _PIECES,
    "MNEMOPI_LLM_REPO": _NO_MODEL,
    "MNEMOPI_LLM_FILE": _NO_MODEL,
    "MNEMOPI_LLM_N_THREADS": _NO_MODEL,
    "MNEMOPI_FORCE_LOCAL": _NO_MODEL,
    **{f"MNEMOPI_SHMR_{name}": "beliefs are not merged by similarity" for name in _SHMR},
    "OPENROUTER_API_KEY": "no provider is chosen because some key lies in the environment",
    "OPENROUTER_BASE_URL": "no provider is chosen because some URL lies in the environment",
    "OPENAI_API_KEY": "no provider is chosen because some key lies in the environment",
}
"""Names of the reference that have no effect here, and why."""


def settings() -> Iterator[tuple[str, Field[Any]]]:
    """Yield each setting as (`group.name`, its declaration)."""
    for group, made in _GROUPS.items():
        for told in fields(made):
            yield f"{group}.{told.name}", told


def config_file(environ: Mapping[str, str] | None = None) -> Path | None:
    """Return the path of the configuration file, whether or not it exists; None where nobody's home is known, and no
    other place is named. Raises ConfigError."""
    named = (os.environ if environ is None else environ).get(_FILE, "")
    if named:
        return _required(named, _FILE, "environment")
    try:
        return Path(platformdirs.user_config_dir("mnemopi", appauthor=False)) / "config.toml"
    except RuntimeError:
        return None


def _expanded(path: str) -> Path | None:
    """Return a path with the home folder in the place of `~`; None where that is not known, as in a container whose
    user nobody set up."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return None


def _required(path: str, setting: str, origin: str) -> Path:
    found = _expanded(path)
    if found is None:
        raise ConfigError(setting, path, origin, _HOMELESS, hint="name the whole path, or set HOME")
    return found


def is_there(path: Path) -> bool:
    """Whether there is a configuration file. Raises ConfigError where that cannot be seen, as in a locked folder."""
    try:
        return path.is_file()
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> ConfigError:
    why = f"it cannot be read: {error.strerror}"
    return ConfigError("file", str(path), "file", why, hint=f"name another in {_FILE}, or let this one be read")


def ground(names: Iterable[str]) -> dict[str, str]:
    """Return what the environment says of where settings lie, by the names that are asked for; empty: nothing."""
    return {name: os.environ.get(name, "") for name in names}


def refused_in(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the names set in the environment that start with MNEMOPI_ and have no effect, with the reason."""
    environ = os.environ if environ is None else environ
    known = {_FILE, *(told.metadata["env"] for _, told in settings())}
    names = (name for name in sorted(environ) if name.startswith("MNEMOPI_") and name not in known)
    return {name: REFUSED.get(name) or f"no setting has this name; {_meant(name, known)}" for name in names}


def _meant(name: str, known: Iterable[str]) -> str:
    """Say which settings are spelt like a name that is none."""
    import difflib  # noqa: PLC0415 -- needed for nothing else

    near = " or ".join(f"`{each}`" for each in difflib.get_close_matches(name, known, 2, 0.75))
    return f"did you mean {near}? `mnemopi config` lists them all" if near else "`mnemopi config` lists them all"


def _machine_zone() -> str:
    """Return the IANA name of the machine's zone, empty where it does not tell."""
    named = os.environ.get("TZ", "").lstrip(":")
    if named:
        return named
    link = Path("/etc/localtime")
    return str(link.resolve()).partition("/zoneinfo/")[2] if link.is_symlink() else ""


def _from_file(environ: Mapping[str, str], file: str | Path | None) -> Iterator[tuple[str, tuple[Any, str]]]:
    path = Path(file) if file is not None else config_file(environ)
    if path is None:
        return
    if not is_there(path):
        if file is not None or environ.get(_FILE):
            raise ConfigError(_FILE, str(path), "argument", "there is no such file")
        return
    import tomllib  # noqa: PLC0415 -- most have no such file

    try:
        document = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError("file", str(path), "file", f"it is not TOML: {error}") from error
    except OSError as error:
        raise _unreadable(path, error) from error
    known = dict(settings())
    for group, values in document.items():
        if group not in _GROUPS or not isinstance(values, dict):
            raise ConfigError(group, values, str(path), "there is no such group", hint=f"groups: {', '.join(_GROUPS)}")
        for key, value in values.items():
            snake = re.sub("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", key).lower()
            name = f"{group}.{snake}"
            if name not in known:
                raise ConfigError(
                    f"{group}.{key}", value, str(path), "there is no such setting", hint=_meant(name, known)
                )
            yield name, (_convert(known[name], value, name, str(path)), str(path))


def _convert(told: Field[Any], value: Any, name: str, origin: str) -> Any:
    """Bring a value to the type of its default and check it against the declaration."""
    default, meta = told.default, told.metadata
    assert default is not MISSING
    made = _typed(default, value, lambda why: ConfigError(name, value, origin, why))
    if meta["choices"] and made not in meta["choices"]:
        raise ConfigError(name, value, origin, f"not one of {', '.join(meta['choices'])}")
    if meta["least"] is not None and made < meta["least"]:
        raise ConfigError(name, value, origin, f"at least {meta['least']:g}")
    if meta["most"] is not None and made > meta["most"]:
        raise ConfigError(name, value, origin, f"at most {meta['most']:g}")
    return made


def _typed(default: Any, value: Any, error: Any) -> Any:
    if isinstance(default, bool):
        return _boolean(value, error)
    if isinstance(default, str):
        if not isinstance(value, str | int | float | Path) or isinstance(value, bool):
            raise error("not a text")
        return str(value).strip()
    try:
        number = float(value) if isinstance(default, float) else int(cast("Any", value))
    except (TypeError, ValueError, OverflowError) as cause:
        raise error("not a number" if isinstance(default, float) else "not a whole number") from cause
    if isinstance(value, bool) or not math.isfinite(number):
        raise error("not a number")
    if isinstance(value, float) and number != value:
        raise error("not a whole number")
    return number


def _boolean(value: Any, error: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise error("neither yes nor no")
