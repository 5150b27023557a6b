"""What a question wants of time: the present state, or the newest. English and Chinese."""

from __future__ import annotations

from mnemopi.text.regex import compiled

_CURRENT = (
    r"(?i)(?<![a-z0-9_])(?:now|current(?:ly)?|latest|recent(?:ly)?|newest|today|nowadays|at present|these days|still"
    r"|so far|most recent|at the moment|up[- ]to[- ]date)(?![a-z0-9_])"
    r"|(?<![出发發实實体體表呈浮重])(?:现在|現在)|目前|当前|當前|最新|最近|如今|今天|今日|眼下|仍然|还是不是"
)

_STATE = (
    r"(?i)(?<![a-z0-9_])(?:now|current(?:ly)?|today|nowadays|at present|these days|still|at the moment"
    r"|up[- ]to[- ]date)(?![a-z0-9_])"
    r"|(?<![出发發实實体體表呈浮重])(?:现在|現在)|目前|当前|當前|如今|今天|今日|眼下|仍然|还是不是"
)


def wants_current(question: str) -> bool:
    """Whether a question asks for what holds now, or for the newest: then a younger memory is likelier."""
    return compiled(_CURRENT).search(question) is not None


def asks_state(question: str) -> bool:
    """Whether a question asks for what holds now, which the latest word on it tells, not for something recent."""
    return compiled(_STATE).search(question) is not None


_PAST = (
    r"(?i)(?<![a-z0-9_])(?:used to|previous(?:ly)?|former(?:ly)?|originally|at first|initially|earlier|back then"
    r"|(?:was|were|did|had)(?!n['’]?t)|before|old|history|first)(?![a-z0-9_])"
    r"|以前|之前|原来|原來|原先|曾经|曾經|当时|當時|最初|起初|旧的|历史"
)


def asks_past(question: str) -> bool:
    """Whether a question asks for what was: then what was superseded may well be the answer."""
    return compiled(_PAST).search(question) is not None


_OPEN = (
    r"(?i)(?<![a-z0-9_])(?:what|which|who|whom|whose|when|where|why|how)(?![a-z0-9_])"
    r"|什么|什麼|谁|誰|哪|几|幾|多少|怎|为何|為何|何时|何時"
)


def is_open(question: str) -> bool:
    """Whether a question has a word that stands for the answer, such as `which`: yes or no does not answer it."""
    return compiled(_OPEN).search(question) is not None


_WHEN = (
    r"(?i)(?<![a-z0-9_])(?:when(?:['’]?s|(?: exactly)? (?:do|does|did|is|are|was|were|will|would|has|have|had|can|could"
    r"|should|shall))|(?:since|until|till|from|by|tell me|remind me|remember|recall|know|forgot|find out|check) when"
    r"|(?:what|which) (?:date|day|weekday|week|month|year|time)|how (?:long ago|soon|recently))(?![a-z0-9_])"
    r"|^\s*when\b[^,;]*$"
    r"|(?:什么|什麼|啥)(?:时候|時候|时间|時間)|(?<!任)何(?:时|時|日)|哪(?:一?[天年日]|[个個]月)|[几幾](?:月|号|號|点|點|时|時)"
    r"|(?:周|星期|礼拜|禮拜)[几幾]|多久(?:之?前|以前)"
)


def asks_when(question: str) -> bool:
    """Whether a question asks when something was or will be: then what says a time is likelier to answer."""
    return compiled(_WHEN).search(question) is not None


_MYSELF = r"(?i)(?<![a-z0-9_'’])(?:i|my|me|mine|myself)(?![a-z0-9_/])|我(?![们們])"
_NOT_MYSELF = r"(?i)(?<![a-z0-9_])(?:you|your|yours|our|ours|we|us|(?:remind|tell) me)(?![a-z0-9_])|[你您]|[我咱][们們]"


def asks_of_oneself(question: str) -> bool:
    """Whether somebody asks for something of their own life, and nobody else's: then it is they who told of it."""
    if compiled(_MYSELF).search(question) is None or compiled(_NOT_MYSELF).search(question) is not None:
        return False
    return is_open(question)


_LANDMARK = (
    r"(?i)(?<![a-z])(?P<when>before|after|since|until|during) (?:the|our|my|his|her|their|that|this) "
    r"(?P<what>[\w' -]{3,60}?)(?=[?.,;!]|$)"
    r"|(?P<zh>[\u4e00-\u9fffA-Za-z0-9]{2,12}?)(?P<zh_when>之前|以前|之后|以后|期间)"
)
_RELATIONS = {"之前": "before", "以前": "before", "之后": "after", "以后": "after", "期间": "during"}


def landmark(question: str) -> tuple[str, str] | None:
    """Return (relation, name) where a question names its time by an event, as in `before the launch`, else None."""
    found = compiled(_LANDMARK).search(question)
    if found is None:
        return None
    if found["zh"]:
        return _RELATIONS[found["zh_when"]], found["zh"]
    return found["when"].lower(), found["what"]


def words(question: str) -> str:
    """Return the words by which a question says that it asks for the present; they are no words to search for."""
    return " ".join(compiled(_CURRENT).findall(question))
