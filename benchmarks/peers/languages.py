"""A made-up set for what people write at work: Chinese, English, both at once, and the forms that code and data take.

Seeded, one bank. Each memory has near twins that share all its words but the one that matters, and a question gives
that one in another form than it was told in: `parse_invoice_lines` as `parseInvoiceLines`, 5 March 2026 as 2026-03-05.
A category is a row of the table. In `mixed` the words that matter are the same in question and answer, whatever
language stands around them. In `translated` they have nothing in common but a name, which four memories share: words
can bring the answer among the first ten by the name, and tell it from its twins by chance only. What is above that is
an embedder's knowledge of both languages.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, Final

NAME: Final = "languages"
SEED: Final = 11
GROUP: Final = "work"
Pair = tuple[str, str]
"""A memory and a question that it answers."""

_VERBS = ("parse", "load", "merge", "drop", "check")
_THINGS = ("invoice", "session", "tenant", "upload")
_PARTS = ("lines", "header", "token", "total")
_SERVICES = ("billing", "gateway", "search", "mailer", "ledger")
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September")
_ORDINAL = {21: "st", 22: "nd", 23: "rd"}
_CLIENTS = ("Harbor", "Lumen", "Orchid", "Quill", "Tundra")
_JOBS = ("courier", "archiver", "notifier", "importer", "planner")
_STORES = ("vault", "beacon", "quarry", "orchard", "lantern")
_OFFICES = ("Basel", "Delft", "Turku", "Porto", "Cork")


def load() -> tuple[dict[str, list[Any]], list[Any]]:
    """Return the items by group and the questions, in the form of the other sets."""
    rng = random.Random(SEED)
    pairs = [(category, *pair) for category, make in _KINDS.items() for pair in make(rng)]
    order = rng.sample(range(len(pairs)), len(pairs))
    items = [_item(f"{NAME}/{place}", pairs[place][1], rank) for rank, place in enumerate(order)]
    queries = [_query(f"{NAME}/{place}", category, asked) for place, (category, _, asked) in enumerate(pairs) if asked]
    return {GROUP: items}, queries


def _identifiers(rng: random.Random) -> Iterator[Pair]:
    effects = ("skips empty rows", "retries twice", "keeps the order", "is slow on large input", "returns a copy")
    for verb in _VERBS:
        for thing in _THINGS:
            part = rng.choice(_PARTS)
            words = (verb, thing, part)
            camel = verb + thing.title() + part.title()
            told, asked = rng.choice((("_".join(words), camel), (camel, "_".join(words)), (camel, " ".join(words))))
            yield f"{told} {rng.choice(effects)}.", f"what do we know of {asked}?"


def _errors(rng: random.Random) -> Iterator[Pair]:
    messages = ("connection reset by peer", "no space left on device", "permission denied", "deadline exceeded")
    codes = rng.sample(range(1000, 9999), 20)
    for place, service in enumerate(_SERVICES):
        for n, message in enumerate(messages):
            code = codes[place * 4 + n]
            cause = rng.choice(("a stale lock", "the nightly backup", "an old certificate", "the new firewall"))
            asked = rng.choice(
                (
                    f"2026-02-03T04:05:06Z {service}[311]: FATAL E{code}",
                    f"ERROR in {service}: {message} (os error {rng.randrange(9, 99)})",
                    f"e{code} again",
                )
            )
            yield f"{service} died with E{code}: {message}; it was {cause}.", asked


def _paths(rng: random.Random) -> Iterator[Pair]:
    for service in _SERVICES:
        for name in ("retry.yaml", "limits.toml", "routes.py", "schema.sql"):
            folder = rng.choice(("config", "deploy", "src/core"))
            path = f"services/{service}/{folder}/{name}"
            keeps = rng.choice(("has been moved", "must not be edited by hand", "is generated", "has two owners"))
            asked = rng.choice((path, path.replace("/", "\\"), f"{name} of {service}", f"./{path}:17"))
            yield f"The file {path} {keeps}.", f"anything about {asked}?"


def _commands(rng: random.Random) -> Iterator[Pair]:
    tools = (
        "docker compose -f {0}.yml up -d",
        "kubectl rollout restart deploy/{0}",
        "make reindex TARGET={0}",
        "psql -h db-{0} -c 'vacuum analyze'",
    )
    aims = ("start it afresh", "restart it", "build its index again", "tidy its tables")
    for service in _SERVICES:
        for tool, aim in zip(tools, aims, strict=True):
            command = tool.format(service)
            asked = rng.choice(
                (f"$ {command}", f"{command.split()[0]} {service}", f"which command for {service}: {aim}")
            )
            yield f"For {service}, to {aim}: `{command}`", asked


def _numbers(rng: random.Random) -> Iterator[Pair]:
    units = ("MB", "ms", "rows", "EUR")
    amounts = rng.sample(range(1101, 9900), 20)
    for place, client in enumerate(_CLIENTS):
        for n, unit in enumerate(units):
            amount = 10 * amounts[place * 4 + n]
            forms = (
                f"{amount}",
                f"{amount:,}",
                f"{amount:,}".replace(",", " "),
                f"{amount / 1000:g}k",
                f"{amount / 10_000:g} 万",
            )
            told, asked = rng.sample(forms, 2)
            gap = rng.choice(("", " ")) if asked[-1].isdigit() else " "
            yield f"The limit of {client} is {told} {unit}.", f"whose limit is {asked}{gap}{unit}?"


def _dates(rng: random.Random) -> Iterator[Pair]:
    days = rng.sample([(month, day) for month in range(1, 10) for day in range(13, 29)], 20)
    for place, client in enumerate(_CLIENTS):
        for n, event in enumerate(("contract ends", "audit starts", "migration is planned", "price list changes")):
            month, day = days[place * 4 + n]
            forms = (
                f"{day} {_MONTHS[month - 1]} 2026",
                f"{_MONTHS[month - 1]} {day}{_ORDINAL.get(day, 'th')}, 2026",
                f"2026-{month:02d}-{day:02d}",
                f"{month}/{day}/2026",
                f"2026年{month}月{day}日",
            )
            told, asked = rng.sample(forms, 2)
            yield f"{client}: the {event} on {told}.", f"what happens on {asked}?"


def _english(rng: random.Random) -> Iterator[Pair]:
    facts = (
        ("{0} keeps its sessions in {1} now.", "Where are the sessions of {0} kept?", ("Valkey", "Postgres")),
        ("We agreed that {0} is released on {1}.", "When do we release {0}?", ("Tuesdays", "Fridays")),
        ("{1} looks after {0} while Ines is away.", "Who is looking after {0}?", ("Jun", "Tomas")),
        ("The alerts of {0} go to {1}.", "Who gets alerted about {0}?", ("the night shift", "the platform channel")),
    )
    yield from _stated(rng, facts, _SERVICES)


def _chinese(rng: random.Random) -> Iterator[Pair]:
    services = ("支付服务", "搜索服务", "登录服务", "邮件服务", "账单服务")
    facts = (
        ("{0}的会话现在存在{1}里。", "{0}把会话存在哪里？", ("内存数据库", "关系数据库")),
        ("我们说好每{1}发布{0}。", "什么时候发布{0}？", ("周二", "周五")),
        ("小王休假期间由{1}照看{0}。", "现在谁在负责照看{0}？", ("小李", "老张")),
        ("{0}的告警发到{1}。", "{0}出问题会通知谁？", ("夜班", "平台群")),
    )
    yield from _stated(rng, facts, services)


def _mixed(rng: random.Random) -> Iterator[Pair]:
    facts = (
        ("{0} 的 session 现在放在 {1} 里。", "{0}的session存在哪里？", ("Valkey", "Postgres")),
        ("我们说好每{1} release 一次 {0}。", "{0}什么时候release？", ("周二", "周五")),
        ("Ines 休假期间由 {1} 负责 {0}。", "现在谁负责{0}？", ("Jun", "Tomas")),
        ("{0} 的 alert 发到{1}。", "{0}出Alert会通知谁？", ("夜班", "平台群")),
    )
    yield from _stated(rng, facts, _JOBS)


def _translated(rng: random.Random) -> Iterator[Pair]:
    facts = (
        ("{0} keeps its sessions in {1} now.", "{0} 的会话存在哪里？", ("Valkey", "Postgres")),
        ("我们说好每{1}发布 {0}。", "When do we release {0}?", ("周二", "周五")),
        ("{1} looks after {0} while Ines is away.", "谁在照看 {0}？", ("Jun", "Tomas")),
        ("{0} 的告警发到{1}。", "Who gets alerted about {0}?", ("夜班", "平台群")),
    )
    yield from _stated(rng, facts, _STORES)


def _spellings(rng: random.Random) -> Iterator[Pair]:
    facts = (
        ("{0} 辦公室的備份由{1}負責。", "谁负责 {0} 办公室的备份？", ("小李", "老張")),
        ("{0}: Rückfragen zur Größe beantwortet {1}.", "{0} rueckfragen groesse?", ("Jörg", "Anaïs")),
        ("{0}: the time-out of the e-mail relay is {1} s.", "{0} timeout for email", ("30", "90")),
        ("{0} のサーバーは{1}に再起動します。", "{0} のｻｰﾊﾞｰ は？", ("火曜日", "金曜日")),
    )
    yield from _stated(rng, facts, _OFFICES)


def _stated(
    rng: random.Random, facts: tuple[tuple[str, str, tuple[str, ...]], ...], names: tuple[str, ...]
) -> Iterator[Pair]:
    for name in names:
        for told, asked, values in facts:
            yield told.format(name, rng.choice(values)), asked.format(name)


_KINDS: Final[dict[str, Callable[[random.Random], Iterator[Pair]]]] = {
    "English": _english,
    "Chinese": _chinese,
    "mixed": _mixed,
    "translated": _translated,
    "spellings": _spellings,
    "identifiers": _identifiers,
    "error messages": _errors,
    "paths": _paths,
    "commands": _commands,
    "numbers": _numbers,
    "dates": _dates,
}


def _item(id: str, text: str, order: int) -> Any:
    return SimpleNamespace(id=id, text=text, session="", speaker="", timestamp="", group=GROUP, order=order)


def _query(id: str, category: str, text: str) -> Any:
    return SimpleNamespace(id=id, text=text, category=category, gold=[id], group=GROUP, asof=None, meta={})
