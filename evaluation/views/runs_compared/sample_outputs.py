"""One sample: its human summaries and the outputs of all systems side by side, with what was measured."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.kinds import get_task_kind
from annotation.models import Annotation, Project, Sample, Score
from annotation.services.core import access
from annotation.services.core.errors import NotFound
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.core.word_patterns import add_remark, join_names
from annotation.services.scores.score_queries import Scored, latest_scores
from annotation.services.tasks.notes import list_sample_notes
from annotation.views.core.decorators import project_page
from annotation.views.core.measured_values import LENGTH, add_asked, find_asked_band, write_measured, write_words
from annotation.views.sources.documents import SAMPLE_PAGES, SamplePage
from epitome.figures.tables import format_value
from epitome.measures import SourceIndex, Value
from epitome.measures.copying import copied_runs
from epitome.text.sentences import Segment
from epitome.text.words import n_words
from evaluation.services.runs_compared import run_comparison
from modelbridge.models import OutputState, SystemOutput
from modelbridge.services.runs import outputs
from modelbridge.services.runs.references import human_summaries
from modelbridge.services.runs.refinements import refines
from modelbridge.views.systems.labels import format_cost

MIN_COPIED_WORDS = 3
"""Runs of at least this many words copied from the source are highlighted."""
MAX_HIGHLIGHTED = 20_000
"""Characters of a text that are searched for copied words; searching more would make the page too slow."""


SAMPLE_PAGES.register(SamplePage("sample-outputs", gettext_lazy("Compare its texts")))


class Piece(NamedTuple):
    text: str
    copied: bool


@dataclass(frozen=True)
class MeasuredValue:
    """One attribute of one text. off: the relative error against the first human summary, "" where there is none."""

    label: str
    requested: str
    sent_to_system: bool
    value: str
    why: str = ""
    off: str = ""


class DraftRow(NamedTuple):
    """One draft of a system that refines. asked_for: the attributes that were to change, as one text. is_output: it is
    the one that the card shows."""

    number: int
    text: str
    asked_for: str
    measured: str
    turns: list[str]
    is_output: bool


@dataclass
class Card:
    """One text on the page. output: None for a human summary."""

    title: str
    about: str
    pieces: list[Piece]
    n_words: int
    n_copied: int
    numbers: list[MeasuredValue] = field(default_factory=list)
    output: SystemOutput | None = None
    cost: str = ""
    settings: list[tuple[str, str]] = field(default_factory=list)
    drafts: list[DraftRow] = field(default_factory=list)

    @property
    def marked_text(self) -> SafeString:
        """The text with its copied pieces marked."""
        mark = '<mark class="copied">{}</mark>'
        return format_html_join("", "{}", [(format_html(mark, p.text) if p.copied else p.text,) for p in self.pieces])


@project_page(access.MAKERS)
def sample_outputs(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    sample = _find_sample(project, public_id)
    rows = outputs.for_sample(project, sample)
    newest: dict[int, outputs.SampleOutput] = {}
    for row in rows:
        newest.setdefault(row.output.run.revision.system_id, row)
    page = _CardBuilder(project, sample)
    context = {
        "project": project,
        "sample": sample,
        "document": sample.document,
        "segments": sample.document.source_text.segments,
        "asked": _requested_values(sample),
        "humans": page.humans,
        "cards": [page.of_output(row) for row in newest.values()],
        "older": [page.of_output(row) for row in rows if row not in newest.values()],
        "notes": list_sample_notes(sample),
        "before": _find_neighbour(sample, forward=False),
        "after": _find_neighbour(sample, forward=True),
    }
    return render(request, "evaluation/runs_compared/sample.html", context)


def _find_sample(project: Project, public_id: uuid.UUID) -> Sample:
    rows = Sample.objects.filter(project=project, public_id=public_id, document__published=True)
    sample = rows.select_related("document__source_text", "group", "schema_version").first()
    if sample is None:
        raise NotFound()
    return sample


def _requested_values(sample: Sample) -> list[tuple[str, str]]:
    """(label, requested value) in the schema's order; attributes without a request are left out."""
    labelled_values = []
    for attribute in sample.schema_version.schema.attributes:
        value = sample.attributes.get(attribute.key)
        if value:
            text = join_names(value) if isinstance(value, list) else attribute.value_label(str(value))
            labelled_values.append((attribute.label, text))
    return labelled_values


def _find_neighbour(sample: Sample, *, forward: bool) -> Sample | None:
    """The next or previous sample of the project that has an output."""
    step, place = ("gt", 1) if forward else ("lt", -1)
    beyond = Q(**{f"sample__document_id__{step}": sample.document_id}) | Q(
        sample__document_id=sample.document_id, **{f"sample__position__{step}": sample.position}
    )
    order = [f"{'' if place > 0 else '-'}{name}" for name in ("sample__document_id", "sample__position")]
    rows = SystemOutput.objects.filter(beyond, project=sample.project_id, state__in=OutputState.ENDED, run__over="")
    output = rows.select_related("sample__document").order_by(*order).first()
    return output.sample if output is not None else None


class _CardBuilder:
    """Builds the cards of one sample; the source is indexed once."""

    def __init__(self, project: Project, sample: Sample) -> None:
        self.project, self.sample = project, sample
        self.schema = sample.schema_version.schema
        self.index = SourceIndex(cast(list[Segment], sample.document.source_text.segments), domain=self.schema.domain)
        self.policy = run_comparison.policy_of(self.schema)
        people = list(human_summaries(project).filter(sample=sample).select_related("assignment"))
        scores = latest_scores(project, target_kind=Score.Target.ANNOTATION, ids=[row.pk for row in people])
        # What systems are measured against: the band that the first writer saw.
        self.bands_shown: Mapping[str, Any] = people[0].band_shown if people else {}
        self.gold: Mapping[str, Scored] = scores.get(people[0].pk, {}) if people else {}
        names = Pseudonyms(project)
        self.humans = [self._of_person(row, names, scores.get(row.pk, {})) for row in people]

    def _of_person(self, row: Annotation, names: Pseudonyms, scores: Mapping[str, Scored]) -> Card:
        about = _("imported") if row.assignment is None else str(names.of(row.assignment.annotator_id))
        text = get_task_kind(self.project.kind, has_sample=True).text_of(row.payload)
        card = self._card(_("Human summary"), about, text)
        card.numbers = self._numbers(scores, self.sample.attributes, card.n_words, row.band_shown, compared=False)
        return card

    def of_output(self, row: outputs.SampleOutput) -> Card:
        output = row.output
        revision = output.run.revision
        about = _("revision %(n)d") % {"n": revision.number}
        card = self._card(revision.system.name, about, output.text)
        card.output = output
        card.cost = format_cost(output.cost, str(output.decoding.get("currency", "")))
        settings = [*sorted(output.decoding.items()), *sorted(output.versions.items())]
        card.settings = [(name, str(value)) for name, value in settings if value not in ("", [])]
        if output.state == OutputState.DONE and refines(output.run):
            card.drafts = self._list_drafts(output)
        if output.state == OutputState.DONE:
            card.numbers = self._numbers(row.scores, output.told, card.n_words, self.bands_shown, compared=True)
        return card

    def _list_drafts(self, output: SystemOutput) -> list[DraftRow]:
        labels = {attribute.key: attribute.label for attribute in self.schema.attributes}
        kept = output.decoding.get("refine", {}).get("kept_draft")
        return [
            DraftRow(
                step["number"],
                step["text"],
                join_names(labels.get(key, key) for key in step["asked"]),
                join_names(_write_step_measure(labels.get(key, key), row) for key, row in step["measures"].items()),
                step["turns"],
                step["number"] == kept,
            )
            for step in output.steps
        ]

    def _card(self, title: str, about: str, text: str) -> Card:
        pieces = highlight_copied(text, self.index)
        copied = sum(n_words(piece.text) for piece in pieces if piece.copied)
        return Card(title, about, pieces, n_words(text), copied)

    def _numbers(
        self,
        scores: Mapping[str, Scored],
        sent_values: Mapping[str, Any],
        n_words: int,
        bands_shown: Mapping[str, Any],
        *,
        compared: bool,
    ) -> list[MeasuredValue]:
        numbers = []
        for attribute in run_comparison.measured_attributes(self.schema):
            score = scores.get(attribute.measure)
            requested = self.sample.attributes.get(attribute.key)
            words = (
                join_names(requested) if isinstance(requested, list) else attribute.value_label(str(requested or ""))
            )
            band = find_asked_band(attribute, str(requested or ""), bands_shown)
            why = ""
            if attribute.measure == LENGTH:
                value = add_asked(write_words(n_words), band, LENGTH)
            elif score is None:
                value, why = "–", _("not measured yet")
            elif score.value is None:
                value, why = _("n/a"), score.undefined
            else:
                value = add_asked(write_measured(attribute.measure, score.value), band, attribute.measure)
            off = self._off(attribute.measure, score) if compared else ""
            numbers.append(MeasuredValue(attribute.label, words, attribute.key in sent_values, value, why, off))
        return [*numbers, *self._judged_values(scores, sent_values)]

    def _judged_values(self, scores: Mapping[str, Scored], sent_values: Mapping[str, Any]) -> list[MeasuredValue]:
        """What judges saw of attributes that no function measures."""
        judged_values = []
        for attribute in self.schema.attributes:
            score = scores.get(f"{attribute.key}-judge")
            if score is None:
                continue
            requested = attribute.value_label(str(self.sample.attributes.get(attribute.key, "")))
            label = _("%(attribute)s, seen by a judge") % {"attribute": attribute.label}
            value = _("n/a") if score.value is None else attribute.value_label(attribute.values[int(score.value)])
            is_sent = attribute.key in sent_values
            judged_values.append(MeasuredValue(label, requested, is_sent, value, score.undefined))
        return judged_values

    def _off(self, measure: str, score: Scored | None) -> str:
        error = run_comparison.error_of(measure, _score_value(score), _score_value(self.gold.get(measure)), self.policy)
        return format_value(error.value, 2) if error.value is not None else ""


def _write_step_measure(label: str, row: Mapping[str, Any]) -> str:
    """Length 30 (out of range)"""
    number = row.get("measured")
    digits = 0 if number is not None and float(number).is_integer() else 2
    measured = f"{label} {_('n/a') if number is None else format_value(number, digits)}"
    return add_remark(measured, _("out of range")) if row.get("distance") else measured


def _score_value(score: Scored | None) -> Value | None:
    if score is None:
        return None
    return Value.none(score.undefined) if score.value is None else Value.of(score.value)


def highlight_copied(text: str, index: SourceIndex) -> list[Piece]:
    """Splits the text into copied and other pieces; overlapping runs are merged."""
    spans = _merge_spans([(run.start, run.end) for run in copied_runs(text[:MAX_HIGHLIGHTED], index, MIN_COPIED_WORDS)])
    pieces, last = [], 0
    for start, end in spans:
        pieces += [Piece(text[last:start], False), Piece(text[start:end], True)]
        last = end
    pieces.append(Piece(text[last:], False))
    return [piece for piece in pieces if piece.text]


def _merge_spans(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
