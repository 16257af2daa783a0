"""Studies of changed requests: per attribute a run of the same revision in which only that attribute is another.

Source: Zhang et al., MACSum, TACL 2023, Figure 6 (200 samples); CCSBench, arXiv 2410.12601, section 6 (300 samples).
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _

from annotation.models import Candidate, Project, Sample, SourceDocument
from annotation.services.core.errors import BadInput, Conflict, NotFound
from epitome.reports import amplitude, dependency
from epitome.schema import Schema
from epitome.systems.protocol import Request, RequestValue
from evaluation.services.runs_compared.ccsbench_tables import has_ccsbench_length
from modelbridge.models import OutputState, Run, RunState
from modelbridge.services.construction.papers import list_own_keywords
from modelbridge.services.runs import changed_runs, runs
from modelbridge.services.runs.changed_requests import changed_attribute
from modelbridge.services.runs.run_names import find_named_run

MAX_N = 2000


@dataclass(frozen=True)
class ChangeStudy:
    """runs: one per changed attribute, in the order of the schema; n, seed: of the draw."""

    base: Run
    n: int
    seed: int
    runs: Sequence[Run]

    @property
    def ended(self) -> bool:
        return all(run.state not in RunState.UNDER_WAY for run in self.runs)

    @property
    def may_resume(self) -> bool:
        return any(run.state in (RunState.CANCELLED, RunState.FAILED) for run in self.runs)


def find_run(project: Project, name: str) -> Run:
    """A run of a project that wrote summaries, by what people call it (run_names.py). Raises NotFound, BadInput."""
    rows = Run.objects.filter(project=project).select_related("revision__system", "project")
    run = find_named_run(rows.writing(), name) or find_named_run(rows, name)
    if run is None:
        raise NotFound(_("No run has the id %(id)s.") % {"id": name[:60]})
    return run


def default_n(schema: Schema) -> int:
    """Samples per attribute as in the paper that the schema comes from."""
    return amplitude.SAMPLES if has_ccsbench_length(schema) else dependency.SAMPLES


def start_study(
    *, run: Run, n: int | None = None, seed: int = 1, by: AbstractBaseUser | None, queue_it: bool = True
) -> ChangeStudy:
    """Draw the changes and start a run for each attribute; the outputs of `run` are those before. The same n and seed
    are the same study. Raises BadInput naming the field, Conflict for too many runs of this user."""
    changed_runs.check_base(run)
    n = default_n(run.project.schema_version.schema) if n is None else n
    if not 1 <= n <= MAX_N:
        raise BadInput(_("Change 1 to %(n)d samples per attribute.") % {"n": MAX_N}, field="n")
    if not 0 <= seed <= runs.MAX_SEED:
        raise BadInput(_("The seed must be a whole number from 0."), field="seed")
    if not changed_runs.list_changed_runs(run, n=n, seed=seed):
        changes = _draw_changes(run, n, seed)
        changed_runs.start_changed_runs(run=run, changes=changes, n=n, seed=seed, by=by, queue_it=queue_it)
    return find_study(run, n, seed)


def find_study(run: Run, n: int, seed: int) -> ChangeStudy:
    """The study of a draw; without runs where it was not started."""
    return ChangeStudy(run, n, seed, changed_runs.list_changed_runs(run, n=n, seed=seed))


def list_studies(run: Run) -> list[ChangeStudy]:
    """Every study of a run, newest first."""
    by_draw: dict[tuple[int, int], list[Run]] = {}
    for changed_run in changed_runs.list_changed_runs(run):
        by_draw.setdefault((changed_run.options["n"], changed_run.options["draw"]), []).append(changed_run)
    return [ChangeStudy(run, n, seed, changed) for (n, seed), changed in reversed(by_draw.items())]


def resume_study(*, study: ChangeStudy, by: AbstractBaseUser | None, queue_it: bool = True) -> None:
    """Continue the runs that were cancelled or failed; finished outputs are kept."""
    for run in study.runs:
        if run.state in (RunState.CANCELLED, RunState.FAILED):
            with suppress(Conflict):  # somebody has just resumed it
                runs.resume_run(run=run, by=by, queue_it=queue_it)


def cancel_study(*, study: ChangeStudy, by: AbstractBaseUser | None) -> None:
    """Cancel the runs that have not ended; finished outputs are kept."""
    for run in study.runs:
        if run.state in RunState.UNDER_WAY:
            with suppress(Conflict):  # it has just ended
                runs.cancel_run(run=run, by=by)


def list_changed_keys(study: ChangeStudy) -> list[str]:
    """The changed attributes, in the order of the runs."""
    return [changed_attribute(run) for run in study.runs]


def list_unchanged_labels(study: ChangeStudy) -> list[str]:
    """The attributes that some sample of the run asks for and that could not be changed in any, in words."""
    changed, schema = set(list_changed_keys(study)), study.base.project.schema_version.schema
    samples = Sample.objects.filter(system_outputs__run=study.base)
    labels = []
    for attribute in dependency.changeable_attributes(schema):
        field = "values" if attribute in schema.sampled else "group__chosen"
        if attribute.key not in changed and samples.filter(**{f"{field}__has_key": attribute.key}).exists():
            labels.append(attribute.label)
    return labels


def _draw_changes(run: Run, n: int, seed: int) -> dict[str, dict[int, RequestValue]]:
    """attribute -> sample -> new value, among the samples that have an output."""
    requests = _load_requests(run)
    if not requests:
        return {}
    attributes = dependency.changeable_attributes(requests[0].schema)
    pools = _load_pools(run, requests[0].schema)
    changes: dict[str, dict[int, RequestValue]] = {}
    for change in dependency.draw_changes(requests, n=n, seed=seed, attributes=attributes, pools=pools):
        sample = int(change.original.id.rpartition("#")[2])
        changes.setdefault(change.attribute, {})[sample] = change.changed.values[change.attribute]
    return changes


def _load_requests(run: Run) -> list[Request]:
    """The requests of the samples with an output, without their sources; only samples of the newest schema version
    that has any, so that all have the same attributes. Their ids are `DOCUMENT#SAMPLE`, by primary key."""
    outputs = run.outputs.filter(state=OutputState.DONE).exclude(text="")
    samples = Sample.objects.filter(pk__in=outputs.values("sample")).select_related("group")
    newest = samples.order_by("-schema_version__number").values_list("schema_version", flat=True).first()
    if newest is None:
        return []
    schema = run.project.schema_versions.get(pk=newest).schema
    rows = samples.filter(schema_version=newest).order_by("document_id", "position")
    return [
        Request(f"{sample.document_id}#{sample.pk}", (), _requested_values(sample), schema, seed=run.seed)
        for sample in rows
    ]


def _requested_values(sample: Sample) -> dict[str, RequestValue]:
    return {
        key: tuple(map(str, value)) if isinstance(value, list) else str(value)
        for key, value in sample.attributes.items()
    }


def _load_pools(run: Run, schema: Schema) -> dict[tuple[str, str], list[str]]:
    """(source, attribute) -> candidates of the source and the keywords it was imported with, which may replace those
    that were asked for."""
    documents = run.outputs.filter(state=OutputState.DONE).values("sample__document")
    rows = Candidate.objects.filter(document__in=documents).order_by("document_id", "kind", "rank")
    pools: dict[tuple[str, str], list[str]] = {}
    for document, kind, text in rows.values_list("document_id", "kind", "text"):
        for attribute in schema.attributes:
            if attribute.candidate_kind == kind:
                pools.setdefault((str(document), attribute.key), []).append(text)
    keys = [attribute.key for attribute in schema.attributes if attribute.traits.picks_topics]
    sources = SourceDocument.objects.filter(project=run.project_id, pk__in=documents)
    for document, words in (list_own_keywords(sources) if keys else {}).items():
        for key in keys:
            pools.setdefault((str(document), key), []).extend(words)
    return pools
