"""A host of an agent, as a process: it tells the events of a script to the memory, and says each that it has told.

`python agent_host.py SCRIPT DATA FIRST`: the script is JSON lines, FIRST is the number of the event to begin with. What
is recalled it puts into the user's message, and keeps the whole in its transcript, as hosts do.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from mnemopi.backends import resolve_backend
from mnemopi.backends.session import Session
from mnemopi.model.session import Effect, Message, SessionRef, Turn

PATIENT = dict.fromkeys(("start", "before_prompt", "turn_end", "before_compaction", "end", "enqueue"), 30.0)


def message(told: dict[str, Any], injected: str = "") -> Message:
    return Message(told["entry"], told["role"], f"{injected}{told['text']}", told["at"])


def tell(session: Session, event: dict[str, Any]) -> Effect:
    """Tell one event."""
    said = [message(each) for each in event.get("messages", ())]
    match event["event"]:
        case "start":
            return session.start(event["reason"])
        case "turn":
            effect = session.before_prompt(said[0])
            block = "".join(f"{each.text}\n\n" for each in effect.blocks)
            session.turn_end(Turn((message(event["messages"][0], block), *said[1:])))
            return effect
        case "compact":
            return session.before_compaction(said)
        case "end":
            return session.end()
    raise AssertionError(event)


def main() -> None:
    script, data, first = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    events = [json.loads(line) for line in script.read_text().splitlines()]
    backend = resolve_backend(
        {"memory.backend": "mnemopi", "storage.data_dir": data, "embedding.enabled": False, "write.settle": "inline"}
    )
    sessions: dict[str, Session] = {}
    for number, event in enumerate(events[first:], first):
        ref = SessionRef("host", event["session"], event["cwd"], event.get("parent"))
        session = sessions.setdefault(event["session"], Session(backend, ref, deadlines=PATIENT))
        effect = tell(session, event)
        told = {"event": number, "degraded": effect.degraded, "tokens": sum(each.tokens for each in effect.blocks)}
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
    for session in sessions.values():
        session.close()
    backend.close()


if __name__ == "__main__":
    main()
