"""The human summaries that systems are compared with."""

from collections.abc import Collection

from django.db.models import Case, IntegerField, Q, QuerySet, Value, When

from annotation.kinds import get_task_kind
from annotation.models import Annotation, Project
from annotation.services.core.withdrawn_people import text_gone
from annotation.services.exports.export_selection import ACCEPTED, NOT_USED


def human_summaries(project: Project) -> "QuerySet[Annotation]":
    """The newest revisions of a project's summaries, preferred ones first per sample: accepted or imported ones before
    others, then the first written. Rejected, surplus, void and withdrawn ones are excluded."""
    usual = [state for state in ACCEPTED if state != "imported"]
    rank = Case(
        When(Q(assignment__isnull=True) | Q(assignment__state__in=usual), then=Value(0)),
        default=Value(1),
        output_field=IntegerField(),
    )
    return (
        Annotation.objects.filter(~text_gone(), project=project, sample__isnull=False)
        .latest_revisions()
        .exclude(assignment__state__in=NOT_USED)
        .exclude(surplus=True)
        .annotate(rank=rank)
        .order_by("sample_id", "rank", "pk")
    )


def references_of(project: Project, samples: Collection[int] | None = None) -> dict[int, tuple[int, str]]:
    """sample -> (annotation, text) of its human summary; samples without one, or with an empty one, are absent.
    samples: only of these."""
    references: dict[int, tuple[int, str]] = {}
    kind = get_task_kind(project.kind, has_sample=True)
    summaries = human_summaries(project) if samples is None else human_summaries(project).filter(sample__in=samples)
    # Of a payload with one text only that is read: it also holds all that was marked.
    column = f"payload__{kind.text_field}" if kind.text_field else "payload"
    for sample, pk, stored in summaries.values_list("sample_id", "pk", column).iterator(2000):
        text = stored if kind.text_field else kind.text_of(stored)
        if isinstance(text, str) and text.strip():
            references.setdefault(sample, (pk, text))
    return references
