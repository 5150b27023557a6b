"""What a prompt calls up, where a session may look, and what is put before the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mnemopi.backends.hindsight import models, shown
from mnemopi.backends.hindsight.models import Model
from mnemopi.errors import ConfigError, NotFoundError
from mnemopi.model.session import Lesson, Message, SessionRef

LONG = 30.0


def block(effect: Any) -> str:
    return "\n".join(each.text for each in effect.blocks)


def test_a_prompt_recalls_and_the_next_one_only_what_is_new(opened: Any, session: SessionRef, say: Any) -> None:
    backend = opened()
    backend.save(session, [Lesson("The harbour master is Ines")])
    first = backend.before_prompt(session, say(1, "Who is the harbour master?"), (), deadline=LONG)
    assert "Ines" in block(first)
    assert first.blocks[0].placement == "turn"
    backend.save(session, [Lesson("The harbour closes at nine")])
    again = opened().before_prompt(session, say(3, "When does the harbour close?"), (), deadline=LONG)
    assert "nine" in block(again)
    assert "Ines" not in block(again)


def test_after_compaction_what_was_shown_may_be_shown_again(opened: Any, session: SessionRef, say: Any) -> None:
    backend = opened()
    backend.save(session, [Lesson("The harbour master is Ines")])
    backend.before_prompt(session, say(1, "Who is the harbour master?"), (), deadline=LONG)
    backend.start(session, "compact", deadline=LONG)
    assert "Ines" in block(backend.before_prompt(session, say(3, "The harbour master?"), (), deadline=LONG))


def test_a_block_has_no_clock_and_no_id_and_cannot_be_ended_from_within(
    opened: Any, session: SessionRef, say: Any
) -> None:
    backend = opened()
    backend.save(session, [Lesson("The harbour </memories> is open")])
    text = block(backend.before_prompt(session, say(1, "Is the harbour open?"), (), deadline=LONG))
    assert text.count("</memories>") == 1
    assert text.endswith("</memories>")
    assert "&lt;/memories>" in text
    assert "#" not in text
    assert "[world] (2026-05-01)" in text


def test_a_question_is_made_of_the_turns_that_are_set(opened: Any, server: Any, session: SessionRef, say: Any) -> None:
    recent = (say(1, "We talk of boats."), say(2, "Boats it is."))
    opened(recall_context_turns=2).before_prompt(session, say(3, "And the red one?"), recent, deadline=LONG)
    opened().before_prompt(session, say(5, "And the blue one?"), recent, deadline=LONG)
    asked = [body["query"] for body in server.seen("POST", "/recall")]
    assert asked == [
        "Prior context:\n\nuser: We talk of boats.\nassistant: Boats it is.\n\nAnd the red one?",
        "And the blue one?",
    ]


def test_recall_asks_as_it_is_set(opened: Any, server: Any, session: SessionRef, say: Any) -> None:
    backend = opened(
        recall_budget="high", recall_max_tokens=200, recall_types="world", recall_max_query_chars=64, scoping="global"
    )
    backend.before_prompt(session, say(1, "word " * 40), (), deadline=LONG)
    (body,) = server.seen("POST", "/recall")
    assert (body["budget"], body["max_tokens"], body["types"]) == ("high", 200, ["world"])
    assert len(body["query"]) <= 64
    assert "tags" not in body


def test_an_unknown_kind_of_memory_is_refused_at_the_door(opened: Any) -> None:
    with pytest.raises(ConfigError, match="opinion"):
        opened(recall_types="world, opinion")


def test_a_bank_that_the_server_could_not_find_is_refused_at_the_door(opened: Any) -> None:
    with pytest.raises(ConfigError, match="bank_id"):
        opened(bank_id="a/b")


def test_nothing_is_asked_where_recall_is_off_or_a_prompt_has_no_word(
    opened: Any, server: Any, session: SessionRef, say: Any
) -> None:
    opened(auto_recall=False).before_prompt(session, say(1, "Where is the harbour?"), (), deadline=LONG)
    opened().before_prompt(session, say(3, "???"), (), deadline=LONG)
    assert server.requests == []


@pytest.mark.parametrize("scoping", ["per-project", "per-project-tagged"])
def test_projects_of_one_name_see_nothing_of_each_other(opened: Any, tmp_path: Path, scoping: str) -> None:
    folders = [tmp_path / "a" / "shop", tmp_path / "b" / "shop"]
    for folder in folders:
        folder.mkdir(parents=True)
    here, there = (SessionRef("pytest", "s1", str(folder)) for folder in folders)
    backend = opened(scoping=scoping)
    backend.save(here, [Lesson("The harbour master is Ines")])
    assert backend.search(here, "harbour").items
    assert backend.search(there, "harbour").items == ()


def test_what_has_no_tag_is_seen_by_all_projects(opened: Any, session: SessionRef, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    backend = opened()
    backend.save(session, [Lesson("The harbour master is Ines", everywhere=True)])
    assert backend.search(SessionRef("pytest", "s2", str(other)), "harbour").items


def test_a_bank_is_named_as_it_is_set(opened: Any, server: Any, session: SessionRef) -> None:
    opened(scoping="global", bank_id="sea", bank_id_prefix="team", bank_mission="mind boats").save(
        session, [Lesson("The harbour master is Ines")]
    )
    assert list(server.banks) == ["team-sea"]
    assert server.banks["team-sea"]["missions"] == {"reflect_mission": "mind boats"}


def test_a_search_says_where_and_when(opened: Any, session: SessionRef) -> None:
    backend = opened()
    backend.save(session, [Lesson("The harbour master is Ines"), Lesson("The harbour is open")])
    found = backend.search(session, "harbour", limit=1)
    (item,) = found.items
    assert item.bank == "omp"
    assert item.at == 1777636800000
    assert item.source == "world"


def test_the_server_reflects_within_the_scope(opened: Any, server: Any, session: SessionRef) -> None:
    backend = opened()
    backend.save(session, [Lesson("The harbour master is Ines")])
    told = backend.reflect(session, "Who is the harbour master?", context="for the letter")
    assert "Ines" in told.text
    assert len(told.ids) == 1
    (body,) = server.seen("POST", "/reflect")
    assert body["query"].endswith("for the letter")
    assert body["tags"][0].startswith("project:shop-")


def test_missing_models_are_made_once_and_never_changed(opened: Any, server: Any, session: SessionRef) -> None:
    opened().start(session, "startup", deadline=LONG)
    opened().start(SessionRef("pytest", "s2", session.cwd), "startup", deadline=LONG)
    made = server.seen("POST", "/mental-models")
    assert [body["id"].split("-shop-")[0] for body in made] == [
        "user-preferences",
        "project-conventions",
        "project-decisions",
    ]
    assert [len(body["tags"]) for body in made] == [0, 1, 1]
    assert all(body["trigger"] == {"mode": "delta", "refresh_after_consolidation": True} for body in made)


def test_no_model_is_made_where_that_is_off(opened: Any, server: Any, session: SessionRef) -> None:
    opened(mental_model_auto_seed=False).start(session, "startup", deadline=LONG)
    opened(mental_models_enabled=False).start(session, "startup", deadline=LONG)
    assert server.seen("POST", "/mental-models") == []


def test_models_are_shown_at_the_start_and_stay_as_they_are_for_the_transcript(
    opened: Any, server: Any, session: SessionRef
) -> None:
    opened().start(session, "startup", deadline=LONG)
    held = server.banks["omp"]["models"]
    held["user-preferences"]["content"] = "Ines likes tabs."
    held["foreign"] = {"id": "foreign", "name": "A", "content": "Not yours", "tags": ["project:other"]}
    first = opened().start(session, "startup", deadline=LONG)
    assert block(first) == "<mental_models>\n# User preferences\n\nInes likes tabs.\n</mental_models>"
    held["user-preferences"]["content"] = "Ines likes blanks."
    assert block(opened().start(session, "resume", deadline=LONG)) == block(first)
    assert block(opened().start(session, "compact", deadline=LONG)) == block(first)
    assert "blanks" in block(opened().start(session, "clear", deadline=LONG))
    held["user-preferences"]["content"] = "Ines likes blanks. " * 40
    assert len(block(opened(mental_model_max_render_chars=300).reload_models(session))) <= 300
    held["user-preferences"]["content"] = ""
    assert block(opened().reload_models(session)) == ""


def test_a_failed_load_keeps_what_was_shown(opened: Any, server: Any, session: SessionRef) -> None:
    opened().start(session, "startup", deadline=LONG)
    server.banks["omp"]["models"]["user-preferences"]["content"] = "Ines likes tabs."
    opened().start(session, "startup", deadline=LONG)
    server.fail_with = 500
    effect = opened().start(session, "clear", deadline=LONG)
    assert "tabs" in block(effect)
    assert "500" in str(effect.degraded)


def test_models_are_listed_refreshed_shown_and_deleted(opened: Any, server: Any, session: SessionRef) -> None:
    backend = opened()
    backend.start(session, "startup", deadline=LONG)
    door = backend.models(session)
    held = server.banks["omp"]["models"]["user-preferences"]
    held |= {
        "content": "tabs\nshort lines",
        "history": [{"previous_content": "blanks\nshort lines", "changed_at": "t"}],
    }
    assert len(door.seen()) == 3
    assert door.show("user-preferences").content == "tabs\nshort lines"
    assert door.history("user-preferences") == [("t", "- blanks\n+ tabs\n  short lines")]
    assert len(door.refresh()[0]) == 3
    door.delete("user-preferences")
    assert len(door.seen()) == 2
    with pytest.raises(NotFoundError):
        door.show("user-preferences")
    made, known = door.seed()
    assert (made, len(known)) == (["user-preferences"], 2)


@pytest.mark.parametrize("most", [0, 60, 120, 300, 1000, 16_000])
@pytest.mark.parametrize("count", [1, 3, 40])
def test_a_block_of_models_keeps_to_its_length_and_its_closing_tag(most: int, count: int) -> None:
    text = models.rendered([Model(str(n), f"Name {n}", "word </mental_models> " * 40) for n in range(count)], most)
    assert len(text) <= most
    assert text == "" or (text.endswith("</mental_models>") and text.count("</mental_models>") == 1)
    assert most < 120 or text


def test_a_long_difference_is_cut_and_says_so() -> None:
    told = models.difference("\n".join(map(str, range(1500))), "\n".join(map(str, range(1500, 3000))))
    assert told.startswith("(only the first 1000 lines")
    assert "lines more)" in told.splitlines()[-1]
    assert models.difference(None, "a\nb") == "+ a\n+ b"


def test_instructions_speak_only_of_what_is_on(opened: Any, session: SessionRef) -> None:
    everything = opened().instructions(session)
    little = opened(auto_recall=False, auto_retain=False, mental_models_enabled=False).instructions(session)
    assert "<memories>" in everything
    assert "<memories>" not in little
    assert "mental" not in little
    assert "by themselves" not in little


def test_before_compaction_what_the_last_turn_is_about_is_recalled(opened: Any, session: SessionRef, say: Any) -> None:
    backend = opened()
    backend.save(session, [Lesson("The harbour master is Ines")])
    dropping: tuple[Message, ...] = (say(1, "Write to the harbour master."), say(2, "I shall."))
    (told,) = backend.before_compaction(session, dropping, deadline=LONG).blocks
    assert told.placement == "summary"
    assert "Ines" in told.text


def test_what_only_fills_an_answer_up_is_not_shown() -> None:
    def result(text: str, **scores: float | None) -> dict[str, object]:
        return {"id": text, "text": text, "scores": {"final": 0.9, **scores}}

    found = shown.memories(
        {
            "results": [
                result("by words", semantic=0.4, keyword=0.1),
                result("near", semantic=0.8, keyword=None),
                result("about as near", semantic=0.7, keyword=None),
                result("far", semantic=0.52, keyword=None),
                result("by a link", semantic=None, keyword=None),
                {"id": "unscored", "text": "unscored"},
            ]
        }
    )
    assert [memory.text for memory in shown.worth_showing(found)] == ["by words", "near", "about as near", "unscored"]
    alone = shown.memories({"results": [result("far", semantic=0.35, keyword=None)]})
    assert shown.worth_showing(alone) == []
