import pytest

from mnemopi.text import analysis, pieces, suspicion, tokens


def test_forgetting_pieces_seen_before_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "deploying parseConfig_v2, the cluster on 部署 cafés"
    before = tokens.shadow(text)
    monkeypatch.setattr(analysis, "REMEMBERED", 1)
    monkeypatch.setattr(analysis, "_words", {})
    monkeypatch.setattr(pieces, "_known", {})
    monkeypatch.setattr(pieces, "_last", ("", pieces.look("")))
    assert tokens.shadow(text) == before
    assert len(pieces._known) <= 1


def test_long_pieces_and_names_of_several_words_are_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "_known", {})
    pieces.look("word src/main.py " + "a" * 33)
    assert list(pieces._known) == ["word"]


def test_a_look_tells_content_function_words_and_what_the_text_may_hold() -> None:
    seen = pieces.look("the clusters on Monday")
    assert [*filter(None, seen.content)] == ["cluster", "monday"]
    assert [*filter(None, seen.functions)] == ["the", "on"]
    assert max(seen.holds) == suspicion.DATE


def test_equal_texts_that_follow_one_another_are_looked_at_alike() -> None:
    first, second = "plain words", " ".join(["plain", "words"])
    assert pieces.look(first) == pieces.look(second)


@pytest.mark.parametrize("text", ["部署", "café", "plain words，"])
def test_only_a_text_of_ascii_is_told_harmless(text: str) -> None:
    assert not pieces.harmless(text, suspicion.DATE + suspicion.SECRET)


@pytest.mark.parametrize("text", ["", "  ", "the clusters of src/main.py:12 run parse_config again, E1234"])
def test_plain_text_is_told_harmless(text: str) -> None:
    assert pieces.harmless(text, suspicion.DATE + suspicion.SECRET)
