"""Judge a value that stands beside a high-risk name: is it the secret, or only talk or code about one?

`password = "hunter2"` holds a secret; `password: str`, `token = get_token()`, `api_key=${KEY}`, "the password is
wrong" and `token: sha256` do not. The name alone redacts nothing, and neither does the look of the value alone:
this module is asked only where a name and a separator were found. It finds nothing by itself, that is the task
of `redact_pairs`.

The rules lean by context. A *literal* (in quotes, or in a `NAME=value` line of an environment file) may be a plain
word where the name says password; a bare value must not look like an identifier, a path or an expression; what
follows "is" in prose must not look like a word at all.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

# Filled in later, or elsewhere: shell, make, templates, printf, a shortened display, our own marks.
_MARKS = ("${", "$(", "{{", "%s", "%d", "%(", "[REDACTED:", "...", "…")
_VARIABLE = r"\$[A-Za-z_][\w.>\[\]-]*|%\w+%|@\w+"
_BRACED = r"\{[\w.!:\[\]()]*\}|<[^<>]*>?$"
_MASK = r"[xX*•#.?_-]+"
_PLACEHOLDER = (
    r"(?:your|my|insert|replace|enter|put|example|placeholder|dummy|fake|sample|todo|tbd|fixme|some|the)"
    r"(?:[-_ ][a-z_ -]*)?\d{0,3}|change[-_ ]?(?:me|it|this)[a-z_-]*\d{0,3}|[a-z_ -]*[-_ ]here|n/a"
)
# Algorithms, encodings, protocols and versions: they follow "token:" and "auth=" in every manual.
_TECHNICAL = (
    r"(?:sha|md|base|utf|hs|rs|es|ps|aes|rsa|ecdsa|ed|x|p|oauth|ipv|http|tls|ssl|bcrypt|scrypt|argon|pbkdf|hmac|v)"
    r"[-_]?\d[\d.]*[a-z]{0,3}(?:[-_/](?:[a-z]{2,14}|\d{1,3})){0,3}"
)
# A word as people and programs write it: lower, upper, Title, camelCase; with at most two digits at an end.
_REGULAR = r"(?-i:(?:[A-Z]+|[A-Z]?[a-z]+)(?:[A-Z][a-z]+)*)"
_WORDY = rf"\d{{1,3}}|\d{{0,2}}{_REGULAR}\d{{0,2}}|"
_CALL = r"[\w.]*[(\[{]|<"
_MEMBER = r"(?:self|this|cls|args|opts|options|config|cfg|env|settings|request|req|process)\.[\w.]+"
_NAMED_AFTER = r"[a-z_][\w.]*(?:key|token|secret|password|credential)(?:s|types?)?\d{0,2}"
_DIVIDERS = r"[-_./:]"
_OPERATORS = r"[-_./:+*%=&|]"
_SPECIAL = frozenset("!@#$%^&*+=~?")

# Words that are themselves names, types or states, with or without a number behind them.
_STOP_WORDS = """
password passwd passphrase passcode pass pwd secret token key apikey auth authorization credential credentials
user username userpass value val string str text bytes byte int integer number bool boolean object array list
none null nil true false undefined void any unknown optional required hidden default empty missing invalid
expired wrong incorrect confirmed confirmation nullable redacted masked removed encrypted plaintext input
field label name type data arg param params test testing example bearer basic digest jwt oauth sasl scram
kerberos keyring vault stdin prompt interactive random generated disabled enabled prefixed accesstoken
newpassword oldpassword apitoken authtoken currentpassword secretkey accesskey changeit pw tok func function
callable keyword identifier operator punctuation comment literal symbol
"""
_STOP = frozenset(_STOP_WORDS.split())

# Words of sentences: a passphrase of random words has none.
_SMALL_WORDS = """
the a an is are be must your you enter and or not for to of in with at on this that please new does has have
use set
"""
_SMALL = frozenset(_SMALL_WORDS.split())


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _full(pattern: str, value: str) -> bool:
    return _compiled(pattern).fullmatch(value) is not None


def stands_in(value: str) -> bool:
    """Whether the value only stands for a secret: a template, a mask, a placeholder, a mark of ours."""
    if any(mark in value for mark in _MARKS) or _full(_VARIABLE, value):
        return True
    if ("{" in value or "<" in value) and _compiled(_BRACED).search(value):
        return True
    if _full(_MASK, value) or _full(_PLACEHOLDER, value):
        return True
    return len(value) >= 8 and len(set(value)) <= 2


def is_expression(value: str) -> bool:
    """Whether bare characters begin a call, an index or a template: `get_token(`, `os.environ[`, `<your`."""
    return _compiled(_CALL).match(value) is not None


def is_secret(value: str, *, password: bool, literal: bool, prose: bool = False) -> bool:
    """Judge the value of a name.

    `password`: the name is of the password family, whose values people choose; else they are made by machines,
    longer and with digits. `literal`: in quotes or in an environment line. `prose`: it follows "is" in a sentence.
    """
    if len(value) < (6 if password else 8) or stands_in(value) or _full(_TECHNICAL, value):
        return False
    if " " in value or "\t" in value:
        return password and literal and _passphrase(value)
    if (not value.isascii() and any(char > "ɏ" for char in value)) or value.rstrip("0123456789=: ").casefold() in _STOP:
        return False
    if not literal and (_full(_MEMBER, value) or _full(_NAMED_AFTER, value)):
        return False
    if not password and any(char in "\\()[]{}<>|" for char in value):
        return False
    if value.isalpha():
        return _word_is_secret(value, password, literal, prose)
    if value.isdigit():
        return len(value) >= (6 if password else 20)
    if value.isalnum():
        return _mixed_is_secret(value, password)
    return _compound_is_secret(value, password, literal, prose)


def is_made_up(value: str, *, password: bool, hexadecimal: bool) -> bool:
    """Judge a value by its look alone, where only a blank stands between it and its name: is it no word of any kind?

    A machine's jumps between cases and digits; a person's has a sign in it that no identifier has. `hexadecimal`: 32
    hexadecimal digits and more are one, too, and not the name of a commit.
    """
    if stands_in(value) or not _compiled(r"[\w+/=!$^*%-]{8,256}").fullmatch(value) or not value.isascii():
        return False
    digits = any(char.isdigit() for char in value)
    if password and digits and any(char in "!$^*%" for char in value[:-1]):
        return any(char.isalpha() for char in value)
    if hexadecimal and _compiled(r"(?:0x)?[0-9a-f]{32,128}").fullmatch(value):
        return digits and not value.isdigit()
    jumps = sum(_sort(a) != _sort(b) for a, b in pairwise(value))
    mixed = digits and value.lower() != value and value.upper() != value
    return len(value) >= 16 and mixed and jumps * 20 >= len(value) * 9


def _sort(char: str) -> int:
    return 3 if not char.isalnum() else 2 if char.isdigit() else int(char.isupper())


def _word_is_secret(value: str, password: bool, literal: bool, prose: bool) -> bool:
    """Judge letters alone: long and irregular, or a plain word in quotes where a person chose it."""
    if value.islower() or value.isupper():
        return len(value) >= (8 if password and literal else 24)
    humps = sum(a.islower() and b.isupper() for a, b in pairwise(value))
    irregular = humps * 5 >= len(value) or not _full(_REGULAR, value)
    return irregular and len(value) >= ((8 if literal or prose else 12) if password else 16)


def _mixed_is_secret(value: str, password: bool) -> bool:
    """Judge letters and digits: a person's may be short, a machine's has several digits."""
    return password or len(value) >= 16 or sum(char.isdigit() for char in value) >= 2


def _compound_is_secret(value: str, password: bool, literal: bool, prose: bool) -> bool:
    """Judge what has punctuation in it: a path, a compound word, an expression, or a secret."""
    parts = re.split(_DIVIDERS if literal or password else _OPERATORS, value)
    letters = any(char.isalpha() for char in value)
    digits = any(char.isdigit() for char in value)
    if len(parts) > 1 and all(_full(_WORDY, part) for part in parts):
        if any(part.casefold() in _STOP for part in parts) or "/" in value or not password:
            return False
        # "correct-horse-battery-staple", "summer-24"
        return (value.count("-") >= 3 and len(value) >= 20) or (literal and digits and not prose)
    if not letters:
        return password and (digits or len(value) >= 8) and not _full(r"[\d.:/-]+", value)
    if not digits:
        signs = [char for char in value if char in _SPECIAL]
        return password and (literal or len(signs) >= 2 or bool(_SPECIAL & set(value[1:-1])))
    return password or len(value) >= 12


def _passphrase(value: str) -> bool:
    """Judge several words: four to twenty-four plain ones with no word of a sentence among them."""
    words = value.split()
    plain = all(word.isascii() and word.isalpha() and word.islower() for word in words)
    return plain and 4 <= len(words) <= 24 and not (_SMALL | _STOP) & set(words)
