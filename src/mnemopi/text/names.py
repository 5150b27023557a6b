"""How names are compared: what is shown as it was written is the same thing when its key is the same. Pure."""

from __future__ import annotations

import re
import unicodedata

_SPACES = re.compile(r"\s+")
_JOINTS = re.compile(r"[\s_-]+")
_ENDS = " \t\n.,;:!?\"'`()[]{}。，；：！？「」“”‘’"
_ARTICLE = re.compile(r"^(?:the|a|an|our|my|your|this|that) (?=.)", re.IGNORECASE)


def key(text: str) -> str:
    """Normalise the name of a thing: NFKC, case, white space and joints, outer punctuation, a leading article."""
    return _bare(_JOINTS.sub(" ", unicodedata.normalize("NFKC", text)))


def predicate_key(text: str) -> str:
    """Normalise a predicate: words joined by `_`."""
    return key(text).replace(" ", "_")


def object_key(text: str) -> str:
    """Normalise a value: as `key`, but `-5` is not `5`, nor `x_` `x`."""
    return _bare(_SPACES.sub(" ", unicodedata.normalize("NFKC", text)))


def _bare(text: str) -> str:
    bare = text.strip(_ENDS) or text.strip()
    return _ARTICLE.sub("", bare.casefold())
