"""Find secrets where protocols put them: headers, addresses, cookies, logins on a command line.

`Authorization: Bearer x`, `postgres://user:x@host`, `?sig=x`, `Cookie: PHPSESSID=x`, `curl -u user:x`. Only the value
is a span; scheme, user and host stay. Values of names in general (`password=x`) are the task of `redact_pairs`.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from functools import cache

from mnemopi.text import redact_values

_HEADER = (
    r"(?:authorization[\"']?\]?\s{0,3}[:=]\s{0,3}[\"'`]?(?P<scheme>[A-Za-z]{3,12}\s{1,3})?"
    r"|(?<![A-Za-z])(?P<alone>bearer|basic)\s{1,3})(?P<value>[A-Za-z0-9._~+/=-]{8,})"
)
_URL = r"://(?P<user>[^\s/:@\"'<>`]*):(?P<value>[^\s/\"'<>`]*)@(?=[A-Za-z0-9\[])"
_CURL = r"(?<![\w-])(?:-u |--user[ =]) {0,2}[\"']?[^\s:\"']{1,64}:(?P<value>[^\s\"'@/]{1,200})"
_SHORT = (
    r"(?<![\w-])(?:sshpass\s{1,3}-p\s{0,3}|(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;&]{0,120}?\s-p)"
    r"[\"']?(?P<value>[^\s\"']{1,200})"
)
_JAR = r"(?<![\w-])(?:set-)?cookie[\"']?\s{0,3}:\s{0,3}[\"']?(?P<pairs>[^\s=;,]{1,64}=[^\n]{1,4096})"
_CRUMB = r"(?<![^;:\s\"'])[^\s=;,]{1,64}=(?P<value>[A-Za-z0-9%._~+/-]{16,}=*)"
_COOKIE = (
    r"(?:jsessionid|phpsessid|asp\.net_sessionid|connect\.sid|(?<![a-z])sessionid)=(?P<value>[A-Za-z0-9%._-]{16,})"
)
_QUERY = (
    r"[?&](?:key|sig|signature|x-amz-signature|x-goog-signature|x-amz-security-token)="
    r"(?P<value>[A-Za-z0-9%._+/=-]{16,})"
)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII | re.IGNORECASE)


def spans(text: str, folded: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, kind) of each credential; `folded` is the text as `redact` folds it."""
    if "authorization" in folded or "bearer" in folded or "basic" in folded:
        yield from _headers(text)
    if "://" in folded:
        yield from _urls(text)
    if "-u " in folded or "--user" in folded:
        yield from _logins(text, _CURL)
    if "sshpass" in folded or "mysql" in folded or "mariadb" in folded:
        yield from _logins(text, _SHORT)
    if "cookie" in folded:
        yield from _cookies(text)
    if "=" in folded:
        if "sess" in folded or "connect.sid" in folded:
            yield from ((*cookie.span("value"), "session-cookie") for cookie in _compiled(_COOKIE).finditer(text))
        yield from _queries(text)


def _headers(text: str) -> Iterator[tuple[int, int, str]]:
    for header in _compiled(_HEADER).finditer(text):
        scheme = (header["scheme"] or header["alone"] or "").strip().lower()
        value = header["value"].rstrip(".")
        start = header.start("value")
        if scheme == "basic":
            if _is_basic(value):
                yield start, start + len(value), "basic-auth"
        elif redact_values.is_secret(value, password=False, literal=bool(scheme)):
            yield start, start + len(value), "bearer-token" if scheme == "bearer" else "authorization"


def _is_basic(value: str) -> bool:
    """Whether the value is `user:password` in base64."""
    try:
        return b":" in binascii.a2b_base64(value + "=" * (-len(value) % 4))
    except binascii.Error:
        return False


def _urls(text: str) -> Iterator[tuple[int, int, str]]:
    for url in _compiled(_URL).finditer(text):
        value = url["value"]
        sample = value in ("password", "pass", "passwd", "pwd", "secret") and url["user"] in ("user", "username", "joe")
        if len(value) > 1 and not sample and not redact_values.stands_in(value) and not re.match(r"\d{1,5}[?#]", value):
            yield *url.span("value"), "url-password"


def _logins(text: str, pattern: str) -> Iterator[tuple[int, int, str]]:
    for login in _compiled(pattern).finditer(text):
        if redact_values.is_secret(login["value"], password=True, literal=True):
            yield *login.span("value"), "basic-auth" if pattern is _CURL else "password"


def _cookies(text: str) -> Iterator[tuple[int, int, str]]:
    for jar in _compiled(_JAR).finditer(text):
        for crumb in _compiled(_CRUMB).finditer(text, *jar.span("pairs")):
            if redact_values.is_secret(crumb["value"], password=False, literal=True):
                yield *crumb.span("value"), "session-cookie"


def _queries(text: str) -> Iterator[tuple[int, int, str]]:
    for query in _compiled(_QUERY).finditer(text):
        if redact_values.is_secret(query["value"], password=False, literal=True):
            yield *query.span("value"), "url-key"
