"""A client for Python, with methods of `Mnemopi` and its values; errors come back as the classes they were.

    with Client("http://127.0.0.1:8377", token=...) as memory:
        memory.remember("The staging database moves to Frankfurt")

One client may be used from many threads. What the library answers at once, this asks a server for: each method is one
request, but `remember_many` (one a batch), `pages` and `follow`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from mnemopi.errors import StorageError, UnavailableError, UsageError
from mnemopi.http import sending, values
from mnemopi.http.refusals import NoMemoryError
from mnemopi.ingest.draft import When
from mnemopi.model import numbers
from mnemopi.model.hit import Hits
from mnemopi.model.memory import Erasure, Event, Loaded, Memory, Receipt

if TYPE_CHECKING:
    import httpx

_API: Final = "/api/v1"
_BATCH: Final = 500
_NDJSON: Final = {"content-type": "application/x-ndjson"}


class Client:
    """Long-term memory behind a server.

    Args:
        url: where the server is, such as `http://127.0.0.1:8377`.
        token: what `mnemopi token create` printed, or what stands in the owner's file; None: over a unix socket.
        bank: the bank to work on; by default the server's, or the token's.
        session_id, author_id, author_type, channel_id: who acts.
        socket: path of a unix socket to connect to; `url` then only names the host.
        timeout: seconds to wait for an answer.
        verify: whether certificates are checked, or a file of those that are trusted.

    Raises MnemopiError kinds as `Mnemopi` does, UnavailableError where no server answers.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8377",
        *,
        token: str | None = None,
        bank: str | None = None,
        session_id: str | None = None,
        author_id: str | None = None,
        author_type: str | None = None,
        channel_id: str | None = None,
        socket: str | Path | None = None,
        timeout: float = 60.0,
        verify: bool | str = True,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        import httpx  # noqa: PLC0415

        self.bank = bank
        who = {
            "mnemopi-session": session_id,
            "mnemopi-author": author_id,
            "mnemopi-author-type": author_type,
            "mnemopi-channel": channel_id,
        }
        headers = {name: sending.quoted(value, name) for name, value in who.items() if value is not None}
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        if transport is None and socket is not None:
            transport = httpx.HTTPTransport(uds=str(socket))
        self._http = httpx.Client(
            base_url=url, headers=headers, timeout=timeout, transport=transport, verify=_trust(verify)
        )

    # -- writing

    def remember(self, content: str, **options: Any) -> Receipt:
        """Store one memory; options as for `Mnemopi.remember`."""
        told = self._post("/memories", sending.draft({"content": content, **options}) | self._place())
        return values.receipt(told)

    def remember_many(
        self,
        items: Iterable[Mapping[str, Any]],
        batch_size: int = _BATCH,
        on_batch: Callable[[Sequence[Receipt]], None] | None = None,
    ) -> list[Receipt]:
        """Store many, one request and transaction a batch; `on_batch` is the acknowledgement.

        A batch is smaller than `batch_size` where its texts are long: a server takes no body of any size.
        """
        batch_size = numbers.whole(batch_size, "batch_size", 1, 1000)
        receipts: list[Receipt] = []
        for batch in sending.batches(items, batch_size):
            told = self._post("/batches", {"items": batch} | self._place())
            done = [values.receipt(each) for each in told["receipts"]]
            receipts += done
            if on_batch is not None:
                on_batch(done)
        return receipts

    def update(
        self,
        id: str,
        content: str | None = None,
        importance: float | None = None,
        *,
        pinned: bool | None = None,
        expected_version: int | None = None,
    ) -> Receipt:
        """Replace text, importance or pin; PreconditionError, a ChangedError, where the version is another."""
        change = {"content": content, "importance": importance, "pinned": pinned}
        headers = sending.if_match(expected_version)
        body = {name: value for name, value in change.items() if value is not None}
        return values.receipt(
            self._asked("PATCH", sending.memory(id), json=body, headers=headers, params=self._place())
        )

    def pin(self, id: str) -> Receipt:
        """Make a memory part of `context` always."""
        return self.update(id, pinned=True)

    def unpin(self, id: str) -> Receipt:
        """Make a memory part of `context` only where it is asked for."""
        return self.update(id, pinned=False)

    def invalidate(
        self,
        id: str,
        replacement: str | None = None,
        *,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Receipt:
        """Hide a memory from recall, and name what replaces it."""
        body, headers = {"replacement": replacement, "reason": reason}, sending.if_match(expected_version)
        path = f"{sending.memory(id)}/invalidation"
        return values.receipt(self._asked("POST", path, json=body, headers=headers, params=self._place()))

    def undo(self, id: str, *, reason: str | None = None) -> Receipt:
        """Take back the last change of a memory."""
        return values.receipt(
            self._asked("POST", f"{sending.memory(id)}/undo", json={"reason": reason}, params=self._place())
        )

    def forget(self, id: str, *, expected_version: int | None = None) -> Erasure:
        """Erase a memory for good."""
        headers = sending.if_match(expected_version)
        return values.erasure(self._asked("DELETE", sending.memory(id), headers=headers, params=self._place()))

    # -- reading

    def recall(self, query: str, top_k: int = 5, **options: Any) -> Hits:
        """Find memories, best first; options as for `Mnemopi.recall`."""
        asked = {"query": query, "top_k": top_k} | sending.given(options)
        return values.hits(self._post("/search", asked | self._place()))

    def context(
        self,
        query: str | None = None,
        budget: int = 4000,
        *,
        min_score: float | None = None,
        rerank: bool | None = None,
    ) -> str:
        """Return a block of text for a prompt, within `budget` characters."""
        told = self.call("context", query=query, budget=budget, min_score=min_score, rerank=rerank)
        return str(told["context"])

    def get(self, id: str, *, version: int | None = None, as_of: When | None = None) -> Memory | None:
        """Return a memory whole, or None."""
        asked = {"version": version, "as_of": as_of}
        try:
            return values.memory(self._asked("GET", sending.memory(id), params=asked | self._place()))
        except NoMemoryError:
            return None

    def page(self, after: int = 0, limit: int = 100, **filters: Any) -> list[Memory]:
        """Return memories in the order of their recording. `after` is the `rowkey` of the last one before."""
        found, _ = self._page(after, limit, filters)
        return found

    def pages(self, limit: int = 500, **filters: Any) -> Iterator[Memory]:
        """Yield all memories in the order of their recording, page by page."""
        following: int | None = 0
        while following is not None:
            found, following = self._page(following, limit, filters)
            yield from found

    def history(self, id: str) -> list[Event]:
        """Return what happened to a memory or fact, the oldest first."""
        told = self._asked("GET", f"{sending.memory(id)}/history", params=self._place())
        return [values.event(each) for each in told["events"]]

    def events(self, after: str | None = None, limit: int = 1000) -> list[Event]:
        """Return the journal in order, after the event with that cursor."""
        told = self._asked("GET", "/journal", params={"after": after, "limit": limit} | self._place())
        return [values.event(each) for each in told["events"]]

    def follow(self, after: str | None = None) -> Iterator[Event]:
        """Yield events as they happen, until the server ends the stream; `after` as in the stream's own query."""
        with self._streamed("/events", {"after": after} | self._place(), timeout=None) as answer:
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    yield values.event(json.loads(line.removeprefix("data: ")))

    def stats(self) -> dict[str, Any]:
        """Return counts, modes and coverage."""
        return dict(self.call("stats")["stats"])

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool of the catalog by its name, with or without `mnemopi_`; it tells what an agent is told."""
        name = tool if tool.startswith("mnemopi_") else f"mnemopi_{tool}"
        return dict(self._post(f"/tools/{sending.quoted(name, 'a tool')}", sending.given(self._place() | arguments)))

    # -- whole banks

    @property
    def banks(self) -> BankList:
        """The banks that the token may see: `list`, `create`, `rename`, `delete`."""
        return BankList(self._asked)

    def export(self, target: str | Path) -> dict[str, int]:
        """Write everything of the bank to a file of JSON lines here, and return the counts of its manifest."""
        from mnemopi.transfer import export  # noqa: PLC0415

        with self._streamed("/export", self._place()) as answer, export.appearing(Path(target)) as file:
            head = ""
            for piece in answer.iter_text():  # not by lines: httpx knows more ends of lines than JSON lines have
                head = head if "\n" in head else head + piece
                file.write(piece)
        return dict(json.loads(head.partition("\n")[0])["counts"])

    def load(
        self,
        source: str | Path | Iterable[str],
        *,
        force: bool = False,
        skip_bad: bool = False,
        confirm: str | None = None,
    ) -> Loaded:
        """Take in an export, all or nothing.

        With `force`, UnconfirmedError says what would be overwritten and holds the token for `confirm`.
        """
        params = {"force": force, "skip_bad": skip_bad, "confirm": confirm} | self._place()
        told = self._asked("POST", "/import", content=sending.lines(source), headers=_NDJSON, params=params)
        return values.loaded(told)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- within

    def _place(self) -> dict[str, Any]:
        return {} if self.bank is None else {"bank": self.bank}

    def _page(self, after: int, limit: int, filters: Mapping[str, Any]) -> tuple[list[Memory], int | None]:
        told = self._asked("GET", "/memories", params={**filters, "after": after, "limit": limit} | self._place())
        return [values.memory(each) for each in told["memories"]], told.get("next")

    def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._asked("POST", path, json=body)

    def _asked(
        self, method: str, path: str, *, params: Mapping[str, Any] | None = None, **given: Any
    ) -> dict[str, Any]:
        with self._answered():
            answer = self._http.send(self._request(method, path, params or {}, **given))
        values.check(answer.status_code, answer.read)
        return dict(answer.json())

    @contextmanager
    def _streamed(self, path: str, params: Mapping[str, Any], **given: Any) -> Iterator[httpx.Response]:
        with self._answered():
            answer = self._http.send(self._request("GET", path, params, **given), stream=True)
            try:
                values.check(answer.status_code, answer.read)
                yield answer
            finally:
                answer.close()

    def _request(self, method: str, path: str, params: Mapping[str, Any], **given: Any) -> httpx.Request:
        """Write a request. Raises UsageError for what no request can carry, as the library does for what it cannot."""
        if self._http.is_closed:
            raise StorageError("the client is closed", hint="open a new Client")
        try:
            return self._http.build_request(method, f"{_API}{path}", params=sending.given(params), **given)
        except (TypeError, ValueError, RecursionError) as error:
            raise UsageError(f"this cannot be sent as JSON: {sending.why(error)}") from error

    @contextmanager
    def _answered(self) -> Iterator[None]:
        """Raise UnavailableError where no server answers, or one breaks off."""
        import httpx  # noqa: PLC0415

        try:
            yield
        except httpx.HTTPError as error:
            raise UnavailableError(
                f"no answer from {self._http.base_url}: {error}", hint="does it run there?"
            ) from error


class BankList:
    """The banks behind a server."""

    def __init__(self, asked: Callable[..., Any]) -> None:
        self._asked = asked

    def list(self) -> list[str]:
        """Return the names of the banks that the token may see, the default one first."""
        return list(self._asked("GET", "/banks")["banks"])

    def create(self, name: str) -> None:
        """Make an empty bank. Raises ExistsError."""
        self._asked("POST", "/banks", json={"name": name})

    def rename(self, old: str, new: str) -> None:
        """Give a bank another name."""
        self._asked("PATCH", sending.bank(old), json={"name": new})

    def delete(self, name: str, *, confirm: str | None = None) -> None:
        """Delete a bank; UnconfirmedError says what would go, and holds the token for `confirm`."""
        self._asked("DELETE", sending.bank(name), params={"confirm": confirm})


def _trust(verify: bool | str) -> Any:
    """A file of certificates becomes what the transport takes."""
    if isinstance(verify, bool):
        return verify
    import ssl  # noqa: PLC0415

    return ssl.create_default_context(cafile=verify)
