"""An error as a problem document (RFC 9457): type, title, status and detail, then code, hint and what else it says."""

from __future__ import annotations

import json
import logging
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.responses import Response

from mnemopi.errors import MnemopiError
from mnemopi.http.refusals import MethodError, NoSuchPathError, TooOftenError, UnauthorizedError

MEDIA: Final = "application/problem+json"
TYPE: Final = "urn:mnemopi:error:"
"""What the type of a problem begins with; its code follows."""
_LOG: Final = logging.getLogger(__name__)


def document(error: MnemopiError) -> dict[str, Any]:
    """Render an error for programs."""
    told = error.as_dict()
    return {
        "type": f"{TYPE}{error.code}",
        "title": title(type(error)),
        "status": error.http_status,
        "detail": told.pop("message"),
        **told,
    }


def title(kind: type[MnemopiError]) -> str:
    """Return the words of a kind of error, the same for each of it."""
    return (kind.__doc__ or "").strip().splitlines()[0].rstrip(".")


def response(error: Exception) -> Response:
    """Answer with an error. What is none of ours is logged by its kind and place; what it says may hold content."""
    told = known(error)
    headers = {"cache-control": "no-store"}
    if isinstance(told, UnauthorizedError):
        headers["www-authenticate"] = 'Bearer realm="mnemopi"'
    if isinstance(told, TooOftenError):
        headers["retry-after"] = str(told.retry_after)
    if isinstance(told, MethodError) and told.allow:
        headers["allow"] = told.allow
    body = json.dumps(document(told), ensure_ascii=True, separators=(",", ":"))
    return Response(body, told.http_status, headers, MEDIA)


def known(error: Exception) -> MnemopiError:
    """Return the error as one of the tree."""
    if isinstance(error, MnemopiError):
        return error
    if isinstance(error, HTTPException):
        if error.status_code == NoSuchPathError.http_status:
            return NoSuchPathError(hint="/api/v1/openapi.json describes what is here")
        return MnemopiError(f"HTTP {error.status_code}")
    _LOG.error("unexpected %s at %s", type(error).__name__, _place(error))
    return MnemopiError(f"unexpected {type(error).__name__}", hint="the server's log says where")


def _place(error: Exception) -> str:
    trace, place = error.__traceback__, "nowhere"
    while trace is not None:
        place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
