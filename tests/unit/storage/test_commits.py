"""A commit that goes on behind its writer: others wait for it, and its error belongs to the one who waits."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from mnemopi.errors import StorageError
from mnemopi.model.memory import Event
from mnemopi.storage.commits import Commit
from mnemopi.storage.sqlite import SqliteConnection
from mnemopi.storage.store import Store


@pytest.fixture
def go(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Commits wait for this event."""
    held, commit = threading.Event(), SqliteConnection._commit

    def late(connection: SqliteConnection) -> None:
        assert held.wait(20)
        commit(connection)

    monkeypatch.setattr(SqliteConnection, "_commit", late)
    return held


def test_a_statement_waits_until_the_commit_is_over(store: Store, go: threading.Event) -> None:
    commit = Commit()
    with store.transaction(commit):
        store.meta.set("colour", "blue")
    assert not commit.is_over
    threading.Timer(0.05, go.set).start()
    assert store.meta.get("colour") == "blue"
    assert commit.is_over


def test_another_thread_waits_too(store: Store, go: threading.Event) -> None:
    with store.transaction(Commit()):
        store.meta.set("colour", "blue")
    seen: list[str | None] = []
    reader = threading.Thread(target=lambda: seen.append(store.meta.get("colour")))
    reader.start()
    go.set()
    reader.join()
    assert seen == ["blue"]


def test_what_failed_is_raised_where_it_is_waited_for_and_nothing_is_stored(store: Store) -> None:
    commit = Commit()
    store.connection._raw().set_commit_hook(lambda: True)
    with store.transaction(commit):
        store.meta.set("colour", "blue")
    with pytest.raises(StorageError):
        commit.wait()
    store.connection._raw().set_commit_hook(None)
    assert store.meta.get("colour") is None
    store.meta.set("colour", "red")
    assert store.meta.get("colour") == "red"


def test_an_error_before_the_end_starts_no_commit(store: Store) -> None:
    commit = Commit()
    with pytest.raises(ZeroDivisionError), store.transaction(commit):
        store.meta.set("colour", "blue")
        raise ZeroDivisionError
    commit.wait()
    assert store.meta.get("colour") is None


def test_closing_waits_for_the_commit(store: Store, go: threading.Event, tmp_path: Path) -> None:
    commit = Commit()
    with store.transaction(commit):
        store.meta.set("colour", "blue")
    threading.Timer(0.05, go.set).start()
    store.close()
    assert commit.is_over
    with SqliteConnection(str(store.path), writable=True, timeout=1).reading():
        assert not (tmp_path / "m.db-wal").exists() or (tmp_path / "m.db-wal").stat().st_size == 0


def test_the_listener_hears_of_events_when_the_commit_was_waited_for(store: Store) -> None:
    heard: list[Event] = []
    store.journal.listen(heard.extend)
    commit = Commit()
    with store.transaction(commit):
        store.journal.append([Event(1, "remembered", "m1", 1)])
    assert heard == []
    commit.wait()
    commit.wait()
    assert [event.memory for event in heard] == ["m1"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_fork_waits_for_the_commit(store: Store, go: threading.Event) -> None:
    commit = Commit()
    with store.transaction(commit):
        store.meta.set("colour", "blue")
    threading.Timer(0.05, go.set).start()
    child = os.fork()
    if child == 0:
        os._exit(0 if store.meta.get("colour") == "blue" else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert commit.is_over
    assert store.meta.get("colour") == "blue"
