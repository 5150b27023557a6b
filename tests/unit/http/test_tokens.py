"""What a token with limits sees and may do: what it may not see is not there."""

from __future__ import annotations

import os
from typing import Any

import httpx
import pytest

from mnemopi.errors import ExistsError, NotFoundError, StorageError, UsageError
from mnemopi.http.keys import Keys


@pytest.fixture
def keys(tmp_path: Any) -> Keys:
    return Keys(tmp_path / "data")


def asked(served: Any, token: str, method: str, path: str, **given: Any) -> httpx.Response:
    answer: httpx.Response = served.http.request(method, path, headers={"authorization": f"Bearer {token}"}, **given)
    return answer


def test_a_bank_that_is_not_seen_is_not_found_on_each_way_to_it(served: Any, bank: str) -> None:
    served.http.post("/api/v1/banks", json={"name": "elsewhere"})
    kept = served.http.post("/api/v1/memories", json={"content": "secret", "bank": "elsewhere"}).json()["id"]
    token = served.named(bank)
    ways: list[tuple[str, str, Any]] = [
        ("GET", "/api/v1/memories?bank=elsewhere", None),
        ("GET", f"/api/v1/memories/{kept}?bank=elsewhere", None),
        ("DELETE", f"/api/v1/memories/{kept}?bank=elsewhere", None),
        ("GET", "/api/v1/banks/elsewhere", None),
        ("PATCH", "/api/v1/banks/elsewhere", {"name": "mine"}),
        ("DELETE", "/api/v1/banks/elsewhere", None),
        ("POST", "/api/v1/banks", {"name": "elsewhere"}),
        ("GET", "/api/v1/events?bank=elsewhere", None),
        ("GET", "/api/v1/export?bank=elsewhere", None),
        ("POST", "/api/v1/search", {"query": "secret", "bank": "elsewhere"}),
        ("POST", "/api/v1/tools/mnemopi_recall", {"query": "secret", "bank": "elsewhere"}),
    ]
    for method, path, body in ways:
        answer = asked(served, token, method, path, json=body) if body else asked(served, token, method, path)
        assert answer.status_code == 404, (method, path, answer.text)
        other = path.replace("elsewhere", "nowhere")
        body = {name: value.replace("elsewhere", "nowhere") for name, value in body.items()} if body else None
        missing = asked(served, token, method, other, json=body) if body else asked(served, token, method, other)
        assert missing.text == answer.text.replace("elsewhere", "nowhere"), "a bank that is there looks like none"
    assert asked(served, token, "GET", "/api/v1/banks").json() == {"banks": [bank], "own": bank}
    assert asked(served, token, "GET", f"/api/v1/memories/{kept}").status_code == 404
    assert "elsewhere" not in asked(served, token, "GET", "/metrics").text


def test_a_token_may_do_what_it_was_made_for_and_nothing_more(served: Any, bank: str) -> None:
    calls = {
        "read": ("GET", f"/api/v1/memories?bank={bank}", None),
        "add": ("POST", "/api/v1/memories", {"content": "The crane", "bank": bank}),
        "change": ("POST", "/api/v1/tools/mnemopi_sleep", {"bank": bank}),
        "destroy": ("POST", "/api/v1/tools/mnemopi_scratchpad_clear", {"bank": bank}),
    }
    effects = list(calls)
    for most in effects:
        token = served.named(bank, most=most)
        for effect, (method, path, body) in calls.items():
            status = asked(served, token, method, path, **({"json": body} if body else {})).status_code
            assert (status == 403) is (effects.index(effect) > effects.index(most)), (most, effect, status)


def test_a_token_that_reads_makes_no_bank(served: Any) -> None:
    token = served.named("unmade", most="read")
    for path, body in (("search", {"query": "crane"}), ("tools/mnemopi_stats", {})):
        assert asked(served, token, "POST", f"/api/v1/{path}", json=body).status_code == 200
    for path in ("memories", "journal", "export"):
        assert asked(served, token, "GET", f"/api/v1/{path}").status_code == 200
    assert "unmade" not in served.http.get("/api/v1/banks").json()["banks"]


def test_a_token_for_some_banks_is_told_nothing_of_others(served: Any, bank: str) -> None:
    some, all_of_them = (
        asked(served, token, "POST", "/api/v1/tools/mnemopi_diagnose", json={"bank": bank}).json()["checks"]
        for token in (served.named(bank), served.token)
    )
    assert {check["name"] for check in all_of_them} - {check["name"] for check in some} == {"other banks", "leftovers"}


def test_names_are_taken_once_and_the_owners_is_none_of_them(keys: Keys) -> None:
    token = keys.create("laptop", ("work",), "read", 1_000)
    found = keys.find(token)
    assert found is not None
    assert found.as_dict() == {
        "name": "laptop",
        "banks": ["work"],
        "may": "read",
        "made_at": "1970-01-01T00:00:01.000Z",
    }
    with pytest.raises(ExistsError):
        keys.create("laptop", (), "read", 0)
    with pytest.raises(UsageError):
        keys.create("owner", (), "read", 0)
    with pytest.raises(UsageError):
        keys.create("a b", (), "read", 0)
    with pytest.raises(NotFoundError):
        keys.revoke("nobody")


def test_what_is_no_token_opens_nothing(keys: Keys) -> None:
    token = keys.create("laptop", (), "read", 0)
    for wrong in ("", token[:-1], token + "x", keys.owner().upper(), "\udcff"):
        assert keys.find(wrong) is None


def test_a_damaged_file_of_tokens_lets_nobody_in(keys: Keys, tmp_path: Any) -> None:
    keys.create("laptop", (), "read", 0)
    for text in ("{", '[{"name": "x"}]', '[{"name":"x","hash":"","banks":[],"most":"all","made_at":0}]'):
        (tmp_path / "data" / "http-tokens.json").write_text(text)
        with pytest.raises(StorageError):
            Keys(tmp_path / "data").find("anything")


def test_the_owners_token_is_made_anew_where_it_was_revoked(keys: Keys) -> None:
    first = keys.owner()
    keys.revoke("owner")
    assert keys.find(first) is None
    assert keys.owner() != first


def test_what_a_tool_does_by_its_arguments_is_what_the_token_has_to_allow(served: Any, bank: str) -> None:
    token, path = served.named(bank, most="read"), "/api/v1/tools/mnemopi_facts"
    assert asked(served, token, "POST", path, json={"bank": bank}).json()["count"] == 0
    for action in ("end", "erase"):
        refused = asked(served, token, "POST", path, json={"bank": bank, "action": action, "fact_id": "x"})
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden"), refused.text


@pytest.mark.parametrize("name", ["owner", "reader"])
def test_a_power_cut_brings_back_no_token_that_was_revoked(
    keys: Keys, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    keys.owner()
    keys.create("reader", (), "read", 0)
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.fstat(handle).st_ino))
    keys.revoke(name)
    assert synced[-1] == (tmp_path / "data").stat().st_ino
