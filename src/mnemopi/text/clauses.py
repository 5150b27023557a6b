"""Where the clauses of a sentence begin, and what leads them in: greetings, "by the way", "from May on".

For `text.patterns`: rules are matched where a lead ends. What a lead says stays in the sentence (`Saying.topic`,
`Saying.standing`).
"""

from __future__ import annotations

from mnemopi.text.claim_rules import Saying
from mnemopi.text.date_rules import compiled

_SINCE = r"(?i)(?:\b(?:from|since|as of|starting(?: from)?|beginning|effective)|从|自)\s*(?:(?:on|the|in)\s*)*$"
_BEGINNINGS = (
    r"(?:[,;，：]|\s[-–—]+\s|—)\s*(?:(?:and|but|so|also|then|or|because|since|plus)\s+)?|\s(?:and|but|so"
    r"|because|since)\s+(?:(?:also|then|now)\s+)?(?=(?:I|I'm|I've|we|we're|we've|my|our|please|always|never|don't"
    r"|do\s+not|the|you\s+(?:should|must))\b)"
    r"|(?<=(?-i:[一-鿿]))(?:而且|并且|所以|但是|不过|然后|因为)(?=[我一-鿿])|\s(?=[我请别])"
)
_LEAD = (
    r"(?i)(?:(?:hi|hello|hey|greetings)(?:\s+(?:there|all|everyone|team|folks|again|claude))?\b[\s,!.–-]+"
    r"|(?:please\s+)?(?:note|remember|keep\s+in\s+mind|bear\s+in\s+mind|don't\s+forget|do\s+not\s+forget"
    r"|be\s+aware|for\s+the\s+record|you\s+should\s+know|just\s+so\s+you\s+know|fyi"
    r"|let\s+it\s+be\s+known)[\s,:]*(?:\s*that\b[\s,]*|:\s*|,\s*|–\s*|-\s+|\s+(?=(?:I|we|my|our|the|always"
    r"|never)\b))"
    r"|(?:ok|okay|so|well|and|but|also|plus|because|since|btw|by\s+the\s+way|actually|honestly|personally"
    r"|currently|right\s+now|nowadays|these\s+days|today|unfortunately|sadly|anyway|oh|ah|um|yes|yeah|yep"
    r"|sure|thanks|thank\s+you|great|first(?:ly)?|second(?:ly)?|third(?:ly)?|finally|additionally"
    r"|furthermore"
    r"|moreover|lastly|one\s+(?:more|last|other)\s+thing|another\s+thing|besides|here|in\s+(?:this|our|the"
    r"|my)\s+(?:repo|repository|project|codebase|team|company|office|app|workspace)|at\s+(?:work|home"
    r"|the\s+office|our\s+company)|in\s+general|generally|usually|typically|as\s+of\s+(?:now|today)|now"
    r"|important(?:ly)?|just|correction|small\s+correction|good\s+news"
    r"|fyi|for\s+(?:the\s+record|reference|context|your\s+information|info)|just\s+so\s+you\s+know"
    r"|so\s+you\s+know|(?:a\s+)?(?:quick|small|important|another)\s+(?:note|update|reminder|thing)|note"
    r"|notes?\s+to\s+self|reminder|heads[\s-]?up|update|decision|decided|rule|preference|convention|policy"
    r"|ps|p\.s\.|about\s+me|info|context|remember|also\s+remember)\b[\s,:–—-]+"
    r"|(?:嗯|哦|好的?|那个|另外|还有|顺便(?:说一下|提一下|说一句|一提|说)?|对了|其实|你好|您好|大家好|嗨"
    r"|哈喽|更正一下|更正|补充一下|现在|目前|如今|请(?=记|注意)|麻烦(?:你)?|帮我(?=记)|你?(?:要|可以)?(?:记住"
    r"|记得|记一下|记下来?|注意|备注|提醒一下)(?:一下|一点)?|另|首先|其次|最后|而且|并且|但是?|不过|所以"
    r"|因为|然后|说明一下|告诉你|跟你说(?:一下)?|规则|约定|更新)[\s，,：:!！~。]*)"
)
_STAYS = (
    r"(?i)(?:from\s+(?:now|here|today|this\s+(?:point|day))\s+(?:on(?:wards?)?|forward)?|going\s+forward"
    r"|moving\s+forward|henceforth|in\s+(?:the\s+)?future|as\s+a\s+(?:general\s+)?rule|by\s+default|(?:new"
    r"|general|house|team|project)\s+(?:rule|convention|policy)s?"
    r"|(?:以后|今后|往后|从现在(?:起|开始)|从今(?:以后|往后|天起|天开始)|从此(?:以后)?|接下来|日后"
    r"|默认情况下))(?:[\s,，:：–—-]+|(?=(?-i:[一-鿿])))"
)
_TOPIC = (
    r"(?i)(?:for|in|on|with|when\s+(?:it\s+comes\s+to|writing|editing|working\s+(?:on|with))"
    r"|regarding)\s+(?P<t>[^,;:]{2,40}?)(?:,\s*|\s+)(?=(?:I|we|always|never|please|don't|do\s+not|use|our|my"
    r"|the|avoid|prefer|you\s+(?:should|must))\b)"
    r"|(?:关于|对于|在)(?P<u>[^，。]{2,16}?)(?:[里中上内方面]*)[，,]\s*"
)
_DATE_LEAD = (
    r"(?i)(?:(?:from|since|as\s+of|starting|beginning|effective|until|till|in|on|by|at|last|next|this|yesterday"
    r"|today|tomorrow|back|late|early)\b|\d|[A-Z][a-z]+\s+\d|从|自|到|截至|去|今|明|昨|上|下|本|前"
    r"|[一二三四五六七八九十]|周|星期)"
)
_DATE_TAIL = (
    r"(?i)(?:\s+on(?:wards?)?|\s+at\s+the\s+latest)?\s*(?:起|开始|以后|之后|前|之前|以来|为止)?[\s,，:]*(?:(?:I"
    r"|we)\s+(?:will\s+)(?=use|switch))?"
)

_AT_ONCE = ("I ", "I'", "We ", "we ", "My ", "my ")
"""How most clauses begin: nothing leads them in."""


def beginnings(say: Saying) -> list[int]:
    """List where the clauses of a sentence begin."""
    cuts = compiled(_BEGINNINGS).finditer(say.folded, say.start, say.stop)
    return [say.start, *(cut.end() for cut in cuts if cut.end() < say.stop)]


def since(say: Saying, date: int) -> bool:
    """Whether a word of beginning ("from", "as of", 从) stands before the date at `date`."""
    return compiled(_SINCE).search(say.folded, max(say.start, date - 20), date) is not None


def lead(say: Saying, place: int) -> int:
    """Skip what leads a clause in ("by the way", "since January", "for SQL files"), and note what it says."""
    if say.folded.startswith(_AT_ONCE, place):
        return place
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
        if mention.start >= place and compiled(
            r"(?i)^(?:(?:from|since|as\s+of|starting|beginning|effective|until|till|in|on|by|at|back\s+in"
            r"|late|early|the|up\s+to|从|自|到|截至|直到)\s*)*$"
        ).match(lead):
            tail = compiled(_DATE_TAIL).match(say.folded, mention.end, say.stop)
            after = tail.end() if tail else mention.end
            if (mention.relation in ("since", "until") or compiled(_SINCE).search(lead)) and say.recent(mention):
                say.standing = True
            return after if after < say.stop else None
    return None
