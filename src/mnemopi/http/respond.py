"""A reply as a response: compact JSON."""

from __future__ import annotations

import json
from typing import Final

from starlette.responses import Response

from mnemopi.http.operation import JSON, Reply
from mnemopi.tools.tool import Output

_HEADERS: Final = {"cache-control": "no-store"}


def reply(told: Reply, status: int) -> Response:
    """Render a reply; `status` is the one of the operation, where the reply has none of its own."""
    code = status if told.status is None else told.status
    headers = {**_HEADERS, **told.headers}
    if told.told is None:
        return Response(None, code, headers)
    content = told.told.as_dict() if isinstance(told.told, Output) else told.told
    body = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Response(body.encode("utf-8", "backslashreplace"), code, headers, JSON)
