"""The JSON payload of a task for page and API. Sampled values are hidden until the group is frozen."""

import uuid
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.urls import reverse

from annotation.models import Assignment, AssignmentState
from annotation.services.core.prepared_queries import IntParam, Prepared
from annotation.services.core.sample_subjects import find_subject
from annotation.services.tasks import suggestions, task_context
from epitome.schema import Attribute


class UnitAttempt(NamedTuple):
    """One attempt of a claim; the fields are the columns of the query."""

    pk: int
    public_id: uuid.UUID
    state: str


class SourceAttempt(NamedTuple):
    """One attempt of a person on a source; the fields are the columns of the query."""

    pk: int
    public_id: uuid.UUID
    state: str
    claim_id: int
    sample_id: int | None


ON_SOURCE: Prepared[Any] = Prepared(
    lambda: (
        Assignment.objects.filter(annotator=IntParam("annotator"), group__document=IntParam("document"))
        .order_by("pk")
        .values_list(*SourceAttempt._fields)
    )
)


def _attempts_on_source(assignment: Assignment) -> list[SourceAttempt]:
    rows = ON_SOURCE.rows(annotator=assignment.annotator_id, document=assignment.group.document_id)
    return [SourceAttempt._make(row) for row in rows]


def requests_on_source(assignment: Assignment) -> list[SourceAttempt]:
    """What its annotator was given to write about the same source so far, in order, over all claims; without what was
    skipped or withdrawn. One query."""
    not_written = (AssignmentState.SKIPPED, AssignmentState.VOID)
    return [row for row in _attempts_on_source(assignment) if row.sample_id and row.state not in not_written]


def describe_task(assignment: Assignment, unit: Sequence[UnitAttempt] = ()) -> dict[str, Any]:
    """The complete task as JSON values, of an assignment loaded with its context. unit: the attempts of its claim, if
    they are known already; else they are read."""
    project, group, document = assignment.project.front, assignment.group, assignment.group.document
    return {
        "id": str(assignment.public_id),
        "state": str(assignment.state),
        "kind": task_context.kind_for(assignment).key,
        "lease_until": assignment.claim.lease_until.isoformat(),
        "page": reverse("task", args=[assignment.public_id]),
        "project": {"slug": project.slug, "name": project.name, "domain": assignment.project.domain},
        "pilot": assignment.project.pilot_of_id is not None,
        "unit": _describe_unit(assignment, unit),
        "document": {
            "id": str(document.public_id),
            "external_id": document.external_id,
            "title": document.title,
            "n_words": document.n_words,
            "segments": document.source_text.segments,
        },
        "group": {
            "id": str(group.public_id),
            "frozen": task_context.is_frozen(assignment),
            "asks": group.asks,
            "chosen": group.chosen,
        },
        "attributes": describe_attributes(assignment),
        "candidates": _describe_candidates(assignment),
        "draft": _describe_draft(assignment),
        "assistance": assignment.assistance,
        "suggestion": suggestions.describe_suggestion(assignment),
        "guideline": {"number": assignment.guideline_version.number},
        "sample": _describe_sample(assignment),
        **_describe_subject(assignment),
    }


def _describe_unit(assignment: Assignment, unit: Sequence[UnitAttempt]) -> dict[str, Any]:
    attempts: Sequence[UnitAttempt | SourceAttempt] = unit or [
        row for row in _attempts_on_source(assignment) if row.claim_id == assignment.claim_id
    ]
    return {
        "index": [attempt.pk for attempt in attempts].index(assignment.pk) + 1,
        "count": len(attempts),
        "assignments": [{"id": str(attempt.public_id), "state": attempt.state} for attempt in attempts],
    }


def _describe_sample(assignment: Assignment) -> dict[str, Any] | None:
    if assignment.sample is None:
        return None
    return {"id": f"{assignment.group.document.external_id}#{assignment.sample.position}"}


def _describe_subject(assignment: Assignment) -> dict[str, Any]:
    """What the task is about beside source and values, for kinds of task that have it."""
    subject = find_subject(assignment.project.kind)
    if subject is None or assignment.sample_id is None:
        return {}
    return {"subject": subject.describe(assignment.sample_id)}


def _describe_draft(assignment: Assignment) -> dict[str, Any]:
    draft = getattr(assignment, "draft", None)
    if draft is None:
        return {"revision": 0, "payload": {}, "updated_at": None}
    return {"revision": draft.revision, "payload": draft.payload, "updated_at": draft.updated_at.isoformat()}


def _describe_candidates(assignment: Assignment) -> dict[str, list[dict[str, Any]]]:
    """The candidates to choose from; empty once the group is frozen."""
    if task_context.is_frozen(assignment):
        return {key: [] for key in assignment.group.asks}
    schema = task_context.schema_for(assignment)
    candidates: dict[str, list[dict[str, Any]]] = {}
    for key, rows in task_context.candidates_for(assignment, schema).items():
        ordered = task_context.order_candidates(assignment, schema, key, rows)
        if schema.attribute(key).traits.picks_speakers:
            candidates[key] = [
                {"text": row["text"], "turns": row["mentions"], "words": row["words"]} for row in ordered
            ]
        else:
            candidates[key] = [{"text": row["text"], "mentions": row["mentions"]} for row in ordered]
    return candidates


def describe_attributes(assignment: Assignment) -> list[dict[str, Any]]:
    """The requested attributes, in the schema's order. Sampled values are hidden until the group is frozen."""
    frozen = task_context.is_frozen(assignment)
    values = assignment.sample.values if assignment.sample else {}
    return [
        _describe_attribute(attribute, values, assignment.group.chosen, frozen)
        for attribute in task_context.schema_for(assignment).attributes
    ]


def _describe_attribute(
    attribute: Attribute, values: dict[str, Any], chosen: dict[str, Any], frozen: bool
) -> dict[str, Any]:
    drawn = attribute.filled_by == "sampler"
    value = None
    if frozen:
        value = values.get(attribute.key) if drawn else chosen.get(attribute.key, [])
    value_text = str(value) if drawn and value is not None else ""
    band = attribute.band(value_text) if value_text else None
    return {
        "key": attribute.key,
        "label": attribute.label,
        "code": attribute.code,
        "kind": attribute.kind,
        "guide": attribute.guide,
        "measure": attribute.measure,
        "filled_by": attribute.filled_by,
        "values": list(attribute.values),
        "value": value,
        "value_label": attribute.value_label(value_text) if value_text else "",
        "value_guide": attribute.value_guide(value_text) if value_text else "",
        "value_example": attribute.value_example(value_text) if value_text else "",
        "revealed": frozen,
        "band": band.as_dict() if band else None,
        "min": attribute.min_picks,
        "max": attribute.max_picks,
    }
