"""The shapes vendors gave their credentials: what can be told from the characters alone.

A rule is a literal anchor, which must be in the text before the pattern is even compiled, and a pattern. Where
the pattern has a group called `secret`, only that group is secret and what stands around it stays. Boundaries are
spelled as ASCII classes: a token that touches Chinese or Japanese text is still a token.

Every pattern fails within a bounded number of steps of its anchor, or scans a run at most once, so that a hostile
text costs linear time. What needs the name of a variable beside it, not the shape of the value, is in
`redact_pairs`. Public halves (publishable keys, SSH public keys, certificates) are not secrets and have no rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from mnemopi.model.values import dataclass

_EDGE = "(?<![A-Za-z0-9])"
_ALNUM = "[A-Za-z0-9]"
_WORD = "[A-Za-z0-9_-]"
_DOTTED = "[A-Za-z0-9_.-]"
_BASE64 = "[A-Za-z0-9+/=_-]"
_HEX = "[0-9a-f]"
_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

# Begins a PEM block; tested apart from the anchors because its words are short.
PEM_ANCHOR = "PRIVATE KEY"

# No vendor's credential, PEM blocks aside, is a word shorter than this.
SHORTEST = 14


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of credential, the literal its text must hold, and its pattern."""

    kind: str
    anchor: str
    pattern: str

    def spans(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield (start, end, kind) of each credential in the text."""
        pattern = _compiled(self.pattern)
        group = "secret" if "secret" in pattern.groupindex else 0
        for match in pattern.finditer(text):
            yield match.start(group), match.end(group), self.kind


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


def _prefixed(kind: str, prefixes: str, tail: str) -> Iterator[Rule]:
    """Make the rules of the commonest form: a prefix that no other word has, and what follows it."""
    for prefix in prefixes.split():
        literal = re.escape(prefix)
        # The edge is looked for behind the prefix: the engine then skips through the text by the literal.
        yield Rule(kind, prefix, f"{literal}(?<![A-Za-z0-9]{literal}){tail}")


# Kind, prefixes, the characters that may follow, and how many there are at the least.
_OPEN: tuple[tuple[str, str, str, int], ...] = (
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", _ALNUM, 20),
    ("github-token", "github_pat_", "[A-Za-z0-9_]", 20),
    ("gitlab-token", "glpat- gldt- glrt- glcbt- glptt- glft- gloas- glsoat-", _WORD, 16),
    ("google-api-key", "AIza", _WORD, 30),
    ("google-oauth-secret", "GOCSPX-", _WORD, 20),
    ("google-oauth-token", "ya29.", _WORD, 20),
    ("google-refresh-token", "1//0", _WORD, 30),
    ("slack-token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxc- xoxd- xoxe- xapp-", "[A-Za-z0-9-]", 10),
    ("slack-token", "xoxe.", "[A-Za-z0-9.-]", 10),
    ("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_", _ALNUM, 10),
    ("stripe-webhook-secret", "whsec_", _BASE64, 20),
    ("anthropic-key", "sk-ant-", _WORD, 16),
    ("openrouter-key", "sk-or-", _WORD, 16),
    ("openai-key", "sk-proj- sk-svcacct- sk-admin-", _WORD, 12),
    ("openai-key", "sk-", _ALNUM, 20),
    ("huggingface-token", "hf_ api_org_", _ALNUM, 30),
    ("npm-token", "npm_", _ALNUM, 30),
    ("pypi-token", "pypi-", _WORD, 30),
    ("rubygems-key", "rubygems_", _HEX, 40),
    ("docker-token", "dckr_pat_ dckr_oat_", _WORD, 20),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", _HEX, 32),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_", "[0-9a-fA-F]", 32),
    ("square-token", "sq0atp- sq0csp-", _WORD, 20),
    ("linear-key", "lin_api_ lin_oauth_", _ALNUM, 32),
    ("notion-token", "secret_ ntn_", _ALNUM, 40),
    ("atlassian-token", "ATATT3 ATCTT3", _BASE64, 40),
    ("bitbucket-token", "ATBB", _ALNUM, 28),
    ("vault-token", "hvs. hvb. hvr.", _WORD, 20),
    ("grafana-token", "glsa_ glc_", _BASE64, 32),
    ("newrelic-key", "NRAK- NRII-", _WORD, 20),
    ("sentry-token", "sntrys_ sntryu_", _BASE64, 30),
    ("groq-key", "gsk_", _ALNUM, 30),
    ("replicate-token", "r8_", _ALNUM, 30),
    ("perplexity-key", "pplx-", _ALNUM, 30),
    ("xai-key", "xai-", _ALNUM, 40),
    ("nvidia-key", "nvapi-", _WORD, 40),
    ("cerebras-key", "csk-", _ALNUM, 30),
    ("tavily-key", "tvly-", _WORD, 20),
    ("pinecone-key", "pcsk_", "[A-Za-z0-9_]", 30),
    ("jina-key", "jina_", _WORD, 30),
    ("together-key", "tgp_v1_", _WORD, 30),
    ("langsmith-key", "lsv2_pt_ lsv2_sk_", "[0-9a-f_]", 32),
    ("doppler-token", "dp.pt. dp.ct. dp.scim.", _ALNUM, 30),
    ("doppler-token", "dp.st.", _DOTTED, 30),
    ("fly-token", "fo1_ fm1_ fm2_", _BASE64, 30),
    ("age-key", "AGE-SECRET-KEY-", "[0-9A-Z]", 40),
    ("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", _DOTTED, 30),
    ("supabase-key", "sbp_", _HEX, 40),
    ("supabase-key", "sb_secret_", _WORD, 20),
    ("figma-token", "figd_", _WORD, 30),
    ("pulumi-token", "pul-", _HEX, 40),
    ("buildkite-token", "bkua_", _HEX, 40),
    ("circleci-token", "CCIPAT_", "[A-Za-z0-9_]", 30),
    ("netlify-token", "nfp_", _ALNUM, 30),
    ("sourcegraph-token", "sgp_", "[0-9a-f_]", 40),
    ("tailscale-key", "tskey-", "[A-Za-z0-9-]", 20),
    ("onepassword-token", "ops_eyJ", _BASE64, 40),
    ("contentful-token", "CFPAT-", _WORD, 30),
    ("dropbox-token", "sl.", _WORD, 60),
)

_HEX32 = "[0-9a-f]{32}(?![A-Za-z0-9])"
# Kind, prefixes, and a tail of a form of its own.
_FORMED: tuple[tuple[str, str, str], ...] = (
    ("aws-access-key", "AKIA ASIA ABIA ACCA", "[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("twilio-key", "SK", _HEX32),
    ("mailgun-key", "key-", _HEX32),
    ("databricks-token", "dapi", r"[0-9a-f]{32}(?:-\d)?(?![A-Za-z0-9])"),
    ("sendgrid-key", "SG.", rf"{_WORD}{{16,32}}\.{_WORD}{{16,}}"),
    ("brevo-key", "xkeysib-", "[0-9a-f]{64}-[A-Za-z0-9]{12,}"),
    ("postman-key", "PMAK-", "[0-9a-f]{24}-[0-9a-f]{34,}"),
    ("hubspot-token", "pat-na1- pat-na2- pat-eu1-", _UUID),
    ("dynatrace-token", "dt0c01.", r"[A-Z0-9]{24}\.[A-Z0-9]{60,}"),
    ("resend-key", "re_", "[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}"),
    ("mapbox-token", "sk.eyJ", rf"{_WORD}{{20,}}+\.{_WORD}{{10,}}"),
)

# One digit group of a number that was written in base64: every three digits give one such group of four.
_DIGITS64 = "[MNO][DTjz][AEIMQUYcgk][w-z0-5]"

_SHAPES: tuple[Rule, ...] = (
    Rule("jwt", "eyJ", rf"eyJ(?<![A-Za-z0-9_-]eyJ){_WORD}{{8,}}+\.{_WORD}{{8,}}+(?:\.{_WORD}*+){{0,3}}"),
    Rule(
        "slack-webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9_/-]{16,})",
    ),
    Rule(
        "discord-webhook",
        "/api/webhooks/",
        r"discord(?:app)?\.com/api/webhooks/\d{5,20}/(?P<secret>[A-Za-z0-9_-]{20,})",
    ),
    Rule(
        "discord-token",
        ".",
        rf"[MNO](?<!{_WORD}.)[DTjz][AEIMQUYcgk][w-z0-5](?:{_DIGITS64}){{4,6}}[A-Za-z0-9=]{{0,4}}"
        rf"\.{_WORD}{{5,8}}\.{_WORD}{{20,}}",
    ),
    Rule("telegram-token", ":AA", rf"{_EDGE}\d{{8,10}}:AA{_WORD}{{30,}}"),
    Rule("azure-storage-key", "AccountKey=", r"AccountKey=(?P<secret>[A-Za-z0-9+/]{40,}={0,2})"),
    Rule("azure-shared-key", "SharedAccessKey=", r"SharedAccessKey=(?P<secret>[A-Za-z0-9+/]{30,}={0,2})"),
    Rule("azure-sas", "sig=", r"(?<=[?&;])sig=(?P<secret>[A-Za-z0-9%+/=_-]{30,})"),
    Rule("azure-client-secret", "Q~", r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{30,}"),
    # Behind "/" or "+" it is a stretch of zeros in base64 data.
    Rule("square-token", "EAAA", rf"EAAA(?<![A-Za-z0-9+/]EAAA)[El]{_WORD}{{50,}}"),
    Rule("terraform-token", ".atlasv1.", rf"{_EDGE}[A-Za-z0-9]{{14}}\.atlasv1\.{_WORD}{{40,}}"),
    Rule("mailchimp-key", "-us", rf"{_EDGE}[0-9a-f]{{32}}-us\d{{1,2}}(?![A-Za-z0-9])"),
)

RULES: tuple[Rule, ...] = (
    *(rule for kind, prefixes, of, least in _OPEN for rule in _prefixed(kind, prefixes, f"{of}{{{least},}}")),
    *(rule for row in _FORMED for rule in _prefixed(*row)),
    *_SHAPES,
)

_MARKS = "_-./:=~"
RULES_BY_MARK: tuple[tuple[str, tuple[Rule, ...]], ...] = tuple(
    (mark, tuple(rule for rule in RULES if next((char for char in rule.anchor if char in _MARKS), "") == mark))
    for mark in ("", *_MARKS)
)
"""The rules by the first mark in their anchor ("": none): a text without the mark needs no look at any of them."""

# Kinds whose value has a fixed shape but no prefix: the vendor's name stands beside it. The anchor is lower case,
# and is looked for in the lower-case text.
_NAMED = r"[A-Za-z0-9_.-]{0,40}?[\"'`\]\\]{0,4}\s{0,8}(?:=>|:=|=|:|>|\s|：|是|为)\s{0,8}[\"'`\\]{0,4}"
NAMED_RULES: tuple[Rule, ...] = (
    Rule(
        "aws-secret-key",
        "secret",
        rf"(?i:secret_?access_?key|aws_?secret|secret_?key){_NAMED}(?P<secret>[A-Za-z0-9/+]{{40}})(?![A-Za-z0-9/+=])",
    ),
    Rule("twilio-token", "twilio", rf"(?i:twilio){_NAMED}(?P<secret>[0-9a-f]{{32}})(?![A-Za-z0-9])"),
    Rule(
        "cloudflare-token",
        "cloudflare",
        rf"(?i:cloudflare){_NAMED}(?P<secret>[A-Za-z0-9_-]{{37,40}})(?![A-Za-z0-9_-])",
    ),
    Rule(
        "datadog-key",
        "datadog",
        rf"(?i:datadog){_NAMED}(?P<secret>[0-9a-f]{{40}}|[0-9a-f]{{32}})(?![A-Za-z0-9])",
    ),
    Rule("heroku-key", "heroku", rf"(?i:heroku){_NAMED}(?P<secret>{_UUID})(?![A-Za-z0-9-])"),
)

_PEM_BEGIN = r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
_PEM_END = r"-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
_PEM_WHOLE = rf"{_PEM_BEGIN}(?:[^-]|-(?!----))*+{_PEM_END}"
# A line of a block that breaks off: a header, a full line of base64, or a last one that is no plain word.
_PEM_LINE = (
    r"(?:[\s>|]|\\{1,4}[nr])++"
    r"(?:[A-Z][A-Za-z]{2,12}(?:-[A-Za-z]{2,8})?: [^\n\\]{1,200}"
    r"|[A-Za-z0-9+/=]{16,}+"
    r"|(?=[A-Za-z]*[0-9+/=])[A-Za-z0-9+/=]{1,15}(?![A-Za-z0-9]))"
)
_PEM = rf"(?:{_PEM_WHOLE}|{_PEM_BEGIN}(?:{_PEM_LINE})++)"
_PEM_BODY = r"[A-Za-z0-9+/=]{16}"


def pem_spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield each private key block, whole or broken off; a mention of its first and last line alone is none."""
    for match in _compiled(_PEM).finditer(text):
        if _compiled(_PEM_BODY).search(text, match.start(), match.end()):
            yield match.start(), match.end(), "private-key"
