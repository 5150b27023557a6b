"""POST JSON to a model server and return its answer, patiently within one deadline.

Tries at most three times on what may pass (408, 429, 5xx, network faults), waiting 1 s and 2 s or what the server asks
for. A key may be a callable: it is asked again once when the server says 401. Errors carry host and status, never a
text, a key or an answer's body.
"""

from __future__ import annotations

import json
import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from mnemopi.errors import ProviderError, RefusedError, UnavailableError
from mnemopi.model.values import dataclass
from mnemopi.providers import callables

if TYPE_CHECKING:
    import httpx

Key: TypeAlias = str | Callable[[], Any]
"""A key, or a function (plain or coroutine function) that fetches one."""

TRIES = 3
PATIENCE = 60.0
"""Seconds. A server that asks for a longer pause is given up at once."""

_PASSING = frozenset({408, 429})


class Streamed(Protocol):
    """An answer that has begun."""

    @property
    def status_code(self) -> int:
        """The status of HTTP."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, found in any spelling."""
        ...

    def iter_bytes(self) -> Iterable[bytes]:
        """Give the body as it comes in."""
        ...


Carrier: TypeAlias = "Callable[[httpx.Client, str, Mapping[str, Any], str, float], AbstractContextManager[Streamed]]"
"""Sends one request (connections, address, body, key, seconds left); raises errors of httpx."""


def plain(
    http: httpx.Client, url: str, body: Mapping[str, Any], key: str, left: float
) -> AbstractContextManager[Streamed]:
    """Carry a request with nothing between."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return http.stream("POST", url, json=body, headers=headers, timeout=left)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back from one request; `fault` in place of a status when nothing did."""

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes = b""
    fault: Exception | None = None

    @property
    def may_pass(self) -> bool:
        """Whether the same request may succeed later."""
        return self.fault is not None or self.status in _PASSING or self.status >= 500


class Client:
    """A server's one address. May be used from many threads, and reconnects after a fork."""

    def __init__(
        self,
        url: str,
        key: Key = "",
        *,
        timeout: float = 30.0,
        advice: Mapping[int, str] | None = None,
        carry: Carrier = plain,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`timeout` (seconds) holds for a whole `post`, pauses included; `advice` are hints by status.

        `carry` sends each single request.
        """
        self._url = url
        self._key = key
        self._known_key = key if isinstance(key, str) else None
        self._timeout = timeout
        self._advice = advice or {}
        self._carry = carry
        self._sleep = sleep
        self._clock = clock
        self._lock = threading.Lock()
        self._http: tuple[int, httpx.Client] | None = None

    def post(self, body: Mapping[str, Any], timeout: float | None = None) -> Any:
        """Send `body` and return the parsed JSON, within `timeout` seconds (None: the client's own).

        Raises RefusedError, or UnavailableError when patience is at end.
        """
        deadline = self._clock() + (self._timeout if timeout is None else timeout)
        for attempt in range(1, TRIES + 1):
            answer = self._send_with_key(body, deadline)
            if 200 <= answer.status < 300:
                return self._parsed(answer)
            if not answer.may_pass:
                hint = self._advice.get(answer.status, "")
                raise RefusedError(f"{self.host} answered {answer.status}", hint=hint, status=answer.status)
            pause = _asked_pause(answer.headers)
            pause = 2.0 ** (attempt - 1) if pause is None else pause
            if attempt == TRIES or pause > PATIENCE or self._clock() + pause >= deadline:
                break
            self._sleep(pause)
        raise UnavailableError(f"{self.host} {_complaint(answer)}, tries: {attempt}") from answer.fault

    @property
    def host(self) -> str:
        """Host and port, for messages: an address may hold a password elsewhere."""
        return self._url.split("://", 1)[-1].split("/", 1)[0].rsplit("@", 1)[-1]

    def _send_with_key(self, body: Mapping[str, Any], deadline: float) -> Answer:
        """Send; on 401 fetch a key that can be fetched, and send once more if it is another one."""
        if self._known_key is None:
            self._known_key = self._fetched_key()
        used = self._known_key
        answer = self._send(body, used, deadline)
        if answer.status == 401 and not isinstance(self._key, str):
            self._known_key = self._fetched_key()
            if self._known_key != used:
                answer = self._send(body, self._known_key, deadline)
        return answer

    def _fetched_key(self) -> str:
        assert not isinstance(self._key, str)
        try:
            key = callables.call(self._key)
        except Exception as error:
            raise ProviderError(f"the function that gives the key raised {type(error).__name__}") from error
        if not isinstance(key, str):
            raise ProviderError(f"the function that gives the key gave {type(key).__name__}, not a string")
        return key

    def _send(self, body: Mapping[str, Any], key: str, deadline: float) -> Answer:
        import httpx  # noqa: PLC0415

        left = max(deadline - self._clock(), 0.001)
        try:
            with self._carry(self._connected(), self._url, body, key, left) as response:
                parts: list[bytes] = []
                for part in response.iter_bytes():
                    parts.append(part)
                    if self._clock() > deadline:
                        raise httpx.ReadTimeout("the answer did not end in time")
                return Answer(response.status_code, dict(response.headers), b"".join(parts))
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise ProviderError("the address of the API is no http(s) URL") from error
        except httpx.HTTPError as error:
            return Answer(fault=error)

    def _connected(self) -> httpx.Client:
        """The open connections of this process; a socket shared with a parent would mix two conversations."""
        import httpx  # noqa: PLC0415

        with self._lock:
            if self._http is None or self._http[0] != os.getpid():
                self._http = (os.getpid(), httpx.Client())
            return self._http[1]

    def _parsed(self, answer: Answer) -> Any:
        try:
            return json.loads(answer.content)
        except ValueError:
            # The parser's own error holds the whole answer: it does not travel on.
            raise ProviderError(f"{self.host} answered {answer.status} without JSON") from None


def _complaint(answer: Answer) -> str:
    return f"answered {answer.status}" if answer.fault is None else f"did not answer ({type(answer.fault).__name__})"


def _asked_pause(headers: Mapping[str, str]) -> float | None:
    """Return the seconds a server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            asked = float(headers.get(name, "nan")) / unit
        except ValueError:
            continue
        if not math.isnan(asked):
            return max(asked, 0.0)
    return _pause_until(headers.get("retry-after", ""))


def _pause_until(date: str) -> float | None:
    from email.utils import parsedate_to_datetime  # noqa: PLC0415

    try:
        return max(parsedate_to_datetime(date).timestamp() - time.time(), 0.0)
    except (TypeError, ValueError):
        return None
