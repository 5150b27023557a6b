"""Banks over REST and through the client."""

from __future__ import annotations

from typing import Any

import pytest

from mnemopi.errors import ConflictError, ExistsError, NotFoundError, UsageError
from mnemopi.http.client import Client
from mnemopi.tools.confirm import UnconfirmedError


def test_a_bank_is_made_found_renamed_and_deleted_where_somebody_agreed(served: Any) -> None:
    with served.client() as client:
        client.banks.create("pier")
        assert "pier" in client.banks.list()
        with served.client(bank="pier") as there:
            there.remember("The crane")
        client.banks.rename("pier", "quay")
        with served.client(bank="quay") as there:
            assert [each.content for each in there.page()] == ["The crane"]
        with pytest.raises(UnconfirmedError, match="quay") as asked:
            client.banks.delete("quay")
        assert asked.value.preview["memories"] == 1
        with pytest.raises(UnconfirmedError):
            client.banks.delete("quay", confirm="wrong")
        client.banks.delete("quay", confirm=asked.value.token)
        assert "quay" not in client.banks.list()


def test_an_agreement_counts_for_what_was_shown_alone(served: Any, memory: Client, bank: str) -> None:
    with served.client() as client:
        with pytest.raises(UnconfirmedError) as asked:
            client.banks.delete(bank)
        memory.remember("since then")
        with pytest.raises(UnconfirmedError):
            client.banks.delete(bank, confirm=asked.value.token)


def test_what_cannot_be_is_refused(served: Any, bank: str) -> None:
    with served.client() as client:
        with pytest.raises(ExistsError):
            client.banks.create(bank)
        with pytest.raises(UsageError):
            client.banks.create("a b")
        with pytest.raises(NotFoundError):
            client.banks.rename("nowhere", "somewhere")
        with pytest.raises(ConflictError):
            client.banks.rename("default", "other")
        with pytest.raises(ConflictError, match="neither renamed nor deleted"):
            client.banks.delete("default")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("memories", {"content": ""}),
        ("memories", {"content": "The crane", "timestamp": "someday"}),
        ("batches", {"items": [{"content": "The crane"}, {"content": ""}]}),
        ("tools/mnemopi_remember", {"content": ""}),
        ("tools/mnemopi_triple_add", {"subject": "a", "predicate": "b", "object": ""}),
    ],
)
def test_a_write_that_is_refused_makes_no_bank(served: Any, path: str, body: dict[str, Any]) -> None:
    assert served.http.post(f"/api/v1/{path}", json={**body, "bank": "refused"}).status_code == 422
    assert "refused" not in served.http.get("/api/v1/banks").json()["banks"]


def test_an_import_that_is_refused_makes_no_bank(served: Any) -> None:
    lines = {"content": b"{}\n", "headers": {"content-type": "application/x-ndjson"}}
    assert served.http.post("/api/v1/import", params={"bank": "refused"}, **lines).is_client_error
    assert "refused" not in served.http.get("/api/v1/banks").json()["banks"]


def test_a_new_bank_says_where_it_stands(served: Any, bank: str) -> None:
    made = served.http.post("/api/v1/banks", json={"name": f"{bank}.2"})
    assert made.headers["location"] == f"/api/v1/banks/{bank}.2"
    assert served.http.get(made.headers["location"]).json() == {"bank": f"{bank}.2"}
