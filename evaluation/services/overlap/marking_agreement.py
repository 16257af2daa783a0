"""Agreement of the annotators of one sample: what they marked and what they wrote. For the comparison of a sample and
for a table of the statistics.

Only a sample's planned texts count: one that was requested because those disagreed would make agreement look worse
than it is.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.jobs import Progress
from annotation.kinds import get_task_kind
from annotation.models import Annotation, Project, Sample, SourceText
from annotation.services.overlap.agreement import AgreementValue, find_extra_texts
from annotation.services.statistics.added_tables import BuildTable
from annotation.services.statistics.records import Record
from epitome.agreement.intervals import DEFAULT_REPLICATES, DEFAULT_SEED, LEVEL, Estimate, Statistic
from epitome.agreement.markings import (
    NO_TEXTS,
    NOTHING_MARKED,
    MarkedText,
    estimate_markings,
    marking_alpha,
    mean_statistic,
    pairwise_f1,
    pairwise_rouge_l,
    pooled_alpha_statistic,
)
from epitome.figures.tables import Cell, Column, Table
from epitome.formats.encoded_json import parse_stored_json
from epitome.measures.values import Value
from epitome.metrics.rouge_scores import rouge_signature
from epitome.reports.cells import few_sources_notes
from epitome.text.words import word_spans

KEY = "markings"
VERSION = "1"
STEP = 200


@dataclass(frozen=True)
class Marks:
    """What one annotator marked and wrote: numbers of segments, and of the words of the source that spans touch."""

    segments: frozenset[int]
    words: frozenset[int]
    text: str


class SourceWords:
    """The words of one source, numbered from 0 over all segments."""

    def __init__(self, segments: Sequence[Mapping[str, Any]]) -> None:
        self.n_segments = len(segments)
        self._spans = [word_spans(segment["text"]) for segment in segments]
        self._first = [0]
        for spans in self._spans:
            self._first.append(self._first[-1] + len(spans))

    @property
    def n_words(self) -> int:
        return self._first[-1]

    def find_words(self, spans: Sequence[Mapping[str, Any]]) -> frozenset[int]:
        """The words of which at least one character is inside a span."""
        return frozenset(
            self._first[span["segment"]] + index
            for span in spans
            if span["segment"] < self.n_segments
            for index, (start, end) in enumerate(self._spans[span["segment"]])
            if start < span["end"] and span["start"] < end
        )


def read_marks(kind_key: str, payload: Mapping[str, Any], words: SourceWords) -> Marks:
    kind = get_task_kind(kind_key, has_sample=True)
    segments = frozenset(number for number in kind.segments_of(payload) if number < words.n_segments)
    return Marks(segments, words.find_words(kind.spans_of(payload)), kind.text_of(payload))


def _marked_texts(marks: Sequence[Marks], words: SourceWords) -> dict[str, MarkedText]:
    return {
        "segments": MarkedText([each.segments for each in marks], words.n_segments),
        "words": MarkedText([each.words for each in marks], words.n_words),
    }


def measure_sample(sample: Sample, annotations: Sequence[Annotation]) -> list[AgreementValue]:
    """The agreement of one sample; [] for kinds of task without marks, whose agreement has pages of its own."""
    project = sample.project
    if not get_task_kind(project.kind, has_sample=True).summarizes:
        return []
    words = SourceWords(sample.group.document.source_text.segments)
    marks = [read_marks(project.kind, row.payload, words) for row in annotations]
    values: dict[str, Value] = {}
    for name, text in _marked_texts(marks, words).items():
        values[f"{name}_f1"], values[f"{name}_alpha"] = pairwise_f1(text.marked), marking_alpha(text)
    values["rouge_l"] = pairwise_rouge_l([each.text for each in marks], project.language)
    labels = _labels()
    return [
        AgreementValue(key, labels[key], value.value, explain_undefined(value.undefined))
        for key, value in values.items()
    ]


def _labels() -> dict[str, str]:
    return {
        "segments_f1": _("Segments, pairwise F1"),
        "segments_alpha": _("Segments, Krippendorff’s α"),
        "words_f1": _("Words in spans, pairwise F1"),
        "words_alpha": _("Words in spans, Krippendorff’s α"),
        "rouge_l": _("Texts, pairwise ROUGE-L"),
    }


def explain_undefined(reason: str) -> str:
    """A reason of the pure functions in the reader's language."""
    translated = {
        NOTHING_MARKED: _("nobody marked anything"),
        "everybody marked everything": _("everybody marked everything"),
        "fewer than two annotators": _("fewer than two annotators"),
        NO_TEXTS: _("fewer than two texts"),
    }
    return translated.get(reason, reason)


def prepare_table(project: Project, records: Sequence[Record], progress: Progress) -> BuildTable | None:
    """Reads what the overlapping texts of the project mark, and returns what builds the table of some of them."""
    if not get_task_kind(project.kind, has_sample=True).summarizes:
        return None
    overlapping = [rows for rows in _by_sample(records).values() if len(rows) > 1]
    if not overlapping:
        return None
    samples = AgreementOfSamples(project)
    for rows in overlapping:
        samples.add(rows)
    samples.read(progress)
    return samples.build_table


def _by_sample(records: Sequence[Record]) -> dict[int, list[Record]]:
    by_sample: dict[int, list[Record]] = defaultdict(list)
    for record in records:
        by_sample[record.sample.pk].append(record)
    return by_sample


class AgreementOfSamples:
    """Marks of all overlapping texts of a project; tables of any part of them. Texts and payloads are read in steps."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._marks: dict[int, Marks] = {}
        self._sizes: dict[int, tuple[int, int]] = {}
        self._records: list[Record] = []
        self._rouge: dict[tuple[int, ...], Value] = {}

    def add(self, records: Sequence[Record]) -> None:
        self._records += records

    def read(self, progress: Progress) -> None:
        self._records.sort(key=lambda record: record.sample.source.pk)
        for start in range(0, len(self._records), STEP):
            progress.check()
            self._read_step({record.pk: record.sample.source.pk for record in self._records[start : start + STEP]})

    def _read_step(self, source_of: Mapping[int, int]) -> None:
        texts = SourceText.objects.filter(pk__in=set(source_of.values())).values_list("pk", "segments_json")
        words = {pk: SourceWords(parse_stored_json(text)) for pk, text in texts}
        self._sizes |= {pk: (source.n_segments, source.n_words) for pk, source in words.items()}
        extra = find_extra_texts(source_of)
        for pk, payload in Annotation.objects.filter(pk__in=source_of).values_list("pk", "payload"):
            if source_of[pk] in words and pk not in extra:
                self._marks[pk] = read_marks(self.project.kind, payload, words[source_of[pk]])

    def build_table(self, records: Sequence[Record]) -> Table:
        """The agreement in these records: means over samples, and alpha over the units of all of them."""
        samples = list(self._overlapping(records))
        statistics: dict[str, Statistic] = {}
        counts: dict[str, int] = {}
        for index, name in enumerate(("segments", "words")):
            texts = [
                MarkedText([getattr(self._marks[pk], name) for pk in pks], self._sizes[source][index])
                for source, pks in samples
            ]
            shares = [pairwise_f1(text.marked) for text in texts]
            statistics[f"{name}_f1"] = mean_statistic(shares, NOTHING_MARKED)
            statistics[f"{name}_alpha"] = pooled_alpha_statistic(texts)
            counts |= {f"{name}_f1": sum(share.defined for share in shares), f"{name}_alpha": len(texts)}
        rouge = [self._rouge_l(pks) for _source, pks in samples]
        statistics["rouge_l"], counts["rouge_l"] = mean_statistic(rouge, NO_TEXTS), sum(one.defined for one in rouge)
        sources = [source for source, _pks in samples]
        estimates = estimate_markings(statistics, sources)
        few = few_sources_notes(set(sources))
        return _build_table(estimates, counts, len(samples), few, self.project.language)

    def _overlapping(self, records: Sequence[Record]) -> Iterator[tuple[int, tuple[int, ...]]]:
        """(source, its texts) of every sample with several planned texts among the records."""
        for rows in _by_sample(records).values():
            pks = tuple(sorted(row.pk for row in rows if row.pk in self._marks))
            if len(pks) > 1:
                yield rows[0].sample.source.pk, pks

    def _rouge_l(self, pks: tuple[int, ...]) -> Value:
        if pks not in self._rouge:
            self._rouge[pks] = pairwise_rouge_l([self._marks[pk].text for pk in pks], self.project.language)
        return self._rouge[pks]


def _build_table(
    estimates: Mapping[str, Estimate], counts: Mapping[str, int], n: int, few: Sequence[str], language: str
) -> Table:
    columns = [Column(_("What"), kind="text"), Column(_("Agreement"), interval=True, count=True)]
    labels = _labels()
    rows = [[Cell(labels[key]), _build_cell(estimate, counts[key])] for key, estimate in estimates.items()]
    notes = [
        ngettext("%(n)d sample with several texts.", "%(n)d samples with several texts.", n) % {"n": n},
        _("F1 and ROUGE-L: means over samples of the mean over pairs of annotators. α: over the units of all samples."),
        _("Second line: 95 % interval (bootstrap over sources) and number of samples."),
        *few,
        _("A text that was requested because the planned ones disagreed does not count."),
    ]
    signature = (
        f"markings|v:{VERSION}|bootstrap:sources|replicates:{DEFAULT_REPLICATES}|seed:{DEFAULT_SEED}|level:{LEVEL} || "
        f"{rouge_signature(('rougeL',), language=language)}"
    )
    return Table(KEY, _("Agreement of overlapping texts"), columns, rows, "", notes, signature)


def _build_cell(estimate: Estimate, n: int) -> Cell:
    value, interval = estimate.value, estimate.interval
    if value.value is None:
        return Cell(undefined=explain_undefined(value.undefined), n=n)
    return Cell(value.value, low=interval.low, high=interval.high, n=n)
