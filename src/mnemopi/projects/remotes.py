"""One address for one remote: the ways to write it, and the credentials in it, make no difference."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

_SCP: Final = re.compile(r"(?:[^@/\s]+@)?(\[[^\]]+\]|[^:/\s]{2,}):(?!//)(.*)", re.DOTALL)
_URL: Final = re.compile(r"([a-z][a-z0-9+.-]*)://(?:[^@/]*@)?(\[[^\]]*\]|[^:/]*)(?::(\d*))?(/.*)?", re.DOTALL)
_PORTS: Final = {"ssh": "22", "git+ssh": "22", "https": "443", "http": "80", "git": "9418"}
_SAME: Final = {
    "ssh.github.com:443": "github.com",
    "altssh.gitlab.com:443": "gitlab.com",
    "www.github.com": "github.com",
}
_FOLDED: Final = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})
"""Hosts to which the case of a path makes no difference."""


def normalised(address: str) -> str:
    """Return `host/path` of a remote, or `file:/path` of a folder.

    Scheme, user, password, usual port, `.git` and slashes at the end make no difference; nor does case in a host.
    """
    said = address.strip()
    found = _URL.fullmatch(said[:10].lower() + said[10:])
    if found:
        scheme, host, port, path = found.group(1), found.group(2).lower(), found.group(3), found.group(4) or ""
        if scheme == "file" or not host:
            return f"file:{_path(path, keep_root=True)}"
        where = host if not port or port == _PORTS.get(scheme) else f"{host}:{port}"
        return _joined(_SAME.get(where, where), path.partition("?")[0].partition("#")[0])
    if said.startswith(("/", "~", ".")):
        return f"file:{_path(said, keep_root=True)}"
    if found := _SCP.fullmatch(said):
        return _joined(found.group(1).lower(), found.group(2))
    return f"file:{_path(said, keep_root=True)}"


def _joined(host: str, path: str) -> str:
    told = _path(path)
    return f"{host}/{told.lower() if host in _FOLDED else told}"


def _path(path: str, *, keep_root: bool = False) -> str:
    told = re.sub("/{2,}", "/", unquote(path)).rstrip("/")
    told = told.removesuffix(".git").rstrip("/") or "/"
    return told if keep_root else told.lstrip("/")
