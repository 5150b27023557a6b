"""Redaction takes out secrets and nothing else; the figures on a large corpus are in test_redact_corpus."""

from __future__ import annotations

import random
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemopi.text.redact import has_secret, redact

ALNUM = string.ascii_letters + string.digits
GITHUB = "gh" + "p_" + "Ab3dEf6h" * 4 + "Zz90"
BODY = "\n".join("MIIEvQ0b" * 8 for _ in range(4)) + "\nqX7f9w=="
BEGIN, END = (f"-----{word} RSA " + "PRIVATE KEY-----" for word in ("BEGIN", "END"))
PEM = f"{BEGIN}\n{BODY}\n{END}"
MACHINE = "Zx8KqPq3TzYw" + "7LmN2vRb5CdE"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"use {GITHUB}.", "use [REDACTED:github-token]."),
        (f"令牌{GITHUB}在这里", "令牌[REDACTED:github-token]在这里"),
        ("DB_PASSWORD=hunter2abc # staging", "DB_PASSWORD=[REDACTED:password] # staging"),
        ("DB_PASSWORD=correcthorse", "DB_PASSWORD=[REDACTED:password]"),
        ("ENV API_KEY abcd1234efgh", "ENV API_KEY [REDACTED:api-key]"),
        ("machine h login bob password hunter2", "machine h login bob password [REDACTED:password]"),
        ('{"password": "hunter2", "a": 1}', '{"password": "[REDACTED:password]", "a": 1}'),
        ('"{\\"apiKey\\": \\"abcd1234efgh\\"}"', '"{\\"apiKey\\": \\"[REDACTED:api-key]\\"}"'),
        ("clientSecret: 'abc123def456'", "clientSecret: '[REDACTED:client-secret]'"),
        ('password: str = "hunter2"', 'password: str = "[REDACTED:password]"'),
        ('os.environ["API_KEY"] = "abcd1234efgh"', 'os.environ["API_KEY"] = "[REDACTED:api-key]"'),
        ("define('DB_PASSWORD', 'hunter2x')", "define('DB_PASSWORD', '[REDACTED:password]')"),
        ("login('bob', password=hunter2)", "login('bob', password=[REDACTED:password])"),
        ("run --db-password hunter2 -v", "run --db-password [REDACTED:password] -v"),
        ("run --token=abc123def456 -v", "run --token=[REDACTED:token] -v"),
        ("Server=x;Password=Ab1$xx;User=y", "Server=x;Password=[REDACTED:password];User=y"),
        ("<password>hunter2</password>", "<password>[REDACTED:password]</password>"),
        ("| password | hunter2 |", "| password | [REDACTED:password] |"),
        ("**Password:** hunter2", "**Password:** [REDACTED:password]"),
        ("the password is hunter2.", "the password is [REDACTED:password]."),
        ("password for the staging db is hunter2", "password for the staging db is [REDACTED:password]"),
        ("the password `hunter2` works", "the password `[REDACTED:password]` works"),
        (f"aws secret access key {MACHINE}", "aws secret access key [REDACTED:secret-key]"),
        (f"my api key {MACHINE} expires", "my api key [REDACTED:api-key] expires"),
        (f"the token {'3f7a' * 8}, then", "the token [REDACTED:token], then"),
        ("log in with password hunt$er2x", "log in with password [REDACTED:password]"),
        ("密码 hunter2abc", "密码 [REDACTED:password]"),
        ("pw: hunter2abc", "pw: [REDACTED:password]"),
        ("Passwort: hunter2abc", "Passwort: [REDACTED:password]"),
        ("password for the staging db: hunter2abc", "password for the staging db: [REDACTED:password]"),
        ("sshpass -p hunter2abc ssh h", "sshpass -p [REDACTED:password] ssh h"),
        ("mysql -uroot -phunter2abc shop", "mysql -uroot -p[REDACTED:password] shop"),
        (f"Set-Cookie: sid={MACHINE}; HttpOnly", "Set-Cookie: sid=[REDACTED:session-cookie]; HttpOnly"),
        ("passphrase: 'correct horse battery staple'", "passphrase: '[REDACTED:password]'"),
        ("密码是hunter2，请保密", "密码是[REDACTED:password]，请保密"),
        ("我的密码：hunter2好的", "我的密码：[REDACTED:password]好的"),
        ("令牌为abc123def456的那个", "令牌为[REDACTED:token]的那个"),
        ("token是abc123def456吗", "token是[REDACTED:token]吗"),
        ("密码改成hunter2了", "密码改成[REDACTED:password]了"),
        ("Authorization: Bearer abc123def456ghi", "Authorization: Bearer [REDACTED:bearer-token]"),
        ("Authorization: Basic Ym9iOmh1bnRlcjI=", "Authorization: Basic [REDACTED:basic-auth]"),
        ("X-Api-Key: abc123def456", "X-Api-Key: [REDACTED:api-key]"),
        ("GET /x?api_key=abc123def456&b=1", "GET /x?api_key=[REDACTED:api-key]&b=1"),
        ("postgres://user:pw@host/db", "postgres://user:[REDACTED:url-password]@host/db"),
        ("redis://:p@ss1@host:1/0", "redis://:[REDACTED:url-password]@host:1/0"),
        ("curl -u bob:s3cret9 http://x", "curl -u bob:[REDACTED:basic-auth] http://x"),
        ("Cookie: a=1; PHPSESSID=abcdef0123456789; b=2", "Cookie: a=1; PHPSESSID=[REDACTED:session-cookie]; b=2"),
        (f"key:\n{PEM}\nend", "key:\n[REDACTED:private-key]\nend"),
        (f"key:\n{BEGIN}\n{BODY}\n\nthat was cut", "key:\n[REDACTED:private-key]\n\nthat was cut"),
    ],
)
def test_only_the_value_is_replaced(text: str, wanted: str) -> None:
    assert redact(text).text == wanted


@pytest.mark.parametrize(
    "text",
    [
        "commit 3f786850e387550fdab836ed7e6dc881de23001b, md5 5f4dcc3b5aa765d61d8327deb882cf99",
        "id 550e8400-e29b-41d4-a716-446655440000 token_count=12",
        "monkey_patch123abc456 and tokenizer=v2 and max_tokens=4096",
        "def f(password: str, token: Optional[str] = None) -> None:",
        "token = get_token(); token2 = self._token2; password = user.password2",
        'api_key=os.environ["API_KEY"]; key = "sort"',
        "api_key=${TOKEN} TOKEN=$TOKEN password={{ pw1 }} token: <your-token>",
        "password=None password=changeme password=******** api_key=your-api-key-here",
        "secret_santa=12 people; the password is wrong; the token is expired",
        "password must be at least 12 characters; the password is 8-16 characters",
        "auth: oauth2, token: HS256, secret is stored in vault/prod/app2",
        'pwd && PWD=/root/x1 && nextToken: "abc123def456ghi7"',
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7 me@host",
        "arn:aws:secretsmanager:us-west-2:1:secret:Name-a1b2c3",
        "https://example.com:8080/a@b and git@github.com:me/repo.git",
        f"a block begins with {BEGIN} and ends with {END}",
        "Basic authentication or Bearer authentication",
        "密码策略：至少8位；令牌的有效期是30天",
        "docker run --user 1000:1000 -u 1000:1000 image",
        "the secret santa list, the token expires_in field, password rotation2, pass test123",
        "access token RefreshTokenHandlerV2Implementation, secret OAuth2ClientCredentialsGrantType2",
        "Revert auth 3f786850e387550fdab836ed7e6dc881de23001b",
        "the password for users: at least 12 characters; tokens for all: see docs/v2",
        "密码 md5 加密，密码 OAuth2 登录, mysql -p shop, cookie: session=planning",
    ],
)
def test_what_only_talks_of_secrets_stays(text: str) -> None:
    assert redact(text).text == text


def test_counts_say_how_many_of_each_kind() -> None:
    result = redact(f"{GITHUB} {GITHUB} password=hunter2")
    assert result.counts == {"github-token": 2, "password": 1}
    assert redact("nothing here").counts == {}


def test_vendor_level_leaves_what_only_a_name_betrays() -> None:
    result = redact(f"password=hunter2 {GITHUB} {PEM}", "vendor")
    assert result.text == "password=hunter2 [REDACTED:github-token] [REDACTED:private-key]"


def test_off_changes_nothing() -> None:
    text = f"password=hunter2 {GITHUB}"
    assert redact(text, "off").text == text


def test_a_vendors_kind_wins_over_that_of_the_name() -> None:
    assert redact(f"password={GITHUB}").text == "password=[REDACTED:github-token]"


def test_a_private_key_in_json_keeps_the_name_only() -> None:
    escaped = PEM.replace("\n", "\\n")
    result = redact(f'{{"private_key": "{escaped}\\n", "client_id": 1}}')
    assert BODY[:20] not in result.text
    assert result.text.startswith('{"private_key": "[REDACTED:private-key]')
    assert result.text.endswith('"client_id": 1}')


def test_a_long_secret_is_taken_out_to_its_end() -> None:
    rng = random.Random(1)
    secret = "".join(rng.choice(ALNUM) for _ in range(3000))
    assert redact(f"API_TOKEN={secret} next").text == "API_TOKEN=[REDACTED:token] next"


def test_marks_of_an_earlier_run_are_no_secrets() -> None:
    text = 'password="[REDACTED:password]" token=[REDACTED:token] https://u:[REDACTED:url-password]@h'
    assert redact(text).text == text


@pytest.mark.parametrize("identifier", [GITHUB, f"session-{GITHUB}", "run?api_key=abc123def456", "a:password=hunter2"])
def test_an_identifier_with_a_secret_is_told(identifier: str) -> None:
    assert has_secret(identifier)


@pytest.mark.parametrize(
    "identifier",
    ["4f9a01bc77de4f9a01bc77de", "550e8400-e29b-41d4-a716-446655440000", "conv-26:session_3", "会话一", ""],
)
def test_an_ordinary_identifier_is_let_through(identifier: str) -> None:
    assert not has_secret(identifier)


PIECES = st.sampled_from(
    (
        *("password", "token", "API_KEY", "密码", "secret", "Bearer ", "Basic ", "://", "://u:", "@h", "=", ": ", '"'),
        *("'", "`", "\\", " is ", "是", "--", "-u a:", "?key=", "&", "_", "-", ".", ",", "\n", "(", ")", "{", "}", "["),
        *("]", "<", ">", "|", "**", "“", "”", "...", "$", "%", "hunter2", "abc123def456", "Ab1$xx", "x", " "),
        *("[REDACTED:token]", "[REDACTED:", GITHUB, GITHUB[:12], BEGIN, END, "MIIEvQ0b" * 3, "0123456789abcdef" * 2),
        *(":A" + "A", "S" + "K", "key-", "sk" + "-", "ey" + "J", "1Q~", "sig=", "AccountKey="),
    )
)


@settings(deadline=None)
@given(st.lists(PIECES, max_size=24).map("".join), st.sampled_from(["vendor", "full"]))
def test_a_second_run_finds_nothing(text: str, level: str) -> None:
    once = redact(text, level)  # type: ignore[arg-type]
    again = redact(once.text, level)  # type: ignore[arg-type]
    assert again.text == once.text
    assert not again.counts


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_taken(text: str) -> None:
    result = redact(text)
    assert (result.text == text) == (not result.counts)


@settings(deadline=None)
@given(st.text(alphabet="我们讨论了计划。, abc\n", max_size=60), st.text(alphabet="好的，谢谢。 xyz\n", max_size=60))
def test_the_text_around_stays_byte_for_byte(before: str, after: str) -> None:
    assert redact(f"{before} {GITHUB} {after}").text == f"{before} [REDACTED:github-token] {after}"


@pytest.mark.parametrize(
    "unit",
    (
        *("a", "=", "password=", "password: ", 'password="', "password is ", "password for a b ", "password=[", "-"),
        *("password ", "password\n", "eyJ", "eyJ.", "sk-", "token_", "secret_key", "密码是", "://a:", ":a@", "bearer "),
        *("?key=", "--a", "twilio", "-u a:", "\\", BEGIN + "\n", "hooks.slack.com/", "1Q~", "MTky"),
        "ghp_sk-xoxb-AIzaSG.eyJhf_npm_",
    ),
)
def test_hostile_repetition_comes_back(unit: str) -> None:
    # A pattern that backtracks over the whole text would take hours here.
    text = unit * (200_000 // len(unit))
    assert len(redact(text).text) <= len(text)
