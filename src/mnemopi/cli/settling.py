"""Settling in steps, so that there is something to see and an interrupt loses little."""

from __future__ import annotations

from typing import Final

from mnemopi.cli import progress
from mnemopi.cli.everywhere import Asked
from mnemopi.engine import Mnemopi
from mnemopi.model.memory import Settled

_STEP: Final = 512


def work_off(asked: Asked, memory: Mnemopi, limit: int | None) -> Settled:
    """Work off what is pending, up to `limit` memories, and report the sum; never raises for a provider's failure.

    No language model is asked: that is for `mnemopi settle` alone, since it may take long, and costs.
    """
    total = memory.bank.pending()
    embedded = reindexed = refused = 0
    with progress.bar(asked, "Settling", total if limit is None else min(total, limit)) as advance:
        while True:
            done = embedded + reindexed
            step = memory.bank.settle(_STEP if limit is None else min(_STEP, limit - done), read=False)
            embedded, reindexed = embedded + step.embedded, reindexed + step.reindexed
            refused += step.refused
            progressed = step.embedded + step.reindexed
            advance(progressed, progressed)
            if step.error or not progressed or done + progressed == limit:
                return Settled(embedded, reindexed, step.pending, step.error, step.failed, refused=refused)
