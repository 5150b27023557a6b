from __future__ import annotations

import pytest

from mnemopi.errors import UsageError
from mnemopi.transfer import plain


def test_lines_become_what_remember_many_takes() -> None:
    lines = [
        '\ufeff{"content": "Hello", "session_id": "s", "position": 3, "timestamp": "2026-03-05"}\n',
        "\n",
        '{"content": "你好", "author_id": "bo", "importance": 0.9, "metadata": {"a": 1}, "source": "chat"}',
    ]
    assert list(plain.items(lines)) == [
        {"source": "import", "content": "Hello", "session_id": "s", "position": 3, "timestamp": "2026-03-05"},
        {"source": "chat", "content": "你好", "author_id": "bo", "importance": 0.9, "metadata": {"a": 1}},
    ]


def test_a_speaker_is_an_author() -> None:
    (item,) = plain.items(['{"content": "Hello", "speaker": "ann"}'], source="chat")
    assert item == {"content": "Hello", "author_id": "ann", "source": "chat"}
    assert len(list(plain.items(['{"content": "Hello", "speaker": "ann", "author_id": "ann"}']))) == 1
    with pytest.raises(UsageError, match="line 1: speaker and author_id differ"):
        list(plain.items(['{"content": "Hello", "speaker": "ann", "author_id": "bo"}']))


def test_null_counts_as_not_given() -> None:
    (item,) = plain.items(['{"content": "Hello", "session_id": null, "speaker": null}'])
    assert item == {"content": "Hello", "source": "import"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object, but list"),
        ('"content"', "not a JSON object, but str"),
        ('{"content": NaN}', "NaN is no JSON number"),
        ("[" * 100_000, "nested too deeply"),
        ('{"content": "a", "content": "b"}', "the same key twice"),
        ('{"content": "a", "metadata": {"b": {"c": 1, "c": 1}}}', "the same key twice"),
        ("{}", "content is missing"),
        ('{"content": null}', "content is missing"),
        ('{"content": "a", "colour": 1, "text": 2}', "unknown field 'colour', 'text'"),
    ],
)
def test_a_broken_line_names_its_number(line: str, message: str) -> None:
    found = plain.items(['{"content": "fine"}'] * 36 + [line])
    for _ in range(36):
        next(found)
    with pytest.raises(UsageError, match=f"^line 37: .*{message}"):
        next(found)


@pytest.mark.parametrize("line", ["{\n", '[{"memory": "a"}]', '{"mnemosyne_export": {}, "working_memory": []}'])
def test_a_document_is_told_from_a_broken_line(line: str) -> None:
    with pytest.raises(UsageError, match=r"^line 1: ") as caught:
        list(plain.items([line]))
    assert "--from mnemopi" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"mnemopi_export":1,"counts":{}}\n', True),
        ('\ufeff{"counts":{},"mnemopi_export":2}', True),
        ('{"content":"mnemopi_export"}', False),
        ("", False),
        ("mnemopi_export", False),
    ],
)
def test_an_export_is_known_by_its_first_line(line: str, expected: bool) -> None:
    assert plain.is_export(line) is expected
