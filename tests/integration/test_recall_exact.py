"""What is to be found to the letter is found first: identifiers, quotations and error messages among near misses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mnemopi import Mnemopi
from mnemopi.testing import FixedClock, HashingEmbedder

NEAR_MISSES = 300

IDENTIFIERS = {
    "what does E1234 mean": (
        "the compiler printed E1234 once",
        lambda n: f"what does the compiler mean by E{2000 + n}, what does it mean",
    ),
    "why did src/a/b.py:31 fail": (
        "the traceback ended at src/a/b.py:31",
        lambda n: f"why did src/a/b.py:{310 + n} fail, why did it fail",
    ),
    "where is parseConfig_v2 called": (
        "startup goes through parseConfig_v2 before anything else",
        lambda n: f"where is parseConfig_v{n + 3} called, where is it called",
    ),
    "when do we pass --no-cache": (
        "nightly images are built with --no-cache",
        lambda n: f"when do we pass --no-cached{n}, when do we pass it with cache",
    ),
    "who likes C++": ("the parser is a C++ program", lambda n: f"who likes C{n}, who likes C, who likes it"),
}


@pytest.fixture(params=["words only", "with vectors"])
def opened(request: pytest.FixtureRequest) -> Iterator[Callable[[], Mnemopi]]:
    """Opens banks in memory, without vectors and with ones that favour letters in common."""
    made: list[Mnemopi] = []

    def open_bank() -> Mnemopi:
        given: dict[str, Any] = {"no_embeddings": True}
        if request.param == "with vectors":
            given = {"embeddings": HashingEmbedder(64)}
        settings = {"write.timezone": "UTC", "write.settle": "inline"}
        made.append(Mnemopi(":memory:", clock=FixedClock(), config=settings, **given))
        return made[-1]

    yield open_bank
    for bank in made:
        bank.close()


@pytest.mark.parametrize("importance", [0.5, 1.0])
@pytest.mark.parametrize("question", IDENTIFIERS)
def test_an_exact_identifier_is_first_among_many_near_misses(
    opened: Callable[[], Mnemopi], question: str, importance: float
) -> None:
    bank = opened()
    answer, miss = IDENTIFIERS[question]
    half = NEAR_MISSES // 2
    items = [{"content": miss(n), "importance": importance, "pinned": importance > 0.5} for n in range(NEAR_MISSES)]
    bank.remember_many([*items[:half], {"content": answer, "importance": 0.0}, *items[half:]])
    assert bank.recall(question)[0].content == answer


def test_a_bare_identifier_finds_its_only_bearer(opened: Callable[[], Mnemopi]) -> None:
    bank = opened()
    bank.remember_many([{"content": f"ticket ABC-{n} was closed"} for n in range(100)])
    hits = bank.recall("ABC-57")
    assert hits[0].content == "ticket ABC-57 was closed"
    assert "identifier" in hits[0].explanation.found_by


@pytest.mark.parametrize(
    ("question", "answer", "scrambled"),
    [
        (
            'who said "ship the red button tomorrow"',
            "in the long meeting about colours and dates somebody finally said: ship the red button tomorrow, please",
            "tomorrow the button: red ship, red button, ship tomorrow",
        ),
        (
            "connection reset by peer while reading header",
            "the log of the proxy, which we read for hours, says: connection reset by peer while reading header (104)",
            "reading header: peer connection, reset header, connection reading peer reset",
        ),
        (
            "“数据库连接超时” 是谁说的",
            "昨天的会议很长,讨论了很多事情,最后小王说数据库连接超时需要先处理",
            "连接数据库,超时数据,数据库超时,连接超时",
        ),
    ],
)
def test_a_phrase_is_first_among_texts_with_the_same_words(
    opened: Callable[[], Mnemopi], question: str, answer: str, scrambled: str
) -> None:
    bank = opened()
    bank.remember_many([{"content": f"{scrambled} {n}", "importance": 1.0} for n in range(NEAR_MISSES)])
    bank.remember(answer, importance=0.0)
    assert bank.recall(question)[0].content == answer


def test_no_importance_weight_lifts_what_has_no_evidence_over_an_exact_match(opened: Callable[[], Mnemopi]) -> None:
    bank = opened()
    for n in range(30):
        bank.remember(f"the most important thing number {n}", importance=1.0, pinned=True, veracity="true")
    bank.remember("E4711 stands for a missing key", importance=0.0, veracity="contested")
    for weight in (0, 0.2, 1, 10, 1000):
        assert bank.recall("what is E4711", importance_weight=weight)[0].content.startswith("E4711"), weight


def test_one_bearer_of_many_says_more_than_what_all_bear(opened: Callable[[], Mnemopi]) -> None:
    bank = opened()
    bank.remember_many([{"content": f"src/main.py was edited, change {n}"} for n in range(100)])
    bank.remember("E0042 came up in src/main.py")
    assert bank.recall("E0042 in src/main.py")[0].content == "E0042 came up in src/main.py"
