"""English forms of nouns and verbs: the number or the form that a place asks for.

Regular forms by rule, irregular ones from a table. Where a base form has to be guessed, or a form can be spelled in two
ways, only a known word is used (one that the parser's training texts have); else there is none.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from epitome.contrastives.irregular_forms import PLURALS, VERBS
from epitome.contrastives.words import Word

VOWELS: Final = frozenset("aeiou")
_SINGULARS: Final = {plural: singular for singular, plural in PLURALS.items()}
_PAST: Final = {base: past for base, past, _participle in VERBS}
_PARTICIPLE: Final = {base: participle for base, _past, participle in VERBS}
_BASE_OF_PAST: Final = {past: base for base, past in _PAST.items()}
_BASE_OF_PARTICIPLE: Final = {participle: base for base, participle in _PARTICIPLE.items()}
_AUXILIARY: Final = frozenset({"be", "am", "is", "are", "was", "were", "been", "being", "'s", "'re", "'m"})
_THIRD: Final = {"have": "has", "do": "does", "go": "goes"}
_BASE_FORMS: Final = ("VB", "VBP")


class Inflector:
    """The text of a word in the form of another word's place. is_known: whether a lower-case word exists."""

    def __init__(self, is_known: Callable[[str], bool]) -> None:
        self._is_known = is_known

    def __call__(self, word: Word, place: Word) -> str | None:
        """None where there is no such form, or none that is known."""
        if word.tag == place.tag or not (word.is_noun or word.is_verb):
            return word.text
        if word.is_noun:
            is_plural = place.tag == "NNS"
            form = next(list_plurals(word.core)) if is_plural else self._first_known(list_singulars(word.core))
        else:
            form = self._inflect_verb(word.core, word.tag, place.tag)
        if form is None:
            return None
        return form[:1].upper() + form[1:] if word.text[:1].isupper() else form

    def _first_known(self, forms: Iterable[str]) -> str | None:
        return next((form for form in forms if self._is_known(form)), None)

    def _inflect_verb(self, verb: str, tag: str, wanted: str) -> str | None:
        if verb in _AUXILIARY:
            return None
        for base in list_bases(verb, tag):
            if self._is_known(base) and (tag in _BASE_FORMS or verb in list_verb_forms(base, tag)):
                forms = list(list_verb_forms(base, wanted))
                return forms[0] if len(forms) == 1 else self._first_known(forms)
        return None


def list_plurals(noun: str) -> Iterator[str]:
    if noun in PLURALS:
        yield PLURALS[noun]
    elif noun.endswith("y") and noun[-2:-1] not in VOWELS:
        yield noun[:-1] + "ies"
    else:
        yield noun + ("es" if noun.endswith(("s", "x", "z", "ch", "sh")) else "s")


def list_singulars(noun: str) -> Iterator[str]:
    """Those whose plural it is, the likeliest first."""
    bases = [_SINGULARS[noun]] if noun in _SINGULARS else []
    if noun.endswith("s"):
        bases += [noun[:-3] + "y"] if noun.endswith("ies") else []
        bases += [noun[:-1], noun[:-2]] if noun.endswith("es") else [noun[:-1]]
    return (base for base in bases if len(base) > 1 and noun in list_plurals(base))


def list_bases(verb: str, tag: str) -> Iterator[str]:
    """Base forms that a form may belong to, the likeliest first."""
    if tag in _BASE_FORMS:
        yield verb
        return
    irregular = {"VBD": _BASE_OF_PAST, "VBN": _BASE_OF_PARTICIPLE}.get(tag, {})
    if verb in irregular:
        yield irregular[verb]
    yield from (base for base, form in _THIRD.items() if tag == "VBZ" and form == verb)
    ending = {"VBD": "ed", "VBN": "ed", "VBG": "ing", "VBZ": "s"}[tag]
    if not verb.endswith(ending):
        return
    stem = verb[: -len(ending)]
    if tag == "VBZ":
        yield from ((stem[:-2] + "y",) if stem.endswith("ie") else ())
        yield from ((stem, stem[:-1]) if stem.endswith("e") else (stem,))
        return
    yield from ((stem[:-1] + "y",) if stem.endswith("i") else ())
    yield from ((stem[:-1] + "ie",) if tag == "VBG" and stem.endswith("y") else ())
    yield from ((stem[:-1],) if _ends_in_double(stem) and not stem.endswith(("ll", "ss", "ff", "zz")) else ())
    yield from (stem, stem + "e")
    yield from ((stem[:-1],) if _ends_in_double(stem) else ())


def list_verb_forms(base: str, tag: str) -> Iterator[str]:
    """The forms of a verb for a tag, the likeliest first; more than one where the spelling is open (stopped)."""
    if tag in _BASE_FORMS:
        yield base
    elif tag == "VBZ":
        yield _THIRD.get(base) or _add_s(base)
    elif tag == "VBG":
        yield from _add_ending(base, "ing")
    elif base in _PAST:
        yield _PAST[base] if tag == "VBD" else _PARTICIPLE[base]
    else:
        yield from _add_ending(base, "ed")


def _add_s(base: str) -> str:
    if base.endswith("y") and base[-2:-1] not in VOWELS:
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def _add_ending(base: str, ending: str) -> Iterator[str]:
    if base.endswith("ie") and ending == "ing":
        yield base[:-2] + "ying"
    elif base.endswith("e") and not base.endswith(("ee", "oe", "ye")):
        yield base[:-1] + ending
    elif base.endswith("e"):
        yield base + ("ing" if ending == "ing" else "d")
    elif ending == "ed" and base.endswith("y") and base[-2:-1] not in VOWELS:
        yield base[:-1] + "ied"
    else:
        if _may_double(base):
            yield base + base[-1] + ending
        yield base + ending


def _may_double(base: str) -> bool:
    """Consonant, vowel, consonant at the end: stop, refer."""
    last = base[-3:]
    return (
        len(last) == 3
        and last[0] not in VOWELS
        and last[1] in VOWELS
        and last[2] not in VOWELS
        and last[2] not in "wxy"
    )


def _ends_in_double(stem: str) -> bool:
    return len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in VOWELS
