from __future__ import annotations

import os
import threading
import time

import pytest

from mnemopi.providers.shared import Shared


def test_many_threads_load_a_thing_once() -> None:
    things: Shared[object] = Shared()
    loads: list[int] = []
    found: list[object] = []

    def load() -> object:
        loads.append(1)
        time.sleep(0.02)
        return object()

    threads = [threading.Thread(target=lambda: found.append(things.get("key", load))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loads) == 1
    assert len(set(map(id, found))) == 1


def test_two_keys_hold_two_things() -> None:
    things: Shared[str] = Shared()
    assert things.get(("model", "here"), lambda: "a") == "a"
    assert things.get(("model", "there"), lambda: "b") == "b"


def test_a_failed_load_is_forgotten_and_tried_again() -> None:
    things: Shared[str] = Shared()

    def fail() -> str:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        things.get("key", fail)
    assert things.get("key", lambda: "there") == "there"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
def test_a_forked_child_starts_empty_even_if_a_load_was_under_way() -> None:
    things: Shared[str] = Shared()
    started, finish = threading.Event(), threading.Event()

    def load() -> str:
        started.set()
        finish.wait(10)
        return "the parent's"

    thread = threading.Thread(target=things.get, args=("key", load))
    thread.start()
    started.wait(10)
    child = os.fork()
    if child == 0:
        os._exit(0 if things.get("key", lambda: "the child's") == "the child's" else 1)
    finish.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
