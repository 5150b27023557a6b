"""What the look at pieces calls harmless, the finders must call so too: else a secret would pass the gate."""

import random
import string
from datetime import UTC

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mnemopi.text import dates, pieces, redact, redact_pairs, redact_patterns, suspicion

NOW = 1_764_400_000_000
WORDS = (  # noqa: SIM905 -- a list is no easier to read
    "day days Day past last next Monday may March week weekend ago night tomorrow morning year years quarter Q3 hour"
    " min minutes noon 2026 1999 2026-03-05 3/5/2026 12.5 10:30 5 from before after on in two the of 3rd Jan. AUG"
).split()
NAMES = (
    *(f"{of}{core}" for core in redact_pairs.CORES for of in ("", "api_", "MY_", "client-")),
    *("Authorization", "Bearer", "Basic", "aws_secret_access_key", "twilio", "Cloudflare", "datadog", "heroku"),
    *(
        "curl -u",
        "--user",
        "https://u:",
        "postgres://a:",
        "PHPSESSID",
        "connect.sid",
        "?sig",
        "-----BEGIN",
        "PRIVATE KEY",
    ),
)
JOINTS = (" ", "", "=", ": ", "\n", "\t", " is ", '": "', "@", "://", "-", "_", "/", ".", "\x1c", "  ")
LETTERS = string.ascii_letters + string.digits + "_-+/=."


def _drawn(rule: redact_patterns.Rule) -> str:
    """A made-up credential of the rule's kind, or something close to one."""
    rng = random.Random(rule.pattern)
    return rule.anchor + "".join(rng.choice(LETTERS[:62]) for _ in range(64))


ANY = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(NAMES),
    st.sampled_from([_drawn(rule) for rule in redact_patterns.RULES]),
    st.sampled_from([rule.anchor for rule in redact_patterns.RULES]),
    st.text(LETTERS, max_size=44),
    st.text("0123456789abcdef-", max_size=40),
    st.text(st.characters(max_codepoint=127), max_size=12),
    st.text(max_size=4),
)
TEXTS = st.lists(st.tuples(ANY, st.sampled_from(JOINTS)), max_size=10).map(
    lambda parts: "".join(part for pair in parts for part in pair)
)


@settings(max_examples=400, deadline=None)
@given(TEXTS)
@example("the past\nday before")
@example("two days from now")
@example("day ago")
@example("may 5")
def test_a_text_told_harmless_has_no_date(text: str) -> None:
    if pieces.harmless(text, suspicion.DATE):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pieces, "harmless", lambda text, what: False)
            assert dates.find(text, NOW, UTC) == []


@settings(max_examples=400, deadline=None)
@given(TEXTS)
@example("curl -u bob:hunter2hunter2 x")
@example("the api key\nis Xk29fjQ81mzA0")
@example("-----BEGIN PRIVATE KEY----- " + "A1b2C3d4E5f6G7h8" * 4)
def test_a_text_told_harmless_has_no_secret(text: str) -> None:
    if pieces.harmless(text, suspicion.SECRET):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pieces, "harmless", lambda text, what: False)
            assert redact.redact(text).counts == {}


@pytest.mark.parametrize("rule", redact_patterns.RULES, ids=lambda rule: f"{rule.kind}-{rule.anchor}")
def test_a_credential_makes_its_text_suspect_whatever_is_around(rule: redact_patterns.Rule) -> None:
    text = f"see {_drawn(rule)} there"
    assert not list(rule.spans(text)) or not pieces.harmless(text, suspicion.SECRET)


def test_pieces_are_suspected_apart_and_together() -> None:
    assert suspicion.of("plain words") == 0
    assert suspicion.of("Monday") == suspicion.of("plain Monday") == suspicion.DATE
    assert suspicion.of("password") == suspicion.SECRET
    assert suspicion.of("password Monday") == suspicion.SECRET + suspicion.DATE
