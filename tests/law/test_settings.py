"""Every setting is described, and every name that people may bring from elsewhere is answered in the docs."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from mnemopi import config
from mnemopi.errors import ConfigError

NAMES = """
MNEMOPI_DATA_DIR MNEMOPI_DB_PAGE_SIZE MNEMOPI_AUTO_MIGRATE MNEMOPI_NO_EMBEDDINGS MNEMOPI_EMBEDDING_MODEL
MNEMOPI_EMBEDDING_DIM MNEMOPI_EMBEDDING_API_URL MNEMOPI_EMBEDDING_API_KEY MNEMOPI_EMBEDDINGS_VIA_API
MNEMOPI_EMBEDDING_MAX_INPUT_CHARS MNEMOPI_VEC_TYPE MNEMOPI_VEC_WEIGHT MNEMOPI_FTS_WEIGHT
MNEMOPI_IMPORTANCE_WEIGHT MNEMOPI_TEMPORAL_HALFLIFE_HOURS MNEMOPI_MAX_EPISODE_CHARS MNEMOPI_SLEEP_BATCH
MNEMOPI_TIER2_DAYS MNEMOPI_TIER3_DAYS MNEMOPI_DEGRADE_BATCH MNEMOPI_TIER3_MAX_CHARS MNEMOPI_SP_MAX
MNEMOPI_PROACTIVE_LINKING MNEMOPI_POLYPHONIC_RECALL MNEMOPI_ENHANCED_RECALL MNEMOPI_VOICE_VECTOR
MNEMOPI_VOICE_GRAPH MNEMOPI_VOICE_FACT MNEMOPI_VOICE_TEMPORAL MNEMOPI_LLM_ENABLED MNEMOPI_LLM_BASE_URL
MNEMOPI_LLM_API_KEY MNEMOPI_LLM_MODEL MNEMOPI_LLM_MAX_TOKENS MNEMOPI_LLM_N_CTX MNEMOPI_HOST_LLM_ENABLED
MNEMOPI_HOST_LLM_PROVIDER MNEMOPI_HOST_LLM_MODEL MNEMOPI_HOST_LLM_N_CTX MNEMOPI_FORCE_LOCAL
MNEMOPI_SLEEP_PROMPT MNEMOPI_EXTRACTION_PROMPT MNEMOPI_EXTRACTION_MODEL MNEMOPI_LLM_REPO MNEMOPI_LLM_FILE
MNEMOPI_LLM_N_THREADS MNEMOPI_MCP_BANK MNEMOPI_SESSION_ID MNEMOPI_AUTHOR_ID MNEMOPI_AUTHOR_TYPE
MNEMOPI_CHANNEL_ID MNEMOPI_SHARED_SURFACE_DB MNEMOPI_BACKUP_DIR MNEMOPI_BLOB_DIR MNEMOPI_BEAM_MODE
MNEMOPI_SHMR_BATCH_SIZE MNEMOPI_SHMR_MAX_ITERATIONS MNEMOPI_SHMR_SIMILARITY_THRESHOLD
MNEMOPI_SHMR_HARMONY_THRESHOLD MNEMOPI_SHMR_MIN_CLUSTER_SIZE MNEMOPI_BEAM_OPTIMIZATIONS MNEMOPI_WM_MAX_ITEMS
MNEMOPI_WM_TTL_HOURS MNEMOPI_EP_LIMIT MNEMOPI_RECENCY_HALFLIFE MNEMOPI_TIER1_WEIGHT MNEMOPI_TIER2_WEIGHT
MNEMOPI_TIER3_WEIGHT MNEMOPI_SMART_COMPRESS MNEMOPI_STATED_WEIGHT MNEMOPI_INFERRED_WEIGHT
MNEMOPI_TOOL_WEIGHT MNEMOPI_IMPORTED_WEIGHT MNEMOPI_UNKNOWN_WEIGHT OPENROUTER_API_KEY OPENROUTER_BASE_URL
OPENAI_API_KEY NODE_ENV BUN_ENV HOME
"""
"""The environment names that other engines of this kind read."""

OF_SESSIONS = {
    "memory": "backend",
    "memories": (
        "enabled maxRolloutsPerStartup maxRolloutAgeDays minRolloutIdleHours threadScanLimit "
        "maxRawMemoriesForGlobal stage1Concurrency stage1LeaseSeconds stage1RetryDelaySeconds "
        "phase2LeaseSeconds phase2RetryDelaySeconds phase2HeartbeatSeconds rolloutPayloadPercent "
        "phase1InputTokenLimit fallbackTokenLimit summaryInjectionTokenLimit"
    ),
    "mnemopi": (
        "dbPath bank scoping embeddingVariant embeddingModel embeddingApiUrl embeddingApiKey noEmbeddings "
        "autoRecall autoRetain polyphonicRecall enhancedRecall proactiveLinking llmMode llmBaseUrl llmApiKey "
        "llmModel retainEveryNTurns recallLimit recallContextTurns recallMaxQueryChars injectionTokenLimit "
        "debug"
    ),
    "hindsight": (
        "apiUrl apiToken bankId bankIdPrefix scoping bankMission retainMission autoRecall autoRetain "
        "retainMode retainEveryNTurns retainOverlapTurns retainContext recallBudget recallMaxTokens "
        "recallContextTurns recallMaxQueryChars recallTypes debug requestTimeoutMs reflectTimeoutMs "
        "recallTimeoutMs retainTimeoutMs mentalModelsEnabled mentalModelAutoSeed mentalModelMaxRenderChars"
    ),
    "sharpshooter": "model intervalMinutes injectionTokenLimit",
    "autolearn": "enabled autoContinue minToolCalls",
}
"""The settings, by group, with which other hosts configure the memory of their sessions."""
OF_HINDSIGHT = """
HINDSIGHT_API_URL HINDSIGHT_API_TOKEN HINDSIGHT_BANK_ID HINDSIGHT_BANK_MISSION HINDSIGHT_SCOPING
HINDSIGHT_AUTO_RECALL HINDSIGHT_AUTO_RETAIN HINDSIGHT_RETAIN_MODE HINDSIGHT_RETAIN_EVERY_N_TURNS
HINDSIGHT_RECALL_BUDGET HINDSIGHT_RECALL_MAX_TOKENS HINDSIGHT_RECALL_CONTEXT_TURNS
HINDSIGHT_RECALL_MAX_QUERY_CHARS HINDSIGHT_REQUEST_TIMEOUT_MS HINDSIGHT_REFLECT_TIMEOUT_MS
HINDSIGHT_RECALL_TIMEOUT_MS HINDSIGHT_RETAIN_TIMEOUT_MS HINDSIGHT_DEBUG
"""
"""The environment names among them."""

SETTINGS = list(config.settings())
LIVE = {told.metadata["env"] for _, told in SETTINGS}
WITHOUT_UNIT = re.compile(r"_weight$|\.(context|recall)_belief$")


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    """The reference page of the settings."""
    return (root / "docs" / "reference" / "settings.md").read_text("utf-8")


@pytest.fixture(scope="module")
def elsewhere(root: Path) -> list[str]:
    """The rows of the page of names that say what stands for something of another host here."""
    page = (root / "docs" / "reference" / "names.md").read_text("utf-8")
    return re.findall(r"^(\|.*\|)$", page, re.MULTILINE)


@pytest.fixture(scope="module")
def rows(page: str) -> dict[str, str]:
    """The rows of the page by environment name: the words after the name."""
    return dict(re.findall(r"^\|.*?`([A-Z][A-Z0-9_]+)` \|(.*)\|$", page, re.MULTILINE))


@pytest.mark.parametrize(("name", "told"), SETTINGS)
def test_each_setting_says_what_it_does(name: str, told: Any) -> None:
    assert len(told.metadata["help"]) > 10
    assert not told.metadata["help"].endswith(".")


@pytest.mark.parametrize(("name", "told"), SETTINGS)
def test_each_number_has_a_unit_unless_it_is_a_share(name: str, told: Any) -> None:
    is_number = isinstance(told.default, int | float) and not isinstance(told.default, bool)
    assert not is_number or bool(told.metadata["unit"]) or WITHOUT_UNIT.search(name)


def test_no_two_settings_share_an_environment_name() -> None:
    assert len(LIVE) == len(SETTINGS)
    assert not LIVE & set(config.REFUSED)


@pytest.mark.parametrize(("name", "told"), SETTINGS)
def test_each_setting_has_a_row_in_the_docs(name: str, told: Any, page: str) -> None:
    assert f"| `{name}` | `{told.metadata['env']}` |" in page


@pytest.mark.parametrize("name", NAMES.split())
def test_each_name_known_elsewhere_is_live_renamed_or_refused_with_a_reason(name: str, rows: dict[str, str]) -> None:
    assert len(rows[name].strip()) > 10
    renamed = re.fullmatch(r" renamed: `(\w+)` ", rows[name])
    assert renamed is None or renamed[1] in LIVE


@pytest.mark.parametrize(
    ("group", "name"), [(each, name) for each in OF_SESSIONS for name in OF_SESSIONS[each].split()]
)
def test_each_setting_of_other_hosts_is_taken_as_they_write_it_or_answered(
    group: str, name: str, elsewhere: list[str], tmp_path: Path
) -> None:
    known, file = {told for told, _ in SETTINGS}, tmp_path / "config.toml"
    there = [row.split("|")[1:3] for row in elsewhere if f"`{group}." in row]
    meant = [here for names, here in there if f"`{group}.{name}`" in names or f"`{name}`" in names]
    if meant:
        named = re.findall(r"`(\w+\.\w+)", meant[0]) + re.findall(r"MNEMOPI_\w+", meant[0])
        assert (named and {*named} <= {*known, *LIVE}) or meant[0].strip().startswith("none:")
        return
    file.write_text(f"[{group}]\n{name} = []\n")
    with pytest.raises(ConfigError) as refused:  # it is the value that is refused, not the name
        config.Config.load({}, file=file)
    assert refused.value.setting in known


@pytest.mark.parametrize("name", OF_HINDSIGHT.split())
def test_each_environment_name_of_hindsight_is_live_or_answered(name: str, elsewhere: list[str]) -> None:
    assert name in LIVE or any(name in row and "none:" in row for row in elsewhere)


@pytest.mark.parametrize("stem", ["settings", "cli", "tools", "http"])
def test_the_generated_pages_are_those_that_the_code_makes(root: Path, stem: str) -> None:
    made = runpy.run_path(str(root / "docs" / "build.py"))["pages"]()
    path = root / "docs" / "reference" / f"{stem}.md"
    assert path.read_text("utf-8") == made[path], "run `make docs`"
