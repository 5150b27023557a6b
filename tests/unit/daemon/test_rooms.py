"""Who brings the same settings shares engines; who somebody is makes no difference to that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mnemopi.config import Config
from mnemopi.daemon import rooms
from mnemopi.daemon.rooms import Rooms, View
from mnemopi.errors import DaemonError, NotFoundError
from mnemopi.tools import catalog
from mnemopi.tools.caller import Caller


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Rooms]:
    found = Rooms(tmp_path)
    yield found
    found.close()


def config(folder: Path, **environ: str) -> Config:
    names = {"MNEMOPI_DATA_DIR": str(folder), "MNEMOPI_NO_EMBEDDINGS": "1"}
    return Config.load(environ=names | environ)


def test_the_same_settings_are_the_same_room(made: Rooms, tmp_path: Path) -> None:
    same = config(tmp_path), config(tmp_path, MNEMOPI_SESSION_ID="s", MNEMOPI_AUTHOR_ID="a", MNEMOPI_TOOLS="core")
    other = config(tmp_path, MNEMOPI_PREVIEW_CHARS="10")
    found = []
    for each in (*same, other):
        with made.entered(each, None) as room:
            found.append(room)
    assert found[0] is found[1]
    assert found[2] is not found[0]
    assert len(made) == 2


def test_a_file_of_its_own_is_a_room_of_its_own(made: Rooms, tmp_path: Path) -> None:
    with made.entered(config(tmp_path), None) as one, made.entered(config(tmp_path), str(tmp_path / "x.db")) as two:
        assert one is not two


def test_views_share_the_engine_and_keep_who_they_are(made: Rooms, tmp_path: Path) -> None:
    settings = config(tmp_path, MNEMOPI_AUTHOR_ID="ines"), config(tmp_path, MNEMOPI_SESSION_ID="s9")
    with made.entered(settings[0], None) as room:
        one, two = (View(room.engines, each, "mcp_").get("work", create=True) for each in settings)
        for engine, text in ((one, "The crane"), (two, "The winch")):
            engine.remember(text)
        seen = {memory.content: memory for memory in (one.get(hit.id) for hit in one.recall("crane winch")) if memory}
        assert (seen["The crane"].author_id, seen["The crane"].session_id) == ("ines", "mcp_work")
        assert (seen["The winch"].author_id, seen["The winch"].session_id) == (None, "s9")
        assert one._background is two._background


def test_a_bank_that_is_not_there_is_made_only_where_asked(made: Rooms, tmp_path: Path) -> None:
    with made.entered(config(tmp_path), None) as room, pytest.raises(NotFoundError):
        View(room.engines, config(tmp_path)).get("nowhere")


def test_what_was_let_go_of_is_opened_again(made: Rooms, tmp_path: Path) -> None:
    with made.entered(config(tmp_path), None) as room:
        view = View(room.engines, config(tmp_path))
        before = view.get("work", create=True)
        id = before.remember("The crane")
        made.release()
        after = view.get("work", create=True)
        assert after is not before
        assert after.get(id) is not None


def test_closing_what_a_client_sees_closes_nothing(made: Rooms, tmp_path: Path) -> None:
    with made.entered(config(tmp_path), None) as room:
        view = View(room.engines, config(tmp_path))
        engine = view.get("work", create=True)
        engine.close()
        view.close()
        assert engine.remember("The crane")


def test_the_surface_is_one_for_all_who_look(made: Rooms, tmp_path: Path) -> None:
    with made.entered(config(tmp_path), None) as room:
        one, two = (
            View(room.engines, config(tmp_path, MNEMOPI_AUTHOR_ID=name)).get("work", create=True) for name in "ab"
        )
        id = one.surface.remember("The crane")
        kept = two.surface.bank.get(id)
        assert kept is not None
        assert kept.author_id == "a"


def test_rooms_that_nobody_is_in_are_closed_when_there_are_many(
    made: Rooms, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rooms, "MOST", 2)
    with made.entered(config(tmp_path, MNEMOPI_PREVIEW_CHARS="1"), None) as busy:
        for number in range(2, 7):
            with made.entered(config(tmp_path, MNEMOPI_PREVIEW_CHARS=str(number)), None):
                pass
        assert len(made) <= 3
        with made.entered(config(tmp_path, MNEMOPI_PREVIEW_CHARS="1"), None) as again:
            assert again is busy


def test_each_set_of_tools_has_one_server(made: Rooms, tmp_path: Path) -> None:
    with made.entered(config(tmp_path), None) as room:
        full, core = room.server(catalog.chosen("full")), room.server(catalog.chosen("core"))
        assert full is room.server(catalog.chosen("full"))
        assert full is not core


def test_the_bank_of_an_agent_is_as_its_own_settings_say(made: Rooms, tmp_path: Path) -> None:
    settings = config(tmp_path, MNEMOPI_MCP_BANK="mine")
    with made.entered(config(tmp_path), None) as room:
        assert Caller.of(View(room.engines, settings)).name(None) == "mine"


@pytest.mark.parametrize(
    "environ",
    [{"MNEMOPI_BACKUP_DIR": "x"}, {"MNEMOPI_FILES_DIR": "x"}, {"MNEMOPI_MODEL_DIR": "x"}, {"MNEMOPI_DATA_DIR": "/x"}],
    ids=str,
)
def test_settings_that_mean_something_else_here_are_refused(
    made: Rooms, tmp_path: Path, environ: dict[str, str]
) -> None:
    with pytest.raises(DaemonError), made.entered(config(tmp_path, **environ), None):
        pass


def test_a_model_runs_apart_unless_somebody_says_otherwise(made: Rooms, tmp_path: Path) -> None:
    with made.entered(config(tmp_path), None) as room:
        assert room.engines.config.embedding.apart is True
    with made.entered(config(tmp_path, MNEMOPI_EMBEDDING_APART="0"), None) as room:
        assert room.engines.config.embedding.apart is False
