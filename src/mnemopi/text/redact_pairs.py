"""Find secrets by what stands beside them: `API_KEY=x`, `"password": "x"`, `--token x`, `密码是x`, `//user:x@host`.

A finder looks for the name, then for a separator of one of the syntaxes in which names meet values, then cuts out
the value; whether that value is a secret is judged in `redact_values`. Only the value is a span: names, schemes,
users, hosts, quotes and whatever follows stay. Credentials that can be told by their shape are in `redact_patterns`.

Every look around a name is bounded in length, so hostile text costs linear time.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from mnemopi.text import redact_values

# Lower-case literals, one of which is in any text that has something to find here.
HINTS = (
    *(b"pass", b"pwd", b"pswd", b"secret", b"token", b"key", b"auth", b"cred", b"bearer", b"basic"),
    *(b"://", b"-u", b"sessionid", b"connect.sid", b"sig=", b"signature="),
)
WIDE_HINTS = ("密", "口令", "令牌", "凭证", "憑證", "金鑰", "權杖", "パスワード", "비밀번호")

_KINDS = {
    "token": "token",
    "secret": "secret",
    "clientsecret": "client-secret",
    "apikey": "api-key",
    "accesskey": "access-key",
    "privatekey": "private-key",
    "auth": "credential",
    "credential": "credential",
    "credentials": "credential",
    "creds": "credential",
    "密钥": "secret-key",
    "密鑰": "secret-key",
    "金鑰": "secret-key",
    "令牌": "token",
    "權杖": "token",
    "凭证": "credential",
    "憑證": "credential",
}
_PASSWORDS = r"pass(?:word|wd|phrase|code)|pswd|(?<![a-z])pass|pwd|密码|密碼|口令|パスワード|비밀번호"
_NAME = (
    rf"(?P<password>{_PASSWORDS})|(?P<name>(?:client[_ -]?|app[_ -]?)?secret(?:[_ -]?(?:access[_ -]?)?key)?|token"
    r"|(?:api|access|secret|private|auth|encryption|signing|master|account|shared|service|storage|subscription"
    r"|session|license|deploy|webhook|app|application|admin|consumer|hmac|jwt|root|bot|server|project)"
    r"[_ -]?(?:access[_ -]?)?key|(?:api|access)?密钥|密鑰|金鑰|令牌|權杖|凭证|憑證"
    r"|(?<![a-z])o?auth|credentials?|(?<![a-z])creds)"
    r"(?:[_-]?(?:\d{1,3}|base|prod|production|dev|test|staging|live|old|new|primary|secondary|b64|base64|value)"
    r"(?![a-z]))?"
)
_CLOSE = r"(?:\\{0,3}[\"'`]\]?|\*{1,2})?"
_ABOUT = r"(?:\s{1,3}(?:for|of|on|to|in|at|from)(?:\s{1,3}[\w.@:/-]{1,30}){1,5}?)?"
_SEPARATOR = (
    rf"(?:(?P<assign>{_CLOSE}\s{{0,8}}(?::\s{{0,3}}&?[A-Za-z][\w.\[\]|']{{0,30}}\s{{0,3}}(?==))?"
    r"(?:=>|:=|={1,3}|:|：|＝)\*{0,2}\s{0,8})"
    rf"|(?P<prose>{_CLOSE}{_ABOUT}(?:\s{{1,3}}(?:is|was|are|be)(?:\s(?:now|currently|still|simply|just|set\sto))?\s?:?"
    r"|\s{1,3}(?:(?:set|changed|reset|updated|rotated)\s)?to|\s?->|\s?→)\s{1,3}"
    r"|\s{0,3}(?:现在|已经|已|就|应该|暂时|還|还)?(?:改|设|設|设置|重置|更新|换|換|变|變)?"
    r"(?:是|为|為|成了|成|叫)\s{0,2}[:：]?\s{0,3})"
    rf"|(?P<cell>{_CLOSE}(?:\s{{0,8}}\|\s{{0,8}}|>))"
    r"|(?P<attribute>[\"']\s{1,3}value\s{0,2}=\s{0,2}(?=[\"'])|[\"']\s{0,3},\s{0,3}(?=[\"']))"
    r"|(?P<flag>[ \t]{1,3})"
    r"|(?P<joined>[-_]))"
)
_PAIR = rf"(?:{_NAME}){_SEPARATOR}"

_QUOTED = (
    r"[bBrRuUfF@$]{0,2}(?:\"(?P<double>[^\"\\\n]{1,512}(?:\\.[^\"\\\n]{0,512}){0,16})\""
    r"|'(?P<single>[^'\\\n]{1,512}(?:\\.[^'\\\n]{0,512}){0,16})'"
    r"|`(?P<tick>[^`\n]{1,512})`|\\{1,3}[\"'](?P<escaped>[^\"'\\\n]{1,512})\\{1,3}[\"']"
    r"|[“「『‘](?P<wide>[!-~]{1,512})[”」』’])"
)
_BARE = r"[\"'`“「『*]{0,2}(?P<bare>[!#-&(-+\--:<-\[\]-_a-~]{1,512})"
_REST = r"[!#-&(-+\--:<-\[\]-_a-~]*"
_FLAG = r"(?:(?<![\w-])--?|(?<![A-Za-z])(?:ENV|ARG|require|login\s\S{1,60}\s)\s?)[\w-]*$"
_ENVIRONMENT = r"(?:^|[\s;,&|\"'\\]|\\n|-e|--env|export|ENV)[A-Z0-9_]*$"

# Cursors and request ids are tokens too, but open nothing; `a:secret:b` is an address.
_HARMLESS = (
    r"(?:(?:next|page|continuation|cursor|sync|change|request|action|client|cancel\w{0,8}|public_?key)[_-]?"
    r"|::\w{0,40})$"
)

_HEADER = (
    r"(?:authorization[\"']?\]?\s{0,3}[:=]\s{0,3}[\"'`]?(?P<scheme>[A-Za-z]{3,12}\s{1,3})?"
    r"|(?<![A-Za-z])(?P<alone>bearer|basic)\s{1,3})(?P<value>[A-Za-z0-9._~+/=-]{8,})"
)
_URL = r"://(?P<user>[^\s/:@\"'<>`]*):(?P<value>[^\s/\"'<>`]*)@(?=[A-Za-z0-9\[])"
_CURL = r"(?<![\w-])(?:-u|--user)[ =]{1,3}[\"']?[^\s:\"']{1,64}:(?P<value>[^\s\"'@/]{1,200})"
_COOKIE = r"(?:jsessionid|asp\.net_sessionid|connect\.sid|(?<![a-z])sessionid)=(?P<value>[A-Za-z0-9%._-]{16,})"
_QUERY = (
    r"[?&](?:key|sig|signature|x-amz-signature|x-goog-signature|x-amz-security-token)="
    r"(?P<value>[A-Za-z0-9%._+/=-]{16,})"
)

Span = tuple[int, int, str]


@cache
def _compiled(pattern: str, flags: int = re.ASCII | re.IGNORECASE) -> re.Pattern[str]:
    return re.compile(pattern, flags)


def spans(text: str, folded: bytes) -> Iterator[Span]:
    """Yield (start, end, kind) of each value that is a secret by its surroundings.

    `folded` is the text's ASCII part in lower case; it says which finders have anything to look for.
    """
    yield from _pairs(text)
    if b"authorization" in folded or b"bearer" in folded or b"basic" in folded:
        yield from _headers(text)
    if b"://" in folded:
        yield from _urls(text)
    if b"-u" in folded:
        yield from _logins(text)
    if b"sessionid" in folded or b"connect.sid" in folded:
        yield from ((*m.span("value"), "session-cookie") for m in _compiled(_COOKIE).finditer(text))
    if b"?" in folded or b"&" in folded:
        yield from _queries(text)


def _pairs(text: str) -> Iterator[Span]:
    done = 0
    for name in _compiled(_PAIR).finditer(text):
        if name.end() > done and (span := _value(text, name)):
            done = span[1]
            yield span


def _kind(name: re.Match[str]) -> str:
    if name["password"]:
        return "password"
    plain = re.sub(r"[_ -]", "", name["name"].lower())
    return _KINDS.get(plain, "secret-key" if plain.endswith(("key", "密钥")) else "token")


def _value(text: str, name: re.Match[str]) -> Span | None:
    """Cut out what the name is given, and judge it."""
    password = name["password"] is not None
    before = text[max(0, name.start() - 48) : name.start()]
    if _compiled(_HARMLESS).search(before) or (before.endswith(":") and name["assign"] == ":"):
        return None
    if name["joined"]:
        return _joined(text, name)
    quoted = _compiled(_QUOTED, re.ASCII).match(text, name.end())
    if quoted and quoted.lastgroup:
        start, end = quoted.span(quoted.lastgroup)
        # "the password `hunter2`" names one; "pass `x=1`" is a verb.
        named = quoted.lastgroup in ("tick", "wide") and (name["password"] or "").lower() != "pass"
        if name["flag"] and not named and not _is_flag(text, name):
            return None
        chosen = bool(name["assign"] or name["flag"] or name["prose"])
        secret = redact_values.is_secret(text[start:end], password=password, literal=chosen)
        return (start, end, _kind(name)) if secret else None
    if name["attribute"] or (name["flag"] and not _is_flag(text, name)):
        return None
    bare = _compiled(_BARE, re.ASCII).match(text, name.end())
    if not bare:
        return None
    start = bare.start("bare")
    prose = name["prose"] is not None
    literal = bool(name["flag"]) or (name["assign"] == "=" and _is_environment(text, name))
    value = _trimmed(bare["bare"], prose)
    if not redact_values.is_secret(value, password=password, literal=literal, prose=prose or bool(name["cell"])):
        return None
    end = start + len(value)
    if len(bare["bare"]) == 512 and len(value) == 512:
        rest = _compiled(_REST, re.ASCII).match(text, end)
        end = rest.end() if rest else end
    return start, end, _kind(name)


def _is_flag(text: str, name: re.Match[str]) -> bool:
    """Whether the name is that of a command-line flag, or a word of a file format that takes a value after a space."""
    before = text[max(0, name.start() - 72) : name.start()]
    return _compiled(_FLAG, re.ASCII).search(before) is not None


def _is_environment(text: str, name: re.Match[str]) -> bool:
    """Whether `NAME=value` has an upper-case name and no spaces: a shell or an environment file, not code."""
    word = name["password"] or name["name"]
    before = text[max(0, name.start() - 48) : name.start()]
    return word.isupper() and _compiled(_ENVIRONMENT, re.ASCII | re.MULTILINE).search(before) is not None


def _trimmed(value: str, prose: bool) -> str:
    """Cut the value where its surroundings go on: a closing bracket, the next parameter, the end of a sentence."""
    value = re.split(r"&(?=[\w.-]{1,40}=)|(?<=.)<", value, maxsplit=1)[0]
    depth = 0
    for at, char in enumerate(value):
        depth += (char in "([{") - (char in ")]}")
        if depth < 0:
            value = value[:at]
            break
    return value.rstrip(".:?!*|" if prose else ".:*|")


def _joined(text: str, name: re.Match[str]) -> Span | None:
    """Judge `secret-4f9a01bc77de`: one run with its name, of letters and digits that alternate."""
    run = _compiled(r"[A-Za-z0-9]{12,}", re.ASCII).match(text, name.end())
    if not run:
        return None
    value = run[0]
    digits = sum(char.isdigit() for char in value)
    turns = sum(a.isdigit() != b.isdigit() for a, b in pairwise(value))
    return (*run.span(), _kind(name)) if digits >= 4 and len(value) - digits >= 3 and turns >= 3 else None


def _headers(text: str) -> Iterator[Span]:
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


def _urls(text: str) -> Iterator[Span]:
    for url in _compiled(_URL).finditer(text):
        value = url["value"]
        sample = value in ("password", "pass", "passwd", "pwd", "secret") and url["user"] in ("user", "username", "joe")
        if len(value) > 1 and not sample and not redact_values.stands_in(value) and not re.match(r"\d{1,5}[?#]", value):
            yield *url.span("value"), "url-password"


def _logins(text: str) -> Iterator[Span]:
    for login in _compiled(_CURL, re.ASCII).finditer(text):
        if redact_values.is_secret(login["value"], password=True, literal=True):
            yield *login.span("value"), "basic-auth"


def _queries(text: str) -> Iterator[Span]:
    for query in _compiled(_QUERY).finditer(text):
        if redact_values.is_secret(query["value"], password=False, literal=True):
            yield *query.span("value"), "url-key"
