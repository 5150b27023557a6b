"""The declarations: each setting once, with type, default, environment name, help, unit and bounds.

Values are read in `config`; functions receive the group they need. A setting that says the opposite of its environment
name (MNEMOPI_NO_EMBEDDINGS) is `inverted`.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

from mnemopi.model.values import dataclass


def setting(
    default: Any,
    env: str,
    help: str,
    *,
    unit: str = "",
    choices: tuple[str, ...] = (),
    least: float | None = None,
    most: float | None = None,
    inverted: bool = False,
    secret: bool = False,
) -> Any:
    """Declare a setting: its default, environment name and words; `inverted` where the name says the opposite."""
    told = {
        "env": env,
        "help": help,
        "unit": unit,
        "choices": choices,
        "least": least,
        "most": most,
        "inverted": inverted,
        "secret": secret,
    }
    return field(default=default, metadata=told)


@dataclass(frozen=True, slots=True)
class StorageConfig:
    """Where banks lie and how their files are opened."""

    data_dir: str = setting("", "MNEMOPI_DATA_DIR", "folder of all banks; empty: the platform's data folder")
    db_page_size: str = setting(
        "4096",
        "MNEMOPI_DB_PAGE_SIZE",
        "page size of new files; `os`: as the system's memory has it",
        unit="bytes",
        choices=("os", "512", "1024", "2048", "4096", "8192", "16384", "32768", "65536"),
    )
    auto_migrate: bool = setting(
        True, "MNEMOPI_AUTO_MIGRATE", "bring older files to the current schema at open, after a copy"
    )
    busy_timeout: float = setting(
        10.0, "MNEMOPI_BUSY_TIMEOUT", "how long a writer waits for another one", unit="s", least=0
    )
    secure_delete: bool = setting(
        True, "MNEMOPI_SECURE_DELETE", "overwrite erased text in the file; off is faster and leaves traces"
    )
    backup_dir: str = setting("", "MNEMOPI_BACKUP_DIR", "folder of backups; empty: `backups` in the data folder")
    backup_keep: int = setting(10, "MNEMOPI_BACKUP_KEEP", "backups kept per bank when rotating", unit="files", least=1)
    surface_db: str = setting(
        "", "MNEMOPI_SHARED_SURFACE_DB", "file of the shared surface; empty: the bank `surface` beside the others"
    )
    scratchpad_notes: int = setting(
        1000, "MNEMOPI_SP_MAX", "notes of the scratchpad read unless asked otherwise", unit="notes", least=1
    )


@dataclass(frozen=True, slots=True)
class IdentityConfig:
    """Who acts, where no argument says so."""

    bank: str = setting("default", "MNEMOPI_BANK", "bank used where none is named")
    session_id: str = setting("default", "MNEMOPI_SESSION_ID", "session of the caller")
    author_id: str = setting("", "MNEMOPI_AUTHOR_ID", "author of what the caller stores")
    author_type: str = setting("", "MNEMOPI_AUTHOR_TYPE", "kind of author, such as user, assistant or tool")
    channel_id: str = setting("", "MNEMOPI_CHANNEL_ID", "channel of the caller; empty: the session")
    scopes: str = setting("", "MNEMOPI_SCOPES", "custom scopes the caller belongs to, separated by commas")


@dataclass(frozen=True, slots=True)
class WriteConfig:
    """The write gate."""

    max_content_chars: int = setting(
        262_144, "MNEMOPI_MAX_CONTENT_CHARS", "longest memory accepted", unit="characters", least=1
    )
    redact: str = setting(
        "full", "MNEMOPI_REDACT", "secrets removed before the first write", choices=("off", "vendor", "full")
    )
    timezone: str = setting(
        "", "MNEMOPI_TIMEZONE", "IANA zone in which words such as `yesterday` are read; empty: the machine's"
    )
    settle: str = setting(
        "auto",
        "MNEMOPI_SETTLE",
        "when what is pending is worked off: by a worker, within each write, or only when asked",
        choices=("auto", "inline", "off"),
    )


@dataclass(frozen=True, slots=True)
class KnowledgeConfig:
    """What is drawn from what is stored."""

    extract: str = setting(
        "rules",
        "MNEMOPI_EXTRACT",
        "how facts are read from what users say from now on: by rules, by rules and a language model, or not at all",
        choices=("rules", "llm", "off"),
    )
    link: bool = setting(
        False, "MNEMOPI_PROACTIVE_LINKING", "whether new memories are linked to the nearest older ones by themselves"
    )
    extraction_prompt: str = setting(
        "",
        "MNEMOPI_EXTRACTION_PROMPT",
        "what a language model is asked for facts, with {text} and {lang}; empty: as built in",
    )


@dataclass(frozen=True, slots=True)
class JournalConfig:
    """What the journal keeps."""

    recalls: bool = setting(
        False, "MNEMOPI_JOURNAL_RECALLS", "whether each memory that is handed out is noted, with who asked and when"
    )
    keep_days: float = setting(
        0.0, "MNEMOPI_JOURNAL_KEEP_DAYS", "age from which `compact` drops events; 0: never", unit="days", least=0
    )


@dataclass(frozen=True, slots=True)
class RecallConfig:
    """Ranking. Each weight scales its own term of the score and is monotone; 1 (or the default) is as fitted."""

    vec_weight: float = setting(0.5, "MNEMOPI_VEC_WEIGHT", "share of similarity of meaning", least=0)
    fts_weight: float = setting(0.3, "MNEMOPI_FTS_WEIGHT", "share of words in common", least=0)
    importance_weight: float = setting(0.2, "MNEMOPI_IMPORTANCE_WEIGHT", "share of importance", least=0)
    recency_halflife: float = setting(
        168.0,
        "MNEMOPI_RECENCY_HALFLIFE",
        "age at which recency counts half, where time matters",
        unit="h",
        least=0.01,
    )
    temporal_halflife: float = setting(
        24.0,
        "MNEMOPI_TEMPORAL_HALFLIFE_HOURS",
        "distance from the asked time at which closeness counts half",
        unit="h",
        least=0.01,
    )
    stated_weight: float = setting(1.0, "MNEMOPI_STATED_WEIGHT", "trust in what was stated", least=0, most=1)
    inferred_weight: float = setting(0.7, "MNEMOPI_INFERRED_WEIGHT", "trust in what was inferred", least=0, most=1)
    tool_weight: float = setting(0.5, "MNEMOPI_TOOL_WEIGHT", "trust in what a tool wrote", least=0, most=1)
    imported_weight: float = setting(0.6, "MNEMOPI_IMPORTED_WEIGHT", "trust in what was imported", least=0, most=1)
    unknown_weight: float = setting(0.8, "MNEMOPI_UNKNOWN_WEIGHT", "trust where nothing is known", least=0, most=1)
    tier1_weight: float = setting(
        1.0, "MNEMOPI_TIER1_WEIGHT", "trust in an episode that is told in full", least=0, most=1
    )
    tier2_weight: float = setting(
        0.5, "MNEMOPI_TIER2_WEIGHT", "trust in an episode that is told in half", least=0, most=1
    )
    tier3_weight: float = setting(
        0.25, "MNEMOPI_TIER3_WEIGHT", "trust in an episode of which a few sentences are left", least=0, most=1
    )
    preview_chars: int = setting(
        500,
        "MNEMOPI_PREVIEW_CHARS",
        "length of a hit's preview; 0: the whole text",
        unit="characters",
        least=0,
    )
    dense: bool = setting(True, "MNEMOPI_VOICE_VECTOR", "whether the dense retriever runs")
    temporal: bool = setting(True, "MNEMOPI_VOICE_TEMPORAL", "whether the temporal retriever runs")
    fact: bool = setting(True, "MNEMOPI_VOICE_FACT", "whether the fact retriever runs")
    graph: bool = setting(
        True, "MNEMOPI_VOICE_GRAPH", "whether the entity and graph retrievers run, in profiles that have them"
    )
    context_belief: float = setting(
        0.02, "MNEMOPI_CONTEXT_BELIEF", "least score of what `context` hands out", least=0, most=1
    )


@dataclass(frozen=True, slots=True)
class EmbeddingConfig:
    """Which embedder, and how it is called."""

    enabled: bool = setting(True, "MNEMOPI_NO_EMBEDDINGS", "set to 1 to work without vectors", inverted=True)
    provider: str = setting(
        "auto",
        "MNEMOPI_EMBEDDING_PROVIDER",
        "auto, static, local, api, none, or the name of an installed plug-in",
    )
    model: str = setting("", "MNEMOPI_EMBEDDING_MODEL", "model name; empty: the provider's default")
    dimensions: int = setting(
        0, "MNEMOPI_EMBEDDING_DIM", "length of a vector; 0: as the model says", unit="numbers", least=0
    )
    api_url: str = setting("", "MNEMOPI_EMBEDDING_API_URL", "base URL of an OpenAI-compatible embeddings API")
    api_key: str = setting("", "MNEMOPI_EMBEDDING_API_KEY", "key of that API", secret=True)
    via_api: bool = setting(False, "MNEMOPI_EMBEDDINGS_VIA_API", "use the API whatever the model's name")
    max_input_chars: int = setting(
        8192,
        "MNEMOPI_EMBEDDING_MAX_INPUT_CHARS",
        "longest text embedded whole; 0: no limit",
        unit="characters",
        least=0,
    )
    query_prefix: str = setting("", "MNEMOPI_EMBEDDING_QUERY_PREFIX", "put before questions; empty: as the model asks")
    document_prefix: str = setting(
        "", "MNEMOPI_EMBEDDING_DOCUMENT_PREFIX", "put before memories; empty: as the model asks"
    )
    timeout: float = setting(
        30.0, "MNEMOPI_EMBEDDING_TIMEOUT", "limit of one request, retries included", unit="s", least=0.1
    )
    batch_size: int = setting(64, "MNEMOPI_EMBEDDING_BATCH", "texts in one request", unit="texts", least=1)
    cache_dir: str = setting("", "MNEMOPI_MODEL_DIR", "folder of local models; empty: `models` in the data folder")
    mirror: str = setting("", "MNEMOPI_MODEL_MIRROR", "base URL that serves model files in place of the hub")
    query_cache: int = setting(512, "MNEMOPI_EMBEDDING_QUERY_CACHE", "question vectors kept", unit="vectors", least=0)
    apart: bool = setting(
        False,
        "MNEMOPI_EMBEDDING_APART",
        "run a local model in a process of its own, whose crash harms nobody; the resident process does so by itself",
    )
    apart_memory: int = setting(
        2048,
        "MNEMOPI_EMBEDDING_APART_MEMORY",
        "memory above which that process is replaced by a fresh one",
        unit="MiB",
        least=64,
    )
    index: str = setting(
        "auto",
        "MNEMOPI_VEC_TYPE",
        "vector scan in memory: turbo (4 bit), bits, exact",
        choices=("auto", "turbo", "bits", "exact"),
    )


@dataclass(frozen=True, slots=True)
class RerankConfig:
    """Which reranker reads the best candidates last, and when it is asked."""

    enabled: bool = setting(False, "MNEMOPI_RERANK", "whether each recall asks it that does not say otherwise")
    provider: str = setting(
        "none", "MNEMOPI_RERANK_PROVIDER", "where the reranker runs", choices=("none", "local", "api")
    )
    model: str = setting("", "MNEMOPI_RERANK_MODEL", "model name; empty: the provider's default")
    url: str = setting("", "MNEMOPI_RERANK_URL", "base URL of a rerank API; empty: the service that has the shape")
    shape: str = setting("jina", "MNEMOPI_RERANK_SHAPE", "form of that API", choices=("cohere", "jina", "tei"))
    key: str = setting("", "MNEMOPI_RERANK_KEY", "key of that API", secret=True)
    depth: int = setting(24, "MNEMOPI_RERANK_DEPTH", "candidates that it reads", unit="candidates", least=1)
    timeout: float = setting(5.0, "MNEMOPI_RERANK_TIMEOUT", "how long recall waits for it", unit="s", least=0.1)


@dataclass(frozen=True, slots=True)
class SleepConfig:
    """How what waits is summed up in episodes, and how these grow shorter with age."""

    batch: int = setting(5000, "MNEMOPI_SLEEP_BATCH", "waiting memories read at a time", unit="memories", least=100)
    min_age_hours: float = setting(
        12.0, "MNEMOPI_SLEEP_MIN_AGE_HOURS", "age from which a memory is summed up", unit="h", least=0
    )
    auto: int = setting(
        0,
        "MNEMOPI_SLEEP_AUTO",
        "how many must wait for a write to let the worker sum up some of them; 0: never",
        unit="memories",
        least=0,
    )
    prompt: str = setting(
        "",
        "MNEMOPI_SLEEP_PROMPT",
        "what a language model is asked, with {lines} and {count}; empty: as built in",
    )
    max_episode_chars: int = setting(
        100_000, "MNEMOPI_MAX_EPISODE_CHARS", "longest episode", unit="characters", least=200
    )
    tier2_days: float = setting(
        30.0, "MNEMOPI_TIER2_DAYS", "age from which an episode is told in half its length", unit="days", least=0
    )
    tier3_days: float = setting(
        180.0, "MNEMOPI_TIER3_DAYS", "age from which an episode is told in a few sentences", unit="days", least=0
    )
    tier3_max_chars: int = setting(300, "MNEMOPI_TIER3_MAX_CHARS", "longest such episode", unit="characters", least=80)
    degrade_batch: int = setting(
        100, "MNEMOPI_DEGRADE_BATCH", "episodes shortened in one sleep", unit="episodes", least=1
    )


@dataclass(frozen=True, slots=True)
class LlmConfig:
    """Which language model, and what it may cost. Where no server, command or host is set, none runs."""

    enabled: bool = setting(True, "MNEMOPI_LLM_ENABLED", "whether a language model that is set may be used at all")
    base_url: str = setting("", "MNEMOPI_LLM_BASE_URL", "base URL of an OpenAI-compatible chat API")
    api_key: str = setting("", "MNEMOPI_LLM_API_KEY", "key of that API", secret=True)
    model: str = setting("", "MNEMOPI_LLM_MODEL", "model name; empty: `local`, for servers that hold one")
    command: str = setting(
        "",
        "MNEMOPI_LLM_COMMAND",
        "program that takes a prompt on its standard input and prints the answer: words, or a JSON list of them",
    )
    max_tokens: int = setting(2048, "MNEMOPI_LLM_MAX_TOKENS", "longest answer", unit="tokens", least=1)
    timeout: float = setting(60.0, "MNEMOPI_LLM_TIMEOUT", "limit of one call, retries included", unit="s", least=0.1)
    host_enabled: bool = setting(
        False, "MNEMOPI_HOST_LLM_ENABLED", "whether the model that a host has lent is used before a server or command"
    )
    host_provider: str = setting("", "MNEMOPI_HOST_LLM_PROVIDER", "provider that the host is asked for")
    host_model: str = setting("", "MNEMOPI_HOST_LLM_MODEL", "model that the host is asked for")
    calls_per_hour: int = setting(
        60, "MNEMOPI_LLM_CALLS_PER_HOUR", "most calls of each bank in 60 minutes", unit="calls", least=0
    )
    tokens_per_hour: int = setting(
        200_000, "MNEMOPI_LLM_TOKENS_PER_HOUR", "most tokens of each bank in 60 minutes", unit="tokens", least=0
    )


@dataclass(frozen=True, slots=True)
class McpConfig:
    """What agents get: which tools, on which bank, and where they may read and write files."""

    bank: str = setting("", "MNEMOPI_MCP_BANK", "bank that tools use where none is named; empty: MNEMOPI_BANK")
    tools: str = setting(
        "full", "MNEMOPI_TOOLS", "tools offered: full, core, agent (`mnemopi mcp` alone), or names with commas between"
    )
    files_dir: str = setting(
        "",
        "MNEMOPI_FILES_DIR",
        "the one folder that tools export to and import from; empty: `exchange` in the data folder",
    )


@dataclass(frozen=True, slots=True)
class HttpConfig:
    """The server of `mnemopi serve`: where it listens, and how much it takes."""

    host: str = setting("127.0.0.1", "MNEMOPI_HTTP_HOST", "address that the server listens at")
    port: int = setting(
        8377, "MNEMOPI_HTTP_PORT", "port that it listens at; 0: any free one", unit="port", least=0, most=65535
    )
    hosts: str = setting(
        "",
        "MNEMOPI_HTTP_HOSTS",
        "further names of the server, such as a proxy's, separated by commas: `name` or `name:port`",
    )
    tls_cert: str = setting("", "MNEMOPI_HTTP_TLS_CERT", "file of the certificate; with it the server speaks HTTPS")
    tls_key: str = setting("", "MNEMOPI_HTTP_TLS_KEY", "file of the certificate's key; empty: it stands with it")
    max_body: int = setting(4 << 20, "MNEMOPI_HTTP_MAX_BODY", "longest body of a request", unit="bytes", least=1024)
    max_import: int = setting(1 << 30, "MNEMOPI_HTTP_MAX_IMPORT", "longest import", unit="bytes", least=1024)
    rate: float = setting(
        500.0, "MNEMOPI_HTTP_RATE", "requests taken from each token; 0: no limit", unit="requests/s", least=0
    )
    timeout: float = setting(
        60.0,
        "MNEMOPI_HTTP_TIMEOUT",
        "limit of one answer, of a request's head, and of waiting for a piece of its body; 0: none",
        unit="s",
        least=0,
    )
    threads: int = setting(16, "MNEMOPI_HTTP_THREADS", "requests worked on at a time", unit="threads", least=1)
    heartbeat: float = setting(
        15.0,
        "MNEMOPI_HTTP_HEARTBEAT",
        "silence after which a stream of events says that it is there",
        unit="s",
        least=1,
    )


@dataclass(frozen=True, slots=True)
class DaemonConfig:
    """The resident process: whether it is asked, started, and how long it stays."""

    use: str = setting(
        "auto",
        "MNEMOPI_DAEMON",
        "whether a resident process that runs is asked to do the work",
        choices=("auto", "off"),
    )
    start: str = setting(
        "never",
        "MNEMOPI_DAEMON_START",
        "whether one is started for the next time where none runs",
        choices=("never", "on-demand"),
    )
    idle_minutes: float = setting(
        30.0,
        "MNEMOPI_DAEMON_IDLE_MINUTES",
        "how long it stays without a connection or call; 0: until it is stopped",
        unit="min",
        least=0,
    )
