"""What a text names: by pattern, with precision first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemopi.text import entities


def named(text: str) -> set[str]:
    return {entity.value for entity in entities.find(text)}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We moved Redis to Frankfurt with Alice Smith.", {"Redis", "Frankfurt", "Alice Smith"}),
        ("Alice said that it works.", {"Alice"}),
        ("Hey Caroline! How was your trip to New York?", {"Caroline", "New York"}),
        ("The book is at the University of Oxford.", {"University of Oxford"}),
        ("Call Dr. Smith's office, not Mrs Jones.", {"Smith", "Jones"}),
        ("Jean-Luc works for OpenAI Inc on weekdays.", {"Jean-Luc", "OpenAI Inc"}),
        ("Ask @mara or mara@example.com about #backup and #4821.", {"@mara", "mara@example.com", "#backup", "#4821"}),
        (
            "See src/mnemopi/bank.py:31, config.toml and ~/notes/today.md.",
            {"src/mnemopi/bank.py", "config.toml", "~/notes/today.md"},
        ),
        ("See https://x.io/a and docs.example.org for it.", {"https://x.io/a", "docs.example.org"}),
        ("It needs node v20.1.0 and Python 3.12 with 2.31.0 of it.", {"v20.1.0", "Python", "Python 3.12", "2.31.0"}),
        (
            "we use parseConfig_v2, gpt-4o, PostgreSQL, K8s and C++",
            {"parseConfig_v2", "gpt-4o", "PostgreSQL", "K8s", "C++"},
        ),
        ("it failed with ERR_CONN_RESET, see ABC-123 and `libfoo`", {"ERR_CONN_RESET", "ABC-123", "libfoo"}),
        ('I read "The Great Gatsby" and 《红楼梦》 again.', {"The Great Gatsby", "红楼梦"}),
        ("我叫王小明，在北京大学读书。", {"王小明", "北京大学"}),
        ("张伟说项目用 Redis 做缓存，李老师负责 nginx。", {"张伟", "李老师", "Redis", "nginx"}),
        ("昨天老王和欧阳娜娜，都来了。", {"老王", "欧阳娜娜"}),
    ],
)
def test_names_of_all_kinds_are_read(text: str, names: set[str]) -> None:
    assert named(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "I think they gave it to him and she thanked Us.",
        "On Monday, in March or in May, Today or Tomorrow.",
        "Deploying is slow. Restart the server. Always check it. Thanks!",
        "It's fine. I'm ok. Don't worry. Let's go. That's all.",
        "he/she and/or 24/7 at 3pm, 10:30, 50% of 1,000 on 2026-03-01 or 12.03.2026",
        "THIS IS ALL VERY LOUD INDEED",
        "Meeting Notes For Next Week",
        "The quick brown fox has 3.5 legs and costs 20 euros.",
        "我们公司昨天和今天都很忙。今天周一。",
        "高兴的是，于是说，任务负责人安排会议。",
        "什么时候开会？大家都在问这个问题。",
        "",
    ],
)
def test_pronouns_dates_weekdays_and_common_words_are_never_entities(text: str) -> None:
    assert named(text) == set()


def test_a_word_that_begins_a_sentence_is_a_name_where_it_is_one_elsewhere() -> None:
    assert named("Postgres crashed. We trust Postgres.") == {"Postgres"}
    assert named("Postgres crashed.") == set()


def test_a_word_that_is_also_written_small_is_no_name() -> None:
    assert named("Backups are old. We do Backups. The backups are here.") == {"Backups"}
    assert named("Hope dies last, they say. I hope so.") == set()


def test_each_thing_is_named_once_however_it_is_written() -> None:
    assert [entity.key for entity in entities.find("We use `redis`, and Redis, and REDIS.")] == ["redis"]


def test_what_is_named_stands_in_the_text_in_this_order() -> None:
    found = entities.find("We met Bob in Rome with Eve.")
    assert [entity.value for entity in found] == ["Bob", "Rome", "Eve"]
    assert [entity.start for entity in found] == sorted(entity.start for entity in found)


def test_a_text_names_at_most_forty_things() -> None:
    assert len(entities.find(" ".join(f"we met Person{number}x," for number in range(90)))) == entities.MOST


def test_a_question_may_name_things_in_small_letters() -> None:
    keys = entities.keys_of("what did alice smith say about k8s?")
    assert {"alice smith", "alice", "smith", "k8s"} <= set(keys)
    assert not {"what", "about", "did"} & set(keys)


def test_a_chinese_question_may_name_any_of_its_pieces() -> None:
    assert {"张伟", "项目"} <= set(entities.keys_of("张伟的项目用什么？"))


def test_a_question_is_read_up_to_a_limit() -> None:
    assert len(entities.keys_of(" ".join(f"word{number}" for number in range(900)))) == entities.MOST_KEYS


@given(st.text(max_size=300))
def test_any_text_is_read_without_failing(text: str) -> None:
    for entity in entities.find(text):
        assert entity.key and not entities.is_common(entity.key)
        assert 1 < len(entity.value) <= 80
    entities.keys_of(text)


@given(
    st.lists(st.sampled_from(["Alice", "monday", "K8s", "/", "a.b", "'s", "#", "@", "(", "张伟", "说", "《", "v1.2.3"]))
)
def test_any_mixture_of_marks_is_read_without_failing(parts: list[str]) -> None:
    text = "".join(parts) + " " + " ".join(parts)
    assert all(entity.value in text for entity in entities.find(text))
