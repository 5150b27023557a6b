from benchmarks.peers import languages
from mnemopi.text import tokens


def test_the_set_is_the_same_each_time() -> None:
    assert languages.load() == languages.load()


def test_each_question_has_one_answer_and_no_two_memories_say_the_same() -> None:
    groups, queries = languages.load()
    texts = [item.text for item in groups[languages.GROUP]]
    assert len(set(texts)) == len(texts)
    known = {item.id for item in groups[languages.GROUP]}
    assert all(len(query.gold) == 1 and query.gold[0] in known for query in queries)
    assert len({query.text for query in queries}) == len(queries)


def test_all_kinds_are_asked_alike_often() -> None:
    _, queries = languages.load()
    kinds = [query.category for query in queries]
    assert {kinds.count(kind) for kind in set(kinds)} == {20}
    assert len(set(kinds)) == 11


def test_numbers_and_dates_are_asked_in_another_form_than_they_were_told() -> None:
    groups, queries = languages.load()
    told = {item.id: item.text for item in groups[languages.GROUP]}
    for query in queries:
        if query.category in ("numbers", "dates"):
            value = query.text.removeprefix("whose limit is ").removeprefix("what happens on ").rstrip("?")
            assert value not in told[query.gold[0]]


def test_what_is_asked_in_another_language_has_a_name_in_common_and_nothing_else() -> None:
    groups, queries = languages.load()
    told = {item.id: item.text for item in groups[languages.GROUP]}
    for query in queries:
        if query.category == "translated":
            common = set(tokens.content_terms(query.text)) & set(tokens.content_terms(told[query.gold[0]]))
            assert len(common) == 1, common
