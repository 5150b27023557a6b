"""Words by which an English instruction is told from a task, a habit or a kindness.

For `text.patterns_en_rules`; no rules here, but the cores of some (`claim_rules.Rule`).
"""

from __future__ import annotations

from mnemopi.text.words_en import unless_behind

ONCE = (
    r"(?i)\b(?:this|these|those|it|now|today|tonight|tomorrow|yet|for now|again|just yet|at the moment"
    r"|right away|until I|until we|until you|anything"
    r"|that(?=\s*(?:$|[.,!;]|(?:branch|file|one|function|line|test|button|much|again|pr|thing|part|code|word"
    r"|name|page|class|server|table|image|bug|change|commit|email|way|job)\b)))\b|#\d+"
    r"|^(?:\w+\s+){1,2}(?:the|my|our)\s+(?:new\s+|old\s+|last\s+|first\s+)?(?:pr|pull request|branch|ticket"
    r"|issue|bug|build|job|deploy|meeting|window|tab|attached|following|above|below|last|first|second|other"
    r"|whole"
    r"|error|output|list|table|story|email|function|file|script|test|code|server|database|text|paragraph"
    r"|image|link|button|page|report|essay)\b"
)
IDLE = (
    r"(?i)^(?:just\s|worry|waste|delay|lie|try|ask\s+(?:me\s+)?(?:more|again|any)|forget|bother|mind"
    r"|hesitate|panic|know|think|understand|see|care|have|need|want|get|believe|remember|be\s+(?:afraid|shy"
    r"|sorry|silly|late|mad|surprised|scared|upset)|feel|tell|look|laugh|judge|ask\s+(?:me\s+)?(?:why|how)"
    r"|blame|trust\s+me|you|we|i|they"
    r"|really|even|like|seem|work|quote|hate|love|say|sweat|stop|give\s+up|expect|take\s+my|move|go"
    r"|leave\s+me|wait|cry|leave\s+yet|start\s+(?:me|yet)|do\s*$|listen)\b"
)
NOT_VERB = (
    r"(?i)^(?:been|had|has|have|was|were|heard|seen|thought|mind|happy|good|great|nice|a|an|the|knew|got"
    r"|went|wanted|said|saw|took|made|did|is|are|am|be\s+afraid|again|ever|know|knows|so|more|less|the|too"
    r"|that|this|it|in|on|at|of|as|to|fun|open|there|here|right|wrong|better|worse|easy|hard|fast"
    r"|worked|works|came|felt|found|enough|happens|happened|gets|wrote|ran|told|met|liked|loved|hated|used"
    r"|forget|forgot|end|ends|enjoy|enjoyed|love|like|feel|lose|struggle|mess|wonder|dreamt|dreamed|need"
    r"|needed|focus(?:es)|say\s+never|look(?:ed|s)?\s+back|\w+ed|\w+ing|(?!pass|process|access|address"
    r"|discuss|express|press|focus|cross|dismiss|guess|miss|bless|compress|assess|stress|bypass)[a-z]+s)\b"
)
TO_ALL = (
    r"(?i)\b(?:every(?:where|\s+time)?|whenever|always|by\s+default|throughout|in\s+all|for\s+all|across\s+all"
    r"|in\s+any|for\s+any|in\s+general|instead\s+of|rather\s+than|from\s+now\s+on|going\s+forward"
    r"|at\s+all\s+times)\b|,\s*not\s|^(?:use|prefer|choose|favou?r)\s[^,]{1,40}\sover\s"
)
MANNER = (
    r"(?:use|answer|respond|reply|keep|prefix|suffix|name|format|indent|wrap|prefer|follow|stick|speak|address"
    r"|quote|end|start|begin|sort|capitali[sz]e|abbreviate|spell|put|lint|write|talk|cite|round|favou?r|log\s+in"
    r"|sign)"
)
ANY = (
    r"(?:use|answer|respond|reply|keep|prefix|suffix|name|format|indent|wrap|prefer|follow|stick|speak"
    r"|address|quote|end|start|begin|sort|capitali[sz]e|spell|put|lint|write|talk|cite|run|add|include|ask"
    r"|call|treat|store|document|limit|return|leave|test|commit"
    r"|squash|sign|tag|review|send|place|create|make|update|log|check|explain|give|show|set|note|mention"
    r"|link|open|push|merge|deploy|build|compile|verify|validate|mark|do|be|report|summari[sz]e|translate"
    r"|skip|remove|save|include|import|annotate|rebase|bump|tell|let|go|assume|round|avoid|wait|clean|pin"
    r"|backup|back|have|please)"
)
WORK = (
    r"(?i)(?:use|write|squash|run|deploy|merge|rebase|test|review|commit|push|tag|format|lint|name|prefix"
    r"|put|ask|create|add|document|pin|ship|release|check|store|log|delete|edit|mock|force|publish|sign"
    r"|version"
    r"|validate|back|build|branch|open|close|link|label|upgrade|skip|approve|deprecate|encrypt|hard-?code"
    r"|mention|require|return|share|touch|update|import|catch|round|sort|send|cc|copy)\b"
)
KINDS = (
    r"(?i)\b(?:names?|messages?|files?|functions?|methods?|class(?:es)?|tests?|variables?|commits?"
    r"|branch(?:es)?|imports?|comments?|docs?|docstrings?|migrations?|endpoints?|components?|responses?"
    r"|answers?|replies|reply|emails?|prs?|pull requests?|titles?"
    r"|reviews?|dates?|ids?|keys?|constants?|attributes?|arguments?|headings?|logs?|quer(?:y|ies)|tables?"
    r"|columns?|reports?|types?|parameters?|modules?|packages?|services?|images?|releases?|scripts?|strings?"
    r"|routes?|hooks?|errors|exceptions?|timestamps?|amounts|prices|labels?|diagrams?|charts?"
    r"|summaries|notes|deployments?|deploys?|secrets|credentials|configs?|dependencies|features?|changes"
    r"|merges|links|interfaces?|props|selectors|stylesheets?|schemas?|meetings|invoices|code)$"
)
_STAYS = (
    r"from\s+(?:now|here|today|this)\b|going\s+forward|moving\s+forward|henceforth|in\s+(?:the\s+)?future|by\s+default"
    r"|as\s+a\s+(?:general\s+)?rule|new\s+(?:rule|convention|polic)|general\s+(?:rule|convention|polic)"
    r"|house\s+(?:rule|convention|polic)|team\s+(?:rule|convention|polic)|project\s+(?:rule|convention|polic)"
    r"|when\s+(?:it\s+comes|writing|editing|working)\s|以|今|往|从|接|日|默"
)
"""Ways to say that something stays. A core is found fast where each of its alternatives begins with a letter."""
FOR_ALL = (
    rf"{_STAYS}|every(?:where)?\b|whenever|always\b|throughout|in\s+(?:all|any|general)\b|for\s+(?:all|any)\b"
    r"|across\s+all\b|instead\s+of|rather\s+than|over\s|at\s+all\s+times|,\s*not\s"
)
"""The core of an imperative: a sign that something is for all, or is to stay."""
_ALL_WORDS = (
    "every everywhere whenever always throughout all any general instead rather over forward henceforth future default"
    " rule rules convention conventions policy policies times not from when"
)
ALL_WORDS = frozenset(_ALL_WORDS.split())
"""The words of which each way to say `FOR_ALL` has one."""
FROM_THEN = r"(?:from\s|since\s|as\s+of\s|starting|beginning|effective|until|till|up\s+to|by\s|自|起|开|截|直|为|到|从)"
"""The same where a date is: since when, or until when."""
NONE_OF = rf"{_STAYS}|no\s+(?:[\w'-]+\s){{1,9}}?(?:in|before|after|without|on)\s|no\s+[\w'\s-]+[\s,]*please\b"
"""The core of "no X": where or when there is to be none, or a please."""
_MODAL = r"(?:must|should|shall|needs?|ha(?:ve|s)\s+to|(?:is|are)\s+to)"
_EACH = rf"\s+[\w'-]+(?:\s[\w'-]+){{0,3}}?\s+{_MODAL}\s"
ASKED_OF = (
    rf"s(?<!\bthis)\s+{_MODAL}\s|all{_EACH}|any{_EACH}|every{_EACH}|each{_EACH}|must\s+(?:never|always)\s"
    r"|should\s+(?:never|always)\s|shall\s+(?:never|always)\s|needs?\s+(?:never|always)\s|to\s+(?:never|always)\s"
)
"""The core of what things, or each of them, must be."""
_SUBJECTS = [rf"\b{word}" for word in ("i", "you", "we", "they", "he", "she", "it", "that", "this", "who", "there")]
_TOLD = [r"\bi", "'s", "'m", "'re", "'ve", "'ll", "'d", r"\bis", r"\bwas", r"\bare", r"\bwere", r"\bha[sd]", r"\bhave"]
"""Words behind which "always" tells what is wont to be, and asks for nothing."""
_HELD = [r"\bi'm", "'s", r"\bis", r"\bwas", r"\bare", r"\bwere", r"\bha[sd]", r"\bhave", r"\bwith", r"\bin", r"\bof"]
"""Words behind which "no" tells what there is not."""
DONT = unless_behind(_SUBJECTS, "d", r"o(?:n't|\s+not|nt)\s")
ALWAYS = unless_behind(_TOLD, "a", r"lways\s")
NEVER = unless_behind(_TOLD, "n", r"ever\s")
NO = unless_behind(_HELD, "n", r"o\s")
