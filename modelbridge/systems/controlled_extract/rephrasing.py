"""Forms of a written sentence in other words: its readings with more and more edits, each traced to the source."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from modelbridge.systems.controlled_extract.attributions import find_attribution_edits
from modelbridge.systems.controlled_extract.clause_edits import find_clause_edits
from modelbridge.systems.controlled_extract.closed_class import find_closed_class_edits, list_quotes
from modelbridge.systems.controlled_extract.compressing import Reading
from modelbridge.systems.controlled_extract.cores import list_core_readings
from modelbridge.systems.controlled_extract.edits import Edit, Span, apply_edits
from modelbridge.systems.controlled_extract.fusing import Clause
from modelbridge.systems.controlled_extract.lexicon import find_word_edits
from modelbridge.systems.controlled_extract.modifiers import find_modifier_edits
from modelbridge.systems.controlled_extract.moved_phrases import find_moves
from modelbridge.systems.controlled_extract.noun_phrases import find_noun_phrase_edits
from modelbridge.systems.controlled_extract.parsing import Node, Parse
from modelbridge.systems.controlled_extract.passives import find_voice_edits
from modelbridge.systems.controlled_extract.reordered import find_reordering_edits
from modelbridge.systems.controlled_extract.small_words import find_small_word_edits
from modelbridge.systems.controlled_extract.traced import Traced
from modelbridge.systems.controlled_extract.verb_phrases import find_verb_phrase_edits

LEVELS: Final = ((0.04, 3), (0.06, 1), (0.2, 1))
"""(highest cost of an edit, tokens between two edits) of the forms with few, some and all edits."""
CUT_COST: Final = 0.3
EDIT_COST: Final = 0.25
_VOWEL_SOUND: Final = re.compile(
    r"(?!uni|use|usu|euro|one\b|once\b|ut[ei])[aeiou]|hour|honest|heir|honou?r", re.IGNORECASE
)
_ARTICLE: Final = re.compile(r"\b(an?) (?=[\"“]?(\w+))", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Form:
    """traced: the text without its final mark. root: the span of the word that should govern it, None where any may.
    removed: what a reading leaves out. edits: what was done. clause: what its own parse tells for fusion."""

    traced: Traced
    cost: float
    root: Span | None
    removed: tuple[Span, ...]
    edits: tuple[Edit, ...]
    clause: Clause | None = None


def list_forms(parse: Parse, readings: Sequence[Reading], surnames: Collection[str] = ()) -> list[Form]:
    """Every form that differs from the sentence, without duplicates; the gate has not seen them yet. surnames: see
    `find_surnames`."""
    wide = find_wide_edits(parse)
    local = find_local_edits(parse, surnames)
    forms: dict[str, Form] = {}
    everything = [*readings, *list_core_readings(parse)]
    for recast in (None, *wide):
        for reading in everything:
            for form in _forms_of(parse, recast, reading, local):
                forms.setdefault(form.traced.text, form)
    return list(forms.values())


def find_wide_edits(parse: Parse) -> list[Edit]:
    """Edits that rebuild the sentence; a form has at most one of them."""
    return [*find_attribution_edits(parse), *find_moves(parse), *find_voice_edits(parse)]


def find_local_edits(parse: Parse, surnames: Collection[str]) -> list[Edit]:
    """Edits of words and phrases outside quotes."""
    quotes = list_quotes(parse.text)
    edits = [
        *find_closed_class_edits(parse),
        *find_clause_edits(parse),
        *find_small_word_edits(parse),
        *find_noun_phrase_edits(parse, surnames),
        *find_modifier_edits(parse),
        *find_reordering_edits(parse),
        *find_verb_phrase_edits(parse),
        *find_word_edits(parse, tuple(quotes)),
    ]
    return [edit for edit in edits if not any(start < edit.end and edit.start < end for start, end in quotes)]


def _forms_of(parse: Parse, recast: Edit | None, reading: Reading, local: Sequence[Edit]) -> Iterator[Form]:
    cuts = [Edit("cut", start, end, (), 0.0) for start, end in reading.spans if start < end]
    traced, applied = apply_edits(Traced.of(parse.text), [*([recast] if recast else []), *cuts])
    if len(applied) != len(cuts) + (recast is not None):
        return
    root = recast.root if recast is not None else _root_span(parse)
    cost = CUT_COST * (1 - reading.share)
    n_before = -1
    for most, gap in ((-1.0, 0), *LEVELS):
        chosen = _choose_spaced(parse, [edit for edit in local if edit.cost <= most], gap)
        text, done_edits = apply_edits(traced, chosen)
        if len(done_edits) == n_before:
            continue
        n_before = len(done_edits)
        edits = (*applied, *done_edits)
        spent = EDIT_COST * sum(edit.cost for edit in edits)
        yield Form(tidy_form(parse, text), cost + spent, root, reading.spans, edits)


def _root_span(parse: Parse) -> Span | None:
    return (parse.root.start, parse.root.end) if parse.root is not None else None


def _choose_spaced(parse: Parse, edits: Sequence[Edit], gap: int) -> list[Edit]:
    """As many edits as fit with `gap` tokens between them, cheap ones first; in text order, wider ones first."""
    starts = [node.start for node in parse.nodes]
    taken_places: list[tuple[int, int]] = []
    chosen: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.cost, edit.end - edit.start, edit.start)):
        first = sum(start < edit.start for start in starts)
        last = sum(start < max(edit.end, edit.start + 1) for start in starts)
        if all(last + gap <= start or end + gap <= first for start, end in taken_places):
            taken_places.append((first, last))
            chosen.append(edit)
    return sorted(chosen, key=lambda edit: (edit.start - edit.end, edit.start))


_INNER_ARTICLE: Final = re.compile(r"(?<=[a-z,;] )(?:The|An?)(?= [a-z])")
_SPACES: Final = re.compile(r"\s+")
_BEFORE_MARK: Final = re.compile(r"\s+(?=[,.;:!?])")
_DOUBLED: Final = re.compile(r",(?=\s*[,.;:])|(?<=[;:])\s*,")
_AFTER_QUOTE: Final = re.compile(r"(?<=[,.][\"”]),")


def tidy_form(parse: Parse, traced: Traced) -> Traced:
    """Single spaces, no doubled marks, "an" before a vowel, no final mark, a capital."""
    traced = traced.sub(_INNER_ARTICLE, lambda match: match[0].lower())
    for pattern, replacement in ((_SPACES, " "), (_BEFORE_MARK, ""), (_DOUBLED, ""), (_AFTER_QUOTE, "")):
        traced = traced.sub(pattern, replacement)
    traced = traced.strip(" ,;:-–—")
    if not traced.text.endswith(('."', ".”", '?"', "?”", '!"', "!”", "U.S.", "U.N.")):
        traced = traced.strip(" .,;:-–—?!") if not traced.text.startswith(".") else traced
    return _fix_articles(parse, traced).capitalized()


def _fix_articles(parse: Parse, traced: Traced) -> Traced:
    """ "a" or "an" as the next word needs it, where an edit has changed the next word."""

    def fixed(match: re.Match[str]) -> str:
        at = traced.source_span(match.start(2), match.end(2))
        same = (
            at is not None
            and parse.text[slice(*at)] == match[2]
            and parse.text[: at[0]].lower().endswith(f"{match[1].lower()} ")
        )
        if same or (match[2].isupper() and len(match[2]) > 1) or match[2][0].isdigit():
            return match[0]
        article = "an" if _VOWEL_SOUND.match(match[2]) else "a"
        return (article.capitalize() if match[1][0].isupper() else article) + " "

    return traced.sub(_ARTICLE, fixed)


def find_node(parse: Parse, start: int) -> Node | None:
    return next((node for node in parse.nodes if node.start <= start < node.end), None)
