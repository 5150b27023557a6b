"""What the server says of itself: health, version, figures for Prometheus, and what stands where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from starlette.requests import Request
from starlette.responses import Response

from mnemopi.errors import MnemopiError
from mnemopi.http import respond
from mnemopi.http.operation import JSON, Call, Operation, Reply
from mnemopi.http.work import Work
from mnemopi.tools.caller import Caller
from mnemopi.tools.tool import Output

DESCRIPTION: Final = "/api/v1/openapi.json"
PROMETHEUS: Final = "text/plain; version=0.0.4"
_PLACES: Final[Mapping[str, str]] = {
    "mcp": "/mcp",
    "rest": "/api/v1",
    "openapi": DESCRIPTION,
    "health": "/health",
    "version": "/version",
    "metrics": "/metrics",
}


class Links(Output):
    """What stands where."""

    name: str
    links: dict[str, str]


class Health(Output):
    """Whether the server answers."""

    status: str


class Version(Output):
    """Which program this is, and what it speaks."""

    name: str
    version: str
    api: str
    mcp: list[str]


def version() -> str:
    """Return the version of this program."""
    from importlib import metadata  # noqa: PLC0415 -- reads the file system

    return metadata.version("mnemopi")


def links(_: Call) -> Reply:
    """Say what stands where."""
    return Reply(Links(name="mnemopi", links=dict(_PLACES)))


def health(_: Call) -> Reply:
    """Say that the server answers."""
    return Reply(Health(status="ok"))


def spoken(_: Call) -> Reply:
    """Say which version this is."""
    speaks = [*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS]
    return Reply(Version(name="mnemopi", version=version(), api="v1", mcp=speaks))


async def metrics(request: Request, call: Call) -> Response:
    """Send the figures of this process and of the banks that are open here."""
    work: Work = request.app.state.work
    counted = dict(work.requests)  # the loop goes on counting meanwhile
    text = await work.run(partial(_told, call.caller, counted, work.in_flight, work.streams))
    return Response(text, media_type=PROMETHEUS, headers={"cache-control": "no-store"})


async def description(request: Request, _: Call) -> Response:
    """Send the description of all operations."""
    return respond.reply(Reply(request.app.state.description), 200)


def _told(caller: Caller, requests: Mapping[tuple[str, int], int], in_flight: int, streams: int) -> str:
    lines = _figure("mnemopi_info", "gauge", "Which version this is.", [({"version": version()}, 1)])
    lines += _figure(
        "mnemopi_http_requests_total",
        "counter",
        "Requests that were answered, by method and status.",
        [({"method": method, "status": status}, number) for (method, status), number in sorted(requests.items())],
    )
    lines += _figure("mnemopi_http_requests_in_flight", "gauge", "Requests being answered.", [({}, in_flight)])
    lines += _figure("mnemopi_http_event_streams", "gauge", "Open streams of events.", [({}, streams)])
    seen = [name for name in caller.engines.opened if caller.only is None or name in caller.only]
    told = {name: stats for name in seen if (stats := _stats(caller, name)) is not None}
    for name, (words, *keys) in _COUNTED.items():
        rows = [({"bank": bank}, _number(stats, keys)) for bank, stats in sorted(told.items())]
        lines += _figure(f"mnemopi_bank_{name}", "gauge", words, rows)
    return "\n".join(lines) + "\n"


_COUNTED: Final = {
    "memories": ("Memories in force.", "total_memories"),
    "facts": ("Facts in force.", "facts", "in_force"),
    "pending": ("Memories that wait for a vector.", "embeddings", "pending"),
    "unread": ("Memories that wait for a language model.", "extraction", "waiting"),
    "unslept": ("Memories that wait for sleep.", "sleep", "waiting"),
    "bytes": ("Size of the bank's file.", "bytes"),
}
"""Name of a figure to its words, and where it stands in the counts of a bank."""


def _stats(caller: Caller, bank: str) -> dict[str, Any] | None:
    try:
        return caller.bank(bank).stats()
    except MnemopiError:
        return None  # renamed, deleted or damaged: it has no figures now


def _number(stats: Any, keys: Sequence[str]) -> Any:
    for key in keys:
        stats = stats[key]
    return stats


def _figure(name: str, kind: str, words: str, rows: Sequence[tuple[Mapping[str, object], Any]]) -> list[str]:
    return [f"# HELP {name} {words}", f"# TYPE {name} {kind}", *_rows(name, rows)] if rows else []


def _rows(name: str, rows: Sequence[tuple[Mapping[str, object], Any]]) -> Iterator[str]:
    for labels, number in rows:
        shown = ",".join(f'{label}="{_escaped(str(value))}"' for label, value in labels.items())
        yield f"{name}{{{shown}}} {number}" if shown else f"{name} {number}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


OPERATIONS: Final = (
    Operation("GET", "/", "readLinks", "Say what stands where.", "read", Links, links, tag="server"),
    Operation(
        "GET",
        DESCRIPTION,
        "readDescription",
        "Describe all operations.",
        "read",
        {JSON: "An OpenAPI document."},
        serve=description,
        tag="server",
    ),
    Operation("GET", "/health", "readHealth", "Say that the server answers.", "read", Health, health, tag="server"),
    Operation("GET", "/version", "readVersion", "Say which version this is.", "read", Version, spoken, tag="server"),
    Operation(
        "GET",
        "/metrics",
        "readMetrics",
        "Send figures of this process and of the banks that are open in it.",
        "read",
        {PROMETHEUS: "The text format of Prometheus."},
        serve=metrics,
        media=PROMETHEUS,
        tag="server",
    ),
)
OPEN: Final = frozenset({"/", "/health"})
"""Paths that need no token: they say nothing of anybody's."""
