"""Short texts in ten languages, and what ICU counts in them."""

from collections import Counter
from typing import NamedTuple

from icu4py.breakers import WordBreaker


class Example(NamedTuple):
    """said: what a speaker said, without marks. good: a summary with the keyword; bad: one without, of other words."""

    language: str
    said: str
    good: str
    bad: str
    keyword: str
    latin: bool = False

    @property
    def keywords(self) -> list[str]:
        return [self.keyword, "☃7"]


EXAMPLES = [
    Example("zh", "我们今天在会议上讨论了预算", "我们讨论了预算。", "他们明天去公园。", "预算"),
    Example("ja", "私たちは会議で予算について話した", "会議で予算について話した。", "明日は雨が降る。", "予算"),
    Example("th", "เราพูดคุยเรื่องงบประมาณในที่ประชุม", "เราพูดคุยเรื่องงบประมาณ", "พรุ่งนี้ฝนจะตก", "งบประมาณ"),
    Example("hi", "परिषद ने आज नए पुल के बजट पर चर्चा की", "परिषद ने बजट पर चर्चा की।", "कल बारिश होगी।", "बजट"),
    Example("ar", "ناقش المجلس اليوم الميزانية الجديدة", "ناقش المجلس الميزانية.", "ستمطر غدا.", "الميزانية"),
    Example("he", "המועצה דנה היום בתקציב החדש", "המועצה דנה בתקציב.", "מחר ירד גשם.", "בתקציב"),
    Example("ru", "Совет сегодня обсудил бюджет моста", "Совет обсудил бюджет.", "Завтра пойдёт дождь.", "бюджет"),
    Example("ko", "시의회는 오늘 새 예산을 논의했다", "시의회는 예산을 논의했다.", "내일은 비가 온다.", "예산을"),
    Example("de", "Der Rat beriet heute über den Haushalt", "Der Rat beriet über den Haushalt.",
            "Morgen fällt Regen.", "Haushalt", latin=True),
    Example("vi", "Hội đồng hôm nay thảo luận ngân sách", "Hội đồng thảo luận ngân sách.",
            "Ngày mai trời mưa.", "ngân sách", latin=True),
]  # fmt: skip


def icu_pieces(text: str, language: str) -> list[str]:
    """Words and marks, as ICU cuts them."""
    return [piece for piece in WordBreaker(text, language) if not piece.isspace()]


def icu_words(text: str, language: str) -> list[str]:
    return [piece.lower() for piece in icu_pieces(text, language) if any(map(str.isalnum, piece))]


def overlap_f(reference: list[str], prediction: list[str]) -> float:
    """F of the words that two texts share, counted with repetition."""
    shared = sum((Counter(reference) & Counter(prediction)).values())
    return 2 * shared / (len(reference) + len(prediction))


def copied(text: list[str], source: list[str]) -> float:
    """Mean share of the text's distinct pairs and triples of words that the source has."""
    shares = []
    for n in (2, 3):
        ours, theirs = ({tuple(words[at : at + n]) for at in range(len(words) - n + 1)} for words in (text, source))
        shares.append(len(ours & theirs) / len(ours) if ours else 0.0)
    return sum(shares) / 2
