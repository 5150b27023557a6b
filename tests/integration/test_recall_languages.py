"""Questions and memories in Chinese and other scripts, and in several at once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mnemopi import Mnemopi
from mnemopi.testing import FixedClock

MEMORIES = [
    "我们在周三部署了新的 Kubernetes 集群",
    "部署集群之前要先备份数据库",
    "用户喜欢喝乌龙茶,不喜欢咖啡",
    "存储方案选了 SQLite,不用 PostgreSQL",
    "下午茶点了 coffee 和蛋糕",
    "小明的生日是三月五日",
    "会议室在三楼,密码找前台",
    "前端用 React 写,后端用 Go 写",
    "老板不同意涨价",
    "猫粮快吃完了",
    "東京で会議があります",
    "서울에서 회의를 했다",
    "The kettle is in the kitchen",
    "She drinks green tea every morning",
]


@pytest.fixture(scope="module")
def bank() -> Iterator[Mnemopi]:
    with Mnemopi(":memory:", no_embeddings=True, clock=FixedClock(), config={"write.timezone": "UTC"}) as opened:
        for text in MEMORIES:
            opened.remember(text)
        yield opened


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("部署集群", "部署集群之前要先备份数据库"),
        ("用户喜欢什么茶", "用户喜欢喝乌龙茶,不喜欢咖啡"),
        ("存储方案", "存储方案选了 SQLite,不用 PostgreSQL"),
        ("存储用什么", "存储方案选了 SQLite,不用 PostgreSQL"),
        ("乌龙", "用户喜欢喝乌龙茶,不喜欢咖啡"),
        ("生日是哪天", "小明的生日是三月五日"),
        ("小明什么时候过生日?", "小明的生日是三月五日"),
        ("会议室的密码", "会议室在三楼,密码找前台"),
        ("猫", "猫粮快吃完了"),
        ("老板同意了吗", "老板不同意涨价"),
        ("Kubernetes集群部署", "我们在周三部署了新的 Kubernetes 集群"),
        ("react 前端", "前端用 React 写,后端用 Go 写"),
        ("SQLite方案", "存储方案选了 SQLite,不用 PostgreSQL"),
        ("東京の会議", "東京で会議があります"),
        ("서울 회의", "서울에서 회의를 했다"),
        ("KETTLE", "The kettle is in the kitchen"),
    ],
)
def test_a_question_finds_its_memory_first(bank: Mnemopi, question: str, expected: str) -> None:
    assert bank.recall(question)[0].content == expected


def test_a_question_in_two_scripts_finds_both(bank: Mnemopi) -> None:
    found = {hit.content for hit in bank.recall("咖啡 tea")}
    assert {"用户喜欢喝乌龙茶,不喜欢咖啡", "She drinks green tea every morning"} <= found


def test_full_width_letters_are_the_same_letters(bank: Mnemopi) -> None:
    assert bank.recall("ＳＱＬｉｔｅ")[0].content == "存储方案选了 SQLite,不用 PostgreSQL"


def test_function_characters_alone_do_not_decide(bank: Mnemopi) -> None:
    assert bank.recall("猫的东西在哪里")[0].content == "猫粮快吃完了"


def test_a_preview_of_a_long_chinese_text_shows_the_match() -> None:
    with Mnemopi(":memory:", no_embeddings=True, clock=FixedClock()) as bank:
        bank.remember("今天天气不错，大家都很开心。" * 300 + "保险柜在地下室。" + "今天天气不错，大家都很开心。" * 300)
        hit = bank.recall("保险柜在哪里", content_preview_chars=40)[0]
    assert "保险柜在地下室" in hit.content
    assert len(hit.content) <= 40
    assert hit.truncated
