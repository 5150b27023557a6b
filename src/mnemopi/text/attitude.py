"""How a sentence is meant: which sentences state something, and which only ask, suppose, report or joke.

The second gate in front of the readers of statements (`text.patterns`): functions that judge one sentence, or the part
of it around a place where a rule found something. They are meant to refuse too much rather than too little: what a
person means will be said again, what they did not mean is hard to take back. Not a parser: words at their usual places.
"""

from __future__ import annotations

from mnemopi.text.date_rules import compiled

_ASKS = (
    r"(?i)^(?:(?:hi|hey|hello|ok|so|and|but|well|also|sorry|quick question)\b[\s,:]*)*"
    r"(?:(?:do|did|does|is|are|was|were|am|can|could|should|shall|will|would|has|isn't|aren't|don't you"
    r"|doesn't|didn't|won't"
    r"|can't|couldn't|shouldn't|wouldn't)\s(?!not\b|always|never)|(?:have|had)\s(?:you|we|i|they|he|she)\b"
    r"|(?:who|whom|whose|what|which|where|why|how|any idea|wondering)\b|(?:what|who|where|how)'s\b)"
)
_WONDERS = (
    r"(?i)\b(?:whether|wonder\w*|do you (?:know|remember|think|recall)|(?:know|see|check|tell me|ask"
    r"|figure out|find out|remember|recall"
    r"|sure|forg[eo]t\w*|idea|explain|show me|clarify|confirm) (?:if|who|what|where|which|when|why|how)"
    r"|remind me (?:what|who|where|which|when)"
    r"|not (?:entirely |quite |really |100% )?sure|unsure|no (?:idea|clue))\b"
)
_ASKS_ZH = (
    r"[吗呢么](?:[,，。.!！?？~\s]*$)|是不是|是否|有没有|要不要|能不能|可不可以|会不会|好不好|对不对|该不该"
    r"|用不用|需不需要|什么(?!都)|怎么|怎样|如何|为何"
    r"|哪(?:个|里|些|儿|天|种|家|位|一)|多少|谁|几(?:个|点|天|岁|号)|何时|请问|想知道|不知道|忘了(?!.*记住)"
    r"|不确定|不清楚|吧[?？]?$"
)
_SUPPOSES = (
    r"(?i)\b(?:if|unless|suppos(?:e|ing)|imagine|assuming|assume(?=\s(?:that|we|I|you|the|my|our)\b)"
    r"|pretend\w*|hypothetical\w*|let's say"
    r"|let us say|what if|wish(?:es|ed)?"
    r"|as if|as though|in case|otherwise|doubt|provided that|were i|had i|had we|role-?play\w*|in theory"
    r"|untrue|not true|false that"
    r"|not the case)\b"
)
_SUPPOSES_ZH = r"如果|要是|假如|假设|假使|倘若|万一|若是|假装|扮演|比方说|设想|若(?![干无])|除非|不然|的话"
_HEDGES = (
    r"(?i)\b(?:would|could|might|(?<!\d )(?<!in )(?<!by )(?<!of )(?<!on )(?<!since )(?<!from )(?<!until )may("
    r"?! \d)|maybe|perhaps|probably|possibly|presumably|apparently|allegedly|supposedly|reportedly"
    r"|potentially|seem\w*"
    r"|hardly|rarely|barely|i (?:think|guess|believe|suspect|assume|bet|hope)|hopefully|kind of|sort of"
    r"|consider\w*|thinking (?:about|of)"
    r"|want(?:s|ed)? (?:to|us|me|you|everyone)|wanna|would like|plan(?:s|ning|ned)? (?:to|on)|going to|gonna"
    r"|about to|try(?:ing)? to|tried to"
    r"|need to (?:decide|know|check)|ought|decid\w+ (?:whether|between)|rumou?r\w*|can you|could you"
    r"|will you|someone|somebody|nobody"
    r"|everyone|everybody|no one|anyone|some people|most people|for example|for instance|such as|say|e\.g"
    r"|i\.e|eg|not only)\b|'d\b"
)
_HEDGES_ZH = (
    r"也许|可能|大概|或许|说不定|好像|似乎|估计|貌似|应该会|打算|考虑|想要|想(?=[住用换去在搬改叫做学把让])"
    r"|希望|要不|不如|建议|计划|准备|将来|例如|比如|譬如"
    r"|有人|没人|别人|大家都说|本来想|差点|恐怕|会不会|想着|要不然|有点想"
)
_REPORTS = (
    r"(?i)\b(?:sa(?:id|ys|ying)|told|tells?|ask(?:s|ed)|claim(?:s|ed)?|believes?|thinks|thought|wrote|writes"
    r"|mention(?:s|ed)|suggest(?:s|ed|ion)"
    r"|recommend(?:s|ed)?|argue[sd]?|insist(?:s|ed)|according to|heard|hear that|read that|states|stated"
    r"|quot(?:e|es|ed|ing)|reads|reportedly|wants|complain\w*"
    r"|announced|hopes|prefers that|requested|reckons|advis(?:es|ed)|warn(?:s|ed)|promise[sd]|explained"
    r"|replied|answered|admitted|proposed|demand(?:s|ed)"
    r"|in (?:the|his|her|this|that|a|my) (?:novel|book|movie|film|story|game|dream|song|show|series|episode"
    r"|article|paper|tutorial|example|docs?|joke|play|scenario|comic))\b"
)
_SAID_AFTER = (
    r"(?i),\s*(?!(?:I|we)\b)(?:[\w']+\s+){1,3}(?:said|says|wrote|writes|told\s+\w+|claim(?:s|ed)|explained|added|reported"
    r"|thinks?|thought|believes?|announced|insist(?:s|ed)|argue[sd]?|joked)[\s.!\"']*$"
)
_REPORTS_ZH = (
    r"(?<![会小来听能我要])说(?![明法服中日英法德俄普广粤汉外一])|表示|认为|觉得|告诉|听说|据说"
    r"|(?<![数依证根单收占票])据(?=[报称悉])|问(?=[我你他她了我们])|写道|提到|声称|以为|宣布|写着|传闻|看到"
    r"|抱怨|坚持要"
    r"|教程|文档里|文章里|[小说影书故事剧]+[里中](?!面试)|[书]上|这[本部](?:小说|电影|书)|剧本"
    r"|翻译[成一下这:：]|请翻译|解释一下|帮我(?!记)|梦见|梦到|客户想|老板想"
)
_PAST = (
    r"(?i)\b(?<!'m )(?<!am )(?<!are )(?<!'re )(?<!get )(?<!got )used to(?! have (?:it|this))|\b(?:previously"
    r"|formerly|back then|back when|in the past|at the time|in those days|"
    r"years ago|once upon|(?:when|while) (?:i|we) (?:was|were|lived|worked|had)|when i was|as a (?:kid|child"
    r"|student|teenager)|until recently"
    r"|originally(?! from)|in a (?:past|former|previous) (?:life|job)|long ago"
    r"|at (?:first|that time)|for now|temporarily)\b"
)
_PAST_ZH = (
    r"曾经|曾(?=[在是用住])|过去(?![的])|当时|那时|那会儿|小时候|小的?时候|(?:上学|大学|中学|小学"
    r"|高中)(?:的?时候?|期间)|从前|以前(?!的)|(?:^|[我们,，])(?:之前|原来|原先|本来)|暂时|临时"
)
_GONE = r"(?i)\b(?:no longer|any ?more)\b"
_GONE_ZH = r"不再"
_TURNS = r"(?i)(?:\b(?:but|and)\s+(?:now|nowadays|these\s+days)|[,;，；]\s*(?:now|现在|如今))[\s,，]*(?:我们?)?$"
_JOKES = (
    r"(?i)\b(?:just kidding|kidding|joking|joke|jk|lol|lmao|rofl|haha+|hehe|/s|sarcasm|not really|as if"
    r"|yeah right)\b|😂|🤣|😜|开玩笑|玩笑|逗你|哈哈|骗你|瞎说|说笑|才怪"
)
_NOT = (
    r"(?i)\b(?:not|never|no|none|neither|nor|hardly|isn't|aren't|wasn't|don't|doesn't|didn't|can't|cannot|won't"
    r"|dont|without)\b"
)
_NOT_ZH = r"不|没|未|(?<![特个分类性级区判])别|无(?![锡线糖])|非(?![常洲])|勿"


def asks(sentence: str) -> bool:
    """Whether a sentence is a question, with a mark or without, or wonders about something."""
    if "?" in sentence or "？" in sentence:
        return True
    return bool(
        compiled(_ASKS).search(sentence)
        or compiled(_WONDERS).search(sentence)
        or (not sentence.isascii() and compiled(_ASKS_ZH).search(sentence))
    )


def states(sentence: str, clause: str) -> bool:
    """Whether a sentence states what its clause says: no question, supposition, hedge, or words of others.

    Hedges and reports count up to the end of the clause, the others anywhere in the sentence.
    """
    return not (
        asks(sentence)
        or supposes(sentence)
        or hedges(clause)
        or reports(clause)
        or compiled(_SAID_AFTER).search(sentence)
    )


def demands(sentence: str, before: str) -> bool:
    """Whether a sentence asks for what its rule says: a rule may hold conditions, what stands before it may not.

    "If you touch the schema, always ..." is a rule all the same.
    """
    if sentence.rstrip("\"')*_ ").endswith(("?", "？")):
        return False
    if not before:
        return True
    conditional = supposes(before) and not compiled(r"(?i)(?:if|when)\s+you\s+\w+").match(before)
    promised = compiled(r"(?i)\b(?:I'll|I will|we'll|we will|they|he|she)\b").search(before)
    return not (conditional or promised or asks(before) or hedges(before) or reports(before) or past(before))


def supposes(sentence: str) -> bool:
    """Whether a sentence supposes: "if", "imagine", 如果, anywhere in it."""
    return _any(sentence, _SUPPOSES, _SUPPOSES_ZH)


def hedges(part: str) -> bool:
    """Whether a part of a sentence is unsure, a plan or a wish: "might", "I think", "going to", 也许, 打算."""
    return _any(part, _HEDGES, _HEDGES_ZH)


def reports(part: str) -> bool:
    """Whether a part of a sentence gives the words of others: "said", "according to", 听说."""
    return _any(part, _REPORTS, _REPORTS_ZH)


def past(part: str) -> bool:
    """Whether a part of a sentence tells what was so and is over: "used to", "previously", 曾经."""
    return _any(part, _PAST, _PAST_ZH)


def bygone(before: str, clause: str) -> bool:
    """Whether a clause, with what follows it, tells of what is over, or what stands before it sets it in the past.

    "I used to like tea, but now ..." leads back to the present; what is "no longer" so is so of its own clause.
    """
    if past(clause) or _any(clause, _GONE, _GONE_ZH):
        return True
    return past(before) and compiled(_TURNS).search(before) is None


def denies(part: str) -> bool:
    """Whether a part of a sentence holds a negation."""
    return _any(part, _NOT, _NOT_ZH)


def jokes(part: str) -> bool:
    """Whether a sentence, or the one after it, takes back what was said."""
    return compiled(_JOKES).search(part) is not None


def _any(part: str, english: str, chinese: str) -> bool:
    if compiled(english).search(part):
        return True
    return not part.isascii() and compiled(chinese).search(part) is not None
