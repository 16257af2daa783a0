"""Candidates that name no topic. They stay stored, for the extraction follows TopicRank; the lists leave them out."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

_ENGLISH = (
    "case cases cent cents day days fact facts hand hands hour hours kind kinds lot lots man men minute minutes",
    "month months number numbers one ones part parts people per percent person place places sort sorts",
    "thing things time times today tomorrow way ways week weeks woman women year years yesterday",
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays",
    "sundays weekend weekends january february march april may june july august september october november december",
    "morning mornings afternoon afternoons evening evenings night nights noon midnight moment moments period",
    "able available big certain clear common different early first full general good great high important large",
    "last late likely little local long low main many more most much necessary new next old other own possible",
    "previous ready real recent same second several short small special such sure third total true various whole",
    "amount amounts aspect aspects bit count counts end example examples half item items list matter matters",
    "point points question questions reason reasons rest result results side sides something step steps stuff",
    "everything anything nothing everybody everyone somebody someone nobody thank thanks",
    "begun broken brought built chosen come done found given gone held kept known left lost made paid put read said",
    "seen sent set shown sold spent spoken taken thought told won written",
)
_GERMAN = (
    "anfang anzahl art arten beispiel beispiele dank ding dinge ende fall fälle frage fragen frau frauen grund gründe",
    "hälfte jahr jahre jahren jahres leute leuten mal mann männer mensch menschen minute minuten moment monat monate",
    "monaten ort orte person personen prozent punkt punkte sache sachen seite seiten stelle stellen stunde stunden",
    "stück tag tage tagen teil teile weise woche wochen zahl zahlen zeit zeiten zeitpunkt zeitraum ziel",
    "montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag wochenende morgen vormittag mittag",
    "nachmittag abend nacht mitternacht gestern heute januar februar märz april mai juni juli august september",
    "oktober november dezember",
)
_CHINESE = (
    "人 人们 大家 事 事情 东西 时候 时间 日 天 今天 明天 昨天 周 星期 月 年 年份 今年 去年 明年",
    "小时 分钟 地方 方面 部分 问题 原因 结果 情况 例子 数 数量 数字 个 种 次 点 百分之 男人 女人",
    "上午 中午 下午 晚上 早上 夜里 周末",
    "周一 周二 周三 周四 周五 周六 周日 星期一 星期二 星期三 星期四 星期五 星期六 星期日 星期天",
    "一月 二月 三月 四月 五月 六月 七月 八月 九月 十月 十一月 十二月",
)
_ARABIC = (
    "شيء أشياء أمر أمور يوم أيام اليوم غدا أمس أسبوع أسابيع شهر أشهر سنة سنوات عام أعوام ساعة ساعات دقيقة دقائق وقت",
    "مرة مرات مكان جزء عدد رقم نوع طريقة سبب نتيجة حال حالة مثال شخص أشخاص ناس الناس رجل رجال امرأة نساء",
    "صباح مساء ليل ليلة ظهر الاثنين الإثنين الثلاثاء الأربعاء الخميس الجمعة السبت الأحد يناير فبراير مارس أبريل مايو",
    "يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
)


def _words(lines: Sequence[str]) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


WEAK: Mapping[str, frozenset[str]] = {
    "en": _words(_ENGLISH),
    "de": _words(_GERMAN),
    "zh": _words(_CHINESE),
    "ar": _words(_ARABIC),
}
"""By language: days, months and words that say nothing of a text as topics of their own; in a phrase they do."""
FEWEST = 3

# A lone word of this form is a participle ("closed"), but for these nouns.
_PARTICIPLE = re.compile(r"[a-z]{2,}[^e\W\d_]ed")
_NOUNS_IN_ED = _words(
    ("watershed bloodshed toolshed woodshed hundred moped biped infrared newlywed sacred kindred hatred",)
)


def leave_out_weak(candidates: Sequence[dict[str, Any]], language: str = "en") -> list[dict[str, Any]]:
    """Candidates (with `text`) in their order, without weak ones; all where fewer than `FEWEST` would be left.

    language: a tag such as en or pt-BR; languages without a list leave out nothing."""
    code = language.lower().partition("-")[0]
    strong = [candidate for candidate in candidates if not _is_weak(str(candidate["text"]).strip(), code)]
    return strong if len(strong) >= FEWEST else list(candidates)


def _is_weak(text: str, code: str) -> bool:
    """Whether every word of the text is weak, or its only word is a participle."""
    weak = WEAK.get(code, frozenset())
    words = text.lower().split()
    if words and all(word in weak for word in words):
        return True
    return code == "en" and len(words) == 1 and text not in _NOUNS_IN_ED and bool(_PARTICIPLE.fullmatch(text))
