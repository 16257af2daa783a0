"""The JSON payload of a task for page and API. Sampled values are hidden until the group is frozen."""

from typing import Any

from annotation.models import Assignment
from annotation.schema import Attribute
from annotation.services.core.page_urls import page_url
from annotation.services.core.prepared_queries import IntParam, Prepared
from annotation.services.tasks import task_context

UNIT: Prepared[Any] = Prepared(
    lambda: Assignment.objects.filter(claim=IntParam("claim")).order_by("pk").values_list("pk", "public_id", "state")
)


def describe_task(assignment: Assignment) -> dict[str, Any]:
    """The complete task as JSON values; `assignment` is loaded by services.work.loaded()."""
    project, group, document = assignment.project.front, assignment.group, assignment.group.document
    return {
        "id": str(assignment.public_id),
        "state": str(assignment.state),
        "kind": task_context.kind_for(assignment).key,
        "lease_until": assignment.claim.lease_until.isoformat(),
        "page": page_url("task", assignment.public_id),
        "project": {"slug": project.slug, "name": project.name, "domain": assignment.project.domain},
        "pilot": assignment.project.pilot_of_id is not None,
        "unit": _describe_unit(assignment),
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
        "guideline": {"number": assignment.guideline_version.number},
        "sample": _describe_sample(assignment),
    }


def _describe_unit(assignment: Assignment) -> dict[str, Any]:
    rows = getattr(assignment, "unit", None) or UNIT.rows(claim=assignment.claim_id)
    return {
        "index": [pk for pk, _id, _state in rows].index(assignment.pk) + 1,
        "count": len(rows),
        "assignments": [{"id": str(public_id), "state": state} for _pk, public_id, state in rows],
    }


def _describe_sample(assignment: Assignment) -> dict[str, Any] | None:
    if assignment.sample is None:
        return None
    return {"id": f"{assignment.group.document.external_id}#{assignment.sample.position}"}


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
        if schema.attribute(key).kind == "speakers":
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
        "revealed": frozen,
        "band": band.as_dict() if band else None,
        "min": attribute.min_picks,
        "max": attribute.max_picks,
    }
