"""Guesses the encoding of bytes that are not UTF-8 from the letters that they would be: a text in a wrong encoding has
letters that its language hardly uses, or letters of several scripts."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from typing import NamedTuple

LEAST_SHARE = 0.9
LEAST_LETTERS = 6
"""Letters without which no script is told from chance; a few accents suffice for Western languages."""
_MARKS = "“”‘’„‚«»‹›…–—·•°§©®™€£¥ \u00ad"
_WESTERN = "äöüÄÖÜßéèêëàâáãåæçíìîïñóòôõøœúùûþðýÉÈÊÀÂÁÃÅÆÇÍÎÑÓÔÕØŒÚÛÝÞÐ¡¿ºª²³½¼´±×µ¢"
_CENTRAL = "ąćęłńóśźżĄĆĘŁŃÓŚŹŻáčďéěíňřšťúůýžÁČĎÉĚÍŇŘŠŤÚŮÝŽäöüÄÖÜßőűŐŰăâîșțşţ"
_INSIDE_WORD = re.compile(r"[^\W\d_][¹²³¡¿½¼ªºµ±×¢°§©®™€£¥•][^\W\d_]")
_TWO_SCRIPTS = re.compile(r"[a-zA-Z][^\W\d_a-zA-Z]|[^\W\d_a-zA-Z][a-zA-Z]")
_ACCENTED_WORD = re.compile(r"[a-zA-Z]*[^\W\d_a-zA-Z](?:[^\W\d_])*")


class _Candidate(NamedTuple):
    """score: from a text to the share of its characters past ASCII that its languages use, 0 where something speaks
    against it."""

    encoding: str
    codec: str
    score: Callable[[str], float]


def guess_encoding(sample: bytes) -> str:
    """The name of the most likely encoding of a text's bytes, "" where none is. The sample may end amid a character."""
    best, best_share = "", 0.0
    for candidate in _CANDIDATES:
        try:
            text = codecs.getincrementaldecoder(candidate.codec)().decode(sample)
        except UnicodeDecodeError:
            continue
        share = candidate.score(text)
        if share >= LEAST_SHARE and share > best_share:
            best, best_share = candidate.encoding, share
    return best


def _share(text: str, usual: str) -> float:
    """The share of characters past ASCII that a pattern of single characters matches."""
    others = [char for char in text if not char.isascii()]
    return len(re.findall(usual, "".join(others))) / len(others) if others else 0.0


def _score_script(usual: str, frequent: str, least: float) -> Callable[[str], float]:
    """usual: pattern of the characters of a script and its marks; frequent: of letters that must be `least` of it."""

    def score(text: str) -> float:
        letters = [char for char in text if char.isalpha() and not char.isascii()]
        n_frequent = len(re.findall(frequent, "".join(letters)))
        is_mixed = 2 * len(_TWO_SCRIPTS.findall(text)) > len(letters)
        if len(letters) < LEAST_LETTERS or is_mixed or n_frequent < least * len(letters):
            return 0.0
        return _share(text, usual)

    return score


def _score_latin(usual: str, least_letters: int) -> Callable[[str], float]:
    """Letters with accents stand among plain ones, and signs are not inside words."""
    pattern = f"[{re.escape(usual + _MARKS)}]"

    def score(text: str) -> float:
        words = _ACCENTED_WORD.findall(text)
        letters = "".join(words)
        n_plain = sum(char.isascii() for char in letters)
        n_accented = len(letters) - n_plain
        n_signs = len(_INSIDE_WORD.findall(text))
        if n_accented < least_letters or n_accented > n_plain + 2 or 5 * n_signs > n_accented:
            return 0.0
        return _share(text, pattern)

    return score


def _score_ideographs(codec: str, first: int, last: int) -> Callable[[str], float]:
    """Most ideographs are of the common ones, whose first bytes in the older standard are between two numbers."""

    def is_common(char: str) -> bool:
        try:
            raw = char.encode(codec)
        except UnicodeEncodeError:
            return False
        return len(raw) == 2 and (first <= raw[0] <= last or not char.isalpha())

    def score(text: str) -> float:
        others = [char for char in text if not char.isascii()]
        common = sum(map(is_common, others))
        return common / len(others) if len(others) >= LEAST_LETTERS else 0.0

    return score


_HAN = r"\u3000-\u303f\u4e00-\u9fff\uff01-\uff5e"
_CANDIDATES = (
    _Candidate("shift-jis", "cp932", _score_script(rf"[{_HAN}\u3040-\u30ff]", r"[\u3041-\u309f\u30a0-\u30ff]", 0.2)),
    _Candidate("euc-kr", "cp949", _score_script(rf"[{_HAN}\uac00-\ud7a3{_MARKS}]", r"[\uac00-\ud7a3]", 0.9)),
    _Candidate("gb18030", "gb18030", _score_ideographs("gb2312", 0xB0, 0xD7)),
    _Candidate("big5", "cp950", _score_ideographs("big5", 0xA4, 0xC6)),
    _Candidate(
        "windows-1256", "cp1256", _score_script(rf"[\u0600-\u06ff\u200c-\u200f{_MARKS}]", "[اليمنوترهبدة]", 0.5)
    ),
    _Candidate("windows-1251", "cp1251", _score_script(rf"[\u0400-\u045f№{_MARKS}]", "[оеаинтсрвліу]", 0.5)),
    _Candidate("windows-1252", "cp1252", _score_latin(_WESTERN, 0)),
    _Candidate("windows-1250", "cp1250", _score_latin(_CENTRAL, LEAST_LETTERS)),
    _Candidate("mac-roman", "mac-roman", _score_latin(_WESTERN, LEAST_LETTERS)),
)
"""Of equal ones the first."""
