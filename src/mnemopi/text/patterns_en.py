"""Who people are, in English: name, role, employer, place, family, colleagues.

Rules for `text.patterns`; first person only. Tools and tastes stand in `patterns_en_taste`, things in
`patterns_en_things`, instructions in `patterns_en_rules`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mnemopi.text.claim_rules import Draft, Rule, Saying, named, says, subject_of, trimmed, value
from mnemopi.text.date_rules import compiled
from mnemopi.text.words_en import AM, I_AM, I_WE, OFTEN, tool

_NOT_NAMES = (
    r"(?i)^(?:back|later|when|if|at|on|in|a|an|the|tomorrow|today|tonight|now|again|crazy|old|out|it|that"
    r"|this|for|by|from|sorry|glad|happy|sure|fine|good|ready|done|new|not|here"
    r"|so|very|just|still|trying|working|looking|using|going|getting|having|ok|okay|back|afraid|tired"
    r"|confused|stuck|also|currently|about|unable|able|curious|interested|aware|all|my|your|whatever"
    r"|something|anything"
    r"|(?:german|french|dutch|swiss|greek|czech|thai|danish|[a-z]+(?:ian|ish|ese|ican|ing|ed)))\b"
)
_JOBS = (
    r"(?i)(?:\w(?:eer|ist|ician|rian|cher|ner|per|ger|ter|tor|der|ker|yer|ler|mer|ser|ver|wer|ver|cer|tant"
    r"|ctor|list)|chef|cook|nurse|lead|cto|ceo|cfo|coo|vp|doctor|student|intern|dev|sre|dba|pm|agent"
    r"|accountant|assistant|attorney|architect|analyst|founder|cofounder|co-founder|freelance|freelancer"
    r"|pilot|vet|judge|apprentice|clerk|postdoc|phd student|paralegal|barista|carpenter|electrician"
    r"|physician|sergeant|lieutenant|actor|actress|guide|coach|surgeon|midwife|mechanic|technician|secretary"
    r"|trainee|head of [\w ]+|vice president|director|engineer)$"
)
_NO_JOBS = (
    r"(?i)(?:^|\s)(?:eater|knitter|beginner|newcomer|user|member|owner|lover|believer|supporter|learner"
    r"|number|winner|loser|monster|outsider|stranger|teenager|minor|early riser|night owl|fighter|sucker"
    r"|lurker|starter|quitter"
    r"|follower|subscriber|buyer|customer|admirer|sister|brother|mother|father|daughter|bit|little|matter"
    r"|power user|non-smoker|smoker|helper|whisper|hater|doer|former|foreigner|survivor|sinner|insider"
    r"|speaker"
    r"|perfectionist|realist|optimist|pessimist|minimalist|feminist|cancer|liar|disaster|failure|packrat"
    r"|tourist|visitor|better|never|over|under|after|ever|other|either|later|whatever|layer|wrapper|computer"
    r"|robot|filter|container|docker|joker|actor in)$"
)
_KINDRED = (
    "wife husband partner spouse fiance fiancee girlfriend boyfriend son daughter child kid baby brother sister "
    "sibling twin mother father mom mum dad parent grandmother grandfather grandma grandpa aunt uncle cousin "
    "niece nephew dog cat puppy kitten rabbit parrot horse hamster pet friend boss manager colleague coworker "
    "roommate flatmate neighbour neighbor landlord teacher doctor dentist therapist"
)
_KIN: Final = frozenset(_KINDRED.split())
_I_AM = r"[Ii](?<!\w[Ii])(?i:'m|\s+am|m)\s+(?:[A-Z]|(?i:currently|now|an?|the|one)\s)"
_ALLERGY = r"(?:allergic\s+to|intolerant\s+to)"


def _name(said: str) -> bool:
    return len(said.split()) <= 4 and not compiled(_NOT_NAMES).match(said) and not compiled(r"\d|@").search(said)


def _capital_name(said: str) -> bool:
    return (
        _name(said)
        and all(word[0].isupper() or (word.islower() and len(word) <= 3) for word in said.split())
        and said[0].isupper()
    )


def _job(said: str) -> bool:
    return len(said.split()) <= 6 and bool(compiled(_JOBS).search(said)) and not compiled(_NO_JOBS).search(said)


def _employer(said: str) -> bool:
    return len(said.split()) <= 6 and not compiled(
        r"(?i)^(?:home|night|nights|noon|weekends?|myself|fun|free|now|least|most|best|first|me|him|her|them"
        r"|you|\d+|days?|hours?|work|school\b.*\bnights|peanuts|dawn|large|once|lunch|speed|scale|height)\b"
    ).match(said)


def _place(said: str) -> bool:
    if len(said.split()) > 4 or compiled(
        r"(?i)^(?:a|an|my|his|her|their|your|fear|peace|hope|constant|denial|harmony|sin|terror|luxury"
        r"|poverty|squalor|different|between|new\b(?! \w))\b"
    ).match(said):
        return False
    return said[0].isupper() or (
        " " not in said
        and len(said) > 3
        and not compiled(
            r"(?i)^(?:past|moment|dorms?|suburbs|countryside|mountains|city|village|town|present|office|house)$"
        ).match(said)
    )


def _capital_place(said: str) -> bool:
    return said[0].isupper() and _place(said)


def _moved(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "moved from X to Y": one changes places, many change tools; lower-case words are never places."""
    to = value(say, found.start("o"))
    if to is None:
        return
    here = say.text[slice(*to)]
    old = trimmed(say, *found.span("x")) if found["x"] else None
    alone = found["who"].lower().startswith("i")
    first = say.text[slice(*old)] if old else here
    if (
        alone
        and _capital_place(here)
        and (found["where"] or _capital_place(first))
        and not compiled(r"[.\d/+#]|[a-z][A-Z]|\b[A-Z]{2,}\b").search(here)
    ):
        kind, predicate = "identity", "location"
    elif old and tool(here) and tool(first):
        kind, predicate = "fact", "uses"
    else:
        return
    if old:
        yield Draft(kind, predicate, *old, ended=True, dated=True)  # type: ignore[arg-type]
    yield Draft(kind, predicate, *to, dated=True)  # type: ignore[arg-type]


def _role(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "a backend engineer at Northwind": the role, and the employer behind it."""
    role = value(say, found.start("o"))
    if role and not _job(say.text[slice(*role)]) and (of := compiled(r"(?i)\sof\s").search(say.folded, *role)):
        role = role[0], of.start()
    if role is None or not _job(say.text[slice(*role)]):
        return
    yield Draft("identity", "role", *role)
    behind = compiled(r"(?i)[\s\"'`)]*(?:at|for|with)\s+(?=[\w\"'`])").match(say.folded, role[1], say.stop)
    where = value(say, behind.end()) if behind else None
    if where and say.text[where[0]].isupper():
        yield Draft("identity", "employer", *where)


def _called(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "my dog is called Rex", "a daughter named Mila": a name of somebody or something of the author's."""
    subject = subject_of("my " + found["s"])
    span = value(say, found.start("o"))
    if subject and span and _capital_name(say.text[slice(*span)]):
        yield Draft("relation" if is_kin(subject) else "fact", "name", *span, subject)


def is_kin(subject: str) -> bool:
    """Whether a subject is a person or a pet ("older brother")."""
    return subject.lower().split()[-1] in _KIN


def _has_capital(said: str) -> bool:
    return said[0].isupper() and len(said.split()) <= 4


def _day(found: re.Match[str], say: Saying, predicate: str) -> Iterator[Draft]:
    for mention in say.mentions:
        if found.start("o") <= mention.start <= found.start("o") + 12:
            yield Draft("identity", predicate, mention.start, mention.end)
            return


def _languages(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    joint = (
        r"(?i)(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:fluent\s+|some\s+|a\s+(?:bit"
        r"|little)\s+(?:of\s+)?)?(?-i:(?=[A-Z]))"
    )
    place: int | None = found.start("o")
    while place is not None and (word := compiled(r"[A-Z][a-z]+(?: [A-Z][a-z]+)?").match(say.folded, place, say.stop)):
        yield Draft("fact", "speaks", word.start(), word.end())
        step = compiled(joint).match(say.folded, word.end(), say.stop)
        place = step.end() if step else None


def _person(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    span = value(say, found.start("o"))
    if span and _has_capital(say.text[slice(*span)]):
        yield Draft("relation", _group(found), *span)


def _group(found: re.Match[str]) -> str:
    return next(name for name, said in found.groupdict().items() if said and name != "o")


RULES: Final = (
    Rule(
        "name name's",
        r"my\s+(?:full\s+|first\s+|last\s+|real\s+|nick)?name(?:\s+is|'s)\s+(?P<o>\S)",
        says("identity", "name", check=_name),
        cores=(r"my\s+(?:\w+\s+|nick)?name(?:\s+is|'s)\s",),
    ),
    Rule(
        "call+me calls+me",
        (
            r"(?:please\s+|just\s+|you\s+can\s+|(?:people|everyone|everybody|friends|most\s+people"
            r"|they|colleagues)\s+)*calls?\s+me\s+(?P<o>\S)"
        ),
        says("identity", "name", check=_capital_name),
    ),
    Rule("i'm+called am+called", AM + r"called\s+(?P<o>\S)", says("identity", "name", check=_name)),
    Rule("go+by", r"I\s+(?:usually\s+|just\s+)?go\s+by\s+(?P<o>\S)", says("identity", "name", check=_capital_name)),
    Rule(
        "i'm am im",
        AM
        + (
            r"(?P<o>(?-i:[A-Z])[\w'-]+(?:\s(?-i:[A-Z])[\w'-]+){0,2})(?=\s*(?:$|[.!]|\s-\s|,\s*(?:a|an|the|and"
            r"|from|your|one|new|I)\b|and\s+I\b))"
        ),
        says("identity", "name", check=_capital_name),
        cores=(_I_AM,),
        cased=True,
    ),
    Rule(
        "i'm am im",
        AM
        + (
            r"(?:(?-i:[A-Z])[\w'-]+(?:\s(?-i:[A-Z])[\w'-]+){0,2},\s+)?(?:currently\s+|now\s+)?(?:a|an|the"
            r"|one\s+of\s+the)\s+(?P<o>\S)"
        ),
        _role,
        cores=(_I_AM,),
        cased=True,
    ),
    Rule(
        "work+as working+as",
        r"I\s+(?:currently\s+|now\s+)?(?:work|am\s+working)\s+as\s+(?:a|an|the)?\s*(?P<o>\S)",
        _role,
    ),
    Rule(
        "my+job my+role my+title my+position profession occupation",
        (
            r"my\s+(?:current\s+|new\s+)?(?:job|role|job\s+title|title|position|profession"
            r"|occupation)\s+is\s+(?:a\s+|an\s+|that\s+of\s+)?(?P<o>\S)"
        ),
        _role,
    ),
    Rule(
        "work+at work+for working+at working+for",
        r"I(?:'ve\s+been|\s+have\s+been|'m|\s+am)?\s+"
        + OFTEN
        + r"(?:work|working)\s+(?:(?:full|part)[- ]time\s+)?(?:at|for)\s+(?P<o>\S)",
        says("identity", "employer", check=_employer),
        cores=(r"i(?:'ve|\s+have)?(?:'m|\s+am|\s+been)?\s+" + OFTEN + r"work(?:ing)?\s",),
    ),
    Rule(
        "joined",
        r"I(?:'ve|\s+have)?\s+" + OFTEN + r"joined\s+(?P<o>(?-i:[A-Z])\S)",
        says("identity", "employer", check=named, dated=True),
        cores=(I_WE + r"joined\s",),
    ),
    Rule(
        "i+started i've+started",
        r"I(?:'ve|\s+have)?\s+"
        + OFTEN
        + r"started\s+(?:(?:working\s+|a\s+new\s+job\s+|my\s+new\s+job\s+)(?:at|for)|at)\s+(?P<o>(?-i:[A-Z])\S)",
        says("identity", "employer", check=named, dated=True),
        cores=(I_WE + r"started\s+(?:working|a\s+new|my\s+new|at)\s",),
    ),
    Rule(
        "live living+in",
        r"(?:I|we)(?:'m|'re|\s+am|\s+are|'ve\s+been)?\s+"
        + OFTEN
        + r"(?:live|living|reside)\s+(?:over\s+|out\s+)?(?:in|near)\s+(?P<o>(?!an?\s|the\s(?-i:[a-z]))\S)",
        says("identity", "location", check=_place),
        cores=(r"(?:i|we)(?:'m|'re|\s+am|\s+are|'ve\s+been)?\s+" + OFTEN + r"(?:live|living|reside)\s",),
    ),
    Rule(
        "based located",
        r"(?:I'm|I\s+am|we're|we\s+are)\s+"
        + OFTEN
        + r"(?:based|located)\s+(?:out\s+of|in|near)\s+(?P<o>(?!an?\s|the\s(?-i:[a-z]))\S)",
        says("identity", "location", check=_place),
        cores=(r"(?:i|we)(?:'m|\s+am|'re|\s+are)\s+" + OFTEN + r"(?:based|located)\s",),
    ),
    Rule(
        "i'm+from am+from im+from",
        AM + r"(?:originally\s+)?from\s+(?P<o>\S)",
        says("identity", "origin", check=_capital_place),
        cores=(I_AM + r"(?:originally\s+)?from\s",),
    ),
    Rule(
        "moved relocated",
        r"(?P<who>I|we)(?:'ve|\s+have)?\s+"
        + OFTEN
        + (
            r"(?:moved|relocated)(?P<where>\s+(?:house|home|flat|apartment))?\s+(?:over\s+"
            r"|back\s+)?(?:from\s+(?P<x>.{1,40}?)\s+)?(?:over\s+)?to\s+(?P<o>\S)"
        ),
        _moved,
        cores=(I_WE + r"(?:moved|relocated)\s",),
    ),
    Rule(
        "birthday",
        r"my\s+birthday\s*(?:is|'s)\s+(?:on\s+)?(?:the\s+)?(?P<o>.+)",
        lambda found, say: _day(found, say, "birthday"),
        dated=True,
    ),
    Rule(
        "born",
        r"I\s+was\s+born\s+(?:on\s+)(?:the\s+)?(?P<o>.+)",
        lambda found, say: _day(found, say, "birthday"),
        dated=True,
    ),
    Rule(
        "born",
        r"I\s+was\s+born\s+(?:and\s+raised\s+)?in\s+(?P<o>(?-i:[A-Z])\S)",
        says("identity", "birthplace", check=_capital_place),
    ),
    Rule(
        "years+old year-old",
        AM + r"(?:now\s+|currently\s+|a\s+)?(?P<o>\d{1,3})(?=[\s-]years?[\s-]old\b)",
        says("identity", "age", "word"),
    ),
    Rule(
        "turned",
        r"I\s+(?:just\s+)?turned\s+(?P<o>\d\d)(?=\s*(?:$|[.,!]|today|yesterday|last|this))",
        says("identity", "age", "word"),
    ),
    Rule("allergic intolerant", AM + OFTEN + _ALLERGY + r"\s+(?P<o>\S)", says("fact", "allergic_to", many=True)),
    Rule(
        "allergy",
        r"I\s+have\s+(?:a|an)\s+(?:severe\s+|bad\s+|mild\s+)?(?P<o>[\w-]+)(?=\s+allergy\b)",
        says("fact", "allergic_to", "word"),
    ),
    Rule(
        "vegetarian vegan pescatarian celiac coeliac gluten-free teetotal",
        AM + OFTEN + r"(?:an?\s+)?(?P<o>vegetarian|vegan|pescatarian|celiac|coeliac|gluten-free|teetotal)\b",
        says("preference", "diet", "word"),
    ),
    Rule(
        "speak",
        r"I\s+" + OFTEN + r"speak\s+(?:fluent\s+|some\s+|a\s+(?:bit|little)\s+(?:of\s+)?)?(?P<o>(?-i:[A-Z])\S)",
        lambda found, say: _languages(found, say),
    ),
    Rule(
        "i+own",
        r"I\s+own\s+(?:a|an|two|three|the|some)?\s*(?P<o>\S)",
        says("fact", "owns"),
        cores=(r"i\s+own\s",),
    ),
    Rule(
        "named called",
        (
            r"(?:I|we)\s+have\s+(?:a|an|one|two|three)\s+(?P<s>[\w-]+(?:\s[\w-]+){0,3}?),?\s+(?:named|called"
            r"|whose\s+name\s+is)\s+(?P<o>\S)"
        ),
        _called,
    ),
    Rule("called named", r"my\s+(?P<s>[\w-]+(?:\s[\w-]+){0,2}?)(?:\s+is|'s)\s+(?:called|named)\s+(?P<o>\S)", _called),
    Rule(
        "name name's",
        r"my\s+(?P<s>[\w-]+(?:\s[\w-]+){0,2}?)'s\s+name(?:\s+is|'s)\s+(?P<o>\S)",
        _called,
        cores=(r"'s\s+name(?:\s+is|'s)\s",),
    ),
    Rule(
        "report",
        r"(?:I|we)\s+(?:now\s+)?report\s+(?:directly\s+)?to\s+(?P<o>\S)",
        says("relation", "reports_to", check=_has_capital),
    ),
    Rule(
        "manager boss mentor wife husband partner girlfriend boyfriend fiance doctor dentist",
        (
            r"my\s+(?:new\s+|current\s+)?(?:(?P<manager>(?:line\s+)?manager|boss)|(?P<mentor>mentor)"
            r"|(?P<spouse>wife|husband|partner)|(?P<doctor>doctor|dentist))(?:\s+is(?:\s+now)?"
            r"|'s)\s+(?:called\s+|named\s+)?(?P<o>(?-i:[A-Z])\S)"
        ),
        lambda found, say: _person(found, say),
        cores=(r"my\s+(?:new\s+|current\s+)?(?:line\s+)?[a-z]+(?:\s+is|'s)\s",),
    ),
    Rule(
        "married engaged",
        AM + r"(?:married|engaged)\s+to\s+(?P<o>(?-i:[A-Z])\S)",
        says("relation", "spouse", check=_has_capital),
    ),
    Rule(
        "work+with",
        r"(?:I|we)\s+" + OFTEN + r"work\s+(?:closely\s+)?with\s+(?P<o>(?-i:[A-Z])\S)",
        says("relation", "works_with", many=True, check=_has_capital),
        cores=(I_WE + r"work\s+(?:closely\s+)?with\s",),
    ),
    Rule(
        "team squad guild",
        (
            r"I'?(?:m|\s+am)\s+(?:a\s+member\s+of|part\s+of|on|in)\s+(?:the"
            r"|a)\s+(?P<o>[\w&-]+(?:\s[\w&-]+){0,3}?\s(?:team|squad|guild|group))\b"
        ),
        says("relation", "member_of"),
        cores=(r"i'?(?:m|\s+am)\s+(?:a\s+member\s+of|part\s+of|on|in)\s+(?:the|a)\s",),
    ),
    Rule("member", AM + r"(?:a\s+|an\s+active\s+)?member\s+of\s+(?:the\s+)?(?P<o>\S)", says("relation", "member_of")),
)
