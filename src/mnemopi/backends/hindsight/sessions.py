"""One session with the server: what each event changes in the ledger, and what is asked of the server."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final

from mnemopi.backends.hindsight import capture, models, scope, shown
from mnemopi.backends.hindsight.client import HindsightClient
from mnemopi.backends.hindsight.ledger import Kept, Ledger, mark
from mnemopi.backends.hindsight.outbox import Health, Outbox, Sent
from mnemopi.backends.hindsight.scope import Scope
from mnemopi.backends.means import Means
from mnemopi.model.session import Message, SessionRef
from mnemopi.projects import identity
from mnemopi.projects.registry import Registry

ORPHAN_MS: Final = 3_600_000
"""A session whose last event is so long ago ended without saying so."""
_DAY_MS: Final = 86_400_000
_HEALTH: Final = ("writes.json", "reads.json")


class Sessions:
    """All sessions of one server, with what they share: its client, its ledger and what is known of its health."""

    def __init__(self, means: Means) -> None:
        """Raises ConfigError."""
        self.config = means.config.hindsight
        self.clock = means.clock
        self.types = scope.types(self.config)
        self.client = HindsightClient(self.config.api_url, self.config.api_token)
        self._zone = means.config.zone
        self._projects = means.config.memory.projects
        self._registry = Registry(means.agent_dir)
        self.folder: Path = means.agent_dir / "hindsight" / mark(self.config.api_url.rstrip("/"))
        self.ledger = Ledger(self.folder, means.clock)
        self.writes, self.reads = (Health(self.folder / "server" / name, means.clock) for name in _HEALTH)
        self.outbox = Outbox(self.ledger, self.client, self.writes, self.config)
        scope.base(self.config)

    @property
    def is_configured(self) -> bool:
        """Whether there is a server to speak to."""
        return bool(self.config.api_url)

    def scope(self, session: SessionRef) -> Scope:
        """Return where a session's memories lie."""
        return scope.of(self.config, self._registry.of(identity.identify(session.cwd, self._projects)))

    def models(self, session: SessionRef, limit: float | None = None) -> models.MentalModels:
        """Return the door to the mental models that a session may see."""
        seconds = self.config.request_timeout_ms / 1000
        return models.MentalModels(self.client, self.scope(session), min(seconds, limit or seconds))

    def keep(self, session: SessionRef, messages: Sequence[Message], *, least_turns: int) -> Kept:
        """Keep messages, and seal what is open where it makes so many turns."""
        by, here = self.sealing(), self.scope(session)

        def change(kept: Kept) -> Kept:
            return capture.sealed(capture.added(capture.within(kept, here, by), messages), by, least_turns=least_turns)

        return self.ledger.change(session, change)

    def seal_orphans(self, session: SessionRef) -> None:
        """Seal what sessions left open that ended without saying so."""
        oldest = self.clock() - ORPHAN_MS
        for name, kept in self.ledger.pending():
            if kept.open and kept.touched < oldest and (kept.host, kept.session) != (session.host, session.id):
                self.ledger.change_named(name, lambda now: capture.sealed(now, self.sealing(), least_turns=0))

    def seal_all(self, here: Scope) -> None:
        """Seal what any session of a scope has open."""
        for name, kept in self.ledger.pending():
            if kept.open and (kept.bank, kept.tags) == (here.bank, here.tags):
                self.ledger.change_named(name, lambda now: capture.sealed(now, self.sealing(), least_turns=0))

    def retry_refused(self) -> None:
        """Let parcels that the server would not have be sent again."""
        for name, kept in self.ledger.sessions():
            if kept.refused:
                self.ledger.change_named(
                    name, lambda now: replace(now, parcels=tuple(replace(each, refused="") for each in now.parcels))
                )

    def prune(self) -> None:
        """Forget sessions that ended long ago, once a day."""
        if self.clock() - int(self.reads.read().get("pruned_at", 0)) >= _DAY_MS:
            self.reads.note(pruned_at=self.clock())
            self.ledger.prune()

    def recall(self, session: SessionRef, query: str, limit: float) -> list[shown.Memory]:
        """Return what the server finds in all that a session may see, best first. Raises ProviderError."""
        here = self.scope(session)
        deadline = time.monotonic() + limit
        body = {
            "query": query,
            "types": self.types or None,
            "budget": self.config.recall_budget,
            "max_tokens": self.config.recall_max_tokens,
            "tags": list(here.recall_tags) or None,
            "tags_match": "any" if here.recall_tags else None,
        }
        found: dict[str, shown.Memory] = {}
        for bank in here.recall_banks:
            left = max(deadline - time.monotonic(), 0.01)
            reply = self.client.send("POST", bank, "memories", "recall", body=body, timeout=left)
            if reply.is_good:
                found |= {memory.id or memory.text: memory for memory in shown.memories(reply.value)}
                self.reads.worked()
            elif reply.status != 404:  # a bank that was never written to
                error = self.client.error("recall", reply)
                if reply.may_pass or reply.is_token:
                    self.reads.failed(reply, str(error))
                raise error
        return list(found.values())

    def load_models(self, session: SessionRef, limit: float) -> str:
        """Return the block of mental models, empty for none; the missing ones are made. Raises ProviderError."""
        deadline = time.monotonic() + limit
        here = self.scope(session)
        reply = self.outbox.ensure_bank(here.bank, limit)
        if reply is not None and not reply.is_good:
            if reply.may_pass or reply.is_token:
                self.reads.failed(reply, str(self.client.error("create bank", reply)))
            raise self.client.error("create bank", reply)
        door = self.models(session, max(deadline - time.monotonic(), 0.01))
        block = models.rendered(door.load(), self.config.mental_model_max_render_chars)
        left = deadline - time.monotonic()
        seeded = self.reads.read().get("seeded", [])
        name = mark("\n".join((here.bank, here.label)))
        if self.config.mental_model_auto_seed and name not in seeded and left > 0:
            self.models(session, left).seed()
            self.reads.note(seeded=[*seeded, name])
        return block

    def flush(self, limit: float, *, force: bool = False) -> Sent:
        """Send what waits within `limit` seconds."""
        return self.outbox.flush(limit, force=force) if self.is_configured else Sent()

    def sealing(self) -> capture.Sealing:
        """Return what parcels are made with now."""
        return capture.Sealing(self.config, self.clock(), self.iso)

    def iso(self, ms: int) -> str:
        """Return a time as the server reads it: local, with the offset, so that it knows the time of day."""
        return datetime.fromtimestamp(ms / 1000, self._zone).isoformat(timespec="milliseconds")
