"""What counts as right in a practice item, and how an answer is marked by it. No database.

Right answers: {"chosen": {key: {"needed": [text], "also": [text]}}, "segments": {"needed": [n], "also": [n]},
"length": {"low": n, "high": n}}; only the parts that the item asks for. Of topics, speakers and segments an answer is
right if it has everything needed and nothing beside what is needed or also accepted; of the length, if the number of
words is in the band. Segments are numbered from 0.

Answers: {"chosen": {key: [text]}, "segments": [n], "text": text}. Faults: the parts of an answer that are not right,
{"chosen": {key: {"extra": [text], "missing": n}}, "segments": {"extra": [n], "missing": n}, "length": {"words": n}}.
"""

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from annotation.kinds import PayloadRefused, checks
from epitome.schema import InvalidValue, Schema
from epitome.text.words import n_words

MAX_ENTRIES = 100
MAX_WORDS = 10_000
MAX_TEXT = 20_000
SEGMENTS, LENGTH, CHOSEN = "segments", "length", "chosen"


def check_right(right: Any, *, schema: Schema, segments: list[dict[str, str]]) -> dict[str, Any]:
    """The right answers of an item, cleaned: nothing twice, nothing empty. Raises PayloadRefused naming the field."""
    data = checks.check_fields(right, frozenset({CHOSEN, SEGMENTS, LENGTH}), "right")
    cleaned: dict[str, Any] = {}
    if data.get(CHOSEN):
        cleaned[CHOSEN] = _check_choices(data[CHOSEN], schema, segments)
    if data.get(SEGMENTS):
        cleaned[SEGMENTS] = _check_sets(
            data[SEGMENTS], SEGMENTS, lambda value, place: checks.check_integer(value, place, 0, len(segments) - 1)
        )
    if data.get(LENGTH):
        cleaned[LENGTH] = _check_band(data[LENGTH])
    if not any(cleaned.values()):
        raise PayloadRefused("right", _("is empty: say what counts as right for at least one part"))
    return cleaned


def _check_choices(value: Any, schema: Schema, segments: list[dict[str, str]]) -> dict[str, Any]:
    attributes = {attribute.key: attribute for attribute in schema.chosen}
    choices = checks.check_fields(value, frozenset(attributes), CHOSEN)
    speakers = {segment.get("speaker") or "" for segment in segments}
    cleaned = {}
    for key, sets in choices.items():
        attribute, place = attributes[key], f"{CHOSEN}.{key}"
        names = speakers if attribute.traits.picks_speakers else None
        cleaned[key] = _check_sets(sets, place, partial(_check_text, names=names, longest=schema.limits.pick))
        if len(cleaned[key]["needed"]) > attribute.max_picks:
            raise PayloadRefused(place, _("needs more than can be chosen: %(n)d at most") % {"n": attribute.max_picks})
    return cleaned


def _check_text(entry: Any, place: str, *, names: Collection[str] | None, longest: int) -> str:
    """A topic, or with `names` one of the speakers."""
    text = checks.check_storable(entry, place, longest).strip()
    if checks.is_blank(text):
        raise PayloadRefused(place, _("is empty"))
    if names is not None and text not in names:
        raise PayloadRefused(place, _("is no speaker of this source"))
    return text


def _check_sets(value: Any, place: str, check_entry: Callable[[Any, str], Any]) -> dict[str, list[Any]]:
    """{"needed", "also"}, each once; what is needed is not also accepted a second time."""
    data = checks.check_fields(value, frozenset({"needed", "also"}), place)
    sets: dict[str, list[Any]] = {"needed": [], "also": []}
    known: set[Any] = set()
    for name, entries in sets.items():
        rows = checks.check_list(data.get(name, []), f"{place}.{name}", MAX_ENTRIES)
        for i, row in enumerate(rows):
            entry = check_entry(row, f"{place}.{name}[{i}]")
            if fold_entry(entry) not in known:
                entries.append(entry)
                known.add(fold_entry(entry))
    if not known:
        raise PayloadRefused(place, _("is empty: say what counts as right, or leave this part out"))
    return sets


def _check_band(value: Any) -> dict[str, int]:
    data = checks.check_fields(value, frozenset({"low", "high"}), LENGTH)
    low = checks.check_integer(data.get("low"), f"{LENGTH}.low", 1, MAX_WORDS)
    return {"low": low, "high": checks.check_integer(data.get("high"), f"{LENGTH}.high", low, MAX_WORDS)}


def check_values(values: Any, schema: Schema) -> dict[str, str]:
    """The requested values, complete and canonical. Raises PayloadRefused naming the attribute."""
    try:
        return schema.validate_values(checks.check_fields(values, frozenset(a.key for a in schema.sampled), "values"))
    except InvalidValue as error:
        message = str(error).removeprefix(f"{error.key}: ")
        raise PayloadRefused(f"values.{error.key}", message) from error


def check_answer(
    answer: Any, *, right: Mapping[str, Any], n_segments: int, choices: Mapping[str, list[str]]
) -> dict[str, Any]:
    """An annotator's answer, cleaned: every part that the item asks for, and no other. choices: attribute key ->
    what is offered. Raises PayloadRefused."""
    data = checks.check_fields(answer, frozenset({CHOSEN, SEGMENTS, "text"}), "answer")
    cleaned: dict[str, Any] = {}
    if CHOSEN in right:
        chosen = checks.check_fields(data.get(CHOSEN, {}), frozenset(right[CHOSEN]), CHOSEN)
        cleaned[CHOSEN] = {
            key: _check_picks(chosen.get(key, []), f"{CHOSEN}.{key}", choices.get(key, [])) for key in right[CHOSEN]
        }
    if SEGMENTS in right:
        rows = checks.check_list(data.get(SEGMENTS, []), SEGMENTS, n_segments)
        numbers = {checks.check_integer(row, f"{SEGMENTS}[{i}]", 0, n_segments - 1) for i, row in enumerate(rows)}
        if not numbers:
            raise PayloadRefused(SEGMENTS, _("is empty: mark at least one"))
        cleaned[SEGMENTS] = sorted(numbers)
    if LENGTH in right:
        text = checks.normalize_text(data.get("text", ""), "text", MAX_TEXT)
        if checks.is_blank(text):
            raise PayloadRefused("text", _("is empty: write the summary"))
        cleaned["text"] = text
    return cleaned


def _check_picks(value: Any, place: str, offered: list[str]) -> list[str]:
    texts = checks.check_list(value, place, MAX_ENTRIES)
    for i, text in enumerate(texts):
        if text not in offered:
            raise PayloadRefused(f"{place}[{i}]", _("is not among the choices"))
    if not texts:
        raise PayloadRefused(place, _("is empty: choose at least one"))
    return list(dict.fromkeys(texts))


def mark_answer(answer: Mapping[str, Any], right: Mapping[str, Any]) -> dict[str, Any]:
    """The faults of an answer that `check_answer` has cleaned; {} if all of it is right."""
    faults: dict[str, Any] = {}
    for key, sets in right.get(CHOSEN, {}).items():
        fault = _compare_entries(answer[CHOSEN][key], sets)
        if fault:
            faults.setdefault(CHOSEN, {})[key] = fault
    if SEGMENTS in right and (fault := _compare_entries(answer[SEGMENTS], right[SEGMENTS])):
        faults[SEGMENTS] = fault
    if LENGTH in right:
        words = n_words(answer["text"])
        if not right[LENGTH]["low"] <= words <= right[LENGTH]["high"]:
            faults[LENGTH] = {"words": words}
    return faults


def _compare_entries(entries: Collection[Any], sets: Mapping[str, list[Any]]) -> dict[str, Any]:
    """{"extra": entries that are not accepted, "missing": how many of those needed}; {} if nothing is off."""
    needed = {fold_entry(entry) for entry in sets["needed"]}
    accepted = needed | {fold_entry(entry) for entry in sets["also"]}
    answered = {fold_entry(entry) for entry in entries}
    extra = [entry for entry in entries if fold_entry(entry) not in accepted]
    missing = len(needed - answered)
    if not missing and not answered & accepted:
        missing = 1
    return {"extra": extra, "missing": missing} if extra or missing else {}


def fold_entry(entry: Any) -> Any:
    """A text without differences of case and blanks; a number as it is."""
    return " ".join(entry.split()).casefold() if isinstance(entry, str) else entry
