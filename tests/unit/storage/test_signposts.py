"""Words by which the full-text index finds its pages go with the last text that has them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mnemopi.settings import StorageConfig
from mnemopi.storage import signposts
from mnemopi.storage.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "m.db", "default", "default", StorageConfig(), now=0)
    with store.transaction():
        for number in range(1, 3001):
            body = f"word{number:05}a word{number:05}b common"
            store.connection.execute(store.sql.put_search, {"rowkey": number, "body": body})
    yield store
    store.close()


def posts(store: Store) -> list[bytes]:
    return [word for _, _, word in store.connection.all(store.sql.signposts)]


def erase(store: Store, numbers: list[int]) -> set[str]:
    with store.transaction():
        for number in numbers:
            store.connection.execute(store.sql.erase_search, {"rowkey": number})
    return {f"word{number:05}{end}" for number in numbers for end in "ab"}


def stands(store: Store, beginning: bytes) -> bool:
    found = store.connection.all(store.sql.next_term, {"word": beginning})
    return bool(found) and found[0][0].encode().startswith(beginning)


@pytest.mark.parametrize("known", [True, False])
def test_a_signpost_of_an_erased_word_is_renamed_and_search_goes_on(store: Store, known: bool) -> None:
    victims = [int(word[4:9]) for word in posts(store) if len(word) >= 9]
    assert len(victims) > 3
    words = erase(store, victims)
    assert not all(stands(store, word) for word in posts(store))
    assert signposts.rename(store.connection, store.sql, words if known else None) > 0
    assert all(stands(store, word) for word in posts(store))
    assert store.integrity() == []
    for number in range(1, 3001):
        match = {"match": f'"word{number:05}a"'}
        found = store.connection.all("SELECT rowid FROM search WHERE search MATCH :match", match)
        assert found == ([] if number in victims else [(number,)])


def test_words_that_are_still_there_leave_their_signposts(store: Store) -> None:
    before = posts(store)
    assert signposts.rename(store.connection, store.sql, {"common", *(post.decode() for post in before)}) == 0
    assert signposts.rename(store.connection, store.sql, None) == 0
    assert posts(store) == before


def test_where_no_word_is_left_the_index_is_built_anew(store: Store) -> None:
    words = erase(store, list(range(1, 3001)))
    signposts.rename(store.connection, store.sql, words)
    assert posts(store) == [] and store.integrity() == []


@pytest.mark.parametrize("known", [True, False])
def test_beginnings_that_end_within_a_character_are_read_as_they_are(tmp_path: Path, known: bool) -> None:
    store = Store(tmp_path / "m.db", "default", "default", StorageConfig(), now=0)
    words = {number: f"{chr(0x4E00 + number // 60)}{chr(0x4E00 + number % 60 * 300)}" for number in range(1, 3001)}
    with store.transaction():
        for number, word in words.items():
            store.connection.execute(store.sql.put_search, {"rowkey": number, "body": f"{word} common"})
    cut = [post for post in posts(store) if post.decode(errors="ignore").encode() != post]
    assert cut
    gone = {number for number, word in words.items() if any(word.encode().startswith(post) for post in cut)}
    with store.transaction():
        for number in gone:
            store.connection.execute(store.sql.erase_search, {"rowkey": number})
    assert signposts.rename(store.connection, store.sql, {words[number] for number in gone} if known else None) > 0
    assert all(stands(store, post) for post in posts(store))
    assert store.integrity() == []
    for number, word in words.items():
        found = store.connection.all("SELECT rowid FROM search WHERE search MATCH :match", {"match": f'"{word}"'})
        assert found == ([] if number in gone else [(number,)])
    store.close()
