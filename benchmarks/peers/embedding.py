"""One server of vectors for all peers, on the loopback interface, in OpenAI's form."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from mnemopi.ports import Embedder


@contextmanager
def served(embedder: Embedder | None) -> Iterator[str]:
    """Serve an embedder as long as the block lasts; yields the URL, empty where there is nothing to serve."""
    if embedder is None:
        yield ""
        return

    one_at_a_time = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked: Any = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            texts = [asked["input"]] if isinstance(asked["input"], str) else list(asked["input"])
            with one_at_a_time:
                rows = embedder.embed_documents(texts).tolist() if texts else []
            data = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)]
            answer = {"object": "list", "model": "benchmark", "data": data, "usage": {"total_tokens": 0}}
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body)
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Say nothing: the standard error is for what went wrong."""

    class Server(ThreadingHTTPServer):
        request_queue_size = 1024  # a peer may ask for hundreds at once, and a connection refused is a vector less
        daemon_threads = True

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, name="benchmark-vectors", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
