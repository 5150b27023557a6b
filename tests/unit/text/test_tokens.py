import re

import apsw
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mnemopi.text import tokens

WORDS = st.sampled_from(
    [
        "parseConfig_v2",
        "src/a/b.py:31",
        "C++",
        "部署集群",
        "the",
        "的",
        "café",
        "--no-cache",
        "3月5日",
        "don't",
        "é-ü",
        "E1234!",
        "2026年1月13日",
        "12,500",
        "300",
        "January",
        "1.25万",
        "資料庫",
        "हिन्दी",
        "👍🏽",
    ]
)
TEXTS = st.one_of(st.text(), st.lists(st.one_of(WORDS, st.text(max_size=8)), max_size=30).map(" ".join))


@given(TEXTS)
@example("\u00b4a \u0301b \ufdfa")
def test_every_term_of_a_word_stands_in_the_shadow_of_its_text(text: str) -> None:
    shadow = set(tokens.shadow(text).split())
    assert tokens.ASKS not in tokens.terms(text)
    for word in text.split():
        assert set(tokens.terms(word)) <= shadow


@given(TEXTS)
def test_a_term_holds_nothing_that_the_index_would_split_or_the_query_language_would_read(text: str) -> None:
    shadow = tokens.shadow(text)
    for term in shadow.split(" ") if shadow else []:
        assert term
        assert len(term) <= 128
        assert not re.search(r'[\s"\x00-\x1f\x7f]', term)


@given(TEXTS)
def test_terms_are_distinct_and_begin_with_those_of_content(text: str) -> None:
    terms, content = tokens.terms(text), tokens.content_terms(text)
    assert len(set(terms)) == len(terms)
    assert terms[: len(content)] == content
    assert all(tokens.is_function_word(term) for term in terms[len(content) :])


AROUND = st.text(alphabet="部署集群的了a1 ，", max_size=20)


@given(AROUND, st.text(alphabet="部署集群的了", min_size=1), AROUND)
def test_chinese_words_are_found_inside_a_run_without_spaces(before: str, word: str, after: str) -> None:
    assert set(tokens.content_terms(word)) <= set(tokens.shadow(f"{before}{word}{after}").split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parseConfig_v2", "parseconfig_v2 pars config v2"),
        ("HTTPServer", "httpserver http server"),
        ("OpenAI", "openai open ai"),
        ("src/core/db.py:31", "src/core/db.py:31 src core db py 31"),
        ("mnemopi.text.tokens", "mnemopi.text.tokens mnemopi text token"),
        ("__init__", "__init__ init"),
        ("std::vector<int>", "std::vector std vector int"),
        ("C++ c# F#,", "c++ c c# c f# f"),
        ("rm -rf --no-cache", "rm -rf rf --no-cache cach no"),
        ("E1234!", "e1234"),
        ("v1.2.3-rc1", "v1.2.3-rc1 v1 2 3 rc1 1.2.3-rc1"),
        ("(1,000.50)", "1 000.50 000 50 1000.50 1000 50"),
        ("https://example.org/a?x=7.", "https://example.org/a?x=7 https exampl org x 7 a"),
        ("mira@example.org", "mira@example.org mira exampl org"),
        ("#123", "#123 123"),
        ("well-known", "well-known well known wellknown"),
        ("x=y", "x y"),
    ],
)
def test_identifiers_are_kept_whole_and_split(text: str, expected: str) -> None:
    assert tokens.shadow(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Deploying the deployed", "deploy deploy the"),
        ("Caroline's café", "carolin cafe s"),
        ("ＦＵＬＬ width ﬁle", "full width file"),
        ("", ""),
        ("!!! … \t\n", ""),
        ("the cat and the dog", "cat dog the and"),
        ("用mnemopi部署了v2", "用 mnemopi 部 署 部署 v2 了"),
        ("目的地", "目 地 的"),
        ("テスト", "テ ス ト テス スト"),
    ],
)
def test_words_become_stems_and_unspaced_scripts_become_grams(text: str, expected: str) -> None:
    assert tokens.shadow(text) == expected


MEETING = [
    ("13 January 2026", "January 13th, 2026", "Jan. 13, 2026", "the 13th of January 2026"),
    ("2026-01-13", "1/13/2026", "13.1.2026", "2026/1/13", "2026年1月13日", "二〇二六年一月十三日", "2026년 1월 13일"),
    ("January 13", "13 Jan", "1月13日"),
    ("January 2026", "2026年1月"),
    ("12500", "12,500", "12'500", "12_500", "12.5k", "1.25万", "1.25 万", "１２，５００", "12.5 thousand"),
    ("3000000", "3M", "3 million", "300万", "3,000,000"),
    ("資料庫連線", "资料库连线"),
    ("サーバー", "ｻｰﾊﾞｰ"),
    ("배포", "배포"),
    ("naïve café", "naive cafe"),
    ("Straße", "strasse", "STRASSE"),
    ("được", "duoc"),
    ("ёлка", "елка"),
    ("καφές", "ΚΑΦΈΣ", "καφες"),
    ("أحمد", "احمد", "أَحْمَد"),
    ("👍🏽", "👍"),
]


@pytest.mark.parametrize("forms", MEETING, ids=lambda forms: forms[0])
def test_a_question_is_the_same_in_each_form_of_writing(forms: tuple[str, ...]) -> None:
    dates = {frozenset(tokens.content_terms(f"it ends {form} at last")) for form in forms}
    assert len(dates) == 1


@pytest.mark.parametrize("told", [form for forms in MEETING for form in forms])
def test_each_form_of_writing_is_found_by_all_of_them(told: str) -> None:
    shadow = set(tokens.shadow(f"it ends {told} at last").split())
    for asked in next(forms for forms in MEETING if told in forms):
        assert set(tokens.content_terms(asked)) <= shadow


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("the limit is 12 500 rows", "12500"),
        ("12.500 EUR", "12500"),
        ("1,505rows", "1505"),
        ("backup_20260113.tar", "13 January 2026"),
        ("2026-02-03T04:05:06Z gateway[311]: FATAL", "3 Feb 2026"),
        ("on 3/4/2026", "April 3, 2026"),
        ("on 3/4/2026", "March 4, 2026"),
        ("our e-mail relay", "email"),
        ("GPT-4 answers", "GPT4"),
        ("GPT4 answers", "gpt 4"),
        ("UTF-8", "utf8"),
        ("died with ERR-1234", "ERR1234"),
        ("Rückfragen", "rueckfragen"),
        ("Müller-Straße", "müller strasse mueller"),
        ("हिन्दी में लिखो", "हिन्दी"),
        ("shipped 🚀🚀 from 🇩🇪", "🚀 🇩🇪"),
    ],
)
def test_what_is_spelled_in_two_ways_is_found_by_either(told: str, asked: str) -> None:
    assert set(tokens.terms(asked)) <= set(tokens.shadow(told).split())


def test_a_version_is_found_with_and_without_what_stands_before_it() -> None:
    assert "1.2.3-rc1" in tokens.shadow("tagged v1.2.3-rc1").split()
    assert {"python", "3.11"} <= set(tokens.shadow("runs python3.11").split())


@given(TEXTS)
def test_what_a_question_asks_for_stands_in_the_shadow_of_the_same_text(text: str) -> None:
    assert set(tokens.terms(text)) <= set(tokens.shadow(text).split())


def test_an_ordinal_is_no_identifier() -> None:
    assert tokens.identifiers("on the 21st, with E21st and 3d") == ["E21st", "3d"]


def test_a_repeated_word_counts_each_time_but_a_function_word_once() -> None:
    assert tokens.shadow("cats cat the the") == "cat cat the"


def test_a_question_of_function_words_alone_still_has_terms() -> None:
    assert tokens.content_terms("who are you") == []
    assert tokens.terms("who are you") == ["who", "are", "you"]
    assert tokens.terms("你是谁") == ["你", "是", "谁"]


@pytest.mark.parametrize("text", ["Did you deploy? ", "部署了吗？", "?", "really?!?"])
def test_a_text_that_ends_by_asking_is_marked_and_a_question_never_asks_for_the_mark(text: str) -> None:
    assert tokens.asks(tokens.shadow(text))
    assert tokens.ASKS not in tokens.terms(text)
    assert not tokens.asks(tokens.shadow(f"{text} We did."))
    assert not tokens.asks("https://example.org/a?")


def test_identifiers_are_told_from_words() -> None:
    assert all(map(tokens.is_identifier, ["parseconfig_v2", "a/b", "e1234", "--force", "c++", "c#", "#12", "1.2.3"]))
    assert not any(map(tokens.is_identifier, ["deploy", "2024", "部署", "well-known", "the"]))
    text = "Why does parseConfig in src/a.py fail with E1234 用fooBar部署 on Monday, A-levels?"
    assert tokens.identifiers(text) == ["parseConfig", "src/a.py", "E1234", "fooBar"]


def test_a_huge_piece_is_cut_and_a_huge_text_is_not() -> None:
    assert [len(term) for term in tokens.shadow("a" * 300_000).split()] == [128]
    assert len(tokens.shadow("aB" * 100_000)) < 2_000
    assert len(tokens.shadow("kept " * 50_000).split()) == 50_000
    assert tokens.shadow("部" * 100_000).count("部部") > 10_000


def test_forgetting_pieces_seen_before_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "deploying parseConfig_v2, the cluster on 部署 cafés"
    before = tokens.shadow(text)
    monkeypatch.setattr(tokens, "_REMEMBERED", 1)
    monkeypatch.setattr(tokens, "_known", tokens._Pieces())
    monkeypatch.setattr(tokens, "_words", {})
    assert tokens.shadow(text) == before
    assert len(tokens._known) <= 1


@settings(max_examples=50)
@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_the_full_text_index_finds_every_term_of_a_shadow(texts: list[str]) -> None:
    marks = "".join(chr(code) for code in range(33, 127) if not chr(code).isalnum() and chr(code) not in "\"'")
    with apsw.Connection(":memory:") as db:
        db.execute(f"create virtual table t using fts5(s, tokenize=\"ascii tokenchars '{marks}'\")")
        for text in texts:
            db.execute("insert into t values (?)", (tokens.shadow(text),))
        for place, text in enumerate(texts, 1):
            for term in tokens.terms(text):
                found = db.execute("select rowid from t where t match ?", (f'"{term}"',))
                assert place in [row[0] for row in found], term
