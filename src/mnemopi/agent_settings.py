"""The declarations of the agent layer: which memory an agent's sessions have, and how each backend behaves.

As in `settings`: each once, read in `config`. Nothing here spends or downloads anything unless it is set.
"""

from __future__ import annotations

from mnemopi.model.values import dataclass
from mnemopi.settings import setting

SCOPINGS = ("global", "per-project", "per-project-tagged")


@dataclass(frozen=True, slots=True)
class MemoryConfig:
    """Which backend an agent's sessions use, and where the agent layer keeps its own files."""

    backend: str = setting(
        "off",
        "MNEMOPI_MEMORY_BACKEND",
        "memory of agents' sessions",
        choices=("off", "local", "mnemopi", "hindsight", "sharpshooter"),
    )
    projects: str = setting(
        "",
        "MNEMOPI_PROJECTS",
        "folders of a repository that are projects of their own, such as `packages/*`; several apart by commas",
    )
    agent_dir: str = setting(
        "", "MNEMOPI_AGENT_DIR", "folder of lessons, skills, queues and projects; empty: `agent` in the data folder"
    )


@dataclass(frozen=True, slots=True)
class MemoriesConfig:
    """The backend `local`: which past sessions it reads, what of them a language model is told, and what it injects."""

    max_rollouts_per_startup: int = setting(
        64, "MNEMOPI_MEMORIES_MAX_ROLLOUTS_PER_STARTUP", "sessions read in one go", unit="sessions", least=1
    )
    max_rollout_age_days: float = setting(
        30.0,
        "MNEMOPI_MEMORIES_MAX_ROLLOUT_AGE_DAYS",
        "sessions that rest for longer are not read",
        unit="days",
        least=0,
    )
    min_rollout_idle_hours: float = setting(
        12.0, "MNEMOPI_MEMORIES_MIN_ROLLOUT_IDLE_HOURS", "how long a session must rest", unit="h", least=0
    )
    thread_scan_limit: int = setting(
        300, "MNEMOPI_MEMORIES_THREAD_SCAN_LIMIT", "newest session files looked at", unit="files", least=1
    )
    max_raw_memories_for_global: int = setting(
        200,
        "MNEMOPI_MEMORIES_MAX_RAW_MEMORIES_FOR_GLOBAL",
        "newest sessions of which the raw files show what came of them",
        unit="sessions",
        least=1,
    )
    stage1_concurrency: int = setting(
        8, "MNEMOPI_MEMORIES_STAGE1_CONCURRENCY", "sessions read at the same time", unit="sessions", least=1
    )
    stage1_lease_seconds: float = setting(
        120.0, "MNEMOPI_MEMORIES_STAGE1_LEASE_SECONDS", "how long a dead process holds a session", unit="s", least=1
    )
    stage1_retry_delay_seconds: float = setting(
        120.0, "MNEMOPI_MEMORIES_STAGE1_RETRY_DELAY_SECONDS", "first pause of a failed session", unit="s", least=0
    )
    phase2_lease_seconds: float = setting(
        180.0, "MNEMOPI_MEMORIES_PHASE2_LEASE_SECONDS", "how long a dead process holds the documents", unit="s", least=1
    )
    phase2_retry_delay_seconds: float = setting(
        180.0, "MNEMOPI_MEMORIES_PHASE2_RETRY_DELAY_SECONDS", "first pause of failed documents", unit="s", least=0
    )
    phase2_heartbeat_seconds: float = setting(
        30.0,
        "MNEMOPI_MEMORIES_PHASE2_HEARTBEAT_SECONDS",
        "how often who is at work says so; a third of the lease at most",
        unit="s",
        least=0.05,
    )
    rollout_payload_percent: float = setting(
        0.7,
        "MNEMOPI_MEMORIES_ROLLOUT_PAYLOAD_PERCENT",
        "share of what a model takes that is a session",
        unit="of 1",
        least=0.05,
        most=0.95,
    )
    phase1_input_token_limit: int = setting(
        4000, "MNEMOPI_MEMORIES_PHASE1_INPUT_TOKEN_LIMIT", "most of a session told at once", unit="tokens", least=256
    )
    fallback_token_limit: int = setting(
        16000, "MNEMOPI_MEMORIES_FALLBACK_TOKEN_LIMIT", "what a model takes", unit="tokens", least=2048
    )
    summary_injection_token_limit: int = setting(
        5000,
        "MNEMOPI_MEMORIES_SUMMARY_INJECTION_TOKEN_LIMIT",
        "most of summary and lessons that a session begins with",
        unit="tokens",
        least=0,
    )
    claude_sessions: str = setting(
        "", "MNEMOPI_CLAUDE_SESSIONS", "folder of Claude Code's sessions; empty: `~/.claude/projects`; `none`: not read"
    )
    codex_sessions: str = setting(
        "", "MNEMOPI_CODEX_SESSIONS", "folder of Codex's sessions; empty: `~/.codex/sessions`; `none`: not read"
    )
    omp_sessions: str = setting(
        "", "MNEMOPI_OMP_SESSIONS", "folder of oh-my-pi's sessions; empty: `~/.omp/agent/sessions`; `none`: not read"
    )


@dataclass(frozen=True, slots=True)
class MnemopiConfig:
    """The backend `mnemopi`: what it captures, what it recalls and how much of it."""

    scoping: str = setting(
        "per-project",
        "MNEMOPI_SCOPING",
        "banks of a session: one for all, one a project, or one a project that recalls the common one too",
        choices=SCOPINGS,
    )
    bank: str = setting(
        "", "MNEMOPI_SHARED_BANK", "bank that all projects share, named before their own; empty: the default bank"
    )
    db_path: str = setting("", "MNEMOPI_AGENT_DB", "file of the default bank for sessions; empty: as for all else")
    auto_recall: bool = setting(True, "MNEMOPI_AUTO_RECALL", "whether prompts are answered with what they recall")
    auto_retain: bool = setting(True, "MNEMOPI_AUTO_RETAIN", "whether the messages of a session are kept")
    retain_every_n_turns: int = setting(
        4, "MNEMOPI_RETAIN_EVERY_N_TURNS", "turns kept and read at a time", unit="turns", least=1
    )
    recall_limit: int = setting(8, "MNEMOPI_RECALL_LIMIT", "memories recalled for a prompt", unit="memories", least=1)
    recall_context_turns: int = setting(
        3, "MNEMOPI_RECALL_CONTEXT_TURNS", "turns that a prompt's question is made of", unit="turns", least=1
    )
    recall_max_query_chars: int = setting(
        4000, "MNEMOPI_RECALL_MAX_QUERY_CHARS", "longest such question", unit="characters", least=256
    )
    injection_token_limit: int = setting(
        5000, "MNEMOPI_INJECTION_TOKEN_LIMIT", "most that is put before the model at once", unit="tokens", least=256
    )
    turn_token_limit: int = setting(
        1000, "MNEMOPI_TURN_TOKEN_LIMIT", "most that is recalled for a later prompt", unit="tokens", least=64
    )
    recall_belief: float = setting(
        0.55, "MNEMOPI_RECALL_BELIEF", "least score of what is recalled for a prompt unasked", least=0, most=1
    )
    polyphonic_recall: bool = setting(
        False, "MNEMOPI_POLYPHONIC", "whether prompts ask the entities and the graph of memories, too"
    )


@dataclass(frozen=True, slots=True)
class HindsightConfig:
    """The backend `hindsight`: a server that keeps the memories. Its names in the environment are its own.

    The defaults of bank and context are oh-my-pi's, so that both find the same.
    """

    api_url: str = setting(
        "http://localhost:8888", "HINDSIGHT_API_URL", "address of the server; empty in the file: there is none"
    )
    api_token: str = setting("", "HINDSIGHT_API_TOKEN", "token that the server asks for", secret=True)
    bank_id: str = setting("omp", "HINDSIGHT_BANK_ID", "bank on the server, or the beginning of its name")
    bank_id_prefix: str = setting("", "HINDSIGHT_BANK_ID_PREFIX", "put before the bank's name, with a hyphen")
    scoping: str = setting(
        "per-project-tagged",
        "HINDSIGHT_SCOPING",
        "banks of a session: one for all, one a project, or one for all in which each project has its tag",
        choices=SCOPINGS,
    )
    bank_mission: str = setting("", "HINDSIGHT_BANK_MISSION", "what the server is to mind when it reflects")
    retain_mission: str = setting("", "HINDSIGHT_RETAIN_MISSION", "what the server is to mind when it reads")
    auto_recall: bool = setting(True, "HINDSIGHT_AUTO_RECALL", "whether prompts are answered with what they recall")
    auto_retain: bool = setting(True, "HINDSIGHT_AUTO_RETAIN", "whether the messages of a session are kept")
    retain_mode: str = setting(
        "full-session",
        "HINDSIGHT_RETAIN_MODE",
        "one document a session, to which turns are added, or one for each few turns",
        choices=("full-session", "last-turn"),
    )
    retain_every_n_turns: int = setting(
        3, "HINDSIGHT_RETAIN_EVERY_N_TURNS", "turns sent at a time", unit="turns", least=1
    )
    retain_overlap_turns: int = setting(
        2,
        "HINDSIGHT_RETAIN_OVERLAP_TURNS",
        "turns before them that a document for a few turns begins with",
        unit="turns",
        least=0,
    )
    retain_context: str = setting("omp", "HINDSIGHT_RETAIN_CONTEXT", "what the server is told that a text comes from")
    recall_budget: str = setting(
        "mid", "HINDSIGHT_RECALL_BUDGET", "how deep the server searches", choices=("low", "mid", "high")
    )
    recall_max_tokens: int = setting(
        1024, "HINDSIGHT_RECALL_MAX_TOKENS", "most that is recalled for a prompt", unit="tokens", least=64
    )
    recall_context_turns: int = setting(
        1, "HINDSIGHT_RECALL_CONTEXT_TURNS", "turns that a prompt's question is made of", unit="turns", least=1
    )
    recall_max_query_chars: int = setting(
        800, "HINDSIGHT_RECALL_MAX_QUERY_CHARS", "longest such question", unit="characters", least=64
    )
    recall_types: str = setting(
        "world, experience, observation", "HINDSIGHT_RECALL_TYPES", "kinds of memories recalled, with commas between"
    )
    prompt_timeout_ms: int = setting(
        1500,
        "HINDSIGHT_PROMPT_TIMEOUT_MS",
        "how long a prompt, or a start, waits for the server; it goes on without",
        unit="ms",
        least=50,
    )
    request_timeout_ms: int = setting(
        30_000, "HINDSIGHT_REQUEST_TIMEOUT_MS", "how long one request may take otherwise", unit="ms", least=50
    )
    recall_timeout_ms: int = setting(
        30_000, "HINDSIGHT_RECALL_TIMEOUT_MS", "how long a search that was asked for may take", unit="ms", least=50
    )
    reflect_timeout_ms: int = setting(
        120_000, "HINDSIGHT_REFLECT_TIMEOUT_MS", "how long the server may reflect", unit="ms", least=50
    )
    retain_timeout_ms: int = setting(
        60_000, "HINDSIGHT_RETAIN_TIMEOUT_MS", "how long one write may take", unit="ms", least=50
    )
    mental_models_enabled: bool = setting(
        True, "HINDSIGHT_MENTAL_MODELS_ENABLED", "whether the server's mental models are shown at the start"
    )
    mental_model_auto_seed: bool = setting(
        True, "HINDSIGHT_MENTAL_MODEL_AUTO_SEED", "whether those that are missing are made"
    )
    mental_model_max_render_chars: int = setting(
        16_000, "HINDSIGHT_MENTAL_MODEL_MAX_RENDER_CHARS", "most that is shown of them", unit="characters", least=0
    )


@dataclass(frozen=True, slots=True)
class SharpshooterConfig:
    """The backend `sharpshooter`: decisions that somebody had to insist on, in three short files a project."""

    model: str = setting(
        "", "MNEMOPI_SHARPSHOOTER_MODEL", "name of the model that reads and rewrites; empty: the configured one"
    )
    interval_minutes: int = setting(
        5, "MNEMOPI_SHARPSHOOTER_INTERVAL_MINUTES", "least time between two rewrites", unit="min", least=0
    )
    injection_token_limit: int = setting(
        15_000, "MNEMOPI_SHARPSHOOTER_INJECTION_TOKEN_LIMIT", "most that is shown of the files", unit="tokens", least=16
    )


@dataclass(frozen=True, slots=True)
class AutolearnConfig:
    """Whether agents write down lessons and skills for themselves, and from when on they are asked to."""

    enabled: bool = setting(
        False, "MNEMOPI_AUTOLEARN_ENABLED", "whether agents get the tools `learn` and `manage_skill`"
    )
    auto_continue: bool = setting(
        False,
        "MNEMOPI_AUTOLEARN_AUTO_CONTINUE",
        "whether a host has a model look back at a turn for what it taught; that costs its whole context",
    )
    min_tool_calls: int = setting(
        5,
        "MNEMOPI_AUTOLEARN_MIN_TOOL_CALLS",
        "calls of tools from which on a turn is looked back at",
        unit="calls",
        least=0,
    )
    authored_skills: str = setting(
        "",
        "MNEMOPI_AUTHORED_SKILLS",
        "folders of the skills that people wrote, with commas between: their names are never claimed; empty: "
        "`.claude/skills`, `.agents/skills` and `.codex/skills` of the person and the project; `none`: there are none",
    )
