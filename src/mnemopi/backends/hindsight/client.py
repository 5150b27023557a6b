"""The server's HTTP API: one request within one deadline, and the gate through which all that leaves passes.

`send` gives back what came, whatever it was; `ask` raises where that is no success. Nothing is tried again here: what
must arrive stands in the ledger, and what a prompt waits for has no time for that. Errors name the operation and what
the server gave as the reason, never what it was sent.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from mnemopi.errors import RefusedError, UnavailableError
from mnemopi.model.values import dataclass
from mnemopi.text import redact

if TYPE_CHECKING:
    import httpx

ROOT: Final = "/v1/default/banks"
_PASSING: Final = frozenset({408, 429})
_REASON: Final = 200
_NAMES: Final = frozenset({"document_id", "id", "operation_id", "tags", "document_tags", "tags_match", "timestamp"})
"""Keys whose values are names or times: rows are found by them, so that they are never rewritten."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: `status` 0 where nothing did, with the reason in `fault`; `pause` seconds asked for."""

    status: int = 0
    value: Any = None
    fault: str = ""
    pause: float | None = None

    @property
    def is_good(self) -> bool:
        """Whether the server did what it was asked."""
        return 200 <= self.status < 300

    @property
    def may_pass(self) -> bool:
        """Whether the same request may succeed later."""
        return self.status == 0 or self.status in _PASSING or self.status >= 500

    @property
    def is_token(self) -> bool:
        """Whether the server does not take the token."""
        return self.status in (401, 403)


class HindsightClient:
    """A server. May be used from many threads, and reconnects after a fork."""

    def __init__(self, url: str, token: str = "", *, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` counts the seconds of deadlines."""
        self._url = url.rstrip("/")
        self._token = token
        self._clock = clock
        self._lock = threading.Lock()
        self._http: tuple[int, httpx.Client] | None = None

    @property
    def host(self) -> str:
        """Host and port, for messages: an address may hold a password elsewhere."""
        return self._url.split("://", 1)[-1].split("/", 1)[0].rsplit("@", 1)[-1]

    def send(
        self,
        method: str,
        bank: str,
        *path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        timeout: float,
    ) -> Reply:
        """Make one request, of a bank or of what lies in it, within `timeout` seconds in all."""
        import httpx  # noqa: PLC0415

        url = "/".join((self._url + ROOT, *(quote(part, safe="") for part in (bank, *path))))
        deadline = self._clock() + timeout
        sent = {"json": pruned(cleaned(body))} if body is not None else {}
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        try:
            with self._connected().stream(
                method, url, params=query, headers=headers, timeout=max(timeout, 0.001), **sent
            ) as response:
                parts: list[bytes] = []
                for part in response.iter_bytes():
                    parts.append(part)
                    if self._clock() > deadline:
                        raise httpx.ReadTimeout("the answer did not end in time")
                return Reply(response.status_code, *_read(response.status_code, b"".join(parts)), _pause(response))
        except httpx.TimeoutException:
            return Reply(fault=f"no answer within {round(timeout, 2):g} s")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return Reply(fault=f"no connection ({type(error).__name__})")

    def ask(
        self,
        operation: str,
        method: str,
        bank: str,
        *path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        timeout: float,
    ) -> Any:
        """Make one request and return its JSON. Raises UnavailableError and RefusedError, named by `operation`."""
        reply = self.send(method, bank, *path, body=body, query=query, timeout=timeout)
        if reply.is_good:
            return reply.value
        raise self.error(operation, reply)

    def error(self, operation: str, reply: Reply) -> UnavailableError | RefusedError:
        """Return the error that a reply is."""
        if reply.may_pass:
            why = reply.fault or "no reason given"
            state = f"answered {reply.status}" if reply.status else "did not answer"
            return UnavailableError(f"{operation}: {self.host} {state}: {why}", hint="see that the server runs")
        hint = "check HINDSIGHT_API_TOKEN" if reply.is_token else ""
        return RefusedError(
            f"{operation}: {self.host} answered {reply.status}: {reply.fault}", hint=hint, status=reply.status
        )

    def close(self) -> None:
        """Let go of the connections."""
        with self._lock:
            http, self._http = self._http, None
        if http is not None and http[0] == os.getpid():
            http[1].close()

    def _connected(self) -> httpx.Client:
        """The open connections of this process; a socket shared with a parent would mix two conversations."""
        import httpx  # noqa: PLC0415

        with self._lock:
            if self._http is None or self._http[0] != os.getpid():
                # Without TLS no certificates are loaded: that takes longer than most answers.
                has_tls = self._url.lower().startswith("https:")
                self._http = (os.getpid(), httpx.Client(headers={"User-Agent": "mnemopi"}, verify=has_tls))
            return self._http[1]


def cleaned(value: Any) -> Any:
    """Return what leaves the machine without its secrets; names and times stay."""
    if isinstance(value, str):
        return redact.redact(value, "full").text
    if isinstance(value, Mapping):
        return {key: part if key in _NAMES else cleaned(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [cleaned(part) for part in value]
    return value


def pruned(value: Any) -> Any:
    """Return a body without the parts that are None: the server has defaults of its own for them."""
    if isinstance(value, dict):
        return {key: pruned(part) for key, part in value.items() if part is not None}
    return [pruned(part) for part in value] if isinstance(value, list) else value


def _read(status: int, content: bytes) -> tuple[Any, str]:
    """Return the JSON of an answer, an empty object where it is none, and what it gives as the reason of a failure."""
    try:
        value = json.loads(content) if content else {}
    except ValueError:
        value = {}
    if 200 <= status < 300:
        return value, ""
    told = (value.get("detail") or value.get("message")) if isinstance(value, dict) else None
    # A list is the server's complaint about fields: it repeats what was sent.
    why = told if isinstance(told, str) else "the request is not one it can use" if told else "no reason given"
    return value, redact.redact(why, "full").text[:_REASON]


def _pause(response: httpx.Response) -> float | None:
    try:
        return max(float(response.headers.get("retry-after", "")), 0.0)
    except ValueError:
        return None
