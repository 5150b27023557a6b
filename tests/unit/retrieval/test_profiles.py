"""The options of a recall: what is taken, what each means, and what is refused."""

from __future__ import annotations

import math
from datetime import date
from typing import Any

import pytest

from mnemopi.errors import UsageError
from mnemopi.model.memory import Identity
from mnemopi.retrieval import profiles
from mnemopi.retrieval.profiles import Options
from mnemopi.settings import RecallConfig
from mnemopi.text import dates

CONFIG = RecallConfig()


def options(top_k: Any = 5, config: RecallConfig = CONFIG, **given: Any) -> Options:
    return Options.of(given, top_k, Identity(), config)


BAD: list[dict[str, Any]] = [
    {"limit": 5},
    {"tier": "attic"},
    {"kind": "rumour"},
    {"profile": "choir"},
    {"profile": ""},
    {"profile": ["default"]},
    {"profile": 7},
    {"retrievers": "lexical"},
    {"retrievers": 5},
    {"retrievers": []},
    {"retrievers": ["lexical", "psychic"]},
    {"retrievers": [["lexical"]]},
    {"importance_weight": -0.1},
    {"importance_weight": math.inf},
    {"importance_weight": math.nan},
    {"importance_weight": 1e308},
    {"vec_weight": "0.5"},
    {"fts_weight": True},
    {"temporal_weight": -1},
    {"temporal_halflife": 0},
    {"temporal_halflife": math.inf},
    {"min_score": 1.01},
    {"min_score": -0.01},
    {"mmr_lambda": 2},
    {"use_mmr": 1},
    {"include_invalid": "yes"},
    {"quotas": {"rumour": 3}},
    {"quotas": {1: 3}},
    {"quotas": {"note": -1}},
    {"quotas": [("note", 1)]},
    {"content_preview_chars": -1},
    {"content_preview_chars": 2.5},
    {"veracity": "maybe"},
    {"veracity": []},
    {"session_id": ""},
    {"session_id": 5},
    {"author_id": "\ud800"},
    {"from_date": "the other day"},
    {"from_date": ""},
    {"from_date": "2026-03-02", "to_date": "2026-03-01"},
    {"as_of": math.nan},
    {"as_of": 1e30},
    {"query_time": True},
]


@pytest.mark.parametrize("given", BAD, ids=repr)
def test_what_is_unknown_or_unusable_is_an_error(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        options(**given)


@pytest.mark.parametrize("top_k", [-1, 1.5, "5", None, True])
def test_top_k_is_a_whole_number_from_0(top_k: Any) -> None:
    with pytest.raises(UsageError, match="top_k"):
        options(top_k)


def test_an_unknown_option_is_named_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="'limit'") as error:
        options(limit=5)
    assert "min_score" in error.value.hint


def test_none_is_the_same_as_left_out() -> None:
    names = ("profile", "session_id", "veracity", "from_date", "as_of", "min_score", "quotas", "use_mmr", "retrievers")
    assert options(**dict.fromkeys(names)) == options()


def test_a_profile_names_its_retrievers() -> None:
    assert options(profile="lexical").retrievers == profiles.PROFILES["lexical"]
    assert options(profile="recent").recent
    assert "dense" not in options(config=RecallConfig(dense=False)).retrievers
    assert "temporal" not in options(config=RecallConfig(temporal=False)).retrievers


def test_retrievers_are_run_in_the_order_given_and_once() -> None:
    assert options(retrievers=("dense", "lexical", "dense")).retrievers == ("dense", "lexical")


def test_a_weight_is_a_multiple_of_its_fitted_default() -> None:
    assert options().scales.importance == 1
    assert options(importance_weight=CONFIG.importance_weight * 3).scales.importance == pytest.approx(3)
    assert options(vec_weight=0).scales.meaning == 0
    assert options(config=RecallConfig(fts_weight=CONFIG.fts_weight * 2)).scales.words == pytest.approx(2)
    assert options(temporal_weight=0).scales.period == options(temporal_weight=0).scales.recency == 0


def test_a_bare_date_is_the_whole_day_at_both_ends() -> None:
    within = options(from_date="2026-03-05", to_date=date(2026, 3, 5)).filter.within
    assert within is not None
    assert (within.start, within.end) == (dates.moment("2026-03-05"), dates.moment("2026-03-06"))


def test_one_end_leaves_the_other_open() -> None:
    since, until = options(from_date="2026-03-05").filter.within, options(to_date="2026-03-05").filter.within
    assert since is not None
    assert until is not None
    assert since.contains(dates.moment("2999-01-01"))
    assert not since.contains(dates.moment("2026-03-04T23:59:59Z"))
    assert until.contains(dates.moment("1970-01-01"))
    assert not until.contains(dates.moment("2026-03-06"))


def test_as_of_a_bare_date_is_the_end_of_that_day() -> None:
    assert options(as_of="2026-03-05").filter.as_of == dates.moment("2026-03-06") - 1
    assert options(as_of="2026-03-05T10:00:00Z").filter.as_of == dates.moment("2026-03-05T10:00:00Z")


def test_veracity_takes_labels_and_booleans() -> None:
    assert options(veracity=False).filter.veracity == "false"
    assert options(veracity="Stated").filter.veracity == "stated"


def test_the_trust_of_the_five_origins_is_set() -> None:
    assert options(config=RecallConfig(tool_weight=0.1)).trust["tool"] == 0.1
    assert options().trust["true"] == 1.0


def test_whole_texts_have_no_preview_limit() -> None:
    assert Options.of({"content_preview_chars": 10}, 5, Identity(), CONFIG, whole=True).preview_chars == 0
    assert options().preview_chars == CONFIG.preview_chars
    assert options(content_preview_chars=0).preview_chars == 0
