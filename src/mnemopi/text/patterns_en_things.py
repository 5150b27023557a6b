"""What is said about things, in English: their port, version, owner, deadline; what they use, and what became of them.

Rules for `text.patterns`. An attribute takes only what can be its value (a port a number, an owner a name), so that
"our database is slow" says nothing about which it is. Dates of meetings and what happened on a day are events.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mnemopi.text.claim_rules import LONGEST, Check, Draft, Rule, Saying, named, says, subject_of, trimmed, value
from mnemopi.text.date_rules import compiled
from mnemopi.text.patterns_en import is_kin

_NUMBER = "number"
_DATE = "date"
_WORD = "word"
_NAME = "name"
_THING = "thing"
_STATUS = "status"

_ATTRIBUTES: Final[dict[str, tuple[str, str]]] = {
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
    **dict.fromkeys(("owner", "product owner", "code owner"), ("owner", _NAME)),
    **dict.fromkeys(("maintainer",), ("maintainer", _NAME)),
    **dict.fromkeys(("lead", "tech lead", "team lead"), ("lead", _NAME)),
    **dict.fromkeys(("assignee",), ("assignee", _NAME)),
    **dict.fromkeys(("status", "state"), ("status", _STATUS)),
    **dict.fromkeys(("deadline", "cutoff", "submission deadline"), ("deadline", _DATE)),
    **dict.fromkeys(("due date",), ("due_date", _DATE)),
    **dict.fromkeys(("release date", "ship date"), ("release_date", _DATE)),
    **dict.fromkeys(("launch date", "go-live date"), ("launch_date", _DATE)),
    **dict.fromkeys(("start date",), ("start_date", _DATE)),
    **dict.fromkeys(("end date",), ("end_date", _DATE)),
    **dict.fromkeys(("birthday",), ("birthday", _DATE)),
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
    **dict.fromkeys(("codename", "code name", "name"), ("name", _NAME)),
    **dict.fromkeys(("project name",), ("name", _NAME)),
    **dict.fromkeys(("capital",), ("capital", _NAME)),
    **dict.fromkeys(("theme color", "theme colour", "brand color", "brand colour", "primary color", "primary colour"), ("color", "short")),
}
_PEOPLE = ("owner", "maintainer", "lead", "assignee")
_ATTR = "(?P<a>" + "|".join(sorted((re.escape(each).replace(r"\ ", r"\s+") for each in _ATTRIBUTES), key=len, reverse=True)) + ")"
_IS = (
    r"(?:\s+(?:is|are|will\s+be|remains|stays)(?:\s+(?:now|currently|still|set\s+to|always|called|going\s+to\s+be|officially|on|at|just|actually))*(?:\s*:)?"
    r"|\s*=|\s*:"
    r"|\s+(?:(?:has|have|was|is|got|been|being|just|gets)\s+){0,3}(?:changed|moved|bumped|raised|lowered|increased|decreased|reduced|updated|set|switched|pushed|postponed|delayed"
    r"|extended|brought\s+forward|slipped|shifted|rescheduled|upgraded|renamed|went|moves|changes|dropped)(?:\s+(?:back|up|down|out|again))?(?:\s+from\s+(?P<x>.{1,40}?))?\s+(?:to|until|till)"
    r")\s+(?:the\s+)?(?P<o>\S)"
)
_NP = r"[\w./+#@-]+(?:\s+[\w./+#@-]+){0,3}?"
_THE = r"(?:(?:the|our|my)\s+)"
_S = r"(?P<s>" + _THE + r"?[`\w][\w./+#@`-]*(?:\s+[\w./+#@`-]+){0,3}?)"
_NEW = r"(?:(?:new|current|latest|official|actual|final|max|maximum|default)\s+)?"

_KNOWN_TOOLS = frozenset(
    "postgres postgresql mysql mariadb sqlite redis mongo mongodb cassandra duckdb clickhouse dynamodb django flask fastapi rails laravel spring express nextjs react vue svelte angular"
    " pytest unittest jest vitest mocha npm pnpm yarn bun uv pip poetry conda cargo maven gradle bazel make cmake webpack vite rollup esbuild ruff black prettier eslint pylint flake8 biome gofmt mypy"
    " vim neovim emacs nano helix vscode intellij pycharm zed zsh bash fish nushell tmux linux macos windows ubuntu debian fedora arch docker podman kubernetes nomad terraform ansible"
    " aws gcp azure heroku netlify vercel fly mit apache gpl bsd agpl proprietary python ruby rust go java kotlin typescript javascript elixir erlang scala haskell php perl swift".split()
)
_STATES = (
    r"(?:down|up|live|deprecated|archived|read-only|green|red|broken|done|closed|open|frozen|blocked|finished|completed?|shipped|released|merged|offline|online|disabled|enabled|deployed|stable|paused|retired"
    r"|obsolete|in\s+(?:beta|alpha|maintenance(?:\s+mode)?|production|review|progress|staging)|end[- ]of[- ]life|unmaintained|feature-complete|approved|rejected|cancell?ed|on\s+hold|decommissioned|sunset)"
)
_LASTING = r"(?:down|live|deprecated|archived|read-only|frozen|retired|obsolete|offline|in\s+(?:beta|alpha|maintenance(?:\s+mode)?)|end[- ]of[- ]life|unmaintained|feature-complete|cancell?ed|on\s+hold|decommissioned)"


def _a_tool(said: str) -> bool:
    return said.lower() in _KNOWN_TOOLS or (named(said) and len(said.split()) <= 4 and not compiled(r"(?i)^(?:not|too|very|so|on|in|at)\b").match(said))


_FITS: Final[dict[str, Check]] = {
    "digits": lambda said: bool(compiled(r"(?:v\.?\s?)?\d").search(said)) and len(said.split()) <= 4,
    _WORD: lambda said: " " not in said and not compiled(r"(?i)^(?:not|broken|wrong|slow|missing|protected|gone|clean|dirty|locked|unknown|red|green|failing|ahead|behind|stale|empty|required|optional|different|unclear)$").match(said),
    _THING: _a_tool,
    "tool": _a_tool,
    "address": lambda said: " " not in said and bool(compiled(r"\w[.:@/]\w|^localhost$").search(said)),
    "zone": lambda said: len(said) <= 40 and bool(compiled(r"[A-Z]{2}|[A-Z]\w+/\w+|[+-]\d").search(said)),
    _NAME: lambda said: len(said.split()) <= 4 and (said[0].isupper() or bool(compiled(r"(?i)^[\w-]+(?:\s[\w-]+)?\s(?:team|squad|guild)$|^[\w.]+[-_.]\w+$").match(said))),
    _STATUS: lambda said: bool(compiled(f"(?i)^(?:{_STATES}|active|inactive|pending|ready|stalled|unknown|planned|delayed|final|draft|[a-z-]+ing|[a-z-]+ed)$").match(said)),
    "short": lambda said: len(said.split()) <= 3 and not compiled(r"(?i)^(?:not|wrong|off|broken|too|inconsistent|messed|important|required|unknown|bad)\b").match(said),
}
_QUANTITY = (
    r"(?i)(?:[$€£]\s?)?\d[\d.,:_]*(?:\s?-\s?\d[\d.,]*)?\s?(?:[$€£%]|(?:k|m|kb|mb|gb|tb|ms|s|h|min|mins|minutes?|seconds?|secs?|hours?|days?|weeks?|months?|years?|characters?|chars|columns?|requests?|dollars|euros|usd|eur"
    r"|bytes?|items?|rows?|calls?|spaces|percent|megabytes?|gigabytes?)\b)?(?:\s?(?:(?:per|an?|every)\s|/\s?)(?:second|minute|hour|day|week|month|year|user|request|s|min|h|client)\b)?(?:\s(?:rpm|rps|qps))?"
)


def _fit(say: Saying, start: int, kind: str) -> tuple[int, int] | None:
    """Return the span of a value of a kind of attribute at `start`, or None where what stands there cannot be one."""
    if kind == _DATE:
        return _date_at(say, start)
    if kind == _NUMBER:
        found = compiled(_QUANTITY).match(say.folded, start, say.stop) or compiled(r"\+?\d[\d -]{5,}").match(say.folded, start, say.stop)
        return trimmed(say, *found.span(), dated=False) if found else None
    if kind in ("address", _WORD):
        span = value(say, start, "word")
    else:
        span = value(say, start)
    return span if span and _FITS[kind](say.text[slice(*span)]) else None


def _date_at(say: Saying, start: int) -> tuple[int, int] | None:
    """Return the date that stands at `start`, at most a preposition away; "end of Q3" is one, too."""
    lead = compiled(r"(?i)(?:(?:on|at|in|for|by|the|end\s+of|mid|early|late|until|around)[\s-]+)*").match(say.folded, start, say.stop)
    place = lead.end() if lead else start
    for mention in say.mentions:
        if start <= mention.start <= place or mention.start <= place < mention.end:
            return max(start, mention.start), mention.end
    return None


def _attribute(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "the API server's port is 8443": thing, attribute, value."""
    predicate, kind = _ATTRIBUTES[" ".join(found["a"].lower().split())]
    groups = found.groupdict()
    subject: str | None = None
    if groups.get("s"):
        said = groups["s"]
        subject = subject_of(said if groups.get("own") is None else f"{groups['own']} {said}")
        if subject is None:
            return
        if compiled(r"(?i)^(?:new|current|old|latest|official|previous|former|next|default|same|main|wrong|original|last|first)$").match(subject):
            if compiled(r"(?i)^(?:old|previous|former|wrong|original|same|last|first)$").match(subject):
                return
            subject = None
    span = _fit(say, found.start("o"), kind)
    if span is None or (subject is None and predicate in ("name", "capital", "price", "status")):
        return
    moved = "moved" in found[0].lower() or bool(groups.get("x"))
    related = predicate in _PEOPLE or (subject is not None and is_kin(subject))
    yield Draft("relation" if related else "identity" if predicate in ("email", "phone", "timezone", "birthday") and subject is None else "fact", predicate, *span, subject, dated=moved and kind != _DATE)


def _status(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    if subject := subject_of(found["s"]):
        yield Draft("fact", "status", *found.span("o"), subject)


def _is_now(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    subject, span = subject_of(found["s"]), value(say, found.start("o"))
    if subject and span and named(say.text[slice(*span)]):
        yield Draft("fact", "is", *span, subject, dated=True, confidence=0.6)


def _someone(said: str) -> bool:
    return _FITS[_NAME](said) and not compiled(r"(?i)^(?:the|it|this|that)\b").match(said)


def _responsible(found: re.Match[str], say: Saying, predicate: str = "owner") -> Iterator[Draft]:
    """Read "Dana owns the billing module": the thing is the subject, the person the object."""
    who = trimmed(say, *found.span("who"))
    thing = value(say, found.start("s"))
    if who is None or thing is None or not _person(say.text[slice(*who)]):
        return
    subject = subject_of(say.folded[found.start("s") : thing[1]])
    if subject and len(subject.split()) <= 5:
        yield Draft("relation", predicate, *who, subject)


def _person(said: str) -> bool:
    return said[0].isupper() and len(said.split()) <= 3 and subject_of(said) is not None or bool(compiled(r"(?i)^(?:the\s+)?[\w-]+\s(?:team|squad|guild)$").match(said))


def _renamed(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    old = found["old"] if found.groupdict().get("old") else found["s"]
    subject, span = subject_of("the " + compiled(r"(?i)^(?:the|our|my)\s+").sub("", old)), value(say, found.start("o"))
    if subject and span and len(say.text[slice(*span)].split()) <= 4:
        kept = compiled(r"(?i)\s+(?:package|module|repo|repository|branch|project|service|folder|directory|function|class|table|app|column|variable)$").sub("", subject).strip("`\"'")
        yield Draft("fact", "name", *span, kept, dated=True)


def _instead(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    subject, span = subject_of(found["s"]), value(say, found.start("o"))
    if subject and span and len(say.text[slice(*span)].split()) <= 5:
        yield Draft("relation", "replaced_by", *span, subject, dated=True)


_OCCASION = (
    r"(?:meeting|call|demo|review|retro(?:spective)?|stand-?up|sync|workshop|interview|appointment|conference|launch|release|party|wedding|flight|trip|exam|presentation|kick-?off|offsite|town\s+hall|training|webinar|migration"
    r"|cutover|go-live|planning|dinner|concert|hackathon|audit|rehearsal|graduation|surgery|check-?up|deployment|maintenance\s+window|code\s+freeze|hearing|defen[cs]e|1:1|one-on-one|all-hands|game|match|recital|reunion)"
)
_NAMED = r"(?P<s>(?:(?!is\b|was\b|on\b|at\b)[\w.'-]+\s+){0,3}?" + _OCCASION + r"(?:\s+(?:with|of|for)\s+(?!\d)(?:the\s+)?[\w&.'-]+(?:\s(?-i:[A-Z])[\w&.'-]*){0,2})?)"


def _occasion(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "the demo moved to Thursday", "I have a dentist appointment on 18 March"."""
    span = _date_at(say, found.start("o"))
    subject = found["s"].strip()
    if span and say.ahead(span[0]) and not compiled(r"(?i)\b(?:last|previous|no|any|every|each|next|this)\b").match(subject):
        subject = compiled(r"(?i)^(?:a|an|the|our|my|another)\s+").sub("", subject)
        yield Draft("event", "date", *span, subject)


def _due(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    span, subject = _date_at(say, found.start("o")), subject_of(found["s"])
    if span and subject:
        verb = found["verb"].lower()
        predicate = "due_date" if "due" in verb else "start_date" if verb.startswith("start") else "end_date" if verb.startswith("end") else "release_date"
        yield Draft("fact", predicate, *span, subject)


_DID = (
    r"met|visited|went|attended|started|finished|launched|shipped|released|deployed|signed|bought|sold|adopted|married|graduated|ran|won|joined|left|moved|completed|passed|failed|gave|presented|published|merged|migrated|celebrated|travell?ed|flew|drove"
    r"|hired|founded|quit|retired|had|saw|booked|held|hosted|broke|got|took|opened|closed|submitted|delivered|interviewed|defended|upgraded|switched|lost|planted|climbed|hiked"
)


def _did(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "we released version 2.0 on 3 March": what was done, from the verb to the date."""
    for mention in say.mentions:
        if mention.relation or mention.start < found.end("verb") or mention.start > found.end("verb") + LONGEST:
            continue
        if compiled(r"[,;:\x00]|\s-\s|\b(?:and|but|because|so|which|if|when|that|who|it|them|him|her|us|this|these|those)\b").search(say.folded, found.end("verb"), mention.start):
            return
        if (span := trimmed(say, found.start("verb"), mention.start + 1)) and span[1] > found.end("verb"):
            yield Draft("event", "did", *span, dated=True)
        return


_FROM_TO = r"\s+(?:from\s+(?P<x>.{1,40}?)\s+)?to\s+(?P<o>\S)"
_CHANGED = r"(?:change|update|switch|set|bump|raise|lower|increase|decrease|reduce|extend|move|push|upgrade|downgrade)"
_ATTR_CUES = " ".join(sorted({"+".join(dict.fromkeys((each.split()[0], each.split()[-1]))) for each in _ATTRIBUTES} - {"name", "lead", "state", "phone", "address", "limit", "price", "capital", "number", "host", "email", "budget", "start"} | {f"{word}+is" for word in ("name", "lead", "state", "phone", "address", "limit", "price", "capital", "host", "email", "budget")} | {f"{word}+to" for word in ("state", "limit", "price", "budget", "name", "email", "address")}))

_ON = r"\s+(?:now\s+|still\s+|also\s+)?(?:depends|relies)\s+(?:heavily\s+)?(?:up)?on\s+"
_PART = r"(?:service|worker|app|cli|api|server|module|package|library|lib|job|pipeline|front-?end|back-?end|client|plugin|crate|container|script|build|tool|daemon|gateway|bot|site|website|stack)"

RULES: Final = (
    Rule(_ATTR_CUES, r"(?P<s>(?:(?:the|our|my)\s+)?[\w./+#@-]+(?:\s+[\w./+#@-]+){0,3}?)'s?\s+" + _NEW + _ATTR + _IS, _attribute),
    Rule(_ATTR_CUES, r"(?:(?:the|our)\s+)?" + _NEW + _ATTR + r"\s+(?:of|for|on|in)\s+(?P<own>the|our|my)?\s*(?P<s>" + _NP + r")" + _IS, _attribute),
    Rule(_ATTR_CUES, r"(?P<own>the|our|my)\s+(?:(?P<s>" + _NP + r")\s+)??" + _NEW + _ATTR + _IS, _attribute),
    Rule(_ATTR_CUES, r"(?P<s>(?-i:[A-Z])[\w./+#-]*(?:\s(?-i:[A-Z])[\w./+#-]*)?)\s+" + _ATTR + _IS, _attribute),
    Rule(_ATTR_CUES, _NEW + _ATTR + _IS, _attribute),
    Rule(_ATTR_CUES, _CHANGED + r"\s+(?:the|our|my)\s+" + _NEW + r"(?:(?P<s>" + _NP + r")\s+)??" + _ATTR + r"\s+from\s+(?P<x>.{1,40}?)\s+to\s+(?P<o>\S)", _attribute),
    Rule(_ATTR_CUES, _CHANGED + r"\s+(?:the|our|my)\s+" + _NEW + _ATTR + r"\s+(?:of|for|on|in)\s+(?P<own>the|our|my)?\s*(?P<s>" + _NP + r")\s+from\s+(?P<x>.{1,40}?)\s+to\s+(?P<o>\S)", _attribute),
    Rule(
        _ATTR_CUES,
        r"(?:I|we)(?:'ve|\s+have)?\s+(?:just\s+|now\s+)?(?:changed|updated|switched|set|bumped|raised|lowered|increased|decreased|reduced|extended|moved|pushed|upgraded|downgraded)\s+(?:back\s+)?(?P<own>the|our|my)\s+"
        + _NEW + r"(?:(?P<s>" + _NP + r")\s+)??" + _ATTR + r"(?:\s+back)?" + _FROM_TO,
        _attribute,
    ),
    Rule("port listens runs+on listening running+on", _S + r"\s+(?:(?:is\s+)?(?:now\s+|currently\s+)?(?:listens|listening|runs|running|lives|sits|is)\s+(?:now\s+)?on\s+(?:port\s+)?)(?P<o>\d{2,5})\b(?![.:]\d)", says("fact", "port", "word")),
    Rule("binds exposes exposed", _S + r"\s+(?:binds\s+to|exposes|is\s+exposed\s+on)\s+port\s+(?P<o>\d{2,5})\b", says("fact", "port", "word")),
    Rule("runs+on running+on", _S + r"\s+(?:is\s+)?(?:now\s+)?(?:runs|running)\s+on\s+(?!port)(?P<o>\S)", says("fact", "runs_on", check=named)),
    Rule("uses is+using", _S + r"\s+(?:now\s+|currently\s+|still\s+|is\s+(?:now\s+)?using\s+)?(?:uses\s+)?(?<=(?:uses|sing)\s)(?P<o>\S)", says("fact", "uses", many=True, check=lambda said: len(said.split()) <= 4 and (named(said) or said.lower() in _KNOWN_TOOLS))),
    Rule("depends relies", _S + _ON + r"(?P<o>(?=the\s|our\s|`|(?-i:[A-Z])|\w*[-_./\d])\S)", says("relation", "depends_on", many=True)),
    Rule("depends relies", r"(?P<s>" + _THE + r"(?:[\w-]+\s+){0,2}" + _PART + r"|[\w.]+[-_./]\w[\w./-]*)" + _ON + r"(?P<o>\S)", says("relation", "depends_on", many=True, check=lambda said: " " not in said)),
    Rule("written implemented", _S + r"\s+(?:is|are)\s+(?:mostly\s+|entirely\s+|now\s+|currently\s+)?(?:written|implemented)\s+in\s+(?P<o>\S)", says("fact", "language", check=_a_tool)),
    Rule("is+built are+built", _S + r"\s+(?:is|are)\s+(?:mostly\s+|entirely\s+|now\s+|currently\s+)?built\s+(?:with|on|in|using)\s+(?P<o>\S)", says("fact", "uses", many=True, check=_a_tool)),
    Rule("hosted deployed", _S + r"\s+(?:is|are)\s+(?:now\s+|currently\s+)?(?:hosted|deployed)\s+(?:on|at|to|in|with|via)\s+(?P<o>\S)", says("fact", "hosted_on", check=_a_tool)),
    Rule("owned", _S + r"\s+(?:is|are)\s+(?:now\s+|currently\s+)?owned\s+by\s+(?P<o>\S)", says("relation", "owner", check=_someone)),
    Rule("maintained", _S + r"\s+(?:is|are)\s+(?:now\s+|currently\s+)?maintained\s+by\s+(?P<o>\S)", says("relation", "maintainer", check=_someone)),
    Rule("led headed", _S + r"\s+(?:is|are)\s+(?:now\s+)?(?:led|headed)\s+by\s+(?P<o>\S)", says("relation", "lead", check=_someone)),
    Rule("assigned", _S + r"\s+(?:is|was)\s+(?:now\s+)?assigned\s+to\s+(?P<o>\S)", says("relation", "assignee", check=_someone)),
    Rule("leads heads", r"(?P<who>[\w'-]+(?:\s(?-i:[A-Z])[\w'-]+)?)\s+(?:now\s+|currently\s+)?(?:leads|heads)\s+(?P<s>(?:the|our)\s+\S)", lambda found, say: _responsible(found, say, "lead")),
    Rule("ownership", r"(?:the\s+)?ownership\s+of\s+(?P<s>(?:the|our)?\s*" + _NP + r")\s+(?:has\s+|was\s+|is\s+)?(?:now\s+)?(?:moved|moves|transferred|passed|goes|went|handed\s+over|with)\s+(?:to\s+)?(?P<o>\S)", says("relation", "owner", check=_someone)),
    Rule("belongs", _S + r"\s+(?:now\s+)?belongs\s+to\s+(?P<o>\S)", says("relation", "owner", check=_someone)),
    Rule(
        "owns maintains responsible charge takes+over took+over taking+over taken+over",
        r"(?P<who>(?:the\s+)?[\w'-]+(?:\s[\w'-]+){0,2}?)\s+(?:(?:now|currently)\s+)?(?:owns|maintains|is\s+(?:now\s+|currently\s+)?(?:responsible\s+for|in\s+charge\s+of)|takes\s+over|took\s+over|is\s+taking\s+over|has\s+taken\s+over)\s+(?P<s>(?:the|our|my)?\s*\S)",
        _responsible,
    ),
    Rule("deprecated superseded replaced", _S + r"\s+(?:is|are|was|has\s+been|got|is\s+being)\s+(?:now\s+)?(?:deprecated\s+in\s+favou?r\s+of|superseded\s+by|replaced\s+(?:by|with)|deprecated,?\s+(?:so\s+)?use)\s+(?P<o>\S)", _instead),
    Rule("renamed", r"(?:(?:I|we)(?:'ve|\s+have)?\s+(?:just\s+)?)renamed\s+(?:(?:the|our)\s+\w+\s+from\s+)?(?P<s>.{1,50}?)\s+(?:to|into|as)\s+(?P<o>\S)", _renamed),
    Rule("renamed", _S + r"\s+(?:is|was|has\s+been|got)\s+(?:now\s+)?renamed\s+(?:from\s+(?P<old>.{1,40}?)\s+)?(?:to\s+|into\s+)?(?P<o>\S)", _renamed),
    Rule("now+called now+named now+known", _S + r"\s+is\s+now\s+(?:called|named|known\s+as)\s+(?P<o>\S)", _renamed),
    Rule("is+now are+now", _S + r"\s+(?:is|are)\s+now\s+(?P<o>" + _STATES + r")(?=\s*(?:$|[.,;!)]|again\b|for\b|since\b|and\b|until\b|as\b))", _status),
    Rule("down live deprecated archived read-only frozen retired obsolete offline end-of-life unmaintained feature-complete cancelled canceled hold beta alpha maintenance decommissioned", _S + r"\s+(?:is|are|has\s+been|was)\s+(?P<o>" + _LASTING + r")(?=\s*(?:$|[.,;!)]|again\b|for\b|since\b|until\b|as\b))", _status),
    Rule(" ".join("meeting call demo review retro retrospective standup stand-up sync workshop interview appointment conference launch release party wedding flight trip exam presentation kickoff offsite hall training webinar migration cutover go-live planning dinner concert hackathon audit rehearsal graduation surgery checkup check-up deployment window freeze hearing all-hands game match recital reunion".split()),
         r"(?:(?:the|our|my)\s+)?" + _NAMED + r"(?:\s+(?:is|will\s+be|takes\s+place|has\s+been|was|got|gets|starts|happens|moved|moves|has)(?:\s+(?:now|moved|pushed|postponed|rescheduled|scheduled|set|planned|back|been|happening|out|again|shifted|delayed))*)(?:\s+(?:on|at|for|to|in|until))?\s+(?P<o>\S)", _occasion),
    Rule("meeting call demo review retro retrospective standup stand-up sync workshop interview appointment conference launch release party wedding flight trip exam presentation kickoff offsite hall training webinar migration planning dinner concert hackathon audit rehearsal graduation surgery checkup check-up deployment hearing all-hands game match recital reunion",
         r"(?:I|we)(?:'ve|\s+have)?\s+(?:just\s+|also\s+)?(?:have|got|scheduled|booked|arranged|set\s+up)\s+(?:a|an|the|our|my|another)\s+" + _NAMED + r"(?:\s+(?:scheduled|booked|coming\s+up))?\s+(?:(?:on|at|for|in)\s+)?(?P<o>\S)", _occasion),
    Rule("due ships launches goes+live starts ends be+released scheduled expires will+ship will+launch", _S + r"\s+(?P<verb>(?:is|are|was)\s+(?:now\s+)?due|ships|launches|goes\s+live|starts|ends|expires|will\s+(?:ship|launch|be\s+released|go\s+live)|(?:is|are)\s+scheduled)\s+(?:(?:on|for|in|by|at)\s+)?(?P<o>\S)", _due),
    Rule(" ".join(f"i+{verb} we+{verb}" for verb in _DID.replace("l?", "l").split("|")), r"(?:I|we)(?:\s+(?:finally|just|both|also|recently|actually|officially))?\s+(?P<verb>" + _DID + r")\s", _did),
    Rule("works", r"(?P<s>(?:my\s+)?[\w'-]+(?:\s(?-i:[A-Z])[\w'-]+|\s(?:wife|brother|sister|in-law))?)\s+(?:now\s+)?works\s+(?:at|for)\s+(?P<o>(?-i:[A-Z])\S)", says("fact", "employer", check=named)),
    Rule("lives", r"(?P<s>(?:my\s+)?[\w'-]+(?:\s(?-i:[A-Z])[\w'-]+|\s(?:wife|brother|sister|in-law))?)\s+(?:now\s+)?lives\s+in\s+(?P<o>(?-i:[A-Z])\S)", says("fact", "location", check=named)),
    Rule("https http com net org io dev app local localhost internal", _S + r"\s+(?:is|are|lives)\s+(?:now\s+)?(?:at|available\s+at|reachable\s+at|under)\s+(?P<o>(?:https?://|[\w-]+\.[\w-]+\.?\w)\S*)", says("fact", "url", "word")),
    Rule("is+now are+now", _S + r"\s+(?:is|are)\s+now\s+(?!a\s|not\b|too\b|very\b|in\s+(?:the|my)|going|being|working|gone|fixed|able|possible|clear|ok\b|okay|fine|about|at\b|ready|passing|failing|running|what)(?P<o>\S)", _is_now),
)


