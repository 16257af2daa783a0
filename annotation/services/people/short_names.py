"""Short names of projects, which are used in URLs, commands and file names: made from the name, and unique."""

import unicodedata
from collections.abc import Iterator

from annotation.models import Project

LONGEST = 60
FALLBACK = "project"
CYRILLIC = zip("абвгдезийклмнопрстуфэы", "abvgdeziyklmnoprstufey", strict=True)
GREEK = zip("αβγδεζηικλμνξοπρσςτυφω", "avgdeziiklmnxoprsstyfo", strict=True)
# Other letters are taken by the first letter of their name in Unicode.
LETTERS = {
    **dict(CYRILLIC),
    "ж": "zh",
    "х": "kh",
    "ц": "ts",
    "ч": "ch",
    "ш": "sh",
    "щ": "shch",
    "ю": "yu",
    "я": "ya",
    "ь": "",
    "ъ": "",
    "і": "i",
    "ї": "yi",
    "є": "ye",
    "ў": "u",
    "ё": "yo",
    **dict(GREEK),
    "θ": "th",
    "χ": "ch",
    "ψ": "ps",
    "ß": "ss",
    "æ": "ae",
    "œ": "oe",
    "ø": "o",
    "đ": "d",
    "ð": "d",
    "þ": "th",
    "ł": "l",
    "ı": "i",
    "ع": "a",
    "غ": "gh",
    "ش": "sh",
    "خ": "kh",
    "ث": "th",
    "ذ": "dh",
    "و": "w",
    "ي": "y",
    "ی": "y",
    "ک": "k",
    "ש": "sh",
    "צ": "ts",
    "ץ": "ts",
    "ח": "h",
    "ע": "a",
    "א": "a",
}
SYLLABLES = ("HANGUL SYLLABLE ", "HIRAGANA LETTER ", "KATAKANA LETTER ")


def transliterate(text: str) -> str:
    """The text in lower-case Latin letters, digits and hyphens; "" for characters without a reading (Chinese)."""
    latin = "".join(_transliterate_character(char) for char in unicodedata.normalize("NFKC", text).lower())
    words = "".join(char if char.isascii() and char.isalnum() else "-" for char in latin).split("-")
    return "-".join(word for word in words if word)


def _transliterate_character(char: str) -> str:
    if char in LETTERS:
        return LETTERS[char]
    base = unicodedata.normalize("NFKD", char)[0]
    if base.isascii():
        return base
    name = unicodedata.name(char, "")
    for prefix in SYLLABLES:
        if name.startswith(prefix):
            return name.removeprefix(prefix).split()[-1].lower()
    base_name = unicodedata.name(base, "")
    if not char.isalpha() or base_name.startswith("CJK "):
        return "" if unicodedata.combining(char) or char in "'’" else "-"
    return LETTERS.get(base) or _first_sound(base_name)


def _first_sound(name: str) -> str:
    """The beginning of a letter's name: "CYRILLIC SMALL LETTER DE" -> "d", "DEVANAGARI LETTER KA" -> "k"."""
    letter = name.partition("LETTER ")[2].split(" ")[0].lower()
    return letter[:1] if letter.isascii() else ""


def propose_short_names(name: str) -> Iterator[str]:
    """Free short names for a project of this name, the best first: night-news, night-news-2, night-news-3 ..."""
    base = (transliterate(name) or FALLBACK)[:LONGEST].strip("-")
    used = set(Project.objects.filter(slug__startswith=base[: LONGEST - 6]).values_list("slug", flat=True))
    number = 1
    while True:
        ending = "" if number == 1 else f"-{number}"
        candidate = f"{base[: LONGEST - len(ending)].rstrip('-')}{ending}"
        number += 1
        if candidate not in used:
            yield candidate
