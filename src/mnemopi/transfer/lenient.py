"""Fields as other systems keep them, made fit for ours: what can be repaired is, and is counted.

The gate is the same as for what is remembered: secrets are redacted in texts. Where `remember` refuses, an import
repairs, since nobody stands there to be asked: characters that cannot be stored are replaced, a name that looks like
a secret is redacted, a time that is none is replaced by another one of its row.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, tzinfo
from typing import Any, Final

from mnemopi.errors import UsageError
from mnemopi.ingest import draft as drafts
from mnemopi.ingest.prepare import Gate
from mnemopi.model import nesting, trust
from mnemopi.model.interval import Interval
from mnemopi.model.memory import Memory
from mnemopi.text import dates, redact

_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]+")
_ID = re.compile(r"[A-Za-z0-9_.:-]{1,80}")
_SECONDS_BELOW: Final = 100_000_000_000
"""A number of a time below this is seconds since 1970, above it milliseconds: in ms it is March 1973."""


class Lenient:
    """The fields of one source. `now` is UTC ms; `local` is where times without a zone are read."""

    def __init__(self, gate: Gate, now: int, *, local: tzinfo = UTC, keep_scope: bool = False) -> None:
        self.gate, self.now, self.local, self.keep_scope = gate, now, local, keep_scope
        self.redacted: Counter[str] = Counter()
        self.repaired: Counter[str] = Counter()
        self._fit: set[str] = set()
        """Ids and names that were found fit: the same few come with every row."""

    def text(self, value: object) -> str:
        """Return a text that may be stored, "" for none."""
        if value is None:
            return ""
        told = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        if _UNSTORABLE.search(told):
            told = _UNSTORABLE.sub("\ufffd", told)
            self.repaired["characters"] += 1
        done = redact.redact(told, self.gate.redact)
        self.redacted.update(done.counts)
        return "" if done.text.isspace() else done.text

    def name(self, value: object) -> str | None:
        """Return an identifier that may be stored, None for none: redacted, at most 200 characters."""
        if value is None or isinstance(value, bool):
            return None
        given = str(value)
        if given in self._fit:
            return given
        told = _CONTROL.sub(" ", given).strip()
        if redact.has_secret(told):
            told = redact.redact(told).text
            told = "redacted" if redact.has_secret(told) else told
            self.redacted["name"] += 1
        if len(told) > drafts.LONGEST_NAME:
            told = told[:170] + ":" + _digest(told)
        if told != given.strip():
            self.repaired["names"] += 1
        elif told == given and told:
            self._fit.add(told)
        return told or None

    def id(self, value: object) -> str | None:
        """Return the id of a row as it is where it can be ours, else a digest of it; None for none."""
        if value is None or value == "":
            return None
        given = str(value)
        if given in self._fit and _ID.fullmatch(given):
            return given
        if _ID.fullmatch(given) and not redact.has_secret(given):
            self._fit.add(given)
            return given
        self.repaired["ids"] += 1
        return _digest(given)

    def time(self, *values: object) -> int:
        """Return the first of these that is a time (UTC ms), else now."""
        return next((found for value in values if (found := self.moment(value)) is not None), self.now)

    def moment(self, value: object) -> int | None:
        """Return a time (UTC ms), None for what is none. A date is its first moment."""
        if isinstance(value, str) and re.fullmatch(r"-?\d{9,}(\.\d+)?", value):
            value = float(value)
        if isinstance(value, bool) or not isinstance(value, int | float | str) or value in ("", " "):
            return None
        try:
            if isinstance(value, int | float):
                return dates.moment(value * 1000 if abs(value) < _SECONDS_BELOW else value)
            # The form with a space is what SQLite's own clock writes: UTC.
            return dates.moment(value.strip(), self.local if "T" in value else UTC)
        except UsageError:
            self.repaired["times"] += 1
            return None

    def share(self, value: object, usual: float) -> float:
        """Return a number from 0 to 1."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return usual
        return float(min(1, max(0, value)))

    def veracity(self, value: object) -> str:
        """Return a label of veracity; one that is not known says nothing."""
        try:
            return trust.veracity(value)
        except UsageError:
            return "unknown"

    def tier(self, value: object, source: str) -> str:
        """Return a tier of trust, by the source where none that is known is given."""
        try:
            return trust.tier(value if isinstance(value, str) and value else None, source)
        except UsageError:
            return trust.tier(None, source)

    def scope(self, value: object) -> str:
        """Return our scope: theirs for a session is the bank's, unless scopes are to be kept."""
        if value in ("global", "channel", "bank"):
            return str(value)
        return "session" if self.keep_scope else "bank"

    def mapping(self, value: object) -> dict[str, Any]:
        """Read metadata: a mapping, or one written as JSON; what else there is stands under `value`."""
        if isinstance(value, str):
            told = value.strip()
            try:
                value = json.loads(told) if told else None
            except (ValueError, RecursionError):
                value = told
        if value is None or value == {}:
            return {}
        clean: dict[str, Any] = self._clean(value if isinstance(value, dict) else {"value": value})
        return clean

    def event(self, value: object, precision: object, content: str, said_at: int) -> Interval | None:
        """Return when it happened: as given, else as the text says."""
        given = None
        if isinstance(value, str) and value.strip():
            try:
                given = dates.parse(value.strip(), UTC)
            except UsageError:
                self.repaired["times"] += 1
        if given is not None:
            if precision in ("day", "month", "year") and given.precision in ("day", "minute", "instant", "hour"):
                length = {"day": 10, "month": 7, "year": 4}[str(precision)]
                return dates.parse(dates.iso(given.start)[:length], UTC)
            return given
        return dates.event_time(content, said_at, self.gate.zone)

    def memory(
        self,
        id: str,
        content: str,
        timestamp: int,
        *,
        kind: str = "note",
        source: object = None,
        metadata: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> list[Memory]:
        """Build a memory of cleaned fields; a text above the limit is cut into several, each under an id of its own."""
        told = (self.text(source) or "import").strip()[: drafts.LONGEST_NAME]
        limit = self.gate.max_content_chars
        parts = [content[place : place + limit] for place in range(0, len(content), limit)]
        parts = [part for part in parts if part and not part.isspace()]
        if len(parts) > 1:
            self.repaired["long texts"] += 1
        usual: dict[str, Any] = {"trust_tier": trust.tier(None, told), "recorded_at": min(timestamp, self.now)}
        made: list[Memory] = []
        for number, part in enumerate(parts, 1):
            own = usual | fields
            own["event"] = own.get("event") or dates.event_time(part, timestamp, self.gate.zone)
            if len(parts) > 1:
                own["embed_text"] = None
            made.append(
                Memory(
                    id=id if number == 1 else f"{id[:70]}:{number}",
                    version=1,
                    kind=kind,  # type: ignore[arg-type]
                    content=part,
                    timestamp=timestamp,
                    source=told,
                    metadata=dict(metadata) if metadata else None,
                    **own,
                )
            )
        return made

    def _clean(self, value: Any, level: int = 1) -> Any:
        if isinstance(value, list | tuple | dict) and level > nesting.DEEPEST:
            self.repaired["nesting"] += 1
            return self.text(value)
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list | tuple):
            return [self._clean(item, level + 1) for item in value]
        if isinstance(value, dict):
            return {self.text(str(key)): self._clean(item, level + 1) for key, item in value.items()}
        if isinstance(value, float) and not math.isfinite(value):
            return None
        return value if value is None or isinstance(value, bool | int | float) else str(value)


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16]
