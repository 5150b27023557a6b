"""From sentences to claims: what a text states about its author and about things, by rules, in English and Chinese.

`claims_in` is the whole of it: blank what is not prose (`text.prose`), cut into sentences (`text.sentences`), match
rules where clauses begin (`text.clauses`), and let the attitude of the sentence (`text.attitude`) decide whether it
states anything at all. Precision comes first: a question, a wish, a supposition, a quote or what others said
yields nothing. Not here: what a claim does to what was known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import tzinfo
from functools import cache
from typing import Final

from mnemopi.model.fact import Claim
from mnemopi.text import (
    attitude,
    clauses,
    dates,
    notes,
    patterns_en,
    patterns_en_changes,
    patterns_en_events,
    patterns_en_rules,
    patterns_en_taste,
    patterns_en_things,
    patterns_zh,
    patterns_zh_rules,
    patterns_zh_things,
    prose,
)
from mnemopi.text.claim_rules import Draft, Rule, Saying
from mnemopi.text.cues import Vocabulary
from mnemopi.text.date_rules import compiled
from mnemopi.text.sentences import sentences

READ: Final = 50_000
"""Characters of a text that are read, at most."""
MOST: Final = 20
"""Claims of one text, at most."""
_WEEK = 7 * 86_400_000
TEAM: Final = "team"
"""The subject of "we use X" where its author has a name: so what several members say meets."""
_MYSELF: Final = r"(?i)\b(?:I|my|mine|me)\b|我(?!们)|本人"
_CLAUSES = 24
"""Clauses of one sentence that are read, at most."""


def claims_in(text: str, *, author: str = "user", now: int, zone: tzinfo) -> list[Claim]:
    """Return what a text claims, in text order, each claim once, at most 20, out of its first 50,000 characters.

    First-person statements have `author` as subject, others the thing as written. "We use X" and "our port" of an
    author who is not just "user" have the team: several members say the same of it. `text[start:stop]` is the sentence
    that says it, and holds the object as written. Dates in the sentence set `valid_from` and `valid_to` (UTC ms, read
    against `now` in `zone`) where they say since when or until when it is so; else these are None.

    A claim without `valid_from` whose `valid_to` is not after `now` is an *end* (`is_end`): the text says that it no
    longer holds ("we no longer use X"), from that moment. "I now prefer spaces" ends tabs as well (`text.rivals`): only
    the object of such an end need not stand in the text. Never raises, for any text.
    """
    read = text[:READ]
    simple = prose.simple(read)
    mentions = dates.found(read, now, zone)
    # A sentence may begin behind a quotation mark, which is no part of its first word then.
    opened = compiled(r"'(?<!\w')").sub(" ", simple) if "'" in simple else simple
    called = vocabulary().called(opened, bool(mentions))
    if not called.rules:
        return []
    plain = prose.plain(simple)
    claims: dict[tuple[str, str, str, bool], Claim] = {}
    for start, stop, speaker in sentences(plain, author, called.cues):
        if plain[stop - 1] in "?？":
            continue  # a question says nothing and asks for nothing that stays
        near = [each for each in mentions if each.start < stop and start < each.end] if mentions else []
        alone = plain is opened and stop - start == len(simple)
        rules = called.rules if alone else vocabulary().called(plain[start:stop], bool(near)).rules
        if not rules:
            continue
        say = Saying(text, plain, start, stop, now, zone, near)
        for draft in _drafts(say, rules, speaker):
            claim = _claim(draft, say, speaker, now)
            key = (claim.subject.lower(), claim.predicate, claim.object.lower(), is_end(claim, now))
            claims.setdefault(key, claim)
            if len(claims) == MOST:
                return list(claims.values())
    return list(claims.values())


def is_end(claim: Claim, now: int) -> bool:
    """Whether a claim says that something no longer holds, rather than that it does."""
    return claim.valid_from is None and claim.valid_to is not None and claim.valid_to <= now


ENGLISH: Final = (
    *patterns_en.RULES,
    *patterns_en_taste.RULES,
    *patterns_en_events.RULES,
    *patterns_en_changes.RULES,
    *patterns_en_things.RULES,
    *patterns_en_rules.RULES,
    notes.ENGLISH,
)
CHINESE: Final = (*patterns_zh.RULES, *patterns_zh_things.RULES, *patterns_zh_rules.RULES, notes.CHINESE)


@cache
def vocabulary() -> Vocabulary:
    """Return the rules of both languages by their cues; made at the first use."""
    return Vocabulary(ENGLISH, CHINESE)


def _drafts(say: Saying, rules: Sequence[Rule], author: str) -> Iterator[Draft]:
    """Yield what a sentence says by these rules, clause by clause; the first rule that fits a clause has it."""
    taken = say.start
    for begin in clauses.beginnings(say)[:_CLAUSES]:
        if begin < taken:
            continue
        place = clauses.lead(say, begin)
        for rule in rules:
            found = compiled(rule.pattern).match(say.folded, place, say.stop)
            drafts = [draft for draft in rule.read(found, say) if _means(draft, say, place)] if found else []
            if found and drafts:
                yield from drafts if author == "user" else (_for_team(draft, found[0]) for draft in drafts)
                taken = max(draft.stop for draft in drafts)
                break


def _for_team(draft: Draft, said: str) -> Draft:
    """Let what several people use and have be the team's, whoever of them says it; `said` ends as an object begins."""
    shared = draft.kind == "fact" and draft.subject is None and draft.predicate != "note"
    return draft._replace(subject=TEAM) if shared and not compiled(_MYSELF).search(said) else draft


def _means(draft: Draft, say: Saying, place: int) -> bool:
    """Whether the sentence means what a rule found behind its lead at `place`."""
    said, before = say.folded[say.start : say.stop], say.folded[say.start : place]
    if attitude.jokes(say.folded[say.start : say.stop + 60].split("\n\n")[0]):
        return False
    if draft.kind == "instruction":
        return attitude.demands(said, before)
    if prose.BLANK in say.folded[draft.start : draft.stop]:
        return False
    clause = say.folded[say.start : max(draft.stop, place)]
    if not attitude.states(said, clause):
        return False
    if draft.subject is not None and attitude.denies(draft.subject):
        return False
    own = say.folded[place : draft.start]
    if draft.ended:
        return True
    bygone = attitude.bygone(before, say.folded[place : say.stop])
    return not (bygone or (draft.predicate != "dislikes" and attitude.denies(own)))


def _claim(draft: Draft, say: Saying, author: str, now: int) -> Claim:
    valid_from, valid_to = _validity(draft, say, now)
    return Claim(
        kind=draft.kind,
        subject=draft.subject or author,
        predicate=draft.predicate,
        object=draft.other or say.text[draft.start : draft.stop],
        start=say.start,
        stop=say.stop,
        confidence=draft.confidence,
        valid_from=valid_from,
        valid_to=valid_to,
    )


def _validity(draft: Draft, say: Saying, now: int) -> tuple[int | None, int | None]:
    """Read since when and until when: the date of a change, "since", "from May on", "until June".

    "Until June" ends where June begins, "until Friday" where Friday ends. Where the date is the object itself (a
    deadline), it says nothing about since when that is so.
    """
    start = stop = None
    for mention in () if _is_date(draft.predicate) else say.mentions:
        there = mention.interval
        if draft.start <= mention.start < draft.stop:
            continue
        if mention.relation == "until":
            stop = there.start if there.precision in ("month", "quarter", "year") else there.end
            if now - _WEEK < stop <= now:
                stop += _WEEK  # "until Friday" is the Friday to come
        elif mention.relation == "since" or clauses.since(say, mention.start):
            start = there.start
        elif mention.relation == "" and draft.dated and start is None:
            start, stop = there.start, there.end if draft.kind == "event" else stop
    if draft.ended:
        return None, now if start is None else min(start, now)
    return start, None if start is not None and stop is not None and stop <= start else stop


def _is_date(predicate: str) -> bool:
    return predicate in ("date", "deadline", "birthday", "age") or predicate.endswith("_date")
