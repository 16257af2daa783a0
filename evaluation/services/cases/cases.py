"""Cases: outputs under a label of the project's list, with a note, beside the output that differs in one value.

Source: Zhang et al., MACSum, TACL 2023, Table 8; CCSBench, arXiv 2410.12601, Table 6. Their labels begin
every list.
"""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.figures.tables import format_value
from annotation.models import Project, Score
from annotation.schema import Schema
from annotation.services.core.errors import BadInput, NotFound
from annotation.services.scores.score_queries import Scored, latest_scores
from annotation.transactions import write_transaction
from evaluation.models import Case
from evaluation.reports.cases import CaseRow, CaseText
from modelbridge.models import OutputState, Run, SystemOutput
from modelbridge.models.runs import CHANGED
from modelbridge.services.runs.changed_requests import TEXTS, requested_values
from modelbridge.services.runs.changed_runs import base_of

DEFAULT_LABELS = (
    "topic defocus",
    "length against specificity",
    "extractiveness against readability",
    "length against readability",
    "readability affects focus",
    "focus affects readability",
)
MAX_LABEL = 80
MAX_NOTE = 2000
MAX_LISTED = 200


def list_labels(project: Project) -> list[str]:
    """The labels to choose from: those of the papers, then those that the project has added."""
    used = Case.objects.filter(project=project).order_by("label").values_list("label", flat=True).distinct()
    return list(dict.fromkeys([*DEFAULT_LABELS, *used]))


def find_output(project: Project, public_id: uuid.UUID) -> SystemOutput:
    """A finished text of a project. Raises NotFound."""
    rows = _text_outputs(project).filter(public_id=public_id)
    output = rows.first()
    if output is None:
        raise NotFound()
    return output


def store_case(*, output: SystemOutput, label: str, note: str, by: AbstractBaseUser) -> Case:
    """Keep an output under a label; the same label again replaces the note. Raises BadInput."""
    label = " ".join(label.split())
    if not label or len(label) > MAX_LABEL or "\0" in label:
        raise BadInput(_("A label has 1 to %(n)d characters.") % {"n": MAX_LABEL}, field="label")
    if len(note) > MAX_NOTE or "\0" in note:
        raise BadInput(_("A note has at most %(n)d characters.") % {"n": MAX_NOTE}, field="note")
    with write_transaction():
        case, _created = Case.objects.update_or_create(
            output=output,
            label=label,
            defaults={"project": output.project, "note": note, "by_id": by.pk, "at": timezone.now()},
        )
    return case


def delete_case(*, project: Project, public_id: uuid.UUID) -> None:
    """Raises NotFound."""
    with write_transaction():
        deleted, _by_model = Case.objects.filter(project=project, public_id=public_id).delete()
    if not deleted:
        raise NotFound()


def list_cases(project: Project) -> list[tuple[Case, CaseRow]]:
    """The newest cases by label, each with its texts, requests and measures."""
    cases = list(
        Case.objects.filter(project=project)
        .select_related("output__run__revision__system", "output__sample__document", "output__sample__group", "by")
        .select_related("output__sample__schema_version")
        .order_by("label", "-pk")[:MAX_LISTED]
    )
    pairs = {case.pk: find_pair(project, case.output) for case in cases}
    texts = [case.output for case in cases] + [pair for pair in pairs.values() if pair is not None]
    scores = latest_scores(project, target_kind=Score.Target.OUTPUT, ids={output.pk for output in texts})
    return [(case, _build_row(case, pairs[case.pk], scores)) for case in cases]


def find_pair(project: Project, output: SystemOutput) -> SystemOutput | None:
    """The other output of the same source whose request differs in one value: one of a study of changed requests, else
    one of the same run."""
    changed = _text_outputs(project).filter(sample=output.sample_id)
    if base := base_of(output.run):
        return changed.filter(run__public_id=base).first()
    run_id = str(output.run.public_id)
    studied = changed.filter(run__over__startswith=CHANGED, run__options__base=run_id).order_by("run_id").first()
    if studied is not None:
        return studied
    neighbours = _text_outputs(project).filter(run=output.run_id, sample__document=output.sample.document_id)
    values = requested_values(output)
    for neighbour in neighbours.exclude(pk=output.pk).order_by("sample__position"):
        if len(_differing_keys(values, requested_values(neighbour))) == 1:
            return neighbour
    return None


def _text_outputs(project: Project) -> "QuerySet[SystemOutput]":
    rows = SystemOutput.objects.filter(TEXTS, project=project, state=OutputState.DONE)
    return rows.select_related("run__revision__system", "sample__document", "sample__group", "sample__schema_version")


def _differing_keys(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    def as_text(value: Any) -> str:
        return "; ".join(map(str, value)) if isinstance(value, list | tuple) else str(value or "")

    return [key for key in dict.fromkeys([*first, *second]) if as_text(first.get(key)) != as_text(second.get(key))]


Scores = Mapping[int, Mapping[str, Scored]]


def _build_row(case: Case, pair: SystemOutput | None, scores: Scores) -> CaseRow:
    output = case.output
    schema = output.sample.schema_version.schema
    changed = _differing_keys(requested_values(output), requested_values(pair)) if pair is not None else []
    return CaseRow(
        label=case.label,
        system=describe_run(output.run),
        source=f"{output.sample.document.external_id}#{output.sample.position}",
        note=case.note,
        shown=_describe_text(schema, output, scores),
        changed=", ".join(_attribute_label(schema, key) for key in changed),
        pair=_describe_text(schema, pair, scores) if pair is not None else None,
    )


def describe_run(run: Run) -> str:
    """The system, and the run's own label."""
    name = str(run.revision.system.name)
    return f"{name}: {run.label}" if run.label else name


def _attribute_label(schema: Schema, key: str) -> str:
    attribute = schema.find(key)
    return attribute.label if attribute is not None else key


def _describe_text(schema: Schema, output: SystemOutput, scores: Scores) -> CaseText:
    known = scores.get(output.pk, {})
    measured = [
        (attribute.label, format_value(known[attribute.measure].value, 2))
        for attribute in schema.attributes
        if attribute.measure in known
    ]
    return CaseText(_describe_request(schema, requested_values(output)), measured, output.text)


def _describe_request(schema: Schema, values: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    request = []
    for attribute in schema.attributes:
        value = values.get(attribute.key)
        if value:
            is_list = isinstance(value, list | tuple)
            text = ", ".join(map(str, value)) if is_list else attribute.value_label(str(value))
            request.append((attribute.label, text))
    return request
