"""Cases: outputs under a label of the project's list, with a note, below the human summary of the same request and
beside the output that differs in one value.

Source: Zhang et al., MACSum, TACL 2023, Table 8; CCSBench, arXiv 2410.12601, Table 6. Their labels begin
every list.
"""

import uuid
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import AuditVerb, Project, Score
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, NotFound
from annotation.services.core.word_patterns import join_names
from annotation.services.scores.score_queries import Scored, latest_scores
from annotation.transactions import write_transaction
from epitome.figures.tables import format_value
from epitome.reports.cases import CaseRow, CaseText
from epitome.schema import Schema
from evaluation.models import Case
from modelbridge.models import OutputState, Run, SystemOutput
from modelbridge.models.runs import CHANGED
from modelbridge.services.runs.changed_requests import TEXTS, requested_values
from modelbridge.services.runs.changed_runs import base_of
from modelbridge.services.runs.references import references_of

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
        case, created = Case.objects.update_or_create(
            output=output,
            label=label,
            defaults={"project": output.project, "note": note, "by_id": by.pk, "at": timezone.now()},
        )
        _record_audit(case, by, AuditVerb.CASE_KEEP, again=not created)
    return case


def store_cases(*, outputs: Sequence[SystemOutput], label: str, note: str, by: AbstractBaseUser) -> list[Case]:
    """Keep several outputs of one request under a label. Raises BadInput."""
    with write_transaction():
        return [store_case(output=output, label=label, note=note, by=by) for output in outputs]


def list_other_outputs(output: SystemOutput) -> list[SystemOutput]:
    """The texts of other runs for the same request, the newest first."""
    rows = _text_outputs(output.project).filter(sample=output.sample_id).exclude(pk=output.pk)
    return [row for row in rows.order_by("-run_id")[:MAX_LISTED] if not base_of(row.run)]


def delete_case(*, project: Project, public_id: uuid.UUID, by: AbstractBaseUser | None) -> None:
    """Raises NotFound."""
    with write_transaction():
        case = Case.objects.select_for_update().filter(project=project, public_id=public_id).first()
        if case is None:
            raise NotFound()
        _record_audit(case, by, AuditVerb.CASE_DELETE)
        case.delete()


def _record_audit(case: Case, by: AbstractBaseUser | None, verb: AuditVerb, **detail: Any) -> None:
    target = f"case:{case.public_id}"
    audit.record_event(project=case.project, actor=by, verb=verb, target=target, label=case.label, **detail)


def list_cases(project: Project, limit: int | None = MAX_LISTED) -> list[tuple[Case, CaseRow]]:
    """The cases by label, the newest request first, those of one request together, each with its texts, requests and
    measures. limit: None for all."""
    rows = (
        Case.objects.filter(project=project)
        .select_related("output__run__revision__system", "output__sample__document", "output__sample__group", "by")
        .select_related("output__sample__schema_version")
        .order_by("label", "-pk")
    )
    cases = _group_by_request(list(rows if limit is None else rows[:limit]))
    pairs = find_pairs(project, [case.output for case in cases])
    texts = [case.output for case in cases] + list(pairs.values())
    scores = latest_scores(project, target_kind=Score.Target.OUTPUT, ids={output.pk for output in texts})
    golds = _read_golds(project, {case.output.sample_id for case in cases})
    return [
        (case, _build_row(case, golds.get(case.output.sample_id), pairs.get(case.output_id), scores)) for case in cases
    ]


def _group_by_request(cases: Sequence[Case]) -> list[Case]:
    groups: dict[tuple[str, int], list[Case]] = {}
    for case in cases:
        groups.setdefault((case.label, case.output.sample_id), []).append(case)
    return [case for group in groups.values() for case in reversed(group)]


class _Gold(NamedTuple):
    text: str
    scores: Mapping[str, Scored]


def _read_golds(project: Project, samples: Collection[int]) -> dict[int, _Gold]:
    """Sample -> its human summary. Three queries."""
    references = references_of(project, samples) if samples else {}
    scores = latest_scores(project, ids={pk for pk, _text in references.values()})
    return {sample: _Gold(text, scores.get(pk, {})) for sample, (pk, text) in references.items()}


def count_cases(project: Project) -> int:
    return Case.objects.filter(project=project).count()


def find_pairs(project: Project, outputs: Sequence[SystemOutput]) -> dict[int, SystemOutput]:
    """Output -> the other output of the same source whose request differs in one value: one of a study of changed
    requests, else one of the same run; outputs without any are absent. A constant number of queries."""
    originals = _find_originals(project, [output for output in outputs if base_of(output.run)])
    plain = [output for output in outputs if not base_of(output.run)]
    studied = _find_studied(project, plain)
    neighbours = _find_neighbours(project, [output for output in plain if output.pk not in studied])
    return {**originals, **studied, **neighbours}


def _find_originals(project: Project, outputs: Sequence[SystemOutput]) -> dict[int, SystemOutput]:
    """Of outputs of changed requests: those of the requests before."""
    rows = _text_outputs(project).filter(
        run__public_id__in={base_of(output.run) for output in outputs},
        sample__in={output.sample_id for output in outputs},
    )
    by_key = {(str(row.run.public_id), row.sample_id): row for row in (rows if outputs else ())}
    pairs = {output.pk: by_key.get((base_of(output.run), output.sample_id)) for output in outputs}
    return {pk: pair for pk, pair in pairs.items() if pair is not None}


def _find_studied(project: Project, outputs: Sequence[SystemOutput]) -> dict[int, SystemOutput]:
    """Outputs of a changed request of the same sample, of the oldest study."""
    rows = _text_outputs(project).filter(
        run__over__startswith=CHANGED,
        run__options__base__in=sorted({str(output.run.public_id) for output in outputs}),
        sample__in={output.sample_id for output in outputs},
    )
    by_key: dict[tuple[str, int], SystemOutput] = {}
    for row in rows.order_by("run_id") if outputs else ():
        by_key.setdefault((base_of(row.run), row.sample_id), row)
    pairs = {output.pk: by_key.get((str(output.run.public_id), output.sample_id)) for output in outputs}
    return {pk: pair for pk, pair in pairs.items() if pair is not None}


def _find_neighbours(project: Project, outputs: Sequence[SystemOutput]) -> dict[int, SystemOutput]:
    """Outputs of the same run for another sample of the same source."""
    rows = _text_outputs(project).filter(
        run__in={output.run_id for output in outputs},
        sample__document__in={output.sample.document_id for output in outputs},
    )
    by_key: dict[tuple[int, int], list[SystemOutput]] = {}
    for row in rows.order_by("sample__position") if outputs else ():
        by_key.setdefault((row.run_id, row.sample.document_id), []).append(row)
    pairs = {}
    for output in outputs:
        values = requested_values(output)
        for row in by_key.get((output.run_id, output.sample.document_id), []):
            if row.pk != output.pk and len(_differing_keys(values, requested_values(row))) == 1:
                pairs[output.pk] = row
                break
    return pairs


def _text_outputs(project: Project) -> "QuerySet[SystemOutput]":
    rows = SystemOutput.objects.filter(TEXTS, project=project, state=OutputState.DONE)
    return rows.select_related("run__revision__system", "sample__document", "sample__group", "sample__schema_version")


def _differing_keys(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    def as_text(value: Any) -> str:
        return "; ".join(map(str, value)) if isinstance(value, list | tuple) else str(value or "")

    return [key for key in dict.fromkeys([*first, *second]) if as_text(first.get(key)) != as_text(second.get(key))]


Scores = Mapping[int, Mapping[str, Scored]]


def _build_row(case: Case, gold: _Gold | None, pair: SystemOutput | None, scores: Scores) -> CaseRow:
    output = case.output
    request_words = _describe_request(output.sample.schema_version.schema, requested_values(output))
    schema = output.sample.schema_version.schema
    changed = _differing_keys(requested_values(output), requested_values(pair)) if pair is not None else []
    return CaseRow(
        label=case.label,
        system=describe_run(output.run),
        source=f"{output.sample.document.external_id}#{output.sample.position}",
        note=case.note,
        shown=_describe_text(schema, output, scores),
        gold=CaseText(request_words, _describe_measures(schema, gold.scores), gold.text) if gold is not None else None,
        changed=join_names(_attribute_label(schema, key) for key in changed),
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
    measured = _describe_measures(schema, scores.get(output.pk, {}))
    return CaseText(_describe_request(schema, requested_values(output)), measured, output.text)


def _describe_measures(schema: Schema, known: Mapping[str, Scored]) -> Sequence[tuple[str, str]]:
    return [
        (attribute.label, format_value(known[attribute.measure].value, 2))
        for attribute in schema.attributes
        if attribute.measure in known
    ]


def _describe_request(schema: Schema, values: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    request = []
    for attribute in schema.attributes:
        value = values.get(attribute.key)
        if value:
            is_list = isinstance(value, list | tuple)
            text = join_names(value) if is_list else attribute.value_label(str(value))
            request.append((attribute.label, text))
    return request
