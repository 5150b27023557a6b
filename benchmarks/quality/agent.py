"""What the backend `mnemopi` keeps and recalls of conversations: `python -m benchmarks.quality.agent [SET]`.

Over the banks of a set, each conversation told message by message as a session, without and with an embedder:

- R@10 of the questions, against the same texts stored by `remember_many`: what is lost by capture;
- of a prompt that the bank holds the answer to, whether what is put before the model has it, and how many memories that
  are; of prompts that nothing in the bank serves (questions of other conversations, and what one says to a coding agent
  all day), how many had something put before the model: at most 1 in 10.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from benchmarks.quality import sets
from mnemopi import Mnemopi
from mnemopi.backends import resolve_backend
from mnemopi.backends.mnemopi.backend import MnemopiBackend
from mnemopi.model.session import Message, SessionRef, Turn

PATIENT: Final = 600.0
TOP: Final = 10
OTHERS: Final = 40
"""Questions of other conversations that are asked of each bank."""
CHORES: Final = (
    "Thanks!",
    "go on",
    "continue please",
    "Looks good, merge it",
    "Undo the last change",
    "Fix the failing test in parser.py",
    "Refactor this function so it is easier to read",
    "Add type hints to the new module",
    "Run the linter and show me the errors",
    "Can you rename the variable x to count everywhere?",
    "Commit this with a good message",
    "Why does this loop never end?",
    "Open a pull request",
    "Make the button blue",
    "How do I reverse a list in Python?",
    "Summarize the file README.md",
    "What is 17 times 23?",
    "Explain what a monad is",
    "Translate this sentence into French",
    "Write a haiku about autumn leaves",
)


def main() -> int:
    """Print the figures of a set."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.agent", description=__doc__)
    parser.add_argument("name", nargs="?", default=sets.MEASURED_ONLY)
    parser.add_argument("--embedder", choices=("none", "static"), default="none")
    parser.add_argument("--groups", type=int, default=5, help="how many conversations of the set")
    options = parser.parse_args()
    try:
        groups, queries = sets.load(options.name)
    except sets.NoData as error:
        print(f"skipped: {error}")
        return 0
    names = [name for name in groups if len(groups[name]) >= TOP][: options.groups]
    rows = [_measured(groups[name], name, names, queries, options.embedder) for name in names]
    _show(options.name, options.embedder, rows)
    path = sets.ROOT / "benchmarks" / "logs" / f"agent-{options.name}-{options.embedder}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return 0


def _measured(
    items: Sequence[Any], name: str, names: Sequence[str], queries: Sequence[Any], embedder: str
) -> dict[str, Any]:
    """Tell one conversation both ways and ask."""
    mine = [query for query in queries if query.group == name]
    others = [query.text for query in queries if query.group in names and query.group != name]
    others = random.Random(name).sample(others, min(OTHERS, len(others)))
    with _captured(items, embedder) as (backend, ref), _stored(items, embedder) as plain:
        bank = backend.banks.engine(backend.banks.scope(ref).retain).bank
        ids = {memory.id: str(memory.external_id).partition("#")[0] for memory in bank.page(limit=100_000)}
        own = {memory.id: memory.external_id for memory in plain.page(limit=100_000)}
        asked = SessionRef("bench", "asking", ref.cwd)
        shown = [_shown(backend, asked, query.id, query.text) for query in mine]
        return {
            "group": name,
            "questions": len(mine),
            "captured": _recall_at(bank.recall, ids, mine),
            "stored": _recall_at(plain.recall, own, mine),
            "served": [
                any(ids.get(each) in query.gold for each in seen) for query, seen in zip(mine, shown, strict=True)
            ],
            "memories": [len(seen) for seen in shown],
            "others": [bool(_shown(backend, asked, f"other {n}", text)) for n, text in enumerate(others)],
            "chores": [bool(_shown(backend, asked, f"chore {n}", text)) for n, text in enumerate(CHORES)],
        }


@contextmanager
def _captured(items: Sequence[Any], embedder: str) -> Iterator[tuple[MnemopiBackend, SessionRef]]:
    """Tell a conversation to the backend, a session of the host for each of its sessions."""
    provider = {"embedding.enabled": False} if embedder == "none" else {"embedding.provider": embedder}
    with tempfile.TemporaryDirectory() as folder:
        settings = {"memory.backend": "mnemopi", "storage.data_dir": folder, "write.settle": "off", **provider}
        with closing(resolve_backend(settings)) as backend:
            assert isinstance(backend, MnemopiBackend)
            project = Path(folder, "project")
            project.mkdir()
            for session in dict.fromkeys(str(item.session) for item in items):
                ref = SessionRef("bench", session, str(project))
                told = [item for item in items if str(item.session) == session and item.text.strip()]
                for item in told:
                    message = Message(item.id, "user", item.text, author=item.speaker or None)
                    backend.turn_end(ref, Turn((message,)), deadline=PATIENT)
            if embedder != "none":
                backend.enqueue(ref)
                backend.start(ref, "startup", deadline=PATIENT)
                backend.end(ref, deadline=PATIENT)  # waits until the model is loaded
            yield backend, ref


@contextmanager
def _stored(items: Sequence[Any], embedder: str) -> Iterator[Any]:
    """Store the same texts by `remember_many`."""
    options: dict[str, Any] = {"no_embeddings": True} if embedder == "none" else {}
    config = {"write.settle": "off"} | ({} if embedder == "none" else {"embedding.provider": embedder})
    with Mnemopi(":memory:", config=config, **options) as memory:
        memory.remember_many(
            {
                "content": item.text,
                "session_id": str(item.session),
                "external_id": item.id,
                "author_id": item.speaker or None,
            }
            for item in items
            if item.text.strip()
        )
        memory.settle()
        yield memory.bank


def _recall_at(recall: Any, ids: dict[str, Any], queries: Sequence[Any]) -> float:
    """The share of gold found in the top ten, averaged over the questions."""
    shares = []
    for query in queries:
        found = {ids.get(hit.id) for hit in recall(query.text, TOP)}
        shares.append(len(found & set(query.gold)) / len(set(query.gold)))
    return sum(shares) / max(len(shares), 1)


def _shown(backend: MnemopiBackend, ref: SessionRef, entry: str, text: str) -> list[str]:
    """Return the memories that are put before the model for a prompt, in a session of its own."""
    one = SessionRef(ref.host, f"{ref.id} {entry}", ref.cwd)
    effect = backend.before_prompt(one, Message(entry, "user", text), (), deadline=PATIENT)
    lines = [line for block in effect.blocks for line in block.text.splitlines()]
    return [line[3:].partition(",")[0] for line in lines if line.startswith("- [")]


def _show(name: str, embedder: str, rows: Sequence[dict[str, Any]]) -> None:
    count = sum(row["questions"] for row in rows)
    captured, stored = (sum(row[part] * row["questions"] for row in rows) / count for part in ("captured", "stored"))
    print(f"\n{name}, embedder {embedder}: {count} questions to {len(rows)} conversations")
    print(f"R@10 captured {captured:.3f}, stored {stored:.3f}: {_verdict(captured >= stored - 0.02)} (within .02)")
    for part in ("served", "memories", "others", "chores"):
        values = [float(value) for row in rows for value in row[part]]
        print(f"{part:10s} {sum(values) / max(len(values), 1):.3f} of {len(values)}")
    false = [value for row in rows for part in ("others", "chores") for value in row[part]]
    share = sum(false) / len(false)
    print(f"injected where nothing serves: {share:.3f} of {len(false)}: {_verdict(share <= 0.1)} (at most .1)")


def _verdict(holds: bool) -> str:
    return "ok" if holds else "over"


if __name__ == "__main__":
    sys.exit(main())
