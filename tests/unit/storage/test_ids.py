from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from mnemopi.storage import ids


def test_ids_are_hexadecimal_digits_and_no_two_are_alike() -> None:
    made = {ids.new() for _ in range(1000)}
    assert len(made) == 1000
    assert all(len(bytes.fromhex(id)) == 8 for id in made)
    assert len(ids.new(32)) == 64


def test_threads_get_no_id_twice() -> None:
    with ThreadPoolExecutor(4) as pool:
        made = [id for part in pool.map(lambda _: [ids.new() for _ in range(2000)], range(4)) for id in part]
    assert len(set(made)) == 8000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks on this system")
def test_the_child_of_a_fork_gives_out_none_of_its_parents() -> None:
    ids.new()
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(into, " ".join(ids.new() for _ in range(300)).encode())
        os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as told:
        theirs = set(told.read().decode().split())
    os.waitpid(child, 0)
    assert len(theirs) == 300 and theirs.isdisjoint(ids.new() for _ in range(300))
