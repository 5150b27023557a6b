import pytest

from mnemopi.text import language, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We deploy on Friday", "en"),
        ("café", "en"),
        ("我们周五部署", "zh"),
        ("用 mnemopi 部署集群", "zh"),
        ("the word 的 means of", "en"),
        ("テストを実行する", "ja"),
        ("東京都の天気", "zh"),
        ("これは東京です", "ja"),
        ("배포는 금요일", "ko"),
        ("123 !?", "und"),
        ("", "und"),
        ("Привет", "und"),
    ],
)
def test_the_script_names_the_language(text: str, expected: str) -> None:
    assert language.detect(text) == expected


def test_scripts_without_spaces_are_told_from_latin() -> None:
    assert all(map(language.has_unspaced_script, ["部", "a部", "テ", "한", "สวัสดี", "\U00020000"]))
    assert not any(map(language.has_unspaced_script, ["", "abc", "é", "Привет", "，。", "·"]))


def test_function_words_are_those_that_carry_no_content() -> None:
    assert all(map(language.is_function_word, ["the", "who", "的", "吗"]))
    assert not any(map(language.is_function_word, ["may", "deploy", "部", ""]))


@pytest.mark.parametrize(
    "text",
    [
        "We met yesterday",
        "last week",
        "in January",
        "on Tuesdays",
        "two months ago",
        "it was 2019",
        "昨天部署了",
        "3月5日",
    ],
)
def test_words_that_date_are_seen_in_a_shadow(text: str) -> None:
    assert language.tells_time(tokens.shadow(text))


@pytest.mark.parametrize("text", ["", "We may deploy", "port 8080", "table", "build 20190", "部署集群"])
def test_other_words_do_not_date(text: str) -> None:
    assert not language.tells_time(tokens.shadow(text))
