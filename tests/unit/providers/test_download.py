from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from mnemopi.errors import ProviderError, RefusedError, UnavailableError
from mnemopi.providers import download


def fetch(url: str, target: Path, **more: Any) -> bool:
    with download.session() as http:
        return download.fetch(http, url, target, **more)


def test_a_redirect_is_followed_and_its_announced_sum_compared(tmp_path: Path, server: Any, reply: Any) -> None:
    kind = type(reply({}))
    right = hashlib.sha256(b"content").hexdigest()

    def answer(request: Any) -> Any:
        if request.path == "/store":
            return kind(200, b"content")
        announced = right if request.path == "/right" else "0" * 64
        return kind(302, b"", {"location": "/store", "x-linked-etag": f'"{announced}"'})

    server.answer = answer
    assert fetch(server.url + "/right", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"content"
    with pytest.raises(UnavailableError, match="arrived damaged"):
        fetch(server.url + "/wrong", tmp_path / "b")
    assert not (tmp_path / "b").exists()


def test_an_answer_cut_short_leaves_no_file(tmp_path: Path, server: Any, reply: Any) -> None:
    server.reply_in_turn(type(reply({}))(200, b"half", {"content-length": "8", "connection": "close"}))
    with pytest.raises(UnavailableError):
        fetch(server.url + "/a", tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_a_file_the_server_lacks_may_be_allowed_to(tmp_path: Path, server: Any) -> None:
    assert not fetch(server.url + "/a", tmp_path / "a", may_lack=True)
    with pytest.raises(RefusedError, match="404"):
        fetch(server.url + "/a", tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("status", "error"), [(401, RefusedError), (429, UnavailableError), (503, UnavailableError)])
def test_a_status_is_an_error_with_host_and_path(
    status: int, error: type[Exception], tmp_path: Path, server: Any, reply: Any
) -> None:
    server.reply_in_turn(reply({}, status))
    with pytest.raises(error, match=f"/a answered {status}"):
        fetch(server.url + "/a", tmp_path / "a")


def test_an_address_that_is_none_is_a_provider_error(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="no http"):
        fetch("file:///etc/passwd", tmp_path / "a")
