"""What a person does with the memory of a project: look, search, save, clear and take back."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mnemopi.backends.mnemopi import clearing
from mnemopi.backends.mnemopi.clearing import WEEK_MS, Clearing
from mnemopi.errors import InUseError, NotFoundError, UsageError
from mnemopi.maintenance import swap
from mnemopi.model.session import Lesson, SessionRef
from mnemopi.transfer import load

from .conftest import Clock, Host, Make


def ref(folder: Path, name: str, id: str = "s1") -> SessionRef:
    place = folder / name
    place.mkdir(exist_ok=True)
    return SessionRef("pytest", id, str(place))


def finds(host: Host, query: str) -> list[str]:
    return [item.content for item in host.backend.search(host.ref, query).items]


def test_projects_keep_to_themselves(make: Make, folder: Path) -> None:
    backend = make()
    one, two = Host(backend, ref(folder, "one")), Host(backend, ref(folder, "two"))
    one.tell("The port of staging is 5433.")
    assert finds(two, "port of staging") == []
    assert finds(one, "port of staging")


def test_one_memory_for_all_is_seen_by_all(make: Make, folder: Path) -> None:
    backend = make(scoping="global", bank="team")
    one, two = Host(backend, ref(folder, "one")), Host(backend, ref(folder, "two", "s2"))
    one.tell("The port of staging is 5433.")
    assert finds(two, "port of staging")
    assert backend.banks.list.list() == ["default", "team"]


def test_what_all_projects_share_is_recalled_beside_a_projects_own(make: Make, folder: Path) -> None:
    backend = make(scoping="per-project-tagged")
    one, two = Host(backend, ref(folder, "one")), Host(backend, ref(folder, "two"))
    backend.save(one.ref, [Lesson("Services log as JSON", everywhere=True), Lesson("Ports begin at 5000")])
    assert finds(two, "how do services log") == ["Services log as JSON"]
    assert finds(two, "where do ports begin") == []


def test_a_lesson_for_all_needs_a_bank_for_all_before_anything_is_written(make: Make, folder: Path) -> None:
    host = Host(make(), ref(folder, "one"))
    with pytest.raises(UsageError):
        host.backend.save(host.ref, [Lesson("For this one"), Lesson("For all", everywhere=True)])
    with pytest.raises(UsageError):
        host.backend.save(host.ref, [Lesson("For this one"), Lesson(" ")])
    assert host.contents == []


def test_lessons_are_kept_with_their_source_and_worth(make: Make, folder: Path) -> None:
    host = Host(make(), ref(folder, "one"))
    lessons = [
        Lesson("Run the linter first", context="review", source="coding-agent-learn"),
        Lesson("Port 5433"),
        Lesson("Small", importance=0.1),
    ]
    saved = host.backend.save(host.ref, lessons)
    assert saved.stored == 3
    kept = {memory.content: memory for memory in host.memories}
    assert [kept[lesson.content].id for lesson in lessons] == list(saved.ids)
    assert [kept[lesson.content].importance for lesson in lessons] == [0.8, 0.75, 0.1]
    assert kept["Run the linter first"].veracity == "tool"
    assert kept["Run the linter first"].metadata["context"] == "review"
    assert host.backend.save(host.ref, []).message


def test_clearing_takes_the_projects_bank_and_no_other(make: Make, folder: Path) -> None:
    backend = make(scoping="per-project-tagged")
    one, two = Host(backend, ref(folder, "one")), Host(backend, ref(folder, "two", "s2"))
    for host in (one, two):
        host.tell("The port of staging is 5433.")
    backend.save(one.ref, [Lesson("Services log as JSON", everywhere=True)])
    preview = backend.clear(one.ref)
    assert not preview.done
    assert "1 memories" in preview.lines[0]
    assert "Spared: default" in preview.lines[1]
    assert len(one.contents) == 1
    assert backend.clear(one.ref, dry_run=False).done
    assert one.contents == []
    assert len(two.contents) == 1
    assert finds(one, "how do services log") == ["Services log as JSON"]


@pytest.mark.parametrize(("bank", "way"), [("team", "bank delete team"), ("", "mnemopi.db")])
@pytest.mark.parametrize("dry_run", [True, False])
def test_what_all_projects_share_is_not_cleared_as_if_it_were_ones_own(
    make: Make, folder: Path, bank: str, way: str, dry_run: bool
) -> None:
    host = Host(make(scoping="global", bank=bank), ref(folder, "one"))
    host.tell("The port of staging is 5433.")
    with pytest.raises(UsageError, match="all projects") as refused:
        host.backend.clear(host.ref, dry_run=dry_run)
    assert way in str(refused.value.hint)
    assert len(host.contents) == 1


def test_what_was_cleared_comes_back_with_what_was_said_since(make: Make, folder: Path) -> None:
    host = Host(make(), ref(folder, "one"))
    host.tell("The port of staging is 5433.")
    host.backend.clear(host.ref, dry_run=False)
    host.tell("Deploys run on Tuesdays.")
    host.backend.undo_clear(host.ref)
    assert sorted(host.contents) == ["Deploys run on Tuesdays.", "The port of staging is 5433."]
    with pytest.raises(NotFoundError):
        host.backend.undo_clear(host.ref)
    assert replaced(host) == []


def undo_and_die(host: Host, at: tuple[Any, str]) -> None:
    """Let a process end at a step of taking a clearing back; what it was at work with stays."""
    with pytest.MonkeyPatch.context() as patched:

        def last(*_: Any, **__: Any) -> None:
            patched.setattr(tempfile.TemporaryDirectory, "cleanup", lambda _: None)
            patched.setattr(tempfile.TemporaryDirectory, "__exit__", lambda *_: None)
            patched.setattr(swap, "_discard", lambda _: None)
            raise Killed

        patched.setattr(*at, last)
        with pytest.raises(Killed):
            host.backend.undo_clear(host.ref)


@pytest.mark.parametrize("at", [(load, "load"), (swap, "into_place"), (clearing, "_discard")])
def test_an_undoing_that_was_killed_loses_nothing_and_can_be_done_again(
    make: Make, folder: Path, clock: Clock, at: tuple[Any, str]
) -> None:
    host = Host(make(), ref(folder, "one"))
    host.tell("The port of staging is 5433.")
    host.backend.clear(host.ref, dry_run=False)
    host.tell("Deploys run on Tuesdays.")
    undo_and_die(host, at)
    assert "Deploys run on Tuesdays." in host.contents
    clock.now += 1
    host.backend.undo_clear(host.ref)
    assert sorted(host.contents) == ["Deploys run on Tuesdays.", "The port of staging is 5433."]
    beside = host.backend.banks.engine(host.backend.banks.scope(host.ref).retain).bank.path.parent
    assert [each.name for each in beside.iterdir() if each.is_dir()] == []


def test_clearing_is_final_after_a_week(make: Make, folder: Path, clock: Clock) -> None:
    host = Host(make(), ref(folder, "one"))
    host.tell("The port of staging is 5433.")
    cleared = host.backend.clear(host.ref, dry_run=False)
    clock.now += WEEK_MS + 1
    assert cleared.until is not None
    assert cleared.until < clock.now
    with pytest.raises(NotFoundError):
        host.backend.undo_clear(host.ref)
    assert replaced(host) == []


class Killed(BaseException):
    """The process ends here."""


def replaced(host: Host) -> list[str]:
    path = host.backend.banks.engine(host.backend.banks.scope(host.ref).retain).bank.path
    return [each.name for each in path.parent.iterdir() if "replaced" in each.name]


def clear_and_die(host: Host) -> None:
    """Let a process end when the empty bank is in place: what would be noted after it is not."""
    step = swap.into_place
    with pytest.MonkeyPatch.context() as patched:

        def last(*arguments: Any) -> None:
            step(*arguments)
            patched.setattr(Clearing, "_settle", lambda *_: None)
            raise Killed

        patched.setattr(swap, "into_place", last)
        patched.setattr(swap, "_discard", lambda _: None)
        with pytest.raises(Killed):
            host.backend.clear(host.ref, dry_run=False)


def test_a_clearing_that_was_killed_before_its_end_was_noted_can_be_taken_back(
    make: Make, folder: Path, clock: Clock
) -> None:
    host = Host(make(), ref(folder, "one"))
    host.tell("The port of staging is 5433.")
    clear_and_die(host)
    assert host.contents == []
    assert len(replaced(host)) == 1
    clock.now += 1
    host.backend.undo_clear(host.ref)
    assert host.contents == ["The port of staging is 5433."]
    assert replaced(host) == []


def test_what_a_killed_clearing_left_is_deleted_after_a_week(make: Make, folder: Path, clock: Clock) -> None:
    host = Host(make(), ref(folder, "one"))
    host.tell("The port of staging is 5433.")
    clear_and_die(host)
    clock.now += WEEK_MS + 1
    with pytest.raises(NotFoundError):
        host.backend.undo_clear(host.ref)
    assert replaced(host) == []


def test_a_clearing_that_was_refused_takes_nothing_for_its_own(make: Make, folder: Path, clock: Clock) -> None:
    host, other = (Host(make(), ref(folder, "one")) for _ in range(2))
    host.tell("The port of staging is 5433.")
    assert other.contents
    with pytest.raises(InUseError):
        host.backend.clear(host.ref, dry_run=False)
    other.backend.close()
    clock.now += 1
    engine = host.backend.banks.engine(host.backend.banks.scope(host.ref).retain)
    engine.restore(engine.bank.backup().path)
    assert len(replaced(host)) == 1
    with pytest.raises(NotFoundError):
        host.backend.undo_clear(host.ref)
    assert len(replaced(host)) == 1


def test_a_bank_that_another_process_has_open_is_not_cleared(make: Make, folder: Path) -> None:
    host, other = (Host(make(), ref(folder, "one")) for _ in range(2))
    host.tell("The port of staging is 5433.")
    assert other.contents
    with pytest.raises(InUseError):
        host.backend.clear(host.ref, dry_run=False)
    assert len(host.contents) == 1


def test_a_scope_without_a_bank_has_nothing_to_clear(make: Make, folder: Path) -> None:
    host = Host(make(), ref(folder, "one"))
    assert host.backend.clear(host.ref, dry_run=False).done is False
    assert host.backend.banks.list.list() == ["default"]


def test_looking_makes_no_bank(make: Make, folder: Path, tmp_path: Path) -> None:
    host = Host(make(), ref(folder, "one"))
    for look in (host.backend.stats, host.backend.diagnose, host.backend.view, host.backend.queue):
        look(host.ref)
    host.backend.status(host.ref)
    host.ask("Which port does staging use?")
    assert not (tmp_path / "data" / "banks").exists()
    assert not (tmp_path / "data" / "mnemopi.db").exists()


def test_the_status_counts_what_is_there(make: Make, folder: Path) -> None:
    host = Host(make(), ref(folder, "one"))
    assert host.backend.status(host.ref).message
    host.tell("The port of staging is 5433.", "Deploys run on Tuesdays.")
    status = host.backend.status(host.ref)
    assert (status.working_count, status.retain_bank, status.last_recall) == (2, status.recall_banks[0], False)
    assert status.last_memory is not None
    assert str(status.retain_bank) in host.backend.stats(host.ref)
    assert "None." in host.backend.diagnose(host.ref)


def test_enqueue_sums_up_what_waits(make: Make, folder: Path, clock: Clock) -> None:
    host = Host(make(), ref(folder, "one"))
    host.tell(*(f"The staging database number {n} moved to Frankfurt on day {n}." for n in range(12)))
    clock.now += 48 * 3_600_000
    notices = host.backend.enqueue(host.ref).notices
    assert "summed up" in notices[0]
    assert (host.backend.status(host.ref).episodic_count or 0) > 0


def test_a_start_sleeps_where_the_last_sleep_is_long_ago(make: Make, folder: Path, clock: Clock) -> None:
    host = Host(make(), ref(folder, "one"))
    host.tell(*(f"The staging database number {n} moved to Frankfurt on day {n}." for n in range(12)))
    clock.now += 48 * 3_600_000
    host.backend.start(host.ref, "startup", deadline=30)
    assert host.backend._upkeep.wait(30)
    assert (host.backend.status(host.ref).episodic_count or 0) > 0


def test_a_bank_of_a_former_name_is_adopted_only_where_all_of_it_is_of_this_folder(
    make: Make, folder: Path, later: Callable[..., Host]
) -> None:
    one = ref(folder, "one")
    backend = make()
    texts = {
        "one-5xyz": [one.cwd, one.cwd],
        "one-mixed": [one.cwd, "/elsewhere"],
        "one-silent": [None],
        "two-x": [one.cwd],
    }
    for bank, places in texts.items():
        for number, place in enumerate(places):
            metadata = None if place is None else {"cwd": place}
            backend.banks.engine(bank).remember(f"The port of {bank} is {number}.", metadata=metadata)
    host = Host(backend, one)
    backend.start(one, "startup", deadline=30)
    assert backend._upkeep.wait(30)
    own = backend.banks.scope(one).retain
    assert set(backend.banks.scope(one).recall) == {own, "one-5xyz"}
    assert all("one-5xyz" in text for text in finds(host, "what is the port"))
    backend.clear(one, dry_run=False)
    assert finds(host, "what is the port")


def test_a_file_of_its_own_can_be_named(make: Make, folder: Path, tmp_path: Path) -> None:
    host = Host(make(db_path=str(tmp_path / "own" / "m.db"), scoping="global"), ref(folder, "one"))
    host.tell("The port of staging is 5433.")
    assert (tmp_path / "own" / "m.db").exists()


def test_the_polyphonic_profile_asks_more_retrievers(make: Make, folder: Path) -> None:
    seen = []
    for wanted in (False, True):
        backend = make(polyphonic_recall=wanted)
        host = Host(backend, ref(folder, "one", f"s{wanted}"))
        host.tell("The port of staging is 5433.")
        bank = backend.banks.engine(backend.banks.scope(host.ref).retain).bank
        seen.append(bank.recall("port of staging", **backend._options(backend.banks.engine(bank.name))).retrievers)
    assert set(seen[0]) < set(seen[1])
