"""The figures of redaction, on generated secrets of every kind in every syntax and on text that holds none.

No secret here is real, and none stands in the file: prefixes are joined and values drawn from a seeded generator.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
import string
import sysconfig
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mnemopi.text.redact import redact

ALNUM = string.ascii_letters + string.digits
WORD = ALNUM + "_-"
HEX = "0123456789abcdef"
BASE64 = ALNUM + "+/"
UPPER = string.ascii_uppercase + string.digits
PUNCTUATED = ALNUM + "!@#$%^*-_+="

Draw = Callable[[random.Random], str]


def of(alphabet: str, length: int, *prefix: str) -> Draw:
    """Make a drawer of a prefix, given in pieces, and so many characters."""
    start = "".join(prefix)
    return lambda rng: start + "".join(rng.choice(alphabet) for _ in range(length))


def joined(*parts: Draw | str) -> Draw:
    return lambda rng: "".join(part if isinstance(part, str) else part(rng) for part in parts)


def jwt(rng: random.Random) -> str:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    return f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part({'sub': rng.random()})}.{of(WORD, 43)(rng)}"


def discord(rng: random.Random) -> str:
    number = base64.b64encode(str(rng.randrange(10**17, 10**18)).encode()).decode()
    return f"{number}.{of(WORD, 6)(rng)}.{of(WORD, 38)(rng)}"


VENDORS: dict[str, Draw] = {
    "github-classic": of(ALNUM, 36, "gh", "p_"),
    "github-oauth": of(ALNUM, 36, "gh", "o_"),
    "github-user": of(ALNUM, 36, "gh", "u_"),
    "github-server": of(ALNUM, 36, "gh", "s_"),
    "github-refresh": of(ALNUM, 36, "gh", "r_"),
    "github-fine": joined(of(ALNUM, 22, "github", "_pat_"), "_", of(ALNUM, 59)),
    "gitlab": of(WORD, 20, "gl", "pat-"),
    "aws-access": of(UPPER, 16, "AK", "IA"),
    "aws-session": of(UPPER, 16, "AS", "IA"),
    "google": of(WORD, 35, "AI", "za"),
    "slack-bot": joined("xo", "xb-", of(string.digits, 12), "-", of(ALNUM, 24)),
    "slack-user": joined("xo", "xp-", of(string.digits, 12), "-", of(ALNUM, 32)),
    "slack-app": joined("xa", "pp-1-", of(UPPER, 11), "-", of(string.digits, 13), "-", of(HEX, 64)),
    "stripe-live": of(ALNUM, 24, "sk", "_live_"),
    "stripe-restricted": of(ALNUM, 24, "rk", "_live_"),
    "stripe-test": of(ALNUM, 24, "sk", "_test_"),
    "openai": of(ALNUM, 48, "s", "k-"),
    "openai-project": of(WORD, 100, "s", "k-proj-"),
    "openai-service": of(WORD, 60, "s", "k-svcacct-"),
    "anthropic": of(WORD, 93, "s", "k-ant-api03-"),
    "openrouter": of(HEX, 64, "s", "k-or-v1-"),
    "huggingface": of(ALNUM, 34, "h", "f_"),
    "npm": of(ALNUM, 36, "np", "m_"),
    "pypi": of(WORD, 120, "py", "pi-AgEI"),
    "docker": of(WORD, 27, "dckr", "_pat_"),
    "digitalocean": of(HEX, 64, "do", "p_v1_"),
    "sendgrid": joined("S", "G.", of(WORD, 22), ".", of(WORD, 43)),
    "twilio": of(HEX, 32, "S", "K"),
    "mailgun": of(HEX, 32, "ke", "y-"),
    "telegram": joined(of("123456789", 10), ":A", "A", of(WORD, 33)),
    "discord": discord,
    "jwt": jwt,
    "shopify": of(HEX, 32, "shp", "at_"),
    "square": of(WORD, 43, "sq0", "csp-"),
    "linear": of(ALNUM, 40, "lin", "_api_"),
    "notion": of(ALNUM, 46, "nt", "n_"),
    "notion-old": of(ALNUM, 43, "sec", "ret_"),
    "atlassian": of(WORD, 180, "ATA", "TT3xFfGF0"),
    "databricks": of(HEX, 32, "da", "pi"),
    "vault": of(ALNUM, 90, "hv", "s.CAES"),
    "terraform": joined(of(ALNUM, 14), ".atlas", "v1.", of(ALNUM, 67)),
    "grafana": joined("gl", "sa_", of(ALNUM, 32), "_", of(HEX, 8)),
    "newrelic": of(UPPER, 27, "NR", "AK-"),
    "sentry": of(BASE64, 80, "sn", "trys_"),
    "groq": of(ALNUM, 52, "gs", "k_"),
    "replicate": of(ALNUM, 37, "r", "8_"),
    "perplexity": of(ALNUM, 48, "pp", "lx-"),
    "xai": of(ALNUM, 80, "xa", "i-"),
    "doppler": of(ALNUM, 43, "dp", ".pt."),
    "fly": of(WORD, 43, "fo", "1_"),
    "age": of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58, "AGE-SECRET", "-KEY-1"),
    "tailscale": joined("ts", "key-auth-", of(ALNUM, 17), "-", of(ALNUM, 32)),
    "supabase": of(HEX, 40, "sb", "p_"),
    "figma": of(WORD, 40, "fi", "gd_"),
}

# Where a credential that shows its kind may stand. `{}` is the credential.
PLACES = (
    "Use {} for the staging account.",
    "她把密钥{}发到群里了",
    "临时用{}，明天换掉。",
    "KEY={}",
    'export SOME_THING="{}"',
    '{{"value": "{}", "n": 1}}',
    "setting: {}\nother: 1",
    "client = Client('{}')",
    "curl -H 'Authorization: Bearer {}' https://api.example.com",
    "https://api.example.com/v1?k={}&page=2",
)

NAMES = {
    "password": "DB_PASSWORD dbPassword db-password password",
    "passwd": "MYSQL_PASSWD mysqlPasswd mysql-passwd passwd",
    "pwd": "ADMIN_PWD adminPwd admin-pwd pwd",
    "passphrase": "SSH_PASSPHRASE sshPassphrase ssh-passphrase passphrase",
    "secret": "APP_SECRET appSecret app-secret secret",
    "client-secret": "OAUTH_CLIENT_SECRET clientSecret client-secret client_secret",
    "token": "BOT_TOKEN botToken bot-token token",
    "access-token": "ACCESS_TOKEN accessToken access-token access_token",
    "auth-token": "TWILIO_AUTH_TOKEN authToken auth-token auth_token",
    "api-key": "DATADOG_API_KEY apiKey api-key api_key",
    "access-key": "STORAGE_ACCESS_KEY accessKey access-key access_key",
    "secret-key": "AWS_SECRET_ACCESS_KEY secretKey secret-key secret_key",
    "private-key": "WALLET_PRIVATE_KEY privateKey private-key private_key",
    "encryption-key": "ENCRYPTION_KEY encryptionKey encryption-key encryption_key",
    "credential": "SERVICE_CREDENTIAL serviceCredential service-credential credential",
    "cloudflare": "CLOUDFLARE_API_TOKEN cloudflareApiToken cloudflare-api-token api_token",
}
CHINESE_NAMES = ("密码", "口令", "密钥", "令牌")
MACHINE: tuple[Draw, ...] = (of(ALNUM, 24), of(HEX, 32), of(ALNUM, 40), of(BASE64, 40), of(WORD, 32))
CHOSEN: tuple[Draw, ...] = (
    of(PUNCTUATED, 14),
    of(ALNUM, 12),
    joined(of(string.ascii_lowercase, 7), of("0123456789", 3)),
)


def named_syntaxes(upper: str, camel: str, kebab: str, snake: str, value: str) -> Iterator[str]:
    """Write one name and value in each syntax in which people do."""
    yield f"{upper}={value}"
    yield f'export {upper}="{value}"'
    yield f'{{"{camel}": "{value}", "n": 1}}'
    yield json.dumps(json.dumps({camel: value}))
    yield f"{snake}: {value}\nport: 80"
    yield f"{snake} = '{value}'"
    yield f"run --{kebab} {value} --verbose"
    yield f"run --{kebab}={value} --verbose"
    yield f"X-{kebab.title()}: {value}"
    yield f"the {snake} is {value}."
    yield f"现在的{snake}是{value}，别外传"
    yield f"| {snake} | {value} |"


@pytest.mark.parametrize("kind", VENDORS)
def test_a_credential_of_a_vendor_is_taken_out_wherever_it_stands(kind: str) -> None:
    rng = random.Random(kind)
    for place in PLACES:
        secret = VENDORS[kind](rng)
        for level in ("vendor", "full"):
            result = redact(place.format(secret), level)  # type: ignore[arg-type]
            assert secret not in result.text
            before, after = place.format("\0").split("\0")
            assert result.text.startswith(before) and result.text.endswith(after)
            assert sum(result.counts.values()) == 1


def named_cases(rng: random.Random) -> Iterator[tuple[str, str, str]]:
    """Yield (kind, text, secret) for all names, syntaxes and forms of values."""
    for kind, forms in NAMES.items():
        upper, camel, kebab, snake = forms.split()
        chosen = CHOSEN if kind in ("password", "passwd", "pwd", "passphrase") else ()
        for draw in (*MACHINE, *chosen):
            for _ in range(4):
                secret = draw(rng)
                for text in named_syntaxes(upper, camel, kebab, snake, secret):
                    yield kind, text, secret
    for name in CHINESE_NAMES:
        for draw in (*MACHINE, *CHOSEN) if name in ("密码", "口令") else MACHINE:
            secret = draw(rng)
            for text in (
                f"{name}是{secret}，请保密",
                f"数据库{name}：{secret}",
                f"{name}为{secret}的账号",
                f"{name}={secret}",
            ):
                yield name, text, secret


def test_values_of_high_risk_names_are_taken_out_in_every_syntax() -> None:
    total: Counter[str] = Counter()
    missed: list[tuple[str, str]] = []
    for kind, text, secret in named_cases(random.Random(7)):
        total[kind] += 1
        if secret in redact(text).text:
            missed.append((kind, text))
    assert len(total) + len(VENDORS) >= 40
    for kind, count in total.items():
        assert sum(kind == k for k, _ in missed) <= 0.06 * count, [text for k, text in missed if k == kind]
    assert len(missed) <= 0.02 * total.total(), missed[:20]


def notes(rng: random.Random) -> Iterator[str]:
    """Yield lines of the kinds that look like secrets and are none, without end."""
    words = ("queue", "retry", "token", "secret", "password", "key", "cache", "review", "parser", "tokenizer", "auth")
    while True:
        noise = rng.randbytes(16)
        sha = hashlib.sha256(noise).hexdigest()
        yield f"commit {sha[:40]} fixes the {rng.choice(words)} {rng.choice(words)}"
        yield f"sha256:{sha}  md5 {hashlib.md5(noise).hexdigest()}"
        yield f'  "integrity": "sha512-{base64.b64encode(noise * 4).decode()}",'
        yield f"session {uuid.UUID(bytes=noise)} memory {sha[:24]}"
        yield f"![](data:image/png;base64,{base64.b64encode(rng.randbytes(300)).decode()})"
        yield f"ssh-rsa AAAAB3NzaC1yc2E{base64.b64encode(noise * 8).decode()} me@host"
        yield f"def {rng.choice(words)}_{rng.choice(words)}(password: str, token: str | None = None) -> bool:"
        yield f"    token = self.get_{rng.choice(words)}_token(max_tokens={rng.randrange(9999)})"
        yield '    api_key = os.environ["API_KEY"]; secret = settings.secret_key'
        yield f"    password=password, token=tokens[{rng.randrange(9)}], key=cache_key"
        yield f"The {rng.choice(words)} is {rng.choice(words)}; the password is wrong, the token is expired."
        yield f"monkey_patch(secret_santa_{rng.randrange(99)}) tokenizer={rng.choice(words)}-v{rng.randrange(9)}"
        yield "PASSWORD=${PASSWORD} TOKEN=$TOKEN API_KEY=<your-api-key> SECRET=changeme PASSWORD=********"
        yield "auth: oauth2, token: jwt, secret: none, password: required, algorithm: HS256, pwd && ls"
        yield f"我们讨论了密码策略，令牌的有效期是{rng.randrange(99)}天，密钥由运维保管。"
        yield f"order id {rng.randrange(10**12)} at 2024-05-{rng.randrange(10, 28)}T10:00:00Z"
        yield f"see src/auth/token.py:{rng.randrange(99)} and {{'nextToken': '{sha}'}}"
        yield "https://example.com:8080/docs?page=2&sort=token#password and git@github.com:me/secret.git"


def false_alarms(text: str) -> int:
    return sum(redact(text).counts.values())


def test_a_megabyte_of_notes_without_secrets_stays_as_it_is() -> None:
    lines, size = [], 0
    for line in notes(random.Random(3)):
        lines.append(line)
        size += len(line) + 1
        if size > 1_000_000:
            break
    text = "\n".join(lines)
    assert redact(text).text == text


def test_a_megabyte_of_ordinary_code_has_at_most_one_false_alarm_in_100_kb() -> None:
    root = Path(sysconfig.get_path("stdlib"))
    files = sorted(path for path in root.rglob("*.py") if "site-packages" not in path.parts)
    random.Random(11).shuffle(files)
    size = alarms = 0
    for path in files:
        text = path.read_text(encoding="utf-8", errors="replace")
        size += len(text)
        alarms += false_alarms(text)
        if size > 1_000_000:
            break
    assert alarms <= size / 100_000
