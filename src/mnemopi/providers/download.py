"""Fetch one file over HTTP, whole or not at all.

A short answer, an answer of another length than announced, or one whose announced SHA-256 differs, is an error and
leaves no file. Retrying is the caller's affair: what was fetched before is not fetched again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from mnemopi.errors import ProviderError, RefusedError, UnavailableError

if TYPE_CHECKING:
    import httpx

_SHA256 = re.compile(r"[0-9a-f]{64}")
_STALL = 30.0
_MIRROR_HINT = "MNEMOPI_MODEL_MIRROR names another server"


def session() -> httpx.Client:
    """Open the connections that several fetches share, to be used in a `with`; 30 s without a byte is a failure."""
    import httpx  # noqa: PLC0415

    return httpx.Client(follow_redirects=True, timeout=_STALL)


def fetch(
    http: httpx.Client,
    url: str,
    target: Path,
    *,
    may_lack: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
) -> bool:
    """Write what `url` serves to `target` and return True; False where the server lacks it and `may_lack` allows.

    Raises RefusedError for a status of the server, UnavailableError where it cannot be reached or breaks off,
    OSError for the disk.
    """
    import httpx  # noqa: PLC0415

    try:
        with http.stream("GET", url) as response:
            if response.status_code == 404 and may_lack:
                return False
            if response.status_code >= 500 or response.status_code == 429:
                raise UnavailableError(f"{_place(url)} answered {response.status_code}", hint=_MIRROR_HINT)
            if response.status_code != 200:
                raise RefusedError(f"{_place(url)} answered {response.status_code}", hint=_MIRROR_HINT)
            _write(response, target, progress)
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise ProviderError("the address of the model mirror is no http(s) URL") from error
    except httpx.HTTPError as error:
        target.unlink(missing_ok=True)
        raise UnavailableError(
            f"{_place(url)} cannot be reached ({type(error).__name__})", hint=_MIRROR_HINT
        ) from error
    return True


def _write(response: httpx.Response, target: Path, progress: Callable[[str, int, int], None] | None) -> None:
    """Write an answer's body and compare it with what its headers, or those of a redirect before it, announced."""
    total = int(response.headers.get("content-length") or 0)
    digest, done = hashlib.sha256(), 0
    with target.open("wb") as opened:
        for part in response.iter_bytes(1 << 20):
            opened.write(part)
            digest.update(part)
            done += len(part)
            if progress is not None:
                progress(target.name, done, total)
    announced = _announced_sum(response)
    encoded = "content-encoding" in response.headers
    if (total and not encoded and done != total) or announced not in ("", digest.hexdigest()):
        target.unlink()
        raise UnavailableError(f"{target.name} arrived damaged", hint="try again")


def _announced_sum(response: httpx.Response) -> str:
    """Return the SHA-256 that the hub gives for large files, in the answer that redirects to their store."""
    for answer in (*response.history, response):
        tag = answer.headers.get("x-linked-etag", "").strip('"')
        if _SHA256.fullmatch(tag):
            return str(tag)
    return ""


def _place(url: str) -> str:
    """Host and path, without a password that a mirror's address may hold."""
    return url.split("://", 1)[-1].rsplit("@", 1)[-1]
