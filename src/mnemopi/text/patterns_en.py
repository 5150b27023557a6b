"""What people say about themselves, in English: who they are, what they use, what they like.

Rules for `text.patterns`; first person only, but for the few that name a person. Things stand in `patterns_en_things`,
instructions in `patterns_en_rules`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mnemopi.text.claim_rules import Draft, Rule, Saying, changes, named, says, subject_of, trimmed, value
from mnemopi.text.date_rules import compiled

_OFTEN = (
    r"(?:(?:really|absolutely|quite|also|still|just|now|currently|mostly|mainly|usually|generally|primarily|exclusively|only|always|all|both"
    r"|actually|very much|recently|finally|already|do|truly|personally|typically|normally|basically|simply|strongly|definitely|especially|daily|completely|fully|totally|genuinely|successfully|officially|gradually|since|never really)\s+){0,3}"
)
_TASTE = r"(?!the\s(?-i:[a-z])(?!\S+\sof\s(?!it\b|this|that|these|those|your)))"
"""Not "the idea", "the new page": what is spoken of just now is no taste."""
_AM = r"(?:I'm|I\s+am|im)\s+"
_HAVE = r"(?:I|we)(?:'ve|\s+have|\s+had\s+to)?\s+"
_OURS = r"(?:I|we|our\s+(?:team|company|project|shop|org)|(?:my|the)\s+team)"

_NOT_NAMES = (
    r"(?i)^(?:back|later|when|if|at|on|in|a|an|the|tomorrow|today|tonight|now|again|crazy|old|out|it|that|this|for|by|from|sorry|glad|happy|sure|fine|good|ready|done|new|not|here"
    r"|so|very|just|still|trying|working|looking|using|going|getting|having|ok|okay|back|afraid|tired|confused|stuck|also|currently|about|unable|able|curious|interested|aware|all|my|your|whatever|something|anything"
    r"|(?:german|french|dutch|swiss|greek|czech|thai|danish|[a-z]+(?:ian|ish|ese|ican|ing|ed)))\b"
)


def _name(said: str) -> bool:
    return len(said.split()) <= 4 and not compiled(_NOT_NAMES).match(said) and not compiled(r"\d|@").search(said)


def _capital_name(said: str) -> bool:
    return _name(said) and all(word[0].isupper() or word.islower() and len(word) <= 3 for word in said.split()) and said[0].isupper()


_JOBS = (
    r"(?i)(?:\w(?:eer|ist|ician|rian|cher|ner|per|ger|ter|tor|der|ker|yer|ler|mer|ser|ver|wer|ver|cer|tant|ctor|list)|chef|cook|nurse|lead|cto|ceo|cfo|coo|vp|doctor|student|intern|dev|sre|dba|pm|agent"
    r"|accountant|assistant|attorney|architect|analyst|founder|cofounder|co-founder|freelance|freelancer|pilot|vet|judge|apprentice|clerk|postdoc|phd student|paralegal|barista|carpenter|electrician|physician|sergeant|lieutenant|actor|actress|guide|coach|surgeon|midwife|mechanic|technician|secretary|trainee|head of [\w ]+|vice president|director|engineer)$"
)
_NO_JOBS = (
    r"(?i)(?:^|\s)(?:eater|knitter|beginner|newcomer|user|member|owner|lover|believer|supporter|learner|number|winner|loser|monster|outsider|stranger|teenager|minor|early riser|night owl|fighter|sucker|lurker|starter|quitter"
    r"|follower|subscriber|buyer|customer|admirer|sister|brother|mother|father|daughter|bit|little|matter|power user|non-smoker|smoker|helper|whisper|hater|doer|former|foreigner|survivor|sinner|insider|speaker"
    r"|perfectionist|realist|optimist|pessimist|minimalist|feminist|cancer|liar|disaster|failure|packrat|tourist|visitor|better|never|over|under|after|ever|other|either|later|whatever|layer|wrapper|computer|robot|filter|container|docker|joker|actor in)$"
)


def _job(said: str) -> bool:
    return len(said.split()) <= 6 and bool(compiled(_JOBS).search(said)) and not compiled(_NO_JOBS).search(said)


def _employer(said: str) -> bool:
    return len(said.split()) <= 6 and not compiled(
        r"(?i)^(?:home|night|nights|noon|weekends?|myself|fun|free|now|least|most|best|first|me|him|her|them|you|\d+|days?|hours?|work|school\b.*\bnights|peanuts|dawn|large|once|lunch|speed|scale|height)\b"
    ).match(said)


def _place(said: str) -> bool:
    if len(said.split()) > 4 or compiled(r"(?i)^(?:a|an|my|his|her|their|your|fear|peace|hope|constant|denial|harmony|sin|terror|luxury|poverty|squalor|different|between|new\b(?! \w))\b").match(said):
        return False
    return said[0].isupper() or (" " not in said and len(said) > 3 and not compiled(r"(?i)^(?:past|moment|dorms?|suburbs|countryside|mountains|city|village|town|present|office|house)$").match(said))


def _capital_place(said: str) -> bool:
    return said[0].isupper() and _place(said)


def _tool(said: str) -> bool:
    return len(said.split()) <= 5 and not compiled(
        r"(?i)^(?:my|your|his|her|their|our|this|that|these|those|a lot|lots|some|any|many|much|most|time|same|word|words|term|phrase|opportunity|chance|to|it|them|all|both|every|each|about|around|up|more|less|different"
        r"|several|few|another|what|whatever|only|too|very|such|one|two|three|other|public|him|being|own|wrong|right|correct|new\b|old\b|above|latest|following|combination|mix|mixture|couple|bit|kind|type|variety|number|set|lot|little)\b"
    ).match(said)


def _moved(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "moved from X to Y": one changes places, many change tools; lower-case words are never places."""
    to = value(say, found.start("o"))
    if to is None:
        return
    here = say.text[slice(*to)]
    old = trimmed(say, *found.span("x")) if found["x"] else None
    alone = found["who"].lower().startswith("i")
    first = say.text[slice(*old)] if old else here
    if alone and _capital_place(here) and (found["where"] or _capital_place(first)) and not compiled(r"[.\d/+#]|[a-z][A-Z]|\b[A-Z]{2,}\b").search(here):
        kind, predicate = "identity", "location"
    elif old and _tool(here) and _tool(first):
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


def _favourite(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    what = found["a"].lower().replace(" ", "_").replace("-", "_").replace("colour", "color")
    start = found.start("o")
    if span := value(say, start, "loose"):
        yield Draft("preference", f"favorite_{what}", *span)


def _called(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    """Read "my dog is called Rex", "a daughter named Mila": a name of somebody or something of the author's."""
    subject = subject_of("my " + found["s"])
    span = value(say, found.start("o"))
    if subject and span and _capital_name(say.text[slice(*span)]):
        yield Draft("relation" if is_kin(subject) else "fact", "name", *span, subject)


_KIN: Final = frozenset(
    "wife husband partner spouse fiance fiancee girlfriend boyfriend son daughter child kid baby brother sister sibling twin mother father mom mum dad parent grandmother"
    " grandfather grandma grandpa aunt uncle cousin niece nephew dog cat puppy kitten rabbit parrot horse hamster pet friend boss manager colleague"
    " coworker roommate flatmate neighbour neighbor landlord teacher doctor dentist therapist".split()
)


def is_kin(subject: str) -> bool:
    """Whether a subject is a person or a pet ("older brother")."""
    return subject.lower().split()[-1] in _KIN


def _has_capital(said: str) -> bool:
    return said[0].isupper() and len(said.split()) <= 4


_SPOKEN_OF = r"(?i)^(?:idea|sound|look|thought|way|concept|feel|combination|fact|mix|energy|thoughts)s? of\b|\b(?:ideas?|suggestions?|options?|recommendations?|approach|examples?)$|\byou\b|\b(?:of|to|with|and|for|in|a|the)$"


def _likable(said: str) -> bool:
    return len(said.split()) <= 12 and not compiled(_SPOKEN_OF).search(said) and not compiled(
        r"(?i)^(?:to (?:think|say|believe|know|see|be able|be\b|point|thank|note|imagine|hear|admit|bother|break|ask|add|mention|have|make sure)|it|that|this|these|those|how|what|when|where|the (?:way|idea|sound|look|fact|new|suggestion|approach|result|first|second)|your|his|her|their|you|him|them|seeing|not\b|nothing|both|either|where|everything|none|having to|being)\b"
    ).match(said)


_ALLERGY = r"(?:allergic\s+to|intolerant\s+to)"

RULES: Final = (
    Rule("name name's", r"my\s+(?:full\s+|first\s+|last\s+|real\s+|nick)?name(?:\s+is|'s)\s+(?P<o>\S)", says("identity", "name", check=_name)),
    Rule("call+me calls+me", r"(?:please\s+|just\s+|you\s+can\s+(?:just\s+)?|(?:people|everyone|everybody|friends|most\s+people|they|colleagues)\s+(?:just\s+)?)*calls?\s+me\s+(?P<o>\S)", says("identity", "name", check=_capital_name)),
    Rule("i'm+called am+called", _AM + r"called\s+(?P<o>\S)", says("identity", "name", check=_name)),
    Rule("go+by", r"I\s+(?:usually\s+|just\s+)?go\s+by\s+(?P<o>\S)", says("identity", "name", check=_capital_name)),
    Rule("i'm am im", _AM + r"(?P<o>(?-i:[A-Z])[\w'-]+(?:\s(?-i:[A-Z])[\w'-]+){0,2})(?=\s*(?:$|[.!]|\s-\s|,\s*(?:a|an|the|and|from|your|one|new|I)\b|and\s+I\b))", says("identity", "name", check=_capital_name)),
    Rule("i'm am im", _AM + r"(?:(?-i:[A-Z])[\w'-]+(?:\s(?-i:[A-Z])[\w'-]+){0,2},\s+)?(?:currently\s+|now\s+)?(?:a|an|the|one\s+of\s+the)\s+(?P<o>\S)", _role),
    Rule("work+as working+as", r"I\s+(?:currently\s+|now\s+)?(?:work|am\s+working)\s+as\s+(?:a|an|the)?\s*(?P<o>\S)", _role),
    Rule("my+job my+role my+title my+position profession occupation", r"my\s+(?:current\s+|new\s+)?(?:job|role|job\s+title|title|position|profession|occupation)\s+is\s+(?:a\s+|an\s+|that\s+of\s+)?(?P<o>\S)", _role),
    Rule("work+at work+for working+at working+for", r"I(?:'ve\s+been|\s+have\s+been|'m|\s+am)?\s+" + _OFTEN + r"(?:work|working)\s+(?:(?:full|part)[- ]time\s+)?(?:at|for)\s+(?P<o>\S)", says("identity", "employer", check=_employer)),
    Rule("joined", r"I(?:'ve|\s+have)?\s+" + _OFTEN + r"joined\s+(?P<o>(?-i:[A-Z])\S)", says("identity", "employer", check=named, dated=True)),
    Rule("i+started i've+started", r"I(?:'ve|\s+have)?\s+" + _OFTEN + r"started\s+(?:(?:working\s+|a\s+new\s+job\s+|my\s+new\s+job\s+)(?:at|for)|at)\s+(?P<o>(?-i:[A-Z])\S)", says("identity", "employer", check=named, dated=True)),
    Rule("live living+in", r"(?:I|we)(?:'m|'re|\s+am|\s+are|'ve\s+been)?\s+" + _OFTEN + r"(?:live|living|reside)\s+(?:over\s+|out\s+)?(?:in|near)\s+(?P<o>(?!an?\s|the\s(?-i:[a-z]))\S)", says("identity", "location", check=_place)),
    Rule("based located", r"(?:I'm|I\s+am|we're|we\s+are)\s+" + _OFTEN + r"(?:based|located)\s+(?:out\s+of|in|near)\s+(?P<o>(?!an?\s|the\s(?-i:[a-z]))\S)", says("identity", "location", check=_place)),
    Rule("i'm+from am+from im+from", _AM + r"(?:originally\s+)?from\s+(?P<o>\S)", says("identity", "origin", check=_capital_place)),
    Rule("moved relocated", r"(?P<who>I|we)(?:'ve|\s+have)?\s+" + _OFTEN + r"(?:moved|relocated)(?P<where>\s+(?:house|home|flat|apartment))?\s+(?:over\s+|back\s+)?(?:from\s+(?P<x>.{1,40}?)\s+)?(?:over\s+)?to\s+(?P<o>\S)", _moved),
    Rule("birthday", r"my\s+birthday\s*(?:is|'s)\s+(?:on\s+)?(?:the\s+)?(?P<o>.+)", lambda found, say: _day(found, say, "birthday")),
    Rule("born", r"I\s+was\s+born\s+(?:on\s+)(?:the\s+)?(?P<o>.+)", lambda found, say: _day(found, say, "birthday")),
    Rule("born", r"I\s+was\s+born\s+(?:and\s+raised\s+)?in\s+(?P<o>(?-i:[A-Z])\S)", says("identity", "birthplace", check=_capital_place)),
    Rule("years+old year-old", _AM + r"(?:now\s+|currently\s+|a\s+)?(?P<o>\d{1,3})(?=[\s-]years?[\s-]old\b)", says("identity", "age", "word")),
    Rule("turned", r"I\s+(?:just\s+)?turned\s+(?P<o>\d\d)(?=\s*(?:$|[.,!]|today|yesterday|last|this))", says("identity", "age", "word")),
    Rule("allergic intolerant", _AM + _OFTEN + _ALLERGY + r"\s+(?P<o>\S)", says("fact", "allergic_to", many=True)),
    Rule("allergy", r"I\s+have\s+(?:a|an)\s+(?:severe\s+|bad\s+|mild\s+)?(?P<o>[\w-]+)(?=\s+allergy\b)", says("fact", "allergic_to", "word")),
    Rule("vegetarian vegan pescatarian celiac coeliac gluten-free teetotal", _AM + _OFTEN + r"(?:an?\s+)?(?P<o>vegetarian|vegan|pescatarian|celiac|coeliac|gluten-free|teetotal)\b", says("preference", "diet", "word")),
    Rule("speak", r"I\s+" + _OFTEN + r"speak\s+(?:fluent\s+|some\s+|a\s+(?:bit|little)\s+(?:of\s+)?)?(?P<o>(?-i:[A-Z])\S)", lambda found, say: _languages(found, say)),
    Rule("i+own", r"I\s+own\s+(?:a|an|two|three|the|some)?\s*(?P<o>\S)", says("fact", "owns")),
    Rule("named called", r"(?:I|we)\s+have\s+(?:a|an|one|two|three)\s+(?P<s>[\w-]+(?:\s[\w-]+){0,3}?),?\s+(?:named|called|whose\s+name\s+is)\s+(?P<o>\S)", _called),
    Rule("called named", r"my\s+(?P<s>[\w-]+(?:\s[\w-]+){0,2}?)(?:\s+is|'s)\s+(?:called|named)\s+(?P<o>\S)", _called),
    Rule("name name's", r"my\s+(?P<s>[\w-]+(?:\s[\w-]+){0,2}?)'s\s+name(?:\s+is|'s)\s+(?P<o>\S)", _called),
    Rule("report", r"(?:I|we)\s+(?:now\s+)?report\s+(?:directly\s+)?to\s+(?P<o>\S)", says("relation", "reports_to", check=_has_capital)),
    Rule(
        "manager boss mentor wife husband partner girlfriend boyfriend fiance doctor dentist",
        r"my\s+(?:new\s+|current\s+)?(?:(?P<manager>(?:line\s+)?manager|boss)|(?P<mentor>mentor)|(?P<spouse>wife|husband|partner)|(?P<doctor>doctor|dentist))(?:\s+is(?:\s+now)?|'s)\s+(?:called\s+|named\s+)?(?P<o>(?-i:[A-Z])\S)",
        lambda found, say: _person(found, say),
    ),
    Rule("married engaged", _AM + r"(?:married|engaged)\s+to\s+(?P<o>(?-i:[A-Z])\S)", says("relation", "spouse", check=_has_capital)),
    Rule("work+with", r"(?:I|we)\s+" + _OFTEN + r"work\s+(?:closely\s+)?with\s+(?P<o>(?-i:[A-Z])\S)", says("relation", "works_with", many=True, check=_has_capital)),
    Rule("team squad guild", r"I'?(?:m|\s+am)\s+(?:a\s+member\s+of|part\s+of|on|in)\s+(?:the|a)\s+(?P<o>[\w&-]+(?:\s[\w&-]+){0,3}?\s(?:team|squad|guild|group))\b", says("relation", "member_of")),
    Rule("member", _AM + r"(?:a\s+|an\s+active\s+)?member\s+of\s+(?:the\s+)?(?P<o>\S)", says("relation", "member_of")),
    Rule("use using", _OURS + r"(?:'m|'re|\s+am|\s+are|'ve\s+been|\s+have\s+been)?\s+" + _OFTEN + r"(?:use|using|uses)\s+(?P<o>\S)", says("fact", "uses", many=True, check=_tool)),
    Rule("we+run rely running+on", r"we(?:'re|\s+are)?\s+" + _OFTEN + r"(?:run|running|rely)\s+(?:everything\s+)?on\s+(?P<o>\S)", says("fact", "uses", check=lambda said: _tool(said) and named(said))),
    Rule("we+deploy we're+deploying we+host we+ship", r"we(?:'re)?\s+" + _OFTEN + r"(?:deploy|deploying|host|ship)\s+(?:everything\s+|it\s+all\s+)?(?:on|to|with|via)\s+(?P<o>\S)", says("fact", "deploys_to", check=named)),
    Rule("we're we+are", r"(?:we're|we\s+are)\s+(?:now\s+|currently\s+|still\s+)?on\s+(?P<o>\S)", says("fact", "uses", check=lambda said: _tool(said) and bool(compiled(r"[A-Z]\w*.*\d").search(said)))),
    Rule("stack", r"(?:our|my)\s+(?:tech\s+|whole\s+|current\s+)?stack\s+is\s+(?P<o>\S)", says("fact", "uses", many=True, check=_tool)),
    Rule(
        "switched migrated changed ported converted transitioned upgraded",
        _HAVE + _OFTEN + r"(?:switched|migrated|changed|ported|converted|transitioned|upgraded)\s+(?:(?:over|everything|it\s+all|our\s+\w+|the\s+(?:whole\s+)?\w+)\s+)?(?:from\s+(?P<x>.{1,40}?)\s+)?(?:over\s+)?to\s+(?P<o>\S)",
        changes(_tool),
    ),
    Rule("switched", _HAVE + _OFTEN + r"switched\s+away\s+from\s+(?P<x>\S+(?:\s(?-i:[A-Z])\S+)?)(?:\s+(?:to|in\s+favou?r\s+of)\s+(?P<o>\S))?", changes(_tool)),
    Rule("replaced swapped ditched", _HAVE + _OFTEN + r"(?:replaced|swapped(?:\s+out)?|ditched)\s+(?P<x>.{1,40}?)\s+(?:with|by|for)\s+(?P<o>\S)", changes(lambda said: _tool(said) and named(said))),
    Rule("dropped abandoned ditched", _HAVE + _OFTEN + r"(?:dropped|abandoned|ditched)\s+(?P<x>.{1,40}?)\s+(?:in\s+favou?r\s+of|for)\s+(?P<o>\S)", changes(lambda said: _tool(said) and named(said))),
    Rule("longer", r"(?:I|we)\s+(?:are\s+)?no\s+longer\s+(?:use|using|rely\s+on|run)\s+(?P<o>\S)", lambda found, say: _over(found, say, "uses", "fact")),
    Rule("longer", r"I\s+(?:am\s+)?no\s+longer\s+(?P<verb>live\s+in|living\s+in|work\s+(?:at|for)|like|enjoy)\s+(?P<o>\S)", lambda found, say: _over_of(found, say)),
    Rule("don't+use not+use dont+use", r"(?:I|we)\s+(?:don't|do\s+not|dont)\s+(?:really\s+)?use\s+(?P<o>[^,;.]{1,60}?)\s+(?:any\s?more|any\s+longer)\b", lambda found, say: _over(found, say, "uses", "fact")),
    Rule("stopped quit", _HAVE + _OFTEN + r"(?:stopped|quit)\s+using\s+(?P<o>\S)", lambda found, say: _over(found, say, "uses", "fact")),
    Rule("rid", _HAVE + _OFTEN + r"(?:got|gotten)\s+rid\s+of\s+(?P<o>(?-i:[A-Z])\S)", lambda found, say: _over(found, say, "uses", "fact")),
    Rule("started+using adopted began+using", _HAVE + _OFTEN + r"(?:(?:started|began)\s+using|adopted)\s+(?P<o>\S)", says("fact", "uses", check=_tool, dated=True)),
    Rule("i+like we+like love enjoy adore", r"(?:I|we)\s+" + _OFTEN + r"(?:like|love|enjoy|adore)\s+(?P<o>" + _TASTE + r"\S)", says("preference", "likes", "loose", _likable)),
    Rule("prefer favour favor", r"(?:I|we|my\s+preference\s+is|I'd\s+say\s+I)\s+" + _OFTEN + r"(?:prefer|favou?r)\s+(?P<o>" + _TASTE + r"\S)", says("preference", "prefers", "loose", _likable)),
    Rule("preference", r"(?:my|our)\s+(?:strong\s+|personal\s+)?preference\s+is\s+(?:for\s+)?(?P<o>" + _TASTE + r"\S)", says("preference", "prefers", "loose", _likable)),
    Rule("fan", _AM + r"(?:a\s+)?(?:big\s+|huge\s+|massive\s+|great\s+)?fan\s+of\s+(?P<o>" + _TASTE + r"\S)", says("preference", "likes", "loose", _likable)),
    Rule("i'm+into am+into", _AM + r"(?:really\s+|very\s+)(?:much\s+)?into\s+(?P<o>" + _TASTE + r"\S)", says("preference", "likes", "loose", _likable)),
    Rule("obsessed", _AM + r"obsessed\s+with\s+(?P<o>" + _TASTE + r"\S)", says("preference", "likes", "loose", _likable)),
    Rule("favourite favorite", r"(?:my|our)\s+(?:all-time\s+)?favou?rite\s+(?P<a>[\w-]+(?:\s[\w-]+)?)\s+(?:is|are)\s+(?:still\s+|definitely\s+|probably\s+)?(?P<o>\S)", _favourite),
    Rule("favourite favorite", r"(?P<o>(?-i:[A-Z])[\w'+#.-]*(?:\s[\w'-]+){0,3}?)\s+is\s+(?:still\s+|definitely\s+)?(?:my|our)\s+(?:all-time\s+)?favou?rite\s+(?P<a>[\w-]+)", lambda found, say: _favourite_first(found, say)),
    Rule("hate dislike detest loathe despise", r"(?:I|we)\s+" + _OFTEN + r"(?:hate|dislike|detest|loathe|despise)\s+(?P<o>" + _TASTE + r"\S)", says("preference", "dislikes", "loose", _likable)),
    Rule("can't+stand cannot+stand cant+stand not+stand", r"(?:I|we)\s+(?:really\s+)?(?:can't|cannot|can\s+not|cant)\s+stand\s+(?P<o>" + _TASTE + r"\S)", says("preference", "dislikes", "loose", _likable)),
    Rule("don't+like not+like dont+like don't+enjoy not+enjoy don't+care", r"(?:I|we)\s+(?:really\s+)?(?:don't|do\s+not|dont)\s+(?:really\s+|particularly\s+)?(?:like|enjoy|care\s+for)\s+(?P<o>" + _TASTE + r"\S)", says("preference", "dislikes", "loose", _likable)),
    Rule("fan", _AM + r"not\s+(?:really\s+)?(?:a\s+)?(?:big\s+|huge\s+|great\s+)?fan\s+of\s+(?P<o>" + _TASTE + r"\S)", says("preference", "dislikes", "loose", _likable)),
)


def _day(found: re.Match[str], say: Saying, predicate: str) -> Iterator[Draft]:
    for mention in say.mentions:
        if found.start("o") <= mention.start <= found.start("o") + 12:
            yield Draft("identity", predicate, mention.start, mention.end)
            return


def _languages(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    joint = r"(?i)(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:fluent\s+|some\s+|a\s+(?:bit|little)\s+(?:of\s+)?)?(?-i:(?=[A-Z]))"
    place: int | None = found.start("o")
    while place is not None and (word := compiled(r"[A-Z][a-z]+(?: [A-Z][a-z]+)?").match(say.folded, place, say.stop)):
        yield Draft("fact", "speaks", word.start(), word.end())
        step = compiled(joint).match(say.folded, word.end(), say.stop)
        place = step.end() if step else None


def _person(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    span = value(say, found.start("o"))
    if span and _has_capital(say.text[slice(*span)]):
        yield Draft("relation", found.lastgroup if found.lastgroup != "o" else _group(found), *span)


def _group(found: re.Match[str]) -> str:
    return next(name for name, said in found.groupdict().items() if said and name != "o")


def _over(found: re.Match[str], say: Saying, predicate: str, kind: str) -> Iterator[Draft]:
    span = value(say, found.start("o"), limit=found.end("o") if found.end("o") > found.start("o") + 1 else None)
    if span and _tool(say.text[slice(*span)]):
        yield Draft(kind, predicate, *span, ended=True, dated=True)  # type: ignore[arg-type]


def _over_of(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    verb = found["verb"].lower().split()[0]
    kind, predicate = {"live": ("identity", "location"), "living": ("identity", "location"), "work": ("identity", "employer")}.get(verb, ("preference", "likes"))
    if span := value(say, found.start("o")):
        yield Draft(kind, predicate, *span, ended=True, dated=True)  # type: ignore[arg-type]


def _favourite_first(found: re.Match[str], say: Saying) -> Iterator[Draft]:
    what = found["a"].lower().replace("-", "_").replace("colour", "color")
    if span := trimmed(say, *found.span("o")):
        yield Draft("preference", f"favorite_{what}", *span)
