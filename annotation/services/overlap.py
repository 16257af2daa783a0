"""Several summaries of one sample: which samples have them, and the mark that says which one to export, or all.

A mark names an attempt: its newest revision is exported. It counts as long as that attempt counts; when the attempt is
rejected or voided later, the sample waits for a comparison again and all its summaries are exported.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Count, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.kinds import Refused
from annotation.kinds.checks import human_text
from annotation.models import Annotation, Assignment, AssignmentState, Inspection, OverlapMark, Project, Sample
from annotation.services import asking, audit, comparing
from annotation.services.choices import latest
from annotation.services.comparing import Answer
from annotation.services.errors import BadInput, Conflict, NotFound
from annotation.services.pseudonyms import Pseudonyms
from annotation.services.retrying import retried
from annotation.transactions import write

COUNTED = (AssignmentState.SUBMITTED, AssignmentState.RETURNED, AssignmentState.ACCEPTED)
"""Attempts whose summaries are compared: handed in, and neither turned down nor void."""
STATES = ("waiting", "compared")
MAX_NOTE = 4000
STEP = 500


def _counting_marks(project: Project) -> QuerySet[OverlapMark]:
    """Marks that are not undone and whose attempt counts."""
    counts = Q(choice=OverlapMark.Choice.ALL) | Q(assignment__state__in=COUNTED)
    return OverlapMark.objects.filter(counts, project=project, undone_at=None)


def samples(project: Project, state: str = "") -> QuerySet[Sample]:
    """Samples with several summaries that count, with `n` of them; waiting for a comparison, compared, or both."""
    several = (
        Assignment.objects.filter(project=project, state__in=COUNTED, sample__isnull=False)
        .order_by()
        .values("sample_id")
        .annotate(n=Count("pk"))
        .filter(n__gt=1)
    )
    here = several.filter(sample_id=OuterRef("pk")).values("n")
    rows = Sample.objects.filter(project=project, pk__in=several.values("sample_id"))
    rows = rows.annotate(n=Subquery(here, output_field=IntegerField()))
    if state:
        marked = Exists(_counting_marks(project).filter(sample_id=OuterRef("pk")))
        rows = rows.filter(marked if state == "compared" else ~marked)
    return rows


def marks_of(project: Project, rows: Sequence[Sample]) -> dict[int, OverlapMark]:
    """sample id -> its mark that counts."""
    found = _counting_marks(project).filter(sample__in=rows).select_related("by", "assignment", "annotation")
    return {one.sample_id: one for one in found}


@dataclass(frozen=True, slots=True)
class Column:
    """One summary of a sample. inspections: the deciding one first. outdated: it came after the comparison."""

    answer: Answer
    assignment: Assignment
    pseudonym: str
    inspections: list[Inspection]
    marked: bool
    came_later: bool


@dataclass(frozen=True, slots=True)
class Compared:
    """A sample with its summaries, and the mark that counts, if any; `before`: marks that were undone."""

    sample: Sample
    columns: list[Column]
    mark: OverlapMark | None
    before: list[OverlapMark]


def sample_of(project: Project, public_id: Any) -> Sample:
    """A sample with several summaries that count. NotFound for any other."""
    found = samples(project).filter(public_id=public_id)
    row = found.select_related("project", "group__document__source_text", "schema_version").first()
    if row is None:
        raise NotFound(_("There is no such thing, or it is not yours."))
    return row


def _current(sample: Sample) -> list[Annotation]:
    """The newest revision of every attempt that counts."""
    rows = Annotation.objects.filter(sample=sample, assignment__state__in=COUNTED).select_related("assignment")
    return list(latest(rows).order_by("assignment_id"))


def compare(sample: Sample) -> Compared:
    """The summaries of a sample side by side, in order of pseudonym. Eight queries, whatever their number."""
    annotations = _current(sample)
    names = Pseudonyms(sample.project)
    marks = list(
        OverlapMark.objects.filter(sample=sample).select_related("by", "undone_by", "assignment").order_by("-pk")
    )
    mark = next((one for one in marks if counts(one)), None)
    looks = Inspection.objects.filter(annotation__in=annotations).order_by("second")
    columns = []
    for answer in comparing.answers(sample, annotations):
        attempt = answer.annotation.assignment
        assert attempt is not None  # the query says so
        columns.append(
            Column(
                answer,
                attempt,
                str(names.of(attempt.annotator_id)),
                [one for one in looks if one.annotation_id == answer.annotation.pk],
                mark is not None and (mark.assignment_id is None or mark.assignment_id == attempt.pk),
                mark is not None and str(answer.annotation.public_id) not in mark.seen,
            )
        )
    columns.sort(key=lambda one: one.pseudonym)
    return Compared(sample, columns, mark, [one for one in marks if one is not mark])


def counts(mark: OverlapMark) -> bool:
    return mark.undone_at is None and (mark.assignment is None or mark.assignment.state in COUNTED)


@retried(unique_keys=True)
def mark(*, sample: Sample, choice: str, by: AbstractBaseUser, annotation: Any = None, note: Any = "") -> OverlapMark:
    """Say which summary of a sample is exported (`one`, by the public id of its newest revision) or that `all` are.

    Raises BadInput; Conflict where somebody marked before (code `marked`), the summary is not the newest one of its
    writer or does not count (`superseded`), or one of them is the caller's own (`own`).
    """
    if choice not in OverlapMark.Choice.values:
        raise BadInput(_("Say one or all."), field="choice")
    try:
        text = human_text(note, "note", MAX_NOTE)
    except Refused as error:
        asking.refuse(error)
    with write():
        own = Sample.objects.select_for_update(of=("self",)).select_related("project").get(pk=sample.pk)
        current = _current(own)
        if len(current) < 2:
            raise Conflict(_("There are no longer several summaries of this sample."), code="alone")
        if any(one.assignment is not None and one.assignment.annotator_id == by.pk for one in current):
            raise Conflict(_("One of these is your own work; somebody else compares them."), code="own")
        picked = _picked(current, annotation) if choice == OverlapMark.Choice.ONE else None
        _clear(own, by)
        made = OverlapMark.objects.create(
            project=own.project,
            sample=own,
            choice=choice,
            assignment_id=picked.assignment_id if picked else None,
            annotation=picked,
            seen=[str(one.public_id) for one in current],
            note=text,
            by_id=by.pk,
            at=timezone.now(),
        )
        audit.record(
            project=own.project,
            actor=by,
            verb="overlap.mark",
            target=f"sample:{own.public_id}",
            choice=choice,
            annotation=str(picked.public_id) if picked else None,
        )
    return made


def _picked(current: list[Annotation], public_id: Any) -> Annotation:
    found = next((one for one in current if str(one.public_id) == str(public_id)), None)
    if found is None:
        raise Conflict(
            _("This summary is not one of those that count now; look at the sample again."), code="superseded"
        )
    return found


def _clear(sample: Sample, by: AbstractBaseUser) -> None:
    """Undo a mark that counts no more. Conflict where one counts."""
    rows = OverlapMark.objects.filter(sample=sample, undone_at=None).select_related("assignment")
    for before in rows:
        if counts(before):
            raise Conflict(_("Somebody has compared these already; undo that first."), code="marked")
        OverlapMark.objects.filter(pk=before.pk).update(undone_at=timezone.now(), undone_by=by.pk)


@retried()
def undo(*, mark: OverlapMark, by: AbstractBaseUser) -> None:
    """Take a mark back: the sample waits for a comparison. Twice is as good as once."""
    with write():
        now = timezone.now()
        if OverlapMark.objects.filter(pk=mark.pk, undone_at=None).update(undone_at=now, undone_by=by.pk):
            target = f"sample:{mark.sample.public_id}"
            audit.record(project=mark.project, actor=by, verb="overlap.undo", target=target)


def not_marked(project: Project) -> frozenset[int]:
    """Ids of the annotations that an export of what is marked leaves out: of each sample with a mark for one summary
    that counts, everything other people wrote."""
    marks = _counting_marks(project).filter(choice=OverlapMark.Choice.ONE)
    kept = dict(marks.order_by("sample_id").values_list("sample_id", "assignment_id"))
    found: set[int] = set()
    ids = list(kept)
    for start in range(0, len(ids), STEP):
        rows = Annotation.objects.filter(sample_id__in=ids[start : start + STEP], assignment__isnull=False)
        told = rows.values_list("pk", "sample_id", "assignment_id")
        found.update(pk for pk, sample, attempt in told if kept[sample] != attempt)
    return frozenset(found)
