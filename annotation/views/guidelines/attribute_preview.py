"""What annotators and raters will see of the attributes of the editor, over a sample text. Nothing is stored."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django import forms
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.extension_points import ExtensionPoint
from annotation.models import Project, SourceDocument
from annotation.services.scores.score_queries import PROFILE
from annotation.views.core.forms import StyledForm
from annotation.views.core.measured_values import LENGTH, write_measured, write_words
from annotation.views.tasks.task_page import RequestChip, format_band
from epitome.figures.numbers import format_measure
from epitome.measures import SourceIndex
from epitome.measures.registry import MEASURES
from epitome.schema import Attribute, Band, Schema
from epitome.text.words import n_words

SAMPLE_WORDS = 30
RELEVANT_WORDS = 200


class QuestionPreview(NamedTuple):
    """How the question of an attribute is shown to raters; the app of rounds registers it."""

    key: str
    render: Callable[[Attribute], SafeString]


QUESTION_PREVIEWS: ExtensionPoint[QuestionPreview] = ExtensionPoint(
    "previews of raters' questions", key=lambda preview: preview.key
)


class PreviewForm(StyledForm):
    """The text over which meters are shown."""

    sample = forms.CharField(
        label=gettext_lazy("Sample text"),
        required=False,
        max_length=20_000,
        widget=forms.Textarea({"rows": 3, "dir": "auto"}),
    )
    relevant = forms.IntegerField(
        label=gettext_lazy("Words in the marked segments"),
        required=False,
        min_value=1,
        max_value=1_000_000,
        widget=forms.NumberInput({"class": "short"}),
    )
    segments: list[dict[str, str]]

    @classmethod
    def for_project(cls, project: Project, data: Mapping[str, Any] | None) -> "PreviewForm":
        """With the beginning of the project's first source, until somebody writes another text."""
        row = SourceDocument.objects.usable().filter(project=project).select_related("source_text").order_by("pk")
        document = row.first()
        segments = document.source_text.segments if document else []
        words = " ".join(segment["text"] for segment in segments[:20]).split()
        initial = {"sample": " ".join(words[:SAMPLE_WORDS]), "relevant": RELEVANT_WORDS}
        form = cls(data if data is not None else initial)
        form.segments = segments
        form.is_valid()
        return form

    @property
    def text(self) -> str:
        return str(self.cleaned_data.get("sample", ""))

    @property
    def relevant_words(self) -> int:
        return int(self.cleaned_data.get("relevant") or RELEVANT_WORDS)


@dataclass(frozen=True)
class Gauge:
    """A rail in percent of its width: where the band begins, its width, and the needle; None for no band."""

    needle: int
    band_from: int | None
    band_width: int


@dataclass(frozen=True)
class ValuePreview:
    """A value as annotators see it: its chip with the guide, and where the sample is against its band."""

    chip: RequestChip
    place: str
    gauge: Gauge | None


@dataclass(frozen=True)
class AttributePreview:
    """shown: what the meter says of the sample; question: as raters see it, "" where none is asked."""

    label: str
    values: list[ValuePreview]
    shown: str
    question: SafeString | str = ""
    meter_note: str = ""
    picks: RequestChip | None = field(default=None)


def build_previews(project: Project, schema: Schema, sample: PreviewForm) -> list[AttributePreview]:
    """One preview per attribute, in the order of the schema."""
    return [_build_preview(attribute, schema, sample) for attribute in schema.attributes]


def _build_preview(attribute: Attribute, schema: Schema, sample: PreviewForm) -> AttributePreview:
    number, note = _measure(attribute, schema, sample)
    preview = next(iter(QUESTION_PREVIEWS), None)
    return AttributePreview(
        label=attribute.label,
        values=[_preview_value(attribute, value, number, sample) for value in attribute.values],
        shown=_say_number(attribute, number),
        question=preview.render(attribute) if preview and attribute.question else "",
        meter_note=note,
        picks=None if attribute.values else _build_chip(attribute, ""),
    )


def _measure(attribute: Attribute, schema: Schema, sample: PreviewForm) -> tuple[float | None, str]:
    """The measure of the sample, or None and why there is none."""
    measure = MEASURES.get(attribute.measure)
    if attribute.measure == LENGTH:
        return float(n_words(sample.text)), ""
    if measure is None:
        return None, _("Nothing measures this attribute.") if not attribute.measure else ""
    if measure.needs_request:
        return None, _("Compared with what the annotator picks.")
    if measure.needs_tagger:
        return None, _("Measured by a worker while people write.")
    if measure.needs_source and not sample.segments:
        return None, _("Import a source to see this measure.")
    index = SourceIndex(sample.segments, domain=schema.domain)  # type: ignore[arg-type]
    value = measure(sample.text, index, profile=PROFILE, language=schema.language)
    return value.value, value.undefined or ""


def _say_number(attribute: Attribute, number: float | None) -> str:
    if number is None:
        return "–"
    if attribute.measure == LENGTH:
        return write_words(int(number))
    return write_measured(attribute.measure, number)


def _preview_value(attribute: Attribute, value: str, number: float | None, sample: PreviewForm) -> ValuePreview:
    limits = _limits(attribute, attribute.band(value), sample)
    chip = _build_chip(attribute, value)
    if number is None or limits is None:
        return ValuePreview(chip, "", None)
    low, high = limits
    end = max(number, high or low * 2) * 1.25 or 1
    width = 100 - _percent(low, end) if high is None else _percent(high, end) - _percent(low, end)
    return ValuePreview(
        chip, _say_place(number, low, high), Gauge(min(98, _percent(number, end)), _percent(low, end), max(1, width))
    )


def _percent(value: float, end: float) -> int:
    return round(100 * min(value, end) / end)


def _limits(attribute: Attribute, band: Band | None, sample: PreviewForm) -> tuple[float, float | None] | None:
    """The band in the unit of the attribute's measure; None where there is no band, or the measure has another unit."""
    if band is None:
        return None
    if band.of == "measure":
        return band.low, band.high
    return band.in_words(sample.relevant_words) if attribute.measure == "length" else None


def _say_place(number: float, low: float, high: float | None) -> str:
    ends = {"low": format_measure(low), "high": "" if high is None else format_measure(high)}
    band = (_("{low} or more") if high is None else _("{low} to {high}")).format(**ends)
    if number < low:
        return _("Under the guideline’s band, {band}.").format(band=band)
    if high is not None and number > high:
        return _("Over the guideline’s band, {band}.").format(band=band)
    return _("Within the guideline’s band, {band}.").format(band=band)


def _build_chip(attribute: Attribute, value: str) -> RequestChip:
    """The chip of a request; without a value, that of an attribute for which the annotator picks texts."""
    band = attribute.band(value)
    return RequestChip(
        key=attribute.key,
        label=attribute.label,
        values=[attribute.value_label(value)] if value else [],
        waiting=not value,
        empty=_("yours to pick"),
        guide=attribute.guide,
        value_guide=attribute.value_guide(value),
        value_example=attribute.value_example(value),
        band=format_band(band.as_dict() if band else None),
    )
