from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC
from typing import Any

import pytest

from mnemopi.errors import BudgetError, RefusedError, UnavailableError
from mnemopi.ingest import edits, extract, prepare, remember, undo
from mnemopi.ingest.draft import Draft
from mnemopi.ingest.extract import EXTRACTOR, SIZE, Read, Reader
from mnemopi.ingest.prepare import Gate
from mnemopi.model.memory import Identity
from mnemopi.storage.readings import TRIES
from mnemopi.storage.store import Store
from mnemopi.testing import Asked, FixedClock, ScriptedLLM
from mnemopi.text import redact

NOW = 1_750_000_000_000
WHO = Identity()
TEXT = "Acme Robotics is where I earn my bread these days."


def claim(**fields: Any) -> dict[str, Any]:
    usual = {"kind": "identity", "subject": "user", "predicate": "employer", "object": "Acme Robotics"}
    return usual | {"quote": "Acme Robotics is where I earn my bread"} | fields


def says(*claims: dict[str, Any]) -> str:
    return json.dumps({"claims": claims}, ensure_ascii=False)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
def work(store: Store, clock: FixedClock) -> Callable[..., Read]:
    """Have a scripted model read what waits."""

    def worked(llm: ScriptedLLM, *, prompt: str = "", holder: str = "me", **options: Any) -> Read:
        return extract.work_off(store, Reader(llm, 500, 5.0, prompt, UTC), holder, clock, **options)

    return worked


def facts(store: Store) -> list[tuple[str, str]]:
    asked = {"bank": store.bank}
    rows = store.connection.all(
        "SELECT predicate, object FROM fact WHERE bank = :bank AND retired_at IS NULL ORDER BY rowkey", asked
    )
    return [(row[0], row[1]) for row in rows]


def waiting(store: Store) -> tuple[int, int, int]:
    return store.readings.counts(NOW)


# -- what waits


def test_by_default_nothing_waits_for_a_model(store: Store, add: Any) -> None:
    add(TEXT, "We use Postgres")
    assert waiting(store) == (0, 0, 0)


def test_what_is_wished_to_be_read_waits(store: Store, add: Any) -> None:
    add(TEXT, extract=True)
    assert waiting(store) == (1, 0, 0)


@pytest.mark.parametrize(
    ("level", "fields", "count"),
    [
        ("llm", {}, 1),
        ("llm", {"extract": False}, 0),
        ("llm", {"extract_text": ""}, 0),
        ("llm", {"author_type": "assistant"}, 0),
        ("llm", {"author_type": "assistant", "extract_text": "earn my bread"}, 1),
        ("llm", {"source": "tool"}, 0),
        ("rules", {"author_type": "assistant", "extract": True}, 1),
        ("off", {"extract": True}, 1),
        ("off", {}, 0),
    ],
)
def test_a_setting_and_who_speaks_decide_what_waits(
    store: Store, level: str, fields: dict[str, Any], count: int
) -> None:
    gate = Gate(10_000, "full", UTC, level)
    remember.remember(store, [prepare.prepare(Draft(TEXT, **fields), WHO, NOW, gate)], NOW)
    assert waiting(store)[0] == count


def test_rules_read_at_once_whatever_a_model_reads_later(store: Store, add: Any, work: Any) -> None:
    add("We use Postgres. " + TEXT, extract=True)
    assert facts(store) == [("uses", "Postgres")]
    work(ScriptedLLM([says(claim())]))
    assert facts(store) == [("uses", "Postgres"), ("employer", "Acme Robotics")]


def test_what_is_not_to_be_read_is_not_read_by_rules_either(store: Store, add: Any) -> None:
    add("We use Postgres.", extract=False)
    assert facts(store) == []


def test_a_note_that_was_read_is_not_read_again_when_it_is_said_again(store: Store, add: Any, work: Any) -> None:
    llm = ScriptedLLM([says()])
    add(TEXT, extract=True)
    work(llm)
    add(TEXT, extract=True)
    work(llm)
    assert len(llm.asked) == 1


def test_a_known_note_may_be_wished_to_be_read(store: Store, add: Any) -> None:
    add(TEXT)
    add(TEXT, extract=True)
    assert waiting(store)[0] == 1


# -- reading


def test_what_a_model_read_is_a_fact_with_its_place_and_origin(store: Store, add: Any, work: Any) -> None:
    [receipt] = add(TEXT, extract=True)
    assert work(ScriptedLLM([says(claim())])) == Read(memories=1, claims=1)
    assert facts(store) == [("employer", "Acme Robotics")]
    [statement] = store.facts.statements_from(str(receipt))
    assert (statement.origin, statement.memory, statement.version) == ("llm", str(receipt), 1)
    assert TEXT[statement.start or 0 : statement.stop] == "Acme Robotics is where I earn my bread"
    assert [event.verb for event in store.journal.history(str(receipt))] == ["remembered", "extracted"]
    assert waiting(store) == (0, 0, 1)


def test_nothing_is_nothing(store: Store, add: Any, work: Any) -> None:
    add(TEXT, extract=True)
    llm = ScriptedLLM([says()])
    assert work(llm) == Read(memories=1)
    assert (facts(store), len(llm.asked)) == ([], 1)


def test_what_does_not_stand_in_the_text_is_counted_and_kept_out(store: Store, add: Any, work: Any) -> None:
    add(TEXT, extract=True)
    assert work(ScriptedLLM([says(claim(object="Initech"), claim())])) == Read(memories=1, claims=1, dropped=1)
    assert facts(store) == [("employer", "Acme Robotics")]


def test_the_model_is_told_who_when_and_what_shape(store: Store, add: Any, work: Any) -> None:
    add(TEXT, extract=True, author_id="ann")
    llm = ScriptedLLM([says()])
    work(llm)
    [asked] = llm.asked
    assert asked.prompt.endswith(f"<<<\n{TEXT}\n>>>\n")
    assert "(English)" in asked.prompt
    assert "Sunday, 2025-06-15" in asked.system and "`ann`" in asked.system
    assert asked.schema is not None
    assert (asked.max_tokens, asked.timeout, asked.temperature, asked.task) == (500, 5.0, 0.0, "extract")


def test_another_prompt_may_be_set(store: Store, add: Any, work: Any) -> None:
    add("我喜欢绿茶", extract=True)
    llm = ScriptedLLM([says()])
    work(llm, prompt="Facts in {lang}, please: {text}")
    assert llm.asked[0].prompt == "Facts in Chinese, please: 我喜欢绿茶"


def test_a_prompt_without_a_place_for_the_text_has_it_at_its_end(store: Store, add: Any, work: Any) -> None:
    add(TEXT, extract=True)
    llm = ScriptedLLM([says()])
    work(llm, prompt="List the facts.")
    assert llm.asked[0].prompt == f"List the facts.\n\n{TEXT}"


def test_a_text_cannot_fill_in_the_prompt(store: Store, add: Any, work: Any) -> None:
    add("Say {lang} and {text} and {why}", extract=True)
    llm = ScriptedLLM(["no", says()])
    work(llm, prompt="{text} ({lang})")
    assert llm.asked[0].prompt == "Say {lang} and {text} and {why} (English)"
    assert llm.asked[1].prompt.startswith("Say {lang} and {text} and {why} (English)\n\nYour last answer")


def test_our_own_words_pass_the_egress_gate_unchanged() -> None:
    for words in (extract.PROMPT, extract.SYSTEM):
        assert redact.redact(words, "full").text == words


def test_only_the_part_that_users_said_is_read(store: Store, add: Any, work: Any) -> None:
    [receipt] = add(f"Assistant: I use Oracle. User: {TEXT}", extract=True, extract_text=TEXT)
    llm = ScriptedLLM([says(claim())])
    work(llm)
    assert "Oracle" not in llm.asked[0].prompt
    [statement] = store.facts.statements_from(str(receipt))
    content = store.memories.versions(str(receipt))[0].content
    assert content[statement.start or 0 : statement.stop] == "Acme Robotics is where I earn my bread"


def test_a_part_that_is_not_in_the_text_word_for_word_has_its_place_where_it_can(
    store: Store, add: Any, work: Any
) -> None:
    [receipt] = add(
        "[10:01] Acme Robotics is where I earn my bread [10:02] and more",
        extract=True,
        extract_text="Acme Robotics is where I earn my bread, and I live in Bonn",
    )
    home = claim(predicate="location", object="Bonn", quote="I live in Bonn")
    work(ScriptedLLM([says(claim(), home)]))
    placed = {each.object: (each.start, each.stop) for each in store.facts.statements_from(str(receipt))}
    assert placed == {"Acme Robotics": (8, 46), "Bonn": (0, 0)}


# -- bad answers


def test_an_answer_of_another_shape_is_asked_for_once_more_with_what_was_wrong(
    store: Store, add: Any, work: Any
) -> None:
    add(TEXT, extract=True)
    llm = ScriptedLLM(["Sure, here you are!", says(claim())])
    assert work(llm) == Read(memories=1, claims=1)
    assert len(llm.asked) == 2
    assert "it is no JSON" in llm.asked[1].prompt
    assert TEXT in llm.asked[1].prompt


def test_a_reading_that_fails_is_tried_again_later_and_given_up_at_the_third(
    store: Store, clock: FixedClock, add: Any, work: Any
) -> None:
    [receipt] = add(TEXT, extract=True)
    llm = ScriptedLLM(["garbage"])
    for number in range(1, TRIES + 1):
        assert work(llm) == Read(failures=1)
        assert work(llm) == Read(), "it is not due yet"
        assert len(llm.asked) == 2 * number
        clock.advance(hours=1)
    assert work(llm) == Read()
    assert waiting(store) == (0, 1, 0)
    events = [event for event in store.journal.history(str(receipt)) if event.verb == "extraction failed"]
    assert len(events) == TRIES
    assert all("Acme" not in (event.reason or "") for event in events)
    assert {event.actor for event in events} == {"testing:scripted"}


def test_a_bad_answer_for_one_does_not_keep_the_others_waiting(store: Store, add: Any, work: Any) -> None:
    add("The first says something odd.", TEXT, extract=True)

    def answer(asked: Asked) -> str:
        return says(claim()) if "Acme" in asked.prompt else "garbage"

    report = work(ScriptedLLM([answer]))
    assert (report.memories, report.failures, report.error) == (1, 1, "")


@pytest.mark.parametrize("error", [UnavailableError("down"), RefusedError("no"), UnavailableError("late")])
def test_a_model_out_of_reach_is_left_alone_for_a_while(
    store: Store, clock: FixedClock, add: Any, work: Any, error: Exception
) -> None:
    add(TEXT, "Another one that I tell.", extract=True)
    llm = ScriptedLLM([error])
    report = work(llm)
    assert (len(llm.asked), report.failures, bool(report.error)) == (1, 1, True)
    assert work(llm).error == report.error
    assert len(llm.asked) == 1
    clock.advance(seconds=60)
    work(llm)
    assert len(llm.asked) == 2
    clock.advance(seconds=61)
    work(llm)
    assert len(llm.asked) == 2, "the pause grows"


def test_a_model_that_is_back_is_asked_without_pause(store: Store, clock: FixedClock, add: Any, work: Any) -> None:
    add(TEXT, extract=True)
    work(ScriptedLLM([UnavailableError("down")]))
    clock.advance(seconds=60)
    assert work(ScriptedLLM([says(claim())])) == Read(memories=1, claims=1)
    add("Another one that I tell.", extract=True, now=clock())
    work(ScriptedLLM([UnavailableError("down")]))
    clock.advance(seconds=60)
    assert work(ScriptedLLM([says()])) == Read(memories=1)


def test_a_spent_budget_is_nobodys_failure(store: Store, add: Any, work: Any) -> None:
    add(TEXT, extract=True)
    report = work(ScriptedLLM([BudgetError("spent")]))
    assert (report.failures, report.error) == (0, "spent")
    assert work(ScriptedLLM([says(claim())])) == Read(memories=1, claims=1)


# -- long texts


def long_text(sentences: int = 200) -> str:
    return " ".join(f"In week {number} I wrote chapter {number} of the manual." for number in range(sentences))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> int:
    """Pieces of a third of the usual size."""
    monkeypatch.setattr(extract, "SIZE", SIZE // 3)
    return SIZE // 3


def test_a_long_text_is_read_in_pieces_that_cover_it(store: Store, add: Any, work: Any, small: int) -> None:
    text = long_text()
    [receipt] = add(text, extract=True, extract_text=text)
    seen: list[str] = []

    def answer(asked: Asked) -> str:
        part = asked.prompt.split("<<<\n")[1].removesuffix("\n>>>\n")
        seen.append(part)
        found = part[part.index("chapter") :].split(" of")[0]
        return says(claim(kind="fact", predicate="wrote", object=found, quote=found))

    report = work(ScriptedLLM([answer]))
    assert "".join(seen) == text
    assert len(seen) > 2 and all(len(part) <= small for part in seen)
    assert (report.memories, report.claims) == (1, len(seen))
    for each in store.facts.statements_from(str(receipt)):
        if each.origin == "llm":
            assert text[each.start or 0 : each.stop] == each.object


def test_a_long_reading_goes_on_where_it_was_left(store: Store, add: Any, work: Any, small: int) -> None:
    add(long_text(), extract=True)
    llm = ScriptedLLM([says(), BudgetError("spent"), says()])
    work(llm)
    assert len(llm.asked) == 2
    assert work(llm) == Read(memories=1)
    parts = [asked.prompt.split("<<<\n")[1] for asked in llm.asked]
    assert parts[1] == parts[2] != parts[0]
    assert len({*parts}) == len(parts) - 1


# -- what changes


def test_a_memory_that_was_updated_is_read_anew(store: Store, gate: Gate, add: Any, work: Any) -> None:
    [receipt] = add(TEXT, extract=True)
    work(ScriptedLLM([says(claim())]))
    update(store, str(receipt), gate, "Initech is where I earn my bread now.")
    assert facts(store) == []
    work(ScriptedLLM([says(claim(object="Initech", quote="Initech is where I earn my bread"))]))
    assert facts(store) == [("employer", "Initech")]


def test_what_was_read_of_a_text_that_changed_meanwhile_is_thrown_away(
    store: Store, gate: Gate, add: Any, work: Any
) -> None:
    [receipt] = add(TEXT, extract=True)

    def meanwhile(asked: Asked) -> str:
        update(store, str(receipt), gate, "Initech is where I earn my bread now.")
        return says(claim())

    llm = ScriptedLLM([meanwhile, says()])
    work(llm)
    assert facts(store) == []
    assert len(llm.asked) == 2 and "Initech" in llm.asked[1].prompt


def test_a_text_that_changes_once_its_last_piece_is_written_is_read_anew(
    store: Store, gate: Gate, add: Any, work: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    [receipt] = add(TEXT, extract=True)
    end, texts = extract._Work._end, ["Initech is where I earn my bread now."]

    def late(self: Any, *arguments: Any) -> None:
        while texts:
            update(store, str(receipt), gate, texts.pop())
        end(self, *arguments)

    monkeypatch.setattr(extract._Work, "_end", late)
    llm = ScriptedLLM([says(claim()), says(claim(object="Initech", quote="Initech is where I earn my bread"))])
    assert work(llm).memories == 1
    assert facts(store) == [("employer", "Initech")]
    assert waiting(store) == (0, 0, 1)
    assert [event.version for event in store.journal.history(str(receipt)) if event.verb == "extracted"] == [2]


def test_a_text_that_is_as_it_was_again_is_read_from_its_start(
    store: Store, gate: Gate, add: Any, work: Any, small: int
) -> None:
    text = long_text()
    [receipt] = add(text, extract=True)

    def meanwhile(asked: Asked) -> str:
        update(store, str(receipt), gate, TEXT)
        update(store, str(receipt), gate, text)
        return says()

    llm = ScriptedLLM([says(), meanwhile, says()])
    work(llm)
    assert llm.asked[2].prompt == llm.asked[0].prompt
    assert waiting(store) == (0, 0, 1)


def test_a_change_of_importance_alone_is_not_read_again(store: Store, gate: Gate, add: Any, work: Any) -> None:
    [receipt] = add(TEXT, extract=True)
    work(ScriptedLLM([says(claim())]))
    update(store, str(receipt), gate, None, importance=0.9)
    assert waiting(store) == (0, 0, 1)
    assert facts(store) == [("employer", "Acme Robotics")]


def test_what_was_invalidated_is_not_read_and_its_facts_go(store: Store, add: Any, work: Any) -> None:
    read, unread = add(TEXT, "Another one that I tell.", extract=True)
    llm = ScriptedLLM([says(claim()), says()])
    work(llm, limit=1)
    for receipt in (read, unread):
        edits.invalidate(store, str(receipt), WHO, NOW, replacement=None, reason=None)
    assert (facts(store), waiting(store)) == ([], (0, 0, 0))
    work(llm)
    assert len(llm.asked) == 1


def test_what_was_forgotten_leaves_no_trace_of_its_reading(store: Store, add: Any, work: Any) -> None:
    [receipt] = add(f"Bot: hi. {TEXT}", extract=True, extract_text=TEXT)
    work(ScriptedLLM([says(claim())]))
    edits.forget(store, str(receipt), WHO, NOW)
    assert facts(store) == []
    for table in ("assertion", "fact", "reading"):
        assert store.connection.all(f"SELECT count(*) FROM {table}") == [(0,)]


def test_what_is_forgotten_while_it_is_read_stays_forgotten(store: Store, add: Any, work: Any) -> None:
    [receipt] = add(TEXT, extract=True)

    def meanwhile(asked: Asked) -> str:
        edits.forget(store, str(receipt), WHO, NOW)
        return says(claim())

    assert work(ScriptedLLM([meanwhile])) == Read()
    assert facts(store) == []


def test_an_undone_change_brings_back_what_was_read_once(store: Store, gate: Gate, add: Any, work: Any) -> None:
    [receipt] = add(TEXT, extract=True)
    work(ScriptedLLM([says(claim())]))
    update(store, str(receipt), gate, "Initech is where I earn my bread now.")
    undo.undo(store, str(receipt), WHO, NOW)
    assert facts(store) == [("employer", "Acme Robotics")]
    work(ScriptedLLM([says(claim())]))
    assert facts(store) == [("employer", "Acme Robotics")]
    counted = [each for each in store.facts.statements_from(str(receipt)) if each.withdrawn_at is None]
    assert len(counted) == 1


def test_what_another_extractor_read_is_read_anew(
    store: Store, add: Any, work: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(TEXT, extract=True)
    work(ScriptedLLM([says(claim())]))
    assert EXTRACTOR != "llm/2"
    monkeypatch.setattr(extract, "EXTRACTOR", "llm/2")
    llm = ScriptedLLM([says()])
    add("Another one that I tell.", extract=True)
    work(llm)
    assert len(llm.asked) == 2
    assert facts(store) == [], "what the former one read counts no longer"


# -- who works, and how much


def test_a_limit_and_a_stop_hold(store: Store, add: Any, work: Any) -> None:
    add(*(f"Number {number} is what I tell." for number in range(5)), extract=True)
    llm = ScriptedLLM([says()])
    assert work(llm, limit=2).memories == 2
    assert work(llm, limit=0).memories == 0
    assert work(llm, stop=lambda: len(llm.asked) >= 3).memories == 1
    assert work(llm).memories == 2


def test_two_processes_do_not_read_the_same(store: Store, add: Any, work: Any) -> None:
    add(TEXT, extract=True)
    other = ScriptedLLM([says()])

    def meanwhile(asked: Asked) -> str:
        report = work(other, holder="other")
        assert (report.memories, bool(report.error)) == (0, True)
        return says(claim())

    assert work(ScriptedLLM([meanwhile])).memories == 1
    assert other.asked == []


def test_a_reader_that_died_leaves_a_lease_that_ends(store: Store, clock: FixedClock, add: Any, work: Any) -> None:
    add(TEXT, extract=True)

    class Killed(BaseException):
        pass

    def dies(asked: Asked) -> str:
        store.meta.release = lambda name, holder: None  # type: ignore[method-assign]
        raise Killed

    with pytest.raises(Killed):
        work(ScriptedLLM([dies]))
    del store.meta.release
    assert work(ScriptedLLM([says()]), holder="other").memories == 0
    clock.advance(seconds=71)
    assert work(ScriptedLLM([says(claim())]), holder="other") == Read(memories=1, claims=1)


def test_pieces_end_where_passages_do() -> None:
    text = long_text()
    start, stop = extract.next_piece(text, 0)
    assert start == 0 and SIZE * 0.5 < stop <= SIZE
    assert text[:stop].rstrip().endswith(".")
    assert extract.next_piece("short", 0) == (0, 5)
    assert extract.next_piece("x" * SIZE, 0) == (0, SIZE)
    assert extract.next_piece("x" * (SIZE + 1), 0)[1] > 0


def update(store: Store, id: str, gate: Gate, content: str | None, importance: float | None = None) -> None:
    edits.update(store, id, WHO, gate, NOW, content=content, importance=importance, pinned=None, expected_version=None)


def test_a_setting_reads_what_an_update_says(store: Store, gate: Gate, add: Any) -> None:
    [receipt] = add(TEXT)
    update(store, str(receipt), replace(gate, extract="llm"), "Initech is where I earn my bread now.")
    assert waiting(store)[0] == 1
