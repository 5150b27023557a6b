"""From sentences to claims: what a text states about its author and about things, by rules, in English and Chinese.

`claims_in` is the whole of it: blank what is not prose, cut into sentences, match rules where clauses begin, and let
the attitude of the sentence decide whether it states anything at all. Precision comes first: a question, a wish, a
supposition, a quote or what others said yields nothing. Not here: what a claim does to what was known (`knowledge`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import tzinfo
from functools import cache
from typing import Final, TypeAlias

from mnemopi.model.fact import Claim
from mnemopi.text import attitude, patterns_en, patterns_en_rules, patterns_en_things, patterns_zh
from mnemopi.text.claim_rules import Draft, Mentions, Rule, Saying, trimmed
from mnemopi.text.date_rules import compiled

READ: Final = 50_000
"""Characters of a text that are read, at most."""
MOST: Final = 20
"""Claims of one text, at most."""
_LONGEST_SENTENCE = 600

ENGLISH: Final = tuple(
    rule._replace(pattern=f"(?i){rule.pattern}")
    for rule in (*patterns_en.RULES, *patterns_en_things.RULES, *patterns_en_rules.RULES)
)
CHINESE: Final = tuple(rule._replace(pattern=f"(?i){rule.pattern}") for rule in patterns_zh.RULES)


def claims_in(text: str, *, author: str = "user", now: int, zone: tzinfo) -> list[Claim]:
    """Return what a text claims, in text order, each claim once, at most 20, out of its first 50,000 characters.

    First-person statements have `author` as subject, others the thing as written. `text[start:stop]` is the sentence
    that says it, and holds the object as written. Dates in the sentence set `valid_from` and `valid_to` (UTC ms, read
    against `now` in `zone`) where they say since when or until when it is so; else these are None.

    A claim without `valid_from` whose `valid_to` is not after `now` is an *end*: the text says that it no longer
    holds ("we no longer use X"), at that moment. Never raises, for any text.
    """
    text = text[:READ]
    folded = attitude.simple(text)
    if _called(folded) is None:
        return []
    claims: dict[tuple[str, ...], Claim] = {}
    mentions = Mentions(text, now, zone)
    folded = attitude.plain(folded)
    for start, stop, subject in _sentences(text, folded, author):
        say = Saying(text, folded, start, stop, mentions)
        for draft in _drafts(say):
            claim = _claim(draft, say, subject, now)
            claims.setdefault((claim.subject.lower(), claim.predicate, claim.object.lower(), str(_is_end(claim, now))), claim)
            if len(claims) == MOST:
                return list(claims.values())
    return list(claims.values())


def _is_end(claim: Claim, now: int) -> bool:
    return claim.valid_from is None and claim.valid_to is not None and claim.valid_to <= now


def _claim(draft: Draft, say: Saying, author: str, now: int) -> Claim:
    valid_from, valid_to = _validity(draft, say, now)
    return Claim(
        kind=draft.kind,
        subject=draft.subject or author,
        predicate=draft.predicate,
        object=say.text[draft.start : draft.stop],
        start=say.start,
        stop=say.stop,
        confidence=draft.confidence,
        valid_from=valid_from,
        valid_to=valid_to,
    )


_SINCE = r"(?i)(?:\b(?:from|since|as of|starting(?: from)?|beginning|effective)|从|自)\s*(?:(?:on|the|in)\s*)*$"


def _validity(draft: Draft, say: Saying, now: int) -> tuple[int | None, int | None]:
    """Read since when and until when: the date of a change, "since", "from May on", "until June"."""
    start = stop = None
    for mention in say.mentions:
        if draft.start <= mention.start < draft.stop or draft.predicate in ("date", "deadline", "birthday", "age") or draft.predicate.endswith("_date"):
            continue
        there = mention.interval
        if mention.relation == "until":
            coarse = there.precision in ("month", "quarter", "year")
            stop = there.start if coarse else there.end
        elif mention.relation == "since" or compiled(_SINCE).search(say.folded, max(0, mention.start - 20), mention.start):
            start = there.start
        elif mention.relation == "" and draft.dated and start is None:
            start = there.start
            stop = there.end if draft.kind == "event" else stop
    if draft.ended:
        return None, min(start, now) if start is not None else now
    if start is not None and stop is not None and stop <= start:
        stop = None
    return start, stop


# --- sentences ---

_BREAK = r"[.!?\n。！？；;]+(?:(?<![.!?])|(?<=[!?])|(?=[\"')\]*_]*(?:\s|$|[一-鿿]))(?<!\bMr\.)(?<!\bDr\.)(?<!\bMs\.)(?<!\bSt\.)(?<!\bvs\.)(?<!Mrs\.)(?<![eE]\.g\.)(?<![iI]\.e\.))"
_BULLET = r"[ \t]*(?:[-*•·–]\s+|\d{1,2}[.)、]\s*|#{1,6}\s+|\[[ xX]\]\s+|\*\*)*[ \t\"“'(\x00]*"
_LABEL = r"(?m)^[ \t]*(?:\*\*)?([A-Z][\w.'-]*(?: [A-Z][\w.'-]*)?|[一-鿿]{2,4})(?:\*\*)?[:：](?:\*\*)?[ \t]+"
_OWN_LABEL = r"(?i)^(?:user|me|human|i|我|用户)$"
_BOT_LABEL = r"(?i)^(?:assistant|ai|bot|system|claude|chatgpt|gpt|gemini|copilot|agent|tool|model|助手|系统|机器人)$"
_NO_LABEL = (
    r"(?i)^(?:note|notes|todo|fyi|ps|reminder|update|decision|rule|rules|preference|preferences|important|remember|heads up|btw|also|info|about me|summary|context|convention|conventions|style|policy|correction|news|status|fact|facts|team|stack|setup|warning|tip|goal|plan|hi|hello|hey|hi \w+|hey \w+|hello \w+"
    r"|port|version|deadline|owner|language|name|branch|database|framework|role|location|email|timezone|记住|注意|备注|更新|规则|偏好|提醒|约定|补充|说明|你好|大家好|另外|请注意|请记住|[一-鿿]*(?:端口|版本|日期|时间|负责人|分支|数据库|框架|邮箱|地址|姓名|名字|规范))$"
)


def _sentences(text: str, folded: str, author: str) -> Iterator[tuple[int, int, str]]:
    """Yield the sentences (start, stop, who says it) that hold a cue, without bullets and outer white space."""
    labels = _labels(folded) if ":" in folded or "：" in folded else ()
    start = 0
    for stop, after in [*((each.start(), each.end()) for each in compiled(_BREAK).finditer(folded)), (len(folded), len(folded))]:
        begin, start = start, after
        opens = compiled(_BULLET).match(folded, begin, stop)
        begin = opens.end() if opens else begin
        while stop > begin and (folded[stop - 1].isspace() or folded[stop - 1] == "\x00"):
            stop -= 1
        if begin >= stop or stop - begin > _LONGEST_SENTENCE:
            continue
        speaker = _speaker(labels, begin, author)
        if speaker is None:
            continue
        label = compiled(_LABEL).match(folded, begin, stop)
        if label and any(place == label.start() or place <= begin < end for place, end, _ in labels):
            begin = label.end()
        # The mark at the end tells a question; it belongs to the sentence.
        end = after if folded[stop:after].strip() else stop
        while end > stop and folded[end - 1].isspace():
            end -= 1
        yield begin, end, speaker


def _labels(folded: str) -> Sequence[tuple[int, int, str]]:
    """List who speaks from where on ("Emma: ..."), words such as "Note:" left out."""
    return [
        (found.start(1), found.end(), found[1])
        for found in compiled(_LABEL).finditer(folded)
        if not compiled(_NO_LABEL).match(found[1])
    ]


def _speaker(labels: Sequence[tuple[int, int, str]], place: int, author: str) -> str | None:
    """Return who says what stands at `place`: the author, or in a dialogue the one named; None where it is no statement.

    A single labelled line is what another person said, and no statement. From two speakers on it is a dialogue.
    """
    said = [name for start, _, name in labels if start <= place]
    if not said:
        return author
    if compiled(_OWN_LABEL).match(said[-1]):
        return author
    if compiled(_BOT_LABEL).match(said[-1]):
        return None
    return said[-1] if len({name for _, _, name in labels}) > 1 else None


# --- cues: most texts hold none, and cost one look ---

_SIGNS = str.maketrans({sign: " " for sign in ".,:;!?()[]*_\"“”\n、，。/="} | {"’": "'", "‘": "'"})
_NOTE_CUES = frozenset(["remember", "mind", "forget"])
Index: TypeAlias = dict[str, tuple[tuple[int, str], ...]]


@cache
def _words() -> Index:
    """Map each English cue to its rules, and to the other word that must stand in the sentence, or ""."""
    index: dict[str, list[tuple[int, str]]] = {word: [] for word in _NOTE_CUES}
    for number, rule in enumerate(ENGLISH):
        for cue in dict.fromkeys(rule.cues.split()):
            other, _, word = cue.rpartition("+")
            index.setdefault(word, []).append((number, other))
    return {word: tuple(rules) for word, rules in index.items()}


@cache
def _parts() -> dict[str, tuple[tuple[str, str, int], ...]]:
    """Map the first character of each Chinese cue to cue, other part, rule."""
    index: dict[str, list[tuple[str, str, int]]] = {"记": [("记住", "", -1), ("记一下", "", -1), ("记下", "", -1)]}
    for number, rule in enumerate(CHINESE):
        for cue in dict.fromkeys(rule.cues.split()):
            other, _, part = cue.rpartition("+")
            index.setdefault(part[0], []).append((part, other, number))
    return {first: tuple(cues) for first, cues in index.items()}


def _called(said: str) -> tuple[list[int], list[int]] | None:
    """Return the numbers of the English and the Chinese rules whose cues stand in a text; None where none does."""
    low = said.lower()
    words = set(low.translate(_SIGNS).split() if said.isascii() else compiled(r"[a-z][a-z'-]*").findall(low))
    index = _words()
    english: set[int] = set()
    noted = False
    for word in words & index.keys():
        noted = noted or word in _NOTE_CUES
        english.update([number for number, other in index[word] if not other or other in words])
    chinese = set() if said.isascii() else _chinese(said)
    if not english and not chinese and not noted:
        return None
    return sorted(english), sorted(chinese - {-1})


def _chinese(said: str) -> set[int]:
    index = _parts()
    return {
        number
        for first in set(said) & index.keys()
        for part, other, number in index[first]
        if part in said and other in said
    }


# --- clauses and what leads them in ---

_CLAUSES = (
    r"(?:[,;，：]|\s[-–—]+\s|—)\s*(?:(?:and|but|so|also|then|or|because|since|plus)\s+)?|\s(?:and|but|so|because|since)\s+(?:also\s+|then\s+)?(?=(?:I|I'm|I've|we|we're|we've|my|our|please|always|never|don't|do\s+not|the|you\s+(?:should|must))\b)"
    r"|(?<=[一-鿿])(?:而且|并且|所以|但是|不过|然后|因为)(?=[我一-鿿])|\s(?=[我请别])"
)
_LEAD = (
    r"(?i)(?:(?:hi|hello|hey|greetings)(?:\s+(?:there|all|everyone|team|folks|again|claude))?\b[\s,!.–-]+"
    r"|(?:please\s+)?(?:note|remember|keep\s+in\s+mind|bear\s+in\s+mind|don't\s+forget|do\s+not\s+forget|be\s+aware|for\s+the\s+record|you\s+should\s+know|just\s+so\s+you\s+know|fyi|let\s+it\s+be\s+known)[\s,:]*(?:\s*that\b[\s,]*|:\s*|,\s*|–\s*|-\s+|\s+(?=(?:I|we|my|our|the|always|never)\b))"
    r"|(?:ok|okay|so|well|and|but|also|plus|because|since|btw|by\s+the\s+way|actually|honestly|personally|currently|right\s+now|nowadays|these\s+days|today|unfortunately|sadly|anyway|oh|ah|um|yes|yeah|yep|sure|thanks|thank\s+you|great|first(?:ly)?|second(?:ly)?|third(?:ly)?|finally|additionally|furthermore"
    r"|moreover|lastly|one\s+(?:more|last|other)\s+thing|another\s+thing|besides|here|in\s+(?:this|our|the|my)\s+(?:repo|repository|project|codebase|team|company|office|app|workspace)|at\s+(?:work|home|the\s+office|our\s+company)|in\s+general|generally|usually|typically|as\s+of\s+(?:now|today)|now|important(?:ly)?|just|correction|small\s+correction|good\s+news"
    r"|fyi|for\s+(?:the\s+record|reference|context|your\s+information|info)|just\s+so\s+you\s+know|so\s+you\s+know|(?:a\s+)?(?:quick|small|important|another)\s+(?:note|update|reminder|thing)|note|notes?\s+to\s+self|reminder|heads[\s-]?up|update|decision|decided|rule|preference|convention|policy|ps|p\.s\.|about\s+me|info|context|remember|also\s+remember)\b[\s,:–—-]+"
    r"|(?:嗯|哦|好的?|那个|另外|还有|顺便(?:说一下|提一下|说一句|一提|说)?|对了|其实|你好|您好|大家好|嗨|哈喽|更正一下|更正|补充一下|现在|目前|请(?=记|注意)|麻烦(?:你)?|帮我(?=记)|你?(?:要|可以)?(?:记住|记得|记一下|记下来?|注意|备注|提醒一下)(?:一下|一点)?|另|首先|其次|最后|而且|并且|但是?|不过|所以|因为|然后|说明一下|告诉你|跟你说(?:一下)?|规则|约定|更新)[\s，,：:!！~。]*)"
)
_STAYS = (
    r"(?i)(?:from\s+(?:now|here|today|this\s+(?:point|day))\s+(?:on(?:wards?)?|forward)?|going\s+forward|moving\s+forward|henceforth|in\s+(?:the\s+)?future|as\s+a\s+(?:general\s+)?rule|by\s+default|(?:new|general|house|team|project)\s+(?:rule|convention|policy)s?"
    r"|(?:以后|今后|往后|从现在(?:起|开始)|从今(?:以后|往后|天起|天开始)|从此(?:以后)?|接下来|日后|默认情况下))(?:[\s,，:：–—-]+|(?=[一-鿿]))"
)
_TOPIC = (
    r"(?i)(?:for|in|on|with|when\s+(?:it\s+comes\s+to|writing|editing|working\s+(?:on|with))|regarding)\s+(?P<t>[^,;:]{2,40}?)(?:,\s*|\s+)(?=(?:I|we|always|never|please|don't|do\s+not|use|our|my|the|avoid|prefer|you\s+(?:should|must))\b)"
    r"|(?:关于|对于|在)(?P<u>[^，。]{2,16}?)(?:[里中上内方面]*)[，,]\s*"
)
_DATE_LEAD = r"(?i)(?:(?:from|since|as\s+of|starting|beginning|effective|until|till|in|on|by|at|last|next|this|yesterday|today|tomorrow|back|late|early)\b|\d|[A-Z][a-z]+\s+\d|从|自|到|截至|去|今|明|昨|上|下|本|前|[一二三四五六七八九十]|周|星期)"
_DATE_TAIL = r"(?i)(?:\s+on(?:wards?)?|\s+at\s+the\s+latest)?\s*(?:起|开始|以后|之后|前|之前|以来|为止)?[\s,，:]*(?:(?:I|we)\s+(?:will\s+)(?=use|switch))?"


def _lead(say: Saying, place: int) -> int:
    """Skip what leads a clause in (greetings, "by the way", "since January", "for SQL files"), and note what it says."""
    for _ in range(6):
        if found := compiled(_STAYS).match(say.folded, place, say.stop):
            say.standing = True
        elif (after := _date_lead(say, place)) is not None:
            place = after
            continue
        elif found := compiled(_LEAD).match(say.folded, place, say.stop):
            pass
        elif found := compiled(_TOPIC).match(say.folded, place, say.stop):
            topic = found["t"] or found["u"]
            say.topic = compiled(r"(?i)^(?:the|all|any|our|my)\s+").sub("", topic)
            say.standing = say.standing or found[0].lower().startswith("when ")
        else:
            return place
        place = found.end()
    return place


def _date_lead(say: Saying, place: int) -> int | None:
    if not compiled(_DATE_LEAD).match(say.folded, place, say.stop):
        return None
    for mention in say.mentions:
        lead = say.folded[place : mention.start]
        if mention.start >= place and compiled(r"(?i)^(?:(?:from|since|as\s+of|starting|beginning|effective|until|till|in|on|by|at|back\s+in|late|early|from|the|up\s+to|从|自从?|到|截至|直到)\s*)*$").match(lead):
            tail = compiled(_DATE_TAIL).match(say.folded, mention.end, say.stop)
            after = tail.end() if tail else mention.end
            if (mention.relation in ("since", "until") or compiled(_SINCE).search(lead)) and say.recent(mention):
                say.standing = True
            return after if after < say.stop else None
    return None


def _drafts(say: Saying) -> Iterator[Draft]:
    """Yield what a sentence says, clause by clause; the first rule that fits a clause has it."""
    called = _called(say.folded[say.start : say.stop])
    if called is None:
        return
    rules = [*(ENGLISH[number] for number in called[0]), *(CHINESE[number] for number in called[1])]
    begins = [say.start, *(cut.end() for cut in compiled(_CLAUSES).finditer(say.folded, say.start, say.stop))]
    taken = say.start
    said = False
    for begin in begins[:24]:
        if begin < taken or begin >= say.stop:
            continue
        place = _lead(say, begin)
        for rule in rules:
            found = compiled(rule.pattern).match(say.folded, place, say.stop)
            if found is None:
                continue
            drafts = [draft for draft in rule.read(found, say) if _means(draft, say, begin, place)]
            yield from drafts
            if drafts:
                said = True
                taken = max(draft.stop for draft in drafts)
                break
    if not said and (note := _note(say)):
        yield note


def _means(draft: Draft, say: Saying, begin: int, place: int) -> bool:
    """Whether the sentence means it: no question, supposition, report, hedge, joke or negation around it."""
    folded = say.folded
    if attitude.jokes(folded[say.start : say.stop + 60].split("\n\n")[0]):
        return False
    if attitude.BLANK in folded[draft.start : draft.stop] and draft.kind != "instruction":
        return False
    sentence, before = folded[say.start : say.stop], folded[say.start : place]
    if draft.kind == "instruction":
        tail = sentence.rstrip("\"')*_ ")
        return not (
            tail.endswith(("?", "？"))
            or attitude.asks_before(before)
            or (attitude.supposes(before) and not _standing_if(before))
            or attitude.hedges(before)
            or attitude.reports(before)
            or attitude.past(before)
        )
    clause = folded[say.start : max(draft.stop, place)]
    own = folded[place : draft.start]
    if attitude.asks(sentence) or attitude.supposes(sentence) or attitude.hedges(clause) or attitude.reports(clause):
        return False
    if not draft.ended and (attitude.past(sentence) or (draft.predicate != "dislikes" and attitude.denies(own))):
        return False
    return draft.subject is None or not attitude.denies(draft.subject)


def _standing_if(before: str) -> bool:
    return compiled(r"(?i)^(?:if|when)\s+you\s+\w+").match(before) is not None


_NOTED = (
    r"(?i)(?:please\s+|also\s+)*(?:(?:remember|keep\s+in\s+mind|bear\s+in\s+mind|don't\s+forget|do\s+not\s+forget)(?:,?\s+that\s+|\s*:\s*)(?P<o>\S.*)"
    r"|(?:请|帮我|你要?|麻烦(?:你)?)*(?:记住|记一下|记下来?)(?:了)?[，,：:\s]*(?P<p>[^，,：:\s].*))"
)


def _note(say: Saying) -> Draft | None:
    """Read "remember that ...", where no other rule knows what it says: the words themselves."""
    found = compiled(_NOTED).match(say.folded, say.start, say.stop)
    if found is None:
        return None
    group = "o" if found["o"] else "p"
    said = found[group]
    if attitude.BLANK in said or attitude.asks(said) or attitude.supposes(said) or attitude.hedges(said) or attitude.reports(said):
        return None
    if compiled(r"(?i)^(?:to|this|that|it|when|how|what|why|me|the\s+time|the\s+milk|you|your|consistency|practice|就|这|那|了|一下|我说的)\b").match(said) or len(said) < 6:
        return None
    span = trimmed(say, found.start(group), found.end(group), dated=False)
    return Draft("fact", "note", *span, confidence=0.7) if span else None
