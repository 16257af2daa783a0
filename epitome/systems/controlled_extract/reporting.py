"""First person -> reported speech: "I think we need it" said by the Project Manager -> "they thought they needed it".

English only. Persons: I, me, my, we, us, our become they, them, their, which needs no new verb form but for "am".
Tenses: present becomes past where the verb's form is known to be the present by its tag; numbers and negations stay.
"""

import re
from typing import Final, Protocol

from epitome.systems.controlled_extract.tagging import TOKEN, Tagged, Token

_PERSONS: Final = {
    "i": "they", "me": "them", "my": "their", "mine": "theirs", "myself": "themselves", "we": "they", "us": "them",
    "our": "their", "ours": "theirs", "ourselves": "themselves",
}  # fmt: skip
_PAST: Final = {
    "am": "were", "is": "was", "are": "were", "'m": "were", "'re": "were", "have": "had", "has": "had", "'ve": "had",
    "do": "did", "does": "did", "will": "would", "'ll": "would", "can": "could", "ca": "could", "wo": "would",
    "may": "might", "shall": "should",
}  # fmt: skip
_IRREGULAR: Final = """
    think/thought go/went get/got make/made know/knew take/took see/saw come/came say/said give/gave find/found
    tell/told feel/felt become/became leave/left put/put mean/meant keep/kept let/let begin/began hold/held
    bring/brought write/wrote sit/sat stand/stood lose/lost pay/paid meet/met set/set run/ran spend/spent
    build/built send/sent fall/fell cut/cut lead/led speak/spoke read/read grow/grew buy/bought
    understand/understood draw/drew choose/chose sell/sold win/won rise/rose show/showed hear/heard teach/taught
    do/did have/had be/was cost/cost drive/drove eat/ate feed/fed seek/sought catch/caught beat/beat bet/bet
    bite/bit blow/blew burst/burst cast/cast dig/dug fly/flew freeze/froze hang/hung hide/hid lend/lent light/lit
    quit/quit ring/rang shake/shook shoot/shot shut/shut sing/sang sink/sank sleep/slept slide/slid spread/spread
    steal/stole stick/stuck strike/struck swear/swore swim/swam swing/swung tear/tore throw/threw wake/woke
    bear/bore split/split upset/upset arise/arose undertake/undertook lay/laid lie/lay hit/hit hurt/hurt
    forget/forgot fight/fought break/broke wear/wore deal/dealt
"""
_STRONG: Final = dict(pair.split("/") for pair in _IRREGULAR.split())
_DOUBLED: Final = frozenset(
    [
        "stop",
        "plan",
        "fit",
        "refer",
        "occur",
        "prefer",
        "commit",
        "admit",
        "permit",
        "drop",
        "ship",
        "step",
        "scrap",
        "cap",
    ]
)


def to_reported_speech(text: str, tokens: Tagged, reading: str, *, past: bool) -> str:
    """`reading` (of the sentence `text`) in reported speech, in the third person.

    tokens: of `text`; the words of `reading` occur in the same order and keep their tags.
    past: whether the tense changes too; otherwise only the pronouns.
    """
    chunks, end, index = [], 0, 0
    previous: Token | None = None
    for match in TOKEN.finditer(reading):
        index = next((at for at in range(index, len(tokens)) if tokens[at].low == match[0].lower()), -1)
        if index < 0:
            break
        chunks += [
            reading[end : match.start()],
            report_token(tokens[index], previous, _next_word(tokens, index), past),
        ]
        end, previous = match.end(), tokens[index]
        index += 1
    return _collapse_blanks("".join([*chunks, reading[end:]]))


def _next_word(tokens: Tagged, place: int) -> str:
    return tokens[place + 1].low if place + 1 < len(tokens) else ""


class _Word(Protocol):
    """A token with its Penn tag."""

    @property
    def text(self) -> str: ...
    @property
    def low(self) -> str: ...
    @property
    def tag(self) -> str: ...


def report_token(token: _Word, previous: _Word | None, following: str, past: bool) -> str:
    """One word in reported speech. following: the next word, lower case."""
    low = token.low
    if low in _PERSONS and token.text != "US":
        return _PERSONS[low]
    follows_pronoun = previous is not None and previous.low in ("i", "we", "you", "they")
    if low == "was" and previous is not None and previous.low == "i":
        return "were"
    if not past:
        return {"am": "are", "'m": "'re"}.get(low, token.text)
    if low == "n't":
        return "n't"
    if low in ("'s", "'d"):
        if low == "'d" or token.tag != "VBZ":
            return token.text
        return " had" if following in ("been", "got", "had", "become", "gone") else " was"
    if token.tag not in ("VBP", "VBZ", "MD"):
        return token.text
    if low in _PAST:
        return (" " if low.startswith("'") else "") + _PAST[low]
    if token.tag == "MD" or (token.tag == "VBP" and not (follows_pronoun or _follows_plural(previous))):
        return token.text
    return past_of(low, token.tag)


def _follows_plural(previous: _Word | None) -> bool:
    return previous is not None and previous.tag in ("NNS", "NNPS", "WDT", "RB", "PRP", "WP", "CC")


def past_of(verb: str, tag: str) -> str:
    """The simple past of a verb in the present: "thinks" -> "thought", "plans" -> "planned"."""
    base = _base_form(verb) if tag == "VBZ" else verb
    if base in _STRONG:
        return _STRONG[base]
    if base.endswith("e"):
        return base + "d"
    if re.search(r"[^aeiou]y$", base):
        return base[:-1] + "ied"
    return base + (base[-1] if base in _DOUBLED else "") + "ed"


def _base_form(verb: str) -> str:
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if re.search(r"(?:ss|sh|ch|x|zz|o)es$", verb):
        return verb[:-2]
    return verb.removesuffix("s")


def _collapse_blanks(text: str) -> str:
    """Collapse white space to single spaces."""
    return re.sub(r"\s+", " ", text).strip()


def opens_with_i_and_verb(tokens: Tagged) -> bool:
    """Whether a sentence begins with "I" and a verb in the present or past: its speaker can be the subject."""
    if len(tokens) < 3 or tokens[0].text != "I":
        return False
    second = tokens[1]
    return second.tag in ("VBP", "VBD", "MD") and second.low not in ("'d", "do", "did")
