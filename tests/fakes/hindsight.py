"""A small server that answers as Hindsight does, for tests: the routes that the backend uses, in memory, on loopback.

It is written after what the real server was seen to do: documents are replaced or appended to by their id, an operation
id that comes again does nothing, tags are matched as the real ones are. A memory is a sentence of a document, and is
found by the words that it shares with the query. What goes wrong is set by attributes.
"""

from __future__ import annotations

import json
import re
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

NOW = "2026-05-01T12:00:00+00:00"
WORD = re.compile(r"[a-z0-9]+")


class FakeHindsight:
    """The server. `requests` are (method, path, body) of all that came in."""

    def __init__(self, token: str = "") -> None:
        self.token = token
        self.fail_with: int | None = None
        """Answer everything with this status."""
        self.refuse: int | None = None
        """Answer retains with this status."""
        self.delay = 0.0
        """Seconds before each answer."""
        self.lose_answers = False
        """Do what is asked, and hang up."""
        self.retry_after: str | None = None
        self.requests: list[tuple[str, str, Any]] = []
        self.banks: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The address."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        """End."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def documents(self, bank: str = "omp") -> dict[str, dict[str, Any]]:
        """The documents of a bank by id."""
        return self.banks.get(bank, {}).get("documents", {})

    def seen(self, method: str, ending: str) -> list[Any]:
        """The bodies of requests of a method whose path ends so."""
        return [body for verb, path, body in self.requests if verb == method and path.endswith(ending)]

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: Any) -> tuple[int, Any]:
        """Do what is asked, and return status and value."""
        with self._lock:
            parts = [unquote(part) for part in path.strip("/").split("/")]
            assert parts[:3] == ["v1", "default", "banks"], path
            bank, rest = parts[3], parts[4:]
            made = method == "PUT" and not rest
            created = made or (method == "POST" and rest in (["memories"], ["mental-models"]))
            if bank not in self.banks:
                if not created:
                    return 404, {"detail": f"Bank '{bank}' not found"}
                self.banks[bank] = {"documents": {}, "models": {}, "operations": set(), "missions": {}}
            held = self.banks[bank]
            if made:
                held["missions"] |= body
                return 200, {"bank_id": bank, "name": bank, "disposition": {}, "mission": ""}
            route = getattr(self, f"_{method.lower()}_{rest[0].replace('-', '_')}")
            return route(held, rest[1:], query, body)

    def _post_memories(self, held: Any, rest: list[str], query: Any, body: Any) -> tuple[int, Any]:
        if rest == ["recall"]:
            return 200, {"results": _found(held, body)}
        if self.refuse:
            return self.refuse, {"detail": "not this one"}
        operation = body.get("operation_id")
        if operation not in held["operations"]:
            held["operations"].add(operation)
            for item in body["items"]:
                _store(held["documents"], item)
        told = {"success": True, "bank_id": "", "items_count": len(body["items"]), "async": body.get("async", False)}
        return 200, told | {"operation_id": operation}

    def _post_reflect(self, held: Any, rest: list[str], query: Any, body: Any) -> tuple[int, Any]:
        found = _found(held, body)
        text = " ".join(each["text"] for each in found)
        return 200, {"text": text, "based_on": {"memories": found, "mental_models": [], "directives": []}}

    def _get_documents(self, held: Any, rest: list[str], query: Any, body: Any) -> tuple[int, Any]:
        if rest:
            document = held["documents"].get("/".join(rest))
            return (200, document) if document else (404, {"detail": "Document not found"})
        wanted = set(query.get("tags", []))
        items = [each for each in held["documents"].values() if wanted <= set(each["tags"])]
        offset, limit = int(query["offset"][0]), int(query["limit"][0])
        page = [{key: each[key] for key in ("id", "tags")} for each in items[offset : offset + limit]]
        return 200, {"items": page, "total": len(items), "limit": limit, "offset": offset}

    def _delete_documents(self, held: Any, rest: list[str], query: Any, body: Any) -> tuple[int, Any]:
        gone = held["documents"].pop("/".join(rest), None)
        return (200, {"success": True}) if gone else (404, {"detail": "Document not found"})

    def _get_stats(self, held: Any, rest: list[str], query: Any, body: Any) -> tuple[int, Any]:
        return 200, {"total_documents": len(held["documents"]), "total_nodes": 0, "pending_operations": 0}

    def _get_mental_models(self, held: Any, rest: list[str], query: Any, body: Any) -> tuple[int, Any]:
        models = held["models"]
        if not rest:
            return 200, {"items": list(models.values()), "total": len(models), "limit": 1000, "offset": 0}
        if rest[0] not in models:
            return 404, {"detail": "Mental model not found"}
        return 200, models[rest[0]]["history"] if rest[1:] == ["history"] else models[rest[0]]

    def _post_mental_models(self, held: Any, rest: list[str], query: Any, body: Any) -> tuple[int, Any]:
        models = held["models"]
        if rest:
            if rest[0] not in models:
                return 404, {"detail": "Mental model not found"}
            return 200, {"operation_id": "1", "status": "queued"}
        if body["id"] in models:
            return 409, {"detail": "exists"}
        models[body["id"]] = {**body, "content": "", "last_refreshed_at": None, "history": []}
        return 200, {"mental_model_id": body["id"], "operation_id": "1"}

    def _delete_mental_models(self, held: Any, rest: list[str], query: Any, body: Any) -> tuple[int, Any]:
        gone = held["models"].pop(rest[0], None)
        return (200, {"success": True}) if gone else (404, {"detail": "Mental model not found"})


def _store(documents: dict[str, dict[str, Any]], item: dict[str, Any]) -> None:
    id, old = item["document_id"], documents.get(item["document_id"])
    text = item["content"]
    if item.get("update_mode") == "append" and old:
        text = f"{old['original_text']}\n{text}"
    documents[id] = {
        "id": id,
        "original_text": text,
        "tags": item.get("tags", []),
        "document_metadata": item.get("metadata", {}),
        "retain_params": {"context": item.get("context"), "timestamp": item.get("timestamp")},
        "created_at": NOW,
    }


def _found(held: Any, body: Any) -> list[dict[str, Any]]:
    """Return the sentences that share a word with the query, most words first."""
    asked = set(WORD.findall(body["query"].lower()))
    wanted = set(body.get("tags") or ())
    scored = []
    for document in held["documents"].values():
        tags = set(document["tags"])
        if wanted and tags and not wanted & tags:
            continue
        lines = (line.strip() for line in document["original_text"].splitlines())
        for line in (line for line in lines if line and not line.startswith("[")):
            shared = asked & set(WORD.findall(line.lower()))
            if shared:
                scored.append((-len(shared), line, document["id"]))
    return [
        {"id": f"{id}#{line}", "text": line, "type": "world", "mentioned_at": NOW, "document_id": id}
        for _, line, id in sorted(scored)[:20]
    ]


def _handler(fake: FakeHindsight) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *arguments: object) -> None:
            pass

        def _serve(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = json.loads(content) if content else None
            address = urlsplit(self.path)
            fake.requests.append((self.command, unquote(address.path), body))
            if fake.delay:
                time.sleep(fake.delay)
            if fake.fail_with:
                return self._send(fake.fail_with, {"detail": "out of order"})
            if fake.token and self.headers.get("Authorization") != f"Bearer {fake.token}":
                return self._send(401, {"detail": "Authentication failed: Invalid API key"})
            status, value = fake.answer(self.command, address.path, parse_qs(address.query), body)
            if fake.lose_answers:
                self.close_connection = True
                return None
            return self._send(status, value)

        def _send(self, status: int, value: Any) -> None:
            content = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            if fake.retry_after:
                self.send_header("Retry-After", fake.retry_after)
            with suppress(ConnectionError):  # who asked may have gone
                self.end_headers()
                self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _serve

    return Handler
