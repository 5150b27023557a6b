"""Who is the one server of a data folder, and where it listens."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from mnemopi.daemon import lock, protocol
from mnemopi.errors import DaemonError, InUseError


def test_one_holds_the_lock_until_it_lets_go(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    assert not lock.is_held(folder)
    held = lock.Lock(folder)
    assert lock.is_held(folder)
    with pytest.raises(InUseError):
        lock.Lock(folder)
    held.close()
    assert not lock.is_held(folder)
    lock.Lock(folder).close()


def test_the_record_is_there_while_the_lock_is_held(tmp_path: Path) -> None:
    held = lock.Lock(tmp_path)
    assert protocol.record(str(tmp_path)) == {}
    held.write(lock.describe(tmp_path / "s", tmp_path))
    told = protocol.record(str(tmp_path))
    assert (told["pid"], told["socket"], told["version"]) == (os.getpid(), str(tmp_path / "s"), protocol.VERSION)
    held.write(told | {"socket": "/s"})
    assert protocol.record(str(tmp_path))["socket"] == "/s"
    held.close()
    assert (tmp_path / protocol.RECORD).read_bytes() == b""


def test_a_lock_file_that_was_taken_away_is_noticed(tmp_path: Path) -> None:
    held = lock.Lock(tmp_path)
    assert held.is_in_place()
    (tmp_path / protocol.RECORD).unlink()
    assert not held.is_in_place()
    (tmp_path / protocol.RECORD).touch()
    assert not held.is_in_place()
    held.close()


def test_a_link_is_no_lock_file(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious")
    (tmp_path / protocol.RECORD).symlink_to(tmp_path / "victim")
    with pytest.raises(Exception, match="cannot be opened"):
        lock.Lock(tmp_path)
    assert (tmp_path / "victim").read_text() == "precious"


def test_a_process_has_one_beginning_and_the_dead_have_none() -> None:
    assert lock.began(os.getpid()) == lock.began(os.getpid()) != ""
    assert lock.began(1) != lock.began(os.getpid())
    assert lock.began(2**22 + 1) == ""


def test_a_socket_has_a_short_name_whatever_the_folder(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 200)
    found = lock.address(Path("/run/user/0"), deep)
    assert len(os.fsencode(found)) < 100
    assert found != lock.address(Path("/run/user/0"), tmp_path)
    assert found == lock.address(Path("/run/user/0"), deep)


def test_a_runtime_folder_that_is_too_deep_is_passed_by(tmp_path: Path) -> None:
    found = lock.address(tmp_path / ("x" * 120), tmp_path)
    assert len(os.fsencode(found)) < 100
    assert stat.S_IMODE(found.parent.stat().st_mode) == 0o700


def test_the_runtime_folder_is_private_and_ours(tmp_path: Path) -> None:
    made = lock.runtime(str(tmp_path), os.getuid())
    assert made == tmp_path / "mnemopi"
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    made.chmod(0o755)
    with pytest.raises(DaemonError, match="yours alone"):
        lock.runtime(str(tmp_path), os.getuid())


def test_a_link_is_no_runtime_folder(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "mnemopi").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DaemonError, match="yours alone"):
        lock.runtime(str(tmp_path), os.getuid())


@pytest.mark.parametrize("given", ["", "relative", "/nowhere/at/all"])
def test_without_one_a_folder_among_the_temporary_serves(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    assert lock.runtime(given, os.getuid()) == tmp_path / f"mnemopi-{os.getuid()}"


@pytest.fixture
def short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A path that is short enough for a socket: relative to the test's folder."""
    monkeypatch.chdir(tmp_path)
    return Path("s")


def test_a_stale_socket_is_replaced_and_the_new_one_is_private(short: Path) -> None:
    for _ in range(2):
        made = lock.listening(short)
        assert stat.S_IMODE(short.stat().st_mode) == 0o600
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(short))
        made.close()
        assert short.exists()


def test_what_is_no_socket_stays(short: Path) -> None:
    short.write_text("mine")
    with pytest.raises(DaemonError, match="no socket of yours"):
        lock.listening(short)
    assert short.read_text() == "mine"


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(DaemonError, match="cannot listen"):
        lock.listening(Path("nowhere") / "s")
