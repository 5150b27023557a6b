"""OpenAI's own client as what carries a request to a chat server, where it is installed (extra `llm`).

It brings what its makers know of their API: how an address is joined, how a request is framed and told from others.
When to try again, with which key and until when is decided by `client.Client`, so that both carriers behave alike. What
it would take from the environment of its own accord (a key, an organisation, any header) is not sent: only settings say
what leaves.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    import httpx

    from mnemopi.providers.client import Streamed

PART: Final = "/chat/completions"
"""The last part of an address, which the client adds by itself."""
_ITS_OWN: Final = ("accept", "content-type", "user-agent", "x-stainless-")
"""Beginnings of the headers that describe a request; all others come from the environment, and are left out."""


def is_installed() -> bool:
    """Whether the package is there; it is imported by the first request only."""
    return importlib.util.find_spec("openai") is not None


@contextmanager
def carry(http: httpx.Client, url: str, body: Mapping[str, Any], key: str, left: float) -> Iterator[Streamed]:
    """Send `body` once over the connections of `http`, and open the answer, whatever its status.

    Raises errors of httpx, as the plain carrier does.
    """
    import httpx  # noqa: PLC0415
    import openai  # noqa: PLC0415

    base = httpx.URL(url.removesuffix(PART))
    sdk = openai.OpenAI(api_key="unused", base_url=str(base), max_retries=0, http_client=cast("Any", http))
    headers: dict[str, Any] = {
        name: openai.Omit() for name in sdk.default_headers if not name.lower().startswith(_ITS_OWN)
    }
    headers["Authorization"] = f"Bearer {key}" if key else openai.Omit()
    ask = cast("Any", sdk.chat.completions.with_streaming_response.create)
    try:
        with ask(**body, timeout=left, extra_headers=headers) as answer:
            yield answer
    except openai.APIStatusError as error:
        yield cast("Streamed", error.response)
    except openai.APIConnectionError as error:
        cause = error.__cause__
        raise cause if isinstance(cause, httpx.HTTPError) else httpx.TransportError(type(cause).__name__) from error
