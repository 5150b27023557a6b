"""What an agent's session waits for: a prompt's recall, and the end of a turn, beside the bare recall and write.

The bank is warm and the process goes on, as with a host that stays; the 60 turns are of one session.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.speed import corpus
from benchmarks.speed.figures import Figure, Samples, Target, compared, p95, timed
from mnemopi.backends import resolve_backend
from mnemopi.backends.backend import MemoryBackend
from mnemopi.model.session import Message, SessionRef, Turn

PROMPT_TARGET = Target(1.5)
TURNS = 60
_ROUNDS = 3
_PATIENT = 60.0
NOON = 1_780_000_000_000


def agent(folder: Path, counts: Sequence[int], embedder: str) -> list[Figure]:
    """Each size: before_prompt over a bare recall, turn_end over a bare write, and the tokens that a turn adds."""
    found: list[Figure] = []
    for count in counts:
        path = corpus.bank(folder, count, embedder)
        with corpus.opened(path, embedder) as memory, tempfile.TemporaryDirectory() as agent_dir:
            backend = resolve_backend(_settings(embedder, agent_dir), db_path=path)
            try:
                backend.start(SessionRef("bench", "warm", "/"), "startup", deadline=_PATIENT)
                backend.end(SessionRef("bench", "warm", "/"), deadline=_PATIENT)  # waits for what a start begins
                found += _prompts(backend, memory.recall, f"{count:,}, {embedder}")
                found.append(_turns(backend, f"{count:,}, {embedder}"))
            finally:
                backend.close()
    return found


def _settings(embedder: str, agent_dir: str) -> dict[str, Any]:
    provider = {"embedding.enabled": False} if embedder == "none" else {"embedding.provider": embedder}
    return {
        "memory.backend": "mnemopi",
        "memory.agent_dir": agent_dir,
        "storage.data_dir": agent_dir,
        "mnemopi.scoping": "global",
        "write.settle": "off",
        **provider,
    }


def _prompts(backend: MemoryBackend, recall: Callable[..., object], label: str) -> list[Figure]:
    """Each question as a prompt and as a bare recall of as many, in turns."""
    asked = [*corpus.questions("content"), *corpus.questions("mixed")]
    ours: Samples = []
    bare: Samples = []
    for number in range(-1, _ROUNDS):
        ref = SessionRef("bench", f"round {number}", "/")
        for place, question in enumerate(asked):
            prompt = Message(f"e{place}", "user", question, NOON)
            one = timed(lambda p, r=ref: backend.before_prompt(r, p, (), deadline=_PATIENT), prompt)
            other = timed(recall, question, 8)
            if number >= 0:
                ours.append(one)
                bare.append(other)
    return [
        compared(f"before_prompt, {label}", ours, bare, PROMPT_TARGET, tail=True),
        Figure(f"before_prompt, {label}: 95th percentile", p95(ours) / p95(bare), PROMPT_TARGET),
    ]


def _turns(backend: MemoryBackend, label: str) -> Figure:
    """Tokens that are added a turn, over a session that asks something else each turn."""
    ref = SessionRef("bench", "sixty turns", "/")
    asked = [question for kind in corpus.KINDS for question in corpus.questions(kind)][: 2 * TURNS : 2]
    tokens: list[int] = []
    waits: Samples = []
    for number, question in enumerate(asked):
        prompt = Message(f"u{number}", "user", question, NOON)
        answer = Message(f"a{number}", "assistant", f"Done with {number}.", NOON)
        effect = backend.before_prompt(ref, prompt, (), deadline=_PATIENT)
        tokens.append(sum(block.tokens for block in effect.blocks))
        waits.append(timed(lambda p, a: backend.turn_end(ref, Turn((p, a)), deadline=_PATIENT), prompt, answer))
    details: dict[str, float | str] = {
        "most": max(tokens),
        "turns with memory": sum(each > 0 for each in tokens),
        "turn_end p95": f"{p95(waits) * 1e3:.1f} ms",
    }
    return Figure(f"tokens a turn, {label}", sum(tokens) / len(tokens), None, details)
