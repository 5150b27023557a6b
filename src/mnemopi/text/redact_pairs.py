"""Find secrets by the names beside them: `API_KEY=x`, `"password": "x"`, `--token x`, `密码是x`, `the secret is x`.

The finder looks for the core of a high-risk name, then for a separator of one of the syntaxes in which names meet
values, then cuts out the value; whether that value is a secret is judged in `redact_values`. Only the value is a
span: names, quotes and whatever follows stay. Credentials told by their shape are in `redact_patterns`, those in
headers and addresses in `redact_transport`.

Every look around a name is bounded in length, so hostile text costs linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from mnemopi.text import redact_values

# The cores of names, in lower case; "key" is one only behind a qualifier.
_CORES = ("pass", "pw", "pswd", "secret", "token", "key", "auth", "cred")
_WIDE_CORES = ("密码", "密碼", "口令", "密钥", "密鑰", "金鑰", "令牌", "權杖", "凭证", "憑證", "パスワード", "비밀번호")

_KINDS = {
    "secret": "secret",
    "secretkey": "secret-key",
    "secretaccesskey": "secret-key",
    "token": "token",
    "密钥": "secret-key",
    "密鑰": "secret-key",
    "金鑰": "secret-key",
    "令牌": "token",
    "權杖": "token",
}
_KEY_KINDS = {"api": "api-key", "access": "access-key", "private": "private-key"}
_NAME = (
    r"(?:(?P<password>pass(?:word|wort|wd|phrase|code)?|pswd|pwd?|密码|密碼|口令|パスワード|비밀번호)"
    r"|(?P<name>secret(?:[_ -]?(?:access[_ -]?)?key)?|token|key|auth|cred(?:entials?|s)"
    r"|密钥|密鑰|金鑰|令牌|權杖|凭证|憑證))"
    r"(?:[_-]?(?:\d{1,3}|base|prod|production|dev|test|staging|live|old|new|primary|secondary|b64|base64|value)"
    r"(?![a-z]))?"
)
# What makes a key a secret one. "secret key" and "secret access key" are found by their own core.
_KEY_OF = (
    *("api", "access", "private", "auth", "encryption", "signing", "master", "account", "shared", "service"),
    *("storage", "subscription", "session", "license", "deploy", "webhook", "app", "application", "admin"),
    *("consumer", "hmac", "jwt", "root", "bot", "server", "project", "signature", "bearer"),
)
# Cursors and request ids are tokens too, but open nothing.
_HARMLESS = (
    *("next", "page", "continuation", "cursor", "sync", "change", "request", "action", "cancel"),
    *("cancellation", "publickey", "public_key", "public-key"),
)
_CLOSE = r"(?:\\{0,3}[\"'`]\]?|\*{1,2})?"
_ABOUT = r"(?:\s{1,3}(?:for|of|on|to|in|at|from)(?:\s{1,3}[\w.@:/-]{1,30}){1,5}?)?"
_SEPARATOR = (
    rf"(?:(?P<assign>{_CLOSE}(?P<about>{_ABOUT})\s{{0,8}}(?::\s{{0,3}}&?[A-Za-z][\w.\[\]|']{{0,30}}(?:\s{{1,3}}(?==)|(?==\s?[\"'])))?"
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
_PAIR = _NAME + _SEPARATOR

_QUOTED = (
    r"[bBrRuUfF@$]{0,2}(?:\"(?P<double>[^\"\\\n]{1,512}(?:\\.[^\"\\\n]{0,512}){0,16})\""
    r"|'(?P<single>[^'\\\n]{1,512}(?:\\.[^'\\\n]{0,512}){0,16})'"
    r"|`(?P<tick>[^`\n]{1,512})`|\\{1,3}[\"'](?P<escaped>[^\"'\\\n]{1,512})\\{1,3}[\"']"
    r"|[“「『‘](?P<wide>[!-~]{1,512})[”」』’])"
)
_BARE = r"(?:\*\*|[\"'`“「『]){0,2}(?P<bare>[!#-&(-+\--:<-\[\]-_a-~]{1,256})"
_REST = r"[!#-&(-+\--:<-\[\]-_a-~]*"
_ENVIRONMENT = r"(?:^|[\s;,&|\"'\\]|\\n|-e|--env|export|ENV)[A-Z0-9_]*$"

# The longest value of bare characters that is judged; one found secret is cut to its end.
_LONGEST = 256

Span = tuple[int, int, str]


@cache
def _compiled(pattern: str, flags: int = re.ASCII | re.IGNORECASE) -> re.Pattern[str]:
    return re.compile(pattern, flags)


def spans(text: str, folded: str) -> Iterator[Span]:
    """Yield (start, end, kind) of each named secret.

    `folded` is the text as `redact` folds it: lower case, and of the same positions.
    """
    done = 0
    for at in _positions(text, folded):
        if at < done:
            continue
        pair = _compiled(_PAIR).match(text, at)
        if pair and (kind := _kind(text, pair)) and (value := _value(text, pair)):
            done = value[1]
            yield *value, kind


def _positions(text: str, folded: str) -> list[int]:
    """List in order where cores of names begin."""
    found: list[int] = []
    for core in _CORES:
        at = folded.find(core)
        while at >= 0:
            found.append(at)
            at = folded.find(core, at + 1)
    if not text.isascii():
        for word in _WIDE_CORES:
            at = text.find(word)
            while at >= 0:
                found.append(at)
                at = text.find(word, at + 1)
    return sorted(found)


def _kind(text: str, pair: re.Match[str]) -> str | None:
    """Name the kind of secret; none where the core is but a part of another word, or the name is harmless."""
    start = pair.start()
    word: str = pair["password"] or pair["name"]
    core = word.lower()
    glued = text[start - 1 : start].isascii() and text[start - 1 : start].isalpha() and word[0].islower()
    if core == "pw" and text[start - 1 : start].isalnum():
        return None
    if core in ("pass", "auth", "cred", "creds") and glued:
        return "credential" if core == "auth" and text[start - 1] in "oO" else None
    if pair["password"]:
        return "password"
    before = text[max(0, start - 16) : start].lower()
    # "a:secret:b" and "A::Token" are addresses.
    if (before.endswith(":") and pair["assign"] == ":") or "::" in before:
        return None
    before = before[:-1] if before.endswith(("_", "-", " ")) else before
    if core == "key":
        of = next((word for word in _KEY_OF if before.endswith(word)), None)
        return _KEY_KINDS.get(of, "secret-key") if of else None
    if core == "secret" and before.endswith("client"):
        return "client-secret"
    if core == "token" and before.endswith(_HARMLESS):
        return None
    return _KINDS.get(re.sub(r"[_ -]", "", core), "credential")


def _value(text: str, pair: re.Match[str]) -> tuple[int, int] | None:
    """Cut out what the name is given, and judge it."""
    end = pair.end()
    if pair["joined"]:
        return _joined(text, end)
    flag = pair["flag"] is not None and _is_flag(text, pair)
    if pair["flag"] and not flag and text[end : end + 1] not in tuple("`“「『‘"):
        return _unmarked(text, pair)
    quoted = _compiled(_QUOTED, re.ASCII).match(text, end)
    if quoted and quoted.lastgroup:
        return _quoted(text, pair, quoted.span(quoted.lastgroup), flag or quoted.lastgroup in ("tick", "wide"))
    if pair["attribute"]:
        return None
    return _unmarked(text, pair) if pair["flag"] and not flag else _bare(text, pair, flag)


def _quoted(text: str, pair: re.Match[str], span: tuple[int, int], marked: bool) -> tuple[int, int] | None:
    """Judge a value in quotes. After a blank it must be `marked`: "the password `x`", but "pass `x`" is a verb."""
    if pair["flag"] and (not marked or (pair["password"] or "").lower() == "pass"):
        return None
    literal = bool(pair["assign"] or pair["flag"] or pair["prose"])
    secret = redact_values.is_secret(text[slice(*span)], password=bool(pair["password"]), literal=literal)
    return span if secret else None


def _bare(text: str, pair: re.Match[str], flag: bool) -> tuple[int, int] | None:
    """Judge a value without quotes."""
    bare = _compiled(_BARE, re.ASCII).match(text, pair.end())
    if not bare:
        return None
    start = bare.start("bare")
    literal = flag or (pair["assign"] == "=" and _is_environment(text, pair))
    if not literal and redact_values.is_expression(bare["bare"]):
        return None
    value = _trimmed(bare["bare"], pair["prose"] is not None)
    prose = bool(pair["prose"] or pair["cell"] or pair["about"])
    if not redact_values.is_secret(value, password=bool(pair["password"]), literal=literal, prose=prose):
        return None
    end = start + len(value)
    if len(value) == _LONGEST and (rest := _compiled(_REST, re.ASCII).match(text, end)):
        end = rest.end()
    return start, end


def _unmarked(text: str, pair: re.Match[str]) -> tuple[int, int] | None:
    """Judge what follows a name after nothing but a blank: "secret access key x", "密码 x". It must be no word."""
    word: str = pair["password"] or pair["name"]
    bare = _compiled(_BARE, re.ASCII).match(text, pair.end())
    if not bare or word.lower() == "pass" or redact_values.is_expression(bare["bare"]):
        return None
    value = _trimmed(bare["bare"], prose=True)
    password = bool(pair["password"])
    if not redact_values.is_made_up(
        value, password=password, hexadecimal=word.lower() not in ("auth", "cred", "creds")
    ):
        chosen = not word.isascii() and value.isalnum() and not value.isalpha() and len(value) >= 8
        if not chosen or not redact_values.is_secret(value, password=password, literal=False, prose=True):
            return None
    return bare.start("bare"), bare.start("bare") + len(value)


def _is_flag(text: str, pair: re.Match[str]) -> bool:
    """Whether the name is a command-line flag, or a word of a file format that takes a value after a blank."""
    words = text[max(0, pair.start() - 72) : pair.start()].rsplit(None, 3)
    if not words or text[pair.start() - 1].isspace():
        # The name begins a word: in netrc and in Dockerfiles, words before it tell.
        return words[-1:] in (["ENV"], ["ARG"]) or words[-2:-1] == ["login"]
    return words[-1].startswith("-") or words[-1] == "require" or words[-2:-1] in (["ENV"], ["ARG"])


def _is_environment(text: str, pair: re.Match[str]) -> bool:
    """Whether `NAME=value` has an upper-case name and no spaces: a shell or an environment file, not code."""
    before = text[max(0, pair.start() - 48) : pair.start()]
    word: str = pair["password"] or pair["name"]
    return word.isupper() and _compiled(_ENVIRONMENT, re.ASCII | re.MULTILINE).search(before) is not None


def _trimmed(value: str, prose: bool) -> str:
    """Cut the value where its surroundings go on: a closing bracket, the next parameter, the end of a sentence."""
    if "&" in value or "<" in value:
        value = re.split(r"&(?=[\w.-]{1,40}=)|(?<=.)<", value, maxsplit=1)[0]
    depth = 0
    for bracket in re.finditer(r"[()\[\]{}]", value):
        depth += 1 if bracket[0] in "([{" else -1
        if depth < 0:
            value = value[: bracket.start()]
            break
    return value.removesuffix("**").rstrip(".:?!|" if prose else ".:|")


def _joined(text: str, at: int) -> tuple[int, int] | None:
    """Judge `secret-4f9a01bc77de`: one run with its name, of letters and digits that alternate."""
    run = _compiled(r"[A-Za-z0-9]{12,}", re.ASCII).match(text, at)
    if not run:
        return None
    digits = sum(char.isdigit() for char in run[0])
    turns = sum(a.isdigit() != b.isdigit() for a, b in pairwise(run[0]))
    return run.span() if digits >= 4 and len(run[0]) - digits >= 3 and turns >= 3 else None
