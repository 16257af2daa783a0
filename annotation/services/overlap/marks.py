"""Several summaries of one sample: which samples have them, and the mark that selects one or all for export.

A mark refers to an attempt: its newest revision is exported. It counts as long as that attempt counts; if the attempt
is rejected or voided later, the sample waits for a comparison again and all its summaries are exported.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Count, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.kinds import PayloadRefused
from annotation.kinds.checks import normalize_text
from annotation.models import (
    Annotation,
    Assignment,
    AssignmentState,
    AuditVerb,
    Inspection,
    OverlapMark,
    Project,
    Sample,
    Slot,
    SlotState,
)
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.core.retry import retry_on_contention
from annotation.services.overlap import checks as overlap_checks
from annotation.services.overlap.agreement import AgreementValue, measure_agreement
from annotation.services.overlap.checks import Answer
from annotation.services.tasks import task_context
from annotation.transactions import write_transaction

STATES = ("waiting", "compared")
MAX_NOTE = 4000
STEP = 500


def _counting_marks(project: Project) -> QuerySet[OverlapMark]:
    """Marks that are not undone and whose attempt counts."""
    counts = Q(choice=OverlapMark.Choice.ALL) | Q(assignment__state__in=AssignmentState.LIVE_SUBMITTED)
    return OverlapMark.objects.filter(counts, project=project, undone_at=None)


def overlapping_samples(project: Project, state: str = "") -> QuerySet[Sample]:
    """Samples with several summaries that count, with `n` of them; waiting for a comparison, compared, or both."""
    # Of several summaries that count at most one is in the sample's first slot; a slot that nobody has holds none.
    beside = Slot.objects.filter(project=project, number__gt=1, state__in=SlotState.HELD, sample__isnull=False)
    rows = Sample.objects.filter(project=project, pk__in=beside.values("sample_id")).annotate(n=_count_summaries())
    rows = rows.filter(n__gt=1)
    if state:
        marked = Exists(_counting_marks(project).filter(sample_id=OuterRef("pk")))
        rows = rows.filter(marked if state == "compared" else ~marked)
    return rows


def _count_summaries() -> Subquery:
    """Of a sample, those that count."""
    summaries = Assignment.objects.live_submitted().filter(sample=OuterRef("pk")).order_by().values("sample")
    return Subquery(summaries.annotate(n=Count("pk")).values("n"), output_field=IntegerField())


class CountingMark(NamedTuple):
    """A mark that counts. seen: the summaries that were compared. by: the name of the person."""

    sample: int
    choice: str
    seen: list[str]
    by: str
    at: datetime


def list_overlap(project: Project, state: str = "") -> QuerySet[Sample]:
    """What `overlapping_samples` selects, with their sources, the oldest first."""
    rows = overlapping_samples(project, state).select_related("document")
    return rows.defer("raw_json", "document__metadata_json").order_by("pk")


def marks_of(project: Project, samples: Sequence[Sample]) -> dict[int, CountingMark]:
    """sample id -> its mark that counts."""
    marks = _counting_marks(project).filter(sample__in=samples)
    rows = marks.values_list("sample", "choice", "seen", "by__username", "at")
    return {row[0]: CountingMark._make(row) for row in rows}


@dataclass(frozen=True, slots=True)
class Column:
    """One summary of a sample. inspections: the deciding one first. came_later: submitted after the comparison."""

    answer: Answer
    assignment: Assignment
    pseudonym: str
    inspections: list[Inspection]
    marked: bool
    came_later: bool


@dataclass(frozen=True, slots=True)
class SampleComparison:
    """A sample with its summaries, how far its planned annotators agree, and the mark that counts, if any;
    earlier_marks: all other marks."""

    sample: Sample
    columns: list[Column]
    agreement: list[AgreementValue]
    mark: OverlapMark | None
    earlier_marks: list[OverlapMark]


def find_sample(project: Project, public_id: Any) -> Sample:
    """A sample with several summaries that count. NotFound for any other."""
    matching = overlapping_samples(project).filter(public_id=public_id)
    row = matching.select_related("project", "group__document__source_text", "schema_version").first()
    if row is None:
        raise NotFound()
    return row


def _current_summaries(sample: Sample) -> list[Annotation]:
    """The newest revision of every attempt that counts."""
    return current_summaries_of([sample.pk])[sample.pk]


def current_summaries_of(samples: Sequence[int]) -> dict[int, list[Annotation]]:
    """Sample id -> the newest revision of every attempt that counts."""
    rows = Annotation.objects.filter(
        sample__in=samples, assignment__state__in=AssignmentState.LIVE_SUBMITTED
    ).select_related("assignment__slot")
    by_sample: dict[int, list[Annotation]] = {pk: [] for pk in samples}
    for row in rows.latest_revisions().order_by("assignment_id"):
        by_sample[row.sample_id].append(row)  # type: ignore[index]
    return by_sample


def compare_summaries(sample: Sample) -> SampleComparison:
    """The summaries of a sample side by side, by pseudonym. Eight queries for any number of summaries."""
    annotations = _current_summaries(sample)
    names = Pseudonyms(sample.project)
    marks = list(
        OverlapMark.objects.filter(sample=sample).select_related("by", "undone_by", "assignment").order_by("-pk")
    )
    mark = next((stored_mark for stored_mark in marks if is_counted(stored_mark)), None)
    looks = Inspection.objects.filter(annotation__in=annotations).order_by("second")
    columns = []
    for answer in overlap_checks.build_answers(sample, annotations):
        attempt = answer.annotation.assignment
        assert attempt is not None  # the query says so
        columns.append(
            Column(
                answer,
                attempt,
                str(names.of(attempt.annotator_id)),
                [look for look in looks if look.annotation_id == answer.annotation.pk],
                mark is not None and (mark.assignment_id is None or mark.assignment_id == attempt.pk),
                mark is not None and str(answer.annotation.public_id) not in mark.seen,
            )
        )
    columns.sort(key=lambda column: column.pseudonym)
    agreement = measure_agreement(sample, annotations)
    return SampleComparison(
        sample, columns, agreement, mark, [stored_mark for stored_mark in marks if stored_mark is not mark]
    )


def is_counted(mark: OverlapMark) -> bool:
    return mark.undone_at is None and (
        mark.assignment is None or mark.assignment.state in AssignmentState.LIVE_SUBMITTED
    )


@retry_on_contention(unique_keys=True)
def mark_sample(
    *, sample: Sample, choice: str, by: AbstractBaseUser, annotation: Any = None, note: Any = ""
) -> OverlapMark:
    """Mark which summary of a sample is exported (`one`, by the public id of its newest revision), or `all` of them.

    Raises BadInput; Conflict if the sample is already marked (code `marked`), the summary is not its writer's newest
    one or does not count (`superseded`), or one of them is the caller's own (`own`).
    """
    if choice not in OverlapMark.Choice.values:
        raise BadInput(_("Choose one or all."), field="choice")
    try:
        text = normalize_text(note, "note", MAX_NOTE)
    except PayloadRefused as error:
        task_context.raise_bad_input(error)
    with write_transaction():
        locked_sample = Sample.objects.select_for_update(of=("self",)).select_related("project").get(pk=sample.pk)
        current = _current_summaries(locked_sample)
        if len(current) < 2:
            raise Conflict(_("This sample no longer has several texts."), code="alone")
        if any(summary.assignment is not None and summary.assignment.annotator_id == by.pk for summary in current):
            raise Conflict(_("One of these is your own work, so another reviewer compares them."), code="own")
        picked = _find_summary(current, annotation) if choice == OverlapMark.Choice.ONE else None
        _clear_mark(locked_sample, by)
        new_mark = OverlapMark.objects.create(
            project=locked_sample.project,
            sample=locked_sample,
            choice=choice,
            assignment_id=picked.assignment_id if picked else None,
            annotation=picked,
            seen=[str(summary.public_id) for summary in current],
            note=text,
            by_id=by.pk,
            at=timezone.now(),
        )
        audit.record_event(
            project=locked_sample.project,
            actor=by,
            verb=AuditVerb.OVERLAP_MARK,
            target=f"sample:{locked_sample.public_id}",
            choice=choice,
            annotation=str(picked.public_id) if picked else None,
        )
    return new_mark


def _find_summary(current: list[Annotation], public_id: Any) -> Annotation:
    summary = next((row for row in current if str(row.public_id) == str(public_id)), None)
    if summary is None:
        raise Conflict(_("This text is no longer one of the current ones. Reload the sample."), code="superseded")
    return summary


def _clear_mark(sample: Sample, by: AbstractBaseUser) -> None:
    """Undo a mark that no longer counts. Raises Conflict if it counts."""
    rows = OverlapMark.objects.filter(sample=sample, undone_at=None).select_related("assignment")
    for old_mark in rows:
        if is_counted(old_mark):
            raise Conflict(_("These texts have already been compared. Undo that first."), code="marked")
        OverlapMark.objects.filter(pk=old_mark.pk).update(undone_at=timezone.now(), undone_by=by.pk)


@retry_on_contention()
def undo_mark(*, mark: OverlapMark, by: AbstractBaseUser) -> None:
    """Undo a mark: the sample waits for a comparison again. Idempotent."""
    with write_transaction():
        now = timezone.now()
        if OverlapMark.objects.filter(pk=mark.pk, undone_at=None).update(undone_at=now, undone_by=by.pk):
            target = f"sample:{mark.sample.public_id}"
            audit.record_event(project=mark.project, actor=by, verb=AuditVerb.OVERLAP_UNDO, target=target)


def unmarked_annotations(project: Project) -> frozenset[int]:
    """Ids of the annotations that an export of marked summaries leaves out: for each sample with a counting mark for
    one summary, all summaries of other attempts."""
    marks = _counting_marks(project).filter(choice=OverlapMark.Choice.ONE)
    attempt_by_sample = dict(marks.order_by("sample_id").values_list("sample_id", "assignment_id"))
    excluded: set[int] = set()
    ids = list(attempt_by_sample)
    for start in range(0, len(ids), STEP):
        rows = Annotation.objects.filter(sample_id__in=ids[start : start + STEP], assignment__isnull=False)
        summary_rows = rows.values_list("pk", "sample_id", "assignment_id")
        excluded.update(pk for pk, sample, attempt in summary_rows if attempt_by_sample[sample] != attempt)
    return frozenset(excluded)
