"""Comparison of several answers to one request: a table of checks, and the source with the number of answers that
marked each segment. Shared by pilot and overlap."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from annotation.models import Sample
from annotation.services.core.word_patterns import join_names, keep_together
from annotation.services.overlap import checks as overlap_checks
from annotation.services.overlap.agreement import AgreementValue
from annotation.services.overlap.checks import Answer
from annotation.views.core.measured_values import LENGTH
from epitome.figures.numbers import (
    add_percent_sign,
    format_decimal,
    format_difference,
    format_measure,
    format_percent,
    format_range,
    format_score,
)


@dataclass(frozen=True, slots=True)
class Cell:
    """apart: signed distance from the median of the others; css_class: "" | ok | warn; note: an explanation."""

    text: str
    apart: str = ""
    css_class: str = ""
    note: str = ""


def build_headings(sample: Sample) -> list[str]:
    measured = overlap_checks.measured_keys(sample)
    return [
        _("Words"),
        pgettext("from the source", "Copied"),
        *[_("Tokens") if key == LENGTH else _("f %(name)s") % {"name": label} for key, label in measured],
        *[_("%(name)s named") % {"name": attribute.label} for attribute in overlap_checks.chosen_attributes(sample)],
        _("Segments"),
        _("Spans"),
        _("Title"),
        _("Minutes"),
        _("Alike"),
    ]


def build_cells(answer: Answer, sample: Sample) -> list[Cell]:
    """One row of the table, in the order of `build_headings`."""
    return [
        _words_cell(answer),
        Cell(format_percent(answer.copied), _format_difference(answer, "copied", 100, is_percent=True)),
        *[_score_cell(answer, key) for key, _label in overlap_checks.measured_keys(sample)],
        *[_named_cell(answer, attribute.key) for attribute in overlap_checks.chosen_attributes(sample)],
        Cell(str(answer.segments), _format_difference(answer, "segments"), "" if answer.segments else "warn"),
        Cell(str(answer.spans)),
        Cell(_("yes") if answer.title.strip() else _("none"), css_class="" if answer.title.strip() else "warn"),
        _minutes_cell(answer),
        _similarity_cell(answer),
    ]


def _words_cell(answer: Answer) -> Cell:
    apart = _format_difference(answer, "words")
    if answer.band is None:
        return Cell(str(answer.words), apart)
    low, high = answer.band.low, answer.band.high
    band_text = keep_together(f"≥ {low}" if high is None else format_range(low or 0, high))
    if answer.in_band == "inside":
        return Cell(str(answer.words), apart, "ok", _("inside %(band)s") % {"band": band_text})
    message = _("below %(band)s") if answer.in_band == "below" else _("above %(band)s")
    return Cell(str(answer.words), apart, "warn", message % {"band": band_text})


def _score_cell(answer: Answer, key: str) -> Cell:
    score = answer.scores.get(key)
    if score is None:
        return Cell("…")  # explained in the legend
    if score.value is None:
        return Cell("–", note=score.undefined)
    return Cell(format_measure(score.value), _format_difference(answer, key))


def _named_cell(answer: Answer, key: str) -> Cell:
    present, requested = answer.mentions.get(key, ([], []))
    missing = [text for text in requested if text not in present]
    text = _("%(n)d of %(all)d") % {"n": len(present), "all": len(requested)}
    return Cell(
        text,
        "",
        "warn" if missing else "ok",
        _("not named: %(texts)s") % {"texts": join_names(missing)} if missing else "",
    )


def _minutes_cell(answer: Answer) -> Cell:
    if answer.minutes is None:
        return Cell("–", note=_("no time recorded"))
    note = _("wall time") if answer.wall else ""
    return Cell(format_decimal(answer.minutes, 1), _format_difference(answer, "minutes", 1, digits=1), note=note)


def _similarity_cell(answer: Answer) -> Cell:
    if answer.alike is None:
        return Cell("–", note=_("no other answers"))
    note = _("segments marked: %(n)s") % {"n": format_score(answer.marked_alike or 0)}
    return Cell(format_score(answer.alike), note=note)


def describe_agreement(value: AgreementValue) -> dict[str, str]:
    """A number of the agreement as text, or the reason why there is none."""
    text = "" if value.value is None else format_score(value.value)
    return {"label": value.label, "text": text, "undefined": value.undefined}


def _format_difference(
    answer: Answer, key: str, times: int = 1, *, is_percent: bool = False, digits: int | None = None
) -> str:
    apart = answer.apart.get(key)
    if apart is None:
        return ""
    difference = format_difference(apart * times, digits)
    return add_percent_sign(difference) if is_percent else difference


def count_segment_marks(sample: Sample, answers: Sequence[Answer]) -> list[dict[str, Any]]:
    """The source's segments, numbered from 1, each with the number of answers that marked it."""
    n = len(answers)
    rows = []
    for index, segment in enumerate(sample.group.document.source_text.segments):
        marked = sum(index in answer.marks for answer in answers)
        note = ngettext("marked by %(k)d of %(n)d", "marked by %(k)d of %(n)d", n) % {"k": marked, "n": n}
        rows.append(
            {
                "number": index + 1,
                "speaker": segment.get("speaker") or "",
                "text": segment["text"],
                "marked": marked,
                "note": note if marked else "",
                "level": min(6, round(6 * marked / n)) if n else 0,
            }
        )
    return rows
