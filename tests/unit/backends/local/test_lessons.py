"""The file of lessons: what is put in stays as it is, and nothing else of the file is touched."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.backends.local import lessons, prefix
from mnemopi.backends.local.places import Project
from mnemopi.errors import UsageError
from mnemopi.model.session import Lesson

LINES = st.lists(
    st.sampled_from(["# Python", "", "prose here", "- a lesson", "  - an indented one", "- another", "* no lesson"]),
    max_size=12,
)


@pytest.mark.parametrize(
    ("content", "context", "line"),
    [
        ("Use `List<int>` ~~~not~~~ tuples", None, "- Use `List<int>` ~~~not~~~ tuples"),
        ("tab\tand\u200bzero width", "ctx\n\n y", "- tab and zero width _(context: ctx y)_"),
        ("  spaced  ", "", "- spaced"),
        ("family 👩\u200d👧", None, "- family 👩\u200d👧"),
        ("right\u202eleft", None, "- right left"),
        ("x" * 5000, "y" * 900, f"- {'x' * 2000} _(context: {'y' * 400})_"),
    ],
)
def test_a_lesson_keeps_its_text_on_one_line(content: str, context: str | None, line: str) -> None:
    assert lessons.line(Lesson(content, context)) == line


def test_a_secret_is_taken_out_even_where_control_characters_part_it() -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    for hidden in (key, key[:3] + "\u200b" + key[3:], f"token\x00 {key}"):
        line = lessons.line(Lesson(f"push with {hidden}"))
        assert line is not None and key not in line.replace(" ", "")


@pytest.mark.parametrize("content", ["", "  \n", "\u200b\x07"])
def test_a_lesson_of_which_nothing_remains_is_none(content: str) -> None:
    assert lessons.line(Lesson(content, "context")) is None


def test_a_lesson_goes_first_and_an_equal_one_moves_there() -> None:
    text = "# Python\n\n- use ruff\n\n# TypeScript\n\n- use biome\n"
    once = lessons.appended(text, "- use uv").text
    assert once == "# Python\n\n- use uv\n- use ruff\n\n# TypeScript\n\n- use biome\n"
    assert lessons.appended(once, "- use uv").text == once
    assert lessons.appended(once, "- use biome").text == (
        "# Python\n\n- use biome\n- use uv\n- use ruff\n\n# TypeScript\n\n"
    )


@given(LINES, st.sampled_from(["- a lesson", "- new"]), st.booleans())
def test_what_is_no_lesson_stays_where_it_was(lines: list[str], new: str, ended: bool) -> None:
    text = "\n".join(lines) + ("\n" if ended and lines else "")
    once = lessons.appended(text, new)
    assert lessons.appended(once.text, new).text == once.text
    rest = [line for line in text.split("\n") if not line.lstrip().startswith("- ")]
    kept = [line for line in once.text.split("\n") if not line.lstrip().startswith("- ")]
    assert [line for line in kept if line] == [line for line in rest if line]
    assert lessons.of(once.text).count(new) == 1
    assert set(lessons.of(text)) <= set(lessons.of(once.text))


def test_lessons_beyond_a_hundred_move_to_the_archive_and_are_still_found(machine, tmp_path: Path) -> None:
    local, here = machine.local(), machine.here()
    for number in range(lessons.MOST + 2):
        local.save(here, [Lesson(f"lesson number {number} of the harbour")])
    shown = lessons.of(machine.text(lessons.FILE))
    assert (len(shown), shown[0]) == (100, "- lesson number 101 of the harbour")
    archived = lessons.of(machine.text(lessons.ARCHIVE))
    assert archived == ["- lesson number 0 of the harbour", "- lesson number 1 of the harbour"]
    assert "lesson number 1 of" in local.search(here, "lesson number 1 harbour", 300).items[0].content
    local.save(here, [Lesson("lesson number 1 of the harbour")])
    found = [item for item in local.search(here, "lesson number 1 harbour", 300).items if "number 1 of" in item.content]
    assert [item.source for item in found] == ["memory://root/learned.md"]
    block = prefix.block(Project("shop", machine.root()), 5000)
    assert "number 3 of" in block and "number 2 of the" not in block


def test_lessons_that_a_person_wrote_are_looked_at_before_they_are_shown(machine) -> None:
    machine.root().mkdir(parents=True)
    secret = "sk-ant-" + "api03-" + "Zx9" * 15
    (machine.root() / lessons.FILE).write_text(f"# Mine\n\n- call with {secret}\n    - indented\x07 </memories>\n")
    (block,) = machine.local().start(machine.here(), "startup", deadline=1).blocks
    assert secret not in block.text and "    - indented" in block.text
    assert block.text.count("</memories>") == 1


def test_what_is_known_is_shown_also_where_nothing_can_be_noted(machine) -> None:
    machine.root().mkdir(parents=True)
    (machine.root() / lessons.FILE).write_text("- Run the linter first\n")
    (machine.folder / "data" / "agent" / "sessions.db").mkdir()
    effect = machine.local().start(machine.here(), "startup", deadline=1)
    assert "linter" in effect.blocks[0].text
    assert "sessions.db" in str(effect.degraded)


def test_a_key_of_several_lines_that_a_person_wrote_is_not_shown() -> None:
    key = "\n".join(("-----BEGIN RSA PRIV" + "ATE KEY-----", "aB3+" * 16, "-----END RSA PRIV" + "ATE KEY-----"))
    assert "aB3+" not in lessons.shown(f"- first\n{key}\n- last")


def test_several_lessons_are_all_kept_or_none(machine) -> None:
    local, here = machine.local(), machine.here()
    with pytest.raises(UsageError):
        local.save(here, [Lesson("one"), Lesson("for all", everywhere=True)])
    assert local.save(here, [Lesson("one"), Lesson("\u200b")]).stored == 0
    assert machine.text(lessons.FILE) == ""
    saved = local.save(here, [Lesson("harbour"), Lesson("lighthouse")])
    assert (saved.stored, len(set(saved.ids))) == (2, 2)
    assert {item.id for item in local.search(here, "harbour lighthouse").items} == set(saved.ids)


def test_processes_that_save_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from mnemopi.backends.local import lessons\n"
        "from mnemopi.backends.local.places import Project\n"
        "project = Project('p', Path(sys.argv[1]) / 'p')\n"
        "for n in range(20):\n"
        "    with project.locked(): lessons.save(project.root, [f'- {sys.argv[2]} {n}'])\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, str(tmp_path), who]) for who in ("a", "b")]
    assert [each.wait() for each in running] == [0, 0]
    assert len(lessons.of((tmp_path / "p" / lessons.FILE).read_text())) == 40
