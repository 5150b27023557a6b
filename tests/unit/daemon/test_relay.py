"""The relay of an agent's lines: peers that end one after the other are not asked for without end."""

from __future__ import annotations

import json
import os
import subprocess
import sys

PROGRAM = """
import os, subprocess, sys
from mnemopi.daemon import relay
made = []
def another():
    made.append(subprocess.Popen([sys.executable, "-I", "-c", "pass"], stdin=-1, stdout=-1))
    return relay.over_pipes(made[-1])
status = relay.Relay(another(), another).run(os.getppid())
for each in made:
    each.wait()
print(len(made), status, file=sys.stderr)
"""


def test_where_each_peer_ends_at_once_the_agent_is_told_so() -> None:
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/list"}
    running = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ,
    )
    assert running.stdin is not None and running.stdout is not None
    running.stdin.write(json.dumps(call).encode() + b"\n")
    running.stdin.flush()
    answer = json.loads(running.stdout.readline())
    _, said = running.communicate(timeout=60)
    assert answer["id"] == 7
    assert "error" in answer
    peers, status = map(int, said.split()[-2:])
    assert peers <= 5
    assert status in (0, 1)


ANSWERING = """
import os, subprocess, sys
from mnemopi.daemon import relay
PEER = "import sys; sys.stdin.readline(); sys.stdin.readline(); print('{\\"id\\": 7, \\"result\\": {}}', flush=True)"
made = subprocess.Popen([sys.executable, "-I", "-c", PEER], stdin=-1, stdout=-1)
relay.Relay(relay.over_pipes(made), lambda: None).run(os.getppid())
"""


def test_a_line_that_is_nested_too_deep_to_be_read_is_passed_on_and_ends_nothing() -> None:
    lines = b"[" * 5000 + b"]" * 5000 + b"\n" + json.dumps({"jsonrpc": "2.0", "id": 7, "method": "x"}).encode() + b"\n"
    done = subprocess.run([sys.executable, "-c", ANSWERING], input=lines, capture_output=True, timeout=60, check=False)
    assert b'"result"' in done.stdout, done.stderr
