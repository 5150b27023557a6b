"""Attributes of things, in English, and what can be the value of each: a port is a number, an owner has a name.

For `text.patterns_en_things` and its siblings, with the shapes of a thing's name. An attribute takes only what can be
its value, so that "our database is slow" says nothing about which database it is.
"""

from __future__ import annotations

import re
from typing import Final

from mnemopi.text.claim_rules import Check, Saying, named, trimmed, value
from mnemopi.text.date_rules import compiled

_NUMBER = "number"
DATE = "date"
_WORD = "word"
NAME = "name"
_THING = "thing"
_STATUS = "status"
ATTRIBUTES: Final[dict[str, tuple[str, str]]] = {
    **dict.fromkeys(("port", "port number"), ("port", _NUMBER)),
    **dict.fromkeys(("version", "version number", "current version"), ("version", "digits")),
    **dict.fromkeys(("default branch", "main branch"), ("default_branch", _WORD)),
    **dict.fromkeys(("database", "db", "data store"), ("database", _THING)),
    **dict.fromkeys(("framework", "web framework"), ("framework", _THING)),
    **dict.fromkeys(("package manager",), ("package_manager", "tool")),
    **dict.fromkeys(("formatter", "code formatter"), ("formatter", "tool")),
    **dict.fromkeys(("linter",), ("linter", "tool")),
    **dict.fromkeys(("test runner",), ("test_runner", "tool")),
    **dict.fromkeys(("bundler", "build tool"), ("build_tool", "tool")),
    **dict.fromkeys(("cloud provider", "hosting provider"), ("cloud_provider", _THING)),
    **dict.fromkeys(("editor", "ide"), ("editor", "tool")),
    **dict.fromkeys(("shell",), ("shell", "tool")),
    **dict.fromkeys(("operating system", "os"), ("os", _THING)),
    **dict.fromkeys(("hostname", "host", "host name"), ("host", "address")),
    **dict.fromkeys(("base url", "url", "address", "homepage"), ("url", "address")),
    **dict.fromkeys(("domain", "domain name"), ("domain", "address")),
    **dict.fromkeys(("endpoint",), ("endpoint", "address")),
    **dict.fromkeys(("email", "email address", "e-mail", "e-mail address", "mail address"), ("email", "address")),
    **dict.fromkeys(("phone number", "phone"), ("phone", _NUMBER)),
    **dict.fromkeys(("owner", "product owner", "code owner"), ("owner", NAME)),
    **dict.fromkeys(("maintainer",), ("maintainer", NAME)),
    **dict.fromkeys(("lead", "tech lead", "team lead"), ("lead", NAME)),
    **dict.fromkeys(("assignee",), ("assignee", NAME)),
    **dict.fromkeys(("status", "state"), ("status", _STATUS)),
    **dict.fromkeys(("deadline", "cutoff", "submission deadline"), ("deadline", DATE)),
    **dict.fromkeys(("due date",), ("due_date", DATE)),
    **dict.fromkeys(("release date", "ship date"), ("release_date", DATE)),
    **dict.fromkeys(("launch date", "go-live date"), ("launch_date", DATE)),
    **dict.fromkeys(("start date",), ("start_date", DATE)),
    **dict.fromkeys(("end date",), ("end_date", DATE)),
    **dict.fromkeys(("birthday",), ("birthday", DATE)),
    **dict.fromkeys(("timezone", "time zone"), ("timezone", "zone")),
    **dict.fromkeys(("region",), ("region", _WORD)),
    **dict.fromkeys(("license", "licence"), ("license", _THING)),
    **dict.fromkeys(("budget",), ("budget", _NUMBER)),
    **dict.fromkeys(("price",), ("price", _NUMBER)),
    **dict.fromkeys(("timeout",), ("timeout", _NUMBER)),
    **dict.fromkeys(("rate limit",), ("rate_limit", _NUMBER)),
    **dict.fromkeys(("limit",), ("limit", _NUMBER)),
    **dict.fromkeys(("line length", "max line length", "maximum line length", "line limit"), ("line_length", _NUMBER)),
    **dict.fromkeys(("indentation", "indent"), ("indentation", "short")),
    **dict.fromkeys(("retention", "retention period"), ("retention", _NUMBER)),
    **dict.fromkeys(("log level", "logging level"), ("log_level", _WORD)),
    **dict.fromkeys(("codename", "code name", "name"), ("name", NAME)),
    **dict.fromkeys(("project name",), ("name", NAME)),
    **dict.fromkeys(("capital",), ("capital", NAME)),
    **dict.fromkeys(
        ("theme color", "theme colour", "brand color", "brand colour", "primary color", "primary colour"),
        ("color", "short"),
    ),
}
PEOPLE = ("owner", "maintainer", "lead", "assignee")
ATTRIBUTE = (
    "(?P<a>"
    + "|".join(sorted((re.escape(each).replace(r"\ ", r"\s+") for each in ATTRIBUTES), key=len, reverse=True))
    + ")"
)
_TOOLS = (
    "postgres postgresql mysql mariadb sqlite redis mongo mongodb cassandra duckdb clickhouse dynamodb django "
    "flask fastapi rails laravel spring express nextjs react vue svelte angular pytest unittest jest vitest mocha "
    "npm pnpm yarn bun uv pip poetry conda cargo maven gradle bazel make cmake webpack vite rollup esbuild ruff "
    "black prettier eslint pylint flake8 biome gofmt mypy vim neovim emacs nano helix vscode intellij pycharm zed "
    "zsh bash fish nushell tmux linux macos windows ubuntu debian fedora arch docker podman kubernetes nomad "
    "terraform ansible aws gcp azure heroku netlify vercel fly mit apache gpl bsd agpl proprietary python ruby "
    "rust go java kotlin typescript javascript elixir erlang scala haskell php perl swift"
)
THE = r"(?:(?:the|our|my)\s+)"
THING = r"(?P<s>" + THE + r"?[`\w][\w./+#@`-]*(?:\s+[\w./+#@`-]+){0,3}?)"
NP = r"[\w./+#@-]+(?:\s+[\w./+#@-]+){0,3}?"
PART = (
    r"(?:service|worker|app|cli|api|server|module|package|library|lib|job|pipeline|front-?end|back-?end|client"
    r"|plugin|crate|container|script|build|tool|daemon|gateway|bot|site|website|stack)"
)
KNOWN_TOOLS = frozenset(_TOOLS.split())
"""Tools that are often written in lower case, where nothing else tells that a word is a name."""
STATES = (
    r"(?:down|up|live|deprecated|archived|read-only|green|red|broken|done|closed|open|frozen|blocked"
    r"|finished|completed?|shipped|released|merged|offline|online|disabled|enabled|deployed|stable|paused"
    r"|retired"
    r"|obsolete|in\s+(?:beta|alpha|maintenance(?:\s+mode)?|production|review|progress|staging)"
    r"|end[- ]of[- ]life|unmaintained|feature-complete|approved|rejected|cancell?ed|on\s+hold|decommissioned"
    r"|sunset)"
)


def is_tool(said: str) -> bool:
    return said.lower() in KNOWN_TOOLS or (
        named(said) and len(said.split()) <= 4 and not compiled(r"(?i)^(?:not|too|very|so|on|in|at)\b").match(said)
    )


FITS: Final[dict[str, Check]] = {
    "digits": lambda said: bool(compiled(r"(?:v\.?\s?)?\d").search(said)) and len(said.split()) <= 4,
    _WORD: lambda said: (
        " " not in said
        and not compiled(
            r"(?i)^(?:not|broken|wrong|slow|missing|protected|gone|clean|dirty|locked|red|green"
            r"|failing|ahead|behind|stale|empty|required|optional|different|unclear)$"
        ).match(said)
    ),
    _THING: is_tool,
    "tool": is_tool,
    "address": lambda said: " " not in said and bool(compiled(r"\w[.:@/]\w|^localhost$").search(said)),
    "zone": lambda said: len(said) <= 40 and bool(compiled(r"[A-Z]{2}|[A-Z]\w+/\w+|[+-]\d").search(said)),
    NAME: lambda said: (
        len(said.split()) <= 4
        and (
            said[0].isupper()
            or bool(compiled(r"(?i)^[\w-]+(?:\s[\w-]+)?\s(?:team|squad|guild)$|^[\w.]+[-_.]\w+$").match(said))
        )
    ),
    _STATUS: lambda said: bool(
        compiled(
            f"(?i)^(?:{STATES}|active|inactive|pending|ready|stalled|planned|delayed|final|draft|[a-z-]+ing|[a-z-]+ed)$"
        ).match(said)
    ),
    "short": lambda said: (
        len(said.split()) <= 3
        and not compiled(r"(?i)^(?:not|wrong|off|broken|too|inconsistent|messed|important|required|bad)\b").match(said)
    ),
}
_QUANTITY = (
    r"(?i)(?:[$€£]\s?)?\d[\d.,:_]*(?:\s?-\s?\d[\d.,]*)?\s?(?:[$€£%]|(?:k|m|kb|mb|gb|tb|ms|s|h|min|mins"
    r"|minutes?|seconds?|secs?|hours?|days?|weeks?|months?|years?|characters?|chars|columns?|requests?"
    r"|dollars|euros|usd|eur"
    r"|bytes?|items?|rows?|calls?|spaces|percent|megabytes?|gigabytes?)\b)?(?:\s?(?:(?:per|an?|every)\s"
    r"|/\s?)(?:second|minute|hour|day|week|month|year|user|request|s|min|h|client)\b)?(?:\s(?:rpm|rps|qps))?"
)
CUES = " ".join(
    sorted(
        {"+".join(dict.fromkeys((each.split()[0], each.split()[-1]))) for each in ATTRIBUTES}
        - {
            "name",
            "lead",
            "state",
            "phone",
            "address",
            "limit",
            "price",
            "capital",
            "number",
            "host",
            "email",
            "budget",
            "start",
        }
        | {
            f"{word}+is"
            for word in (
                "name",
                "lead",
                "state",
                "phone",
                "address",
                "limit",
                "price",
                "capital",
                "host",
                "email",
                "budget",
            )
        }
        | {f"{word}+to" for word in ("state", "limit", "price", "budget", "name", "email", "address")}
    )
)


def fit(say: Saying, start: int, kind: str) -> tuple[int, int] | None:
    """Return the span of a value of a kind of attribute at `start`, or None where what stands there cannot be one."""
    if kind == DATE:
        return date_at(say, start)
    if kind == _NUMBER:
        found = compiled(_QUANTITY).match(say.folded, start, say.stop) or compiled(r"\+?\d[\d -]{5,}").match(
            say.folded, start, say.stop
        )
        return trimmed(say, *found.span(), dated=False) if found else None
    span = value(say, start, "word") if kind in ("address", _WORD) else value(say, start)
    return span if span and FITS[kind](say.text[slice(*span)]) else None


def date_at(say: Saying, start: int) -> tuple[int, int] | None:
    """Return the date that stands at `start`, at most a preposition away; "end of Q3" is one, too."""
    lead = compiled(r"(?i)(?:(?:on|at|in|for|by|the|end\s+of|mid|early|late|until|around)[\s-]+)*").match(
        say.folded, start, say.stop
    )
    place = lead.end() if lead else start
    for mention in say.mentions:
        if start <= mention.start <= place or mention.start <= place < mention.end:
            return max(start, mention.start), mention.end
    return None
