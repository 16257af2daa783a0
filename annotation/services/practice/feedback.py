"""What an annotator reads about a try: what was off in words, and the right answer when the tries are used up."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import PracticeItem
from annotation.services.core.word_patterns import join_names, quote_text
from annotation.services.practice.right_answers import CHOSEN, LENGTH, SEGMENTS
from epitome.figures.numbers import format_range
from epitome.schema import Schema


def describe_faults(item: PracticeItem, faults: Mapping[str, Any]) -> list[str]:
    """One sentence for each thing that is off. What is missing is counted, not named."""
    schema = item.project.schema_version.schema
    sentences = []
    for key, fault in faults.get(CHOSEN, {}).items():
        label = label_of(schema, key)
        if fault["extra"]:
            names = join_names(quote_text(text) for text in fault["extra"])
            sentences.append(_("%(label)s: not right here: %(names)s.") % {"label": label, "names": names})
        if fault["missing"]:
            missing = ngettext(
                "%(label)s: %(n)d more is needed.", "%(label)s: %(n)d more are needed.", fault["missing"]
            )
            sentences.append(missing % {"label": label, "n": fault["missing"]})
    if SEGMENTS in faults:
        sentences += _describe_segments(faults[SEGMENTS])
    if LENGTH in faults:
        words = faults[LENGTH]["words"]
        too_short = words < item.right.get(LENGTH, {}).get("low", 0)
        sentence = ngettext("Length: %(n)d word is too short.", "Length: %(n)d words are too short.", words)
        if not too_short:
            sentence = ngettext("Length: %(n)d word is too long.", "Length: %(n)d words are too long.", words)
        sentences.append(sentence % {"n": words})
    return sentences


def _describe_segments(fault: Mapping[str, Any]) -> list[str]:
    sentences = []
    if fault["extra"]:
        sentences.append(_("Segments not needed: %(numbers)s.") % {"numbers": write_numbers(fault["extra"])})
    if fault["missing"]:
        sentence = ngettext("%(n)d more segment is needed.", "%(n)d more segments are needed.", fault["missing"])
        sentences.append(sentence % {"n": fault["missing"]})
    return sentences


def describe_right(item: PracticeItem) -> list[tuple[str, str]]:
    """(label, right answer in words) of every part of an item."""
    schema, rows = item.project.schema_version.schema, []
    for key, sets in item.right.get(CHOSEN, {}).items():
        rows.append((label_of(schema, key), _join_sets(join_names(sets["needed"]), join_names(sets["also"]))))
    if SEGMENTS in item.right:
        sets = item.right[SEGMENTS]
        rows.append((_("Segments"), _join_sets(write_numbers(sets["needed"]), write_numbers(sets["also"]))))
    if LENGTH in item.right:
        band = item.right[LENGTH]
        words = ngettext("%(low)d to %(high)d word", "%(low)d to %(high)d words", band["high"])
        rows.append((_("Length"), words % band))
    return rows


def _join_sets(needed: str, also: str) -> str:
    if not needed:
        return _("any of %(names)s") % {"names": also}
    return _("%(needed)s; also accepted: %(also)s") % {"needed": needed, "also": also} if also else needed


def describe_values(item: PracticeItem) -> list[tuple[str, str]]:
    """(label, value as text) of every requested value, in the schema's order."""
    attributes = item.project.schema_version.schema.sampled
    return [
        (attribute.label, attribute.value_label(item.values[attribute.key]))
        for attribute in attributes
        if attribute.key in item.values
    ]


def label_of(schema: Schema, key: str) -> str:
    attribute = schema.find(key)
    return attribute.label if attribute is not None else key


def write_numbers(segments: Sequence[int]) -> str:
    """Numbers of segments from 0 as pages show them, from 1, with runs drawn together: "2, 4–6"."""
    numbers = sorted(number + 1 for number in segments)
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return join_names(str(first) if first == last else format_range(first, last) for first, last in runs)
