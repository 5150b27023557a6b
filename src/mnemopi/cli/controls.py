"""Characters that steer a terminal: what was stored may hold them, and they are shown there instead of obeyed.

Control characters move the cursor, rewrite what stands on the screen or set the clipboard; marks of direction make a
text read as another one. Each is shown as JSON writes it (`\\u001b`), so that a document stays the same document.
"""

from __future__ import annotations

import re

_STEERING = re.compile(r"(?!\r\n)[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""All of C0 and C1 but tabs and ends of lines, and what embeds, overrides or isolates a direction."""


def shown(text: str) -> str:
    """Return a text that a terminal only shows."""
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
