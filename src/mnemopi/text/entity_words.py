"""Words that look like names and are none: for `text.entities`. Lower case; Chinese lists are members of patterns."""

from __future__ import annotations

from typing import Final

from mnemopi.text.language import ENGLISH_FUNCTION_WORDS

_TIMES = (
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun january "
    "february march april may june july august september october november december jan feb mar apr jun jul aug sep "
    "sept oct nov dec today tonight yesterday tomorrow morning afternoon evening night noon midnight week weekend "
    "weekday month quarter year spring summer autumn fall winter christmas easter halloween thanksgiving am pm utc gmt "
    "cet est pst dr mr mrs ms prof q1 q2 q3 q4 "
    "later earlier soon currently recently previously lately finally meanwhile originally "
)
_SPOKEN = (
    "hi hey hello bye goodbye thanks thank thx please sorry congrats congratulations welcome wow yay oh ah hmm ok "
    "okay yep yeah yup nope sure absolutely definitely totally exactly great good nice cool awesome amazing perfect "
    "wonderful lovely glad happy haha lol btw fyi imo asap eta eod tbd tldr todo fixme wip note warning error "
    "important reminder update question answer example summary yes dear mom mum dad well right true false null none "
    "maybe perhaps actually basically honestly unfortunately hopefully apparently interestingly anyway besides instead "
    "however therefore thus hence moreover furthermore additionally also although though despite unless whether "
)
_ORDERS = (
    "use run add fix remember note make let see try do does always never keep set get put check call ask tell say give "
    "take send write read open close start stop create delete remove update install build test deploy move change "
    "switch rename merge push pull commit release restart reload restore migrate upgrade downgrade rotate disable "
    "enable replace refactor review verify confirm ensure consider avoid prefer follow store save load import export "
    "schedule plan prepare book buy order pay meet join leave finish complete begin continue wait hold turn go come "
    "look find search show print log debug ship roll publish document describe explain implement configure define "
    "include exclude convert copy paste click type select choose pick cancel skip ignore allow block report handle "
    "need want think know believe guess hope wish seems sounds looks got met saw went had made did said told heard "
    "according based given assuming regarding concerning depending following including during since until because "
)
_PLAIN = (
    "new old first second third next last another many much several lots plenty everything something nothing anything "
    "everyone someone anyone nobody everybody people users user team client customer server service system project "
    "company internet web api url id ui ux pr ci cd db os pdf faq usa uk eu it ai ml ceo cto vp hr qa json xml html "
    "css http https part chapter section step version page figure table day time today here there two three four five "
    "six seven eight nine ten one once twice both each every some any all most none few less more only just even still "
    "i'm english chinese german french spanish japanese american british european russian italian god "
)
EMPTY: Final = frozenset(_TIMES.split()) | ENGLISH_FUNCTION_WORDS
"""Words that are no part of a name, at its beginning or its end: what dates things, and function words."""

OPENING: Final = EMPTY | frozenset((_SPOKEN + _ORDERS).split())
"""Words that begin a sentence, with a capital, and are no part of a name then."""

COMMON: Final = OPENING | frozenset(_PLAIN.split())
"""Words that name nothing by themselves, however they are written."""

SPEAKING: Final = (
    "said|says|asked|asks|told|tells|thinks|thought|wants|wanted|likes|loves|prefers|works|worked|joined|wrote|"
    "suggested|mentioned|decided|agreed|reviewed|owns|leads|maintains|approved|confirmed|reported|replied|called|"
    "sent|moved|lives|uses|runs|will|can|has|had|is|was|and [A-Z]"
)
"""What persons and products do: a word before it that begins a sentence is likely a name."""

SURNAMES: Final = (
    "王李张刘陈杨黄赵周吴徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭"
    "陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤温康施文牛樊葛邢安齐易乔伍"
    "庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁尚符舒阮柯纪梅童凌毕单季裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳欧管柴蒙鲍"
)
"""Family names of one character."""
COMPOUND_SURNAMES: Final = "欧阳|司马|诸葛|上官|司徒|东方|皇甫|尉迟|公孙|慕容|令狐|宇文|长孙|夏侯|轩辕|端木"
NOT_GIVEN: Final = (
    "的了是在和与或及而且也都就又还再把被让给从到对于以之其着过吗呢吧啊说问找要会能想去来开用做不"
    "没很这那您你我他她它们个月日年号天时分"
)
"""Characters that are no part of a given name where nothing else tells."""
