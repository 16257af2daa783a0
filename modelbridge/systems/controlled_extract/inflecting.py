"""English verb and noun forms by Penn tag, for words that take another word's place."""

from typing import Final

from modelbridge.systems.controlled_extract.reporting import past_of

_PARTICIPLE_PAIRS: Final = """
    be/been begin/begun take/taken see/seen come/come give/given know/known go/gone get/got become/become write/written
    run/run fall/fallen speak/spoken grow/grown draw/drawn choose/chosen rise/risen show/shown drive/driven eat/eaten
    beat/beaten bite/bitten blow/blown break/broken do/done fly/flown forget/forgotten freeze/frozen hide/hidden
    lie/lain ring/rung shake/shaken sing/sung sink/sunk steal/stolen swear/sworn swim/swum tear/torn throw/thrown
    wake/woken bear/borne arise/arisen undertake/undertaken wear/worn withdraw/withdrawn mistake/mistaken
    forbid/forbidden overcome/overcome flee/fled overtake/overtaken
"""
_PARTICIPLES: Final = dict(pair.split("/") for pair in _PARTICIPLE_PAIRS.split())
_MORE_PASTS: Final = {
    "flee": "fled", "withdraw": "withdrew", "forbid": "forbade", "overcome": "overcame", "sue": "sued", "ban": "banned",
    "compel": "compelled", "transfer": "transferred",
}  # fmt: skip
PASTS: Final = {base: _MORE_PASTS.get(base) or past_of(base, "VBP") for base in _PARTICIPLES}
"""Simple pasts of the verbs whose participle differs from it."""
PARTICIPLES: Final = {participle: base for base, participle in _PARTICIPLES.items()}
"""Base forms by participle, of the same verbs."""
_DOUBLED_BEFORE_ING_WORDS = """
    get begin cut put set run stop plan admit commit refer occur win sit hit let quit ban compel
"""
_DOUBLED_BEFORE_ING: Final = frozenset(_DOUBLED_BEFORE_ING_WORDS.split())
_PLURALS: Final = {
    "child": "children", "man": "men", "woman": "women", "person": "people", "wife": "wives", "life": "lives",
    "pay": "pay", "evidence": "evidence", "assistance": "assistance", "aid": "aid",
}  # fmt: skip


def inflect_verb(base: str, tag: str) -> str:
    """The form of a verb for a Penn tag: ("take", "VBD") -> "took". Raises KeyError for a tag of no verb."""
    if tag in ("VB", "VBP"):
        return base
    if tag == "VBZ":
        return _add_s(base)
    if tag == "VBG":
        return _with_ing(base)
    past = _MORE_PASTS.get(base) or past_of(base, "VBP")
    return {"VBD": past, "VBN": _PARTICIPLES.get(base, past)}[tag]


def inflect_noun(base: str, tag: str) -> str:
    """The form of a noun for NN or NNS; what is plural already stays."""
    if tag == "NN" or base in ("officials", "talks", "negotiations", "soldiers", "troops", "authorities"):
        return base
    head, _, last = base.rpartition(" ")
    plural = _PLURALS.get(last) or _add_s(last)
    return f"{head} {plural}" if head else plural


def _add_s(word: str) -> str:
    if word in ("have", "be", "do", "go"):
        return {"have": "has", "be": "is", "do": "does", "go": "goes"}[word]
    if word.endswith(("s", "sh", "ch", "x", "z")):
        return word + "es"
    return word[:-1] + "ies" if word.endswith("y") and word[-2:-1] not in "aeiou" else word + "s"


def _with_ing(base: str) -> str:
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")) and base != "be":
        return base[:-1] + "ing"
    return base + (base[-1] if base in _DOUBLED_BEFORE_ING else "") + "ing"
