"""From the annotations of a project to its golds: what the filters removed, what is left, and agreement."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import override

from annotation.models import EntityType, Project, Release
from annotation.services.exports.manifests import MANIFEST_PARTS
from epitome.aggregations.contents import Contents, count_contents, share_agreeing
from epitome.aggregations.filters import Answered, Funnel, apply_filters
from epitome.measures import Value
from epitome.reports import aggregations
from epitome.site.file_language import FILE_LANGUAGE
from evaluation.services.aggregations.answers import check_kind, describe_instances, has_answers, read_answers


@dataclass(frozen=True)
class AggregationReport:
    """contents: by type, "all" first. same_answer: share of kept instances. alpha: of whether it can be aggregated;
    n_annotated: instances that it is over."""

    funnel: Funnel
    contents: dict[str, Contents]
    same_answer: Value
    alpha: Value
    n_annotated: int


def build_report(project: Project, release: Release | None = None) -> AggregationReport:
    """The report of the current annotations, or of those in a release. Raises BadInput for another kind of project."""
    check_kind(project)
    about = describe_instances(project)
    answers = [answered for answered in read_answers(project, release) if answered.instance in about]
    funnel = apply_filters(answers, len(about))
    agreeing = share_agreeing(funnel.kept)
    return AggregationReport(
        funnel,
        count_contents(funnel.kept, about, EntityType.values),
        Value.of(agreeing) if agreeing is not None else Value.none(aggregations.NO_INSTANCES),
        measure_alpha(answers),
        len({answered.instance for answered in answers}),
    )


def measure_alpha(answers: Sequence[Answered]) -> Value:
    """Krippendorff's alpha of whether an instance can be aggregated."""
    import numpy as np

    from epitome.agreement.alpha import krippendorff_alpha

    counts: dict[str, list[int]] = {}
    for answered in answers:
        counts.setdefault(answered.instance, [0, 0])[answered.is_aggregated] += 1
    if not counts:
        return Value.none("nothing is annotated yet")
    return krippendorff_alpha(np.array(list(counts.values())))


def report_as_dict(report: AggregationReport) -> dict[str, Any]:
    """The numbers as JSON values; an undefined one is null, its reason beside it."""
    return {
        **report.funnel.as_dict(),
        "contents": {name: counted.as_dict() for name, counted in report.contents.items()},
        "agreement": {"same_answer": _as_json(report.same_answer), "alpha": _as_json(report.alpha)},
    }


def _as_json(value: Value) -> dict[str, Any]:
    return {"value": value.value} if value.defined else {"value": None, "undefined": value.undefined}


@override(FILE_LANGUAGE)
def report_tables(project: Project, report: AggregationReport) -> dict[str, Any]:
    """The tables in the shape of `epitome.reports.build.RoundReport.as_json()`."""
    tables = [
        aggregations.funnel_table(report.funnel),
        aggregations.contents_table(report.contents),
        aggregations.agreement_table(
            report.same_answer, report.alpha, report.funnel.kept_instances, report.n_annotated
        ),
    ]
    return {"name": project.name, "methods": "", "tables": [table.as_json() for table in tables], "figures": {}}


@MANIFEST_PARTS.register
def describe_aggregations(project: Project) -> dict[str, Any]:
    """`aggregations` of the manifest: the funnel of the current annotations; {} for other kinds of project."""
    return {"aggregations": report_as_dict(build_report(project))} if has_answers(project) else {}
