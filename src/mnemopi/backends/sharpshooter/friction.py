"""Which prompts may hold a decision, by rules: pure functions of what was said.

Friction is a correction, something that broke again, or a rule so fine that it had to be spelled out. A short answer
counts where it answers something: `opt 2` means nothing by itself, and much after a list of options. What rules take
for friction is a hint to the model that reads; without one, it is all that is known.
"""

from __future__ import annotations

import re
from typing import Final

from mnemopi.backends import framing
from mnemopi.model.values import dataclass

SHORT: Final = 16
"""A prompt of fewer characters needs a question before it, or friction in it."""
_CORRECTIVE: Final = re.compile(
    r"\A\s*(?:no|nope|wrong|stop)\b|\b(?:not what i|i (?:said|told you|asked for|meant)|that'?s (?:wrong|not)|"
    r"don'?t\b|do not\b|never\b|instead(?: of)?\b|rather than|should(?:n'?t| not)\b|must(?:n'?t| not)?\b|"
    r"undo|revert|roll (?:it |this )?back|why (?:did|do|are) you)|不要|不是|别再|别用|应该|必须|改成|撤销|错了",
    re.IGNORECASE,
)
_REGRESSION: Final = re.compile(
    r"\bagain\b|\b(?:still|once more) (?:broken|fail|wrong|not|does|do)|\b(?:broke|breaks|regress\w*|"
    r"used to (?:work|be)|worked before|keep(?:s)? (?:doing|breaking|failing)|second time|third time)\b|"
    r"又|再次|还是不行|以前可以",
    re.IGNORECASE,
)
_SUBTLE: Final = re.compile(
    r"\b(?:only (?:if|when|for|after|before)|unless|except|as long as|even (?:if|when|though)|always|"
    r"because|the reason|on purpose|deliberate\w*|by design)\b|只有|除非|即使|总是|因为|故意",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(
    r"[?？]|^[ \t]*(?:\d{1,2}|[a-e])[.)]\s|^[ \t]*[-*][ \t]*option\b|\boption \w", re.MULTILINE | re.IGNORECASE
)
_THANKS: Final = re.compile(
    r"\A\W*(?:ok(?:ay)?|thanks?(?: you)?|thx|great|nice|cool|perfect|continue|go on|proceed|好的?|谢谢|继续)\W*\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Friction:
    """What kinds of friction there are."""

    corrective: bool = False
    regression: bool = False
    subtle: bool = False

    def __bool__(self) -> bool:
        return self.corrective or self.regression or self.subtle


def found(prompt: str) -> Friction:
    """Return the friction that rules see in a prompt."""
    return Friction(*(bool(rule.search(prompt)) for rule in (_CORRECTIVE, _REGRESSION, _SUBTLE)))


def may_decide(prompt: str, before: str) -> bool:
    """Whether a prompt may hold a decision; `before` is what the assistant said last."""
    text = prompt.strip()
    if not framing.is_substantive(text) or text.startswith("/"):
        return False
    asked = bool(_ASKS.search(before))
    if _THANKS.match(text):
        return asked and not text.lower().startswith(("thank", "thx", "谢谢"))
    return len(text) >= SHORT or asked or bool(found(text))
