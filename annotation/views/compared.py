"""How answers to one request stand side by side on a page: a table of checks, cards with the texts, the source with
how many marked each segment. The pilot and overlap share it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Sample
from annotation.services import comparing
from annotation.services.comparing import Answer


@dataclass(frozen=True, slots=True)
class Cell:
    """apart: signed distance from the median of the others; look: "" | ok | warn; said: more, in words."""

    text: str
    apart: str = ""
    look: str = ""
    said: str = ""


def headings(sample: Sample) -> list[str]:
    measured = [label for _key, label in comparing.measured_keys(sample)]
    return [
        _("Words"),
        _("Copied"),
        *[_("f %(name)s") % {"name": label} for label in measured],
        *[_("%(name)s named") % {"name": one.label} for one in comparing.chosen_attributes(sample)],
        _("Segments"),
        _("Spans"),
        _("Title"),
        _("Minutes"),
        _("Alike"),
    ]


def cells(answer: Answer, sample: Sample) -> list[Cell]:
    """One row of the table, under `headings`."""
    return [
        _words(answer),
        Cell(f"{100 * answer.copied:.0f} %", _signed(answer, "copied", 100, " %")),
        *[_score(answer, key) for key, _label in comparing.measured_keys(sample)],
        *[_named(answer, one.key) for one in comparing.chosen_attributes(sample)],
        Cell(str(answer.segments), _signed(answer, "segments"), "" if answer.segments else "warn"),
        Cell(str(answer.spans)),
        Cell(_("yes") if answer.title.strip() else _("none"), look="" if answer.title.strip() else "warn"),
        _minutes(answer),
        _alike(answer),
    ]


def _words(answer: Answer) -> Cell:
    apart = _signed(answer, "words")
    if answer.band is None:
        return Cell(str(answer.words), apart)
    low, high = answer.band.low, answer.band.high
    asked = f"{low if low is not None else 0}–{high}" if high is not None else f"≥ {low}"
    if answer.in_band == "inside":
        return Cell(str(answer.words), apart, "ok", _("inside %(band)s") % {"band": asked})
    said = _("below %(band)s") if answer.in_band == "below" else _("above %(band)s")
    return Cell(str(answer.words), apart, "warn", said % {"band": asked})


def _score(answer: Answer, key: str) -> Cell:
    score = answer.scores.get(key)
    if score is None:
        return Cell("…")  # the legend says what it means
    if score.value is None:
        return Cell("–", said=score.undefined)
    return Cell(f"{score.value:.3g}", _signed(answer, key))


def _named(answer: Answer, key: str) -> Cell:
    there, asked = answer.named.get(key, ([], []))
    missing = [text for text in asked if text not in there]
    text = _("%(n)d of %(all)d") % {"n": len(there), "all": len(asked)}
    return Cell(
        text,
        "",
        "warn" if missing else "ok",
        _("not named: %(texts)s") % {"texts": ", ".join(missing)} if missing else "",
    )


def _minutes(answer: Answer) -> Cell:
    if answer.minutes is None:
        return Cell("–", said=_("no time was kept"))
    said = _("wall time") if answer.wall else ""
    return Cell(f"{answer.minutes:.1f}", _signed(answer, "minutes", 1, "", 1), said=said)


def _alike(answer: Answer) -> Cell:
    if answer.alike is None:
        return Cell("–", said=_("nobody else has answered"))
    said = _("segments marked: %(n)s") % {"n": f"{answer.marked_alike or 0:.2f}"}
    return Cell(f"{answer.alike:.2f}", said=said)


def _signed(answer: Answer, key: str, times: int = 1, unit: str = "", digits: int | None = None) -> str:
    apart = answer.apart.get(key)
    if apart is None:
        return ""
    value = apart * times
    if digits is not None:
        told = f"{value:+.{digits}f}"
    else:
        told = f"{value:+.0f}" if abs(value) >= 10 or value == int(value) else f"{value:+.2g}"
    return f"±0{unit}" if float(told) == 0 else f"{told.replace('-', '−')}{unit}"


def turns(sample: Sample, answers: Sequence[Answer]) -> list[dict[str, Any]]:
    """The source's segments, each with how many of the answers marked it."""
    n = len(answers)
    found = []
    for number, segment in enumerate(sample.group.document.source_text.segments):
        marked = sum(number in one.marks for one in answers)
        said = ngettext("marked by %(k)d of %(n)d", "marked by %(k)d of %(n)d", n) % {"k": marked, "n": n}
        found.append(
            {
                "number": number,
                "speaker": segment.get("speaker") or "",
                "text": segment["text"],
                "marked": marked,
                "said": said if marked else "",
                "level": min(6, round(6 * marked / n)) if n else 0,
            }
        )
    return found
